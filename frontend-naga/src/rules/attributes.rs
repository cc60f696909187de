//! Attributes that stand where they mean nothing: `@workgroup_size` of a function that is no compute entry point, `@id` of a constant, and
//! sizes of a workgroup of several types.

use super::{attributes, wrong};
use crate::right::tokens::Tokens;
use gpucc_ir::Diagnostic;

/// The first of them.
pub fn check(t: &Tokens) -> Option<Diagnostic> {
    let mut n = 0;
    while n < t.list.len() {
        if t.sign(n) != b'@' || t.list[n].depth > 0 {
            n += 1;
            continue;
        }
        let (declared, names) = attributes(t, n);
        let has = |name: &str| names.iter().copied().find(|&k| t.text(k) == name);
        let found = match t.text(declared) {
            "const" => has("id").map(|k| wrong(t, k - 1, k, "`@id` belongs to an `override`, and this is a constant")),
            "fn" => has("workgroup_size").and_then(|k| match has("compute").or(has("task")).or(has("mesh")) {
                None => Some(wrong(
                    t,
                    k - 1,
                    k,
                    "`@workgroup_size` belongs to a compute entry point, and this function is none",
                )),
                Some(_) => sizes(t, k + 1),
            }),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        n = declared.max(n + 1);
    }
    None
}

/// Sizes of which one has the type `i32` and another one `u32`.
fn sizes(t: &Tokens, open: usize) -> Option<Diagnostic> {
    let inside = open + 1..t.list.get(open)?.pair;
    let typed = |end: char| inside.clone().find(|&k| is_number(t.text(k)) && t.text(k).ends_with(end));
    let (i, u) = (typed('i')?, typed('u')?);
    Some(wrong(t, i.min(u), i.max(u), "the sizes of a workgroup have one type, `i32` or `u32`"))
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}
