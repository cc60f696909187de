//! A `continue` that passes by a declaration whose name the loop's `continuing` block uses.

use super::wrong;
use crate::right::scopes::Scopes;
use crate::right::tokens::Tokens;
use gpucc_ir::Diagnostic;

/// The first of them.
pub fn check(t: &Tokens) -> Option<Diagnostic> {
    let mut scopes = None;
    let blocks: Vec<usize> = (0..t.list.len()).filter(|&n| t.sign(n + 1) == b'{' && t.is(n, "continuing")).collect();
    for n in blocks {
        let depth = t.list[n].depth;
        let Some(body) = (0..n).rev().find(|&k| t.text(k) == "{" && t.list[k].depth + 1 == depth) else { continue };
        let Some(jump) = (body + 1..n).find(|&k| t.text(k) == "continue" && belongs(t, body, k)) else { continue };
        let close = t.list[n + 1].pair;
        let declares =
            |k: &usize| t.list[*k].depth == depth && matches!(t.text(k - 1), "let" | "var" | ">") && declaration(t, *k);
        let later: Vec<usize> = (jump + 1..n).filter(declares).collect();
        if later.is_empty() {
            continue;
        }
        let scopes = scopes.get_or_insert_with(|| Scopes::new(t));
        let uses =
            |m: &usize| t.is_word(*m) && t.text(m - 1) != "." && scopes.find(t, *m).is_some_and(|d| later.contains(&d));
        if let Some(m) = (n + 2..close).find(uses) {
            let name = t.text(m);
            let message = format!("this `continue` passes by the declaration of `{name}`, which `continuing` uses");
            return Some(wrong(t, jump, jump, message));
        }
    }
    None
}

/// Whether a token is the name that a declaration gives.
fn declaration(t: &Tokens, n: usize) -> bool {
    if t.text(n - 1) != ">" {
        return true;
    }
    let open = (0..n).rev().find(|&k| matches!(t.text(k), "<" | ";" | "{" | "}")).unwrap_or(0);
    open > 0 && t.text(open) == "<" && t.text(open - 1) == "var"
}

/// Whether a `continue` is of the loop with this body, and of none inside of it.
fn belongs(t: &Tokens, body: usize, jump: usize) -> bool {
    let mut around = (body + 1..jump).filter(|&k| t.text(k) == "{" && t.list[k].pair > jump);
    !around.any(|open| is_loop(t, open))
}

/// Whether a block is the body of a loop.
fn is_loop(t: &Tokens, open: usize) -> bool {
    let mut k = open;
    while let Some(before) = k.checked_sub(1) {
        match t.text(before) {
            "loop" | "while" | "for" => return true,
            ";" | "{" | "}" | "else" | "if" | "switch" | ":" | "case" => return false,
            ")" | "]" => k = t.list[before].pair,
            _ => k = before,
        }
    }
    false
}
