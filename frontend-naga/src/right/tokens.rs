//! Tokens of WGSL: words, numbers and single signs, with the brackets that belong together.

use crate::edits::blanked;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// A number with its ending.
    Number,
    /// One sign.
    Sign,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The kind of token: word, number or sign.
    pub kind: Kind,
    /// The byte of a sign that is ASCII; 0 otherwise.
    sign: u8,
    /// Offset of the first byte in the source.
    pub at: usize,
    /// Offset of the byte behind the last one.
    pub end: usize,
    /// The number of the bracket that belongs to it; its own number otherwise.
    pub pair: usize,
    /// Curly brackets around it.
    pub depth: usize,
}

/// The bytes of ASCII that words are made of.
pub const IN_WORD: [bool; 256] = {
    let mut is = [false; 256];
    let mut b = 0;
    while b < 128 {
        is[b] = (b as u8).is_ascii_alphanumeric() || b as u8 == b'_';
        b += 1;
    }
    is
};

/// The tokens of a source.
pub struct Tokens {
    /// The source with blanks for comments.
    pub code: String,
    /// The tokens in order.
    pub list: Vec<Token>,
}

impl Tokens {
    /// Reads a source. `None` if its brackets do not match.
    pub fn new(source: &str) -> Option<Tokens> {
        let code = blanked(source);
        let bytes = code.as_bytes();
        let mut list: Vec<Token> = Vec::with_capacity(code.len() / 3);
        let mut open: Vec<(u8, usize)> = Vec::new();
        let mut depth = 0;
        let mut at = 0;
        while let Some((c, behind)) = char_at(&code, at) {
            if c.is_whitespace() {
                at = behind;
                continue;
            }
            let number = list.len();
            let sign = if c.is_ascii() { bytes[at] } else { 0 };
            let mut token = Token { kind: Kind::Sign, sign, at, end: behind, pair: number, depth };
            let dot = c == '.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            let after_word = || list.last().is_some_and(|t: &Token| t.end == at && is_value(t));
            if c.is_alphabetic() || c == '_' {
                (token.kind, token.sign) = (Kind::Word, 0);
                token.end = word_end(&code, token.end);
            } else if c.is_ascii_digit() || dot && !after_word() {
                (token.kind, token.sign) = (Kind::Number, 0);
                token.end = at + number_length(&code[at..]);
            } else if let Some(close) = closing(sign) {
                open.push((close, number));
                depth += usize::from(c == '{');
            } else if matches!(sign, b')' | b']' | b'}') {
                let (close, first) = open.pop()?;
                if close != sign {
                    return None;
                }
                depth -= usize::from(c == '}');
                token.depth = depth;
                token.pair = first;
                list[first].pair = number;
            }
            at = token.end;
            list.push(token);
        }
        open.is_empty().then_some(Tokens { code, list })
    }

    /// The text of a token; nothing behind the last one.
    pub fn text(&self, n: usize) -> &str {
        self.list.get(n).map_or("", |t| &self.code[t.at..t.end])
    }

    /// Whether a token has this text.
    pub fn is(&self, n: usize, text: &str) -> bool {
        self.list.get(n).is_some_and(|t| self.code.as_bytes()[t.at..t.end] == *text.as_bytes())
    }

    /// The byte of a sign; 0 for words, numbers, what is not ASCII, and behind the last token.
    pub fn sign(&self, n: usize) -> u8 {
        self.list.get(n).map_or(0, |t| t.sign)
    }

    /// Whether a token is a word.
    pub fn is_word(&self, n: usize) -> bool {
        self.list.get(n).is_some_and(|t| t.kind == Kind::Word)
    }

    /// Whether two tokens stand side by side, as the signs of one operator do.
    pub fn touch(&self, n: usize) -> bool {
        matches!((self.list.get(n), self.list.get(n + 1)), (Some(a), Some(b)) if a.end == b.at)
    }
}

/// The character at an offset, and the offset behind it.
fn char_at(code: &str, at: usize) -> Option<(char, usize)> {
    let first = *code.as_bytes().get(at)?;
    // Nearly all of a source is ASCII.
    if first < 0x80 {
        return Some((char::from(first), at + 1));
    }
    code[at..].chars().next().map(|c| (c, at + c.len_utf8()))
}

/// The end of the word that goes on at an offset.
fn word_end(code: &str, mut at: usize) -> usize {
    let bytes = code.as_bytes();
    loop {
        while bytes.get(at).is_some_and(|&b| IN_WORD[usize::from(b)]) {
            at += 1;
        }
        match char_at(code, at) {
            Some((c, behind)) if !c.is_ascii() && c.is_alphanumeric() => at = behind,
            _ => return at,
        }
    }
}

fn closing(sign: u8) -> Option<u8> {
    Some(match sign {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        _ => return None,
    })
}

/// Whether a dot behind a token asks for a member.
fn is_value(t: &Token) -> bool {
    t.kind == Kind::Word || matches!(t.sign, b')' | b']')
}

/// Bytes of a number: digits, a point, an exponent with its sign, an ending.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let mut n = if hex { 2 } else { 0 };
    while let Some(&b) = bytes.get(n) {
        let exponent = if hex { matches!(b, b'p' | b'P') } else { matches!(b, b'e' | b'E') };
        let sign = matches!(bytes.get(n + 1), Some(b'+' | b'-'));
        let digit = matches!(bytes.get(n + 1 + usize::from(sign)), Some(b'0'..=b'9'));
        if exponent && digit {
            n += 1 + usize::from(sign);
        } else if b.is_ascii_alphanumeric() || b == b'.' {
            n += 1;
        } else {
            break;
        }
    }
    n
}
