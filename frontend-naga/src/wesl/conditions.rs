//! `@if(...)`, `@elif(...)` and `@else`: what they stand in front of stays or goes.

use std::collections::BTreeSet;

use crate::right::tokens::Tokens;
use crate::right::{Changes, blank};

/// A mistake at a token.
type Wrong = (usize, String);

/// Finds them: tokens that are gone.
///
/// # Errors
/// A condition that is none, or one that follows nothing.
pub fn find(t: &Tokens, features: &BTreeSet<String>, changes: &mut Changes) -> Result<Vec<bool>, Wrong> {
    let mut gone = vec![false; t.list.len()];
    // The end of the last part of each chain, and whether one of its parts has stayed.
    let mut chains: Vec<(usize, bool)> = Vec::new();
    for n in 0..t.list.len() {
        let kind = t.text(n + 1);
        if gone[n] || t.text(n) != "@" || !matches!(kind, "if" | "elif" | "else") {
            continue;
        }
        let (value, behind) = match kind {
            "else" => (true, n + 2),
            _ if t.text(n + 2) != "(" => return Err((n + 1, format!("`@{kind}` needs a condition in brackets"))),
            _ => {
                let close = t.list[n + 2].pair;
                let mut at = n + 3;
                let value = either(t, &mut at, features)?;
                if t.text(at) == "," {
                    at += 1;
                }
                if at != close {
                    return Err((
                        at,
                        "this is no condition: names of features, `!`, `&&`, `||` and brackets are".into(),
                    ));
                }
                (value, close + 1)
            }
        };
        let stayed = match kind {
            "if" => false,
            _ => match chains.iter().rposition(|c| c.0 + 1 == n) {
                Some(found) => chains.remove(found).1,
                None => return Err((n + 1, format!("`@{kind}` follows nothing that has a condition"))),
            },
        };
        let end = end_of(t, behind);
        let stays = value && !stayed;
        let last = if stays { behind - 1 } else { end };
        gone[n..=last.min(t.list.len() - 1)].fill(true);
        blank(changes, t.list[n].at, t.list[last.min(t.list.len() - 1)].end);
        chains.push((end, stayed || stays));
    }
    Ok(gone)
}

fn either(t: &Tokens, at: &mut usize, features: &BTreeSet<String>) -> Result<bool, Wrong> {
    let mut value = both(t, at, features)?;
    while t.text(*at) == "|" && t.text(*at + 1) == "|" {
        *at += 2;
        value |= both(t, at, features)?;
    }
    Ok(value)
}

fn both(t: &Tokens, at: &mut usize, features: &BTreeSet<String>) -> Result<bool, Wrong> {
    let mut value = one(t, at, features)?;
    while t.text(*at) == "&" && t.text(*at + 1) == "&" {
        *at += 2;
        value &= one(t, at, features)?;
    }
    Ok(value)
}

fn one(t: &Tokens, at: &mut usize, features: &BTreeSet<String>) -> Result<bool, Wrong> {
    let n = *at;
    *at += 1;
    match t.text(n) {
        "!" => {
            // Signs are few: brackets are at most as deep as the guards allow.
            let mut turns = 1;
            while t.text(*at) == "!" {
                *at += 1;
                turns += 1;
            }
            Ok(one(t, at, features)? ^ (turns % 2 == 1))
        }
        "(" => {
            let value = either(t, at, features)?;
            if *at != t.list[n].pair {
                return Err((*at, "this is no condition".into()));
            }
            *at += 1;
            Ok(value)
        }
        "true" => Ok(true),
        "false" => Ok(false),
        name if t.is_word(n) => Ok(features.contains(name)),
        _ => Err((n.min(t.list.len() - 1), "expected the name of a feature".into())),
    }
}

/// The last token of what attributes stand in front of.
fn end_of(t: &Tokens, mut n: usize) -> usize {
    let most = t.list.len().saturating_sub(1);
    while t.text(n) == "@" {
        n = if t.text(n + 2) == "(" { t.list[n + 2].pair + 1 } else { n + 2 };
    }
    if is_listed(t, n) {
        // A member or a parameter: up to its comma.
        let mut angles = 0i32;
        while n < most {
            match t.text(n) {
                "," if angles == 0 => return n,
                "<" => angles += 1,
                ">" => angles -= 1,
                "(" | "[" => n = t.list[n].pair,
                _ => {}
            }
            if matches!(t.text(n + 1), "}" | ")") {
                return n;
            }
            n += 1;
        }
        return most;
    }
    while n < most {
        match t.text(n) {
            ";" => return n,
            "(" | "[" => n = t.list[n].pair,
            "{" if is_import(t, n) => n = t.list[n].pair,
            "{" => {
                let close = t.list[n].pair;
                if t.text(close + 1) != "else" {
                    return close;
                }
                n = close;
            }
            _ => {}
        }
        n += 1;
    }
    most
}

/// Whether a curly bracket is of an import: the part in front of it is `::`.
fn is_import(t: &Tokens, n: usize) -> bool {
    n >= 2 && t.text(n - 1) == ":" && t.text(n - 2) == ":"
}

/// Whether a token is in the list of members of a struct or in one of parameters.
fn is_listed(t: &Tokens, n: usize) -> bool {
    let mut k = n;
    while let Some(before) = k.checked_sub(1) {
        match t.text(before) {
            "(" | "[" => return true,
            "{" => return before >= 2 && t.text(before - 2) == "struct",
            ")" | "]" | "}" => k = t.list[before].pair,
            _ => k = before,
        }
    }
    false
}
