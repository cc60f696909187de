//! Encoded code of this family. The program ends where its last block does; that one is empty where something branches to the end.

use core::fmt;

use gpucc_isa::{Inst, Packed};
use gpucc_mir::{EncodedBlock, EncodedFunc, Payload};
use gpucc_vivante_machine::{Op, Vivante as Isa};

/// Nothing is known of an instruction besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts;

impl Payload<Isa> for Facts {
    const ENDS: bool = true;

    fn of(_: &Inst<Isa>) -> Facts {
        Facts
    }

    fn falls(inst: &Packed<Isa>) -> bool {
        inst.op() != Op::Branch
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// An encoded instruction with Vivante's facts.
pub type EncodedInst = gpucc_mir::EncodedInst<Isa, Facts>;

/// A block of encoded instructions.
pub type Block = EncodedBlock<Isa, Facts>;

/// A function of encoded blocks.
pub type Code = EncodedFunc<Isa, Facts>;
