//! Rows of an opcode in a form, and instructions by slot name, for backends.

use gpucc_isa::{Inst, Row};

use crate::isa::{Gcn, Kind};
use crate::rows::ROWS;
use crate::{Op, Suffix, operand};

/// Form of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The only form, or the 32-bit form of a vector instruction.
    Short,
    /// VOP3 (also of instructions that have no other form).
    Long,
    /// SDWA.
    Sdwa,
    /// DPP.
    Dpp,
}

/// Rows of a generation by opcode, in table order.
struct ByOp {
    /// Where those of each opcode begin; one more at the end.
    start: [u16; Op::ALL.len() + 1],
    /// Rows by opcode; nothing follows those of the last one.
    rows: [u16; ROWS.len()],
}

/// Made while the compiler is built: a walk over all rows is a tenth of the time that a small shader takes.
static ROWS_OF: [ByOp; 3] = [by_op(&ROWS, 0), by_op(&ROWS, 1), by_op(&ROWS, 2)];

const fn by_op(all: &[Row<Gcn>], generation: u8) -> ByOp {
    let mut made = ByOp { start: [0; Op::ALL.len() + 1], rows: [0; ROWS.len()] };
    let mut r = 0;
    while r < all.len() {
        made.start[all[r].op as usize + 1] += all[r].is_on(generation) as u16;
        r += 1;
    }
    let mut op = 0;
    while op < Op::ALL.len() {
        made.start[op + 1] += made.start[op];
        op += 1;
    }
    let (mut next, mut r) = (made.start, 0);
    while r < all.len() {
        if all[r].is_on(generation) {
            let at = &mut next[all[r].op as usize];
            made.rows[*at as usize] = r as u16;
            *at += 1;
        }
        r += 1;
    }
    made
}

/// All rows of `op` on `generation`, in table order.
pub fn rows_of(op: Op, generation: u8) -> &'static [u16] {
    let all = &ROWS_OF[usize::from(generation)];
    &all.rows[usize::from(all.start[op as usize])..usize::from(all.start[op as usize + 1])]
}

/// Whether a row carries a 32-bit literal.
pub fn has_literal(row: u16) -> bool {
    ROWS[row as usize].operands.iter().any(|s| matches!(s.kind, Kind::Literal | Kind::LiteralWord))
}

/// Whether a scalar memory row takes its offset from a register.
fn register_offset(row: u16) -> bool {
    ROWS[row as usize].operands.iter().any(|s| s.name == "offset" && s.kind == Kind::SReg(1))
}

/// The row of `op` in `form`, with or without a literal. For scalar memory `literal` chooses the 32-bit offset of
/// gfx7. FLAT atomics that return and scalar memory with a register offset have functions of their own.
pub fn row(op: Op, form: Form, literal: bool, generation: u8) -> Option<u16> {
    rows_of(op, generation).iter().copied().find(|&r| {
        let row = &ROWS[r as usize];
        let fits = match row.attrs.suffix {
            Suffix::None if rows_of(op, generation).iter().any(|&o| ROWS[o as usize].attrs.suffix == Suffix::E64) => {
                form == Form::Short
            }
            Suffix::None => matches!(form, Form::Short | Form::Long),
            Suffix::E32 => form == Form::Short,
            Suffix::E64 => form == Form::Long,
            Suffix::Sdwa | Suffix::SilentSdwa => form == Form::Sdwa,
            Suffix::Dpp | Suffix::SilentDpp => form == Form::Dpp,
        };
        let wide_offset = row.operands.iter().any(|s| s.kind == Kind::SOffset && s.field.width() == 32);
        fits && (has_literal(r) || wide_offset) == literal && !register_offset(r) && !returns(r)
    })
}

fn returns(row: u16) -> bool {
    ROWS[row as usize].operands.iter().any(|s| matches!(s.kind, Kind::Word(crate::Flag::Glc)))
}

/// The row of a FLAT atomic that returns the old value.
pub fn row_returning(op: Op, generation: u8) -> Option<u16> {
    rows_of(op, generation).iter().copied().find(|&r| returns(r))
}

/// The row of a scalar load or store with its offset in an SGPR.
pub fn row_register_offset(op: Op, generation: u8) -> Option<u16> {
    rows_of(op, generation).iter().copied().find(|&r| register_offset(r))
}

/// An instruction of a row with neutral modifiers: DPP masks full, SDWA parts whole dwords, no wait in `s_waitcnt`.
pub fn inst(row: u16) -> Inst<Gcn> {
    let mut inst: Inst<Gcn> = Inst::new(row);
    for (i, slot) in inst.row().operands.iter().enumerate() {
        inst.vals[i] = match slot.kind {
            Kind::RowMask | Kind::BankMask => 15,
            Kind::DstSel | Kind::SrcSel(_) => 6,
            Kind::BufFormat => 1,
            Kind::Waitcnt => waitcnt(15, 7, 15),
            _ => 0,
        };
    }
    inst
}

/// Value of the `imm` slot of s_waitcnt.
pub const fn waitcnt(vm: u32, exp: u32, lgkm: u32) -> u32 {
    assert!(vm < 16 && exp < 8 && lgkm < 16);
    vm | exp << 4 | lgkm << 8
}

/// The counters that an `imm` of s_waitcnt names: vm, exp, lgkm. Other bits are ignored before gfx9 (section 16).
pub const fn counters(imm: u32) -> [u32; 3] {
    [imm & 15, imm >> 4 & 7, imm >> 8 & 15]
}

/// Bits of a hardware register for s_getreg and s_setreg.
pub const fn hwreg(id: u32, offset: u32, size: u32) -> u32 {
    assert!(id < 64 && offset < 32 && size > 0 && size <= 32);
    id | offset << 6 | (size - 1) << 11
}

/// Whether an instruction may be emitted on `generation`.
///
/// # Errors
/// The rule.
pub fn check(inst: &Inst<Gcn>, generation: u8) -> Result<(), String> {
    if inst.row().enc_on(generation).is_none() {
        return Err(format!("`{}` does not exist on generation {generation}", inst.row().text));
    }
    operand::legal(inst, generation)?;
    crate::validate::validate(inst, generation)
}
