//! Reads of other lanes, and ballots, through workgroup memory, for chips whose instructions do neither.
//!
//! ```text
//! v1 = lane_read v0, lane        ==>   store words[own invocation] = v0; v1 = load words[that of the lane]
//! v1 = ballot v0                 ==>   store bits[own invocation] = v0 at the own bit; v1 = all bits of eight lanes;
//!                                      store parts[own eight] = v1; v1 = all parts of the subgroup;
//!                                      store bits[own invocation] = parts[own eight] = 0
//! ```
//!
//! Lanes of a subgroup run in lockstep: those that execute it have all stored before the first of them loads, and nobody waits,
//! so it may stand in a branch. The accesses are atomic: they do not race, and stay in their order. Each lane sets its words at
//! the start, so that a lane that does not take part has something to read, and bits that are not set; behind a ballot they are 0 again.
//!
//! Where there is no lockstep (`Caps::lockstep`) all invocations of a workgroup wait behind the stores, and behind the loads; `linearise`
//! makes all of them come there.
//!
//! With `Caps::simple_lane_reads` reads stay of the lane that all ask for, and of the one whose number differs in known bits below 32.
//!
//! Needs: `Caps::lanes_by_memory` or `Caps::ballots_by_memory`, and the variable that [`variable`] makes. Keeps: the CFG.

use crate::linearise::Among;
use crate::rewrite::{self, Rewrite};
use crate::{Caps, PassCx, linearise};
use gpucc_ir::analysis::Uniformity;
use gpucc_ir::{
    Attr, Barrier, Builder, EntitySet, Function, Global, Init, Inst, IntCc, Mem, MemFlags, Module, Op, Place, Scope,
    Space, Span, Sysval, Type, Value, VarData,
};

/// The name of the variable, which no source can give one.
const NAME: &str = "words of subgroups";

/// Whether it is an op between the lanes of a subgroup.
fn between_lanes(op: Op) -> bool {
    matches!(op, Op::Any | Op::Ballot | Op::LaneRead | Op::Reduce)
}

/// The workgroup memory that a function needs for this, whose entry point has workgroups of this size.
pub fn variable(f: &Function, size: [u32; 3], caps: &Caps) -> Option<VarData> {
    if !(caps.lanes_by_memory || caps.ballots_by_memory) || caps.subgroup == 0 {
        return None;
    }
    f.insts_in_order().any(|(_, i)| between_lanes(f.insts[i].op)).then(|| {
        let invocations = gpucc_ir::invocations(size);
        let ballots = if caps.ballots_by_memory { invocations.saturating_add(invocations.div_ceil(EIGHT)) } else { 0 };
        let votes = if caps.lockstep { 0 } else { 2 };
        let words = invocations.saturating_add(ballots).saturating_add(votes);
        VarData {
            name: NAME.into(),
            space: Space::Workgroup,
            size: words.saturating_mul(4),
            align: 4,
            init: Init::Zero,
            span: Span::default(),
        }
    })
}

/// Lanes whose bits are put together first.
const EIGHT: u32 = 8;

/// The place of a word.
struct Words {
    var: Global,
    invocations: u32,
    lanes: u32,
    lockstep: bool,
}

impl Words {
    fn mem(&self, offset: u32) -> Mem {
        Mem::new(Place::Global(self.var), offset, 4).flags(MemFlags::ATOMIC.with(MemFlags::IN_BOUNDS))
    }

    /// The bit of an invocation.
    fn bits(&self) -> Mem {
        self.mem(4 * self.invocations)
    }

    /// Those of eight.
    fn parts(&self) -> Mem {
        self.mem(8 * self.invocations)
    }

    fn bytes(b: &mut Builder<'_>, index: Value) -> Value {
        with(b, Op::Shl, index, 2)
    }

    /// The byte offset of the own word.
    fn own(b: &mut Builder<'_>) -> Value {
        let index = b.sysval(Sysval::LocalInvocationIndex);
        Words::bytes(b, index)
    }

    /// Makes stores of lanes visible to the others, and loads complete, before what follows.
    fn meet(&self, b: &mut Builder<'_>) {
        if !self.lockstep {
            b.barrier(Barrier { workgroup: true, ..Barrier::wait(Scope::Workgroup) });
        }
    }

    fn read(&self, b: &mut Builder<'_>, v: Value, lane: Value) -> Value {
        let own = Words::own(b);
        b.store(v, self.mem(0), Some(own));
        self.meet(b);
        let index = b.sysval(Sysval::LocalInvocationIndex);
        let mut from = match flipped(b.func, lane) {
            Some(bits) if bits < self.lanes => with(b, Op::Xor, index, bits),
            _ => {
                let first = with(b, Op::And, index, !(self.lanes - 1));
                let lane = with(b, Op::And, lane, self.lanes - 1);
                b.op(Op::Or, &[first, lane])
            }
        };
        if !self.invocations.is_multiple_of(self.lanes) {
            // There are fewer lanes in the last subgroup.
            from = with(b, Op::UMin, from, self.invocations - 1);
        }
        let from = Words::bytes(b, from);
        let got = b.load(Type::I32, self.mem(0), Some(from));
        self.meet(b);
        got
    }

    /// All bits of so many words from one on; the last of all may stand for those behind it.
    fn all(b: &mut Builder<'_>, mem: Mem, first: Value, (count, words): (u32, u32)) -> Value {
        let word = |b: &mut Builder<'_>, k: u32| {
            let mut at = if k == 0 { first } else { with(b, Op::IAdd, first, k) };
            if !words.is_multiple_of(count) {
                at = with(b, Op::UMin, at, words - 1);
            }
            let at = Words::bytes(b, at);
            b.load(Type::I32, mem, Some(at))
        };
        let mut bits = word(b, 0);
        for k in 1..count {
            let more = word(b, k);
            bits = b.op(Op::Or, &[bits, more]);
        }
        bits
    }

    fn ballot(&self, b: &mut Builder<'_>, c: Value) -> Value {
        let index = b.sysval(Sysval::LocalInvocationIndex);
        let own = Words::bytes(b, index);
        let [zero, one] = [0, 1].map(|n| b.func.iconst(Type::I32, n));
        let lane = with(b, Op::And, index, self.lanes - 1);
        let bit = b.op(Op::Shl, &[one, lane]);
        let bit = b.op(Op::Select, &[c, bit, zero]);
        b.store(bit, self.bits(), Some(own));
        self.meet(b);
        let count = self.lanes.min(EIGHT);
        let first = with(b, Op::And, index, !(count - 1));
        let mut word = Words::all(b, self.bits(), first, (count, self.invocations));
        self.meet(b);
        if self.lanes > count {
            let part = with(b, Op::UShr, index, EIGHT.trailing_zeros());
            let at = Words::bytes(b, part);
            b.store(word, self.parts(), Some(at));
            self.meet(b);
            let eights = self.lanes / EIGHT;
            let first = with(b, Op::And, part, !(eights - 1));
            word = Words::all(b, self.parts(), first, (eights, self.invocations.div_ceil(EIGHT)));
            self.meet(b);
            if self.lockstep {
                b.store(zero, self.parts(), Some(at));
            }
        }
        if self.lockstep {
            b.store(zero, self.bits(), Some(own));
        }
        b.op_as(Op::Compose, &[word, zero, zero, zero], Type::I32.with_lanes(4))
    }

    /// Whether `c` is true in one of the invocations of the workgroup, all of which execute it.
    fn vote(&self, b: &mut Builder<'_>, c: Value) -> Value {
        let [zero, one, away] = [0, 1, 4].map(|n| b.func.iconst(Type::I32, n));
        let votes = self.mem(4 * (2 * self.invocations + self.invocations.div_ceil(EIGHT)));
        b.store(zero, votes, None);
        self.meet(b);
        // Who says no stores where nobody looks.
        let at = b.op(Op::Select, &[c, zero, away]);
        b.store(one, votes, Some(at));
        self.meet(b);
        let got = b.load(Type::I32, votes, None);
        self.meet(b);
        b.icmp(IntCc::Ne, got, zero)
    }

    /// Each lane sets its words.
    fn begin(&self, b: &mut Builder<'_>, ballots: bool) {
        let index = b.sysval(Sysval::LocalInvocationIndex);
        let own = Words::bytes(b, index);
        let zero = b.func.iconst(Type::I32, 0);
        b.store(zero, self.mem(0), Some(own));
        if ballots {
            b.store(zero, self.bits(), Some(own));
            let part = with(b, Op::UShr, index, EIGHT.trailing_zeros());
            let part = Words::bytes(b, part);
            b.store(zero, self.parts(), Some(part));
        }
    }
}

fn with(b: &mut Builder<'_>, op: Op, x: Value, n: u32) -> Value {
    let n = b.func.iconst(Type::I32, n.into());
    b.op(op, &[x, n])
}

/// The bits that tell a lane from the own one, if they are known.
fn flipped(f: &Function, lane: Value) -> Option<u32> {
    let xor = f.def_op(lane, Op::Xor)?;
    f.def_op(xor.args[0], Op::Sysval).filter(|d| d.attr == Attr::Sysval(Sysval::SubgroupInvocationId))?;
    f.const_bits(xor.args[1]).map(|n| n as u32)
}

/// Reads of the lane that all ask for, and of the one that known bits below 32 tell from the own one.
fn simple(m: &Module, f: &Function) -> EntitySet<Inst> {
    let mut found = EntitySet::new();
    let reads: Vec<Inst> = f.insts_in_order().map(|(_, i)| i).filter(|&i| f.insts[i].op == Op::LaneRead).collect();
    if !reads.is_empty() {
        let uniform = Uniformity::new(m, f);
        let is = |lane: Value| !uniform.is_divergent(lane) || flipped(f, lane).is_some_and(|n| (1..32).contains(&n));
        reads.into_iter().filter(|&i| is(f.insts[i].args[1])).for_each(|i| {
            found.insert(i);
        });
    }
    found
}

/// Runs over the function of a compute entry; gives the number of changes.
pub fn run(m: &Module, f: &mut Function, caps: &Caps) -> u64 {
    let size = m.entries.first().and_then(|e| e.workgroup_size());
    let (Some(size), Some(var)) = (size, m.globals.keys().find(|&g| m.globals[g].name == NAME)) else { return 0 };
    let words = Words { var, invocations: gpucc_ir::invocations(size), lanes: caps.subgroup, lockstep: caps.lockstep };
    let (mut read, mut ballots) = (false, false);
    if !caps.lockstep {
        linearise::run(m, f, &mut PassCx::new(m, caps), &|b, c| words.vote(b, c), Among::Workgroup);
    } else if !caps.reconverges {
        linearise::run(m, f, &mut PassCx::new(m, caps), &|_, c| c, Among::Lanes);
    }
    let simple = if caps.simple_lane_reads { simple(m, f) } else { EntitySet::new() };
    let changes = rewrite::run(f, |b, i| {
        let (op, args) = (b.func.insts[i].op, b.func.insts[i].args.clone());
        match op {
            Op::LaneRead if caps.lanes_by_memory && !simple.contains(i) => {
                read = true;
                Rewrite::Value(words.read(b, args[0], args[1]))
            }
            Op::Ballot if caps.ballots_by_memory => {
                ballots = true;
                Rewrite::Value(words.ballot(b, args[0]))
            }
            _ => Rewrite::Keep,
        }
    });
    if (read || ballots) && caps.lockstep {
        let entry = f.entry();
        let mut old = Vec::new();
        f.take_insts(entry, &mut old);
        words.begin(&mut Builder::new(f, entry), ballots);
        f.blocks[entry].insts.extend(old);
    }
    changes
}
