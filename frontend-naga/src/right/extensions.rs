//! Names behind `enable` and `requires`.
//!
//! A name that this version supports and naga does not know is replaced by blanks. A name of the language that this version does not support
//! is refused. An unknown name stays an error.

use super::tokens::Tokens;
use super::{Changes, blank};
use crate::report;
use gpucc_ir::{Diagnostic, Refusal, Span};

/// Language extensions that naga does not know, all of whose forms are read.
const READ: [&str; 8] = [
    "subgroup_id",
    "fragment_depth",
    "unrestricted_pointer_parameters",
    "uniform_buffer_standard_layout",
    "swizzle_assignment",
    "immediate_address_space",
    "linear_indexing",
    "subgroup_uniformity",
];

/// Extensions of other implementations that this version does not have, besides those whose names begin with `chromium_`.
const REFUSED: [&str; 7] = [
    "texel_buffers",
    "subgroup_size_control",
    "texture_and_sampler_let",
    "filtered_integer_textures",
    "sized_binding_array",
    "buffer_view",
    "atomic_vec2u_min_max",
];

/// Finds them.
///
/// # Errors
/// An extension that this version does not have.
pub fn find(t: &Tokens, changes: &mut Changes) -> Result<(), Diagnostic> {
    let mut n = 0;
    while n < t.list.len() {
        let directive = matches!(t.text(n), "enable" | "requires") && t.list[n].depth == 0 && t.is_word(n + 1);
        let starts = n == 0 || t.text(n - 1) == ";";
        if !(directive && starts) {
            n += 1;
            continue;
        }
        let Some(end) = (n..t.list.len()).find(|&k| t.text(k) == ";") else { break };
        let names: Vec<usize> = (n + 1..end).filter(|&k| t.is_word(k)).collect();
        for &k in &names {
            let name = t.text(k);
            let (is_enable, span) = (t.text(n) == "enable", Span::new(t.list[k].at as u32, t.list[k].end as u32));
            if name.starts_with("chromium_") || REFUSED.contains(&name) {
                let what = format!("the WGSL extension `{name}`");
                return Err(report::unsupported(Refusal::Extensions, &what, span));
            }
            if !(if is_enable { name == "subgroups" } else { READ.contains(&name) }) {
                continue;
            }
            // With its comma, or with the directive if it is alone.
            let (from, to) = match (names.len(), k == end - 1) {
                (1, _) => (n, end),
                (_, true) => (k - 1, k),
                (_, false) => (k, k + 1),
            };
            blank(changes, t.list[from].at, t.list[to].end);
        }
        n = end + 1;
    }
    depths(t, changes);
    types(t)
}

/// Blanks the side of the triangle's depth on which the one that a fragment gives lies: a promise that tests before the fragment may use, and none here does.
fn depths(t: &Tokens, changes: &mut Changes) {
    for n in 0..t.list.len() {
        let is_depth = t.text(n) == "builtin" && t.text(n + 1) == "(" && t.text(n + 2) == "frag_depth";
        let known = matches!(t.text(n + 4), "any" | "greater" | "less") && matches!(t.text(n + 5), ")" | ",");
        if is_depth && t.text(n + 3) == "," && known {
            blank(changes, t.list[n + 3].at, t.list[n + 4].end);
        }
    }
}

/// Types of such extensions.
const TYPES: [&str; 3] = ["buffer", "bufferView", "texel_buffer"];

/// Refuses a type of an extension that this version does not have, where the source gives its name no other meaning.
fn types(t: &Tokens) -> Result<(), Diagnostic> {
    let is_type = |n: &usize| {
        let place = matches!(t.text(n - 1), ":" | "<" | ",") || t.text(n + 1) == "<";
        t.is_word(*n) && TYPES.contains(&t.text(*n)) && place
    };
    let mut found = (1..t.list.len()).filter(is_type).peekable();
    if found.peek().is_none() {
        return Ok(());
    }
    let scopes = super::scopes::Scopes::new(t);
    match found.find(|&n| scopes.find(t, n).is_none()) {
        Some(n) => {
            let span = Span::new(t.list[n].at as u32, t.list[n].end as u32);
            Err(report::unsupported(
                Refusal::Extensions,
                &format!("the type `{}` of a WGSL extension", t.text(n)),
                span,
            ))
        }
        None => Ok(()),
    }
}
