//! Several components of a vector on the left side of an assignment.
//!
//! ```text
//! v.zx = e;    =>    { var s = v.zx; s = e; v.z = s.x; v.x = s.y; }
//! v.zx += e;   =>    { var s = v.zx; s += e; v.z = s.x; v.x = s.y; }
//! ```
//!
//! A left side with a call in it is evaluated once, by a pointer.

use super::Changes;
use super::tokens::Tokens;
use gpucc_ir::Span;

/// The names of the components while they are computed.
const VALUE: &str = "gpucc_swizzle";
const PLACE: &str = "gpucc_vector";

/// Finds them. What is put in is told as the left side.
pub fn find(t: &Tokens, changes: &mut Changes) -> Vec<(usize, Span)> {
    let mut told = Vec::new();
    for n in 1..t.list.len() {
        if let Some(found) = assignment(t, n) {
            let left = Span::new(found[0].0 as u32, t.list[n].end as u32);
            told.extend(found.iter().map(|change| (change.0, left)));
            changes.extend(found);
        }
    }
    told
}

/// The changes of the assignment whose left side ends with this word.
fn assignment(t: &Tokens, n: usize) -> Option<[(usize, usize, String); 2]> {
    let word = t.text(n);
    let set = |letters: &str| word.chars().all(|c| letters.contains(c));
    let unlike = word.char_indices().all(|(k, c)| !word[..k].contains(c));
    let is_swizzle = (2..=4).contains(&word.len()) && (set("xyzw") || set("rgba")) && unlike;
    if !is_swizzle || t.text(n - 1) != "." || t.list[n].depth == 0 {
        return None;
    }
    let signs = operator(t, n + 1)?;
    let value = n + 1 + signs;
    let first = begin(t, n)?;
    let end = end(t, value)?;
    let source = |from: usize, to: usize| &t.code[t.list[from].at..t.list[to].end];
    let base = source(first, n - 2);
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
    let (start, semicolon) = (t.list[first].at, t.list[end].at);
    Some([(start, t.list[value].at - start, before), (semicolon, 1, after)])
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

/// The first token of the statement that a token is in; `None` inside of round brackets, such as those of `for`.
fn begin(t: &Tokens, n: usize) -> Option<usize> {
    let mut k = n;
    loop {
        let before = k.checked_sub(1)?;
        match t.text(before) {
            ";" | "{" | "}" | ":" => return Some(k),
            "(" | "[" => return None,
            ")" | "]" => k = t.list[before].pair,
            _ => k = before,
        }
    }
}

/// The semicolon at the end of a statement.
fn end(t: &Tokens, n: usize) -> Option<usize> {
    let mut k = n;
    loop {
        match t.text(k) {
            ";" => return Some(k),
            "" | ")" | "]" | "}" => return None,
            "(" | "[" | "{" => k = t.list[k].pair + 1,
            _ => k += 1,
        }
    }
}
