//! Operands: what can be read from memory or written as an immediate instead of being held in a register.

use gpucc_ir::{Attr, InstData, Mem, Op as Ir, Place, Sysval, Value, ValueDef};
use gpucc_mir::Src;
use gpucc_tesla_machine::SharedTy;

use super::{Isel, IselCx, U, VarLocation};
use crate::inst::{PARAMETERS, SrcMods, slot, zero};
use crate::slots::{HALF_REACH, Slot, Word};

impl Isel<'_> {
    /// A literal as an operand of the second or third source.
    pub(crate) fn literal(&mut self, bits: u32) -> U {
        if bits == 0 { zero() } else { slot(self.pool.slot(Word::Const(bits))) }
    }

    /// A register; constants get one, 0 has one.
    pub(crate) fn reg(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        if Self::bits(cx, v) == Some(0) { zero() } else { cx.reg(v).into() }
    }

    /// Bits of a constant as a register holds them.
    pub(crate) fn bits(cx: &IselCx<'_>, v: Value) -> Option<u32> {
        if Self::is_double(cx, v) {
            return None;
        }
        if cx.f.is_undef(v) {
            return Some(0);
        }
        let b = cx.const_bits(v)?;
        Some(if cx.f.ty(v).is_bool() { 0u32.wrapping_sub(b as u32) } else { b as u32 })
    }

    /// Lane of a vector that a scalar is: looks through `extract`, and through bits of the same width read as another type.
    pub(super) fn source(cx: &IselCx<'_>, v: Value) -> (Value, u32) {
        let v = Self::same_bits(cx, v);
        match cx.f.values[v].def {
            ValueDef::Inst(i, _) if cx.f.insts[i].op == Ir::Extract => match cx.f.insts[i].attr {
                Attr::Lane(l) => (Self::same_bits(cx, cx.f.insts[i].args[0]), u32::from(l)),
                _ => (v, 0),
            },
            _ => (v, 0),
        }
    }

    /// The value whose words are read as another type.
    fn same_bits(cx: &IselCx<'_>, v: Value) -> Value {
        let from = |v: Value| Some(cx.f.def_op(v, Ir::Bitcast)?.args[0]);
        let words = |v: Value| cx.f.ty(v).scalar().bits() == 32;
        let mut v = v;
        while let Some(x) = from(v).filter(|&x| words(x) && words(v)) {
            v = x;
        }
        v
    }

    /// The byte offset of an access, where it is known.
    fn fixed(cx: &IselCx<'_>, d: &InstData, m: &Mem) -> Option<u32> {
        match d.dyn_offset() {
            Some(v) => m.offset.checked_add(Self::bits(cx, v)?),
            None => Some(m.offset),
        }
    }

    /// A c[] operand that holds a value: a literal, a buffer size, a word of a uniform buffer at a fixed offset.
    pub(crate) fn konst(&mut self, cx: &IselCx<'_>, v: Value) -> Option<U> {
        if let Some(b) = Self::bits(cx, v) {
            if b == 0 {
                return Some(zero());
            }
            if let Some(s) = self.pool.find(b) {
                return Some(slot(s));
            }
            return self.pool.has_room().then(|| self.literal(b));
        }
        let (base, lane) = Self::source(cx, v);
        let i = cx.f.def_inst(base)?;
        let d = &cx.f.insts[i];
        match (&d.attr, d.op) {
            (Attr::Res(r), Ir::BufferLength) if !self.sizes.contains(r) => Some(slot(self.pool.slot(Word::Size(*r)))),
            (Attr::Mem(m), Ir::Load) if !cx.f.ty(v).is_bool() => {
                let Place::Buffer(r) = m.place else { return None };
                let Some(VarLocation::Const(c)) = self.resources[r] else { return None };
                let off = Self::fixed(cx, d, m)?.checked_add(lane * 4)?;
                (off < 0x200 && off % 4 == 0).then(|| slot(Slot::Const(c, off as u16)))
            }
            _ => None,
        }
    }

    /// An s[] operand that holds a value: a word of the header, the size of a buffer. Or an a[] operand: a word of an attribute, the
    /// number of a vertex or an instance.
    pub(crate) fn shared(&self, cx: &IselCx<'_>, v: Value) -> Option<U> {
        let (base, lane) = Self::source(cx, v);
        let i = cx.f.def_inst(base)?;
        let lane = lane as usize;
        match cx.f.insts[i].attr {
            Attr::Res(r) => {
                let n = self.sizes.iter().position(|&x| x == r)?;
                Some(slot(Slot::Shared(SharedTy::B32, (PARAMETERS as usize + 4 * n) as u16)))
            }
            Attr::Input(n) if !self.io.is_fragment() => {
                let first = self.io.words.get(usize::from(n)).copied().flatten()?;
                Some(slot(Slot::Attr(4 * (first as usize + lane) as u16)))
            }
            Attr::Sysval(s @ (Sysval::VertexIndex | Sysval::RawVertexIndex | Sysval::RawInstanceIndex)) => {
                let at = self.io.numbers[usize::from(s == Sysval::RawInstanceIndex)]?;
                Some(slot(Slot::Attr(4 * at as u16)))
            }
            Attr::Sysval(Sysval::WorkgroupId) => Some(Self::group_id(lane)),
            Attr::Sysval(Sysval::NumWorkgroups) => Some(Self::groups(lane)),
            Attr::Sysval(Sysval::GlobalInvocationId) if self.size[lane] == 1 => Some(Self::group_id(lane)),
            _ => None,
        }
    }

    /// An operand of the second or third source: c[] or a register.
    pub(crate) fn any(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        match self.konst(cx, v) {
            Some(u) => u,
            None => self.reg(cx, v),
        }
    }

    /// As [`any`](Self::any) for an operand that is read by halves: those are counted by halves, so that fewer words of c[] are in
    /// reach. Words of c0 are put right once all are known.
    pub(crate) fn halved(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        let near = |u: &U| match u.src {
            Src::Uniform(n) => !matches!(Slot::unpack(n), Slot::Const(_, off) if usize::from(off) >= HALF_REACH * 4),
            _ => true,
        };
        match self.konst(cx, v).filter(near) {
            Some(u) => u,
            None => self.reg(cx, v),
        }
    }

    /// An operand of the first source: s[] or a register.
    pub(crate) fn first(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        match self.shared(cx, v) {
            Some(u) => u,
            None => self.reg(cx, v),
        }
    }

    /// The same beside an immediate, where no form has a[].
    pub(crate) fn beside_immediate(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        match self.shared(cx, v) {
            Some(u) if !self.io.is_staged() => u,
            _ => self.reg(cx, v),
        }
    }

    /// Whether a value is better read as second source: it is in c[].
    pub(crate) fn is_konst(&self, cx: &IselCx<'_>, v: Value) -> bool {
        if Self::bits(cx, v).is_some() {
            return true;
        }
        let (base, _) = Self::source(cx, v);
        let Some(i) = cx.f.def_inst(base) else { return false };
        let d = &cx.f.insts[i];
        match (&d.attr, d.op) {
            (Attr::Res(r), Ir::BufferLength) => !self.sizes.contains(r),
            (Attr::Mem(m), Ir::Load) => {
                let uniform =
                    matches!(m.place, Place::Buffer(r) if matches!(self.resources[r], Some(VarLocation::Const(_))));
                uniform && Self::fixed(cx, d, m).is_some_and(|at| at < 0x1f0 && at.is_multiple_of(4))
            }
            _ => false,
        }
    }

    /// The two operands of an operation, and whether they were exchanged to get c[] into the second place.
    pub(crate) fn pair(&mut self, cx: &mut IselCx<'_>, a: Value, b: Value) -> (U, U, bool) {
        let swap = self.is_konst(cx, a) && !self.is_konst(cx, b)
            || self.shared(cx, b).is_some() && self.shared(cx, a).is_none() && !self.is_konst(cx, b);
        let (x, y) = if swap { (b, a) } else { (a, b) };
        let x = self.first(cx, x);
        let y = self.any(cx, y);
        (x, y, swap)
    }

    /// A float operand without its sign modifiers: value, absolute, negated.
    pub(crate) fn peel(cx: &IselCx<'_>, v: Value, allow_abs: bool) -> (Value, bool, bool) {
        let (mut v, mut abs, mut neg) = (v, false, false);
        while let Some(d) = cx.f.def_inst(v).map(|i| &cx.f.insts[i]) {
            match d.op {
                Ir::FNeg => neg ^= !abs,
                Ir::FAbs if allow_abs => abs = true,
                _ => break,
            }
            v = d.args[0];
        }
        (v, abs, neg)
    }

    /// Sign modifiers on an operand.
    pub(crate) fn signed(u: U, abs: bool, neg: bool) -> U {
        if !(abs || neg) {
            return u;
        }
        let half = u.mods.half;
        u.mods(SrcMods { abs, neg, not: false, half })
    }
}
