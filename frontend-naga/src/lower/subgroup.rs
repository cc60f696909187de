//! Lowers subgroup operations.

use super::Lowered;
use super::func::FuncCx;
use super::types;
use super::value::Val;
use gpucc_frontend_common::Partner;
use gpucc_ir as ir;
use ir::{Reach, Reduce, ReduceOp, Type};
use naga::{CollectiveOperation, Direction, Expression, GatherMode, Handle, ScalarKind, SubgroupOperation as S};

impl FuncCx<'_, '_> {
    pub(super) fn ballot(&mut self, result: Handle<Expression>, predicate: Option<Handle<Expression>>) -> Lowered<()> {
        let mask = match predicate {
            Some(c) => {
                let c = self.one(c)?;
                self.b().ballot(c)
            }
            None => self.active_lanes(),
        };
        self.define(result, Val::One(mask));
        Ok(())
    }

    pub(super) fn gather(
        &mut self,
        result: Handle<Expression>,
        mode: GatherMode,
        argument: Handle<Expression>,
    ) -> Lowered<()> {
        let v = self.one(argument)?;
        let (partner, n) = match mode {
            GatherMode::BroadcastFirst => (Partner::Lane, self.first_lane()),
            GatherMode::Broadcast(n) | GatherMode::Shuffle(n) => (Partner::Lane, self.one(n)?),
            GatherMode::ShuffleDown(n) => (Partner::Down, self.one(n)?),
            GatherMode::ShuffleUp(n) => (Partner::Up, self.one(n)?),
            GatherMode::ShuffleXor(n) => (Partner::Xor, self.one(n)?),
            GatherMode::QuadBroadcast(n) => (Partner::Quad, self.one(n)?),
            GatherMode::QuadSwap(direction) => {
                let bits = match direction {
                    Direction::X => 1,
                    Direction::Y => 2,
                    Direction::Diagonal => 3,
                };
                (Partner::Xor, self.f.iconst(Type::I32, bits))
            }
        };
        let got = self.read_lane(v, partner, n);
        self.define(result, Val::One(got));
        Ok(())
    }

    pub(super) fn collective(
        &mut self,
        result: Handle<Expression>,
        op: S,
        collective: CollectiveOperation,
        argument: Handle<Expression>,
    ) -> Lowered<()> {
        let kind = types::lane_scalar(self.expr_ty(argument)?).map_or(ScalarKind::Uint, |s| s.kind);
        let v = self.one(argument)?;
        let of = |float, signed, unsigned| match kind {
            ScalarKind::Float => float,
            ScalarKind::Sint => signed,
            _ => unsigned,
        };
        let op = match op {
            S::All => {
                let all = self.all_lanes(v);
                self.define(result, Val::One(all));
                return Ok(());
            }
            S::Any => {
                let any = self.b().any(v);
                self.define(result, Val::One(any));
                return Ok(());
            }
            S::Add => of(ReduceOp::FAdd, ReduceOp::IAdd, ReduceOp::IAdd),
            S::Mul => of(ReduceOp::FMul, ReduceOp::IMul, ReduceOp::IMul),
            S::Min => of(ReduceOp::FMin, ReduceOp::SMin, ReduceOp::UMin),
            S::Max => of(ReduceOp::FMax, ReduceOp::SMax, ReduceOp::UMax),
            S::And => ReduceOp::And,
            S::Or => ReduceOp::Or,
            S::Xor => ReduceOp::Xor,
        };
        let reach = match collective {
            CollectiveOperation::Reduce => Reach::All,
            CollectiveOperation::InclusiveScan => Reach::Inclusive,
            CollectiveOperation::ExclusiveScan => Reach::Exclusive,
        };
        let got = self.b().reduce(v, Reduce { op, reach, cluster: 0 });
        self.define(result, Val::One(got));
        Ok(())
    }
}
