//! `@align` of members, where naga forgets it.
//!
//! naga places a member that has `@align(N)` right, but a struct that holds such a member does not become as aligned itself. Where
//! it stands inside another struct or an array it lies elsewhere than WGSL says then, unless its place is a multiple of N by
//! itself. Such modules are refused: the offsets cannot be put right once naga has checked them.

use crate::report;
use gpucc_ir::{Diagnostic, Refusal, Span};
use naga::{Handle, Module, Type, TypeInner};
use std::collections::BTreeMap;

/// The alignment that attributes give the structs of a source, by name, with the place of the attribute that says it.
type Given<'a> = BTreeMap<&'a str, (u32, Span)>;

/// Refuses a module in which a struct lies elsewhere than its members' `@align` says.
pub fn check(module: &Module, source: &str) -> Result<(), Vec<Diagnostic>> {
    if !source.contains("align") {
        return Ok(());
    }
    let given = given(source);
    if given.is_empty() {
        return Ok(());
    }
    // Types come after those that they are made of.
    let mut aligned: BTreeMap<Handle<Type>, (u32, Span)> = BTreeMap::new();
    for (handle, ty) in module.types.iter() {
        let mut own = ty.name.as_deref().and_then(|n| given.get(n)).copied();
        let wrong = |(_, at): (u32, Span)| {
            let what = "`@align` of a member of a struct inside of another struct or of an array";
            vec![report::unsupported(Refusal::MemberAlignment, what, at)]
        };
        let mut hold = |inner: Handle<Type>, places: &[u32]| {
            let Some(&(align, at)) = aligned.get(&inner) else { return Ok(()) };
            if own.is_none_or(|o| o.0 < align) {
                own = Some((align, at));
            }
            match places.iter().all(|p| p.is_multiple_of(align)) {
                true => Ok(()),
                false => Err(wrong((align, at))),
            }
        };
        match &ty.inner {
            TypeInner::Struct { members, span } => {
                for m in members {
                    hold(m.ty, &[m.offset, *span])?;
                }
            }
            TypeInner::Array { base, stride, .. } => hold(*base, &[*stride])?,
            _ => {}
        }
        if let Some(own) = own {
            aligned.insert(handle, own);
        }
    }
    Ok(())
}

/// Reads `struct NAME { ... @align(N) ... }`. An N that is not written as a number counts as larger than any.
fn given(source: &str) -> Given<'_> {
    let tokens = tokens(source);
    let mut out = Given::new();
    let mut current: Option<&str> = None;
    for (k, &(at, token)) in tokens.iter().enumerate() {
        match token {
            "struct" => current = tokens.get(k + 1).map(|t| t.1),
            "}" => current = None,
            "align" if k > 0 && tokens[k - 1].1 == "@" => {
                let Some(name) = current else { continue };
                let n = tokens.get(k + 2).map_or("", |t| t.1);
                let closed = tokens.get(k + 3).is_some_and(|t| matches!(t.1, ")" | ","));
                let n = number(n).filter(|_| closed).unwrap_or(1 << 31);
                let entry = out.entry(name).or_insert((n, Span::new(at as u32, (at + token.len()) as u32)));
                if entry.0 < n {
                    *entry = (n, Span::new(at as u32, (at + token.len()) as u32));
                }
            }
            _ => {}
        }
    }
    out
}

fn number(text: &str) -> Option<u32> {
    let text = text.trim_end_matches(['u', 'i']);
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(h) => u32::from_str_radix(h, 16).ok(),
        None => text.parse().ok(),
    }
    .filter(|n| *n > 0)
}

/// Words and single other characters with their places, without comments and blanks.
fn tokens(source: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += comment(rest);
        } else if part(c) {
            let size = rest.find(|c| !part(c)).unwrap_or(rest.len());
            out.push((at, &rest[..size]));
            at += size;
        } else {
            if !c.is_whitespace() {
                out.push((at, &rest[..c.len_utf8()]));
            }
            at += c.len_utf8();
        }
    }
    out
}

/// Bytes of the comment that a text begins with; comments nest.
fn comment(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0u32);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}
