//! `@align` of members, where naga forgets it.
//!
//! naga places a member that has `@align(N)` right, but a struct that holds such a member does not become as aligned itself. Where
//! it stands inside another struct or an array it lies elsewhere than WGSL says then, unless its place is a multiple of N by
//! itself. Such a module is read again with the alignment and the size written out:
//!
//! ```text
//! struct A { a: f32, @align(16) b: f32, c: f32 }      =>    struct A { a: f32, @align(16) b: f32, @size(12) c: f32 }
//! struct B { n: u32, a: A }                           =>    struct B { n: u32, @align(16) a: A }
//! ```
//!
//! Refused is what is left: an alignment or size in the source that is neither a number nor the name of a constant.

use crate::report;
use crate::right::Changes;
use crate::right::tokens::Tokens;
use gpucc_ir::{Diagnostic, Refusal, Span};
use naga::proc::Layouter;
use naga::{ArraySize, Handle, Module, Type, TypeInner};
use std::collections::BTreeMap;

/// The alignment that attributes give the structs of a source, by name, with the place of the attribute that says it.
type AlignAttributes<'a> = BTreeMap<&'a str, (u32, Span)>;

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
fn given(source: &str) -> AlignAttributes<'_> {
    let tokens = tokens(source);
    let mut out = AlignAttributes::new();
    let mut current: Option<&str> = None;
    for (k, &(at, token)) in tokens.iter().enumerate() {
        match token {
            "struct" => current = tokens.get(k + 1).map(|t| t.1),
            "}" => current = None,
            "align" if k > 0 && tokens[k - 1].1 == "@" => {
                let Some(name) = current else { continue };
                let n = tokens.get(k + 2).map_or("", |t| t.1);
                let closed = tokens.get(k + 3).is_some_and(|t| matches!(t.1, ")" | ","));
                let n = value(source, n).filter(|_| closed).unwrap_or(1 << 31);
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

/// A member in the source.
struct Member {
    /// The first byte of its name.
    at: usize,
    /// The numbers of its attributes, with their places.
    align: Option<(u32, usize, usize)>,
    size: Option<(u32, usize, usize)>,
}

/// The members of each struct of a source by its name. `None` if an attribute is no number.
fn structs(t: &Tokens) -> Option<BTreeMap<String, Vec<Member>>> {
    let mut out = BTreeMap::new();
    for n in (0..t.list.len()).filter(|&n| t.text(n) == "struct" && t.text(n + 2) == "{") {
        let close = t.list[n + 2].pair;
        let (mut members, mut k) = (Vec::new(), n + 3);
        while k < close {
            let mut member = Member { at: 0, align: None, size: None };
            while t.text(k) == "@" {
                let has_value = t.text(k + 2) == "(";
                if let (true, name @ ("align" | "size")) = (has_value, t.text(k + 1)) {
                    let token = t.list.get(k + 3)?;
                    let rest = if t.text(k + 4) == "," { k + 5 } else { k + 4 };
                    let value =
                        (value(&t.code, t.text(k + 3)).filter(|_| rest == t.list[k + 2].pair)?, token.at, token.end);
                    match name {
                        "align" => member.align = Some(value),
                        _ => member.size = Some(value),
                    }
                }
                k = if has_value { t.list[k + 2].pair + 1 } else { k + 2 };
            }
            member.at = t.list.get(k)?.at;
            members.push(member);
            // To the comma behind the type; those of its parameters are in brackets that the tokens do not pair.
            let mut angles = 0;
            while k < close && !(angles == 0 && t.text(k) == ",") {
                angles += i32::from(t.text(k) == "<") - i32::from(t.text(k) == ">");
                k = if matches!(t.text(k), "(" | "[") { t.list[k].pair + 1 } else { k + 1 };
            }
            k += 1;
        }
        out.insert(t.text(n + 1).to_string(), members);
    }
    Some(out)
}

/// The attributes that give each struct the place and size that WGSL says. `None` where that is not known from the source.
pub fn padding(module: &Module, source: &str) -> Option<Changes> {
    let structs = structs(&Tokens::new(source)?)?;
    let mut naga = Layouter::default();
    naga.update(module.to_ctx()).ok()?;
    let mut changes = Changes::new();
    // Alignment and size by WGSL's rules. Types come after those that they are made of.
    let mut layouts: BTreeMap<Handle<Type>, (u32, u32)> = BTreeMap::new();
    let natural = |h: Handle<Type>| naga[h].alignment.round_up(1);
    for (handle, ty) in module.types.iter() {
        let layout = match &ty.inner {
            TypeInner::Array { base, size, .. } => {
                let (align, element) = layouts[base];
                let stride = element.checked_next_multiple_of(align)?;
                match size {
                    ArraySize::Constant(n) => (align, stride.checked_mul(n.get())?),
                    _ => (align, stride),
                }
            }
            TypeInner::Struct { members, .. } => {
                let given = ty.name.as_ref().and_then(|n| structs.get(n)).filter(|g| g.len() == members.len());
                let (mut end, mut align, mut last) = (0u32, natural(handle), 0);
                for (k, m) in members.iter().enumerate() {
                    let (own, size) = layouts[&m.ty];
                    let member = given.map(|g| &g[k]);
                    let asked = member.and_then(|m| m.align).map_or(1, |a| a.0);
                    last = end.checked_next_multiple_of(own.max(asked))?;
                    end = last.checked_add(member.and_then(|m| m.size).map_or(size, |s| s.0))?;
                    align = align.max(own).max(asked);
                    if own > natural(m.ty) && asked < own {
                        let member = member?;
                        match member.align {
                            Some((_, from, to)) => changes.push((from, to - from, own.to_string())),
                            None => changes.push((member.at, 0, format!("@align({own}) "))),
                        }
                    }
                }
                let size = end.checked_next_multiple_of(align)?;
                let runtime = members.last().is_some_and(|m| {
                    matches!(module.types[m.ty].inner, TypeInner::Array { size: ArraySize::Dynamic, .. })
                });
                if align > natural(handle) && size > end && !runtime {
                    let member = given?.last()?;
                    match member.size {
                        Some((_, from, to)) => changes.push((from, to - from, (size - last).to_string())),
                        None => changes.push((member.at, 0, format!("@size({}) ", size - last))),
                    }
                }
                (align, size)
            }
            _ => (natural(handle), naga[handle].size),
        };
        layouts.insert(handle, layout);
    }
    (!changes.is_empty()).then_some(changes)
}

/// The value of a number or of the name of a constant that is one.
fn value(source: &str, text: &str) -> Option<u32> {
    let named = || {
        let is_word = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let tokens = if is_word { tokens(source) } else { Vec::new() };
        let at = tokens.windows(2).position(|w| w[0].1 == "const" && w[1].1 == text)?;
        let value = tokens[at..].iter().position(|t| t.1 == "=")? + at + 1;
        let end = tokens.get(value + 1).is_some_and(|t| t.1 == ";");
        tokens.get(value).filter(|_| end).and_then(|t| number(t.1))
    };
    number(text).or_else(named)
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
