//! Names behind `enable` and `requires`.
//!
//! A name that this version supports and naga does not know is replaced by blanks. A name of the language that this version does not support
//! is refused. An unknown name stays an error.

use super::tokens::Tokens;
use super::{Changes, blank};
use crate::report;
use gpucc_ir::{Diagnostic, Refusal, Span};

/// Language extensions that naga does not know, all of whose forms are read.
const READ: [&str; 6] = [
    "unrestricted_pointer_parameters",
    "uniform_buffer_standard_layout",
    "swizzle_assignment",
    "immediate_address_space",
    "linear_indexing",
    "subgroup_uniformity",
];

/// Extensions of other implementations that this version does not have, besides those whose names begin with `chromium_`.
const REFUSED: [&str; 8] = [
    "subgroup_id",
    "subgroup_size_control",
    "texture_and_sampler_let",
    "filtered_integer_textures",
    "sized_binding_array",
    "buffer_view",
    "atomic_vec2u_min_max",
    "fragment_depth",
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
    Ok(())
}
