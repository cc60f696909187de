//! Encoded code of this family, and what the passes of the tail ask about an instruction. Vector registers are numbered from 256 up.

use core::fmt;

use gpucc_gcn_machine::build::{self as form, Form};
use gpucc_gcn_machine::{Access, Attrs, Counter, Format, Gcn as Isa, Op, Unit};
use gpucc_isa::{Inst, Packed};
use gpucc_mir::{EncodedBlock, EncodedFunc, Payload};

/// What the texture unit does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Image {
    /// Whether a sampler filters.
    pub sampled: bool,
}

/// What is asked about an instruction again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Its wait counter.
    pub counter: Counter,
    /// A store to a buffer or an image.
    pub is_store: bool,
    /// An atomic operation on a buffer or an image.
    pub is_atomic: bool,
    /// An instruction of the texture unit.
    pub image: Option<Image>,
    /// A vector instruction.
    pub is_valu: bool,
    /// All memory operations must be done before it.
    pub barrier: bool,
}

impl Payload<Isa> for Facts {
    fn of(inst: &Inst<Isa>) -> Facts {
        let Attrs { format, unit, counter, access, .. } = inst.row().attrs;
        Facts {
            counter,
            is_store: unit == Unit::Vmem && access == Access::Store,
            is_atomic: unit == Unit::Vmem && access == Access::Atomic,
            image: (format == Format::Mimg).then(|| Image { sampled: inst.row().operand("ssamp").is_some() }),
            is_valu: matches!(unit, Unit::Valu | Unit::Trans | Unit::Interp),
            barrier: inst.op() == Op::SBarrier,
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

/// An instruction.
pub type EncodedInst = gpucc_mir::EncodedInst<Isa, Facts>;

/// A block.
pub type Block = EncodedBlock<Isa, Facts>;

/// A function.
pub type Code = EncodedFunc<Isa, Facts>;

/// The row of an operation in a form.
///
/// # Panics
/// It has none on this generation.
pub fn row(op: Op, f: Form, literal: bool, generation: u8) -> u16 {
    form::row(op, f, literal, generation).unwrap_or_else(|| panic!("{op:?} has no {f:?} form (literal {literal}) here"))
}
