//! The instruction set of ARM Mali Valhall (v9, v10): table, assembler, disassembler, interpreter of bytes.
//!
//! `rows` holds the table, `slots` the bit fields, `kind` the meaning of their values; `text` is the notation of
//! section 20 of the ISA reference, `listing` whole programs, `validate` the rules of section 7, `exec` the machine.

pub mod abi;
pub mod build;
pub mod exec;
pub mod kind;
pub mod listing;
pub mod modifiers;
pub mod names;
pub mod operand;
pub mod page;
mod rows;
mod slots;
pub mod text;
mod validate;
pub mod vectors;

use std::sync::LazyLock;

use gpucc_isa::{Cursor, Field, Inst, Isa, Table, TextCx, TextError, Word, check};

pub use exec::{draw, run, run_on};
pub use gpucc_isa::ListingError;
pub use kind::Kind;
pub use listing::{
    asm_words_line, assemble, decode_word, disasm_words_line, disassemble, encode_word, listing, undecodable,
};
pub use modifiers::{
    AtomOne, AtomOp, Clamp, Component, Condition, Dimension, LodMode, MemoryAccess, MessageSlot, Mux, RegFormat,
    RegisterType, RegisterWidth, ResultType, Round, SamplePlace, SourceFormat, Update, VecSize,
};
pub use page::reference_page;
pub use rows::{OPS, Op, ROWS};

/// Family name as in targets.
pub const NAME: &str = <Valhall as Isa>::NAME;
/// The number of v9 among the generations.
pub const V9: u8 = 0;
/// Generation names, oldest first: what else names generations takes them from here, or answers an unknown one with an error.
pub const GENERATIONS: &[&str] = <Valhall as Isa>::GENERATIONS;
/// Index of the generation that a bare family name means.
pub const DEFAULT_GENERATION: usize = 1;
/// Whether program types read words differently.
pub const HAS_STAGES: bool = false;
/// Whether an instruction may have a short and a long form.
pub const HAS_LONG_FORMS: bool = false;

/// The execution unit that an instruction is charged to (section 11.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Fused multiply-add pipe.
    Fma,
    /// Conversion and simple integer pipe.
    Cvt,
    /// Special function pipe, a quarter of the rate.
    Sfu,
    /// Varying unit.
    V,
    /// Texture unit.
    T,
    /// Load/store unit.
    Ls,
    /// Varying and texture unit.
    Vt,
    /// Not counted.
    None,
}

/// The role of an instruction in flow and slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// NOP.
    Nop,
    /// Synchronous arithmetic.
    Alu,
    /// Branch.
    Branch,
    /// Fragment discard.
    Discard,
    /// Workgroup barrier, a message on slot 7.
    Barrier,
    /// Message: load, store or atomic by address.
    Memory,
    /// Message: buffer access by handle.
    Buffer,
    /// Message: attributes and images.
    Image,
    /// Message: varyings.
    Varying,
    /// Message: textures.
    Texture,
    /// Message: varying and texture fused.
    VaryingTexture,
    /// Message: tile buffer, blending, depth.
    Tile,
}

impl Class {
    /// Whether the instruction completes later and signals a slot.
    pub const fn is_message(self) -> bool {
        !matches!(self, Class::Nop | Class::Alu | Class::Branch | Class::Discard)
    }
}

/// The parts of an operand: so many bits, and whether integers are extended with their sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lane {
    /// Bytes.
    I8,
    /// Halves.
    I16,
    /// Words.
    I32,
    /// Pairs of words.
    I64,
    /// Bytes with a sign.
    S8,
    /// Halves with a sign.
    S16,
    /// Words with a sign.
    S32,
    /// Pairs of words with a sign.
    S64,
}

impl Lane {
    /// Width of the lane in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Lane::I8 | Lane::S8 => 8,
            Lane::I16 | Lane::S16 => 16,
            Lane::I32 | Lane::S32 => 32,
            Lane::I64 | Lane::S64 => 64,
        }
    }

    /// Whether integers are extended with their sign.
    pub const fn is_signed(self) -> bool {
        matches!(self, Lane::S8 | Lane::S16 | Lane::S32 | Lane::S64)
    }
}

/// The table's facts per row besides bits and effects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attrs {
    /// Kind of instruction, as machines group them.
    pub class: Class,
    /// Unit that executes the instruction.
    pub unit: Unit,
    /// Lanes of its operands.
    pub lane: Lane,
    /// Bytes that a load, store or atomic moves; 0 for all others.
    pub bytes: u8,
}

/// The instruction set, as tables of rows ask for it.
pub enum Valhall {}

/// An instruction of it.
pub type ValhallInst = Inst<Valhall>;

const _: () = check::fields(ROWS);
const _: () = check::effects(ROWS);
// Every pair of rows is compared: more steps than the lint likes, and known to end.
#[allow(long_running_const_eval, reason = "all pairs of rows are compared while compiling")]
const _: () = check::ambiguity(ROWS);

static TABLE: LazyLock<Table<Valhall>> = LazyLock::new(|| Table::new(ROWS));

/// The table with its decoder index.
pub fn table() -> &'static Table<Valhall> {
    &TABLE
}

impl Isa for Valhall {
    type Op = Op;
    type Kind = Kind;
    type Attrs = Attrs;

    const NAME: &'static str = "valhall";
    const GENERATIONS: &'static [&'static str] = &["v9", "v10"];
    const KEY: Field = Field::new(48, 9);

    fn table() -> &'static Table<Self> {
        &TABLE
    }

    fn length(_low: Word, _generation: u8) -> usize {
        8
    }

    fn reserved(inst: &Inst<Self>) -> Word {
        reserved_values(inst)
    }

    fn print_operand(inst: &Inst<Self>, index: usize, _cx: &TextCx, out: &mut String) {
        text::print_operand(inst, index, out);
    }

    fn parse_operand(inst: &mut Inst<Self>, index: usize, cur: &mut Cursor<'_>, _cx: &TextCx) -> Result<(), TextError> {
        text::parse_operand(inst, index, cur)
    }

    fn print(inst: &Inst<Self>, _cx: &TextCx, out: &mut String) {
        text::print(inst, out);
    }

    fn parse(line: &str, _cx: &TextCx) -> Result<Inst<Self>, TextError> {
        text::parse(line)
    }

    fn validate(inst: &Inst<Self>, _cx: &TextCx) -> Result<(), String> {
        validate::validate(inst)
    }
}

/// Bits of a word that hold a value to which the reference gives no meaning: a reserved name, an unnamed special, a
/// destination without a half. 0 when there are none.
pub(crate) fn reserved_values(inst: &ValhallInst) -> Word {
    let mut bits = 0;
    for (slot, &v) in inst.row().operands.iter().zip(&inst.vals) {
        let bad = match slot.kind {
            Kind::Flow => kind::FLOW.value(v).is_none(),
            Kind::Enum(def) => def.value(v).is_none(),
            Kind::Dst(_) => v >> 6 == 0,
            Kind::Src(k) => operand::is_reserved(k, v, inst.get("page").unwrap_or(0)),
            Kind::Page | Kind::Flag(_) | Kind::Run { .. } | Kind::Count | Kind::Imm { .. } | Kind::Constant => false,
        };
        if bad {
            bits |= slot.field.mask();
        }
    }
    bits
}
