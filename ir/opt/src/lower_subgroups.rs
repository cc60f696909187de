//! Writes what the lanes of a subgroup do together with ballots and reads of another lane's 32 bits.
//!
//! ```text
//! v1 = any v0                    ==>   whether a bit of `ballot v0` is set
//! v1 = lane_read v0, lane        ==>   one of `i32` for each 32 bits
//! v1 = reduce v0, iadd all       ==>   v = v0; p = the active lane before, from `ballot 1:b1`
//!                                      1, 2, 4 ...: v = v of lane p, added to v; p = p of lane p
//!                                      v1 = v of the last active lane
//! ```
//!
//! Where all lanes of each subgroup execute it, which is known of uniform control flow and whole subgroups, no ballot is taken:
//!
//! ```text
//! v1 = reduce v0, iadd all       ==>   1, 2, 4 ...: v = v of the lane with that bit flipped, added to v
//! v1 = reduce v0, iadd inclusive ==>   1, 2, 4 ...: v = v of the lane that many before, added to v, if there is one
//! ```
//!
//! Lanes that do not execute it are never read, whichever they are, so it is right wherever the op stands. Values are taken
//! together in the order that the op states, so floats are the same everywhere.
//!
//! In fragments those that are not live take no part. Where ballots know nothing of that (`Caps::live_ballots`) each is one of the
//! lanes that cover a sample and were not demoted since, which a variable says.
//!
//! Needs: the lanes of a subgroup (`Caps::subgroup`); with 0 all stays. Keeps: the CFG.

use crate::rewrite::{self, Rewrite};
use crate::{Caps, OpSet, subgroup_memory};
use gpucc_ir::analysis::Uniformity;
use gpucc_ir::{
    Attr, Builder, Const, EntitySet, Function, Init, Inst, IntCc, Mem, MemFlags, Module, Op, Place, Reach, Reduce,
    ReduceOp, Scalar, Space, Span, Stage, Sysval, Type, Value, VarData,
};

/// The ops that lanes exchange values by.
const EXCHANGES: OpSet = OpSet::of(&[Op::Any, Op::LaneRead, Op::Reduce, Op::Ballot]);

/// Runs over a function of a compute or a fragment entry; gives the number of changes.
pub fn run(m: &Module, f: &mut Function, caps: &Caps) -> u64 {
    if caps.subgroup == 0 || m.entries.iter().any(|e| e.stage.kind() == Stage::Vertex) {
        return 0;
    }
    let fragment = !m.entries.is_empty() && m.entries.iter().all(|e| e.stage.kind() == Stage::Fragment);
    if fragment && !caps.fragment_lanes {
        return 0;
    }
    let lanes = caps.subgroup;
    let exchanges = f.insts_in_order().any(|(_, i)| EXCHANGES.has(f.insts[i].op));
    let whole = if exchanges { whole(m, f, lanes) } else { EntitySet::new() };
    let lower = |b: &mut Builder<'_>, i| lower(b, i, lanes, whole.contains(i)).map_or(Rewrite::Keep, Rewrite::Value);
    let n = if exchanges { rewrite::run(f, lower) } else { 0 };
    let n = n + if fragment && !caps.live_ballots { live_alone(f) } else { 0 };
    let n = n + subgroup_memory::run(m, f, caps);
    let invocations = m.entries.first().and_then(|e| e.workgroup_size()).map_or(0, gpucc_ir::invocations);
    if !f.insts_in_order().any(|(_, i)| f.insts[i].op == Op::Sysval) {
        return n;
    }
    n + rewrite::run(f, |b, i| sysval(b, i, invocations, caps).map_or(Rewrite::Keep, Rewrite::Value))
}

/// Takes lanes that are not live out of ballots; gives the number of changes.
fn live_alone(f: &mut Function) -> u64 {
    let has = |f: &Function, op: Op| f.insts_in_order().any(|(_, i)| f.insts[i].op == op);
    if !has(f, Op::Ballot) {
        return 0;
    }
    let demoted = has(f, Op::Demote).then(|| {
        let data = VarData {
            name: String::new(),
            space: Space::Function,
            size: 4,
            align: 4,
            init: Init::Zero,
            span: Span::UNKNOWN,
        };
        Mem::new(Place::Local(f.locals.push(data)), 0, 4).flags(MemFlags::IN_BOUNDS)
    });
    if let Some(mem) = demoted {
        let no = f.constant(Const::new(Type::B1, &[0]));
        let entry = f.entry();
        Builder::before(f, entry, 0).store(no, mem, None);
    }
    // What stands in front of an instruction is looked at again, and the instruction behind it too.
    let mut seen: EntitySet<Inst> = EntitySet::new();
    rewrite::run(f, |b, i| {
        let c = b.func.insts[i].args.first().copied();
        match (b.func.insts[i].op, c) {
            (Op::Demote | Op::Ballot, _) if !seen.insert(i) => Rewrite::Keep,
            (Op::Demote, Some(c)) => {
                if let Some(mem) = demoted {
                    let before = b.load(Type::B1, mem, None);
                    let now = b.or(before, c);
                    b.store(now, mem, None);
                }
                Rewrite::Keep
            }
            (Op::Ballot, Some(c)) => {
                let mask = b.sysval(Sysval::SampleMask);
                let mut c = {
                    let covered = is(b, IntCc::Ne, mask, 0);
                    b.and(c, covered)
                };
                if let Some(mem) = demoted {
                    let gone = b.load(Type::B1, mem, None);
                    let here = b.not(gone);
                    c = b.and(c, here);
                }
                b.func.insts[i].args[0] = c;
                Rewrite::Keep
            }
            _ => Rewrite::Keep,
        }
    })
}

/// A system value of subgroups, which are neighbouring invocations on every target. Their size and the lane have instructions where lanes
/// run in lockstep.
fn sysval(b: &mut Builder<'_>, i: Inst, invocations: u32, caps: &Caps) -> Option<Value> {
    let Attr::Sysval(s) = b.func.insts[i].attr else { return None };
    let lanes = caps.subgroup;
    match s {
        Sysval::SubgroupSize if !caps.lockstep => Some(number(b, lanes)),
        Sysval::NumSubgroups => Some(number(b, invocations.div_ceil(lanes))),
        Sysval::SubgroupInvocationId if !caps.lockstep => {
            let index = b.sysval(Sysval::LocalInvocationIndex);
            Some(with(b, Op::And, index, lanes - 1))
        }
        Sysval::SubgroupId => {
            let index = b.sysval(Sysval::LocalInvocationIndex);
            Some(with(b, Op::UShr, index, lanes.trailing_zeros()))
        }
        _ => None,
    }
}

/// The instructions of these that all lanes of each subgroup execute together.
fn whole(m: &Module, f: &Function, lanes: u32) -> EntitySet<Inst> {
    let mut found = EntitySet::new();
    let invocations = m.entries.first().and_then(|e| e.workgroup_size()).map_or(0, gpucc_ir::invocations);
    let one = |i: Inst| matches!(f.insts[i].op, Op::Reduce | Op::Ballot);
    if invocations != 0 && invocations.is_multiple_of(lanes) && f.insts_in_order().any(|(_, i)| one(i)) {
        let uniform = Uniformity::new(m, f);
        for (_, i) in f.insts_in_order().filter(|&(b, i)| one(i) && !uniform.divergent_block(b)) {
            found.insert(i);
        }
    }
    found
}

fn lower(b: &mut Builder<'_>, i: Inst, lanes: u32, whole: bool) -> Option<Value> {
    if !EXCHANGES.has(b.func.insts[i].op) {
        return None;
    }
    let d = b.func.insts[i].clone();
    let a = d.args[0];
    let ty = b.func.ty(a);
    match (d.op, &d.attr) {
        (Op::Any, _) => {
            let ballot = b.ballot(a);
            let words: Vec<Value> = (0..lanes.div_ceil(32)).map(|k| b.extract(ballot, k)).collect();
            let any = words.into_iter().reduce(|x, y| b.or(x, y))?;
            Some(is(b, IntCc::Ne, any, 0))
        }
        (Op::LaneRead, _) => read(b, a, d.args[1], ty),
        (Op::Ballot, _) => {
            let all = whole && b.func.const_bits(a) == Some(1);
            let word = |k: u32| u64::from(u32::MAX.unbounded_shr(32 - lanes.saturating_sub(32 * k).min(32)));
            all.then(|| b.func.constant(Const::new(Type::I32.with_lanes(4), &[0, 1, 2, 3].map(word))))
        }
        (_, &Attr::Reduce(kind)) if ty.is_vector() => {
            let parts: Vec<Value> = (0..ty.lanes())
                .map(|k| {
                    let part = b.extract(a, k);
                    reduce(b, part, kind, lanes, whole)
                })
                .collect();
            Some(b.op_as(Op::Compose, &parts, ty))
        }
        (_, &Attr::Reduce(kind)) => Some(reduce(b, a, kind, lanes, whole)),
        _ => None,
    }
}

fn number(b: &mut Builder<'_>, n: u32) -> Value {
    b.func.iconst(Type::I32, n.into())
}

fn is(b: &mut Builder<'_>, cc: IntCc, x: Value, n: u32) -> Value {
    let n = number(b, n);
    b.icmp(cc, x, n)
}

fn with(b: &mut Builder<'_>, op: Op, x: Value, n: u32) -> Value {
    let n = number(b, n);
    b.op(op, &[x, n])
}

fn choose(b: &mut Builder<'_>, c: Value, x: Value, y: Value) -> Value {
    b.op(Op::Select, &[c, x, y])
}

/// A read of another type than `i32`.
fn read(b: &mut Builder<'_>, a: Value, lane: Value, ty: Type) -> Option<Value> {
    if ty == Type::I32 {
        return None;
    }
    if ty.is_vector() {
        let parts: Vec<Value> = (0..ty.lanes())
            .map(|k| {
                let part = b.extract(a, k);
                b.lane_read(part, lane)
            })
            .collect();
        return Some(b.op_as(Op::Compose, &parts, ty));
    }
    Some(match ty.scalar() {
        Scalar::B1 => {
            let [one, zero] = [1, 0].map(|n| number(b, n));
            let word = choose(b, a, one, zero);
            let got = b.lane_read(word, lane);
            is(b, IntCc::Ne, got, 0)
        }
        s if s.bits() == 64 => {
            let words = b.op_as(Op::Bitcast, &[a], Type::I32.with_lanes(2));
            let got = b.lane_read(words, lane);
            b.op_as(Op::Bitcast, &[got], ty)
        }
        s if s.bits() == 32 => {
            let word = b.op_as(Op::Bitcast, &[a], Type::I32);
            let got = b.lane_read(word, lane);
            b.op_as(Op::Bitcast, &[got], ty)
        }
        s => {
            let int = if s.bits() == 8 { Type::I8 } else { Type::I16 };
            let bits = if s.is_float() { b.op_as(Op::Bitcast, &[a], int) } else { a };
            let word = b.op_as(Op::ZExt, &[bits], Type::I32);
            let got = b.lane_read(word, lane);
            let part = b.op_as(Op::Trunc, &[got], int);
            if s.is_float() { b.op_as(Op::Bitcast, &[part], ty) } else { part }
        }
    })
}

/// The lanes of the own cluster that take part, as words, and those of them before the own lane.
fn members(b: &mut Builder<'_>, lane: Value, cluster: u32, lanes: u32) -> (Vec<Value>, Vec<Value>) {
    let yes = b.func.constant(Const::new(Type::B1, &[1]));
    let ballot = b.ballot(yes);
    let one = number(b, 1);
    let bit = b.op(Op::Shl, &[one, lane]);
    let below = with(b, Op::ISub, bit, 1);
    let own = (cluster < 32).then(|| {
        let ones = number(b, (1 << cluster) - 1);
        let first = with(b, Op::And, lane, !(cluster - 1));
        b.op(Op::Shl, &[ones, first])
    });
    let low = (lanes > 32).then(|| is(b, IntCc::Ult, lane, 32));
    let (mut all, mut before) = (Vec::new(), Vec::new());
    for k in 0..lanes.div_ceil(32) {
        let mut word = b.extract(ballot, k);
        if let Some(own) = own {
            word = b.op(Op::And, &[word, own]);
        }
        let mut here = b.op(Op::And, &[word, below]);
        if let Some(low) = low {
            let zero = number(b, 0);
            // In the low word are all before a lane of the high one, unless its cluster ends there.
            if k == 0 {
                if cluster <= 32 {
                    word = choose(b, low, word, zero);
                }
                here = choose(b, low, here, word);
            } else {
                if cluster <= 32 {
                    word = choose(b, low, zero, word);
                }
                here = choose(b, low, zero, here);
            }
        }
        all.push(word);
        before.push(here);
    }
    (all, before)
}

/// The number of the highest bit; all ones if there is none.
fn highest(b: &mut Builder<'_>, words: &[Value]) -> Value {
    let mut found = number(b, u32::MAX);
    for (k, &word) in (0..).zip(words) {
        let zeros = b.op(Op::Clz, &[word]);
        let last = number(b, 31 + 32 * k);
        let at = b.op(Op::ISub, &[last, zeros]);
        let some = is(b, IntCc::Ne, word, 0);
        found = choose(b, some, at, found);
    }
    found
}

fn reduce(b: &mut Builder<'_>, a: Value, kind: Reduce, lanes: u32, whole: bool) -> Value {
    let ty = b.func.ty(a);
    let cluster = if kind.cluster == 0 { lanes } else { u32::from(kind.cluster).min(lanes) };
    let lane = b.sysval(Sysval::SubgroupInvocationId);
    if whole && kind.reach == Reach::All {
        return reduce_whole(b, a, kind.op, (lane, cluster, lanes));
    }
    if whole {
        return scan_whole(b, a, kind, lane, cluster);
    }
    let (all, before) = members(b, lane, cluster, lanes);
    let first = highest(b, &before);
    let mut from = first;
    let mut v = a;
    for step in 0..cluster.trailing_zeros() {
        let some = is(b, IntCc::Ne, from, u32::MAX);
        let at = choose(b, some, from, lane);
        let there = b.lane_read(v, at);
        let both = b.op(kind.op.op(), &[there, v]);
        v = choose(b, some, both, v);
        if step + 1 < cluster.trailing_zeros() {
            let next = b.lane_read(from, at);
            from = choose(b, some, next, from);
        }
    }
    match kind.reach {
        Reach::Inclusive => v,
        Reach::All => {
            let last = highest(b, &all);
            b.lane_read(v, last)
        }
        Reach::Exclusive => {
            let some = is(b, IntCc::Ne, first, u32::MAX);
            let at = choose(b, some, first, lane);
            let there = b.lane_read(v, at);
            let none = b.func.constant(Const::new(ty, &[kind.op.identity(ty.scalar())]));
            choose(b, some, there, none)
        }
    }
}

/// A reduction over all lanes of a cluster. The last lane of each block of 2, 4, 8 and so on has what the op states: of the same two
/// values in that order. The others have them the other way round.
fn reduce_whole(b: &mut Builder<'_>, a: Value, op: ReduceOp, (lane, cluster, lanes): (Value, u32, u32)) -> Value {
    // Of these it matters which of two equal values, or of a number and NaN, comes first.
    let ordered = matches!(op, ReduceOp::FMin | ReduceOp::FMax);
    let mut v = a;
    // Then every lane of a block has the same, and any lane of the other one will do: flips of all bits are permutations that
    // instructions have.
    let flips: [u32; 5] = if ordered { [1, 2, 4, 8, 16] } else { [1, 2, 7, 15, 16] };
    for &flip in &flips[..cluster.trailing_zeros().min(5) as usize] {
        let at = with(b, Op::Xor, lane, flip);
        let there = b.lane_read(v, at);
        v = b.op(op.op(), &[there, v]);
    }
    if cluster == 64 {
        let [low, high] = [31, 63].map(|n| number(b, n));
        let (low, high) = (b.lane_read(v, low), b.lane_read(v, high));
        return b.op(op.op(), &[low, high]);
    }
    if ordered {
        let last = if cluster == lanes { number(b, lanes - 1) } else { with(b, Op::Or, lane, cluster - 1) };
        v = b.lane_read(v, last);
    }
    v
}

/// A scan over all lanes of a cluster.
fn scan_whole(b: &mut Builder<'_>, a: Value, kind: Reduce, lane: Value, cluster: u32) -> Value {
    let rank = with(b, Op::And, lane, cluster - 1);
    let mut v = a;
    for step in 0..cluster.trailing_zeros() {
        let at = with(b, Op::ISub, lane, 1 << step);
        let there = b.lane_read(v, at);
        let both = b.op(kind.op.op(), &[there, v]);
        let some = is(b, IntCc::Uge, rank, 1 << step);
        v = choose(b, some, both, v);
    }
    if kind.reach == Reach::Exclusive {
        let at = with(b, Op::ISub, lane, 1);
        let there = b.lane_read(v, at);
        let ty = b.func.ty(a);
        let none = b.func.constant(Const::new(ty, &[kind.op.identity(ty.scalar())]));
        let some = is(b, IntCc::Ne, rank, 0);
        v = choose(b, some, there, none);
    }
    v
}
