//! The object-safe face of a backend: what the facade, the command line and the tests see.

use gpucc_container::Entry;
use gpucc_ir::{Diagnostic, Module};

/// Options of code generation that every family understands. Plain data; part of what decides the output bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodegenOptions {
    /// Optimisation level, 0 to 3.
    pub opt_level: u8,
    /// Keep accesses in bounds and zero workgroup memory.
    pub robust: bool,
    /// Verify after every pass and check every allocation also in release builds.
    pub verify: bool,
    /// Allocator stress: spill everything that can be spilled.
    pub spill_all: bool,
    /// Allocator stress: limit every file to the least that the program needs.
    pub tight: bool,
    /// Allocator stress: place values where they fragment the file most.
    pub fragment: bool,
    /// Dump the IR after these passes (names).
    pub dump_after: Vec<String>,
    /// Measure the passes.
    pub time_passes: bool,
}

impl Default for CodegenOptions {
    fn default() -> Self {
        CodegenOptions {
            opt_level: 2,
            robust: true,
            verify: false,
            spill_all: false,
            tight: false,
            fragment: false,
            dump_after: Vec::new(),
            time_passes: false,
        }
    }
}

/// How long a pass took and how much it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassTime {
    /// Name of the pass.
    pub pass: String,
    /// Nanoseconds.
    pub nanos: u64,
    /// Number of changes it reports.
    pub changes: u64,
}

/// What a backend makes of one entry point.
#[derive(Clone, Debug)]
pub struct Output {
    /// Code, metadata and reflection, ready for the container.
    pub entry: Entry,
    /// The IR after the target-independent passes, as text.
    pub gir: String,
    /// The machine IR before emission, as text.
    pub mir: String,
    /// Statistics by name, in the family's order; `instructions` and `bytes` are always there.
    pub stats: Vec<(String, u64)>,
    /// `(pass, text)` for each dump that was asked for.
    pub dumps: Vec<(String, String)>,
    /// Times, when asked for, in the order of execution.
    pub times: Vec<PassTime>,
}

/// One family of GPUs.
pub trait Backend: Sync {
    /// Family name as in targets: `valhall`, `tesla`, `gcn`, `vivante`.
    fn family(&self) -> &'static str;

    /// Generations that code can be made for, oldest first.
    fn generations(&self) -> &'static [&'static str];

    /// Index of the generation that a bare family name means.
    fn default_generation(&self) -> usize;

    /// Compiles the entry point called `entry` of a verified module as the frontend made it.
    ///
    /// # Errors
    /// Class `Unsupported` when this generation cannot do what the shader needs (names feature, target and span),
    /// `Internal` for a compiler bug. A panic is a compiler bug too; the facade catches it.
    fn compile(
        &self,
        module: &Module,
        entry: &str,
        generation: usize,
        options: &CodegenOptions,
    ) -> Result<Output, Diagnostic>;

    /// Disassembles code of this family, as `-S` shows it: what [`Output::entry`] holds, with comments for people.
    fn listing(&self, output: &Output, generation: usize) -> String;
}
