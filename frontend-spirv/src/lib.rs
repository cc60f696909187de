//! SPIR-V to gpucc IR.
//!
//! [`parse`] reads a module; [`Parsed::entry_points`] and [`Parsed::overrides`] say what there is; [`lower`] makes IR of one entry point or
//! of all. Blocks become blocks, `OpPhi` block parameters, merges the IR's structure (`plan.rs`).
//!
//! Input is not trusted. [`limits`] bound what a module may ask for, and everything that recurses runs on a thread with a large stack. Every
//! instruction, decoration and mode is read, or harmless by a list that says why, or refused by its name ([`tables`]).

pub mod capabilities;
mod grammar;
mod lower;
mod module;
mod places;
mod plan;
pub mod tables;
mod types;
mod value;

pub use gpucc_frontend_common::{EntryInfo, Options, OverrideInfo, limits};

use gpucc_frontend_common::report;
use gpucc_ir::{Diagnostic, Module, SourceFile, Span};

/// A module that was read.
#[derive(Debug)]
pub struct Parsed {
    module: module::Module,
}

/// Reads a module.
///
/// # Errors
/// Words that are no SPIR-V, and numbers that are not known.
pub fn parse(bytes: &[u8]) -> Result<Parsed, Vec<Diagnostic>> {
    // Reading recurses over nothing.
    module::Module::read(bytes).map(|module| Parsed { module }).map_err(|d| vec![d])
}

/// Lowers one entry point of a module, or all of them.
///
/// # Errors
/// The error: a wrong module, one that cannot be compiled, or a compiler bug.
pub fn lower(parsed: &Parsed, options: &Options) -> Result<Module, Vec<Diagnostic>> {
    let stack = if parsed.module.is_small() { limits::SMALL_STACK_BYTES } else { limits::STACK_BYTES };
    report::guarded(stack, || lower::lower(&parsed.module, options), report::broke)
}

/// The source that a module carries, to which spans of it refer: they are offsets in the files' texts, one after the other with a byte
/// between. Files of which only the name is there are blank lines.
pub fn source_files(bytes: &[u8]) -> Vec<SourceFile> {
    parse(bytes).map_or_else(|_| Vec::new(), |p| p.module.places.files)
}

impl Parsed {
    /// The entry points, in source order.
    pub fn entry_points(&self) -> Vec<EntryInfo> {
        let info = |e: &module::Entry| EntryInfo { name: e.name.clone(), stage: e.stage, span: Span::UNKNOWN };
        self.module.entries.iter().map(info).collect()
    }

    /// The specialisation constants, in source order.
    pub fn overrides(&self) -> Vec<OverrideInfo> {
        self.module.overrides()
    }
}
