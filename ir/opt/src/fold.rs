//! Computes what depends on constants only.
//!
//! Needs: nothing. Keeps: the CFG. Leaves alone: float results that touch denormals, which targets may flush, and where the entry point asks
//! for another rounding, what is rounded.

use crate::PassCx;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::{Const, FloatModes, Function, Inst, InstData, Scalar, eval};

/// Replaces instructions of constants by their results.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let modes = cx.modes();
    rewrite::run(f, |b, i| match constant(b.func, i, modes) {
        Some(c) if cx.change() => Rewrite::Value(b.func.constant(c)),
        _ => Rewrite::Keep,
    });
}

/// The constant that an instruction computes on every target.
fn constant(f: &Function, i: Inst, modes: FloatModes) -> Option<Const> {
    let d = &f.insts[i];
    // Most instructions are left at their first operand.
    if d.args.is_empty() || !d.args.iter().all(|&v| f.is_const(v)) || is_cut(f, d, modes) {
        return None;
    }
    let c = eval::fold_inst(f, i)?;
    let arithmetic = d.op != gpucc_ir::Op::Bitcast && d.op.info().attrs.has(gpucc_ir::OpAttrs::speculatable);
    let touches = |c: &Const| c.bits.iter().any(|&b| is_denormal(c.ty.scalar(), b));
    let operands = || d.args.iter().filter_map(|&v| f.as_const(v)).any(touches);
    if arithmetic && !moves_bits(d.op) && (touches(&c) || operands()) {
        return None;
    }
    Some(c)
}

/// Whether an instruction may round, in a direction that the evaluation of constants does not know.
pub(crate) fn is_cut(f: &Function, d: &InstData, modes: FloatModes) -> bool {
    use gpucc_ir::Op::*;
    let cut = match d.op {
        PackHalf2x16 => modes.f16.cuts(),
        _ => d.results.iter().any(|r| modes.of(f.ty(r).scalar()).cuts()),
    };
    let whole = matches!(d.op, FSign | FMin | FMax | FSat | FFloor | FCeil | FTrunc | FRoundEven | FQuant16);
    cut && !whole && !moves_bits(d.op)
}

/// Whether an op hands float bits on without computing.
fn moves_bits(op: gpucc_ir::Op) -> bool {
    use gpucc_ir::Op::*;
    matches!(op, FNeg | FAbs | Select | Splat | Compose | Extract | Insert | ExtractDyn | InsertDyn | Shuffle | Bitcast)
}

fn is_denormal(s: Scalar, b: u64) -> bool {
    let (exp, frac) = match s {
        Scalar::F16 => (0x7c00, 0x3ff),
        Scalar::F32 => (0x7f80_0000, 0x7f_ffff),
        Scalar::F64 => (0x7ff0_0000_0000_0000, 0xf_ffff_ffff_ffff),
        _ => return false,
    };
    b & exp == 0 && b & frac != 0
}
