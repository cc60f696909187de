//! Encoded code of this family, and what the passes of the tail ask about an instruction. Vector registers are numbered from 256 up.

use core::fmt;

use gpucc_gcn_machine::build::{self as form, Form};
use gpucc_gcn_machine::{Access, Attrs, Counter, Format, Gcn as Isa, Op, Unit};
use gpucc_isa::{Inst, Packed};
use gpucc_mir::{EncodedBlock, EncodedFunc, Payload, Ranges};
use smallvec::smallvec;

/// The work of the texture unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Image {
    /// Whether a sampler filters.
    pub sampled: bool,
}

/// The questions that are asked about an instruction again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The wait counter that counts it.
    pub counter: Counter,
    /// A store to a buffer or an image.
    pub is_store: bool,
    /// An atomic operation on a buffer or an image.
    pub is_atomic: bool,
    /// An access by address, of which two counters count.
    pub is_flat: bool,
    /// An instruction of the texture unit.
    pub image: Option<Image>,
    /// Whether it is a vector instruction.
    pub is_valu: bool,
    /// All memory operations must be done before it.
    pub barrier: bool,
    /// Lanes that are not live take no part: others see what it does. Known of what `encode` made.
    pub exact: bool,
    /// Removes lanes from the live mask. Known once `encode` has made it.
    pub ends_dead_wave: bool,
    /// So much follows that a wave without live lanes had better end here.
    pub is_far: bool,
}

impl Payload<Isa> for Facts {
    fn of(inst: &Inst<Isa>) -> Facts {
        let Attrs { format, unit, counter, access, .. } = inst.row().attrs;
        Facts {
            counter,
            is_store: matches!(unit, Unit::Vmem | Unit::Flat) && access == Access::Store,
            is_atomic: matches!(unit, Unit::Vmem | Unit::Flat) && access == Access::Atomic,
            is_flat: unit == Unit::Flat,
            image: (format == Format::Mimg).then(|| Image { sampled: inst.row().operand("ssamp").is_some() }),
            is_valu: matches!(unit, Unit::Valu | Unit::Trans | Unit::Interp),
            barrier: inst.op() == Op::SBarrier,
            exact: false,
            ends_dead_wave: false,
            is_far: false,
        }
    }

    fn falls(inst: &Packed<Isa>) -> bool {
        !matches!(inst.op(), Op::SBranch | Op::SEndpgm)
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.barrier { "barrier" } else { "" })
    }
}

/// An encoded instruction with GCN's facts.
pub type EncodedInst = gpucc_mir::EncodedInst<Isa, Facts>;

/// A block of encoded instructions.
pub type Block = EncodedBlock<Isa, Facts>;

/// A function of encoded blocks.
pub type Code = EncodedFunc<Isa, Facts>;

/// A scalar instruction on 64-bit registers: `(op, dst, a, b)` by scalar codes.
pub fn mask_op(op: Op, dst: u32, a: u32, b: Option<u32>, generation: u8) -> EncodedInst {
    let mut i = form::inst(row(op, Form::Short, false, generation)).with("sdst", dst).with("src0", a);
    let mut reads: Ranges = smallvec![(a, 2)];
    if let Some(b) = b {
        i.set("src1", b);
        reads.push((b, 2));
    }
    reads.retain(|r| r.0 < 128);
    EncodedInst::new(i, reads, smallvec![(dst, 2)])
}

/// The row of an operation in a form.
///
/// # Panics
/// It has none on this generation.
pub fn row(op: Op, f: Form, literal: bool, generation: u8) -> u16 {
    form::row(op, f, literal, generation).unwrap_or_else(|| panic!("{op:?} has no {f:?} form (literal {literal}) here"))
}
