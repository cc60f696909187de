//! Computes what depends on constants only.
//!
//! Needs: nothing. Keeps: the CFG. Leaves alone: float results that touch denormals, which targets may flush.

use crate::PassCx;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::{Const, Function, Inst, Scalar, eval};

/// Replaces instructions of constants by their results.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    rewrite::run(f, |b, i| match constant(b.func, i) {
        Some(c) if cx.change() => Rewrite::Value(b.func.constant(c)),
        _ => Rewrite::Keep,
    });
}

/// The constant that an instruction computes on every target.
pub(crate) fn constant(f: &Function, i: Inst) -> Option<Const> {
    let d = &f.insts[i];
    let c = eval::fold_inst(f, i)?;
    let arithmetic = d.op != gpucc_ir::Op::Bitcast && d.op.info().attrs.has(gpucc_ir::OpAttrs::speculatable);
    let touches = |c: &Const| c.bits.iter().any(|&b| is_denormal(c.ty.scalar(), b));
    let operands = || d.args.iter().filter_map(|&v| f.as_const(v)).any(touches);
    if arithmetic && !moves_bits(d.op) && (touches(&c) || operands()) {
        return None;
    }
    Some(c)
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
