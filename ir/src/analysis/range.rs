//! Upper bounds of integers, as unsigned numbers.
//!
//! Bounds come from constants, masks and shifts, the limits of a launch (at most 65,535 workgroups per dimension), and
//! from loops that count up to a bound. Signed code profits too: a bound below 2^31 means "not negative".

use super::{ConstructKind, DomTree, Structure};
use crate::entity::SecondaryMap;
use crate::function::{Function, ValueDef};
use crate::inst::{Attr, Block, IntCc, Value};
use crate::lists::CsrLists;
use crate::ops::Op;
use crate::sysval::{MAX_LANES, MAX_WORKGROUPS, Most, Sysval};

/// Upper bounds of all integer values.
pub struct UpperBounds<'a> {
    f: &'a Function,
    size: [u32; 3],
    preds: &'a CsrLists<Block, Block>,
    dom: &'a DomTree,
    s: &'a Structure,
    memo: SecondaryMap<Value, Option<u64>>,
    busy: SecondaryMap<Value, bool>,
}

/// How far definitions are followed.
const DEPTH: u32 = 24;

impl<'a> UpperBounds<'a> {
    /// Bounds for a function of an entry point with this workgroup size, and what is known of its graph.
    pub fn new(
        f: &'a Function,
        size: [u32; 3],
        preds: &'a CsrLists<Block, Block>,
        dom: &'a DomTree,
        s: &'a Structure,
    ) -> UpperBounds<'a> {
        let (mut memo, mut busy) = (SecondaryMap::with_default(None), SecondaryMap::new());
        memo.reserve(f.values.len());
        busy.reserve(f.values.len());
        let mut u = UpperBounds { f, size, preds, dom, s, memo, busy };
        // Definitions first, so that nothing is followed far and each bound is computed once.
        for &b in &f.layout {
            for &p in &f.blocks[b].params {
                u.of(p);
            }
            for &i in &f.blocks[b].insts {
                for r in f.insts[i].results {
                    u.of(r);
                }
            }
        }
        u
    }

    /// A number that no lane of the value exceeds.
    pub fn of(&mut self, v: Value) -> u64 {
        self.bound(v, DEPTH)
    }

    fn bound(&mut self, v: Value, depth: u32) -> u64 {
        if let Some(b) = self.memo[v] {
            return b;
        }
        let ty = self.f.ty(v);
        let most = ty.scalar().mask();
        if !ty.is_int() || depth == 0 || self.busy[v] {
            return most;
        }
        self.busy[v] = true;
        let b = self.compute(v, depth - 1).min(most);
        self.busy[v] = false;
        // A bound that was cut off by the depth or met itself round a loop is loose, but right.
        self.memo[v] = Some(b);
        b
    }

    fn compute(&mut self, v: Value, depth: u32) -> u64 {
        let most = self.f.ty(v).scalar().mask();
        let i = match self.f.values[v].def {
            ValueDef::Const(_) => {
                return self.f.as_const(v).map_or(most, |c| c.bits.iter().copied().max().unwrap_or(0));
            }
            ValueDef::Undef => return most,
            ValueDef::Param(b, n) => return self.param(v, b, n as usize, depth),
            ValueDef::Inst(i, _) => i,
        };
        let d = &self.f.insts[i];
        let bits = u64::from(self.f.ty(v).bits());
        let k = |n: usize| self.f.const_bits(d.args[n]);
        let ones = |x: u64| if x == 0 { 0 } else { u64::MAX >> x.leading_zeros() };
        match d.op {
            Op::Sysval => match d.attr {
                Attr::Sysval(s) => self.sysval(s, None),
                _ => most,
            },
            Op::Extract => {
                if let Some(e) = self.f.def_op(d.args[0], Op::Sysval)
                    && let (Attr::Sysval(s), Attr::Lane(l)) = (&e.attr, &d.attr)
                {
                    return self.sysval(*s, Some(usize::from(*l)));
                }
                self.bound(d.args[0], depth)
            }
            Op::Splat | Op::ExtractDyn => self.bound(d.args[0], depth),
            Op::Compose => d.args.iter().map(|&a| self.bound(a, depth)).max().unwrap_or(most),
            Op::Insert | Op::Shuffle | Op::InsertDyn | Op::UMax => {
                self.bound(d.args[0], depth).max(self.bound(d.args[1], depth))
            }
            Op::Select => self.bound(d.args[1], depth).max(self.bound(d.args[2], depth)),
            Op::And | Op::UMin => self.bound(d.args[0], depth).min(self.bound(d.args[1], depth)),
            Op::Or | Op::Xor => ones(self.bound(d.args[0], depth)) | ones(self.bound(d.args[1], depth)),
            Op::IAdd => self.bound(d.args[0], depth).saturating_add(self.bound(d.args[1], depth)),
            Op::IMul => self.bound(d.args[0], depth).saturating_mul(self.bound(d.args[1], depth)),
            Op::UMul24 => {
                let (a, b) = (self.bound(d.args[0], depth), self.bound(d.args[1], depth));
                a.min(0xff_ffff) * b.min(0xff_ffff)
            }
            Op::UDiv => {
                let a = self.bound(d.args[0], depth);
                match k(1) {
                    Some(c) if c > 0 => a / c,
                    _ => a,
                }
            }
            // The remainder is below the divisor and not above the dividend.
            Op::URem => self.bound(d.args[0], depth).min(self.bound(d.args[1], depth).saturating_sub(1)),
            Op::Shl => match k(1) {
                Some(c) => {
                    let a = u128::from(self.bound(d.args[0], depth)) << (c % bits);
                    u64::try_from(a).unwrap_or(most)
                }
                None => most,
            },
            Op::UShr => {
                let a = self.bound(d.args[0], depth);
                k(1).map_or(a, |c| a >> (c % bits))
            }
            Op::SDiv | Op::SRem => {
                let (a, b) = (self.bound(d.args[0], depth), self.bound(d.args[1], depth));
                if a > most >> 1 || b > most >> 1 {
                    return most;
                }
                match (d.op, k(1)) {
                    (Op::SRem, _) => a.min(b.saturating_sub(1)),
                    (_, Some(c)) if c > 0 => a / c,
                    _ => a,
                }
            }
            Op::SShr => {
                let a = self.bound(d.args[0], depth);
                // Not negative: the same as the unsigned shift.
                if a <= most >> 1 { k(1).map_or(a, |c| a >> (c % bits)) } else { most }
            }
            Op::SMin => {
                let (a, b) = (self.bound(d.args[0], depth), self.bound(d.args[1], depth));
                if a <= most >> 1 && b <= most >> 1 { a.min(b) } else { most }
            }
            Op::SMax => {
                let (a, b) = (self.bound(d.args[0], depth), self.bound(d.args[1], depth));
                // The maximum with a number that is not negative is not negative.
                match (a <= most >> 1, b <= most >> 1) {
                    (true, true) => a.max(b),
                    (false, false) => most,
                    _ => most >> 1,
                }
            }
            Op::ZExt => self.bound(d.args[0], depth),
            Op::Trunc => self.bound(d.args[0], depth),
            Op::Popcount | Op::Clz | Op::Ctz => bits,
            Op::UBitExtract => match k(2) {
                Some(c) if c < bits => ones(1 << c >> 1),
                _ => most,
            },
            _ => most,
        }
    }

    fn sysval(&self, s: Sysval, lane: Option<usize>) -> u64 {
        let per = |of: &dyn Fn(usize) -> u64| match lane {
            Some(l) => of(l),
            None => (0..3).map(of).max().unwrap_or(u64::MAX),
        };
        let size = |l: usize| u64::from(self.size[l]);
        match s.most() {
            Most::Number(n) => n,
            Most::Any => u64::from(u32::MAX),
            Most::Launch => per(&|l| (MAX_WORKGROUPS * size(l)).saturating_sub(1)),
            Most::Workgroup => per(&|l| size(l).saturating_sub(1)),
            Most::Invocations => u64::from(crate::invocations(self.size)).saturating_sub(1),
            Most::Subgroups => u64::from(crate::invocations(self.size)).max(MAX_LANES),
        }
    }

    fn param(&mut self, v: Value, b: Block, n: usize, depth: u32) -> u64 {
        let most = self.f.ty(v).scalar().mask();
        if b == self.f.entry() {
            return most;
        }
        if let Some(c) = self.counter(v, b, n, depth) {
            return c;
        }
        let mut top = 0;
        let f = self.f;
        let mut last = None;
        for k in 0..self.preds[b].len() {
            let p = self.preds[b][k];
            // A block stands there once for each of its edges.
            if last.replace(p) == Some(p) {
                continue;
            }
            for e in f.edges(p).into_iter().filter(|e| e.block == b) {
                let a = e.args[n];
                if a != v {
                    top = top.max(self.bound(a, depth));
                }
            }
        }
        top
    }

    /// A header's parameter that counts up by a constant while it is below a bound.
    fn counter(&mut self, v: Value, b: Block, n: usize, depth: u32) -> Option<u64> {
        let l = self.s.loop_at(b)?;
        let c = self.s.constructs[l];
        let ConstructKind::Loop { .. } = c.kind else { return None };
        let most = self.f.ty(v).scalar().mask();
        // The header's branch stays in the loop while `v` compares below the bound.
        let t = &self.f.insts[self.f.terminator(b)];
        let [then, other] = t.as_br()?;
        let cmp = self.f.def_op(t.args[0], Op::ICmp)?;
        let Attr::IntCc(cc) = cmp.attr else { return None };
        let cc = match (then.block == c.merge, other.block == c.merge) {
            (true, false) => cc.negated(),
            (false, true) => cc,
            _ => return None,
        };
        let (cc, limit) = if cmp.args[0] == v {
            (cc, cmp.args[1])
        } else if cmp.args[1] == v {
            (cc.swapped(), cmp.args[0])
        } else {
            return None;
        };
        let (signed, below) = match cc {
            IntCc::Ult => (false, 1),
            IntCc::Ule => (false, 0),
            IntCc::Slt => (true, 1),
            IntCc::Sle => (true, 0),
            _ => return None,
        };
        let mut start = 0;
        let mut step = 0;
        let f = self.f;
        let mut last = None;
        for k in 0..self.preds[b].len() {
            let p = self.preds[b][k];
            if last.replace(p) == Some(p) {
                continue;
            }
            for e in f.edges(p).into_iter().filter(|e| e.block == b) {
                let a = e.args[n];
                if self.dom.dominates(b, p) {
                    let add = self.f.def_op(a, Op::IAdd)?;
                    let k = if add.args[0] == v { add.args[1] } else { return None };
                    step = step.max(self.f.const_bits(k)?);
                } else {
                    start = start.max(self.bound(a, depth));
                }
            }
        }
        let mut limit = self.bound(limit, depth);
        if signed {
            // A signed bound may be negative, but then nothing stays; the start must not be negative.
            limit = limit.min(most >> 1);
            if start > most >> 1 {
                return None;
            }
        }
        let last = limit.saturating_sub(below).saturating_add(step);
        // Counting beyond the type's range would begin again from zero, or below it.
        let top = if signed { most >> 1 } else { most };
        if step > most >> 1 || last > top {
            return signed.then_some(most);
        }
        Some(start.max(last))
    }
}
