//! Lowers subgroup operations: `OpGroupNonUniform*` and `SPV_KHR_shader_ballot`'s.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::value::Val;
use gpucc_frontend_common::{Memory, Partner};
use gpucc_ir as ir;
use ir::{Edge, IntCc, Reach, Reduce, ReduceOp, Refusal, Type, Value};
use rspirv::spirv::{GroupOperation, Op, Scope};

/// The operation of a reduction or scan, if an instruction is one.
fn reduction(op: Op) -> Option<ReduceOp> {
    Some(match op {
        Op::GroupNonUniformIAdd => ReduceOp::IAdd,
        Op::GroupNonUniformFAdd => ReduceOp::FAdd,
        Op::GroupNonUniformIMul => ReduceOp::IMul,
        Op::GroupNonUniformFMul => ReduceOp::FMul,
        Op::GroupNonUniformSMin => ReduceOp::SMin,
        Op::GroupNonUniformUMin => ReduceOp::UMin,
        Op::GroupNonUniformFMin => ReduceOp::FMin,
        Op::GroupNonUniformSMax => ReduceOp::SMax,
        Op::GroupNonUniformUMax => ReduceOp::UMax,
        Op::GroupNonUniformFMax => ReduceOp::FMax,
        Op::GroupNonUniformBitwiseAnd | Op::GroupNonUniformLogicalAnd => ReduceOp::And,
        Op::GroupNonUniformBitwiseOr | Op::GroupNonUniformLogicalOr => ReduceOp::Or,
        Op::GroupNonUniformBitwiseXor | Op::GroupNonUniformLogicalXor => ReduceOp::Xor,
        _ => return None,
    })
}

/// Whether it is one of `SPV_KHR_shader_ballot` and `SPV_KHR_subgroup_vote`, which have no scope.
fn is_old(op: Op) -> bool {
    matches!(
        op,
        Op::SubgroupBallotKHR
            | Op::SubgroupFirstInvocationKHR
            | Op::SubgroupReadInvocationKHR
            | Op::SubgroupAllKHR
            | Op::SubgroupAnyKHR
            | Op::SubgroupAllEqualKHR
    )
}

/// Whether it is an operation between lanes.
pub fn is_one(op: Op) -> bool {
    let (first, last) = (Op::GroupNonUniformElect as u32, Op::GroupNonUniformQuadSwap as u32);
    let late = [Op::GroupNonUniformRotateKHR, Op::GroupNonUniformQuadAllKHR, Op::GroupNonUniformQuadAnyKHR];
    (first..=last).contains(&(op as u32)) || late.contains(&op) || op == Op::GroupNonUniformPartitionEXT || is_old(op)
}

impl FuncCx<'_, '_> {
    /// Operations between lanes; none of what is something else. Lanes that ended go on as helpers, but take no part.
    pub fn group(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        if !is_one(inst.op) {
            return Ok(None);
        }
        let Some(local) = self.stage.as_ref().and_then(|s| s.ended) else { return self.of_lanes(inst).map(Some) };
        let ty = self.result_leaf(inst)?;
        let ended = self.kept(local, Type::B1);
        let nothing = self.code.f.zero(ty);
        let (body, done) = (self.code.f.make_block(), self.code.f.make_block());
        self.b().br(ended, Edge::with(done, &[nothing]), Edge::to(body), Some(done));
        self.code.start(body);
        let Val::One(value) = self.of_lanes(inst)? else { return self.broken("a result of lanes with parts") };
        if self.code.f.ty(value) != ty {
            return self.wrong("its result has another type");
        }
        self.b().jump(done, &[value]);
        self.code.start(done);
        Ok(Some(Val::One(self.code.f.add_param(done, ty))))
    }

    fn of_lanes(&mut self, inst: &Inst) -> Lowered<Val> {
        if let Some(op) = reduction(inst.op) {
            return self.reduction(inst, op).map(Val::One);
        }
        use Op as O;
        let old = is_old(inst.op);
        let mut o = self.m.m.operands(inst).to_vec();
        if !old {
            let scope = o.remove(0);
            self.group_scope(scope)?;
        }
        let ty = self.result_leaf(inst)?;
        let mask = Type::I32.with_lanes(4);
        let value = match inst.op {
            O::GroupNonUniformElect => {
                let (first, lane) = (self.code.first_lane(), self.code.own_lane());
                self.b().icmp(IntCc::Eq, first, lane)
            }
            O::GroupNonUniformAll | O::SubgroupAllKHR => {
                let c = self.typed(o[0], Type::B1)?;
                self.code.all_lanes(c)
            }
            O::GroupNonUniformAny | O::SubgroupAnyKHR => {
                let c = self.typed(o[0], Type::B1)?;
                self.b().any(c)
            }
            O::GroupNonUniformAllEqual | O::SubgroupAllEqualKHR => {
                let v = self.one(o[0])?;
                self.code.all_equal(v)
            }
            O::GroupNonUniformBallot | O::SubgroupBallotKHR => {
                let c = self.typed(o[0], Type::B1)?;
                self.b().ballot(c)
            }
            O::GroupNonUniformInverseBallot => {
                let m = self.typed(o[0], mask)?;
                let lane = self.code.own_lane();
                self.mask_bit(m, lane)
            }
            O::GroupNonUniformBallotBitExtract => {
                let (m, lane) = (self.typed(o[0], mask)?, self.typed(o[1], Type::I32)?);
                self.mask_bit(m, lane)
            }
            O::GroupNonUniformBallotBitCount => {
                let m = self.typed(o[1], mask)?;
                let m = self.code.real_lanes(m);
                let compare = match GroupOperation::from_u32(o[0]) {
                    Some(GroupOperation::Reduce) => None,
                    Some(GroupOperation::InclusiveScan) => Some(IntCc::Ule),
                    Some(GroupOperation::ExclusiveScan) => Some(IntCc::Ult),
                    _ => return self.wrong("its group operation counts no bits"),
                };
                let m = match compare {
                    Some(cc) => {
                        let upto = self.code.lanes_that(cc);
                        self.b().and(m, upto)
                    }
                    None => m,
                };
                let counts = self.b().popcount(m);
                let mut sum = self.code.extract(counts, 0);
                for k in 1..4 {
                    let part = self.code.extract(counts, k);
                    sum = self.b().iadd(sum, part);
                }
                sum
            }
            O::GroupNonUniformBallotFindLSB | O::GroupNonUniformBallotFindMSB => {
                let m = self.typed(o[0], mask)?;
                let m = self.code.real_lanes(m);
                self.code.found_lane(m, inst.op == O::GroupNonUniformBallotFindMSB)
            }
            O::GroupNonUniformBroadcastFirst | O::SubgroupFirstInvocationKHR => {
                let v = self.typed(o[0], ty)?;
                let first = self.code.first_lane();
                self.b().lane_read(v, first)
            }
            _ => return self.lane_read(inst, &o, ty).map(Val::One),
        };
        Ok(Val::One(value))
    }

    fn lane_read(&mut self, inst: &Inst, o: &[u32], ty: Type) -> Lowered<Value> {
        use Op as O;
        let partner = match inst.op {
            O::GroupNonUniformBroadcast | O::GroupNonUniformShuffle | O::SubgroupReadInvocationKHR => Partner::Lane,
            O::GroupNonUniformShuffleXor => Partner::Xor,
            O::GroupNonUniformShuffleUp => Partner::Up,
            O::GroupNonUniformShuffleDown => Partner::Down,
            O::GroupNonUniformQuadBroadcast => Partner::Quad,
            O::GroupNonUniformQuadSwap => Partner::Xor,
            O::GroupNonUniformRotateKHR if o.len() == 2 => Partner::RotateAll,
            O::GroupNonUniformRotateKHR => {
                let size = self.number(o[2])? as u32;
                if !size.is_power_of_two() {
                    return self.wrong("its cluster is no power of two");
                }
                Partner::Rotate(size)
            }
            _ => return self.missing(Refusal::Subgroups, "it is not lowered"),
        };
        let v = self.typed(o[0], ty)?;
        let n = if inst.op == O::GroupNonUniformQuadSwap {
            let direction = self.number(o[1])?;
            if direction > 2 {
                return self.wrong("its direction is 0, 1 or 2");
            }
            self.code.f.iconst(Type::I32, direction as i64 + 1)
        } else {
            self.typed(o[1], Type::I32)?
        };
        Ok(self.code.read_lane(v, partner, n))
    }

    fn reduction(&mut self, inst: &Inst, op: ReduceOp) -> Lowered<Value> {
        let o = self.m.m.operands(inst).to_vec();
        self.group_scope(o[0])?;
        let ty = self.result_leaf(inst)?;
        let v = self.typed(o[2], ty)?;
        if !op.takes(ty.scalar()) {
            return self.wrong(format!("it has no values of type {ty}"));
        }
        let (reach, cluster) = match GroupOperation::from_u32(o[1]) {
            Some(GroupOperation::Reduce) => (Reach::All, 0),
            Some(GroupOperation::InclusiveScan) => (Reach::Inclusive, 0),
            Some(GroupOperation::ExclusiveScan) => (Reach::Exclusive, 0),
            Some(GroupOperation::ClusteredReduce) if o.len() > 3 => {
                let size = self.number(o[3])?;
                if !size.is_power_of_two() {
                    return self.wrong("its cluster is no power of two");
                }
                // A cluster beyond every subgroup is the subgroup.
                (Reach::All, u8::try_from(size).unwrap_or(0))
            }
            _ => return self.missing(Refusal::Subgroups, "with this group operation"),
        };
        Ok(self.b().reduce(v, Reduce { op, reach, cluster }))
    }

    /// The bit of a mask that belongs to a lane.
    fn mask_bit(&mut self, mask: Value, lane: Value) -> Value {
        let five = self.code.f.iconst(Type::I32, 5);
        let word = self.b().op(ir::Op::UShr, &[lane, five]);
        let word = self.b().op(ir::Op::ExtractDyn, &[mask, word]);
        let shifted = self.b().op(ir::Op::UShr, &[word, lane]);
        let [one, zero] = [1, 0].map(|n| self.code.f.iconst(Type::I32, n));
        let bit = self.b().and(shifted, one);
        self.b().icmp(IntCc::Ne, bit, zero)
    }

    fn group_scope(&mut self, id: u32) -> Lowered<()> {
        if self.number(id)? == u64::from(Scope::Subgroup as u32) {
            return Ok(());
        }
        self.missing(Refusal::Subgroups, "of a scope that is not the subgroup")
    }
}
