//! Sums of three or four products of lanes are dot products, which round as the sums do.
//!
//! ```text
//! v4 = fadd v1, v2
//! v5 = fadd v4, v3           ==>      v5 = fdot v0, (1, 1, 1)
//! ```
//!
//! where `v1` to `v3` are lanes of `v0`, each of them as it is or times a constant, a lane of a second vector, or itself. DP3 and DP4 round each
//! product and each sum from the first lane on, as the sums of this order did.
//!
//! Needs: any IR. Keeps: the CFG. Products and sums that others read as well stay.

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::analysis::Uses;
use gpucc_ir::{Attr, Builder, Const, Function, Inst, Op, Type, Value};
use smallvec::SmallVec;

/// A product: the lane, and what it is multiplied with.
#[derive(Clone, Copy)]
struct Term {
    x: (Value, u8),
    y: Factor,
}

#[derive(Clone, Copy, PartialEq)]
enum Factor {
    Const(u64),
    Lane(Value, u8),
}

/// Runs the pass. Sums of two products are taken where [`crate::Caps::pair_dots`] says so.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.has_any(f, OpSet::of(&[Op::FAdd])) {
        return;
    }
    let uses = cx.uses(f);
    rewrite::run(f, |b, i| {
        let Some(terms) = sum(b.func, &uses, i) else { return Rewrite::Keep };
        // One MAD makes the sum of a product and anything else.
        let products = terms.iter().filter(|&&v| b.func.def_op(v, Op::FMul).is_some()).count();
        if terms.len() == 2 && (!cx.caps.pair_dots || products < 2) {
            return Rewrite::Keep;
        }
        match dot(b, cx, &terms) {
            Some(v) => Rewrite::Value(v),
            None => Rewrite::Keep,
        }
    });
}

/// The terms of a sum that no sum takes in, from the innermost on.
fn sum(f: &Function, uses: &Uses, i: Inst) -> Option<SmallVec<[Value; 4]>> {
    let d = &f.insts[i];
    if d.op != Op::FAdd || f.ty(d.result()) != Type::F32 {
        return None;
    }
    // The outermost sum comes last, and takes in the others.
    if let [u] = uses.of(d.result())
        && f.insts[u.inst].op == Op::FAdd
        && spine(f, uses, u.inst).is_some_and(|s| s.len() <= 4)
    {
        return None;
    }
    let s = spine(f, uses, i)?;
    (2..=4).contains(&s.len()).then_some(s)
}

/// The operands of a chain of sums, the first two first.
fn spine(f: &Function, uses: &Uses, i: Inst) -> Option<SmallVec<[Value; 4]>> {
    let mut terms: SmallVec<[Value; 4]> = SmallVec::new();
    let mut at = i;
    loop {
        let d = &f.insts[at];
        let inner = (0..2).find(|&k| f.def_op(d.args[k], Op::FAdd).is_some() && uses.count(d.args[k]) == 1);
        if terms.len() > 4 {
            return None;
        }
        match inner {
            Some(k) => {
                terms.push(d.args[1 - k]);
                at = f.def_inst(d.args[k])?;
            }
            None => {
                terms.push(d.args[1]);
                terms.push(d.args[0]);
                terms.reverse();
                return Some(terms);
            }
        }
    }
}

/// The dot product, if all terms are lanes of one vector, and what they are multiplied with are constants or lanes of one vector.
fn dot(b: &mut Builder<'_>, cx: &mut PassCx<'_>, values: &[Value]) -> Option<Value> {
    let f = &*b.func;
    let first = ways(f, values[0]);
    for start in first {
        let mut terms: SmallVec<[Term; 4]> = smallvec::smallvec![start];
        for &v in &values[1..] {
            let fits = |t: &Term| {
                let one = match (t.y, start.y) {
                    (Factor::Const(_), Factor::Const(_)) => true,
                    (Factor::Lane(a, _), Factor::Lane(b, _)) => a == b,
                    _ => false,
                };
                t.x.0 == start.x.0 && one
            };
            let Some(t) = ways(f, v).into_iter().find(fits) else { break };
            terms.push(t);
        }
        if terms.len() == values.len() {
            return cx.change().then(|| emit(b, &terms));
        }
    }
    None
}

/// A value as products of a lane.
fn ways(f: &Function, v: Value) -> SmallVec<[Term; 2]> {
    let one = Factor::Const(1f32.to_bits().into());
    let lane = |v: Value| {
        let d = f.def_op(v, Op::Extract)?;
        match d.attr {
            Attr::Lane(k) => Some((d.args[0], k)),
            _ => None,
        }
    };
    let mut out = SmallVec::new();
    if let Some(x) = lane(v) {
        out.push(Term { x, y: one });
    } else if let Some(m) = f.def_op(v, Op::FMul) {
        for k in [0, 1] {
            let Some(x) = lane(m.args[k]) else { continue };
            if let Some(c) = f.const_bits(m.args[1 - k]) {
                out.push(Term { x, y: Factor::Const(c) });
            } else if let Some((w, l)) = lane(m.args[1 - k]) {
                out.push(Term { x, y: Factor::Lane(w, l) });
            }
        }
    }
    out
}

fn emit(b: &mut Builder<'_>, terms: &[Term]) -> Value {
    let n = terms.len() as u32;
    let from = |b: &mut Builder<'_>, v: Value, lanes: SmallVec<[u8; 4]>| {
        let whole = b.func.ty(v).lanes() == n && lanes.iter().enumerate().all(|(k, &l)| k == usize::from(l));
        if whole { v } else { b.shuffle(v, v, &lanes) }
    };
    let x = from(b, terms[0].x.0, terms.iter().map(|t| t.x.1).collect());
    let y = match terms[0].y {
        Factor::Lane(w, _) => {
            let lanes = terms.iter().map(|t| if let Factor::Lane(_, l) = t.y { l } else { 0 }).collect();
            from(b, w, lanes)
        }
        Factor::Const(_) => {
            let bits: SmallVec<[u64; 4]> =
                terms.iter().map(|t| if let Factor::Const(c) = t.y { c } else { 0 }).collect();
            b.func.constant(Const::new(Type::F32.with_lanes(n), &bits))
        }
    };
    b.fdot(x, y)
}
