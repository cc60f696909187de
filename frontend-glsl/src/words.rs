//! The words of a text, without its comments.

use std::ops::Range;

fn part(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

/// The places of all words and numbers outside of comments.
pub fn all(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut list = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - at);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |n| at + 2 + n + 2);
            }
            c if part(c) => {
                let start = at;
                at += bytes[at..].iter().position(|b| !part(*b)).unwrap_or(bytes.len() - at);
                list.push(start..at);
            }
            _ => at += 1,
        }
    }
    list
}

/// Whether a word that ends here is followed by a bracket.
pub fn is_called(text: &str, end: usize) -> bool {
    text[end..].trim_start().starts_with('(')
}

/// Whether a text has one of these words outside of comments.
pub fn has(text: &str, word: &str) -> bool {
    text.contains(word) && all(text).into_iter().any(|w| &text[w] == word)
}

/// Where a token stands in a line: as a word, if it is one.
pub fn find(line: &str, token: &str) -> Option<usize> {
    let is_word = token.bytes().all(part);
    line.match_indices(token).map(|(at, _)| at).find(|&at| {
        let (before, behind) = (&line.as_bytes()[..at], &line.as_bytes()[at + token.len()..]);
        !is_word || !before.last().is_some_and(|b| part(*b)) && !behind.first().is_some_and(|b| part(*b))
    })
}
