//! A product times a power of two beside a constant is scaled as a sum.
//!
//! ```text
//! v1 = fmul v0, v9                        v2 = fma v0, v9, -0.5
//! v3 = fma v1, 2.0, -1.0        ==>       v3 = fmul v2, 2.0
//! ```
//!
//! From 0..1 to -1..1 is such, as vertices bring pixels to the screen. Where an instruction scales what it has made, both are one. The
//! product is rounded no more, as in any other `fma`; a power of two changes no digit of the constant.
//!
//! Needs: the licence `contract` on both. Keeps: the CFG. Makes as many instructions as it takes away; leaves alone what others read.

use gpucc_ir::{Const, FpFlags, Function, InstData, Op, Scalar, Value};

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};

/// Brings powers of two behind the sums of products.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.has_any(f, OpSet::of(&[Op::Fma])) || !cx.modes().is_plain() {
        return;
    }
    // Few functions have one.
    if !f.insts_in_order().any(|(_, i)| scaled(f, &f.insts[i]).is_some()) {
        return;
    }
    let uses = cx.uses(f);
    rewrite::run(f, |b, i| {
        let d = &b.func.insts[i];
        let Some(sum) = scaled(b.func, d).filter(|s| uses.of(s.product).len() == 1) else { return Rewrite::Keep };
        if !cx.change() {
            return Rewrite::Keep;
        }
        let rest = b.func.constant(sum.rest);
        let inner = b.fma(sum.factors[0], sum.factors[1], rest);
        Rewrite::Value(b.fmul(inner, sum.by))
    });
}

/// A sum that can be scaled.
struct Scaled {
    /// The product that goes, and its factors.
    product: Value,
    factors: [Value; 2],
    /// The power of two.
    by: Value,
    /// What is added, divided by that.
    rest: Const,
}

fn scaled(f: &Function, d: &InstData) -> Option<Scaled> {
    if d.op != Op::Fma || f.ty(d.result()).scalar() != Scalar::F32 {
        return None;
    }
    let loose = |d: &InstData| d.fp.has(FpFlags::CONTRACT);
    let mut rest = f.as_const(d.args[2]).filter(|_| loose(d))?.clone();
    let (product, by) = [(d.args[0], d.args[1]), (d.args[1], d.args[0])].into_iter().find(|p| is_power(f, p.1))?;
    let m = f.def_op(product, Op::FMul).filter(|m| loose(m))?;
    let powers = f.as_const(by)?;
    for (bits, &k) in rest.bits.iter_mut().zip(&powers.bits) {
        let whole = f32::from_bits(*bits as u32);
        let part = whole / f32::from_bits(k as u32);
        // Neither too small nor too large for its digits.
        if !whole.is_normal() || !part.is_normal() {
            return None;
        }
        *bits = part.to_bits().into();
    }
    Some(Scaled { product, factors: [m.args[0], m.args[1]], by, rest })
}

/// Whether a constant is a power of two other than 1 in each lane.
fn is_power(f: &Function, v: Value) -> bool {
    let power = |b: u64| {
        let k = f32::from_bits(b as u32);
        k.is_normal() && k.to_bits() << 9 == 0 && k.abs() != 1.0
    };
    f.as_const(v).is_some_and(|c| c.bits.iter().all(|&b| power(b)))
}
