//! Packs scalar operations of one kind into vector operations: four lanes cost what one costs.
//!
//! ```text
//! v4 = iadd v0, 1                        v8 = iadd splat v0, (1, 2)
//! v5 = iadd v0, 2          ==>           v9 = icmp.lt v8, (v6, v7)
//! v10 = icmp.lt v4, v6                   v10, v11 = its lanes
//! v11 = icmp.lt v5, v7
//! ```
//!
//! Within a block, instructions that do not depend on each other. A group is formed where it saves more than it costs to
//! bring its operands into one register: lanes of one vector, constants and uniform words cost nothing, values that are made
//! one by one little, what lies in different registers a move each. `plan` decides, `rewrite` carries out.
//! Needs: legalised 32-bit scalars. Keeps: the CFG, memory order. Values of a group that its operands hold become lanes.

mod params;
mod plan;
mod rewrite;

use gpucc_ir::analysis::Uses;
use gpucc_ir::{Attr, Function, Inst, IntCc, Op, Place, Scalar, SecondaryMap, Space, Type, Value, ValueDef};
use gpucc_vivante_machine as machine;
use machine::Op as M;

use crate::clamp;
use crate::inst::Vivante;

/// Instructions looked at together.
const CHUNK: usize = 256;

/// Runs over a function; gives the number of instructions that were packed away.
pub fn run(f: &mut Function, module: &gpucc_ir::Module, t: &Vivante) -> u64 {
    let uniform = module.resources.iter().filter(|(_, r)| r.kind.space() == Space::Uniform).map(|(r, _)| r).collect();
    let facts = Facts { t, uses: Uses::new(f), uniform };
    let mut saved = 0;
    let mut out = rewrite::Rewrite::new();
    let mut scratch = plan::Scratch::default();
    for b in f.layout.clone() {
        let insts = std::mem::take(&mut f.blocks[b].insts);
        out.enter(b);
        for chunk in insts.chunks(CHUNK) {
            let plan = plan::plan(f, &facts, &out.lanes, chunk, &mut scratch);
            saved += plan.saved;
            out.chunk(f, chunk, &plan);
        }
    }
    out.finish(f);
    if saved > 0 {
        params::run(f);
        clean(f);
    }
    saved
}

/// What the pass knows.
struct Facts<'a> {
    t: &'a Vivante,
    uses: Uses,
    uniform: Vec<gpucc_ir::Res>,
}

impl Facts<'_> {
    /// Machine instructions of one scalar operation, if the chip does it lane by lane.
    fn weight(&self, f: &Function, i: Inst) -> Option<u32> {
        let d = &f.insts[i];
        let v = d.results.first()?;
        let scalar = |v: Value| {
            let t = f.ty(v);
            t.lanes() == 1 && matches!(t.scalar(), Scalar::I32 | Scalar::F32 | Scalar::B1)
        };
        if !scalar(v) || !d.args.iter().all(|&a| scalar(a)) || self.uses.count(v) == 0 {
            return None;
        }
        let (op, t, weight) = match d.op {
            Op::FAdd | Op::FSub => (M::Add, machine::Type::F32, 1),
            Op::FMul => (M::Mul, machine::Type::F32, 1),
            Op::FMin | Op::FMax => (M::Select, machine::Type::F32, 1),
            Op::FSat => (M::Mov, machine::Type::F32, 1),
            Op::FFloor => (M::Floor, machine::Type::F32, 1),
            Op::FCeil => (M::Ceil, machine::Type::F32, 1),
            Op::FFract => (M::Frc, machine::Type::F32, 1),
            Op::FTrunc => (M::Floor, machine::Type::F32, 3),
            Op::FSign => (M::Sign, machine::Type::F32, 1),
            Op::S2F => (M::I2f, machine::Type::S32, 1),
            Op::U2F => (M::I2f, machine::Type::U32, 1),
            Op::F2S => (M::F2i, machine::Type::S32, 4),
            Op::F2U => (M::F2i, machine::Type::U32, 3),
            Op::F2SFull => (M::F2i, machine::Type::S32, 6),
            Op::F2UFull => (M::F2i, machine::Type::U32, 5),
            Op::IAdd | Op::ISub => (M::Add, machine::Type::S32, 1),
            Op::And => (M::And, machine::Type::U32, 1),
            Op::Or => (M::Or, machine::Type::U32, 1),
            Op::Xor => (M::Xor, machine::Type::U32, 1),
            Op::Not => (M::Not, machine::Type::U32, 1),
            Op::Shl => (M::Lshift, machine::Type::U32, 1),
            Op::UShr => (M::Rshift, machine::Type::U32, 1),
            Op::SShr => (M::Rshift, machine::Type::S32, 1),
            Op::Popcount => (M::Popcount, machine::Type::U32, 1),
            Op::Clz => (M::Leadzero, machine::Type::U32, 1),
            Op::BitReverse => (M::BitRev, machine::Type::U32, 1),
            Op::IAbs => (M::Iabs, machine::Type::S32, 1),
            Op::SMin | Op::SMax => (M::Select, machine::Type::S32, 1),
            Op::UMin | Op::UMax => (M::Select, machine::Type::U32, 1),
            Op::ICmp => (M::Cmp, machine::Type::U32, 1),
            Op::FCmp => (M::Cmp, machine::Type::F32, 1),
            Op::Select => (M::Select, machine::Type::U32, 1),
            _ => return None,
        };
        if !self.t.is_vector(op, t) || self.is_free(f, i) {
            return None;
        }
        // On gc2000 what makes masks of several conditions is scalar again.
        let old = self.t.generation == machine::GC2000;
        (!(old && f.ty(v).is_bool() && d.op == Op::Select)).then_some(weight)
    }

    /// Whether the scalar costs nothing as it is: it is part of a branch, of an address, of a multiplication, or a uniform.
    fn is_free(&self, f: &Function, i: Inst) -> bool {
        let d = &f.insts[i];
        let v = d.result();
        if f.ty(v).is_bool() && self.feeds_branch(f, v, 4) {
            return true;
        }
        match d.op {
            Op::IAdd | Op::ISub => {
                let product = |a: Value| {
                    let Some(m) = f.def_op(a, Op::IMul) else { return false };
                    self.uses.count(a) == 1
                        && m.args.iter().all(|&x| f.const_bits(x).is_none_or(|k| !k.is_power_of_two()))
                };
                let k = d.args.iter().any(|&a| f.const_bits(a).is_some());
                clamp::length_less(f, v).is_some()
                    || (d.op == Op::IAdd && d.args.iter().any(|&a| product(a)))
                    || (k && self.only_address(f, v, true))
            }
            Op::UShr => clamp::length_less(f, d.args[0]).is_some(),
            Op::Shl => clamp::scaled(f, v).is_some() && self.only_address(f, v, false),
            _ => false,
        }
    }

    fn feeds_branch(&self, f: &Function, v: Value, depth: u32) -> bool {
        let [u] = self.uses.of(v) else { return false };
        let d = &f.insts[u.inst];
        match d.op {
            Op::Br => true,
            Op::And | Op::Or | Op::Not | Op::Select if depth > 0 => {
                d.results.first().is_some_and(|r| f.ty(r) == Type::B1 && self.feeds_branch(f, r, depth - 1))
            }
            _ => false,
        }
    }

    /// Whether a value is only the offset of loads and stores (of workgroup memory if `workgroup`, also behind a shift).
    fn only_address(&self, f: &Function, v: Value, workgroup: bool) -> bool {
        let users = self.uses.of(v);
        !users.is_empty()
            && users.iter().all(|u| {
                let d = &f.insts[u.inst];
                if matches!(d.op, Op::Load | Op::Store) {
                    let place = d.mem().is_some_and(|m| !workgroup || matches!(m.place, Place::Global(_)));
                    return place && d.dyn_offset() == Some(v) && (d.op == Op::Load || d.args[0] != v);
                }
                workgroup
                    && d.op == Op::Shl
                    && clamp::scaled(f, d.result()).is_some_and(|s| s.0 == v)
                    && self.only_address(f, d.result(), true)
            })
    }

    /// Whether a value is a word of the uniform file.
    fn is_uniform(&self, f: &Function, v: Value) -> bool {
        let Some(i) = f.def_inst(v) else { return false };
        let d = &f.insts[i];
        match (d.op, &d.attr) {
            (Op::BufferLength, _) => true,
            (Op::Load, Attr::Mem(m)) => match m.place {
                Place::Buffer(r) => d.dyn_offset().is_none() && self.uniform.contains(&r),
                _ => false,
            },
            (Op::Sysval, Attr::Sysval(s)) => *s == gpucc_ir::Sysval::NumWorkgroups,
            (Op::Extract, _) => self.is_uniform(f, d.args[0]),
            (Op::UShr, _) => clamp::length_less(f, d.args[0]).is_some(),
            _ => clamp::length_less(f, v).is_some(),
        }
    }
}

/// Sign operations and bitcasts cost nothing: what they are of is packed instead.
fn see_through(f: &Function, v: Value) -> Option<(Op, Value)> {
    let d = &f.insts[f.def_inst(v)?];
    let plain = |t: Type| t.lanes() == 1 && t.bits() == 32 && !t.is_bool();
    let fits = matches!(d.op, Op::FNeg | Op::FAbs | Op::INeg | Op::Bitcast) && plain(f.ty(v)) && plain(f.ty(d.args[0]));
    fits.then(|| (d.op, d.args[0]))
}

/// The vector and lane that a scalar is.
fn lane_of(f: &Function, v: Value) -> Option<(Value, u8)> {
    let d = f.def_op(v, Op::Extract)?;
    match d.attr {
        Attr::Lane(k) => Some((d.args[0], k)),
        _ => None,
    }
}

/// The comparison that a selection does by itself: it has no other user, and compares with zero or chooses between zero and
/// something.
fn selects_by(f: &Function, facts: &Facts<'_>, i: Inst) -> Option<Inst> {
    let d = &f.insts[i];
    if d.op != Op::Select {
        return None;
    }
    let c = f.def_inst(d.args[0])?;
    let cmp = &f.insts[c];
    let zero = |v: Value| f.const_bits(v) == Some(0);
    let kind = match cmp.attr {
        Attr::IntCc(cc) => {
            let order = matches!(cc, IntCc::Ult | IntCc::Uge);
            (zero(cmp.args[1]) && !order) || zero(d.args[1]) || zero(d.args[2])
        }
        Attr::FloatCc(_) => zero(cmp.args[1]) || zero(d.args[2]),
        _ => return None,
    };
    (facts.uses.count(d.args[0]) == 1 && kind && !f.ty(cmp.args[0]).is_bool()).then_some(c)
}

/// Removes pure instructions without users, from the last to the first.
fn clean(f: &mut Function) {
    let mut count: SecondaryMap<Value, u32> = SecondaryMap::new();
    for (_, i) in f.insts_in_order() {
        f.insts[i].for_each_use(|v| count[v] += 1);
    }
    for b in f.layout.clone().into_iter().rev() {
        let mut kept = Vec::new();
        for i in std::mem::take(&mut f.blocks[b].insts).into_iter().rev() {
            let d = &f.insts[i];
            if d.op.is_pure() && d.results.iter().all(|v| count[v] == 0) {
                d.for_each_use(|v| count[v] -= 1);
                continue;
            }
            kept.push(i);
        }
        kept.reverse();
        f.blocks[b].insts = kept.into();
    }
}

/// Whether a value is a parameter of a block.
fn is_param(f: &Function, v: Value) -> bool {
    matches!(f.values[v].def, ValueDef::Param(..))
}
