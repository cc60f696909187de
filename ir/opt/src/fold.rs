//! Computes what depends on constants only.
//!
//! Needs: nothing. Keeps: the CFG. Leaves alone: float results that touch denormals, which targets may flush.

use crate::Cx;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::{Const, Function, Inst, Scalar, eval};

/// Runs the pass.
pub fn run(f: &mut Function, cx: &mut Cx<'_>) {
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

#[cfg(test)]
mod tests {
    use super::run;
    use crate::testing::{opt, unchanged};

    #[test]
    fn folds_chains_and_vectors() {
        let t = opt(
            run,
            "func0 \"f\" {\nblock0:\n  v0: i32 = iadd 2:i32, 3:i32\n  v1: i32 = imul v0, -4:i32\n  v2: f32 = s2f v1\n\
             v3: f32x2 = splat v2\n  v4: f32x2 = fadd v3, [1.0, 2.0]:f32x2\n  v5: f32 = extract v4, lane 1\n\
             store v5, res1[0] align 4\n  v6: i32 = sdiv 7:i32, 0:i32\n  store v6, res1[4] align 4\n  ret\n}"
                .replace("res1[4]", "res1[0]")
                .as_str(),
        );
        assert_eq!(
            t,
            "func0 \"f\" {\nblock0:\n  store -18.0:f32, res1[0] align 4\n  store 7:i32, res1[0] align 4\n  ret\n}\n"
        );
    }

    #[test]
    fn leaves_denormals_and_effects() {
        unchanged(
            run,
            "func0 \"f\" {\nblock0:\n  v0: f32 = fmul 1e-30:f32, 1e-10:f32\n  store v0, res1[0] align 4\n\
             v1: i32 = atomic.add 1:i32, res1[0] align 4\n  ret\n}",
        );
    }
}
