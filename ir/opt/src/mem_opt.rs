//! Memory that is known already: loads behind a store or load of the same bytes, stores that are overwritten unread.
//!
//! Looks along chains of blocks with one predecessor each. Two accesses are of the same bytes if place, dynamic offset and
//! constant offset are equal; with equal dynamic offsets, constant ranges tell apart what cannot overlap.
//!
//! In fragment entries a store to a buffer says nothing of what a load finds: a helper stores nothing, its load sees the old
//! bytes, and derivatives may depend on them. A demotion keeps the stores before it.
//!
//! Needs: nothing. Keeps: the CFG. A barrier forgets the spaces that it orders; atomics and volatile accesses forget their
//! place and are never removed.

use crate::PassCx;
use gpucc_ir::{Attr, Block, Builder, Const, Function, Inst, Op, Place, SecondaryMap, Space, Type, Value};

#[derive(Clone)]
struct Known {
    place: Place,
    dynamic: Option<Value>,
    offset: u32,
    ty: Type,
    value: Value,
}

/// The most facts kept at once: more would make long blocks quadratic.
const MOST: usize = 64;

/// Forwards known memory to loads, then removes stores that nothing reads.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    forward(f, cx);
    dead_stores(f, cx);
}

fn forward(f: &mut Function, cx: &mut PassCx<'_>) {
    let preds = cx.preds(f);
    let mut out: SecondaryMap<Block, Option<Vec<Known>>> = SecondaryMap::with_default(None);
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let mut old = Vec::new();
    for b in f.layout.clone() {
        let mut known: Vec<Known> = match preds[b][..] {
            [p] => out[p].clone().unwrap_or_default(),
            _ => Vec::new(),
        };
        f.take_insts(b, &mut old);
        for &i in &old {
            f.replace_uses_of(i, &map);
            if step(f, cx, b, i, &mut known, &mut map) {
                f.blocks[b].insts.push(i);
            }
            if known.len() > MOST {
                known.remove(0);
            }
        }
        out[b] = Some(known);
    }
    f.replace_uses(&map);
}

/// Takes note of an instruction; false if it goes.
fn step(
    f: &mut Function,
    cx: &mut PassCx<'_>,
    block: Block,
    i: Inst,
    known: &mut Vec<Known>,
    map: &mut SecondaryMap<Value, Option<Value>>,
) -> bool {
    if !matches!(f.insts[i].attr, Attr::Barrier(_) | Attr::Call(_) | Attr::Place(_) | Attr::Mem(_) | Attr::Atomic(..)) {
        return true;
    }
    let d = f.insts[i].clone();
    match (&d.attr, d.op) {
        (Attr::Barrier(b), _) => {
            known.retain(|k| match cx.module.space(k.place) {
                Space::Workgroup => !b.workgroup,
                Space::Storage => !b.storage,
                Space::Uniform | Space::Function | Space::Private => true,
            });
            true
        }
        (_, Op::Call) => {
            known.clear();
            true
        }
        (Attr::Place(p), _) => {
            known.retain(|k| k.place != *p);
            true
        }
        (Attr::Mem(m), Op::Load) if m.flags.is_plain() => {
            let ty = f.ty(d.result());
            let dynamic = d.dyn_offset();
            let hit = known.iter().find(|k| {
                k.place == m.place
                    && k.dynamic == dynamic
                    && k.offset == m.offset
                    && k.ty.lanes() == ty.lanes()
                    && k.ty.bits() == ty.bits()
                    && (k.ty == ty || !(k.ty.is_bool() || ty.is_bool()))
            });
            if let Some(v) = hit.map(|k| k.value)
                && cx.change()
            {
                let v = cast(&mut Builder::like(f, block, i), v, ty, cx.caps.scalar);
                map[d.result()] = Some(v);
                return false;
            }
            known.push(Known { place: m.place, dynamic, offset: m.offset, ty, value: d.result() });
            true
        }
        (Attr::Mem(m), Op::Store) if m.flags.is_plain() => {
            let ty = f.ty(d.args[0]);
            let dynamic = d.dyn_offset();
            known.retain(|k| {
                let same = k.place == m.place;
                !cx.module.overlap(k.place, m.place) || same && apart(k.dynamic, k.offset, k.ty, dynamic, m.offset, ty)
            });
            let helpers = cx.has_helpers() && cx.module.space(m.place) == Space::Storage;
            if !helpers {
                known.push(Known { place: m.place, dynamic, offset: m.offset, ty, value: d.args[0] });
            }
            true
        }
        (Attr::Mem(m) | Attr::Atomic(_, m), _) => {
            known.retain(|k| !cx.module.overlap(k.place, m.place));
            true
        }
        _ => true,
    }
}

/// A value as one of another kind whose lanes are as wide. Scalar targets have no `bitcast` of a vector, and behind the pass for
/// scalars nobody takes one apart.
fn cast(b: &mut Builder<'_>, v: Value, ty: Type, scalar: bool) -> Value {
    if b.func.ty(v) == ty {
        return v;
    }
    if let Some(c) = b.func.as_const(v) {
        let bits = c.bits.clone();
        return b.func.constant(Const { ty, bits });
    }
    if !scalar || !ty.is_vector() {
        return b.bitcast(v, ty);
    }
    let lane = |b: &mut Builder<'_>, k: u32| {
        let part = b.extract(v, k);
        b.bitcast(part, ty.with_lanes(1))
    };
    let parts: Vec<Value> = (0..ty.lanes()).map(|k| lane(b, k)).collect();
    b.compose(&parts)
}

/// Whether two accesses of one place cannot overlap.
fn apart(d1: Option<Value>, o1: u32, t1: Type, d2: Option<Value>, o2: u32, t2: Type) -> bool {
    d1 == d2 && (end(o1, t1) <= o2.into() || end(o2, t2) <= o1.into())
}

/// Where an access ends. A constant index may lead to the end of all that offsets can name.
fn end(offset: u32, ty: Type) -> u64 {
    u64::from(offset) + u64::from(ty.mem_bytes())
}

/// Stores whose bytes are all written again in the same block before anything can read them.
fn dead_stores(f: &mut Function, cx: &mut PassCx<'_>) {
    // Up, as each block is walked.
    for b in f.layout.clone().into_iter().rev() {
        // Registers that later code overwrites, looking backwards.
        let mut over: Vec<(Place, Option<Value>, u32, Type)> = Vec::new();
        let mut gone: Vec<Inst> = Vec::new();
        for &i in f.blocks[b].insts.iter().rev() {
            let d = &f.insts[i];
            match (&d.attr, d.op) {
                (Attr::Mem(m), Op::Store) if m.flags.is_plain() => {
                    let (ty, dynamic) = (f.ty(d.args[0]), d.dyn_offset());
                    let covered = over.iter().any(|o| {
                        o.0 == m.place && o.1 == dynamic && o.2 <= m.offset && end(m.offset, ty) <= end(o.2, o.3)
                    });
                    if covered && cx.change() {
                        gone.push(i);
                        continue;
                    }
                    if over.len() < MOST {
                        over.push((m.place, dynamic, m.offset, ty));
                    }
                }
                (Attr::Mem(m), Op::Load) if m.flags.is_plain() => {
                    let (ty, dynamic) = (f.ty(d.result()), d.dyn_offset());
                    over.retain(|o| {
                        let same = o.0 == m.place;
                        !cx.module.overlap(o.0, m.place) || same && apart(o.1, o.2, o.3, dynamic, m.offset, ty)
                    });
                }
                (Attr::Mem(m) | Attr::Atomic(_, m), _) => over.retain(|o| !cx.module.overlap(o.0, m.place)),
                (_, Op::Barrier | Op::Call | Op::Demote) => over.clear(),
                _ => {}
            }
        }
        // Both are in the order of the code, this one from its end.
        f.blocks[b].insts.retain(|i| gone.pop_if(|g| g == i).is_none());
    }
}
