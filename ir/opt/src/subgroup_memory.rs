//! Reads of other lanes, and ballots, through workgroup memory, for chips whose instructions do neither.
//!
//! ```text
//! v1 = lane_read v0, lane        ==>   store words[own invocation] = v0; v1 = load words[that of the lane]
//! v1 = ballot v0                 ==>   store word = 0; atomic or word, v0 at the own bit; v1 = load word
//! ```
//!
//! Lanes of a subgroup run in lockstep: those that execute it have all stored before the first of them loads, and nobody waits,
//! so it may stand in a branch. The accesses are atomic: they do not race, and stay in their order. Each lane sets its word at
//! the start, so that a lane that does not take part has something to read.
//!
//! Needs: `Caps::lanes_by_memory` or `Caps::ballots_by_memory`, and the variable that [`variable`] makes. Keeps: the CFG.

use crate::Caps;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::{
    AtomicOp, Attr, Builder, Function, Global, Init, Mem, MemFlags, Module, Op, Place, Space, Span, Sysval, Type,
    Value, VarData,
};

/// The name of the variable, which no source can give one.
const NAME: &str = "words of subgroups";

/// The workgroup memory that a function needs for this, whose entry point has workgroups of this size.
pub fn variable(f: &Function, size: [u32; 3], caps: &Caps) -> Option<VarData> {
    if !(caps.lanes_by_memory || caps.ballots_by_memory) || caps.subgroup == 0 {
        return None;
    }
    let one = |op| matches!(op, Op::Any | Op::Ballot | Op::LaneRead | Op::Reduce);
    f.insts_in_order().any(|(_, i)| one(f.insts[i].op)).then(|| {
        let invocations = gpucc_ir::invocations(size);
        let words = invocations.saturating_add(invocations.div_ceil(caps.subgroup));
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

/// The place of a word.
struct Words {
    var: Global,
    invocations: u32,
    lanes: u32,
}

impl Words {
    fn mem(&self, offset: u32) -> Mem {
        Mem::new(Place::Global(self.var), offset, 4).flags(MemFlags::ATOMIC.with(MemFlags::IN_BOUNDS))
    }

    fn bytes(b: &mut Builder<'_>, index: Value) -> Value {
        with(b, Op::Shl, index, 2)
    }

    /// The byte offset of the own word.
    fn own(b: &mut Builder<'_>) -> Value {
        let index = b.sysval(Sysval::LocalInvocationIndex);
        Words::bytes(b, index)
    }

    fn read(&self, b: &mut Builder<'_>, v: Value, lane: Value) -> Value {
        let own = Words::own(b);
        b.store(v, self.mem(0), Some(own));
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
        b.load(Type::I32, self.mem(0), Some(from))
    }

    fn ballot(&self, b: &mut Builder<'_>, c: Value) -> Value {
        let index = b.sysval(Sysval::LocalInvocationIndex);
        let group = with(b, Op::UShr, index, self.lanes.trailing_zeros());
        let at = Words::bytes(b, group);
        let zero = b.func.iconst(Type::I32, 0);
        let one = b.func.iconst(Type::I32, 1);
        let lane = with(b, Op::And, index, self.lanes - 1);
        let bit = b.op(Op::Shl, &[one, lane]);
        let bit = b.op(Op::Select, &[c, bit, zero]);
        let mem = self.mem(self.invocations * 4);
        b.store(zero, mem, Some(at));
        b.atomic(AtomicOp::Or, bit, Mem { flags: MemFlags::IN_BOUNDS, ..mem }, Some(at));
        let word = b.load(Type::I32, mem, Some(at));
        b.op_as(Op::Compose, &[word, zero, zero, zero], Type::I32.with_lanes(4))
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

/// Runs over the function of a compute entry; gives the number of changes.
pub fn run(m: &Module, f: &mut Function, caps: &Caps) -> u64 {
    let size = m.entries.first().and_then(|e| e.workgroup_size());
    let (Some(size), Some(var)) = (size, m.globals.keys().find(|&g| m.globals[g].name == NAME)) else { return 0 };
    let words = Words { var, invocations: gpucc_ir::invocations(size), lanes: caps.subgroup };
    let mut read = false;
    let changes = rewrite::run(f, |b, i| {
        let (op, args) = (b.func.insts[i].op, b.func.insts[i].args.clone());
        match op {
            Op::LaneRead if caps.lanes_by_memory => {
                read = true;
                Rewrite::Value(words.read(b, args[0], args[1]))
            }
            Op::Ballot if caps.ballots_by_memory => Rewrite::Value(words.ballot(b, args[0])),
            _ => Rewrite::Keep,
        }
    });
    if read {
        let entry = f.entry();
        let mut old = Vec::new();
        f.take_insts(entry, &mut old);
        let mut b = Builder::new(f, entry);
        let own = Words::own(&mut b);
        let zero = b.func.iconst(Type::I32, 0);
        b.store(zero, words.mem(0), Some(own));
        f.blocks[entry].insts.extend(old);
    }
    changes
}
