//! Encoded code of this family.
//!
//! A block begins wherever an address is pushed or branched to, so also at each join. What pushes an address names its block, and has
//! it among the successors: lanes get there once others come to the join or leave the loop.

use core::fmt;

use gpucc_isa::{Inst, Packed};
use gpucc_mir::{EncodedBlock, EncodedFunc, ModValue as _, Payload};
use gpucc_tesla_machine::{Pred, Tesla as Isa};

use crate::inst::Carried;

/// Nothing is known of an instruction besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts;

impl Payload<Isa> for Facts {
    fn of(_: &Inst<Isa>) -> Facts {
        Facts
    }

    fn falls(inst: &Packed<Isa>) -> bool {
        let ends = inst.row().effects.terminator && inst.get("pred").is_none_or(|p| p == Pred::Always.bits());
        !ends && inst.get("ei") != Some(Carried::Exit.bits())
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// An encoded instruction with Tesla's facts.
pub type EncodedInst = gpucc_mir::EncodedInst<Isa, Facts>;

/// A block of encoded instructions.
pub type Block = EncodedBlock<Isa, Facts>;

/// A function of encoded blocks.
pub type Code = EncodedFunc<Isa, Facts>;
