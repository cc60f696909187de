//! Products where one instruction takes them in.
//!
//! ```text
//! v1 = fmul v0, k                     v1 = fmul v0, k
//! v2 = fadd u, v1           ==>       v2 = fadd u, v1          (one MAD)
//! v3 = fsub u, v1                     v4 = fmul v0, k
//!                                     v3 = fsub u, v4          (one MAD)
//! ```
//!
//! - A product that only sums read is made again for each: MAD rounds it like MUL. Not where the other operand of a sum is a
//!   product as well, since a MAD takes in one.
//! - A number plus itself is a product with 2 where a sum reads it.
//! - A quotient by a constant is a product with its reciprocal: two roundings, inside the 2.5 ulp of WGSL, as reciprocals at run
//!   time are.
//!
//! Needs and keeps: any IR. Before packing, which looks for sums of products.

use crate::PassCx;
use gpucc_ir::{Attr, Block, Const, Function, Inst, InstData, Op, Scalar, Type, Value};

/// Sums that a product is made for again, at most.
const MOST: usize = 4;

/// Runs the pass. Quotients of scalars stay where [`crate::Caps::divides`] says that there is an instruction for them.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    reciprocals(f, cx);
    divisors(f, cx);
    doubles(f, cx);
    copies(f, cx);
}

/// `x / y` becomes `x * (1 / y)` as selection would make it: one reciprocal for all quotients of a block by one number, and products
/// that sums take in. A single quotient of scalars stays where the chip divides.
fn divisors(f: &mut Function, cx: &mut PassCx<'_>) {
    let divides = cx.caps.divides;
    for b in f.layout.clone() {
        let list = f.blocks[b].insts.clone();
        let by: Vec<Value> = list.iter().filter_map(|&i| divisor(f, i)).collect();
        if by.is_empty() {
            continue;
        }
        let mut made: Vec<(Value, Value)> = Vec::new();
        f.blocks[b].insts.clear();
        for i in list {
            let d = &f.insts[i];
            // A quotient of 1 is the reciprocal itself.
            if let (Op::FRcp | Op::FDiv, Some(v)) = (d.op, d.results.first())
                && f.ty(v).lanes() == 1
                && (d.op == Op::FRcp || f.const_bits(d.args[0]) == Some(1f32.to_bits().into()))
            {
                made.push((d.args[d.args.len() - 1], v));
            }
            let quotient = divisor(f, i).filter(|y| {
                let known = made.iter().any(|m| m.0 == *y) || by.iter().filter(|x| *x == y).count() > 1;
                known || !divides || f.ty(f.insts[i].result()).lanes() > 1
            });
            if let Some(y) = quotient.filter(|_| cx.change()) {
                let (loc, fp, ty) = (f.insts[i].loc, f.insts[i].fp, f.ty(f.insts[i].result()));
                let push = |f: &mut Function, op: Op, v: Value, ty: Type| {
                    let mut new = InstData::new(op, &[v], Attr::None).at(loc);
                    new.fp = fp;
                    let i = f.push_inst(b, new, &[ty]);
                    f.insts[i].result()
                };
                let mut r = match made.iter().find(|m| m.0 == y) {
                    Some(m) => m.1,
                    None => {
                        let r = push(f, Op::FRcp, y, ty.lane());
                        made.push((y, r));
                        r
                    }
                };
                if ty.lanes() > 1 {
                    r = push(f, Op::Splat, r, ty);
                }
                let d = &mut f.insts[i];
                d.op = Op::FMul;
                d.args[1] = r;
            }
            f.blocks[b].insts.push(i);
        }
    }
}

/// The one number that an instruction divides by, if it is a quotient.
fn divisor(f: &Function, i: Inst) -> Option<Value> {
    let d = &f.insts[i];
    let ty = f.ty(d.results.first()?);
    if d.op != Op::FDiv || ty.scalar() != Scalar::F32 || f.const_bits(d.args[0]) == Some(1f32.to_bits().into()) {
        return None;
    }
    if ty.lanes() == 1 { Some(d.args[1]) } else { Some(f.def_op(d.args[1], Op::Splat)?.args[0]) }
}

/// `x + x` becomes `x * 2`, the same number, where a sum reads it: the depth of clip space is one MAD so.
fn doubles(f: &mut Function, cx: &mut PassCx<'_>) {
    let uses = cx.uses(f);
    let double = |&i: &Inst| {
        let d = &f.insts[i];
        let read = |v: Value| match uses.of(v) {
            [u] => takes_in(f, u.inst, v),
            _ => false,
        };
        d.op == Op::FAdd && d.args[0] == d.args[1] && f.ty(d.args[0]).scalar() == Scalar::F32 && read(d.result())
    };
    let list: Vec<Inst> = f.insts_in_order().map(|(_, i)| i).filter(double).collect();
    for i in list.into_iter().take_while(|_| cx.change()) {
        let two = f.fconst(f.ty(f.insts[i].result()), 2.0);
        let d = &mut f.insts[i];
        d.op = Op::FMul;
        d.args[1] = two;
    }
}

/// `x / k` becomes `x * (1 / k)`.
fn reciprocals(f: &mut Function, cx: &mut PassCx<'_>) {
    let list: Vec<Inst> = f.insts_in_order().map(|(_, i)| i).filter(|&i| f.insts[i].op == Op::FDiv).collect();
    for i in list {
        let Some(r) = reciprocal(f, f.insts[i].args[1]).filter(|_| cx.change()) else { continue };
        let r = f.constant(r);
        let d = &mut f.insts[i];
        d.op = Op::FMul;
        d.args[1] = r;
    }
}

/// The reciprocals of a constant's lanes, where all of them are normal numbers.
fn reciprocal(f: &Function, v: Value) -> Option<Const> {
    let c = f.as_const(v).filter(|c| c.ty.scalar() == Scalar::F32)?;
    let mut out = c.clone();
    for bits in &mut out.bits {
        let v = f32::from_bits(*bits as u32);
        let r = 1.0 / v;
        if !v.is_normal() || !r.is_normal() {
            return None;
        }
        *bits = r.to_bits().into();
    }
    Some(out)
}

/// Products for each of the sums that read them.
fn copies(f: &mut Function, cx: &mut PassCx<'_>) {
    let uses = cx.uses(f);
    let mut wanted: Vec<(Inst, Block)> = Vec::new();
    for (b, i) in f.insts_in_order() {
        let d = &f.insts[i];
        if d.op != Op::FMul || f.ty(d.result()).scalar() != Scalar::F32 {
            continue;
        }
        let users = uses.of(d.result());
        let sums = |u: &gpucc_ir::analysis::Use| takes_in(f, u.inst, d.result()) && u.block == b;
        if (2..=MOST).contains(&users.len()) && users.iter().all(sums) {
            wanted.extend(users[1..].iter().map(|u| (u.inst, u.block)).take_while(|_| cx.change()));
        }
    }
    if wanted.is_empty() {
        return;
    }
    wanted.sort_unstable_by_key(|w| w.1);
    for group in wanted.chunk_by(|x, y| x.1 == y.1) {
        let b = group[0].1;
        for i in std::mem::take(&mut f.blocks[b].insts) {
            if group.iter().any(|w| w.0 == i) {
                copy(f, b, i);
            }
            f.blocks[b].insts.push(i);
        }
    }
}

/// Whether an instruction is a sum that one MAD makes with this product.
fn takes_in(f: &Function, i: Inst, product: Value) -> bool {
    let d = &f.insts[i];
    if !matches!(d.op, Op::FAdd | Op::FSub) {
        return false;
    }
    let other = if d.args[0] == product { d.args[1] } else { d.args[0] };
    other != product && f.def_op(other, Op::FMul).is_none()
}

/// Makes the product that a sum reads again, right before it.
fn copy(f: &mut Function, b: Block, sum: Inst) {
    let Some(k) = (0..2).find(|&k| f.def_op(f.insts[sum].args[k], Op::FMul).is_some()) else { return };
    let v = f.insts[sum].args[k];
    let (ty, old) = (f.ty(v), f.def_inst(v).expect("a product"));
    let d = &f.insts[old];
    let mut new = InstData::new(Op::FMul, &d.args, d.attr.clone()).at(d.loc);
    new.fp = d.fp;
    let i = f.push_inst(b, new, &[ty]);
    f.insts[sum].args[k] = f.insts[i].result();
}
