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
    /// Offset of the first byte in the source.
    pub at: usize,
    /// Offset of the byte behind the last one.
    pub end: usize,
    /// The number of the bracket that belongs to it; its own number otherwise.
    pub pair: usize,
    /// Curly brackets around it.
    pub depth: usize,
}

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
        let mut list: Vec<Token> = Vec::with_capacity(code.len() / 3);
        let mut open: Vec<(char, usize)> = Vec::new();
        let mut depth = 0;
        let mut chars = code.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if c.is_whitespace() {
                continue;
            }
            let number = list.len();
            let mut token = Token { kind: Kind::Sign, at, end: at + c.len_utf8(), pair: number, depth };
            let dot = c == '.' && code[at + 1..].starts_with(|c: char| c.is_ascii_digit());
            let after_word =
                || list.last().is_some_and(|t| t.end == at && t.kind != Kind::Number && is_value(&code, t));
            if c.is_alphabetic() || c == '_' {
                token.kind = Kind::Word;
                while let Some(&(at, c)) = chars.peek().filter(|(_, c)| c.is_alphanumeric() || *c == '_') {
                    token.end = at + c.len_utf8();
                    chars.next();
                }
            } else if c.is_ascii_digit() || dot && !after_word() {
                token.kind = Kind::Number;
                token.end = at + number_length(&code[at..]);
                while chars.peek().is_some_and(|(at, _)| *at < token.end) {
                    chars.next();
                }
            } else if let Some(close) = closing(c) {
                open.push((close, number));
                depth += usize::from(c == '{');
            } else if matches!(c, ')' | ']' | '}') {
                let (close, first) = open.pop()?;
                if close != c {
                    return None;
                }
                depth -= usize::from(c == '}');
                token.depth = depth;
                token.pair = first;
                list[first].pair = number;
            }
            list.push(token);
        }
        open.is_empty().then_some(Tokens { code, list })
    }

    /// The text of a token; nothing behind the last one.
    pub fn text(&self, n: usize) -> &str {
        self.list.get(n).map_or("", |t| &self.code[t.at..t.end])
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

fn closing(c: char) -> Option<char> {
    Some(match c {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        _ => return None,
    })
}

/// Whether a dot behind a token asks for a member.
fn is_value(code: &str, t: &Token) -> bool {
    t.kind == Kind::Word || matches!(&code[t.at..t.end], ")" | "]")
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
