//! Which instructions of a piece of a block go together.

use gpucc_ir::{Attr, Function, Inst, Op, OpAttrs, SecondaryMap, Type, Value};
use gpucc_opt::PassCx;
use smallvec::{SmallVec, smallvec};

use super::facts::{Facts, is_param, lane_of, see_through, selects_by};

/// A set of instructions of a piece.
type Set = [u64; 4];

fn has(s: &Set, k: usize) -> bool {
    s[k / 64] >> (k % 64) & 1 == 1
}

fn add(s: &mut Set, k: usize) {
    s[k / 64] |= 1 << (k % 64);
}

fn union(s: &mut Set, o: &Set) {
    for (a, b) in s.iter_mut().zip(o) {
        *a |= b;
    }
}

/// One instruction of a group, with the one that it takes in.
#[derive(Clone, Debug)]
pub struct Member {
    /// Index in the piece.
    pub at: usize,
    /// Index of the multiplication or comparison that it takes in.
    pub inner: Option<usize>,
    /// Operands: those of the inner instruction first, then the others.
    pub slots: SmallVec<[Value; 4]>,
}

/// Instructions that become one.
#[derive(Clone, Debug)]
pub struct Group {
    /// The members, one for each lane.
    pub members: Vec<Member>,
    /// Which operand of a multiply-add is the product: 0, or 1 for `z - x * y`.
    pub variant: u8,
}

/// The decision about a piece.
pub struct Plan {
    /// The groups, each to become one instruction.
    pub groups: Vec<Group>,
    /// Group of each instruction.
    pub group_of: Vec<Option<u32>>,
    /// Instructions that each must come after, directly.
    pub deps: Vec<SmallVec<[u32; 4]>>,
}

/// The common properties of instructions of one group.
#[derive(Clone, PartialEq)]
struct Key {
    op: Op,
    attr: Attr,
    inner: Option<Attr>,
    ty: Type,
    from: Type,
    variant: u8,
    zeros: (bool, bool),
}

struct Candidate {
    key: usize,
    weight: u32,
    member: Member,
    variant: u8,
}

/// Where a scalar comes from, for cost.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    Const,
    Uniform,
    /// Lane of a vector: an IR value, or a group.
    Lane(u64, u8),
    /// A scalar of its own: what it costs to place it, in quarters of an instruction.
    Fresh(i32),
}

/// Partners looked at for each instruction.
const PARTNERS: usize = 24;

struct Planner<'a> {
    f: &'a Function,
    facts: &'a Facts<'a>,
    chunk: &'a [Inst],
    /// Lanes that earlier pieces made.
    known: &'a SecondaryMap<Value, Option<(Value, u8)>>,
    at: SecondaryMap<Value, Option<u32>>,
    home: SecondaryMap<Value, Option<(u64, u8)>>,
    candidate: Vec<Option<Candidate>>,
    above: Vec<Set>,
    group_of: Vec<Option<u32>>,
}

/// Facts per value that are all absent between two pieces: kept, since making them anew costs as much as the function is
/// long.
#[derive(Default)]
pub(super) struct Scratch {
    at: SecondaryMap<Value, Option<u32>>,
    home: SecondaryMap<Value, Option<(u64, u8)>>,
}

/// Plans a piece.
pub(super) fn plan(
    f: &Function,
    cx: &mut PassCx<'_>,
    facts: &Facts<'_>,
    known: &SecondaryMap<Value, Option<(Value, u8)>>,
    chunk: &[Inst],
    scratch: &mut Scratch,
) -> Plan {
    let n = chunk.len();
    let mut at = std::mem::take(&mut scratch.at);
    for (k, &i) in chunk.iter().enumerate() {
        for v in f.insts[i].results {
            at[v] = Some(k as u32);
        }
    }
    let deps = dependences(f, chunk, &at);
    let mut above: Vec<Set> = Vec::with_capacity(n);
    for list in &deps {
        let mut s = [0; 4];
        for &d in list {
            union(&mut s, &above[d as usize]);
            add(&mut s, d as usize);
        }
        above.push(s);
    }
    let mut p = Planner {
        f,
        facts,
        chunk,
        known,
        at,
        home: std::mem::take(&mut scratch.home),
        candidate: Vec::new(),
        above,
        group_of: vec![None; n],
    };
    let keys = p.candidates(chunk);
    let mut groups: Vec<Group> = Vec::new();
    for k in 0..n {
        if p.candidate[k].is_none() || p.group_of[k].is_some() {
            continue;
        }
        let Some(members) = p.grow(k, &keys).filter(|_| cx.change()) else { continue };
        p.commit(groups.len() as u32, &members, chunk);
        let variant = p.candidate[k].as_ref().map_or(0, |c| c.variant);
        groups.push(Group { members, variant });
    }
    for &i in chunk {
        for v in f.insts[i].results {
            p.at[v] = None;
            p.home[v] = None;
        }
    }
    (scratch.at, scratch.home) = (p.at, p.home);
    Plan { groups, group_of: p.group_of, deps }
}

/// Direct dependences inside a piece: operands, and the order of effects.
fn dependences(f: &Function, chunk: &[Inst], at: &SecondaryMap<Value, Option<u32>>) -> Vec<SmallVec<[u32; 4]>> {
    let mut deps: Vec<SmallVec<[u32; 4]>> = Vec::with_capacity(chunk.len());
    let mut effect: Option<u32> = None;
    let mut reads: Vec<u32> = Vec::new();
    for (k, &i) in chunk.iter().enumerate() {
        let mut list: SmallVec<[u32; 4]> = SmallVec::new();
        let d = &f.insts[i];
        d.for_each_use(|v| {
            if let Some(p) = at[v]
                && !list.contains(&p)
            {
                list.push(p);
            }
        });
        if !d.op.is_pure() {
            list.extend(effect);
            let writes = f.has_effect(i) || d.op.has(OpAttrs::convergent) || !matches!(d.op, Op::Load);
            if writes {
                list.extend(reads.drain(..));
                effect = Some(k as u32);
            } else {
                reads.push(k as u32);
            }
        }
        if d.op.is_terminator() {
            // Everything comes before it.
            list = (0..k as u32).collect();
        }
        deps.push(list);
    }
    deps
}

impl Planner<'_> {
    /// Fills the candidates; gives the lists of equal keys.
    fn candidates(&mut self, chunk: &[Inst]) -> Vec<Vec<usize>> {
        let (f, facts) = (self.f, self.facts);
        let mut keys: Vec<Key> = Vec::new();
        let mut lists: Vec<Vec<usize>> = Vec::new();
        let mut inner_of: Vec<bool> = vec![false; chunk.len()];
        let mut found: Vec<Option<(Key, u32, Member)>> = Vec::new();
        for (k, &i) in chunk.iter().enumerate() {
            let d = &f.insts[i];
            let Some(weight) = facts.weight(f, i) else {
                found.push(None);
                continue;
            };
            let mut variant = 0;
            let mut inner = None;
            let mut slots: SmallVec<[Value; 4]> = d.args.iter().copied().collect();
            let product = |v: Value| {
                let at = self.at[v]? as usize;
                let m = f.def_op(v, Op::FMul)?;
                (facts.uses.count(v) == 1).then(|| (at, m.args[0], m.args[1]))
            };
            if matches!(d.op, Op::FAdd | Op::FSub) {
                for side in [0, 1] {
                    if let Some((at, x, y)) = product(d.args[side]) {
                        inner = Some(at);
                        slots = smallvec![x, y, d.args[1 - side]];
                        variant = if d.op == Op::FSub && side == 1 { 2 } else { 1 };
                        break;
                    }
                }
            } else if let Some(c) = selects_by(f, facts, i)
                && let Some(at) = self.at[d.args[0]]
            {
                inner = Some(at as usize);
                let c = &f.insts[c];
                slots = smallvec![c.args[0], c.args[1], d.args[1], d.args[2]];
                variant = 3;
            }
            if let Some(x) = inner {
                inner_of[x] = true;
            }
            let zero = |v: Value| f.const_bits(v) == Some(0);
            let key = Key {
                op: d.op,
                attr: d.attr.clone(),
                inner: inner.filter(|_| variant == 3).map(|x| f.insts[chunk[x]].attr.clone()),
                ty: f.ty(d.result()),
                from: f.ty(slots[0]),
                variant,
                zeros: if variant == 3 { (zero(slots[1]), zero(slots[2]) || zero(slots[3])) } else { (false, false) },
            };
            found.push(Some((key, weight, Member { at: k, inner, slots })));
        }
        for (k, c) in found.into_iter().enumerate() {
            let candidate = c.filter(|_| !inner_of[k]).map(|(key, weight, member)| {
                let variant = key.variant;
                let key = keys.iter().position(|x| *x == key).unwrap_or_else(|| {
                    keys.push(key);
                    lists.push(Vec::new());
                    keys.len() - 1
                });
                lists[key].push(k);
                Candidate { key, weight, member, variant }
            });
            self.candidate.push(candidate);
        }
        lists
    }

    fn source(&self, v: Value) -> Source {
        let f = self.f;
        if f.as_const(v).is_some() || f.is_undef(v) {
            return Source::Const;
        }
        if let Some((key, lane)) = self.home[v] {
            return Source::Lane(key, lane);
        }
        if let Some((w, lane)) = self.known[v] {
            return Source::Lane(u64::from(w.0), lane);
        }
        if self.facts.is_uniform(f, v) {
            return Source::Uniform;
        }
        if let Some((w, lane)) = lane_of(f, v) {
            return Source::Lane(u64::from(w.0), lane);
        }
        if self.at[v].is_some() {
            // Written right into its lane.
            return Source::Fresh(1);
        }
        // Parameters may become a vector themselves.
        Source::Fresh(if is_param(f, v) { 1 } else { 4 })
    }

    /// The cost of having these in one register, in quarters of an instruction, and the uniform words that are read.
    fn slot_cost(&self, values: &[Value], depth: u32) -> (i32, u32) {
        let first = values[0];
        if values.iter().all(|&v| v == first) {
            let word = u32::from(self.source(first) == Source::Uniform);
            return (0, word);
        }
        let through: Option<SmallVec<[(Op, Value); 4]>> = values.iter().map(|&v| see_through(self.f, v)).collect();
        if let Some(t) = through
            && depth < 3
            && t.iter().all(|x| x.0 == t[0].0 && self.f.ty(x.1) == self.f.ty(t[0].1))
        {
            let inner: SmallVec<[Value; 4]> = t.iter().map(|x| x.1).collect();
            return self.slot_cost(&inner, depth + 1);
        }
        let mut distinct: SmallVec<[Value; 4]> = SmallVec::new();
        let mut sources: SmallVec<[u64; 4]> = SmallVec::new();
        let (mut words, mut fresh) = (0, 0);
        for &v in values {
            if distinct.contains(&v) {
                continue;
            }
            distinct.push(v);
            match self.source(v) {
                Source::Const | Source::Uniform => words += 1,
                Source::Lane(key, _) => {
                    if !sources.contains(&key) {
                        sources.push(key);
                    }
                }
                // A sign cannot be a modifier of one lane.
                Source::Fresh(c) => fresh += if see_through(self.f, v).is_some() { 4 } else { c },
            }
        }
        let kinds = sources.len() + usize::from(words > 0);
        let cost = match (kinds, fresh) {
            (1, 0) => 0,
            _ => fresh + 4 * kinds as i32,
        };
        (cost, if fresh == 0 && sources.is_empty() { words } else { 0 })
    }

    /// The gain of a group, in quarters of an instruction.
    fn gain(&self, members: &[Member], weight: u32) -> i32 {
        let k = members.len();
        let mut gain = weight as i32 * (k as i32 - 1) * 4;
        let mut seen: Vec<SmallVec<[Value; 4]>> = Vec::new();
        let mut words = 0;
        for s in 0..members[0].slots.len() {
            let values: SmallVec<[Value; 4]> = members.iter().map(|m| m.slots[s]).collect();
            let (cost, w) = self.slot_cost(&values, 0);
            words += w;
            if !seen.contains(&values) {
                gain -= cost;
                seen.push(values);
            }
        }
        // All uniform words of an instruction come from one register of four.
        if words > 4 {
            gain -= 4;
        }
        // Lanes that are passed to blocks one by one may have to move.
        for m in members {
            let v = self.f.insts[self.inst(m.at)].result();
            for u in self.facts.uses.of(v) {
                let d = &self.f.insts[u.inst];
                // All together they may be passed as one vector.
                let passed = |m: &Member| {
                    let v = self.f.insts[self.inst(m.at)].result();
                    self.facts.uses.of(v).iter().any(|x| x.inst == u.inst)
                };
                if d.op.is_terminator() && !d.args.contains(&v) && !members.iter().all(passed) {
                    gain -= 1;
                } else if d.op == Op::Compose {
                    let outside =
                        d.args.iter().any(|a| !members.iter().any(|m| self.f.insts[self.inst(m.at)].result() == *a));
                    gain -= i32::from(outside) * 2;
                }
            }
        }
        gain
    }

    fn inst(&self, at: usize) -> Inst {
        self.chunk[at]
    }

    /// How well a candidate goes with others.
    fn score(&self, members: &[Member], m: &Member) -> i32 {
        let mut score = 0;
        for (s, &v) in m.slots.iter().enumerate() {
            let mut best = i32::MIN;
            for other in members {
                let o = other.slots[s];
                let (a, b) = (self.source(v), self.source(o));
                let here = match (a, b) {
                    _ if v == o => 6,
                    (Source::Lane(x, p), Source::Lane(y, q)) if x == y => 6 + i32::from(p != q),
                    (Source::Const, Source::Const) | (Source::Uniform, Source::Uniform) => 5,
                    (Source::Const | Source::Uniform, Source::Const | Source::Uniform) => 4,
                    (Source::Fresh(x), Source::Fresh(y)) => {
                        let op = |v: Value| self.f.def_inst(v).map(|i| self.f.insts[i].op);
                        i32::from(op(v) == op(o)) * 2 - x.max(y) + 2
                    }
                    _ => -3,
                };
                best = best.max(here);
            }
            score += best;
        }
        // Lanes of one vector to be.
        let user = |m: &Member| match self.facts.uses.of(self.f.insts[self.inst(m.at)].result()) {
            [u] => Some(u.inst),
            _ => None,
        };
        if let Some(u) = user(m) {
            let other = members.iter().filter_map(user);
            for o in other {
                if o == u {
                    score += if self.f.insts[u].op == Op::Compose { 4 } else { -2 };
                } else if self.f.insts[o].op == self.f.insts[u].op {
                    score += 1;
                }
            }
        }
        score
    }

    fn nodes(m: &Member) -> impl Iterator<Item = usize> + '_ {
        core::iter::once(m.at).chain(m.inner)
    }

    fn independent(&self, members: &[Member], m: &Member) -> bool {
        members
            .iter()
            .flat_map(Self::nodes)
            .all(|x| Self::nodes(m).all(|y| x != y && !has(&self.above[x], y) && !has(&self.above[y], x)))
    }

    /// The best group with this instruction, if one gains something.
    fn grow(&self, k: usize, lists: &[Vec<usize>]) -> Option<Vec<Member>> {
        let c = self.candidate[k].as_ref()?;
        let list = &lists[c.key];
        let from = list.partition_point(|&x| x <= k);
        let free: Vec<usize> =
            list[from..].iter().copied().filter(|&x| self.group_of[x].is_none()).take(PARTNERS).collect();
        let mut members = vec![c.member.clone()];
        let mut best: Option<(Vec<Member>, i32)> = None;
        while members.len() < 4 {
            let mut chosen: Option<(i32, Member)> = None;
            for &x in &free {
                let Some(o) = self.candidate[x].as_ref() else { continue };
                if members.iter().any(|m| m.at == x) || !self.independent(&members, &o.member) {
                    continue;
                }
                let commutes =
                    self.f.insts[self.inst(x)].op.has(OpAttrs::commutative) || c.variant == 1 || c.variant == 2;
                for swap in [false, true] {
                    if swap && !(commutes && c.variant != 3) {
                        continue;
                    }
                    let mut m = o.member.clone();
                    if swap {
                        m.slots.swap(0, 1);
                    }
                    let s = self.score(&members, &m);
                    if chosen.as_ref().is_none_or(|c| c.0 < s) {
                        chosen = Some((s, m));
                    }
                }
            }
            let Some((_, m)) = chosen else { break };
            members.push(m);
            let gain = self.gain(&members, c.weight);
            if gain > 0 && best.as_ref().is_none_or(|b| b.1 < gain) {
                best = Some((members.clone(), gain));
            }
        }
        let (mut members, _) = best?;
        self.order(&mut members);
        Some(members)
    }

    /// Lanes in the order in which an operand has them, or as a vector wants them.
    fn order(&self, members: &mut [Member]) {
        for s in 0..members[0].slots.len() {
            let lanes: Option<SmallVec<[(u64, u8); 4]>> = members
                .iter()
                .map(|m| match self.source(m.slots[s]) {
                    Source::Lane(key, lane) => Some((key, lane)),
                    _ => None,
                })
                .collect();
            if let Some(l) = lanes
                && l.iter().all(|x| x.0 == l[0].0)
                && (1..l.len()).all(|k| !l[..k].contains(&l[k]))
            {
                members.sort_by_key(|m| match self.source(m.slots[s]) {
                    Source::Lane(_, lane) => lane,
                    _ => 0,
                });
                return;
            }
        }
        let place = |m: &Member| {
            let v = self.f.insts[self.inst(m.at)].result();
            match self.facts.uses.of(v) {
                [u] if self.f.insts[u.inst].op == Op::Compose => {
                    self.f.insts[u.inst].args.iter().position(|&a| a == v).map(|p| (u.inst, p))
                }
                _ => None,
            }
        };
        let places: Option<Vec<(Inst, usize)>> = members.iter().map(place).collect();
        if let Some(p) = places
            && p.iter().all(|x| x.0 == p[0].0)
        {
            members.sort_by_key(|m| place(m).map_or(0, |p| p.1));
            return;
        }
        members.sort_by_key(|m| m.at);
    }

    fn commit(&mut self, id: u32, members: &[Member], chunk: &[Inst]) {
        let mut nodes: Set = [0; 4];
        let mut all: Set = [0; 4];
        for x in members.iter().flat_map(Self::nodes) {
            add(&mut nodes, x);
            union(&mut all, &self.above[x]);
            self.group_of[x] = Some(id);
        }
        for (a, n) in all.iter_mut().zip(&nodes) {
            *a &= !n;
        }
        let mut both = all;
        union(&mut both, &nodes);
        for (k, above) in self.above.iter_mut().enumerate() {
            if has(&nodes, k) {
                *above = all;
            } else if above.iter().zip(&nodes).any(|(a, n)| a & n != 0) {
                union(above, &both);
            }
        }
        for (lane, m) in members.iter().enumerate() {
            let v = self.f.insts[chunk[m.at]].result();
            self.home[v] = Some(((1 << 40) + u64::from(id), lane as u8));
        }
    }
}
