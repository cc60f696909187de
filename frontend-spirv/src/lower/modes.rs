//! Modes of floats: what entry points ask of denormals and rounding.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Entry;
use gpucc_ir as ir;
use ir::{Denormals, Diagnostic, FloatModes, FpFlags, Rounding, Scalar, Value};
use rspirv::spirv::ExecutionMode as Mode;

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
