//! A whole power of a number is made of its squares.
//!
//! ```text
//! v1 = flog2 v0                      v1 = fmul v0, v0
//! v2 = fmul v1, 4.0          ==>     v3 = fmul v1, v1
//! v3 = fexp2 v2
//! ```
//!
//! Where that is fewer instructions than logarithm and exponential are on a target that writes both with several: seven products for one
//! of each. An error of a logarithm grows with the exponent as that of a square does with each further one, so products are closer. A
//! negative number has no logarithm: WGSL says nothing about its powers.
//!
//! Needs: the licence `contract` on all three; what is to be computed as it is written has none. Keeps: the CFG.

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::{FpFlags, Function, Inst, Op, Scalar, Value};

/// Products that are fewer than a logarithm, an exponential and what lies between.
const MOST: u32 = 7;

/// Writes whole powers as products.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.has_any(f, OpSet::of(&[Op::FExp2])) {
        return;
    }
    rewrite::run(f, |b, i| {
        let Some((x, n)) = power(b.func, i).filter(|_| cx.change()) else { return Rewrite::Keep };
        // The highest bit is the number itself.
        let v = (0..n.ilog2()).rev().fold(x, |v, k| {
            let square = b.fmul(v, v);
            if n >> k & 1 == 1 { b.fmul(square, x) } else { square }
        });
        Rewrite::Value(v)
    });
}

/// A number and its exponent.
fn power(f: &Function, i: Inst) -> Option<(Value, u32)> {
    let licensed = |v: Value, op: Op| f.def_op(v, op).filter(|d| d.fp.has(FpFlags::CONTRACT));
    let d = &f.insts[i];
    if d.op != Op::FExp2 || f.ty(d.result()).scalar() != Scalar::F32 {
        return None;
    }
    let product = licensed(licensed(d.result(), Op::FExp2)?.args[0], Op::FMul)?;
    let (log, exponent) = (0..2).find_map(|k| Some((licensed(product.args[k], Op::FLog2)?, product.args[1 - k])))?;
    let k = f32::from_bits(u32::try_from(f.const_bits(exponent)?).ok()?);
    let n = k as u32;
    let products = n.checked_ilog2()? + n.count_ones() - 1;
    (n as f32 == k && n > 1 && products <= MOST).then_some((log.args[0], n))
}
