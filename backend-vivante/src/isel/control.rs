//! Terminators: fused compare-branches, switches, the end.

use gpucc_ir::{Attr, Diagnostic, Edge, Inst, Op, Value};
use gpucc_mir::{Cfg, MEdge, MInst, Select, Use};
use gpucc_vivante_machine as machine;
use machine::Op as M;
use machine::rules::{cond, ty};

use super::Isel;
use super::alu::opposite;
use super::operand::Fold;
use crate::target::{Mods, VOp, Vivante};

type Cx<'f> = Select<'f, Vivante>;

impl Isel<'_> {
    pub(super) fn control(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        match &d.attr {
            Attr::Jump { edge, .. } => {
                let t = self.t;
                cx.jump_to(t, edge);
            }
            Attr::Br { then, other, .. } => self.branch(cx, d.args[0], then, other),
            Attr::Switch(s) => {
                let v = d.args[0];
                let mut edges: Vec<MEdge> = Vec::new();
                for (k, e) in &s.cases {
                    let x = self.operand_lane(cx, v, 0, Fold::None);
                    let y = self.literal(*k as u32);
                    let e = cx.edge(e);
                    let m = Mods::ty(ty::U32).cond(cond::EQ);
                    cx.emit(MInst::new(VOp::M(M::BranchBinary)).args([x, y]).arg(e.to).mods(m));
                    edges.push(e);
                }
                let e = cx.edge(&s.default);
                cx.emit(MInst::new(VOp::M(M::Branch)).arg(e.to));
                edges.push(e);
                cx.set_succs(Cfg::Logical, edges);
            }
            _ => {
                // `ret` and `unreachable` have no edges.
                debug_assert!(matches!(d.op, Op::Ret | Op::Unreachable));
                cx.emit(MInst::new(VOp::End));
                cx.set_succs(Cfg::Logical, Vec::new());
            }
        }
        Ok(())
    }

    fn branch(&mut self, cx: &mut Cx<'_>, c: Value, then: &Edge, other: &Edge) {
        let (mut then, mut other, mut c) = (then, other, c);
        // A negated condition exchanges the edges.
        while let Some(n) = cx.peek(c).filter(|n| n.op == Op::Not) {
            std::mem::swap(&mut then, &mut other);
            c = n.args[0];
        }
        let next = cx.current_id().0 + 1;
        let (op, uses, mut mods, exact): (M, Vec<Use<Vivante>>, Mods, bool) = match self.comparison(cx, c) {
            Some((cmp, k)) => {
                if k.negate {
                    std::mem::swap(&mut then, &mut other);
                }
                let fold = if k.ty == ty::F32 { Fold::Float } else { Fold::None };
                let x = self.operand_lane(cx, cmp.args[0], 0, fold);
                let y = self.operand_lane(cx, cmp.args[1], 0, fold);
                // The opposite of a float condition differs for what is no number, but for equality.
                let exact = k.ty != ty::F32 || matches!(k.cond, cond::EQ | cond::NE);
                (M::BranchBinary, vec![x, y], Mods::ty(k.ty).cond(k.cond), exact)
            }
            None => {
                let x = self.operand_lane(cx, c, 0, Fold::None);
                (M::BranchUnary, vec![x], Mods::ty(ty::U32).cond(cond::NZ), true)
            }
        };
        // The taken edge should not be the block that comes next.
        if exact && cx.block_id(then.block).0 == next && cx.block_id(other.block).0 != next {
            std::mem::swap(&mut then, &mut other);
            mods.cond = opposite(mods.cond);
        }
        let (t, o) = (cx.edge(then), cx.edge(other));
        cx.emit(MInst::new(VOp::M(op)).args(uses).arg(t.to).mods(mods));
        cx.emit(MInst::new(VOp::M(M::Branch)).arg(o.to));
        cx.set_succs(Cfg::Logical, vec![t, o]);
    }
}
