//! WGSL's `bitcast` of words to vectors of f16, which naga does not have.
//!
//! ```text
//! bitcast<vec2<f16>>(x)   =>   vec2<f16>(unpack2x16float(bitcast<u32>(x)))
//! bitcast<vec4<f16>>(x)   =>   a function of bitcast<vec2<u32>>(x) that does so with both words
//! ```
//!
//! The text is changed before naga reads it; [`Edits`] leads the places in it back to the source. A float of 32 bits holds every f16, so
//! no bit is lost but those of a NaN, which WGSL leaves open.

use gpucc_ir::Span;

use crate::edits::{Edits, blanked};

/// The function for four lanes.
const FOUR: &str = "gpucc_halves_of_words";

/// The text that naga reads, if it is not the source.
pub fn rewrite(source: &str) -> Option<(String, Edits)> {
    if !source.contains("bitcast") || !(source.contains("f16") || source.contains('h')) {
        return None;
    }
    // The change: place, length, what stands there instead.
    let mut list: Vec<(usize, usize, String)> = Vec::new();
    let mut four = false;
    let code = blanked(source);
    let brackets = brackets(&code);
    for (at, word) in code.match_indices("bitcast") {
        let part = |c: char| c == '_' || c.is_alphanumeric();
        if code[..at].ends_with(part) {
            continue;
        }
        let Some((lanes, open)) = head(&code, at + word.len()) else { continue };
        let Ok(pair) = brackets.binary_search_by_key(&open, |b| b.0) else { continue };
        let close = brackets[pair].1;
        four |= lanes == 4;
        let (before, after) = match lanes {
            2 => ("vec2<f16>(unpack2x16float(bitcast<u32>(".to_string(), ")))"),
            _ => (format!("{FOUR}(bitcast<vec2<u32>>("), "))"),
        };
        list.push((at, open + 1 - at, before));
        list.push((close, 1, after.to_string()));
    }
    if list.is_empty() {
        return None;
    }
    if four {
        let body = "vec4<f16>(vec2<f16>(unpack2x16float(x.x)), vec2<f16>(unpack2x16float(x.y)))";
        list.push((source.len(), 0, format!("\nfn {FOUR}(x: vec2<u32>) -> vec4<f16> {{ return {body}; }}\n")));
    }
    Some(Edits::apply(source, list))
}

/// Whether the text casts to lanes of 32 bits, which may be of an f16 vector: naga does not have that either.
pub fn to_words(source: &str) -> Option<Span> {
    let code = blanked(source);
    let found = code.match_indices("bitcast").find(|(at, word)| {
        let rest: String = code[at + word.len()..].chars().filter(|c| !c.is_whitespace()).take(12).collect();
        ["<u32>", "<i32>", "<f32>", "<vec2<u32>>", "<vec2<i32>>", "<vec2<f32>>", "<vec2u>", "<vec2i>", "<vec2f>"]
            .iter()
            .any(|t| rest.starts_with(t))
    });
    found.map(|(at, word)| Span::new(at as u32, (at + word.len()) as u32))
}

/// The number of f16 lanes that `<type>(` names there, and where its bracket opens.
fn head(code: &str, from: usize) -> Option<(u32, usize)> {
    // No spelling of these types with a blank at each place is longer.
    let open = from + code.as_bytes()[from..].iter().take(256).position(|&b| b == b'(')?;
    let ty: String = code.get(from..open)?.chars().filter(|c| !c.is_whitespace()).collect();
    match ty.as_str() {
        "<vec2<f16>>" | "<vec2h>" => Some((2, open)),
        "<vec4<f16>>" | "<vec4h>" => Some((4, open)),
        _ => None,
    }
}

/// Round brackets with those that close them, in order.
fn brackets(code: &str) -> Vec<(usize, usize)> {
    let (mut open, mut list) = (Vec::new(), Vec::new());
    for (at, c) in code.bytes().enumerate() {
        match c {
            b'(' => open.push(at),
            b')' => list.extend(open.pop().map(|o| (o, at))),
            _ => {}
        }
    }
    list.sort_unstable();
    list
}
