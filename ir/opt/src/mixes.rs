//! Mixes of two constants are one product and one sum.
//!
//! ```text
//! v1 = fsub 1, t
//! v2 = fmul v1, a                     v2 = fmul t, b - a
//! v3 = fmul t, b             ==>      v4 = fadd v2, a          (one MAD)
//! v4 = fadd v2, v3
//! ```
//!
//! WGSL asks for the accuracy of the long form, each of whose operations may be off by one unit in the last place: of `a (1 - t)` two
//! (weight and product), of `b t` and of the sum one. The short form is off by half a unit of `(b - a) t`, by as much again where `b - a` is
//! rounded, and of the sum. That is less everywhere if it is near `t = 1`, where `a (1 - t)` vanishes: if `|b - a|`, twice where it is
//! rounded, is at most `3 |b|`. Other pairs stay as they are.
//!
//! Where `fma` has taken one of the products in, the short form is one `fma`: a rounding less.
//!
//! Of an infinite `t` the long form makes no number, the short one an infinity: WGSL promises nothing about either.
//!
//! Needs: the licences of the source, `contract` and `nsz`, which modules that keep infinities do not give. Keeps: the CFG.

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::{Const, FpFlags, Function, Inst, Op, Scalar, Value};

/// Replaces mixes of two constants by a product and a sum.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.has_any(f, OpSet::of(&[Op::FSub])) {
        return;
    }
    rewrite::run(f, |b, i| {
        let Some((t, from, step)) = mix(b.func, i).filter(|_| cx.change()) else { return Rewrite::Keep };
        let (from, step) = (b.func.constant(from), b.func.constant(step));
        if b.func.insts[i].op == Op::Fma {
            return Rewrite::Value(b.fma(t, step, from));
        }
        let p = b.fmul(t, step);
        Rewrite::Value(b.fadd(p, from))
    });
}

/// The weight, the first constant and the step to the second.
fn mix(f: &Function, i: Inst) -> Option<(Value, Const, Const)> {
    let d = &f.insts[i];
    let licensed = d.fp.has(FpFlags::LOOSE);
    if !matches!(d.op, Op::FAdd | Op::Fma) || f.ty(d.result()).scalar() != Scalar::F32 || !licensed {
        return None;
    }
    let (x, y) = match d.op {
        Op::Fma => (factors(f, [d.args[0], d.args[1]])?, scaled(f, d.args[2])),
        _ => (scaled(f, d.args[0]), scaled(f, d.args[1])),
    };
    let (t, a, b) = if is_rest(f, x.0, y.0) {
        (y.0, x.1, y.1)
    } else if is_rest(f, y.0, x.0) {
        (x.0, y.1, x.1)
    } else {
        return None;
    };
    let mut step = b;
    for (s, p) in step.bits.iter_mut().zip(&a.bits) {
        *s = difference(f32::from_bits(*p as u32), f32::from_bits(*s as u32))?.to_bits().into();
    }
    Some((t, a, step))
}

/// `b - a`, if steps of it are accurate enough.
fn difference(a: f32, b: f32) -> Option<f32> {
    let d = b - a;
    let wide = f64::from(b) - f64::from(a);
    let errors = if f64::from(d) == wide { 1.0 } else { 2.0 };
    let plain = |x: f32| x.is_normal() || x == 0.0;
    (plain(a) && plain(d) && errors * wide.abs() <= 3.0 * f64::from(b).abs()).then_some(d)
}

/// A value, and the constant that multiplies it: 1 where there is none.
fn scaled(f: &Function, v: Value) -> (Value, Const) {
    let found = f.def_op(v, Op::FMul).and_then(|d| factors(f, [d.args[0], d.args[1]]));
    found.unwrap_or_else(|| (v, Const::new(f.ty(v), &[1f32.to_bits().into()])))
}

/// The factor beside a constant, and that.
fn factors(f: &Function, args: [Value; 2]) -> Option<(Value, Const)> {
    (0..2).find_map(|k| Some((args[1 - k], f.as_const(args[k])?.clone())))
}

/// Whether `v` is `1 - t`.
pub(crate) fn is_rest(f: &Function, v: Value, t: Value) -> bool {
    if let (Some(a), Some(b)) = (f.def_op(v, Op::Splat), f.def_op(t, Op::Splat)) {
        return is_rest(f, a.args[0], b.args[0]);
    }
    let one = u64::from(1f32.to_bits());
    f.def_op(v, Op::FSub).is_some_and(|d| f.const_bits(d.args[0]) == Some(one) && d.args[1] == t)
}
