//! Loads, stores and atomics of buffers, workgroup memory and private memory.

use gpucc_ir::{AtomicOp, Attr, Diagnostic, Inst, Mem, Op as Ir, Place, Scalar, Type, Value};
use gpucc_mir::{Def, MInst, Use, VReg, access_loc};
use gpucc_tesla_machine as machine;
use machine::{AtomOp, Op, SharedTy, Ty};

use super::{Cx, Home, Isel, U, WINDOW};
use crate::slots::Slot;
use crate::target::{ADDR, FLAGS, Lock, Mods, R32, R64, R128, SrcMods, TOp, slot, zero};

/// An address: register or address register, and a constant.
enum Place2 {
    Global(u8, VReg),
    Const(u8, Option<VReg>, u32),
    Shared(Option<VReg>, u32),
    Local(Option<VReg>, u32),
}

/// What an access to less than a word is called.
fn part_of(ty: Type) -> Option<Ty> {
    match ty.scalar() {
        Scalar::I8 => Some(Ty::U8),
        Scalar::I16 => Some(Ty::U16),
        _ => None,
    }
}

impl Isel<'_> {
    fn home(&self, p: Place) -> Option<Home> {
        match p {
            Place::Buffer(r) => self.resources[r],
            Place::Global(g) => self.globals[g],
            Place::Local(l) => self.locals[l],
        }
    }

    /// What is left of an address without the constants added to it and without its shift: value, shift, offset.
    fn peel_address(cx: &Cx<'_>, v: Value, offset: u32) -> (Value, u32, u32) {
        let (mut v, mut offset) = (v, offset);
        let add = |v: Value| {
            let d = cx.f.def_op(v, Ir::IAdd)?;
            let c = Self::bits(cx, d.args[1]).filter(|&c| c < 1 << 15)?;
            Some((d.args[0], c))
        };
        while let Some((x, c)) = add(v) {
            (v, offset) = (x, offset.wrapping_add(c));
        }
        let mut by = 0;
        if let Some(d) = cx.f.def_op(v, Ir::Shl)
            && let Some(n) = Self::bits(cx, d.args[1])
            && n < 16
        {
            (v, by) = (d.args[0], n);
            while let Some((x, c)) = add(v) {
                (v, offset) = (x, offset.wrapping_add(c << n));
            }
        }
        (v, by, offset & 0xffff)
    }

    /// An address register and the rest of the offset, both modulo 2^16 as the unit adds them: constants that are added to
    /// `v` go to the offset, a shift into the instruction that writes the register.
    fn areg(&mut self, cx: &mut Cx<'_>, v: Value, offset: u32) -> (VReg, u32) {
        let (v, by, offset) = Self::peel_address(cx, v, offset);
        let x = self.first(cx, v);
        let a = cx.temp(ADDR);
        cx.emit(MInst::new(TOp::M(Op::ShlToA)).def(a).arg(x).imm(by).mods(Mods::ty(Ty::U16)));
        (a, offset)
    }

    /// A variable that lies in s[], and where.
    pub fn shared_place(&self, place: Place) -> Option<(Place, u32)> {
        match self.home(place) {
            Some(Home::Shared(at)) => Some((place, self.shared_base + at)),
            _ => None,
        }
    }

    /// A word of workgroup memory as the first source of the only instruction that reads it: operand and address register.
    pub(super) fn loaded(&mut self, cx: &mut Cx<'_>, v: Value) -> Option<(U, Option<U>)> {
        let d = cx.fold_op(v, Ir::Load)?;
        let Attr::Mem(m) = &d.attr else { return None };
        let Some(Home::Shared(at)) = self.home(m.place) else { return None };
        let base = (self.shared_base + at).wrapping_add(m.offset);
        let dynamic = d.dyn_offset().filter(|&v| Self::bits(cx, v) != Some(0));
        let offset = dynamic.map_or(base, |v| Self::peel_address(cx, v, base).2);
        if offset >= 0x80 || offset % 4 != 0 || cx.f.ty(v).lanes() != 1 || cx.f.ty(v).bits() != 32 {
            return None;
        }
        let offset = offset as u16;
        // The instruction that loads by its operand is this access.
        cx.loc = access_loc(d);
        Some(match dynamic {
            Some(v) => {
                let (a, _) = self.areg(cx, v, base);
                (slot(Slot::SharedAt(SharedTy::B32, offset)), Some(a.into()))
            }
            None => (slot(Slot::Shared(SharedTy::B32, offset)), None),
        })
    }

    /// [`areg`](Self::areg) where there may be no register at all.
    fn near(&mut self, cx: &mut Cx<'_>, v: Option<Value>, offset: u32) -> (Option<VReg>, u32) {
        match v {
            Some(v) => {
                let (a, offset) = self.areg(cx, v, offset);
                (Some(a), offset)
            }
            None => (None, offset & 0xffff),
        }
    }

    /// `base + offset` in a register that memory instructions may name.
    fn address(&mut self, cx: &mut Cx<'_>, base: Option<U>, offset: u32) -> VReg {
        match base {
            None => {
                let d = cx.temp(R32);
                cx.emit(MInst::copy(d, U::imm(offset)));
                d
            }
            Some(b) if offset == 0 && b.vreg().is_some() => b.vreg().unwrap_or_else(|| cx.temp(R32)),
            Some(b) => self.int(cx, Op::Add, [b, U::imm(offset)]),
        }
    }

    fn place(&mut self, cx: &mut Cx<'_>, m: &Mem, dynamic: Option<Value>) -> Result<Place2, Diagnostic> {
        let Some(home) = self.home(m.place) else { return Err(Diagnostic::internal("isel", "a place without a home")) };
        let dynamic = dynamic.filter(|&v| Self::bits(cx, v) != Some(0));
        Ok(match home {
            Home::Global(n) => {
                let base = dynamic.map(|v| cx.reg(v).into());
                Place2::Global(n, self.address(cx, base, m.offset))
            }
            Home::Window(at) => {
                let mut base: U = self.window(cx).into();
                if let Some(v) = dynamic {
                    let x = self.any(cx, v);
                    base = self.int(cx, Op::Add, [base, x]).into();
                }
                Place2::Global(WINDOW, self.address(cx, Some(base), at.wrapping_add(m.offset)))
            }
            Home::Const(n) => {
                let (a, at) = self.near(cx, dynamic, m.offset);
                Place2::Const(n, a, at)
            }
            Home::Shared(at) => {
                let (a, at) = self.near(cx, dynamic, (self.shared_base + at).wrapping_add(m.offset));
                Place2::Shared(a, at)
            }
            Home::Local(at) => {
                let (a, at) = self.near(cx, dynamic, at.wrapping_add(m.offset));
                Place2::Local(a, at)
            }
        })
    }

    pub(super) fn memory(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        match (d.op, &d.attr) {
            (Ir::Load, Attr::Mem(m)) => self.load(cx, i, m),
            (Ir::Store, Attr::Mem(m)) => self.store(cx, d.args[0], m, d.dyn_offset()),
            (Ir::Atomic, Attr::Atomic(op, m)) => self.atomic(cx, i, *op, m),
            (Ir::CmpXchg, Attr::Mem(m)) => self.cmpxchg(cx, i, m),
            _ => Err(Diagnostic::internal("isel", "a memory access without its attribute")),
        }
    }

    /// Words of each access to `lanes` words at a place with this alignment.
    fn pieces(place: &Place2, mut lanes: u32, align: u32, first: u32) -> Vec<(u32, u32)> {
        let wide = match place {
            Place2::Global(..) => 4,
            // The sum of address register and offset must be aligned.
            Place2::Local(..) => 4,
            _ => 1,
        };
        let mut out = Vec::new();
        let mut at = 0;
        while lanes > 0 {
            let offset = first.wrapping_add(at * 4);
            let aligned = align.min(1 << offset.trailing_zeros().min(4));
            let n = [4, 2, 1].into_iter().find(|&n| n <= lanes && n <= wide && n * 4 <= aligned.max(4)).unwrap_or(1);
            out.push((at, n));
            at += n;
            lanes -= n;
        }
        out
    }

    fn load(&mut self, cx: &mut Cx<'_>, i: Inst, m: &Mem) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let ty = cx.f.ty(d.result());
        let dst = cx.result(i, 0);
        let into: Vec<VReg> = if ty.is_bool() { dst.iter().map(|_| cx.temp(R32)).collect() } else { dst.to_vec() };
        if let Some(t) = part_of(ty) {
            return self.load_part(cx, dst[0], t, m, d.dyn_offset());
        }
        self.load_words(cx, &into, m, d.dyn_offset())?;
        if ty.is_bool() {
            for (&r, &t) in dst.iter().zip(&into) {
                let ne = Mods { cond: 5, ..Mods::default() };
                cx.emit(MInst::new(TOp::M(Op::Set)).def(r).arg(t).arg(zero()).mods(ne));
            }
        }
        Ok(())
    }

    /// 8 or 16 bits with zeros above.
    fn load_part(
        &mut self,
        cx: &mut Cx<'_>,
        dst: VReg,
        t: Ty,
        m: &Mem,
        dynamic: Option<Value>,
    ) -> Result<(), Diagnostic> {
        match self.place(cx, m, dynamic)? {
            Place2::Global(g, base) => {
                let mods = Mods { space: g, ..Mods::ty(t) };
                cx.emit(MInst::new(TOp::M(Op::LdG)).def(dst).arg(base).mods(mods));
            }
            Place2::Shared(a, off) => self.load_shared(cx, dst, t, a, off),
            _ => return Err(Diagnostic::internal("isel", "a part of a word of memory that has words only")),
        }
        Ok(())
    }

    fn load_words(&mut self, cx: &mut Cx<'_>, dst: &[VReg], m: &Mem, dynamic: Option<Value>) -> Result<(), Diagnostic> {
        let place = self.place(cx, m, dynamic)?;
        // Offsets inside one access are multiples of its size when the whole is aligned.
        let start = if matches!(place, Place2::Local(..)) { m.offset } else { 0 };
        for (at, n) in Self::pieces(&place, dst.len() as u32, m.align, start) {
            let regs = &dst[at as usize..(at + n) as usize];
            let (class, t) = match n {
                1 => (R32, Ty::B32),
                2 => (R64, Ty::B64),
                _ => (R128, Ty::B128),
            };
            let r = if n == 1 { regs[0] } else { cx.temp(class) };
            let load = |op: Op, a: Option<VReg>, off: u32, space: u8, r: VReg| {
                let mods = Mods { offset: off, space, ..Mods::ty(t) };
                MInst::<crate::target::Tesla>::new(TOp::M(op)).def(r).args(a.map(Use::reg)).mods(mods)
            };
            match place {
                Place2::Global(g, base) => {
                    let address = if at == 0 { base } else { self.address(cx, Some(base.into()), at * 4) };
                    let mut def = Def::reg(r);
                    if n > 1 {
                        // A wide load must not write over its address.
                        def = def.early();
                    }
                    let mods = Mods { space: g, ..Mods::ty(t) };
                    cx.emit(MInst::new(TOp::M(Op::LdG)).def(def).arg(address).mods(mods));
                }
                Place2::Const(c, a, off) => cx.emit(load(Op::LdC, a, (off + at * 4) & 0xffff, c, r)),
                Place2::Shared(a, off) => self.load_shared(cx, r, Ty::B32, a, (off + at * 4) & 0xffff),
                Place2::Local(a, off) => cx.emit(load(Op::LdL, a, (off + at * 4) & 0xffff, 0, r)),
            }
            if n > 1 {
                cx.emit(MInst::split(regs, r));
            }
        }
        Ok(())
    }

    /// One word of s[], or a part of one with zeros above.
    fn load_shared(&mut self, cx: &mut Cx<'_>, r: VReg, t: Ty, a: Option<VReg>, off: u32) {
        let (shared, near) = match t {
            Ty::U8 => (SharedTy::U8, off < 0x20),
            Ty::U16 => (SharedTy::U16, off < 0x40),
            _ => (SharedTy::B32, off < 0x80),
        };
        if near && (a.is_none() || self.t.generation == 0) {
            let s = match a {
                None => Slot::Shared(shared, off as u16),
                Some(_) => Slot::SharedAt(shared, off as u16),
            };
            cx.emit(MInst::new(TOp::M(Op::Mov)).def(r).arg(slot(s)).args(a.map(U::reg)));
        } else if self.t.generation == 0 {
            // No offset field wide enough: into an address register.
            let b = cx.temp(ADDR);
            let i = MInst::new(TOp::M(Op::AddA)).def(b).args(a.map(U::reg)).imm(off).mods(Mods::ty(Ty::U16));
            cx.emit(i);
            let s = Slot::SharedAt(shared, 0);
            cx.emit(MInst::new(TOp::M(Op::Mov)).def(r).arg(slot(s)).arg(b));
        } else {
            let mods = Mods { offset: off, ..Mods::ty(t) };
            cx.emit(MInst::new(TOp::M(Op::LdS)).def(r).args(a.map(U::reg)).mods(mods));
        }
    }

    fn store(&mut self, cx: &mut Cx<'_>, v: Value, m: &Mem, dynamic: Option<Value>) -> Result<(), Diagnostic> {
        let ty: Type = cx.f.ty(v);
        // Data must be in real registers: a store of the zero register is ignored.
        let mut regs = cx.regs(v);
        if ty.is_bool() {
            for r in &mut regs {
                *r = self.int(cx, Op::And, [(*r).into(), U::imm(1)]);
            }
        }
        let place = self.place(cx, m, dynamic)?;
        let start = if matches!(place, Place2::Local(..)) { m.offset } else { 0 };
        for (at, n) in Self::pieces(&place, regs.len() as u32, m.align, start) {
            let part = &regs[at as usize..(at + n) as usize];
            let (class, t) = match n {
                1 => (R32, part_of(ty).unwrap_or(Ty::B32)),
                2 => (R64, Ty::B64),
                _ => (R128, Ty::B128),
            };
            let data = if n == 1 {
                part[0]
            } else {
                let c = cx.temp(class);
                cx.emit(MInst::collect(c, part.iter().map(|&p| U::reg(p))));
                c
            };
            let mods = Mods::ty(t);
            match place {
                Place2::Global(g, base) => {
                    let address = if at == 0 { base } else { self.address(cx, Some(base.into()), at * 4) };
                    let mods = Mods { space: g, ..mods };
                    cx.emit(MInst::new(TOp::M(Op::StG)).arg(address).arg(data).mods(mods));
                }
                Place2::Shared(a, off) => {
                    let t = if t == Ty::U16 { Ty::B16 } else { t };
                    let mods = Mods { offset: (off + at * 4) & 0xffff, ..Mods::ty(t) };
                    cx.emit(MInst::new(TOp::M(Op::StS)).arg(data).args(a.map(U::reg)).mods(mods));
                }
                Place2::Local(a, off) => {
                    let mods = Mods { offset: (off + at * 4) & 0xffff, ..mods };
                    cx.emit(MInst::new(TOp::M(Op::StL)).arg(data).args(a.map(U::reg)).mods(mods));
                }
                Place2::Const(..) => return Err(Diagnostic::internal("isel", "a store to a uniform buffer")),
            }
        }
        Ok(())
    }

    /// Address register of a locked word, and its offset.
    fn locked(&mut self, cx: &mut Cx<'_>, op: Lock, a: Option<VReg>, off: u32, data: &[U], result: VReg) {
        self.locks = true;
        let (new, flags) = (cx.temp(R32), cx.temp(FLAGS));
        let mods = Mods { offset: off, ..Mods::default() };
        let i = MInst::new(TOp::Lock(op))
            .def(Def::reg(result).early())
            .def(Def::reg(new).early())
            .def(Def::reg(flags).early())
            .args(data.iter().copied())
            .args(a.map(U::reg))
            .mods(mods);
        cx.emit(i);
    }

    fn atomic(&mut self, cx: &mut Cx<'_>, i: Inst, op: AtomicOp, m: &Mem) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let place = self.place(cx, m, d.dyn_offset())?;
        let result = cx.result(i, 0)[0];
        let mut v: U = cx.reg(d.args[0]).into();
        match place {
            Place2::Global(g, address) => {
                if op == AtomicOp::Sub {
                    v = self.int(cx, Op::Sub, [zero(), v]).into();
                }
                let (a, t) = match op {
                    AtomicOp::Add | AtomicOp::Sub => (AtomOp::Add, Ty::U32),
                    AtomicOp::And => (AtomOp::And, Ty::B32),
                    AtomicOp::Or => (AtomOp::Or, Ty::B32),
                    AtomicOp::Xor => (AtomOp::Xor, Ty::B32),
                    AtomicOp::SMin => (AtomOp::Min, Ty::S32),
                    AtomicOp::SMax => (AtomOp::Max, Ty::S32),
                    AtomicOp::UMin => (AtomOp::Min, Ty::U32),
                    AtomicOp::UMax => (AtomOp::Max, Ty::U32),
                    AtomicOp::Exchange => (AtomOp::Exch, Ty::B32),
                };
                let mods = Mods { space: g, ..Mods::ty(t) };
                if cx.uses(d.result()) == 0 && a != AtomOp::Exch {
                    cx.emit(MInst::new(TOp::M(Op::Red(a))).arg(address).arg(v).mods(mods));
                } else {
                    cx.emit(MInst::new(TOp::M(Op::Atom(a))).def(result).arg(address).arg(v).mods(mods));
                }
            }
            Place2::Shared(a, off) => {
                let lock = match op {
                    AtomicOp::Add => Lock::Op(Op::Add, false),
                    AtomicOp::Sub => Lock::Op(Op::Sub, false),
                    AtomicOp::And => Lock::Op(Op::And, false),
                    AtomicOp::Or => Lock::Op(Op::Or, false),
                    AtomicOp::Xor => Lock::Op(Op::Xor, false),
                    AtomicOp::SMin => Lock::Op(Op::Min, true),
                    AtomicOp::SMax => Lock::Op(Op::Max, true),
                    AtomicOp::UMin => Lock::Op(Op::Min, false),
                    AtomicOp::UMax => Lock::Op(Op::Max, false),
                    AtomicOp::Exchange => Lock::Exchange,
                };
                self.locked(cx, lock, a, off, &[v], result);
            }
            _ => return Err(Diagnostic::internal("isel", "an atomic operation on private memory")),
        }
        Ok(())
    }

    fn cmpxchg(&mut self, cx: &mut Cx<'_>, i: Inst, m: &Mem) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let place = self.place(cx, m, d.dyn_offset())?;
        let result = cx.result(i, 0)[0];
        let (expected, new): (U, U) = (cx.reg(d.args[0]).into(), cx.reg(d.args[1]).into());
        match place {
            Place2::Global(g, address) => {
                let mods = Mods { space: g, ..Mods::ty(Ty::B32) };
                let args = [address.into(), expected, new];
                cx.emit(MInst::new(TOp::M(Op::Atom(AtomOp::Cas))).def(result).args(args).mods(mods));
            }
            Place2::Shared(a, off) => self.locked(cx, Lock::Cas, a, off, &[expected, new], result),
            _ => return Err(Diagnostic::internal("isel", "an atomic operation on private memory")),
        }
        debug_assert!(SrcMods::default() == expected.mods);
        Ok(())
    }
}
