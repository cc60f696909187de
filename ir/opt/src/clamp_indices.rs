//! Clamps indices instead of byte offsets, so that the scaling goes into the memory instruction.
//!
//! ```text
//! v2 = shl v1, 2                      v2 = umin v1, limit >> 2
//! v3 = umin v2, limit           ==>   v3 = shl v2, 2            (LOAD and STORE shift by themselves)
//! load buf[v3]                        load buf[v3]
//! ```
//!
//! Only for offsets of loads and stores, where the clamp comes from bounds handling: an index whose scaled value wraps
//! around is out of bounds, and any place inside the buffer will do for it. `limit >> 2` is a uniform word.
//! Needs: nothing. Keeps: the CFG.

use crate::PassCx;
use gpucc_ir::{Attr, EntitySet, Function, InstData, Op, SecondaryMap, Type, Value};

/// Largest shift of a memory instruction.
const MOST: u32 = 7;

/// The factor of `v`: `v = x << s`.
pub fn scaled(f: &Function, v: Value) -> Option<(Value, u32)> {
    let d = &f.insts[f.def_inst(v)?];
    let shift = match d.op {
        Op::Shl => f.const_bits(d.args[1])? as u32 & 31,
        Op::IMul => {
            let b = f.const_bits(d.args[1])? as u32;
            if !b.is_power_of_two() {
                return None;
            }
            b.trailing_zeros()
        }
        _ => return None,
    };
    (shift > 0 && shift <= MOST).then_some((d.args[0], shift))
}

/// Replaces clamps of byte offsets by clamps of indices.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let mut new_of: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let mut wanted: EntitySet<Value> = EntitySet::new();
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        if matches!(d.op, Op::Load | Op::Store)
            && let Some(v) = d.dyn_offset()
            && !wanted.contains(v)
            && clamp_of(f, v).is_some()
            && cx.change()
        {
            wanted.insert(v);
        }
    }
    if wanted.count() == 0 {
        return;
    }
    for b in f.layout.clone() {
        let old = std::mem::take(&mut f.blocks[b].insts);
        for i in old {
            let result = f.insts[i].results.first();
            f.blocks[b].insts.push(i);
            let Some(v) = result.filter(|&v| wanted.contains(v)) else { continue };
            let Some((x, shift, limit)) = clamp_of(f, v) else { continue };
            let loc = f.insts[i].loc;
            let amount = f.iconst(Type::I32, i64::from(shift));
            let op = |f: &mut Function, op: Op, a: Value, c: Value| {
                let i = f.push_inst(b, InstData::new(op, &[a, c], Attr::None).at(loc), &[Type::I32]);
                f.insts[i].result()
            };
            let limit = match f.const_bits(limit) {
                Some(c) => f.iconst(Type::I32, i64::from(c as u32 >> shift)),
                None => op(f, Op::UShr, limit, amount),
            };
            let index = op(f, Op::UMin, x, limit);
            let offset = op(f, Op::Shl, index, amount);
            new_of[v] = Some(offset);
        }
    }
    for b in f.layout.clone() {
        for i in f.blocks[b].insts.clone() {
            let d = &mut f.insts[i];
            if matches!(d.op, Op::Load | Op::Store)
                && let Some(k) = d.dyn_index()
                && let Some(new) = d.args.get(k).and_then(|&v| new_of[v])
            {
                d.args[k] = new;
            }
        }
    }
}

/// `(x, s, limit)` where `v = umin(x << s, limit)` and the limit is a constant or made of a buffer's length.
fn clamp_of(f: &Function, v: Value) -> Option<(Value, u32, Value)> {
    let d = &f.insts[f.def_inst(v)?];
    if d.op != Op::UMin || f.ty(v) != Type::I32 {
        return None;
    }
    for k in [0, 1] {
        let limit = d.args[1 - k];
        if let Some((x, s)) = scaled(f, d.args[k]) {
            let whole = without_mask(f, limit, s);
            if f.const_bits(limit).is_some() || length_less(f, whole).is_some() {
                return Some((x, s, whole));
            }
        }
    }
    None
}

/// The value of `v` before a mask takes away bits below bit `s`: where they are shifted out, the mask does nothing.
fn without_mask(f: &Function, v: Value, s: u32) -> Value {
    let masked = f.def_op(v, Op::And).and_then(|d| Some((d.args[0], f.const_bits(d.args[1])? as u32)));
    masked.filter(|m| m.1 | ((1 << s) - 1) == u32::MAX).map_or(v, |m| m.0)
}

/// `(resource, k)` where `v` is the length of a buffer less `k` bytes.
pub fn length_less(f: &Function, v: Value) -> Option<(gpucc_ir::Res, u32)> {
    let d = &f.insts[f.def_inst(v)?];
    let of = |v: Value| match &f.insts[f.def_inst(v)?] {
        InstData { op: Op::BufferLength, attr: Attr::Res(r), .. } => Some(*r),
        _ => None,
    };
    match d.op {
        Op::BufferLength => of(v).map(|r| (r, 0)),
        Op::ISub => Some((of(d.args[0])?, f.const_bits(d.args[1])? as u32)),
        Op::IAdd => {
            let k = (f.const_bits(d.args[1])? as u32).wrapping_neg();
            (k < 1 << 31).then_some((of(d.args[0])?, k))
        }
        _ => None,
    }
}
