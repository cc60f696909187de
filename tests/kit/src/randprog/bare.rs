//! Programs without storage, for chips whose fragment programs have none: inputs lie in uniform buffers, and what an invocation writes in
//! private variables.

use super::sizes::{CELL, GROUPS, INPUTS, INVOCATIONS};

/// Declarations of the usual programs, and those in their place.
const DECLARED: [(&str, &str); 3] = [
    (
        "var<storage, read> source: Input;",
        "var<uniform> first: First;
fn word_at(i: u32) -> u32 { return first.words[(i >> 2u) & (QUARTERu - 1u)][i & 3u]; }
fn duo_at(i: u32) -> vec2<i32> {
    let both = first.duos[(i >> 1u) & 3u];
    return select(both.xy, both.zw, (i & 1u) == 1u);
}",
    ),
    // A constant index behind the end would be refused.
    (
        "@group(0) @binding(5) var<storage, read_write> zeros: array<u32>;",
        "var<private> zeros: array<u32, 7>;
fn many() -> u32 { return 7u; }",
    ),
    (
        "var<storage, read_write> cells: array<Cell>;",
        "var<uniform> cells: array<Cell, CELLS>;
var<private> cell: Cell;
struct First {
    quads: array<vec4<u32>, 8>, trios: array<vec3<i32>, 8>, floats: array<vec3<f32>, 4>, duos: array<vec4<i32>, 4>,
    words: array<vec4<u32>, QUARTER>
}
fn kept(k: u32) -> u32 {
    let q = vec4<u32>(cell.q[k & 1u]);
    return cell.a[k] ^ (q[k] << 3u) ^ (cell.t[k & 1u].y * 5u) ^ u32(cell.b.x) ^ cell.k ^ cell.c.y ^ word(cell.f.z)
        ^ (word(cell.g[k]) << 7u);
}",
    ),
];

/// Places that a program reads or writes, and those in their stead.
const PLACES: [(&str, &str); 5] = [
    ("source.quads", "first.quads"),
    ("source.trios", "first.trios"),
    ("source.floats", "first.floats"),
    ("cells[me]", "cell"),
    ("arrayLength(&zeros)", "many()"),
];

/// Elements of arrays that uniform buffers cannot hold, and functions that find them.
const FOUND: [(&str, &str); 2] = [("source.words[", "word_at("), ("source.duos[", "duo_at(")];

/// A text in which indices in brackets behind a name are arguments of a function.
fn called(text: &str, (name, function): (&str, &str)) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        out += &rest[..at];
        out += function;
        rest = &rest[at + name.len()..];
        let mut depth = 1;
        let end = rest.find(|c| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            depth == 0
        });
        let end = end.unwrap_or(rest.len());
        // Inside of an index there may be more of them.
        out += &called(&rest[..end], (name, function));
        out.push(')');
        rest = rest.get(end + 1..).unwrap_or("");
    }
    out + rest
}

/// A program with these declarations and places.
pub(super) fn without_storage(text: &str) -> String {
    let mut out = text.to_string();
    for (from, to) in PLACES {
        out = out.replace(from, to);
    }
    for of in FOUND {
        out = called(&out, of);
    }
    for (from, to) in DECLARED {
        let to = to.replace("CELLS", &(GROUPS * INVOCATIONS).to_string()).replace("QUARTER", &(INPUTS / 4).to_string());
        out = out.replacen(from, &to, 1);
    }
    debug_assert!(CELL == 36 && !out.contains("source."), "{out}");
    out
}
