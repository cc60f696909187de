//! Properties of instructions for packing: their cost, operands that are free, origins of their lanes.

use gpucc_ir::analysis::Uses;
use gpucc_ir::{Attr, Function, Inst, IntCc, Op, Place, Scalar, Type, Value, ValueDef};
use gpucc_vivante_machine as machine;
use machine::Op as M;

use crate::inst::Vivante;
use crate::launch::Steps;
use gpucc_opt::clamp_indices;

/// The facts that the pass knows.
pub struct Facts<'a> {
    /// The target whose instructions are joined.
    pub t: &'a Vivante,
    /// Uses of all values of the function.
    pub uses: Uses,
    /// Resources whose words are uniforms.
    pub uniform: Vec<gpucc_ir::Res>,
    /// The values that the launch computes.
    pub steps: Steps,
}

impl Facts<'_> {
    /// Machine instructions of one scalar operation, if the chip does it lane by lane.
    pub fn weight(&self, f: &Function, i: Inst) -> Option<u32> {
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

    /// Whether the scalar costs nothing as it is: it is part of a branch, of an address, of a multiplication, or
    /// a uniform.
    pub fn is_free(&self, f: &Function, i: Inst) -> bool {
        let d = &f.insts[i];
        let v = d.result();
        if self.steps.computed(v).is_some() || f.ty(v).is_bool() && self.feeds_branch(f, v, 4) {
            return true;
        }
        match d.op {
            // The instructions that compute it saturate, each by itself.
            Op::FSat => {
                let of = f.def_inst(d.args[0]).map(|i| f.insts[i].op);
                let alone = matches!(of, Some(Op::FDot | Op::FRcp | Op::FRsqrt | Op::FSqrt | Op::FExp2));
                alone && self.uses.count(d.args[0]) == 1
            }
            Op::IAdd | Op::ISub => {
                let product = |a: Value| {
                    let Some(m) = f.def_op(a, Op::IMul) else { return false };
                    self.uses.count(a) == 1
                        && m.args.iter().all(|&x| f.const_bits(x).is_none_or(|k| !k.is_power_of_two()))
                };
                let k = d.args.iter().any(|&a| f.const_bits(a).is_some());
                clamp_indices::length_less(f, v).is_some()
                    || (d.op == Op::IAdd && d.args.iter().any(|&a| product(a)))
                    || (k && self.only_address(f, v, true))
            }
            Op::UShr => clamp_indices::length_less(f, d.args[0]).is_some(),
            Op::Shl => clamp_indices::scaled(f, v).is_some() && self.only_address(f, v, false),
            _ => false,
        }
    }

    pub fn feeds_branch(&self, f: &Function, v: Value, depth: u32) -> bool {
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
    pub fn only_address(&self, f: &Function, v: Value, workgroup: bool) -> bool {
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
                    && clamp_indices::scaled(f, d.result()).is_some_and(|s| s.0 == v)
                    && self.only_address(f, d.result(), true)
            })
    }

    /// Whether a value is a word of the uniform file.
    pub fn is_uniform(&self, f: &Function, v: Value) -> bool {
        let Some(i) = f.def_inst(v) else { return false };
        if self.steps.computed(v).is_some() {
            return true;
        }
        let d = &f.insts[i];
        match (d.op, &d.attr) {
            (Op::BufferLength, _) => true,
            (Op::Load, Attr::Mem(m)) => match m.place {
                Place::Buffer(r) => d.dyn_offset().is_none() && self.uniform.contains(&r),
                _ => false,
            },
            (Op::Sysval, Attr::Sysval(s)) => *s == gpucc_ir::Sysval::NumWorkgroups,
            (Op::Extract, _) => self.is_uniform(f, d.args[0]),
            (Op::UShr, _) => clamp_indices::length_less(f, d.args[0]).is_some(),
            _ => clamp_indices::length_less(f, v).is_some(),
        }
    }
}

/// Sign operations and bitcasts cost nothing: what they are of is packed instead.
pub fn see_through(f: &Function, v: Value) -> Option<(Op, Value)> {
    let d = &f.insts[f.def_inst(v)?];
    let plain = |t: Type| t.lanes() == 1 && t.bits() == 32 && !t.is_bool();
    let fits = matches!(d.op, Op::FNeg | Op::FAbs | Op::INeg | Op::Bitcast) && plain(f.ty(v)) && plain(f.ty(d.args[0]));
    fits.then(|| (d.op, d.args[0]))
}

/// The vector and lane that a scalar is.
pub fn lane_of(f: &Function, v: Value) -> Option<(Value, u8)> {
    let d = f.def_op(v, Op::Extract)?;
    match d.attr {
        Attr::Lane(k) => Some((d.args[0], k)),
        _ => None,
    }
}

/// The comparison that a selection does by itself: it has no other user, and compares with zero or chooses between zero and
/// something.
pub fn selects_by(f: &Function, facts: &Facts<'_>, i: Inst) -> Option<Inst> {
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

/// Whether a value is a parameter of a block.
pub fn is_param(f: &Function, v: Value) -> bool {
    matches!(f.values[v].def, ValueDef::Param(..))
}
