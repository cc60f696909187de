//! Loads, stores and atomics of buffers, workgroup memory and private memory.

use gpucc_ir::{AtomicOp, Attr, Diagnostic, Inst, Mem, Op as Ir, Place, Scalar, Type, Value};
use gpucc_mir::{Def, MInst, VReg, access_loc};
use gpucc_tesla_machine as machine;
use machine::{Cond, Op, SharedTy, Ty};

use super::{Isel, IselCx, U, VarLocation, WINDOW};
use crate::builders as build;
use crate::inst::{ADDR, FLAGS, If, Lock, Mods, Of, Offset, R32, R64, R128, Space, SrcMods, TOp, Tesla, slot, zero};
use crate::slots::Slot;

/// An address: register or address register, and a constant.
enum Place2 {
    Global(u8, VReg),
    Const(u8, Option<VReg>, u32),
    Shared(Option<VReg>, u32),
    Local(Option<VReg>, u32),
    Table(Option<VReg>, u32),
}

/// Bytes of c[] that an operand of arithmetic reaches.
const OPERANDS: u32 = 0x200;
/// A word that is read more often takes fewer bytes as a load and short instructions behind it.
const SHORTER: u32 = 2;

/// The name of an access to less than a word.
fn part_of(ty: Type) -> Option<Ty> {
    match ty.scalar() {
        Scalar::I8 => Some(Ty::U8),
        Scalar::I16 => Some(Ty::U16),
        _ => None,
    }
}

/// An atomic operation on global memory. One whose result nobody reads has none.
pub(super) fn global_atomic(op: AtomicOp, read: bool, space: Space, args: [U; 2]) -> MInst<Tesla> {
    let of = |t| (space, Of(t));
    match (op, read) {
        (AtomicOp::Add | AtomicOp::Sub, true) => build::AtomAdd.with(of(Ty::U32), args),
        (AtomicOp::Add | AtomicOp::Sub, false) => build::RedAdd.with(of(Ty::U32), args),
        (AtomicOp::And, true) => build::AtomAnd.with((space,), args),
        (AtomicOp::And, false) => build::RedAnd.with((space,), args),
        (AtomicOp::Or, true) => build::AtomOr.with((space,), args),
        (AtomicOp::Or, false) => build::RedOr.with((space,), args),
        (AtomicOp::Xor, true) => build::AtomXor.with((space,), args),
        (AtomicOp::Xor, false) => build::RedXor.with((space,), args),
        (AtomicOp::SMin, true) => build::AtomMin.with(of(Ty::S32), args),
        (AtomicOp::SMin, false) => build::RedMin.with(of(Ty::S32), args),
        (AtomicOp::SMax, true) => build::AtomMax.with(of(Ty::S32), args),
        (AtomicOp::SMax, false) => build::RedMax.with(of(Ty::S32), args),
        (AtomicOp::UMin, true) => build::AtomMin.with(of(Ty::U32), args),
        (AtomicOp::UMin, false) => build::RedMin.with(of(Ty::U32), args),
        (AtomicOp::UMax, true) => build::AtomMax.with(of(Ty::U32), args),
        (AtomicOp::UMax, false) => build::RedMax.with(of(Ty::U32), args),
        (AtomicOp::Exchange, _) => build::AtomExch.with((space,), args),
    }
}

impl Isel<'_> {
    fn home(&self, p: Place) -> Option<VarLocation> {
        match p {
            Place::Buffer(r) => self.resources[r],
            Place::Global(g) => self.globals[g],
            Place::Local(l) => self.locals[l],
            Place::Address => None,
        }
    }

    /// The remainder of an address without the constants added to it and without its shift: value, shift, offset. Instructions count
    /// offsets in units of what they access, so a constant that is no multiple of `unit` stays.
    fn peel_address(cx: &IselCx<'_>, v: Value, offset: u32, unit: u32) -> (Value, u32, u32) {
        let (mut v, mut offset) = (v, offset);
        let add = |v: Value, unit: u32| {
            let d = cx.f.def_op(v, Ir::IAdd)?;
            let c = Self::bits(cx, d.args[1]).filter(|&c| c < 1 << 15 && c.is_multiple_of(unit))?;
            Some((d.args[0], c))
        };
        while let Some((x, c)) = add(v, unit) {
            (v, offset) = (x, offset.wrapping_add(c));
        }
        let mut by = 0;
        if let Some(d) = cx.f.def_op(v, Ir::Shl)
            && let Some(n) = Self::bits(cx, d.args[1])
            && n < 16
        {
            (v, by) = (d.args[0], n);
            while let Some((x, c)) = add(v, (unit >> n).max(1)) {
                (v, offset) = (x, offset.wrapping_add(c << n));
            }
        }
        (v, by, offset & 0xffff)
    }

    /// An address register and the rest of the offset, both modulo 2^16 as the unit adds them: constants that are added to
    /// `v` go to the offset, a shift into the instruction that writes the register.
    fn areg(&mut self, cx: &mut IselCx<'_>, v: Value, offset: u32, unit: u32) -> (VReg, u32) {
        let (v, by, offset) = Self::peel_address(cx, v, offset, unit);
        let x = self.first(cx, v);
        let a = cx.temp(ADDR);
        cx.emit(build::ShlToA.on([x, U::imm(by)]).def(a));
        (a, offset)
    }

    /// A variable that lies in s[], and where.
    pub fn shared_place(&self, place: Place) -> Option<(Place, u32)> {
        match self.home(place) {
            Some(VarLocation::Shared(at)) => Some((place, self.shared_base + at)),
            _ => None,
        }
    }

    /// A word of workgroup memory as the first source of the only instruction that reads it: operand and address register.
    pub(super) fn loaded(&mut self, cx: &mut IselCx<'_>, v: Value) -> Option<(U, Option<U>)> {
        let d = cx.fold_op(v, Ir::Load)?;
        let Attr::Mem(m) = &d.attr else { return None };
        let Some(VarLocation::Shared(at)) = self.home(m.place) else { return None };
        let base = (self.shared_base + at).wrapping_add(m.offset);
        let dynamic = d.dyn_offset().filter(|&v| Self::bits(cx, v) != Some(0));
        let offset = dynamic.map_or(base, |v| Self::peel_address(cx, v, base, 4).2);
        if offset >= 0x80 || offset % 4 != 0 || cx.f.ty(v).lanes() != 1 || cx.f.ty(v).bits() != 32 {
            return None;
        }
        let offset = offset as u16;
        // The instruction that loads by its operand is this access.
        cx.loc = access_loc(d);
        Some(match dynamic {
            Some(v) => {
                let (a, _) = self.areg(cx, v, base, 4);
                (slot(Slot::SharedAt(SharedTy::B32, offset)), Some(a.into()))
            }
            None => (slot(Slot::Shared(SharedTy::B32, offset)), None),
        })
    }

    /// A word of a uniform buffer at an offset of the program's, as the second or third source of an instruction of its block: operand and
    /// address register. Not where the word is read so often that a load is shorter.
    pub(super) fn indexed(&mut self, cx: &mut IselCx<'_>, v: Value) -> Option<(U, U)> {
        let (base, lane) = Self::source(cx, v);
        let d = cx.peek(base).filter(|d| d.op == Ir::Load && cx.uses(v) <= SHORTER && !cx.is_used(base))?;
        let Attr::Mem(m) = &d.attr else { return None };
        let Some(VarLocation::Const(c)) = self.home(m.place) else { return None };
        let dynamic = d.dyn_offset().filter(|&v| Self::bits(cx, v).is_none())?;
        let first = m.offset.wrapping_add(4 * lane);
        let offset = Self::peel_address(cx, dynamic, first, 4).2;
        if offset >= OPERANDS || offset % 4 != 0 || cx.f.ty(v).bits() != 32 || m.align < 4 || m.flags.is_shared() {
            return None;
        }
        cx.loc = access_loc(d);
        let (a, _) = self.areg(cx, dynamic, first, 4);
        Some((slot(Slot::Const(c, offset as u16)), a.into()))
    }

    /// [`areg`](Self::areg) where there may be no register at all.
    fn near(&mut self, cx: &mut IselCx<'_>, v: Option<Value>, offset: u32, unit: u32) -> (Option<VReg>, u32) {
        match v {
            Some(v) => {
                let (a, offset) = self.areg(cx, v, offset, unit);
                (Some(a), offset)
            }
            None => (None, offset & 0xffff),
        }
    }

    /// `base + offset` in a register that memory instructions may name.
    fn address(&mut self, cx: &mut IselCx<'_>, base: Option<U>, offset: u32) -> VReg {
        match base {
            None => {
                let d = cx.temp(R32);
                cx.emit(MInst::copy(d, U::imm(offset)));
                d
            }
            Some(b) if offset == 0 && b.vreg().is_some() => b.vreg().unwrap_or_else(|| cx.temp(R32)),
            Some(b) => self.temp(cx, build::Add.on([b, U::imm(offset)])),
        }
    }

    fn place(&mut self, cx: &mut IselCx<'_>, m: &Mem, dynamic: Option<Value>) -> Result<Place2, Diagnostic> {
        let Some(home) = self.home(m.place) else { return Err(Diagnostic::internal("isel", "a place without a home")) };
        let (offset, dynamic) = match dynamic.and_then(|v| Self::bits(cx, v)) {
            Some(k) => (m.offset.wrapping_add(k), None),
            None => (m.offset, dynamic),
        };
        let unit = m.align.min(4);
        Ok(match home {
            VarLocation::Global(n) => {
                let base = dynamic.map(|v| cx.reg(v).into());
                Place2::Global(n, self.address(cx, base, offset))
            }
            VarLocation::Window(at) => {
                let mut base: U = self.window(cx).into();
                if let Some(v) = dynamic {
                    let x = self.any(cx, v);
                    base = self.temp(cx, build::Add.on([base, x])).into();
                }
                Place2::Global(WINDOW, self.address(cx, Some(base), at.wrapping_add(offset)))
            }
            VarLocation::Const(n) => {
                let (a, at) = self.near(cx, dynamic, offset, unit);
                Place2::Const(n, a, at)
            }
            VarLocation::Shared(at) => {
                let (a, at) = self.near(cx, dynamic, (self.shared_base + at).wrapping_add(offset), unit);
                Place2::Shared(a, at)
            }
            VarLocation::Local(at) => {
                let (a, at) = self.near(cx, dynamic, at.wrapping_add(offset), unit);
                Place2::Local(a, at)
            }
            VarLocation::Table(at) => {
                let (a, at) = self.near(cx, dynamic, at.wrapping_add(offset), unit);
                Place2::Table(a, at)
            }
        })
    }

    pub(super) fn memory(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        match (d.op, &d.attr) {
            (Ir::Load, Attr::Mem(m)) => self.load(cx, i, m),
            // Their data is in c0.
            (Ir::Store, Attr::Mem(m)) if matches!(self.home(m.place), Some(VarLocation::Table(_))) => Ok(()),
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

    fn load(&mut self, cx: &mut IselCx<'_>, i: Inst, m: &Mem) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let ty = cx.f.ty(d.result());
        let dst = cx.result(i, 0);
        let into: Vec<VReg> = if ty.is_bool() { dst.iter().map(|_| cx.temp(R32)).collect() } else { dst.to_vec() };
        if let Some(t) = part_of(ty) {
            self.load_part(cx, dst[0], t, m, d.dyn_offset())?;
        } else {
            self.load_words(cx, &into, m, d.dyn_offset())?;
        }
        if m.flags.is_shared() {
            // Two loads of what others write stay in order.
            cx.emit(MInst::new(TOp::Fence));
        }
        if part_of(ty).is_some() {
            return Ok(());
        }
        if ty.is_bool() {
            for (&r, &t) in dst.iter().zip(&into) {
                cx.emit(build::Set.with((If(Cond::NotEqual),), [t.into(), zero()]).def(r));
            }
        }
        Ok(())
    }

    /// 8 or 16 bits with zeros above.
    fn load_part(
        &mut self,
        cx: &mut IselCx<'_>,
        dst: VReg,
        t: Ty,
        m: &Mem,
        dynamic: Option<Value>,
    ) -> Result<(), Diagnostic> {
        match self.place(cx, m, dynamic)? {
            Place2::Global(g, base) => {
                cx.emit(build::LdG.with((Space(g), Of(t)), [base.into()]).def(dst));
            }
            Place2::Shared(a, off) => self.load_shared(cx, dst, t, a, off),
            _ => return Err(Diagnostic::internal("isel", "a part of a word of memory that has words only")),
        }
        Ok(())
    }

    fn load_words(
        &mut self,
        cx: &mut IselCx<'_>,
        dst: &[VReg],
        m: &Mem,
        dynamic: Option<Value>,
    ) -> Result<(), Diagnostic> {
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
            match place {
                Place2::Global(g, base) => {
                    let address = if at == 0 { base } else { self.address(cx, Some(base.into()), at * 4) };
                    let mut def = Def::reg(r);
                    if n > 1 {
                        // A wide load must not write over its address.
                        def = def.early();
                    }
                    cx.emit(build::LdG.with((Space(g), Of(t)), [address.into()]).def(def));
                }
                Place2::Const(c, a, off) => {
                    let word = slot(Slot::Const(c, (off + at * 4) as u16));
                    cx.emit(build::LdC.with((Of(t),), [word]).args(a.map(U::reg)).def(r));
                }
                Place2::Table(a, off) => {
                    let word = slot(Slot::Table((off + at * 4) as u16));
                    cx.emit(build::LdC.with((Of(t),), [word]).args(a.map(U::reg)).def(r));
                }
                Place2::Shared(a, off) => self.load_shared(cx, r, Ty::B32, a, (off + at * 4) & 0xffff),
                Place2::Local(a, off) => {
                    let mods = (Offset((off + at * 4) & 0xffff), Of(t));
                    cx.emit(build::LdL.with(mods, []).args(a.map(U::reg)).def(r));
                }
            }
            if n > 1 {
                cx.emit(MInst::split(regs, r));
            }
        }
        Ok(())
    }

    /// One word of s[], or a part of one with zeros above.
    fn load_shared(&mut self, cx: &mut IselCx<'_>, r: VReg, t: Ty, a: Option<VReg>, off: u32) {
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
            cx.emit(build::Mov.on([slot(s)]).args(a.map(U::reg)).def(r));
        } else if self.t.generation == 0 {
            // No offset field wide enough: into an address register.
            let b = cx.temp(ADDR);
            cx.emit(build::AddA.on([U::imm(off)]).args(a.map(U::reg)).def(b));
            let s = Slot::SharedAt(shared, 0);
            cx.emit(build::Mov.on([slot(s)]).arg(b).def(r));
        } else {
            cx.emit(build::LdS.with((Offset(off), Of(t)), []).args(a.map(U::reg)).def(r));
        }
    }

    fn store(&mut self, cx: &mut IselCx<'_>, v: Value, m: &Mem, dynamic: Option<Value>) -> Result<(), Diagnostic> {
        let ty: Type = cx.f.ty(v);
        // Data must be in real registers: a store of the zero register is ignored.
        let mut regs = cx.regs(v);
        if ty.is_bool() {
            for r in &mut regs {
                *r = self.temp(cx, build::And.on([(*r).into(), U::imm(1)]));
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
            match place {
                Place2::Global(g, base) => {
                    let address = if at == 0 { base } else { self.address(cx, Some(base.into()), at * 4) };
                    cx.emit(build::StG.with((Space(g), Of(t)), [address.into(), data.into()]));
                }
                Place2::Shared(a, off) => {
                    let t = if t == Ty::U16 { Ty::B16 } else { t };
                    let mods = (Offset((off + at * 4) & 0xffff), Of(t));
                    cx.emit(build::StS.with(mods, [data.into()]).args(a.map(U::reg)));
                }
                Place2::Local(a, off) => {
                    let mods = (Offset((off + at * 4) & 0xffff), Of(t));
                    cx.emit(build::StL.with(mods, [data.into()]).args(a.map(U::reg)));
                }
                Place2::Const(..) | Place2::Table(..) => {
                    return Err(Diagnostic::internal("isel", "a store to constant memory"));
                }
            }
        }
        Ok(())
    }

    /// Address register of a locked word, and its offset.
    fn locked(&mut self, cx: &mut IselCx<'_>, op: Lock, a: Option<VReg>, off: u32, data: &[U], result: VReg) {
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

    fn atomic(&mut self, cx: &mut IselCx<'_>, i: Inst, op: AtomicOp, m: &Mem) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let place = self.place(cx, m, d.dyn_offset())?;
        let result = cx.result(i, 0)[0];
        let mut v: U = cx.reg(d.args[0]).into();
        match place {
            Place2::Global(g, address) => {
                if op == AtomicOp::Sub {
                    v = self.temp(cx, build::Sub.on([zero(), v])).into();
                }
                let read = cx.uses(d.result()) > 0 || op == AtomicOp::Exchange;
                let i = global_atomic(op, read, Space(g), [address.into(), v]);
                cx.emit(if read { i.def(result) } else { i });
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

    fn cmpxchg(&mut self, cx: &mut IselCx<'_>, i: Inst, m: &Mem) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let place = self.place(cx, m, d.dyn_offset())?;
        let result = cx.result(i, 0)[0];
        let (expected, new): (U, U) = (cx.reg(d.args[0]).into(), cx.reg(d.args[1]).into());
        match place {
            Place2::Global(g, address) => {
                cx.emit(build::AtomCas.with((Space(g),), [address.into(), expected, new]).def(result));
            }
            Place2::Shared(a, off) => self.locked(cx, Lock::Cas, a, off, &[expected, new], result),
            _ => return Err(Diagnostic::internal("isel", "an atomic operation on private memory")),
        }
        debug_assert!(SrcMods::default() == expected.mods);
        Ok(())
    }
}
