//! The table: 8 bytes an instruction, 16 registers, opcode in the last byte.

use std::sync::LazyLock;

use gpucc_isa::{
    Cursor, Effects, Enc, Field, Inst, Isa, OperandSpec, Role, Row, Table, TextCx, TextError, Word, check, fixed,
    stage, text,
};

/// The instruction set.
#[derive(Debug)]
pub enum Set {}

/// The meaning of the bits of a slot.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A register, `r5`.
    Register,
    /// A number.
    Number,
}

const D: OperandSpec<Set> = OperandSpec::new("d", Field::new(0, 4), Kind::Register, Role::Def);
const A: OperandSpec<Set> = OperandSpec::new("a", Field::new(4, 4), Kind::Register, Role::Use);
const B: OperandSpec<Set> = OperandSpec::new("b", Field::new(8, 4), Kind::Register, Role::Use);
const C: OperandSpec<Set> = OperandSpec::new("c", Field::new(12, 4), Kind::Register, Role::Use);
/// An immediate. Of `tex` the component.
const IMM: OperandSpec<Set> = OperandSpec::new("imm", Field::new(16, 32), Kind::Number, Role::Imm);
/// The index of the instruction that comes next.
const TO: OperandSpec<Set> = OperandSpec::new("imm", Field::new(16, 32), Kind::Number, Role::Label);
/// The index of a buffer, or of the descriptor of a texture.
const BUFFER: OperandSpec<Set> = OperandSpec::new("buffer", Field::new(48, 8), Kind::Number, Role::Mod);

macro_rules! rows {
    ($($op:ident $text:literal $code:literal [$($slot:ident)*] $effects:expr $(, $stages:expr)?;)*) => {
        /// Opcodes.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Op {
            $(#[doc = $text] $op,)*
        }

        /// Every opcode; the row of an opcode is the one at its number.
        pub const OPS: &[Op] = &[$(Op::$op),*];

        /// The rows.
        pub const ROWS: &[Row<Set>] = &[$({
            const ENC: &[Enc] = &[fixed(1, &[(Field::new(56, 8), $code)])];
            Row::new(Op::$op, $text, 8, ENC, $effects, ()).operands(&[$($slot),*])$(.stages($stages))?
        },)*];
    };
}

rows! {
    Li "li {d} {imm}" 1 [D IMM] Effects::pure(1);
    Mov "mov {d} {a}" 2 [D A] Effects::pure(1);
    Add "add {d} {a} {b}" 3 [D A B] Effects::pure(1);
    Sub "sub {d} {a} {b}" 4 [D A B] Effects::pure(1);
    Mul "mul {d} {a} {b}" 5 [D A B] Effects::pure(4);
    And "and {d} {a} {b}" 6 [D A B] Effects::pure(1);
    Or "or {d} {a} {b}" 7 [D A B] Effects::pure(1);
    Xor "xor {d} {a} {b}" 8 [D A B] Effects::pure(1);
    Shl "shl {d} {a} {b}" 9 [D A B] Effects::pure(1);
    Shr "shr {d} {a} {b}" 10 [D A B] Effects::pure(1);
    Lt "lt {d} {a} {b}" 11 [D A B] Effects::pure(1);
    Eq "eq {d} {a} {b}" 12 [D A B] Effects::pure(1);
    Sel "sel {d} {a} {b} {c}" 13 [D A B C] Effects::pure(1);
    Id "id {d} {imm}" 14 [D IMM] Effects::pure(1), stage::CS;
    Ld "ld {d} {a} {buffer} {imm}" 15 [D A BUFFER IMM] Effects::load(20);
    St "st {a} {b} {buffer} {imm}" 16 [A B BUFFER IMM] Effects::store();
    Br "br {a} {imm}" 17 [A TO] Effects::branch();
    Jmp "jmp {imm}" 18 [TO] Effects::branch();
    End "end" 19 [] Effects::branch();
    In "in {d} {imm}" 14 [D IMM] Effects::pure(1), stage::VS | stage::FS;
    Out "out {a} {imm}" 20 [A IMM] Effects::store(), stage::VS | stage::FS;
    FMul "fmul {d} {a} {b}" 21 [D A B] Effects::pure(2);
    Tex "tex {d} {a} {b} {c} {buffer} {imm}" 22 [D A B C BUFFER IMM] Effects::pure(40), stage::VS | stage::FS;
}

const _: () = check::fields(ROWS);
const _: () = check::ambiguity(ROWS);

static TABLE: LazyLock<Table<Set>> = LazyLock::new(|| Table::new(ROWS));

impl Isa for Set {
    type Op = Op;
    type Kind = Kind;
    type Attrs = ();

    const NAME: &'static str = "tiny";
    const GENERATIONS: &'static [&'static str] = &["one"];
    const KEY: Field = Field::new(56, 8);

    fn table() -> &'static Table<Self> {
        &TABLE
    }

    fn length(_: Word, _: u8) -> usize {
        8
    }

    fn print_operand(inst: &Inst<Self>, index: usize, _: &TextCx, out: &mut String) {
        let value = inst.vals[index];
        out.push_str(&match inst.row().operands[index].kind {
            Kind::Register => format!("r{value}"),
            Kind::Number => format!("{value:#x}"),
        });
    }

    fn parse_operand(inst: &mut Inst<Self>, index: usize, cur: &mut Cursor<'_>, _: &TextCx) -> Result<(), TextError> {
        let slot = &inst.row().operands[index];
        if matches!(slot.kind, Kind::Register) && !cur.eat("r") {
            return Err(cur.error("a register is wanted"));
        }
        let value = cur.number().and_then(|n| u32::try_from(n).ok()).filter(|&n| n <= slot.field.max());
        inst.vals[index] = value.ok_or_else(|| cur.error("no number that fits"))?;
        Ok(())
    }

    fn print(inst: &Inst<Self>, cx: &TextCx, out: &mut String) {
        text::print_template(inst, cx, out);
    }

    fn parse(line: &str, cx: &TextCx) -> Result<Inst<Self>, TextError> {
        text::parse_templates(line, cx)
    }

    fn validate(_: &Inst<Self>, _: &TextCx) -> Result<(), String> {
        Ok(())
    }
}
