//! Operators of several kinds that WGSL's grammar does not take without parentheses:
//!
//! * `&&` beside `||`;
//! * `&`, `|` and `^` beside anything else;
//! * a shift beside anything that binds more strongly than a comparison;
//! * two comparisons in a row.

use super::wrong;
use crate::right::tokens::{Kind, Tokens};
use gpucc_ir::Diagnostic;

/// A kind of binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    And,
    Or,
    Bits,
    Relation,
    Shift,
    Sum,
}

/// A binary operator: kind, first and last token.
type Operator = (Class, usize, usize);

/// The first place where parentheses are missing.
pub fn check(t: &Tokens) -> Option<Diagnostic> {
    walk(t).err()
}

/// Words that are no operands.
#[rustfmt::skip]
const KEYWORDS: [&str; 13] = [
    "return", "if", "else", "while", "for", "switch", "case", "default", "loop", "continuing", "break", "let",
    "const_assert",
];

/// The bytes that one of them begins with: few names do.
const FIRST: [bool; 256] = {
    let mut is = [false; 256];
    let mut k = 0;
    while k < KEYWORDS.len() {
        is[KEYWORDS[k].as_bytes()[0] as usize] = true;
        k += 1;
    }
    is
};

fn is_keyword(word: &str) -> bool {
    word.as_bytes().first().is_some_and(|&b| FIRST[usize::from(b)]) && KEYWORDS.contains(&word)
}

fn walk(t: &Tokens) -> Result<(), Diagnostic> {
    let templates = templates(t);
    // Operators of the expression in each open bracket, and of what is outside.
    let mut open: Vec<Vec<Operator>> = vec![Vec::new()];
    let mut operand = false;
    let mut n = 0;
    while n < t.list.len() {
        let sign = t.sign(n);
        let mut signs = 1;
        if t.list[n].kind != Kind::Sign {
            operand = t.list[n].kind == Kind::Number || !is_keyword(t.text(n));
        } else if templates[n] == Bracket::Open || matches!(sign, b'(' | b'[' | b'{') {
            if sign == b'{' {
                end(t, &mut open)?;
            }
            open.push(Vec::new());
            operand = false;
        } else if templates[n] == Bracket::Close || matches!(sign, b')' | b']' | b'}') {
            end(t, &mut open)?;
            if open.len() > 1 {
                open.pop();
            }
            operand = sign != b'}';
        } else if matches!(sign, b',' | b';' | b':' | b'@') {
            end(t, &mut open)?;
            operand = false;
        } else if sign == b'.' {
            operand = false;
        } else if operand {
            let (class, length) = binary(t, n);
            match (class, open.last_mut()) {
                (Some(class), Some(list)) => list.push((class, n, n + length - 1)),
                _ => end(t, &mut open)?,
            }
            (signs, operand) = (length, false);
        }
        n += signs;
    }
    Ok(())
}

/// The part of a sign in a template list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    None,
    Open,
    Close,
}

/// Signs that open and close lists of template parameters, by the language's own rule.
fn templates(t: &Tokens) -> Vec<Bracket> {
    let mut found = vec![Bracket::None; t.list.len()];
    let mut pending: Vec<(usize, usize)> = Vec::new();
    let (mut depth, mut n) = (0usize, 0);
    let leave = |pending: &mut Vec<(usize, usize)>, depth: usize| {
        while pending.last().is_some_and(|p| p.1 >= depth) {
            pending.pop();
        }
    };
    while n < t.list.len() {
        let sign = t.sign(n);
        let next = if t.touch(n) { t.sign(n + 1) } else { 0 };
        match sign {
            b'<' => {
                if n > 0 && t.is_word(n - 1) && !matches!(next, b'<' | b'=') {
                    pending.push((n, depth));
                } else if matches!(next, b'<' | b'=') {
                    n += 1;
                }
            }
            b'>' => match pending.last() {
                Some(&(first, at)) if at == depth => {
                    pending.pop();
                    (found[first], found[n]) = (Bracket::Open, Bracket::Close);
                }
                _ if next == b'=' => n += 1,
                _ => {}
            },
            b'(' | b'[' => depth += 1,
            b')' | b']' => {
                leave(&mut pending, depth);
                depth = depth.saturating_sub(1);
            }
            b'!' | b'=' if next == b'=' => n += 1,
            b'=' | b';' | b'{' | b':' => {
                depth = 0;
                pending.clear();
            }
            b'&' | b'|' if next == sign => {
                leave(&mut pending, depth);
                n += 1;
            }
            _ => {}
        }
        n += 1;
    }
    found
}

/// The operator behind an operand and its number of signs; no kind of what assigns.
fn binary(t: &Tokens, n: usize) -> (Option<Class>, usize) {
    let first = t.sign(n);
    let second = if t.touch(n) { t.sign(n + 1) } else { 0 };
    match first {
        b'&' if second == b'&' => (Some(Class::And), 2),
        b'|' if second == b'|' => (Some(Class::Or), 2),
        b'=' | b'!' if second == b'=' => (Some(Class::Relation), 2),
        b'<' | b'>' if second == first => match t.sign(n + 2) {
            b'=' if t.touch(n + 1) => (None, 3),
            _ => (Some(Class::Shift), 2),
        },
        b'<' | b'>' => (Some(Class::Relation), 1 + usize::from(second == b'=')),
        b'-' if second == b'>' => (None, 2),
        b'+' | b'-' if second == first && matches!(t.sign(n + 2), b';' | b')' | b'{') => (None, 2),
        b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' if second == b'=' => (None, 2),
        b'+' | b'-' | b'*' | b'/' | b'%' => (Some(Class::Sum), 1),
        b'&' | b'|' | b'^' => (Some(Class::Bits), 1),
        _ => (None, 1),
    }
}

/// Ends the expression of the innermost bracket.
fn end(t: &Tokens, open: &mut [Vec<Operator>]) -> Result<(), Diagnostic> {
    let Some(list) = open.last_mut() else { return Ok(()) };
    let pair = if list.len() < 2 { None } else { mixed(t, list) };
    let said = pair.map(|(a, b)| {
        let sign = |o: Operator| &t.code[t.list[o.1].at..t.list[o.2].end];
        let (first, second) = (sign(a), sign(b));
        wrong(t, b.1, b.2, format!("`{first}` and `{second}` stand side by side: one of them needs parentheses"))
    });
    list.clear();
    said.map_or(Ok(()), Err)
}

/// Two operators of an expression that need parentheses.
fn mixed(t: &Tokens, list: &[Operator]) -> Option<(Operator, Operator)> {
    let has = |class: Class| list.iter().any(|o| o.0 == class);
    if has(Class::Bits) {
        let sign = |o: &Operator| (o.0, t.text(o.1));
        return list.windows(2).find(|w| sign(&w[0]) != sign(&w[1])).map(|w| (w[0], w[1]));
    }
    if has(Class::And) && has(Class::Or) {
        let mut logical = list.iter().filter(|o| matches!(o.0, Class::And | Class::Or));
        let first = *logical.next()?;
        return logical.find(|o| o.0 != first.0).map(|&o| (first, o));
    }
    for side in list.split(|o| matches!(o.0, Class::And | Class::Or)) {
        let mut relations = side.iter().filter(|o| o.0 == Class::Relation);
        if let (Some(&a), Some(&b)) = (relations.next(), relations.next()) {
            return Some((a, b));
        }
        for part in side.split(|o| o.0 == Class::Relation) {
            if let [a, b, ..] = part
                && part.iter().any(|o| o.0 == Class::Shift)
            {
                return Some((*a, *b));
            }
        }
    }
    None
}
