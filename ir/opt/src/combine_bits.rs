//! Bit operations that some machines do in one instruction: funnel shifts, bit selects, fields.
//!
//! - `x << c | y >> 32 - c` becomes `fshr x, y, 32 - c`; the amounts may be variable if `x` and `y` are the same (a rotation);
//! - `(m & x) | (~m & y)`, `y ^ (m & (x ^ y))` and the majority of three become `bitsel`;
//! - `x >> c & 2^k - 1` and a shift left and then right by constants become `ubfe` and `sbfe` with constant places.
//!
//! Needs: nothing. Keeps: the CFG. Fires only for what `Caps::funnel`, `bit_select` and `bit_field` allow, and only where
//! what it replaces has no other use, so that nothing is computed twice.

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::analysis::Uses;
use gpucc_ir::{Builder, Function, Inst, InstData, Op, Scalar, Value};

/// Joins bit operations to funnel shifts, bit selects and fields.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let caps = cx.caps;
    if !caps.funnel && !caps.bit_select && !caps.bit_field {
        return;
    }
    // Each form has one of these.
    if !cx.has_any(f, OpSet::of(&[Op::And, Op::Shl])) {
        return;
    }
    if !f.insts_in_order().any(|(_, i)| may_join(f, &f.insts[i])) {
        return;
    }
    let uses = cx.uses(f);
    rewrite::run(f, |b, i| {
        let d = &b.func.insts[i];
        if d.results.first().is_none_or(|r| b.func.ty(r).scalar() != Scalar::I32) {
            return Rewrite::Keep;
        }
        let m = Matcher { f: b.func, uses: &uses };
        let found = None
            .or_else(|| if caps.funnel { m.funnel(d) } else { None })
            .or_else(|| if caps.bit_select { m.select(d).or_else(|| m.majority(d)) } else { None })
            .or_else(|| if caps.bit_field { m.field(d) } else { None });
        match found {
            Some(found) if cx.change() => Rewrite::Value(emit(b, i, found)),
            _ => Rewrite::Keep,
        }
    });
}

/// Whether an instruction has an operand that one of the forms takes in.
fn may_join(f: &Function, d: &InstData) -> bool {
    let made_by = |k: usize, ops: &[Op]| f.def_inst(d.args[k]).is_some_and(|i| ops.contains(&f.insts[i].op));
    match d.op {
        Op::Or | Op::Xor | Op::IAdd => (0..2).any(|k| made_by(k, &[Op::Shl, Op::And])),
        Op::And => made_by(0, &[Op::UShr]),
        Op::SShr => made_by(0, &[Op::Shl]),
        _ => false,
    }
}

enum Found {
    Funnel(Value, Value, Value),
    Select(Value, Value, Value),
    /// Selected by where the first two differ: the third or the second.
    Majority(Value, Value, Value),
    Field {
        signed: bool,
        of: Value,
        offset: u64,
        count: u64,
    },
}

fn emit(b: &mut Builder<'_>, i: Inst, found: Found) -> Value {
    match found {
        Found::Funnel(x, y, n) => b.fshr(x, y, n),
        Found::Select(m, x, y) => b.bitsel(m, x, y),
        Found::Majority(x, y, z) => {
            let differ = b.xor(x, y);
            b.bitsel(differ, z, y)
        }
        Found::Field { signed, of, offset, count } => {
            let ty = b.func.ty(b.func.insts[i].result());
            let (o, c) = (b.func.iconst(ty, offset as i64), b.func.iconst(ty, count as i64));
            if signed { b.sbfe(of, o, c) } else { b.ubfe(of, o, c) }
        }
    }
}

struct Matcher<'a> {
    f: &'a Function,
    uses: &'a Uses,
}

impl<'a> Matcher<'a> {
    /// The operation that makes a value which nothing else reads.
    fn only(&self, v: Value, op: Op) -> Option<&'a InstData> {
        self.f.def_op(v, op).filter(|_| self.uses.count(v) == 1)
    }

    fn amount(&self, v: Value) -> Option<u64> {
        self.f.const_bits(v).map(|c| c % 32)
    }

    fn funnel(&self, d: &InstData) -> Option<Found> {
        if !matches!(d.op, Op::Or | Op::Xor | Op::IAdd) {
            return None;
        }
        let (x, y) = (d.args[0], d.args[1]);
        let pair = |x, y| Some((self.only(x, Op::Shl)?, self.only(y, Op::UShr)?));
        let (l, r) = pair(x, y).or_else(|| pair(y, x))?;
        let same = l.args[0] == r.args[0];
        let fits = match (self.amount(l.args[1]), self.amount(r.args[1])) {
            (Some(l), Some(r)) => l + r == 32,
            // By nothing, both halves are the whole value, which only `or` takes once.
            _ => same && d.op == Op::Or && self.opposite(l.args[1], r.args[1]),
        };
        fits.then(|| Found::Funnel(l.args[0], r.args[0], r.args[1]))
    }

    /// Whether two shift amounts are 0 together modulo 32.
    fn opposite(&self, x: Value, y: Value) -> bool {
        let plain = |v: Value| match self.f.def_op(v, Op::And) {
            Some(d) if self.f.const_bits(d.args[1]) == Some(31) => d.args[0],
            _ => v,
        };
        let negates = |x: Value, y: Value| match self.f.def_inst(x).map(|i| &self.f.insts[i]) {
            Some(d) if d.op == Op::INeg => plain(d.args[0]) == y,
            Some(d) if d.op == Op::ISub => self.amount(d.args[0]) == Some(0) && plain(d.args[1]) == y,
            _ => false,
        };
        let (x, y) = (plain(x), plain(y));
        negates(x, y) || negates(y, x)
    }

    /// Whether one value is the complement of the other.
    fn complement(&self, x: Value, y: Value) -> bool {
        let constants = match (self.f.const_bits(x), self.f.const_bits(y)) {
            (Some(x), Some(y)) => x ^ y == 0xffff_ffff,
            _ => false,
        };
        constants || self.made_of(x, y) || self.made_of(y, x)
    }

    fn select(&self, d: &InstData) -> Option<Found> {
        if !matches!(d.op, Op::Or | Op::Xor | Op::IAdd) {
            return None;
        }
        let (x, y) = (d.args[0], d.args[1]);
        // (m & x) | (~m & y): the halves have no bit in common.
        if let (Some(p), Some(q)) = (self.only(x, Op::And), self.only(y, Op::And)) {
            for (m, a) in [(p.args[0], p.args[1]), (p.args[1], p.args[0])] {
                for (n, b) in [(q.args[0], q.args[1]), (q.args[1], q.args[0])] {
                    if self.complement(m, n) {
                        // The positive mask goes first, so that the complement need not be computed.
                        return Some(if self.made_of(m, n) { Found::Select(n, b, a) } else { Found::Select(m, a, b) });
                    }
                }
            }
        }
        if d.op != Op::Xor {
            return None;
        }
        // y ^ (m & (x ^ y))
        for (y, masked) in [(x, y), (y, x)] {
            let Some(p) = self.only(masked, Op::And) else { continue };
            for (m, differ) in [(p.args[0], p.args[1]), (p.args[1], p.args[0])] {
                let Some(q) = self.only(differ, Op::Xor) else { continue };
                for (x, z) in [(q.args[0], q.args[1]), (q.args[1], q.args[0])] {
                    if z == y {
                        return Some(Found::Select(m, x, y));
                    }
                }
            }
        }
        None
    }

    /// Whether `x` is the complement that is made from `y`.
    fn made_of(&self, x: Value, y: Value) -> bool {
        self.f.def_op(x, Op::Not).is_some_and(|d| d.args[0] == y)
    }

    /// Two of three agree: the three products of pairs, joined by `or` or `xor` alike.
    fn majority(&self, d: &InstData) -> Option<Found> {
        if !matches!(d.op, Op::Or | Op::Xor) {
            return None;
        }
        for (inner, last) in [(d.args[0], d.args[1]), (d.args[1], d.args[0])] {
            let (Some(inner), Some(p)) = (self.only(inner, d.op), self.only(last, Op::And)) else { continue };
            let (Some(q), Some(r)) = (self.only(inner.args[0], Op::And), self.only(inner.args[1], Op::And)) else {
                continue;
            };
            let (x, y) = (p.args[0], p.args[1]);
            let other = |d: &InstData| match (d.args[0], d.args[1]) {
                (a, b) if a == x => Some((x, b)),
                (a, b) if b == x => Some((x, a)),
                (a, b) if a == y => Some((y, b)),
                (a, b) if b == y => Some((y, a)),
                _ => None,
            };
            if let (Some((a, z)), Some((b, w))) = (other(q), other(r))
                && a != b
                && z == w
                && x != y
            {
                return Some(Found::Majority(x, y, z));
            }
        }
        None
    }

    fn field(&self, d: &InstData) -> Option<Found> {
        match d.op {
            Op::And => {
                let ones = self.f.const_bits(d.args[1])?;
                let s = self.only(d.args[0], Op::UShr)?;
                let (offset, count) = (self.amount(s.args[1])?, u64::from(ones.count_ones()));
                let low = ones != 0 && ones & ones.wrapping_add(1) == 0;
                let of = s.args[0];
                (low && offset > 0 && offset + count <= 32).then_some(Found::Field { signed: false, of, offset, count })
            }
            Op::SShr => {
                let s = self.only(d.args[0], Op::Shl)?;
                let (left, right) = (self.amount(s.args[1])?, self.amount(d.args[1])?);
                let (of, count) = (s.args[0], 32 - right);
                (left > 0 && right >= left).then(|| Found::Field { signed: true, of, offset: right - left, count })
            }
            _ => None,
        }
    }
}
