//! Comparisons of large arrays, which come element by element, become loops.
//!
//! ```text
//! %e = OpCompositeExtract %u32 %x 4 ; %f = OpCompositeExtract %u32 %y 4 ; %g = OpIEqual %bool %e %f ; %h = OpLogicalAnd %bool %before %g
//! %i = OpCompositeExtract %u32 %x 5 ; ..          ==>          for (k = 4; k < n; k++) { before = before && x[k] == y[k] }
//! ```
//!
//! So the reference compiler writes `x == y` and `x != y` of GLSL. Only arrays that lie in memory, and elements that are compared alike: one
//! after the other, with results that nothing else uses.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::value::Val;
use gpucc_frontend_common::Memory;
use rspirv::spirv::Op;

/// Elements that become a loop, if there are so many.
const RUN: u32 = 32;

/// Elements that one turn compares.
const TURN: u32 = 2;

/// Instructions between the elements and what joins their comparison to those before.
const TESTS: usize = 3;

/// Comparisons of elements, one after the other.
struct Run {
    /// The two arrays.
    arrays: [u32; 2],
    /// The first element, and how many.
    elements: (u32, u32),
    /// Instructions for one element: two parts, tests, and what joins them.
    long: usize,
}

impl FuncCx<'_, '_> {
    /// Lowers a run of comparisons that begins at an instruction; gives the instruction behind it.
    pub fn comparisons(&mut self, at: usize, end: usize) -> Lowered<Option<usize>> {
        let Some(run) = self.run(at, end) else { return Ok(None) };
        let [Val::InMemory(x), Val::InMemory(y)] = [self.val(run.arrays[0])?, self.val(run.arrays[1])?] else {
            return Ok(None);
        };
        let m = self.m.m;
        let (first, count) = run.elements;
        if !self.is_long(x.ty) || self.m.types.parts(x.ty).min(self.m.types.parts(y.ty)) < first + count {
            return Ok(None);
        }
        let join = m.insts[at + run.long - 1];
        let [before, test] = *m.operands(&join) else { return Ok(None) };
        let before = self.one(before)?;
        let b = self.current().at;
        let given = self.turns((count, TURN), &[before], |cx, now, state| {
            let arrays = [cx.moving(&x, now, count - TURN, TURN)?, cx.moving(&y, now, count - TURN, TURN)?];
            let mut all = state[0];
            for k in 0..TURN {
                for (n, array) in arrays.iter().enumerate() {
                    let element = cx.nth(array, first + k)?;
                    let val = cx.load(&element)?;
                    let val = cx.checked(&m.insts[at + n], val)?;
                    cx.define_at(at + n, val, b);
                }
                for n in 2..run.long - 1 {
                    let inst = m.insts[at + n];
                    cx.inst = Some(inst);
                    cx.instruction(at + n, &inst)?;
                }
                let test = cx.one(test)?;
                all = if join.op == Op::LogicalAnd { cx.b().and(all, test) } else { cx.b().or(all, test) };
            }
            Ok(vec![all])
        })?;
        let behind = at + count as usize * run.long;
        let last = m.insts[behind - 1];
        let val = self.checked(&last, Val::One(given[0]))?;
        self.save_carried(last.id, &val);
        self.define_at(behind - 1, val, b);
        Ok(Some(behind))
    }

    /// The run of comparisons that begins at an instruction, as many as fill turns.
    fn run(&self, at: usize, end: usize) -> Option<Run> {
        let m = self.m.m;
        let part = |at: usize| {
            let inst = m.insts.get(at).filter(|i| i.op == Op::CompositeExtract)?;
            if let [of, k] = *m.operands(inst) { Some((of, k)) } else { None }
        };
        let ((x, first), (y, same)) = (part(at)?, part(at + 1)?);
        if first != same || first == 0 || !first.is_multiple_of(TURN) {
            return None;
        }
        let joins = |i: &Inst| matches!(i.op, Op::LogicalAnd | Op::LogicalOr);
        let long = 3 + m.insts[at + 2..end.min(at + 3 + TESTS)].iter().position(joins)?;
        let is_next = |n: u32| {
            let now = at + n as usize * long;
            // What comes before is used here, and nowhere else.
            let alone = |k: usize| m.uses(m.insts[k].id) == 1;
            now + long <= end
                && (now - usize::from(n > 0)..now + long - 1).all(alone)
                && part(now) == Some((x, first + n))
                && part(now + 1) == Some((y, first + n))
                && (2..long).all(|k| self.is_alike((at, now), k, long))
        };
        let count = (0..u32::MAX - first).take_while(|&n| is_next(n)).count() as u32;
        let count = count - count % TURN;
        (count >= RUN).then_some(Run { arrays: [x, y], elements: (first, count), long })
    }

    /// Whether instruction `k` of the comparison of an element at `now` does what that of the one at `first` does.
    fn is_alike(&self, (first, now): (usize, usize), k: usize, long: usize) -> bool {
        let m = self.m.m;
        let (a, b) = (m.insts[first + k], m.insts[now + k]);
        let (of_a, of_b) = (m.operands(&a), m.operands(&b));
        if a.op != b.op || a.ty != b.ty || of_a.len() != of_b.len() {
            return false;
        }
        if k + 1 == long {
            // All before this one, and this one.
            return of_b.len() == 2
                && of_b[1] == m.insts[now + k - 1].id
                && of_a[1] == m.insts[first + k - 1].id
                && (first == now || of_b[0] == m.insts[now - 1].id);
        }
        use Op as O;
        let tests = matches!(
            a.op,
            O::IEqual
                | O::INotEqual
                | O::FOrdEqual
                | O::FUnordNotEqual
                | O::LogicalEqual
                | O::LogicalNotEqual
                | O::All
                | O::Any
        );
        let own = |at: usize, id: u32| (0..k).find(|&n| m.insts[at + n].id == id);
        tests && of_a.iter().zip(of_b).all(|(&x, &y)| own(first, x).is_some() && own(first, x) == own(now, y))
    }
}
