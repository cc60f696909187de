//! Several components of a vector on the left side of an assignment.
//!
//! ```text
//! v.zx = e;    =>    { var s = v.zx; s = e; v.z = s.x; v.x = s.y; }
//! v.zx += e;   =>    { var s = v.zx; s += e; v.z = s.x; v.x = s.y; }
//! ```
//!
//! A left side with a call in it is evaluated once, by a pointer. Of swizzles of swizzles the components are those of the vector, and one
//! component of a swizzle is one of the vector:
//!
//! ```text
//! v.yz.yx = e;     =>    as v.zy = e;
//! v.yz.y += e;     =>    v.z += e;
//! v.zyx[i] = e;    =>    v[array(2, 1, 0)[i]] = e;
//! ```
//!
//! The head of a `for` cannot hold a block; such a `for` becomes a `loop`:
//!
//! ```text
//! for (a; b; v.zx = e) { c }    =>    { a; loop { if !(b) { break; } { c } continuing { update } } }
//! ```

use super::Changes;
use super::tokens::Tokens;
use crate::edits::Edits;
use gpucc_ir::Span;

/// The names of the components while they are computed.
const VALUE: &str = "gpucc_swizzle";
const PLACE: &str = "gpucc_vector";

/// Finds them, when the other changes are known. What is put in is told as the left side.
pub fn find(t: &Tokens, changes: &mut Changes) -> Vec<(usize, Span)> {
    let mut told = Vec::new();
    let members = members(t);
    for n in 1..t.list.len() {
        if let Some(found) = element(t, n, &members) {
            changes.push(found);
        } else if let Some(found) = assignment(t, n, &members) {
            let left = Span::new(found[0].0 as u32, t.list[n].end as u32);
            told.extend(found.iter().map(|change| (change.0, left)));
            changes.extend(found);
        }
    }
    // Inner ones come first: what is moved out of a head has no loops in it.
    for n in (0..t.list.len()).filter(|&n| t.is_word(n) && t.text(n) == "for" && t.text(n + 1) == "(") {
        let head = t.list[n].at..t.list[t.list[n + 1].pair].end;
        if told.iter().any(|(at, _)| head.contains(at)) {
            told.extend(head_becomes_loop(t, n, changes));
        }
    }
    told
}

/// A `for` whose head has such an assignment. `None` leaves a wrong one to naga.
fn head_becomes_loop(t: &Tokens, n: usize, changes: &mut Changes) -> Option<(usize, Span)> {
    let close = t.list[n + 1].pair;
    let first = separator(t, n + 2, close)?;
    let second = separator(t, first + 1, close)?;
    let body = (close + 1..t.list.len()).find(|&k| t.text(k) == "{")?;
    let (from, to) = (t.list[second].end, t.list[close].at);
    let (mut moved, kept): (Changes, Changes) =
        std::mem::take(changes).into_iter().partition(|c| c.0 >= from && c.0 + c.1 <= to);
    *changes = kept;
    moved.iter_mut().for_each(|c| c.0 -= from);
    let (update, _) = Edits::apply(&t.code[from..to], super::apart(moved));
    let end = if update.trim_end().is_empty() || update.trim_end().ends_with('}') { "" } else { ";" };
    let has_condition = second > first + 1;
    let (open, test) = if has_condition { (" loop { if !(", ") { break; }") } else { (" loop {", "") };
    let behind = t.list[t.list[body].pair].end;
    changes.push((t.list[n].at, t.list[n + 1].end - t.list[n].at, "{ ".into()));
    changes.push((t.list[first].end, 0, open.into()));
    changes.push((t.list[second].at, t.list[close].end - t.list[second].at, test.into()));
    changes.push((behind, 0, format!(" continuing {{ {update}{end} }} }} }}")));
    Some((behind, Span::new(from as u32, to as u32)))
}

/// The semicolon before `close` that is not inside of brackets.
fn separator(t: &Tokens, from: usize, close: usize) -> Option<usize> {
    let mut k = from;
    while k < close {
        match t.text(k) {
            ";" => return Some(k),
            "(" | "[" | "{" => k = t.list[k].pair + 1,
            _ => k += 1,
        }
    }
    None
}

/// The names of members of structures that are spelled like swizzles.
fn members(t: &Tokens) -> Vec<&str> {
    let is_member = |n: &usize| {
        let first = n.checked_sub(1).is_some_and(|k| matches!(t.text(k), "{" | "," | ")"));
        first && t.text(n + 1) == ":" && t.list[*n].depth == 1 && letters(t.text(*n)).is_some()
    };
    (0..t.list.len()).filter(is_member).map(|n| t.text(n)).collect()
}

/// The components that a word names.
fn letters(word: &str) -> Option<Vec<usize>> {
    let all = |set: &str| word.chars().map(|c| set.find(c)).collect::<Option<Vec<_>>>();
    (1..=4).contains(&word.len()).then(|| all("xyzw").or_else(|| all("rgba"))).flatten()
}

/// The components of a chain of swizzles that ends with a word, and its first token, a dot.
fn chain(t: &Tokens, n: usize, members: &[&str]) -> Option<(Vec<usize>, usize)> {
    let swizzle = |n: usize| {
        let own = n > 0 && t.text(n - 1) == "." && t.is_word(n) && !members.contains(&t.text(n));
        letters(t.text(n)).filter(|_| own)
    };
    let (mut list, mut first) = (swizzle(n)?, n - 1);
    while let Some(outer) = first.checked_sub(1).and_then(swizzle).filter(|o| o.len() > 1) {
        list = list.into_iter().map(|k| outer.get(k).copied()).collect::<Option<_>>()?;
        first -= 2;
    }
    Some((list, first))
}

/// The change of a left side that is one component of a swizzle.
fn element(t: &Tokens, n: usize, members: &[&str]) -> Option<(usize, usize, String)> {
    let steps = matches!(t.text(n + 1), "+" | "-") && t.text(n + 1) == t.text(n + 2) && t.touch(n + 1);
    let ends = matches!(t.text(n + 3), ";" | ")");
    if t.list[n].depth == 0 || !(steps && ends || operator(t, n + 1).is_some()) {
        return None;
    }
    if t.text(n) == "]" {
        let open = t.list[n].pair;
        let (list, first) = chain(t, open.checked_sub(1)?, members)?;
        begin(t, first)?;
        let (from, to) = (t.list[first].at, t.list[n].end);
        let list = list.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let index = &t.code[t.list[open].at..to];
        return (list.len() > 1).then(|| (from, to - from, format!("[array({list}){index}]")));
    }
    let (list, first) = chain(t, n, members)?;
    begin(t, first)?;
    let (from, to) = (t.list[first].at, t.list[n].end);
    let whole = first + 1 == n;
    let &[one] = list.as_slice() else { return None };
    (!whole).then(|| (from, to - from, format!(".{}", ["x", "y", "z", "w"][one])))
}

/// The changes of the assignment whose left side ends with this word.
fn assignment(t: &Tokens, n: usize, members: &[&str]) -> Option<[(usize, usize, String); 2]> {
    let (list, dot) = chain(t, n, members)?;
    let unlike = list.iter().enumerate().all(|(k, c)| !list[..k].contains(c));
    if list.len() < 2 || !unlike || t.list[n].depth == 0 {
        return None;
    }
    let word: String = list.iter().map(|&k| ["x", "y", "z", "w"][k]).collect();
    let signs = operator(t, n + 1)?;
    let value = n + 1 + signs;
    let first = begin(t, n)?;
    let end = end(t, value)?;
    let source = |from: usize, to: usize| &t.code[t.list[from].at..t.list[to].end];
    let base = source(first, dot - 1);
    let operator = source(n + 1, value - 1);
    let (place, mut before) = match base.contains('(') {
        true => (format!("(*{PLACE})"), format!("{{ let {PLACE} = &({base}); ")),
        false => (base.to_string(), "{ ".to_string()),
    };
    before += &format!("var {VALUE} = {place}.{word}; {VALUE} {operator} ");
    let mut after = String::from(";");
    for (c, from) in word.chars().zip(['x', 'y', 'z', 'w']) {
        after += &format!(" {place}.{c} = {VALUE}.{from};");
    }
    after.push_str(" }");
    let (start, last) = (t.list[first].at, t.list[end].at);
    Some([(start, t.list[value].at - start, before), (last, usize::from(t.text(end) == ";"), after)])
}

/// The number of signs of an assignment operator there.
fn operator(t: &Tokens, n: usize) -> Option<usize> {
    let signs = (0..3).take_while(|&k| k == 0 || t.touch(n + k - 1)).map(|k| t.text(n + k)).collect::<String>();
    let length = match signs.as_bytes() {
        [b'<' | b'>', second, b'='] if *second == signs.as_bytes()[0] => 3,
        [b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', ..] => 2,
        [b'=', b'=', ..] => return None,
        [b'=', ..] => 1,
        _ => return None,
    };
    Some(length)
}

/// Whether a bracket opens the head of a `for`.
fn opens_head(t: &Tokens, n: usize) -> bool {
    n > 0 && t.text(n) == "(" && t.text(n - 1) == "for"
}

/// The first token of the statement that a token is in; `None` inside of round brackets other than those of `for`.
fn begin(t: &Tokens, n: usize) -> Option<usize> {
    let mut k = n;
    loop {
        let before = k.checked_sub(1)?;
        match t.text(before) {
            ";" | "{" | "}" | ":" => return Some(k),
            "(" if opens_head(t, before) => return Some(k),
            "(" | "[" => return None,
            ")" | "]" => k = t.list[before].pair,
            _ => k = before,
        }
    }
}

/// The semicolon at the end of a statement, or the bracket that closes the head of a `for`.
fn end(t: &Tokens, n: usize) -> Option<usize> {
    let mut k = n;
    loop {
        match t.text(k) {
            ";" => return Some(k),
            ")" if opens_head(t, t.list[k].pair) => return Some(k),
            "" | ")" | "]" | "}" => return None,
            "(" | "[" | "{" => k = t.list[k].pair + 1,
            _ => k += 1,
        }
    }
}
