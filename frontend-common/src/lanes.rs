//! Subgroup operations, built from the four ops that the IR has for them. The active lanes take part.

use crate::Code;
use gpucc_ir::{Const, IntCc, Op, Sysval, Type, Value};

/// How the lane that is read follows from the own one and a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partner {
    /// The number.
    Lane,
    /// The own number with those bits flipped.
    Xor,
    /// So many before the own one.
    Up,
    /// So many behind the own one.
    Down,
    /// That lane of the own quad.
    Quad,
    /// So many behind the own one in the subgroup, around its end.
    RotateAll,
    /// So many behind the own one in its cluster, around its end; the second number is the cluster's size.
    Rotate(u32),
}

impl Code {
    /// The number of the own lane in its subgroup.
    pub fn own_lane(&mut self) -> Value {
        self.b().sysval(Sysval::SubgroupInvocationId)
    }

    fn truth(&mut self) -> Value {
        self.f.constant(Const::new(Type::B1, &[1]))
    }

    /// Whether a condition holds in all active lanes.
    pub fn all_lanes(&mut self, c: Value) -> Value {
        let not = self.b().not(c);
        let any = self.b().any(not);
        self.b().not(any)
    }

    /// The active lanes of the subgroup, as a mask.
    pub fn active_lanes(&mut self) -> Value {
        let yes = self.truth();
        self.b().ballot(yes)
    }

    /// The lane of the lowest or highest bit of a mask of lanes; all ones if there is none.
    pub fn found_lane(&mut self, mask: Value, highest: bool) -> Value {
        let mut found = self.f.iconst(Type::I32, u32::MAX.into());
        for n in 0..4 {
            let k = if highest { n } else { 3 - n };
            let word = self.extract(mask, k);
            let zeros = self.b().op(if highest { Op::Clz } else { Op::Ctz }, &[word]);
            let base = self.f.iconst(Type::I32, i64::from(32 * k + if highest { 31 } else { 0 }));
            let at = self.b().op(if highest { Op::ISub } else { Op::IAdd }, &[base, zeros]);
            let zero = self.f.iconst(Type::I32, 0);
            let some = self.b().icmp(IntCc::Ne, word, zero);
            found = self.b().op(Op::Select, &[some, at, found]);
        }
        found
    }

    /// The first active lane.
    pub fn first_lane(&mut self) -> Value {
        let mask = self.active_lanes();
        self.found_lane(mask, false)
    }

    /// A mask with the lanes whose number compares with the own one in this way.
    pub fn lanes_that(&mut self, compare: IntCc) -> Value {
        let lane = self.own_lane();
        let words: Vec<Value> = (0..4)
            .map(|k| {
                // The bits below the own one in this word: all if the word comes before, none if behind.
                let base = self.f.iconst(Type::I32, 32 * k);
                let end = self.f.iconst(Type::I32, 32 * k + 32);
                let [zero, one, ones] = [0, 1, u32::MAX].map(|n| self.f.iconst(Type::I32, n.into()));
                let shifted = self.b().op(Op::Shl, &[one, lane]);
                let here = self.b().icmp(IntCc::Uge, lane, base);
                let inside = self.b().icmp(IntCc::Ult, lane, end);
                let part = self.b().op(Op::ISub, &[shifted, one]);
                let part = self.b().op(Op::Select, &[inside, part, ones]);
                let below = self.b().op(Op::Select, &[here, part, zero]);
                let own = self.b().op(Op::Select, &[inside, shifted, zero]);
                let own = self.b().op(Op::Select, &[here, own, zero]);
                match compare {
                    IntCc::Eq => own,
                    IntCc::Ult => below,
                    IntCc::Ule => self.b().or(below, own),
                    IntCc::Uge => self.b().not(below),
                    _ => {
                        let upto = self.b().or(below, own);
                        self.b().not(upto)
                    }
                }
            })
            .collect();
        self.compose(&words)
    }

    /// The bits of a mask of lanes that are lanes of the subgroup.
    pub fn real_lanes(&mut self, mask: Value) -> Value {
        let size = self.b().sysval(Sysval::SubgroupSize);
        let words: Vec<Value> = (0..4)
            .map(|k| {
                let word = self.extract(mask, k);
                let [base, zero, one, ones, whole] =
                    [32 * k, 0, 1, u32::MAX, 32].map(|n| self.f.iconst(Type::I32, n.into()));
                let left = self.b().op(Op::ISub, &[size, base]);
                let shifted = self.b().op(Op::Shl, &[one, left]);
                let part = self.b().op(Op::ISub, &[shifted, one]);
                let full = self.b().icmp(IntCc::Sge, left, whole);
                let some = self.b().icmp(IntCc::Sgt, left, zero);
                let bits = self.b().op(Op::Select, &[full, ones, part]);
                let bits = self.b().op(Op::Select, &[some, bits, zero]);
                self.b().and(word, bits)
            })
            .collect();
        self.compose(&words)
    }

    /// The value of another lane.
    pub fn read_lane(&mut self, v: Value, partner: Partner, n: Value) -> Value {
        let lane = match partner {
            Partner::Lane => n,
            _ => {
                let own = self.own_lane();
                match partner {
                    Partner::Xor => self.b().xor(own, n),
                    Partner::Up => self.b().isub(own, n),
                    Partner::Down => self.b().iadd(own, n),
                    Partner::Quad => {
                        let mask = self.f.iconst(Type::I32, i64::from(!3_u32));
                        let first = self.b().and(own, mask);
                        self.b().iadd(first, n)
                    }
                    Partner::RotateAll => {
                        // The sizes of subgroups are powers of two.
                        let (size, one) = (self.b().sysval(Sysval::SubgroupSize), self.f.iconst(Type::I32, 1));
                        let within = self.b().isub(size, one);
                        let sum = self.b().iadd(own, n);
                        self.b().and(sum, within)
                    }
                    _ => {
                        let Partner::Rotate(size) = partner else { return v };
                        let [within, around] = [size - 1, !(size - 1)].map(|n| self.f.iconst(Type::I32, n.into()));
                        let sum = self.b().iadd(own, n);
                        let inside = self.b().and(sum, within);
                        let first = self.b().and(own, around);
                        self.b().or(first, inside)
                    }
                }
            }
        };
        self.b().lane_read(v, lane)
    }

    /// Whether a scalar or vector is the same in all active lanes; floats are compared as such.
    pub fn all_equal(&mut self, v: Value) -> Value {
        let first = self.first_lane();
        let other = self.b().lane_read(v, first);
        let ty = self.f.ty(v);
        let same = if ty.is_float() {
            self.b().fcmp(gpucc_ir::FloatCc::Oeq, v, other)
        } else {
            self.b().icmp(IntCc::Eq, v, other)
        };
        let mut whole = if ty.is_vector() { self.extract(same, 0) } else { same };
        for k in 1..ty.lanes() {
            let part = self.extract(same, k);
            whole = self.b().and(whole, part);
        }
        self.all_lanes(whole)
    }
}
