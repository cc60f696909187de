//! A text as callers give it: its stage and what stands around it, and why there is no module of it.

use std::path::PathBuf;

use gpucc_ir::{Diagnostic, SourceFile};

use crate::stage::Stage;
use crate::toy::Toy;

/// Where a text comes from, and what stands around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Around {
    /// The name that messages and the module give the text; it may be empty.
    pub name: String,
    /// The folder in which `#include` looks first.
    pub folder: Option<PathBuf>,
    /// Further folders for `#include`, in order.
    pub includes: Vec<PathBuf>,
    /// Macros with their values; an empty value is an empty macro.
    pub defines: Vec<(String, String)>,
    /// Of a body with `mainImage`: what it samples and where it draws.
    pub toy: Toy,
}

/// Why there is no module. Places are offsets in the texts of all files, one after the other with a byte between; the author's is the
/// first.
#[derive(Debug)]
pub enum Failed {
    /// The compiler is not installed.
    NoCompiler,
    /// Messages about the text, and the files that they are of.
    Said(Vec<Diagnostic>, Vec<SourceFile>),
}

/// Group of the block that holds uniforms outside of blocks.
pub const LOOSE_GROUP: u32 = 0;

/// Binding of the block that holds uniforms outside of blocks: each stage has its own, and none that people choose.
pub const fn loose_binding(stage: Stage) -> u32 {
    match stage {
        Stage::Compute => 997,
        Stage::Vertex => 998,
        Stage::Fragment => 999,
    }
}

/// Stands for the text's own path in messages.
pub const NAME: &str = "\u{1}";
