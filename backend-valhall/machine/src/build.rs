//! Building instructions: what a backend emits through.

use crate::kind::{FLOW, Kind};
use crate::operand::Src;
use crate::slots::SOURCES;
use crate::{Op, ValhallInst};

/// Values of the `flow` slot.
pub mod flow {
    /// No wait, no end, no change of lanes.
    pub const NONE: u32 = 0;
    /// Wait on slots 0, 1, 2 as a bit mask: values 0..7.
    pub const fn wait(mask: u32) -> u32 {
        assert!(mask < 8);
        mask
    }
    /// Wait on slots 0, 1, 2 and 6.
    pub const WAIT0126: u32 = 8;
    /// Wait on everything; belongs on BARRIER.
    pub const WAIT: u32 = 9;
    /// The active mask may change after this instruction.
    pub const RECONVERGE: u32 = 10;
    /// Ends helper invocations after the instruction.
    pub const DISCARD: u32 = 13;
    /// Ends the program after the instruction.
    pub const END: u32 = 15;
}

/// Values of the `dst` slot.
pub mod dst {
    /// A whole register, or the pair that begins with it.
    pub const fn full(reg: u8) -> u32 {
        assert!(reg < 64);
        0xC0 | reg as u32
    }
    /// A register of which the low half is written.
    pub const fn low(reg: u8) -> u32 {
        assert!(reg < 64);
        0x40 | reg as u32
    }
    /// A register of which the high half is written.
    pub const fn high(reg: u8) -> u32 {
        assert!(reg < 64);
        0x80 | reg as u32
    }
}

/// The instruction of `op` with all modifiers at their silent values, r0 for registers and the constant 0 for sources.
pub fn inst(op: Op) -> ValhallInst {
    let mut i = ValhallInst::new(op as u16);
    for (slot, v) in i.row().operands.iter().zip(i.vals.iter_mut()) {
        *v = match slot.kind {
            Kind::Flow => FLOW.default.unwrap_or(0) as u32,
            Kind::Enum(def) => def.default.unwrap_or(0) as u32,
            Kind::Dst(_) => dst::full(0),
            // Packing a constant without modifiers succeeds for each kind; the fallback is never reached.
            Kind::Src(k) => crate::operand::zero().pack(k).unwrap_or(0xC0),
            Kind::Page | Kind::Flag(_) | Kind::Run { .. } | Kind::Count | Kind::Imm { .. } | Kind::Constant => 0,
        };
    }
    i
}

/// Puts `src` into the source at byte `position` and sets the FAU page when the operand needs one.
///
/// # Panics
/// When the row has no such source or the source lacks a modifier that is set, or another operand needs another page:
/// the caller has to legalise first ([`put_src`] tells).
pub fn set_src(inst: &mut ValhallInst, position: usize, src: Src) {
    let name = SOURCES[position];
    let index = inst.row().operand(name).unwrap_or_else(|| panic!("`{}` has no source {name}", inst.row().text));
    put_src(inst, index, src).unwrap_or_else(|| panic!("`{}` cannot take {src:?} as {name}", inst.row().text));
}

/// Puts `src` into the operand of this number and sets the FAU page when it needs one. `None` when that is no source or lacks a
/// modifier that is set; pages and counts are `validate`'s matter.
pub fn put_src(inst: &mut ValhallInst, operand: usize, src: Src) -> Option<()> {
    let Kind::Src(kind) = inst.row().operands[operand].kind else { return None };
    inst.vals[operand] = src.pack(kind)?;
    if let Some(page) = src.page
        && page != 0
    {
        inst.set("page", page as u32);
    }
    Some(())
}

/// Sets a staging run: `name` is `sr` or `srw`.
///
/// # Panics
/// When the row has no such run or the length does not fit.
pub fn set_run(inst: &mut ValhallInst, name: &str, base: u8, len: u32) {
    let index = inst.row().operand(name).unwrap_or_else(|| panic!("`{}` has no run {name}", inst.row().text));
    let Kind::Run { count, minus1 } = inst.row().operands[index].kind else { panic!("{name} is not a run") };
    assert!(base < 64 && len >= minus1 as u32 && len <= 7 + minus1 as u32, "run of {len} registers at r{base}");
    inst.vals[index] = base as u32;
    inst.set(count, len - minus1 as u32);
}
