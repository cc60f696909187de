//! The instruction set of AMD GCN 1.0 to 1.2 (gfx6, gfx7, gfx8): table, assembler, disassembler, interpreter of bytes.

pub mod abi;
pub mod attrs;
pub mod build;
pub mod exec;
pub mod isa;
pub mod listing;
pub mod names;
pub mod op;
pub mod operand;
pub mod page;
pub mod rows;
pub mod text;
pub mod validate;
pub mod vectors;

pub use attrs::{
    Access, Atomic, AtomicOp, Attrs, Compare, Condition, Counter, Elements, ImageKind, ImageOp, Memory, Number,
    Operation, Test, Unit,
};
pub use exec::{Export, Shade, draw, run, run_on, shade};
pub use isa::{Flag, Format, GFX6, GFX7, GFX8, Gcn, Kind, Mods, Suffix};
pub use listing::{
    asm_words_line, assemble, decode, decode_word, disasm_words_line, disassemble, encode, listing, undecodable,
};
pub use op::Op;
pub use page::reference_page;
pub use rows::table;
pub use vectors::check_vector;

/// Family name as in targets.
pub const NAME: &str = <Gcn as gpucc_isa::Isa>::NAME;
/// Generation names, oldest first: what else names generations takes them from here, or answers an unknown one with an error.
pub const GENERATIONS: &[&str] = <Gcn as gpucc_isa::Isa>::GENERATIONS;
/// Index of the generation that a bare family name means.
pub const DEFAULT_GENERATION: usize = 2;
/// Whether program types read words differently.
pub const HAS_STAGES: bool = false;
/// Whether an instruction may have a short and a long form.
pub const HAS_LONG_FORMS: bool = false;
