//! Modes of floats: what entry points ask of denormals and rounding, and what they promise less than the caller allows.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::{Entry, Module};
use gpucc_ir as ir;
use ir::{Denormals, Diagnostic, FloatModes, FpFlags, Rounding, Scalar, Value};
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

/// What an entry point asks of its floats.
///
/// # Errors
/// `Invalid` of a width that there is not, and of two that exclude each other.
pub fn float_modes(entry: &Entry) -> Lowered<FloatModes> {
    let mut modes = FloatModes::ANY;
    for (mode, operands) in &entry.modes {
        let asks = matches!(
            mode,
            Mode::DenormPreserve
                | Mode::DenormFlushToZero
                | Mode::RoundingModeRTE
                | Mode::RoundingModeRTZ
                | Mode::SignedZeroInfNanPreserve
        );
        if !asks {
            continue;
        }
        let wrong = |why: &str| {
            let of = operands.first().map_or(String::new(), |n| format!(" {n}"));
            Err(Diagnostic::invalid("validation", format!("`OpExecutionMode {mode:?}{of}` of `{}`: {why}", entry.name)))
        };
        let scalar = match operands.as_slice() {
            [16] => Scalar::F16,
            [32] => Scalar::F32,
            [64] => Scalar::F64,
            _ => return wrong("floats have 16, 32 or 64 bits"),
        };
        let Some(own) = modes.of_mut(scalar) else { continue };
        let fits = match mode {
            Mode::DenormPreserve => put(&mut own.denormals, Denormals::Any, Denormals::Preserve),
            Mode::DenormFlushToZero => put(&mut own.denormals, Denormals::Any, Denormals::Flush),
            Mode::RoundingModeRTE => put(&mut own.rounding, Rounding::Any, Rounding::Nearest),
            Mode::RoundingModeRTZ => put(&mut own.rounding, Rounding::Any, Rounding::Zero),
            _ => true,
        };
        if !fits {
            return wrong("another mode says the opposite");
        }
    }
    Ok(modes)
}

/// Sets what nothing else was said of.
fn put<T: PartialEq + Copy>(to: &mut T, unsaid: T, said: T) -> bool {
    let fits = *to == unsaid || *to == said;
    *to = said;
    fits
}

/// The widths of which an entry point has a mode, as a set of bits.
pub fn widths(entries: &[&Entry], mode: Mode) -> u32 {
    let all = entries.iter().flat_map(|e| &e.modes).filter(|m| m.0 == mode);
    all.filter_map(|m| m.1.first()).fold(0, |set, n| set | n & (16 | 32 | 64))
}

impl FuncCx<'_, '_> {
    /// A result of an op that moves bits, where it must be zero in place of a denormal: the product with one is.
    pub fn flush(&mut self, v: Value) -> Value {
        let ty = self.code.f.ty(v);
        if !ty.is_float() || self.m.flushed & ty.bits() == 0 {
            return v;
        }
        if self.folds {
            return self.without_denormals(v);
        }
        let one = self.code.f.fconst(ty, 1.0);
        let before = std::mem::replace(&mut self.code.fp, FpFlags::NONE);
        let flushed = self.b().fmul(v, one);
        self.code.fp = before;
        flushed
    }

    /// Zero of its sign for a denormal, by its bits.
    fn without_denormals(&mut self, v: Value) -> Value {
        let ty = self.code.f.ty(v);
        let bits = self.code.bitcast(v, ty.to_int());
        let least = match ty.scalar() {
            Scalar::F16 => 1 << 10,
            Scalar::F32 => 1 << 23,
            _ => 1 << 52,
        };
        let (sign, least) = (self.code.iconst(bits, i64::MIN >> (64 - ty.bits())), self.code.iconst(bits, least));
        let sign = self.b().and(bits, sign);
        let magnitude = self.b().xor(bits, sign);
        let denormal = self.b().icmp(ir::IntCc::Ult, magnitude, least);
        let kept = self.b().select(denormal, sign, bits);
        self.code.bitcast(kept, ty)
    }
}
