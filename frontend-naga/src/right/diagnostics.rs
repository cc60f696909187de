//! `@diagnostic(...)` in front of statements and blocks, which naga reads in front of functions alone.
//!
//! The attribute becomes blanks. Its severity is kept with the part of the source that it is of.

use super::tokens::Tokens;
use super::{Changes, blank};
use crate::severity::Told;
use gpucc_ir::Span;

/// Finds `@diagnostic(...)` attributes, blanks them and keeps their severities.
pub fn find(t: &Tokens, changes: &mut Changes, regions: &mut Vec<(Span, Told)>) {
    for n in 0..t.list.len() {
        if !(t.text(n) == "@" && t.text(n + 1) == "diagnostic" && t.text(n + 2) == "(") {
            continue;
        }
        let close = t.list[n + 2].pair;
        let first = behind_attributes(t, close + 1);
        // Those of functions are naga's.
        if t.list[n].depth == 0 && t.text(first) != "{" {
            continue;
        }
        let Some(end) = end_of(t, first) else { continue };
        let told = match t.text(n + 3) {
            "off" => Told::Off,
            "info" | "warning" => Told::Warning,
            "error" => Told::Error,
            // naga says what is wrong with it.
            _ => continue,
        };
        blank(changes, t.list[n].at, t.list[close].end);
        if t.text(n + 4) == "," && t.text(n + 5) == "derivative_uniformity" && t.text(n + 6) != "." {
            regions.push((Span::new(t.list[first].at as u32, t.list[end].end as u32), told));
        }
    }
}

/// The token behind attributes.
fn behind_attributes(t: &Tokens, mut n: usize) -> usize {
    while t.text(n) == "@" && t.is_word(n + 1) {
        n = if t.text(n + 2) == "(" { t.list[n + 2].pair + 1 } else { n + 2 };
    }
    n
}

/// The last token of the block or statement that begins there.
fn end_of(t: &Tokens, first: usize) -> Option<usize> {
    let body = |from: usize| {
        let mut n = from;
        while n < t.list.len() && t.text(n) != "{" {
            if matches!(t.text(n), ";" | "}") {
                return None;
            }
            n = if matches!(t.text(n), "(" | "[") { t.list[n].pair + 1 } else { n + 1 };
        }
        t.list.get(n).map(|b| b.pair)
    };
    match t.text(first) {
        "{" => Some(t.list[first].pair),
        "for" | "while" | "switch" | "loop" => body(first + 1),
        "if" => {
            let mut end = body(first + 1)?;
            while t.text(end + 1) == "else" {
                end = body(end + 2)?;
            }
            Some(end)
        }
        _ => None,
    }
}
