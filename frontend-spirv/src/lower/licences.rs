//! Licences of float arithmetic by width: what entry points promise less than the caller allows.

use crate::module::{Entry, Module};
use gpucc_ir::FpFlags;
use rspirv::spirv::{ExecutionMode as Mode, Op};

/// The freedom of arithmetic on floats of 16, 32 and 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Licences([FpFlags; 3]);

impl Licences {
    /// What the caller allows, where entry points promise less: of the widths that they name.
    pub fn new(fp: FpFlags, m: &Module, entries: &[&Entry], invariant: bool) -> Licences {
        let mut all = Licences([fp; 3]);
        if invariant {
            all.keep(None, !FpFlags::CONTRACT.0);
        }
        for (mode, operands) in entries.iter().flat_map(|e| &e.modes) {
            let bits = operands.first().copied();
            match mode {
                Mode::SignedZeroInfNanPreserve => all.keep(bits, !FpFlags::NSZ.0),
                // What is rearranged rounds elsewhere, and has other denormals on the way.
                Mode::DenormPreserve | Mode::DenormFlushToZero | Mode::RoundingModeRTZ => {
                    all.keep(bits, FpFlags::CONTRACT.0);
                }
                Mode::ContractionOff => all.keep(None, !FpFlags::CONTRACT.0),
                Mode::FPFastMathDefault => all.keep(bits.and_then(|id| width(m, id)), 0),
                _ => {}
            }
        }
        all
    }

    /// Leaves only these to floats of a width; of none to all.
    fn keep(&mut self, bits: Option<u32>, flags: u8) {
        for (fp, own) in self.0.iter_mut().zip([16, 32, 64]) {
            if bits.is_none_or(|bits| bits == own) {
                fp.0 &= flags;
            }
        }
    }

    /// What arithmetic is allowed that has these widths, a set of bits; of none what all are.
    pub fn of(self, widths: u32) -> FpFlags {
        let set = if widths == 0 { !0 } else { widths };
        let own = self.0.into_iter().zip([16, 32, 64]).filter(|(_, bits)| set & bits != 0);
        own.map(|(fp, _)| fp).reduce(FpFlags::and).unwrap_or(FpFlags::NONE)
    }

    /// Whether all widths are allowed the same.
    pub fn are_alike(self) -> bool {
        self.0[0] == self.0[1] && self.0[1] == self.0[2]
    }
}

/// The bits of a type of floats.
fn width(m: &Module, id: u32) -> Option<u32> {
    let inst = m.def(id).map(|at| &m.insts[at]).filter(|i| i.op == Op::TypeFloat)?;
    m.operands(inst).first().copied()
}
