//! The exponents that `frexp` of halves gives: of 16 bits in naga, of 32 in WGSL.
//!
//! ```text
//! frexp(x)   =>   gpucc_frexp_2(x)     for an `x` of the type vec2<f16>
//! ```
//!
//! The function gives a structure of the right types. What type `x` has is known to naga alone: it reads the text up to the statement of the
//! call, with a `let` of the argument in the place of the statement. Nothing here runs for a text that naga takes as it is.

use naga::proc::ResolveContext;
use naga::{Scalar, ScalarKind, TypeInner};

use crate::edits::Edits;
use crate::guard::{thread, wgsl};
use crate::right::tokens::Tokens;

/// The functions and their structures.
const NAME: &str = "gpucc_frexp";
const PROBE: &str = "gpucc_argument";

/// Most calls that are looked at: each is a text that naga reads.
const CALLS: usize = 64;

/// The text with calls of other functions, if it has calls of halves.
pub fn rewrite(source: &str) -> Option<(String, Edits)> {
    if !source.contains("frexp") || !source.contains("f16") {
        return None;
    }
    let t = Tokens::new(source)?;
    let call = |n: &usize| t.text(*n) == "frexp" && t.text(*n + 1) == "(" && t.list[*n].depth > 0;
    let mut calls: Vec<usize> = (0..t.list.len()).filter(call).take(CALLS).collect();
    // Of calls in arguments the inner ones first.
    calls.sort_by_key(|&n| t.list[n + 1].pair);
    let mut list: Vec<(usize, usize, String)> = Vec::new();
    let mut used = [false; 5];
    for n in calls {
        let Some(lanes) = lanes(&t, n, &list, used) else { continue };
        used[lanes] = true;
        list.push((t.list[n].at, t.list[n].end - t.list[n].at, format!("{NAME}_{lanes}")));
    }
    if list.is_empty() {
        return None;
    }
    list.push((source.len(), 0, functions(used)));
    Some(Edits::apply(source, list))
}

/// The functions of so many lanes.
fn functions(used: [bool; 5]) -> String {
    let mut out = String::from("\n");
    for lanes in (1..5).filter(|&n| used[n]) {
        let of = |scalar: &str| if lanes == 1 { scalar.to_string() } else { format!("vec{lanes}<{scalar}>") };
        let (half, word) = (of("f16"), of("i32"));
        out += &format!("struct {NAME}_result_{lanes} {{ fract: {half}, exp: {word} }}\n");
        out += &format!(
            "fn {NAME}_{lanes}(x: {half}) -> {NAME}_result_{lanes} {{ let r = frexp(x); return {NAME}_result_{lanes}(r.fract, {word}(r.exp)); }}\n"
        );
    }
    out
}

/// The lanes of the halves that a call has as its argument.
fn lanes(t: &Tokens, n: usize, done: &[(usize, usize, String)], used: [bool; 5]) -> Option<usize> {
    let open = n + 1;
    let close = t.list[open].pair;
    let (first, head) = statement(t, n)?;
    // Later parts of the function are left out, and bodies of other functions with such calls.
    let top = (0..first).rev().find(|&k| t.list[k].depth == 0 && t.text(k) == "{")?;
    let (at, end) = (t.list[first].at, t.list[t.list[top].pair].at);
    let changed = |from: usize, to: usize| {
        let inner = done.iter().filter(|c| c.0 >= from && c.0 < to).map(|c| (c.0 - from, c.1, c.2.clone()));
        Edits::apply(&t.code[from..to], inner.collect()).0
    };
    let argument = changed(t.list[open].end, t.list[close].at);
    let head = head.map_or_else(String::new, |(from, to)| changed(t.list[from].at, t.list[to].end));
    let braces = closed(t, top, first);
    let mut list: Vec<(usize, usize, String)> = done.iter().filter(|c| c.0 < at || c.0 >= end).cloned().collect();
    list.push((at, end - at, format!("{head} let {PROBE} = {argument}; {braces}")));
    let mut k = 0;
    while k < t.list.len() {
        let pair = t.list[k].pair;
        if t.text(k) == "{" && pair > k {
            let calls = (k..pair).any(|c| t.text(c) == "frexp" && !done.iter().any(|d| d.0 == t.list[c].at));
            if k != top && calls {
                let (from, to) = (t.list[k].end, t.list[pair].at);
                list.retain(|c| c.0 < from || c.0 >= to);
                list.push((from, to - from, String::new()));
            }
            k = pair;
        }
        k += 1;
    }
    list.push((t.code.len(), 0, functions(used)));
    half_lanes(&Edits::apply(&t.code, list).0)
}

/// The ends of the blocks around a token that lie in the body of a function; a `switch` needs its default.
fn closed(t: &Tokens, top: usize, first: usize) -> String {
    let around = (top + 1..first).rev().filter(|&k| t.text(k) == "{" && t.list[k].pair > first);
    let end = |k: usize| {
        let inner = |n: &usize| t.list[*n].depth == t.list[k].depth + 1;
        let is_switch = matches!(t.text(k + 1), "case" | "default");
        let has_default = (k + 1..first).filter(inner).any(|n| t.text(n) == "default");
        if is_switch && !has_default { "default { } }" } else { "}" }
    };
    around.map(end).collect()
}

/// The first token of the statement that a call is in, and what of the head of a `for` comes before the call.
fn statement(t: &Tokens, n: usize) -> Option<(usize, Option<(usize, usize)>)> {
    let mut k = n;
    let mut head = None;
    loop {
        let before = k.checked_sub(1)?;
        match t.text(before) {
            "{" | "}" => return Some((k, head)),
            ";" => {
                // The semicolons in the brackets of `for` end no statement.
                let around = (0..before).rev().find(|&o| t.text(o) == "(" && t.list[o].pair > before);
                match around.filter(|&o| o > 0 && t.text(o - 1) == "for" && t.list[o].depth == t.list[before].depth) {
                    Some(o) => {
                        let first = (o..t.list[o].pair).find(|&s| t.text(s) == ";")?;
                        head = Some((o + 1, first));
                        k = o - 1;
                    }
                    None => return Some((k, head)),
                }
            }
            ")" | "]" => k = t.list[before].pair,
            _ => k = before,
        }
    }
}

/// The lanes of the probe, if it is made of halves.
fn half_lanes(text: &str) -> Option<usize> {
    let stack = wgsl::check(text).ok()?.stack();
    let read = || naga::front::wgsl::parse_str(text).ok();
    let module = thread::with_stack(stack, read).ok().flatten()?;
    let functions = module.functions.iter().map(|(_, f)| f).chain(module.entry_points.iter().map(|e| &e.function));
    functions.into_iter().find_map(|f| {
        let (handle, _) = f.named_expressions.iter().find(|(_, name)| *name == PROBE)?;
        let mut types = naga::front::Typifier::new();
        let cx = ResolveContext::with_locals(&module, &f.local_variables, &f.arguments);
        types.grow(*handle, &f.expressions, &cx).ok()?;
        let half = Scalar { kind: ScalarKind::Float, width: 2 };
        match *types.get(*handle, &module.types) {
            TypeInner::Scalar(scalar) if scalar == half => Some(1),
            TypeInner::Vector { size, scalar } if scalar == half => Some(size as usize),
            _ => None,
        }
    })
}
