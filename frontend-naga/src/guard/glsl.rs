//! GLSL after macro expansion, for the scanner. What the parser sees are the tokens that naga's preprocessor makes, so
//! the same preprocessor runs here first; how much it may produce is bounded beforehand, since macros can double their
//! text at every step.

use super::limits;
use super::scan::{Exceeded, Scanner, Shape, Token};
use indexmap::IndexMap;
use pp_rs::pp::Preprocessor;
use pp_rs::token::{Punct, TokenValue};
use rustc_hash::FxBuildHasher;

/// Checks a GLSL source against all limits that can be seen in its text.
pub fn check(source: &str) -> Result<Shape, Exceeded> {
    if source.len() as u64 > limits::SOURCE_BYTES.max {
        return Err(Exceeded { limit: limits::SOURCE_BYTES, span: 0..0 });
    }
    if expansion(source) > limits::EXPANSION.max {
        let at = source.find("define").unwrap_or(0);
        return Err(Exceeded { limit: limits::EXPANSION, span: at..at + 1 });
    }
    let mut scanner = Scanner::default();
    // An error of the preprocessor is one that the parser will report.
    for token in Preprocessor::new(source).map_while(Result::ok) {
        let kind = match &token.value {
            TokenValue::Ident(name) => Token::word(name),
            TokenValue::Integer(_) | TokenValue::Float(_) => Token::Word,
            TokenValue::Punct(punct) => match punct {
                Punct::LeftParen | Punct::LeftBracket => Token::Open,
                Punct::LeftBrace => Token::OpenBrace,
                Punct::RightParen | Punct::RightBracket | Punct::RightBrace => Token::Close,
                Punct::Comma => Token::Comma,
                Punct::Semicolon => Token::Semicolon,
                _ => Token::Operator,
            },
            TokenValue::Version(_) | TokenValue::Extension(_) | TokenValue::Pragma(_) => continue,
        };
        scanner.token(kind, token.location.start as usize..token.location.end as usize)?;
    }
    Ok(scanner.finish())
}

#[derive(Default)]
struct Macro<'a> {
    body: Vec<&'a str>,
    weight: Option<u64>,
    busy: bool,
}

/// An upper bound of the tokens after expansion (of those that come from macros, and of the source's own).
pub fn expansion(source: &str) -> u64 {
    let mut macros: IndexMap<&str, Macro, FxBuildHasher> = IndexMap::default();
    let mut rest = Vec::new();
    let joined = source.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in joined.lines() {
        let mut words = words(line);
        // Comments may stand between `#` and `define`; a definition inside a comment only counts too much.
        if !(line.contains('#') && words.any(|word| word == "define")) {
            rest.extend(self::words(line));
        } else if let Some(name) = words.next() {
            // Several definitions of one name count together.
            macros.entry(name).or_default().body.extend(words);
        }
    }
    if macros.is_empty() {
        return 0;
    }
    for root in 0..macros.len() {
        let mut stack = vec![root];
        while let Some(&index) = stack.last() {
            let this = &macros[index];
            if this.weight.is_some() {
                stack.pop();
            } else if !this.busy {
                let below = this.body.iter().filter_map(|w| macros.get_index_of(w));
                let below: Vec<usize> = below.filter(|&i| macros[i].weight.is_none() && !macros[i].busy).collect();
                macros[index].busy = true;
                stack.extend(below);
            } else {
                let weight = weigh(&this.body, &macros);
                macros[index].weight = Some(weight);
                stack.pop();
            }
        }
    }
    weigh(&rest, &macros)
}

/// Words and brackets of a line; other punctuation adds to the text around it only linearly.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = at + line.get(at..)?.find(|c: char| is_word(c) || "(),".contains(c))?;
        let first = line[start..].chars().next()?;
        at = if is_word(first) {
            start + line[start..].find(|c: char| !is_word(c)).unwrap_or(line.len() - start)
        } else {
            start + first.len_utf8()
        };
        Some(&line[start..at])
    })
}

/// The tokens that a list of words expands to; arguments may be repeated as often as the macro's body is long.
fn weigh(words: &[&str], macros: &IndexMap<&str, Macro, FxBuildHasher>) -> u64 {
    let mut frames: Vec<(u64, u64)> = vec![(1, 0)];
    for (i, word) in words.iter().enumerate() {
        match *word {
            "(" => {
                let factor = match i.checked_sub(1).and_then(|p| macros.get(words[p])) {
                    Some(called) => called.weight.unwrap_or(1).max(1),
                    None => 1,
                };
                frames.push((factor, 0));
            }
            ")" if frames.len() > 1 => {
                let (factor, sum) = frames.pop().unwrap_or((1, 0));
                if let Some(outer) = frames.last_mut() {
                    outer.1 = outer.1.saturating_add(factor.saturating_mul(sum.saturating_add(1)));
                }
            }
            word => {
                let weight = macros.get(word).map_or(1, |m| m.weight.unwrap_or(1).saturating_add(1));
                if let Some(top) = frames.last_mut() {
                    top.1 = top.1.saturating_add(weight);
                }
            }
        }
    }
    // Brackets that stay open: whatever they would multiply.
    frames.iter().rev().fold(0u64, |below, &(factor, sum)| factor.saturating_mul(sum.saturating_add(below)))
}
