//! Products with zero, and with several constants.
//!
//! ```text
//! v1 = fmul v0, 0.0                       (0.0)
//! v2 = fadd v9, v1           ==>          v9
//! v3 = fmul v0, 0.45                      v4 = fmul v0, 0.45 * 1.4427
//! v4 = fmul v3, 1.4427
//! ```
//!
//! - `x * 0` is 0: an infinity or no number, which would make something else of it, is what WGSL lets implementations assume away. A matrix
//!   times a direction, whose last component is 0, is such, and so is a tap in the middle. What is added to it stays alone.
//! - `x * a * b` rounds twice, and so does `x * (a * b)`: the product of the constants and that with `x`. WGSL names this reassociation. An
//!   inner product that others read stays beside it. What a function scales its argument with, as `exp` does, takes the argument's own.
//! - The dot product with the opposite of a vector is the opposite of the one that is there already.
//!
//! Needs: the licences of the source, `contract` and `nsz`, on what goes; of two products on one, and `contract` on the other. Keeps: the CFG.

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::{Const, FpFlags, Function, InstData, Op, Scalar, SecondaryMap, Value};

/// Simplifies products with zero and with several constants.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    zeros(f, cx);
    dots(f, cx);
}

fn zeros(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.has_any(f, OpSet::of(&[Op::Fma, Op::FMul, Op::FAdd, Op::FSub])) {
        return;
    }
    rewrite::run(f, |b, i| {
        if !matches!(b.func.insts[i].op, Op::Fma | Op::FMul | Op::FAdd | Op::FSub) {
            return Rewrite::Keep;
        }
        let f = &*b.func;
        let d = &f.insts[i];
        let licensed = d.fp.has(FpFlags::LOOSE);
        if licensed && d.op == Op::Fma && f.ty(d.result()).scalar() == Scalar::F32 {
            let none = d.args[..2].iter().any(|&a| is_zero(f, a));
            return if none && cx.change() { Rewrite::Value(d.args[2]) } else { Rewrite::Keep };
        }
        if !d.fp.has(FpFlags::CONTRACT) || d.args.len() != 2 || f.ty(d.args[0]).scalar() != Scalar::F32 {
            return Rewrite::Keep;
        }
        match d.op {
            Op::FMul => {
                if let Some(k) = d.args.iter().position(|&a| licensed && is_zero(f, a)) {
                    return if cx.change() { Rewrite::Value(d.args[k]) } else { Rewrite::Keep };
                }
                let Some((x, c)) = constants(f, d).filter(|_| cx.change()) else { return Rewrite::Keep };
                let c = b.func.constant(c);
                Rewrite::Value(b.fmul(x, c))
            }
            Op::FAdd => match d.args.iter().position(|&a| licensed && is_zero(f, a)) {
                Some(k) if cx.change() => Rewrite::Value(d.args[1 - k]),
                _ => Rewrite::Keep,
            },
            Op::FSub if licensed && is_zero(f, d.args[1]) && cx.change() => Rewrite::Value(d.args[0]),
            _ => Rewrite::Keep,
        }
    });
}

fn is_zero(f: &Function, v: Value) -> bool {
    f.as_const(v).is_some_and(|c| c.bits.iter().all(|&b| b as u32 & 0x7fff_ffff == 0))
}

/// The value that two constants multiply one after the other, and their product. One of the two products at least has all licences.
fn constants(f: &Function, d: &InstData) -> Option<(Value, Const)> {
    let split = |d: &InstData| (0..2).find_map(|k| Some((d.args[1 - k], f.as_const(d.args[k])?.clone())));
    let (v, mut c) = split(d)?;
    let inner = f.def_op(v, Op::FMul).filter(|m| m.fp.has(FpFlags::CONTRACT))?;
    if !d.fp.has(FpFlags::LOOSE) && !inner.fp.has(FpFlags::LOOSE) {
        return None;
    }
    let (x, by) = split(inner)?;
    for (b, k) in c.bits.iter_mut().zip(&by.bits) {
        let p = f32::from_bits(*b as u32) * f32::from_bits(*k as u32);
        if !p.is_normal() {
            return None;
        }
        *b = p.to_bits().into();
    }
    Some((x, c))
}

/// Joins dot products of the same operands within a block: what is made of the operands themselves comes first or last.
fn dots(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.has_any(f, OpSet::of(&[Op::FDot])) {
        return;
    }
    let before = cx.changes();
    let mut replace: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    for b in f.layout.clone() {
        let all: Vec<_> = f.blocks[b].insts.iter().copied().filter(|&i| f.insts[i].op == Op::FDot).collect();
        if all.len() < 2 {
            continue;
        }
        // By their operands without signs: the first one that was made.
        let mut made: Vec<([Value; 2], bool, Value)> = Vec::new();
        let list = std::mem::take(&mut f.blocks[b].insts);
        for i in list {
            let d = f.insts[i].clone();
            if d.op != Op::FDot {
                f.blocks[b].insts.push(i);
                continue;
            }
            let mut minus = false;
            let mut key = [d.args[0], d.args[1]].map(|v| match f.def_op(v, Op::FNeg) {
                Some(n) => {
                    minus ^= true;
                    n.args[0]
                }
                None => v,
            });
            key.sort_unstable();
            let twin = made.iter().find(|m| m.0 == key).copied();
            match twin.filter(|_| cx.change()) {
                Some((_, m, v)) if m == minus => replace.set(d.result(), Some(v)),
                Some((_, _, v)) => {
                    let ty = f.ty(v);
                    let n = InstData::new(Op::FNeg, &[v], gpucc_ir::Attr::None).at(d.loc).fp(d.fp);
                    let n = f.push_inst(b, n, &[ty]);
                    replace.set(d.result(), Some(f.insts[n].result()));
                }
                None => {
                    made.push((key, minus, d.result()));
                    f.blocks[b].insts.push(i);
                }
            }
        }
    }
    if cx.changes() > before {
        f.replace_uses(&replace);
    }
}
