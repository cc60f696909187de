//! The instruction-table kit: one row per instruction form, everything else derived.
//!
//! An instruction set is declared once, as a `const` slice of [`Row`]s in ordinary Rust. A row names its semantic
//! opcode, its fixed bits (per generation where they move), its operand [`Slot`]s with their bit [`Field`]s and
//! kinds, its implicit reads and writes and its cost facts. From the rows derive: [`Table::decode`],
//! [`Table::encode`], [`print`](Isa::print) and [`parse`](Isa::parse) (by the row's text template, with hooks of the
//! family for each operand kind), [`Table::validate`], the operand walk, the list of all forms, documentation pages,
//! and the mutation script. [`check`] holds `const` functions that refuse tables with overlapping fields or with two
//! rows that match one word, at compile time.
//!
//! Words are held in a [`Word`] (`u128`): bit 0 is bit 0 of the first byte in memory, so the first 32-bit word of an
//! instruction is the low 32 bits.

pub mod bits;
pub mod check;
pub mod mods;
#[cfg(gpucc_mutate)]
mod mutate;
mod packed;
pub mod row;
pub mod table;
pub mod text;

pub use bits::{Field, Seg, Word};
pub use mods::ModValue;
pub use packed::Packed;
pub use row::{Effects, Enc, Implicit, Role, Row, Slot};
pub use table::{DecodeError, Inst, MAX_SLOTS, Table};
pub use text::{Cursor, Notes, TextCx, TextError};

/// The four program types an encoding may be restricted to, as bits of a mask.
pub mod stage {
    /// Vertex programs.
    pub const VS: u8 = 1;
    /// Geometry programs.
    pub const GS: u8 = 2;
    /// Fragment programs.
    pub const FS: u8 = 4;
    /// Compute programs.
    pub const CS: u8 = 8;
    /// Every program type.
    pub const ALL: u8 = 15;
}

/// One instruction set: the types that its rows use and the hooks that the kit calls.
pub trait Isa: Sized + 'static {
    /// Semantic opcode. Several rows (short and long forms, per-generation layouts) may share one.
    type Op: Copy + Eq + core::fmt::Debug + Send + Sync + 'static;
    /// Operand and modifier kinds: decides how a slot's raw value reads as text and which values are legal.
    type Kind: Copy + core::fmt::Debug + Send + Sync + 'static;
    /// What the family states per row besides bits and [`Effects`].
    type Facts: Copy + core::fmt::Debug + Send + Sync + 'static;

    /// Family name as in the command line contract.
    const NAME: &'static str;
    /// Generation names; a generation is referred to by its index, a set of them by a bit mask of indices.
    const GENERATIONS: &'static [&'static str];
    /// Bits by which the decoder sorts rows into buckets (at most 12 bits; need not be fixed in every row).
    const KEY: Field;

    /// The table. Use [`Table::new`] behind a `LazyLock`.
    fn table() -> &'static Table<Self>;

    /// Length in bytes of the instruction that begins with `low` (as many bytes as there are, zero-extended).
    fn length(low: Word, generation: u8) -> usize;

    /// Bits of values that no fixed bit can rule out: reserved members of an enumeration, leftovers of an absent
    /// operand. Runs in every decode; a row that answers with anything but 0 does not match the word.
    fn reserved(inst: &Inst<Self>) -> Word {
        let _ = inst;
        0
    }

    /// Whether the fields of a decoded instruction go together; decode rejects the word otherwise. For conditions over
    /// several fields, or over fields and program type, that fixed bits cannot say.
    fn legal(inst: &Inst<Self>, generation: u8, stages: u8) -> bool {
        let _ = (inst, generation, stages);
        true
    }

    /// Prints the raw value of slot `index` of `inst`.
    fn print_slot(inst: &Inst<Self>, index: usize, cx: &TextCx, out: &mut String);

    /// Parses what [`print_slot`](Isa::print_slot) prints and stores the raw value into `inst`. An optional modifier
    /// that is absent from the text stores its silent value and succeeds.
    ///
    /// # Errors
    /// Column and reason when the text is not a legal operand of this kind.
    fn parse_slot(inst: &mut Inst<Self>, index: usize, cur: &mut Cursor<'_>, cx: &TextCx) -> Result<(), TextError>;

    /// Prints a whole instruction. The default walks the row's template.
    fn print(inst: &Inst<Self>, cx: &TextCx, out: &mut String) {
        text::print_template(inst, cx, out);
    }

    /// Parses a whole instruction. The default tries the templates of all rows whose first word fits the text.
    ///
    /// # Errors
    /// The error of the row that got furthest.
    fn parse(line: &str, cx: &TextCx) -> Result<Inst<Self>, TextError> {
        text::parse_templates(line, cx)
    }

    /// Rules beyond the bits: what decodes but may not be emitted. Runs on request only, never in decode.
    ///
    /// # Errors
    /// One sentence naming the violated rule.
    fn validate(inst: &Inst<Self>, cx: &TextCx) -> Result<(), String>;
}
