//! Terminators: fused compare-branches, the end.

use gpucc_ir::{Attr, Diagnostic, EdgeRef, Inst, Op, Value};
use gpucc_mir::{Cfg, MInst, Select, Use};
use gpucc_vivante_machine as machine;
use machine::{Cond, Type};

use super::{Fold, Isel};
use crate::builders as build;
use crate::inst::{If, Ty, VOp, Vivante};

type IselCx<'f> = Select<'f, Vivante>;

impl Isel<'_> {
    pub(super) fn control(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        match &d.attr {
            Attr::Branch(b) => match b.other() {
                None => {
                    let t = self.t;
                    cx.jump_to(t, b.then());
                }
                Some(other) => self.branch(cx, d.args[0], b.then(), other),
            },
            _ => {
                // `ret` and `unreachable` have no edges.
                debug_assert!(matches!(d.op, Op::Ret | Op::Unreachable));
                if self.staged && d.op == Op::Ret {
                    self.outputs(cx, i)?;
                } else {
                    cx.emit(MInst::new(VOp::End));
                }
                cx.set_succs(Cfg::Logical, []);
            }
        }
        Ok(())
    }

    fn branch(&mut self, cx: &mut IselCx<'_>, c: Value, then: EdgeRef<'_>, other: EdgeRef<'_>) {
        let (mut then, mut other, mut c) = (then, other, c);
        // A negated condition exchanges the edges.
        while let Some(n) = cx.peek(c).filter(|n| n.op == Op::Not) {
            std::mem::swap(&mut then, &mut other);
            c = n.args[0];
        }
        if self.tests(cx, c, then, other) {
            return;
        }
        let next = cx.current_id().0 + 1;
        let (first, second, ty, mut cond, exact) = match self.comparison(cx, c) {
            Some((cmp, k)) => {
                if k.negate {
                    std::mem::swap(&mut then, &mut other);
                }
                let fold = if k.ty == Type::F32 { Fold::Float } else { Fold::None };
                let x = self.operand_lane(cx, cmp.args[0], 0, fold);
                let y = self.operand_lane(cx, cmp.args[1], 0, fold);
                // The opposite of a float condition differs for what is no number, but for equality.
                let exact = k.cond.has_opposite(k.ty);
                (x, Some(y), k.ty, k.cond, exact)
            }
            None => {
                let x = self.operand_lane(cx, c, 0, Fold::None);
                (x, None, Type::U32, Cond::Nz, true)
            }
        };
        // The taken edge should not be the block that comes next.
        if exact && cx.block_id(then.block).0 == next && cx.block_id(other.block).0 != next {
            std::mem::swap(&mut then, &mut other);
            cond = cond.opposite();
        }
        let (t, o) = (cx.edge(then), cx.edge(other));
        cx.emit(branch_if(first, second, ty, cond, t.to));
        cx.emit(build::Branch.on([o.to.into()]));
        cx.set_succs(Cfg::Logical, [t, o]);
    }

    /// A condition made of several: one test after the other (`a || b` is decided as soon as `a` holds), or one BRANCH_ANY.
    /// False if it is no such condition.
    fn tests(&mut self, cx: &mut IselCx<'_>, c: Value, then: EdgeRef<'_>, other: EdgeRef<'_>) -> bool {
        let Some((leaves, any)) = conditions(cx, c) else { return false };
        // All must hold: any that does not leads to the other side.
        let (hit, miss) = if any { (then, other) } else { (other, then) };
        let mut list: Vec<Test> = Vec::new();
        for (v, negated) in leaves {
            let negated = negated == any;
            match self.test(cx, v, negated) {
                Some(t) => list.push(t),
                None => return false,
            }
        }
        let m = self.t.generation == machine::GC7000;
        let one = if m { self.any_of(cx, &list) } else { None };
        let mut edges = Vec::new();
        if let (Some([x, y]), Some(&Test { ty, cond, .. })) = (one, list.first()) {
            let e = cx.edge(hit);
            cx.emit(build::BranchAny.with((Ty(ty), If(cond)), [x, y, e.to.into()]));
            edges.push(e);
        } else {
            for t in list {
                let fold = if t.ty == Type::F32 { Fold::Float } else { Fold::None };
                let first = self.operand_lane(cx, t.args[0], u32::from(t.lane), fold);
                let second = t.args.get(1).map(|&v| self.operand_lane(cx, v, u32::from(t.lane), fold));
                let e = cx.edge(hit);
                cx.emit(branch_if(first, second, t.ty, t.cond, e.to));
                edges.push(e);
            }
        }
        let e = cx.edge(miss);
        cx.emit(build::Branch.on([e.to.into()]));
        edges.push(e);
        cx.set_succs(Cfg::Logical, edges);
        true
    }

    /// The branch that a boolean needs.
    fn test(&self, cx: &IselCx<'_>, v: Value, negated: bool) -> Option<Test> {
        let s = self.trace(cx, v, [0; 4], 1, Fold::None);
        let lane = s.swz[0];
        if cx.f.as_const(s.value).is_some() {
            return None;
        }
        let Some((cmp, k)) = self.comparison(cx, s.value) else {
            let cond = if negated { Cond::Not } else { Cond::Nz };
            return Some(Test { args: vec![s.value], lane, ty: Type::U32, cond });
        };
        let exact = k.cond.has_opposite(k.ty);
        let cond = match (k.negate != negated, exact) {
            (false, _) => k.cond,
            (true, true) => k.cond.opposite(),
            (true, false) => return None,
        };
        Some(Test { args: cmp.args.to_vec(), lane, ty: k.ty, cond })
    }

    /// The operands of one BRANCH_ANY for tests that differ in lanes only.
    fn any_of(&mut self, cx: &mut IselCx<'_>, list: &[Test]) -> Option<[Use<Vivante>; 2]> {
        let first = list.first()?;
        if list.len() < 2
            || list.len() > 4
            || first.args.len() != 2
            || list.iter().any(|t| (t.ty, t.cond) != (first.ty, first.cond))
        {
            return None;
        }
        let fold = if first.ty == Type::F32 { Fold::Float } else { Fold::None };
        // Both operands must be lanes of one value; constants may be anything.
        let mut sources: Vec<Vec<(Value, u8)>> = Vec::new();
        for k in 0..2 {
            let lanes: Vec<(Value, u8)> = list
                .iter()
                .map(|t| {
                    let lane = if cx.f.ty(t.args[k]).lanes() == 1 { 0 } else { t.lane };
                    let s = self.trace(cx, t.args[k], [lane; 4], 1, Fold::None);
                    (s.value, s.swz[0])
                })
                .collect();
            let fixed = |v: Value| cx.f.as_const(v).is_some();
            if !lanes.iter().all(|l| l.0 == lanes[0].0) && !lanes.iter().all(|l| fixed(l.0)) {
                return None;
            }
            sources.push(lanes);
        }
        let mut uses = Vec::new();
        for lanes in sources {
            let at = |k: usize| lanes[k.min(lanes.len() - 1)];
            if lanes.iter().all(|l| l.0 == lanes[0].0) {
                uses.push(self.operand_lanes(cx, lanes[0].0, core::array::from_fn(|k| at(k).1), 4, fold));
            } else {
                let bits: Vec<u32> =
                    (0..4).map(|k| cx.f.as_const(at(k).0).map_or(0, |c| c.bits[usize::from(at(k).1)] as u32)).collect();
                uses.push(self.constant_operand(&bits, false, false, Fold::None));
            }
        }
        uses.try_into().ok()
    }
}

/// The branch for a condition of one operand or two.
fn branch_if(
    first: Use<Vivante>,
    second: Option<Use<Vivante>>,
    ty: Type,
    cond: Cond,
    to: gpucc_mir::BlockId,
) -> MInst<Vivante> {
    let mods = (Ty(ty), If(cond));
    match second {
        Some(second) => build::BranchBinary.with(mods, [first, second, to.into()]),
        None => build::BranchUnary.with(mods, [first, to.into()]),
    }
}

/// One test of several.
struct Test {
    args: Vec<Value>,
    lane: u8,
    ty: Type,
    cond: Cond,
}

/// The most tests that one condition may become.
const TESTS: usize = 4;

/// The parts of a condition: booleans that are negated or not, and whether any of them is enough (or all are needed).
fn conditions(cx: &IselCx<'_>, c: Value) -> Option<(Vec<(Value, bool)>, bool)> {
    for any in [true, false] {
        let mut out = Vec::new();
        collect(cx, c, false, any, true, &mut out);
        if out.len() > 1 && out.len() <= TESTS {
            return Some((out, any));
        }
    }
    None
}

fn collect(cx: &IselCx<'_>, c: Value, negated: bool, any: bool, top: bool, out: &mut Vec<(Value, bool)>) {
    if out.len() > TESTS {
        return;
    }
    let node = cx.peek(c).filter(|_| top || cx.uses(c) == 1).filter(|d| cx.f.ty(d.result()) == gpucc_ir::Type::B1);
    if let Some(d) = node {
        let a = &d.args;
        let fixed = |k: usize| cx.const_bits(a[k]).map(|b| b != 0);
        // (is a disjunction, first, first negated, second)
        let parts = match d.op {
            Op::Not => {
                collect(cx, a[0], !negated, any, top, out);
                return;
            }
            Op::Or => Some((true, a[0], false, a[1])),
            Op::And => Some((false, a[0], false, a[1])),
            Op::Select => match (fixed(1), fixed(2)) {
                (_, Some(true)) => Some((true, a[0], true, a[1])),
                (_, Some(false)) => Some((false, a[0], false, a[1])),
                (Some(true), _) => Some((true, a[0], false, a[2])),
                (Some(false), _) => Some((false, a[0], true, a[2])),
                _ => None,
            },
            _ => None,
        };
        if let Some((or, x, flip, y)) = parts
            && (or != negated) == any
        {
            collect(cx, x, negated != flip, any, false, out);
            collect(cx, y, negated, any, false, out);
            return;
        }
    }
    out.push((c, negated));
}
