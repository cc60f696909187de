//! The instruction set of NVIDIA Tesla (G80 to GT21x): table, assembler, disassembler, interpreter of bytes.
//!
//! [`rows`] declares every instruction form once; [`operand`] maps the fields of an instruction to operands under a
//! program type and back; [`text`] prints and parses; [`mod@listing`] does whole listings; [`vectors`] compares with
//! outside vectors. Instructions are 4 or 8 bytes; see `docs/abi-tesla.md` for the convention between compiled
//! compute code and its launcher, and `docs/errata-tesla.md` for where we had to choose.

pub mod abi;
pub mod exec;
pub mod listing;
pub mod modifiers;
pub mod names;
pub mod operand;
pub mod page;
pub mod rows;
pub mod text;
pub mod types;
pub mod validate;
pub mod vectors;

pub use exec::{Emitted, Io, Lanes, Shade, Shaded, draw, math, run, run_on, shade};
pub use gpucc_isa::ListingError;
pub use listing::{asm_words_line, assemble, disasm_words_line, disassemble, listing, undecodable};
pub use modifiers::{AddOp, Cond, Pred, Round};
pub use operand::{Addr, Operand, SharedTy};
pub use page::reference_page;
pub use types::{AtomOp, Attrs, Kind, Memory, Op, Ty, Unit, Width};

use gpucc_isa::{Cursor, DecodeError, Field, Inst, Isa, Table, TextCx, TextError, Word};
use std::sync::LazyLock;

/// Family name as in targets.
pub const NAME: &str = <Tesla as Isa>::NAME;
/// Generation names, oldest first: what else names generations takes them from here, or answers an unknown one with an error.
pub const GENERATIONS: &[&str] = <Tesla as Isa>::GENERATIONS;
/// How many of them programs are compiled for: of mcp77 words are read and written alone.
pub const COMPILED: usize = 4;
/// Index of the generation that a bare family name means.
pub const DEFAULT_GENERATION: usize = 3;
/// Whether program types read words differently.
pub const HAS_STAGES: bool = true;
/// Whether an instruction may have a short and a long form.
pub const HAS_LONG_FORMS: bool = true;

/// The instruction set, as tables of rows ask for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tesla;

static TABLE: LazyLock<Table<Tesla>> = LazyLock::new(|| Table::new(rows::ROWS));

/// A row of the table.
pub type Row = gpucc_isa::Row<Tesla>;

/// The table of all rows, made once.
pub fn table() -> &'static Table<Tesla> {
    &TABLE
}

/// Index of a generation by its name.
pub fn generation(name: &str) -> Option<u8> {
    Tesla::GENERATIONS.iter().position(|&g| g == name).map(|i| i as u8)
}

/// Decodes one instruction from its first word and, for 8-byte ones, its second.
///
/// # Errors
/// When the words are no instruction of this generation and these program types.
pub fn decode_word(words: &[u32], generation: u8, stages: u8) -> Result<Inst<Tesla>, DecodeError> {
    let w0 = *words.first().ok_or(DecodeError::Truncated)?;
    let bytes = length(w0);
    let mut word = Word::from(w0);
    if bytes == 8 {
        word |= Word::from(*words.get(1).ok_or(DecodeError::Truncated)?) << 32;
    }
    table().decode(word, bytes, generation, stages)
}

/// Length in bytes of the instruction that begins with `w0`.
pub const fn length(w0: u32) -> usize {
    if w0 & 1 == 0 { 4 } else { 8 }
}

impl Isa for Tesla {
    type Op = Op;
    type Kind = Kind;
    type Attrs = Attrs;

    const NAME: &'static str = "tesla";
    const GENERATIONS: &'static [&'static str] = &["nv50", "nv84", "nva0", "nva3", "mcp77"];
    const KEY: Field = Field::split(&[(0, 2), (28, 4), (61, 3)]);

    fn table() -> &'static Table<Self> {
        table()
    }

    fn length(low: Word, _generation: u8) -> usize {
        length(low as u32)
    }

    fn legal(inst: &Inst<Self>, _generation: u8, stages: u8) -> bool {
        let invalid_condition = inst
            .row()
            .operands
            .iter()
            .zip(&inst.vals)
            .any(|(s, &v)| matches!(s.kind, Kind::Pred) && modifiers::Pred::NAMES[v as usize].is_empty());
        !invalid_condition && operand::View::any(inst, stages).is_some()
    }

    fn print_operand(inst: &Inst<Self>, index: usize, cx: &TextCx, out: &mut String) {
        text::print_operand(inst, index, cx, out);
    }

    fn parse_operand(inst: &mut Inst<Self>, index: usize, cur: &mut Cursor<'_>, cx: &TextCx) -> Result<(), TextError> {
        text::parse_operand(inst, index, cur, cx)
    }

    fn print(inst: &Inst<Self>, cx: &TextCx, out: &mut String) {
        text::print(inst, cx, out);
    }

    fn parse(line: &str, cx: &TextCx) -> Result<Inst<Self>, TextError> {
        text::parse(line, cx)
    }

    fn validate(inst: &Inst<Self>, cx: &TextCx) -> Result<(), String> {
        validate::validate(inst, cx)
    }
}
