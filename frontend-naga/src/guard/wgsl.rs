//! Tokens of WGSL, for the scanner, and the size of constants.

use super::limits;
use super::scan::{Exceeded, Scanner, Shape, Token};
use super::weight::Weights;
use crate::right::tokens::IN_WORD;
use std::ops::Range;

/// Calls `f` for every token.
fn tokens(source: &str, mut f: impl FnMut(Token, Range<usize>) -> Result<(), Exceeded>) -> Result<(), Exceeded> {
    let bytes = source.as_bytes();
    let mut at = 0;
    let is_word = |b: u8| IN_WORD[usize::from(b)] || b >= 0x80;
    while at < bytes.len() {
        let start = at;
        at += 1;
        let token = match bytes[start] {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'/' if bytes.get(at) == Some(&b'/') => {
                let line_break = |c: char| matches!(c, '\u{a}'..='\u{d}' | '\u{85}' | '\u{2028}' | '\u{2029}');
                at = source[start..].find(line_break).map_or(bytes.len(), |n| start + n);
                continue;
            }
            b'/' if bytes.get(at) == Some(&b'*') => {
                at = skip_block_comment(bytes, at + 1);
                continue;
            }
            b if is_word(b) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                Token::word(&source[start..at])
            }
            b'(' | b'[' => Token::Open,
            b'{' => Token::OpenBrace,
            b')' | b']' | b'}' => Token::Close,
            b',' => Token::Comma,
            b';' => Token::Semicolon,
            _ => Token::Operator,
        };
        f(token, start..at)?;
    }
    Ok(())
}

/// The place behind the block comment whose content begins at `at`; block comments nest.
fn skip_block_comment(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 1;
    while at < bytes.len() && depth > 0 {
        match (bytes[at], bytes.get(at + 1)) {
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
            }
            (b'/', Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    at
}

/// Checks a WGSL source against all limits that can be seen in its text.
pub fn check(source: &str) -> Result<Shape, Exceeded> {
    if source.len() as u64 > limits::SOURCE_BYTES.max {
        return Err(Exceeded { limit: limits::SOURCE_BYTES, span: 0..0 });
    }
    let mut scanner = Scanner::default();
    // While inside `const NAME ... = ... ;`: the name, and whether `=` was seen.
    let mut constant: Option<(&str, bool)> = None;
    let mut expects_name = false;
    let mut weights = Weights::default();
    tokens(source, |token, span| {
        let text = &source[span.clone()];
        if expects_name {
            expects_name = false;
            constant = Some((text, false));
        } else if token == Token::Word && text == "const" {
            expects_name = true;
        } else if let Some((name, in_value)) = &mut constant {
            match token {
                Token::Semicolon | Token::OpenBrace => constant = None,
                Token::Operator if text == "=" => *in_value = true,
                Token::Open if *in_value => weights.constructs(name),
                Token::Word if *in_value => weights.mentions(name, text),
                _ => {}
            }
        } else if token == Token::Word {
            weights.uses(text, span.start);
        }
        scanner.token(token, span)
    })?;
    match weights.first_beyond(limits::CONSTANT_COPIES.max) {
        Some(at) => Err(Exceeded { limit: limits::CONSTANT_COPIES, span: at..at + 1 }),
        None => Ok(scanner.finish()),
    }
}
