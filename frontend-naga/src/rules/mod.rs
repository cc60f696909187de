//! Rules of WGSL that naga does not check. Each file says which.
//!
//! Rules of the text are looked at on the author's tokens, when naga takes the source; the others on naga's module.

mod attributes;
mod continues;
mod grammar;
mod lanes;
mod numbers;
mod stages;
mod types;

use crate::right::tokens::Tokens;
use gpucc_ir::{Diagnostic, Span};
use naga::Module;

/// The first breach of a rule of the text.
///
/// # Errors
/// That breach, with its place.
pub fn of_text(source: &str) -> Result<(), Vec<Diagnostic>> {
    let Some(tokens) = Tokens::new(source) else { return Ok(()) };
    let found = grammar::check(&tokens)
        .or_else(|| attributes::check(&tokens))
        .or_else(|| numbers::check(&tokens))
        .or_else(|| continues::check(&tokens));
    found.map_or(Ok(()), |d| Err(vec![d]))
}

/// The breach of a rule on lanes in a module that was read from a source, with its place in the text that naga read.
pub fn of_lanes(module: &Module, source: &str) -> Option<Diagnostic> {
    lanes::check(module, source)
}

/// The breaches of rules that need types and calls.
///
/// # Errors
/// The breaches, with their places in the text that naga read.
pub fn of_module(module: &Module, source: &str) -> Result<(), Vec<Diagnostic>> {
    let mut list = stages::check(module, source);
    list.extend(types::check(module, source));
    if list.is_empty() { Ok(()) } else { Err(list) }
}

/// A breach at tokens.
fn wrong(t: &Tokens, first: usize, last: usize, message: impl Into<String>) -> Diagnostic {
    let at = Span::new(t.list[first].at as u32, t.list[last].end as u32);
    Diagnostic::invalid("validation", message).at(at, "here")
}

/// The token behind attributes that begin at one, and each attribute: its name and the token behind its name.
fn attributes(t: &Tokens, mut n: usize) -> (usize, Vec<usize>) {
    let mut names = Vec::new();
    while t.text(n) == "@" && t.is_word(n + 1) {
        names.push(n + 1);
        n = if t.text(n + 2) == "(" { t.list[n + 2].pair + 1 } else { n + 2 };
    }
    (n, names)
}
