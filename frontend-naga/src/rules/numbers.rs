//! Numbers without a type that no type holds, and constants of several types in one array.

use super::wrong;
use crate::right::constants::{Constants, kind_of};
use crate::right::number::Kind;
use crate::right::tokens::{self, Tokens};
use gpucc_ir::Diagnostic;

/// Numbers below it do not become too large by one product.
const SMALL: u64 = 1 << 15;

/// The first of them.
pub fn check(t: &Tokens) -> Option<Diagnostic> {
    let numbers = || (0..t.list.len()).filter(|&n| t.list[n].kind == tokens::Kind::Number);
    let wide = |text: &str| ["lu", "li", "lf"].iter().any(|end| text.ends_with(end));
    if let Some(n) = numbers().find(|&n| wide(t.text(n)))
        && !(0..t.list.len()).any(|k| matches!(t.text(k), "i64" | "u64" | "f64" | "r64uint" | "r64sint"))
    {
        return Some(wrong(t, n, n, "WGSL has no numbers of 64 bits"));
    }
    let large = numbers().any(|n| is_large(t.text(n)));
    let mut arrays = (0..t.list.len()).filter(|&n| t.sign(n + 1) == b'(' && t.is(n, "array")).peekable();
    let mut casts = (0..t.list.len()).filter(|&n| t.sign(n + 1) == b'<' && t.is(n, "bitcast")).peekable();
    if !large && arrays.peek().is_none() && casts.peek().is_none() {
        return None;
    }
    let constants = Constants::new(t);
    if large && let Some(found) = untyped(t, &constants) {
        return Some(found);
    }
    arrays.find_map(|n| array(t, &constants, n)).or_else(|| casts.find_map(|n| cast(t, &constants, n)))
}

/// A cast of a constant to a type of another size.
fn cast(t: &Tokens, constants: &Constants, n: usize) -> Option<Diagnostic> {
    let ((lanes, rows), kind, behind) = kind_of(t, n + 2)?;
    if rows != 1 || t.text(behind) != ">" || t.text(behind + 1) != "(" {
        return None;
    }
    let close = t.list[behind + 1].pair;
    let (value, end) = constants.expression(t, behind + 2)?;
    let (from, values) = value.lanes().filter(|_| end == close || t.text(end) == ",")?;
    let bits = |kind: Kind| if kind == Kind::F16 { 16 } else { 32 };
    (values.len() * bits(from) != lanes * bits(kind?))
        .then(|| wrong(t, n, close, "`bitcast` is between types of the same size"))
}

/// Whether a number without a type may lead out of `i32`.
fn is_large(text: &str) -> bool {
    let number = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    // More digits than any type has.
    let digits = text.len() > 19 && text.bytes().all(|b| b.is_ascii_digit());
    number.map_or(digits, |n| n >= SMALL)
}

/// A `let`, `var` or `_` without a type whose whole number does not fit into `i32`, which it becomes.
fn untyped(t: &Tokens, constants: &Constants) -> Option<Diagnostic> {
    for n in 1..t.list.len() {
        if t.text(n) != "=" || t.touch(n) && t.text(n + 1) == "=" {
            continue;
        }
        let declares = n > 1 && t.is_word(n - 1) && matches!(t.text(n - 2), "let" | "var");
        let private = n > 1 && t.is_word(n - 1) && t.text(n - 2) == ">" && t.text(n.saturating_sub(5)) == "var";
        if !(declares || private || t.text(n - 1) == "_") {
            continue;
        }
        let Some((value, end)) = constants.expression(t, n + 1) else { continue };
        let Some((Kind::AbstractInt, lanes)) = value.lanes() else { continue };
        let fits = |v: &f64| (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(v);
        if t.text(end) == ";" && !lanes.iter().all(fits) {
            let message = "this whole number does not fit into `i32`, the type that it gets here";
            return Some(wrong(t, n + 1, end - 1, message));
        }
    }
    None
}

/// An array whose constants have no type in common.
fn array(t: &Tokens, constants: &Constants, n: usize) -> Option<Diagnostic> {
    let close = t.list[n + 1].pair;
    let mut common: Option<Kind> = None;
    let mut bools: Option<bool> = None;
    let mut at = n + 2;
    while at < close {
        let end = argument_end(t, at, close);
        let is_bool = end == at + 1 && matches!(t.text(at), "true" | "false");
        let kind = constants.expression(t, at).filter(|v| v.1 == end).and_then(|v| v.0.lanes().map(|l| l.0));
        if is_bool || kind.is_some() {
            let joined = match (common, kind) {
                (Some(a), Some(b)) => a.join(b).map(Some),
                (a, b) => Some(a.or(b)),
            };
            let Some(joined) = joined.filter(|_| bools.is_none_or(|b| b == is_bool)) else {
                return Some(wrong(t, at, end - 1, "the elements of this array have no type in common"));
            };
            (common, bools) = (joined, Some(is_bool));
        }
        at = end + 1;
    }
    None
}

/// The comma or bracket behind an argument.
fn argument_end(t: &Tokens, mut n: usize, close: usize) -> usize {
    while n < close && t.text(n) != "," {
        n = if matches!(t.text(n), "(" | "[" | "{") { t.list[n].pair + 1 } else { n + 1 };
    }
    n
}
