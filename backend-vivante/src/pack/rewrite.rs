//! Carries a plan out: the pieces of a block again, in an order that puts the operands of a group before it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gpucc_ir::{Attr, Block, Const, Function, Inst, InstData, Op, SecondaryMap, Type, Value};
use smallvec::SmallVec;

use super::facts::{lane_of, see_through};
use super::plan::{Group, Plan};

/// Vectors that were put together in this block and may serve again.
const KEPT: usize = 16;

/// The state of the rewriting.
pub struct Rewrite {
    block: Block,
    /// Vector and lane of the results of groups.
    pub lanes: SecondaryMap<Value, Option<(Value, u8)>>,
    /// The replacements of results of groups.
    replace: SecondaryMap<Value, Option<Value>>,
    /// Scalars of this block that were put into a vector.
    composed: SecondaryMap<Value, Option<(Value, u8)>>,
    touched: Vec<Value>,
    made: Vec<(SmallVec<[Value; 4]>, Value)>,
}

impl Rewrite {
    pub fn new() -> Rewrite {
        Rewrite {
            block: Block(0),
            lanes: SecondaryMap::new(),
            replace: SecondaryMap::new(),
            composed: SecondaryMap::new(),
            touched: Vec::new(),
            made: Vec::new(),
        }
    }

    /// Begins a block, whose instruction list is empty.
    pub fn enter(&mut self, b: Block) {
        self.block = b;
        self.made.clear();
        for v in self.touched.drain(..) {
            self.composed[v] = None;
        }
    }

    /// Replaces the results of groups by lanes everywhere.
    pub fn finish(&mut self, f: &mut Function) {
        f.replace_uses(&self.replace);
    }

    /// Appends a piece to the block.
    pub fn chunk(&mut self, f: &mut Function, chunk: &[Inst], plan: &Plan) {
        let n = chunk.len();
        // Nodes: instructions, and groups behind them.
        let node = |k: usize| plan.group_of[k].map_or(k, |g| n + g as usize);
        let total = n + plan.groups.len();
        let mut succs: Vec<Vec<u32>> = vec![Vec::new(); total];
        let mut waits = vec![0u32; total];
        let mut rank = vec![usize::MAX; total];
        for (k, list) in plan.deps.iter().enumerate() {
            rank[node(k)] = rank[node(k)].min(k);
            for &d in list {
                let (from, to) = (node(d as usize), node(k));
                if from != to {
                    succs[from].push(to as u32);
                    waits[to] += 1;
                }
            }
        }
        let mut ready: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
        for (x, (&r, &w)) in rank.iter().zip(&waits).enumerate() {
            if r != usize::MAX && w == 0 {
                ready.push(Reverse((r, x)));
            }
        }
        while let Some(Reverse((_, x))) = ready.pop() {
            if x < n {
                self.single(f, chunk[x]);
            } else {
                self.group(f, chunk, &plan.groups[x - n]);
            }
            for &s in &succs[x] {
                waits[s as usize] -= 1;
                if waits[s as usize] == 0 {
                    ready.push(Reverse((rank[s as usize], s as usize)));
                }
            }
        }
    }

    fn emit(&self, f: &mut Function, data: InstData, ty: Type) -> Value {
        let i = f.push_inst(self.block, data, &[ty]);
        f.insts[i].result()
    }

    fn lane(&self, f: &Function, v: Value) -> Option<(Value, u8)> {
        self.lanes[v].or_else(|| lane_of(f, v)).or(self.composed[v])
    }

    /// An instruction as it was; scalars that lie in a vector by now are read there.
    fn single(&mut self, f: &mut Function, i: Inst) {
        let d = f.insts[i].clone();
        if d.op == Op::Compose {
            let lanes: Option<SmallVec<[(Value, u8); 4]>> = d.args.iter().map(|&a| self.lane(f, a)).collect();
            if let Some(l) = lanes
                && l.iter().all(|x| x.0 == l[0].0)
            {
                let v = d.result();
                let all = self.swizzle(f, l[0].0, &l.iter().map(|x| x.1).collect::<SmallVec<[u8; 4]>>(), &d);
                self.replace[v] = Some(all);
                return;
            }
        }
        let mut wanted: SmallVec<[(Value, Value); 4]> = SmallVec::new();
        d.for_each_use(|v| {
            if self.composed[v].is_some() && !wanted.iter().any(|w| w.0 == v) {
                wanted.push((v, v));
            }
        });
        for w in &mut wanted {
            if let Some((c, lane)) = self.composed[w.0] {
                let ty = f.ty(w.0);
                w.1 = self.emit(f, InstData::new(Op::Extract, &[c], Attr::Lane(lane)).at(d.loc), ty);
            }
        }
        if !wanted.is_empty() {
            f.insts[i].map_uses(|v| wanted.iter().find(|w| w.0 == v).map_or(v, |w| w.1));
        }
        f.blocks[self.block].insts.push(i);
    }

    /// Lanes of a vector, or the vector itself.
    fn swizzle(&mut self, f: &mut Function, v: Value, lanes: &[u8], like: &InstData) -> Value {
        let whole = f.ty(v).lanes() as usize == lanes.len() && lanes.iter().enumerate().all(|(k, &l)| k == l as usize);
        if whole {
            return v;
        }
        let ty = f.ty(v).with_lanes(lanes.len() as u32);
        self.emit(f, InstData::new(Op::Shuffle, &[v, v], Attr::Lanes(lanes.into())).at(like.loc), ty)
    }

    /// The operand of a group.
    fn operand(&mut self, f: &mut Function, values: &[Value], like: &InstData) -> Value {
        let n = values.len() as u32;
        let first = values[0];
        let ty = f.ty(first).with_lanes(n);
        let consts: Option<Vec<u64>> = values.iter().map(|&v| f.const_bits(v)).collect();
        if let Some(bits) = consts {
            return f.constant(Const::new(ty, &bits));
        }
        if values.iter().all(|&v| v == first) {
            return self.emit(f, InstData::new(Op::Splat, &[first], Attr::None).at(like.loc), ty);
        }
        let through: Option<SmallVec<[(Op, Value); 4]>> = values.iter().map(|&v| see_through(f, v)).collect();
        if let Some(t) = through
            && t.iter().all(|x| x.0 == t[0].0 && f.ty(x.1) == f.ty(t[0].1))
        {
            let fp = f.def_inst(first).map(|i| f.insts[i].fp).unwrap_or_default();
            let inner: SmallVec<[Value; 4]> = t.iter().map(|x| x.1).collect();
            let v = self.operand(f, &inner, like);
            return self.emit(f, InstData::new(t[0].0, &[v], Attr::None).at(like.loc).fp(fp), ty);
        }
        let lanes: SmallVec<[Option<(Value, u8)>; 4]> = values.iter().map(|&v| self.lane(f, v)).collect();
        if let Some((w, _)) = lanes[0]
            && lanes.iter().all(|l| l.is_some_and(|l| l.0 == w))
        {
            let list: SmallVec<[u8; 4]> = lanes.iter().flatten().map(|l| l.1).collect();
            return self.swizzle(f, w, &list, like);
        }
        if let Some((_, v)) = self.made.iter().rev().find(|m| m.0.as_slice() == values) {
            return *v;
        }
        // Each value once, then lanes of that.
        let mut distinct: SmallVec<[Value; 4]> = SmallVec::new();
        for &v in values {
            if !distinct.contains(&v) {
                distinct.push(v);
            }
        }
        let base = f.ty(first).with_lanes(distinct.len() as u32);
        let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
        for &v in &distinct {
            // A value in a vector of this block is read there.
            parts.push(match self.composed[v] {
                Some((c, lane)) => {
                    let ty = f.ty(v);
                    self.emit(f, InstData::new(Op::Extract, &[c], Attr::Lane(lane)).at(like.loc), ty)
                }
                None => v,
            });
        }
        let c = self.emit(f, InstData::new(Op::Compose, &parts, Attr::None).at(like.loc), base);
        for (k, &v) in distinct.iter().enumerate() {
            let fresh = self.lane(f, v).is_none() && f.as_const(v).is_none();
            if fresh {
                self.composed[v] = Some((c, k as u8));
                self.touched.push(v);
            }
        }
        if self.made.len() == KEPT {
            self.made.remove(0);
        }
        self.made.push((distinct.clone(), c));
        if distinct.len() == values.len() {
            return c;
        }
        let list: SmallVec<[u8; 4]> =
            values.iter().map(|v| distinct.iter().position(|d| d == v).unwrap_or(0) as u8).collect();
        self.swizzle(f, c, &list, like)
    }

    fn group(&mut self, f: &mut Function, chunk: &[Inst], g: &Group) {
        let first = f.insts[chunk[g.members[0].at]].clone();
        let n = g.members.len() as u32;
        let mut fp = first.fp;
        for m in &g.members {
            fp = fp.and(f.insts[chunk[m.at]].fp);
        }
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        for s in 0..g.members[0].slots.len() {
            let values: SmallVec<[Value; 4]> = g.members.iter().map(|m| m.slots[s]).collect();
            // One condition may choose for all lanes.
            let condition = first.op == Op::Select && s == 0 && g.variant == 0;
            args.push(match condition && values.iter().all(|&v| v == values[0]) {
                true => values[0],
                false => self.operand(f, &values, &first),
            });
        }
        if let Some(inner) = g.members[0].inner {
            let d = f.insts[chunk[inner]].clone();
            let mut inner_fp = d.fp;
            for m in g.members.iter().filter_map(|m| m.inner) {
                inner_fp = inner_fp.and(f.insts[chunk[m]].fp);
            }
            let ty = f.ty(d.result()).with_lanes(n);
            let x = self.emit(f, InstData::new(d.op, &args[..2], d.attr.clone()).at(d.loc).fp(inner_fp), ty);
            args = match g.variant {
                1 => SmallVec::from_slice(&[x, args[2]]),
                2 => SmallVec::from_slice(&[args[2], x]),
                _ => SmallVec::from_slice(&[x, args[2], args[3]]),
            };
        }
        let ty = f.ty(first.result()).with_lanes(n);
        let all = self.emit(f, InstData::new(first.op, &args, first.attr.clone()).at(first.loc).fp(fp), ty);
        for (lane, m) in g.members.iter().enumerate() {
            let d = &f.insts[chunk[m.at]];
            let (v, loc) = (d.result(), d.loc);
            let one = f.ty(v);
            let e = self.emit(f, InstData::new(Op::Extract, &[all], Attr::Lane(lane as u8)).at(loc), one);
            self.lanes[v] = Some((all, lane as u8));
            self.replace[v] = Some(e);
        }
    }
}
