//! Neighbouring loads become one wide load, neighbouring stores one wide store.
//!
//! ```text
//! a = load res0[0 + v]; b = load res0[4 + v]      ==>      w = load res0[0 + v] : i32x2; a = w.0; b = w.1
//! ```
//!
//! Needs: nothing. Keeps: the CFG. Within a block, of one place and one dynamic offset, with nothing between that writes (or
//! for stores: touches) the place or orders memory, or demotes lanes. Never wider than `Caps::merge_access`, never less aligned than the
//! target can take: the address must be aligned to the whole access (two to four lanes of 32 bits; three count as four if
//! `Caps::strict_align`). Bytes that nobody asked for are neither read nor written. Never wider than the place: such neighbours are
//! never all inside of it.

use crate::PassCx;
use gpucc_ir::{
    Attr, Block, Builder, EntitySet, Function, Inst, InstData, Mem, MemFlags, Op, Place, Scalar, SecondaryMap, Type,
    Value,
};

/// How many accesses a group search looks back on.
const WINDOW: usize = 64;

/// Joins neighbouring loads, and neighbouring stores, to wide ones.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if cx.caps.merge_access < 8 {
        return;
    }
    for b in f.layout.clone() {
        loads(f, cx, b);
        stores(f, cx, b);
    }
}

#[derive(Clone, Copy)]
struct Access {
    inst: Inst,
    mem: Mem,
    dynamic: Option<Value>,
    ty: Type,
}

impl Access {
    fn end(&self) -> u32 {
        self.mem.offset.saturating_add(self.ty.mem_bytes())
    }
    fn like(&self, o: &Access) -> bool {
        self.mem.place == o.mem.place && self.dynamic == o.dynamic && self.mem.flags == o.mem.flags
    }
}

/// An access that may be merged: plain, 32-bit lanes.
fn access(f: &Function, i: Inst, op: Op) -> Option<Access> {
    let d = &f.insts[i];
    let Attr::Mem(mem) = d.attr else { return None };
    if d.op != op || !mem.flags.is_plain() || mem.flags.has(MemFlags::UNIFORM) {
        return None;
    }
    let ty = if op == Op::Load { f.ty(d.result()) } else { f.ty(d.args[0]) };
    let plain = ty.bits() == 32 && !matches!(mem.place, Place::Local(_));
    plain.then_some(Access { inst: i, mem, dynamic: d.dyn_offset(), ty })
}

/// Cuts a group, sorted by offset, into runs that one access can cover. Gives index ranges of at least two.
fn runs(f: &Function, group: &[Access], cx: &PassCx<'_>) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let place = cx.module.place_size(f, group[0].mem.place).unwrap_or(u32::MAX);
    let most = cx.caps.merge_access.min(16).min(place);
    let mut k = 0;
    while k < group.len() {
        let mut best = k + 1;
        let mut end = group[k].end();
        for n in k + 1..group.len() {
            if group[n].mem.offset != end {
                break;
            }
            end = group[n].end();
            let bytes = end - group[k].mem.offset;
            if bytes > most {
                break;
            }
            let need = if bytes == 12 && !cx.caps.strict_align { 4 } else { bytes.next_power_of_two() };
            let known = known_align(group[k..=n].iter().map(|a| a.mem), group[k].mem.offset);
            if known >= need || (!cx.caps.strict_align && known >= 4) {
                best = n + 1;
            }
        }
        if best > k + 1 {
            out.push((k, best));
        }
        k = best;
    }
    out
}

fn loads(f: &mut Function, cx: &mut PassCx<'_>, b: Block) {
    // Groups that nothing has disturbed yet; closed groups are cut into runs.
    let mut open: Vec<Vec<Access>> = Vec::new();
    let mut plans: Vec<Vec<Access>> = Vec::new();
    let close = |g: Vec<Access>, plans: &mut Vec<Vec<Access>>, cx: &PassCx<'_>| {
        let mut g = g;
        g.sort_by_key(|a| a.mem.offset);
        for (s, e) in runs(f, &g, cx) {
            plans.push(g[s..e].to_vec());
        }
    };
    for &i in &f.blocks[b].insts {
        if let Some(a) = access(f, i, Op::Load) {
            match open.iter_mut().find(|g| g[0].like(&a)) {
                Some(g) if g.len() < WINDOW => g.push(a),
                _ => open.push(vec![a]),
            }
            if open.len() > WINDOW {
                let g = open.remove(0);
                close(g, &mut plans, cx);
            }
            continue;
        }
        let d = &f.insts[i];
        let place = match &d.attr {
            Attr::Mem(m) | Attr::Atomic(_, m) => Some(m.place),
            Attr::Place(p) => Some(*p),
            _ => None,
        };
        if matches!(d.op, Op::Barrier | Op::Call | Op::Demote) {
            for g in open.drain(..) {
                close(g, &mut plans, cx);
            }
        } else if let Some(p) = place
            && d.op != Op::Load
        {
            let (hit, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|g| cx.module.overlap(g[0].mem.place, p));
            open = rest;
            for g in hit {
                close(g, &mut plans, cx);
            }
        }
    }
    for g in open {
        close(g, &mut plans, cx);
    }
    if plans.is_empty() {
        return;
    }
    let mut plans: Vec<Plan> = plans.iter().map(|p| Plan::of(f, p.iter().map(|a| a.inst).collect())).collect();
    plans.retain(|_| cx.change());
    join_loads(f, &[b], plans, cx.caps.scalar);
}

/// The alignment of an address that follows from accesses at known distances: the best that is known of one of them.
fn known_align(accesses: impl Iterator<Item = Mem>, offset: u32) -> u32 {
    let there = |m: Mem| match m.offset.abs_diff(offset) {
        0 => m.align,
        away => m.align.min(1 << away.trailing_zeros()),
    };
    accesses.map(there).max().unwrap_or(1)
}

/// Loads of one place and one dynamic offset that a wide one takes the place of.
pub(crate) struct Plan {
    pub(crate) loads: Vec<Inst>,
    mem: Mem,
    ty: Type,
    dynamic: Option<Value>,
    wide: Option<Value>,
}

impl Plan {
    /// The wide load from the first byte that one of the loads reads to the last. There is at least one.
    pub(crate) fn of(f: &Function, loads: Vec<Inst>) -> Plan {
        let mems = || loads.iter().filter_map(|&i| f.insts[i].mem().copied());
        let types = || loads.iter().map(|&i| f.ty(f.insts[i].result()));
        let offset = mems().map(|m| m.offset).min().unwrap_or(0);
        let end = mems().zip(types()).map(|(m, ty)| m.offset.saturating_add(ty.mem_bytes())).max().unwrap_or(0);
        let align = known_align(mems(), offset);
        let mem = Mem { offset, align, ..mems().next().expect("a plan has loads") };
        let kind = if types().all(|ty| ty.is_float()) { Scalar::F32 } else { Scalar::I32 };
        let dynamic = f.insts[loads[0]].dyn_offset();
        Plan { ty: Type::new(kind, (end - offset) / 4), loads, mem, dynamic, wide: None }
    }

    /// The words of the wide load.
    pub(crate) fn words(&self) -> u32 {
        self.ty.lanes()
    }
}

/// Puts the wide loads where the first of each plan stands, in the order of the code: a dynamic offset is there already. The others are
/// parts of it.
pub(crate) fn join_loads(f: &mut Function, blocks: &[Block], mut plans: Vec<Plan>, scalar: bool) {
    if plans.is_empty() {
        return;
    }
    let mut role: SecondaryMap<Inst, Option<usize>> = SecondaryMap::with_default(None);
    for (n, p) in plans.iter().enumerate() {
        p.loads.iter().for_each(|&i| role[i] = Some(n));
    }
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let mut old = Vec::new();
    let mut composed = false;
    for &b in blocks {
        if !f.blocks[b].insts.iter().any(|&i| role[i].is_some()) {
            continue;
        }
        f.take_insts(b, &mut old);
        for &i in &old {
            let Some((p, &mem)) = role[i].map(|n| &mut plans[n]).zip(f.insts[i].mem()) else {
                f.blocks[b].insts.push(i);
                continue;
            };
            let ty = f.ty(f.insts[i].result());
            let mut bld = Builder::like(f, b, i);
            let w = *p.wide.get_or_insert_with(|| bld.load(p.ty, p.mem, p.dynamic));
            let v = part(&mut bld, w, (mem.offset - p.mem.offset) / 4, ty, scalar);
            composed |= bld.func.def_op(v, Op::Compose).is_some();
            map[bld.func.insts[i].result()] = Some(v);
        }
    }
    f.replace_uses(&map);
    if composed {
        forward_lanes(f);
    }
}

/// A lane of a vector that is composed is the scalar itself: selection of scalars knows what a load and its lanes are, and nothing between.
fn forward_lanes(f: &mut Function) {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        if let (Op::Extract, Attr::Lane(k)) = (d.op, &d.attr)
            && let Some(c) = f.def_op(d.args[0], Op::Compose)
        {
            map[d.result()] = Some(c.args[usize::from(*k)]);
        }
    }
    f.replace_uses(&map);
    let mut read: EntitySet<Value> = EntitySet::new();
    let replaced = |f: &Function, i: Inst| f.insts[i].op == Op::Extract && map[f.insts[i].result()].is_some();
    for (_, i) in f.insts_in_order().filter(|&(_, i)| !replaced(f, i)) {
        f.insts[i].for_each_use(|v| _ = read.insert(v));
    }
    let blocks = f.layout.clone();
    for b in blocks {
        let mut insts = std::mem::take(&mut f.blocks[b].insts);
        insts.retain(|&mut i| {
            let unread = || f.insts[i].op == Op::Compose && !read.contains(f.insts[i].result());
            !replaced(f, i) && !unread()
        });
        f.blocks[b].insts = insts;
    }
}

/// Lanes of a wide load from the lane `from` on, as a value of the type that a narrow one had.
fn part(b: &mut Builder<'_>, wide: Value, from: u32, ty: Type, scalar: bool) -> Value {
    let pick: Vec<u8> = (0..ty.lanes() as u8).map(|k| from as u8 + k).collect();
    let same = b.func.ty(wide).scalar() == ty.scalar();
    if scalar && pick.len() > 1 && !(same && b.func.ty(wide).lanes() == ty.lanes()) {
        // Scalar targets have no `bitcast` of a vector, and no `shuffle`.
        let parts: Vec<Value> = pick.iter().map(|&k| b.extract(wide, u32::from(k))).collect();
        let cast = |p: Value| if same { p } else { b.bitcast(p, ty.with_lanes(1)) };
        let parts: Vec<Value> = parts.into_iter().map(cast).collect();
        return b.compose(&parts);
    }
    let v = b.swizzle(wide, &pick);
    if b.func.ty(v) == ty { v } else { b.bitcast(v, ty) }
}

fn stores(f: &mut Function, cx: &mut PassCx<'_>, b: Block) {
    let mut open: Vec<Vec<Access>> = Vec::new();
    let mut plans: Vec<Vec<Access>> = Vec::new();
    let close = |g: Vec<Access>, plans: &mut Vec<Vec<Access>>, cx: &PassCx<'_>| {
        let mut g = g;
        g.sort_by_key(|a| a.mem.offset);
        // Overlapping stores have an order that must be kept.
        if g.windows(2).all(|w| w[0].end() <= w[1].mem.offset) {
            for (s, e) in runs(f, &g, cx) {
                plans.push(g[s..e].to_vec());
            }
        }
    };
    for &i in &f.blocks[b].insts {
        let d = &f.insts[i];
        let place = match &d.attr {
            Attr::Mem(m) | Attr::Atomic(_, m) => Some(m.place),
            Attr::Place(p) => Some(*p),
            _ => None,
        };
        let all = matches!(d.op, Op::Barrier | Op::Call | Op::Demote);
        let a = access(f, i, Op::Store);
        if !all && place.is_none() {
            continue;
        }
        // Anything else that touches the place ends its group.
        let (hit, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|g: &Vec<Access>| {
            let touched = place.is_some_and(|p| cx.module.overlap(g[0].mem.place, p));
            all || touched && !a.is_some_and(|a| g[0].like(&a))
        });
        open = rest;
        for g in hit {
            close(g, &mut plans, cx);
        }
        if let Some(a) = a {
            match open.iter_mut().find(|g| g[0].like(&a)) {
                Some(g) => g.push(a),
                None => open.push(vec![a]),
            }
        }
    }
    for g in open {
        close(g, &mut plans, cx);
    }
    if plans.is_empty() {
        return;
    }
    // The wide store stands where the last of its stores stood.
    let mut role: SecondaryMap<Inst, Option<usize>> = SecondaryMap::with_default(None);
    for (n, p) in plans.iter().enumerate() {
        p.iter().for_each(|a| role[a.inst] = Some(n));
    }
    let mut left: Vec<usize> = plans.iter().map(Vec::len).collect();
    let allowed: Vec<bool> = plans.iter().map(|_| cx.change()).collect();
    let mut old = Vec::new();
    f.take_insts(b, &mut old);
    for i in old {
        let Some(n) = role[i].filter(|&n| allowed[n]) else {
            f.blocks[b].insts.push(i);
            continue;
        };
        left[n] -= 1;
        if left[n] > 0 {
            continue;
        }
        let plan = &plans[n];
        let first = plan[0];
        let kind = if plan.iter().all(|a| a.ty.is_float()) { Scalar::F32 } else { Scalar::I32 };
        let mut bld = Builder::like(f, b, i);
        let mut parts = Vec::new();
        for a in plan {
            let v = bld.func.insts[a.inst].args[0];
            for k in 0..a.ty.lanes() {
                let p = bld.extract(v, k);
                let lane = Type::new(kind, 1);
                parts.push(if bld.func.ty(p) == lane { p } else { bld.bitcast(p, lane) });
            }
        }
        let v = bld.compose(&parts);
        let align = known_align(plan.iter().map(|a| a.mem), first.mem.offset);
        let mut args = vec![v];
        args.extend(first.dynamic);
        bld.raw(InstData::new(Op::Store, &args, Attr::Mem(Mem { align, ..first.mem })), &[]);
    }
}
