//! A name that the body of a loop declares and its `continuing` block declares again: for naga both are one scope.
//!
//! The second one gets a name of its own.

use super::Changes;
use super::tokens::Tokens;

/// Finds them.
pub fn find(t: &Tokens, changes: &mut Changes) {
    for n in 0..t.list.len() {
        if t.text(n) != "continuing" {
            continue;
        }
        let Some(open) = (n + 1..t.list.len()).find(|&k| t.text(k) == "{") else { continue };
        let close = t.list[open].pair;
        let depth = t.list[n].depth;
        let Some(body) = (0..n).rev().find(|&k| t.text(k) == "{" && t.list[k].depth + 1 == depth) else { continue };
        let outer: Vec<&str> = declared(t, body + 1, n, depth).map(|k| t.text(k)).collect();
        for k in declared(t, open + 1, close, depth + 1).filter(|&k| outer.contains(&t.text(k))) {
            let name = t.text(k);
            for m in (k..close).filter(|&m| t.text(m) == name && !matches!(t.text(m - 1), "." | "@")) {
                let token = t.list[m];
                changes.push((token.at, token.end - token.at, format!("{name}_continuing")));
            }
        }
    }
}

/// The names that statements between two tokens declare at a depth.
fn declared(t: &Tokens, from: usize, to: usize, depth: usize) -> impl Iterator<Item = usize> {
    (from..to).filter(move |&k| {
        k > 0 && t.is_word(k) && t.list[k].depth == depth && matches!(t.text(k - 1), "var" | "let" | "const")
    })
}
