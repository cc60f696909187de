//! A name that the body of a loop declares and its `continuing` block declares again: for naga both are one scope.
//!
//! The second one gets a name of its own.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Changes;
use super::tokens::Tokens;

/// Where names are declared, and how far each declaration reaches.
pub struct Scopes<'a> {
    /// Declarations by name: the token of the name, and the tokens in which it is known.
    list: BTreeMap<&'a str, Vec<(usize, Range<usize>)>>,
}

impl<'a> Scopes<'a> {
    /// Those of a source.
    pub fn new(t: &'a Tokens) -> Scopes<'a> {
        let mut list: BTreeMap<&str, Vec<(usize, Range<usize>)>> = BTreeMap::new();
        let blocks = blocks(t);
        for (n, &around) in blocks.iter().enumerate().skip(1) {
            if !t.is_word(n) {
                continue;
            }
            let word = match t.text(n - 1) {
                // The template list of a variable.
                ">" => {
                    let open = (0..n).rev().find(|&k| t.text(k) == "<").unwrap_or(0);
                    if open == 0 { "" } else { t.text(open - 1) }
                }
                text => text,
            };
            let depth = t.list[n].depth;
            let range = match word {
                "fn" | "struct" | "alias" | "override" => 0..t.list.len(),
                "const" | "let" | "var" if depth == 0 => 0..t.list.len(),
                "const" | "let" | "var" => {
                    let close = header_of(t, n).or_else(|| t.list.get(around).map(|open| open.pair));
                    statement_end(t, n)..close.unwrap_or(t.list.len())
                }
                // A parameter: the body is the next block.
                "(" | "," | ")" if depth == 0 && t.text(n + 1) == ":" => {
                    let Some(open) = (n..t.list.len()).find(|&k| t.text(k) == "{") else { continue };
                    open..t.list[open].pair
                }
                _ => continue,
            };
            list.entry(t.text(n)).or_default().push((n, range));
        }
        Scopes { list }
    }

    /// The token that declares the name at a token; `None` if it is the language's.
    pub fn find(&self, t: &Tokens, n: usize) -> Option<usize> {
        let all = self.list.get(t.text(n))?;
        let known = all.iter().filter(|(at, range)| range.contains(&n) || *at == n);
        known.max_by_key(|(at, range)| (range.start, *at)).map(|d| d.0)
    }
}

/// The curly bracket that opens the block around each token.
fn blocks(t: &Tokens) -> Vec<usize> {
    let mut open = vec![usize::MAX];
    let mut list = Vec::with_capacity(t.list.len());
    for n in 0..t.list.len() {
        if t.text(n) == "}" {
            open.pop();
        }
        list.push(open.last().copied().unwrap_or(usize::MAX));
        if t.text(n) == "{" {
            open.push(n);
        }
    }
    list
}

/// The semicolon behind a declaration.
fn statement_end(t: &Tokens, mut n: usize) -> usize {
    while !matches!(t.text(n), ";" | "" | "}") {
        n = if matches!(t.text(n), "(" | "[" | "{") { t.list[n].pair + 1 } else { n + 1 };
    }
    n
}

/// The end of the body of the `for` whose header a declaration begins.
fn header_of(t: &Tokens, n: usize) -> Option<usize> {
    let open = (n.saturating_sub(24)..n).rev().find(|&k| matches!(t.text(k), "(" | ";" | "{" | "}"))?;
    if t.text(open) != "(" || t.text(open.checked_sub(1)?) != "for" {
        return None;
    }
    let body = t.list[open].pair + 1;
    (t.text(body) == "{").then(|| t.list[body].pair)
}

/// Finds names that a `continuing` block declares again, and renames them.
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
            // Its own initialiser still names the outer one.
            let known = statement_end(t, k);
            let named = |m: &usize| t.text(*m) == name && !matches!(t.text(m - 1), "." | "@");
            for m in (k..close).filter(|&m| m == k || m > known).filter(named) {
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
