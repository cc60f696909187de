//! The instruction set of Vivante GC: table, assembler, disassembler, interpreter of bytes.
//!
//! Rows are in [`rows`], their bit fields in [`fields`], how operands read as text in [`text`], what may be emitted
//! on which chip in [`validate`]. [`mod@listing`] turns whole programs into text and back. The convention between compiled
//! code and its launcher is `docs/abi-vivante.md`; the launcher is [`exec`].

pub mod abi;
pub mod exec;
pub mod fields;
pub mod listing;
pub mod modifiers;
pub mod names;
pub mod operand;
pub mod page;
pub mod rows;
pub mod text;
pub mod validate;
pub mod vectors;

use std::sync::LazyLock;

use gpucc_isa::{DecodeError, Field, Inst, Isa, Table, TextCx, TextError, Word};

pub use exec::{draw, run, run_on};
pub use gpucc_isa::ListingError;
pub use listing::{asm_words_line, assemble, disasm_words_line, disassemble, listing, undecodable};
pub use modifiers::{Cond, Round, Type};
pub use operand::{IDENTITY, broadcast, dst, instruction, swizzle};
pub use page::reference_page;
pub use rows::{Attrs, Class, Kind, Need, Op};

/// Family name as in targets.
pub const NAME: &str = <Vivante as Isa>::NAME;
/// Generation names, oldest first: what else names generations takes them from here, or answers an unknown one with an error.
pub const GENERATIONS: &[&str] = <Vivante as Isa>::GENERATIONS;
/// Index of the generation that a bare family name means.
pub const DEFAULT_GENERATION: usize = 1;
/// Whether program types read words differently.
pub const HAS_STAGES: bool = false;
/// Whether an instruction may have a short and a long form.
pub const HAS_LONG_FORMS: bool = false;

/// The instruction set; generations are 0 gc2000, 1 gc3000, 2 gc7000.
#[derive(Clone, Copy, Debug)]
pub struct Vivante;

/// Index of gc2000: HALTI0, scalar integers, no immediates.
pub const GC2000: u8 = 0;
/// Index of gc3000: HALTI2 with the single-uniform rule.
pub const GC3000: u8 = 1;
/// Index of gc7000: HALTI5 without the rule.
pub const GC7000: u8 = 2;

/// Bytes of an instruction.
pub const BYTES: usize = 16;

impl Isa for Vivante {
    type Op = Op;
    type Kind = Kind;
    type Attrs = Attrs;

    const NAME: &'static str = "vivante";
    const GENERATIONS: &'static [&'static str] = &["gc2000", "gc3000", "gc7000"];
    const KEY: Field = fields::OPCODE;

    fn table() -> &'static Table<Self> {
        static TABLE: LazyLock<Table<Vivante>> = LazyLock::new(|| Table::new(rows::ROWS));
        &TABLE
    }

    fn length(_low: Word, _generation: u8) -> usize {
        BYTES
    }

    fn reserved(inst: &Inst<Self>) -> Word {
        validate::reserved(inst)
    }

    fn print_operand(inst: &Inst<Self>, index: usize, cx: &TextCx, out: &mut String) {
        text::print_operand(inst, index, cx, out);
    }

    fn parse_operand(
        inst: &mut Inst<Self>,
        index: usize,
        cur: &mut gpucc_isa::Cursor<'_>,
        cx: &TextCx,
    ) -> Result<(), TextError> {
        text::parse_operand(inst, index, cur, cx)
    }

    fn print(inst: &Inst<Self>, cx: &TextCx, out: &mut String) {
        text::print(inst, cx, out);
    }

    fn parse(line: &str, cx: &TextCx) -> Result<Inst<Self>, TextError> {
        gpucc_isa::text::parse_templates(line, cx)
    }

    fn validate(inst: &Inst<Self>, cx: &TextCx) -> Result<(), String> {
        validate::check(inst, cx.generation)
    }
}

/// The instruction table of all chips.
pub fn table() -> &'static Table<Vivante> {
    Vivante::table()
}

/// Decodes the four words of one instruction.
///
/// # Errors
/// When no row of this generation and program type matches, or reserved bits are set.
pub fn decode_word(words: [u32; 4], generation: u8, stages: u8) -> Result<Inst<Vivante>, DecodeError> {
    table().decode(pack_words(words), BYTES, generation, stages)
}

/// Encodes an instruction into its four words; `None` when its row does not exist on `generation`.
pub fn encode(inst: &Inst<Vivante>, generation: u8) -> Option<[u32; 4]> {
    table().encode(inst, generation).map(|(w, _)| split_word(w))
}

/// Four words as one number, the first in the low bits.
pub fn pack_words(w: [u32; 4]) -> Word {
    Word::from(w[0]) | Word::from(w[1]) << 32 | Word::from(w[2]) << 64 | Word::from(w[3]) << 96
}

/// The inverse of [`pack_words`].
pub fn split_word(w: Word) -> [u32; 4] {
    [w as u32, (w >> 32) as u32, (w >> 64) as u32, (w >> 96) as u32]
}
