//! Loads, stores, atomics.
//!
//! Accesses known to lie in bounds go by address: a 64-bit pair (a buffer's address in uniform words, or the special that
//! points to workgroup or private memory) plus a signed 16-bit offset. Loads from buffers that the hardware has to check go
//! by handle.

use gpucc_container::Source;
use gpucc_ir::{AtomicOp, Attr, Diagnostic, Inst, Mem, MemFlags, Op, Place, ResourceKind, Space, Type, Value};
use gpucc_mir::{MInst, Use, VReg};
use gpucc_valhall_machine::operand::{THREAD_LOCAL_POINTER, WORKGROUP_LOCAL_POINTER};
use gpucc_valhall_machine::{AtomOne, AtomOp, MemoryAccess, Op as M};

use super::{Isel, IselCx, MI, U, no_uniforms};
use crate::builders as build;
use crate::inst::{
    Atomic, AtomicOne, Compare, Constant, Hint, InSpace, Into, LoadLane, Offset, Readonly, Shared, Shift, Unsigned,
};
use crate::inst::{R, R2, RE, SPACE_ADDRESSES, SPACE_FIRST, SrcMods, VOp, run_class, special};
use crate::resources::immediate;

/// Where an access goes.
#[derive(Clone, Copy)]
enum Addr {
    /// 64-bit operand and constant offset.
    Pair(U, u32),
    /// Byte offset operand and handle operand.
    Handle(U, U),
}

/// The low word of a pair operand, extended.
const W0: SrcMods = SrcMods::swizzled(8);

impl Isel<'_> {
    /// A number for each place that overlaps no other one, and its space. Where addresses lead into storage buffers all of these have one.
    fn place(&self, m: &Mem) -> (u16, Space) {
        if self.addresses && self.module.space(m.place) == Space::Storage {
            return (SPACE_ADDRESSES, Space::Storage);
        }
        let (buffers, globals) = (self.module.resources.len() as u32, self.module.globals.len() as u32);
        let number = match m.place {
            Place::Buffer(r) => r.0,
            Place::Global(g) => buffers + g.0,
            Place::Local(l) => buffers + globals + l.0,
            Place::Address => u32::MAX,
        };
        let number = u16::try_from(number).unwrap_or(u16::MAX).saturating_add(SPACE_FIRST);
        (number, self.module.space(m.place))
    }

    fn is_private(&self, m: &Mem) -> bool {
        matches!(self.module.space(m.place), Space::Private | Space::Function) && self.tables.at(m.place).is_none()
    }

    /// The pointer that the place's offsets count from.
    fn base(&mut self, m: &Mem, space: Space) -> Result<U, Diagnostic> {
        if self.tables.at(m.place).is_some() {
            let pair = self.uniforms.pair(Source::DataAddressLo, Source::DataAddressHi);
            return Ok(Use::uniform(pair.ok_or_else(|| no_uniforms("the address of constants"))?));
        }
        Ok(match (space, m.place) {
            (Space::Workgroup, _) => special(WORKGROUP_LOCAL_POINTER, 0),
            (_, Place::Buffer(r)) => {
                let (lo, hi) = self.resources.address(self.module, r);
                let pair = self.uniforms.pair(lo, hi);
                Use::uniform(pair.ok_or_else(|| no_uniforms("a buffer address"))?)
            }
            _ => special(THREAD_LOCAL_POINTER, 0),
        })
    }

    /// Constant offset of an access in its memory.
    fn constant_offset(&self, m: &Mem) -> u32 {
        match m.place {
            Place::Buffer(_) | Place::Address => m.offset,
            p => m.offset.wrapping_add(self.tables.at(p).unwrap_or_else(|| (self.places)(p))),
        }
    }

    /// A value in a register that 64-bit operands can name.
    pub(super) fn even(&mut self, cx: &mut IselCx<'_>, u: U) -> U {
        let e = cx.temp(RE);
        match u.vreg() {
            Some(v) if u.mods == SrcMods::default() => cx.emit(MInst::copy(e, v)),
            _ => self.push(cx, build::MovI32.on([u]).def(e)),
        }
        Use::reg(e).mods(W0)
    }

    /// Folds the dynamic offset: `(index, shift, constant)`. Only where it is not clamped: then no step may wrap.
    fn peel(&self, cx: &IselCx<'_>, dynamic: Value) -> (Value, u32, u32) {
        let (mut v, mut shift, mut constant) = (dynamic, 0u32, 0u32);
        if self.module.options.robust {
            return (v, 0, 0);
        }
        while let Some(d) = cx.peek(v) {
            let k = d.args.get(1).and_then(|&k| self.constant_bits(cx, k));
            match (d.op, k) {
                (Op::IAdd, Some(k)) => constant = constant.wrapping_add(k << shift),
                (Op::Shl, Some(k)) if k + shift <= 7 => shift += k,
                _ => break,
            }
            v = d.args[0];
        }
        if cx.const_bits(v).is_some() { (dynamic, 0, 0) } else { (v, shift, constant) }
    }

    /// The 64-bit operand and the immediate offset for an access; `range` says which offsets the instruction can hold.
    fn pair(
        &mut self,
        cx: &mut IselCx<'_>,
        m: &Mem,
        dynamic: Option<Value>,
        range: impl Fn(i32) -> bool,
    ) -> Result<(U, u32), Diagnostic> {
        if let (Place::Address, Some(at)) = (m.place, dynamic) {
            let words = self.words(cx, at);
            let base = Use::reg(self.staging(cx, &words));
            if range(m.offset as i32) {
                return Ok((base, m.offset));
            }
            let word = self.word(cx, m.offset);
            let low = self.even(cx, word);
            return Ok((self.wide(cx, build::IaddU64.on([base, low])), 0));
        }
        let (_, space) = self.place(m);
        let base = self.base(m, space)?;
        let mut offset = self.constant_offset(m);
        let Some(dynamic) = dynamic else {
            if range(offset as i32) {
                return Ok((base, offset));
            }
            let word = self.word(cx, offset);
            let low = self.even(cx, word);
            return Ok((self.wide(cx, build::IaddU64.on([base, low])), 0));
        };
        let (v, shift, constant) = self.peel(cx, dynamic);
        offset = offset.wrapping_add(constant);
        let mut index = self.int(cx, v);
        if !range(offset as i32) {
            // The high part of the offset joins the index where that is exact.
            let add = (offset as i32 >> shift) as u32;
            let rest = offset & ((1 << shift) - 1);
            let r = self.in_register(cx, index);
            let sum = build::IaddImmI32.with((Constant(add),), [r.into()]);
            index = Use::reg(self.make(cx, sum));
            offset = rest;
        }
        let low = self.even(cx, index);
        let pair = match (shift, constant) {
            (0, 0) => self.wide(cx, build::IaddU64.on([base, low])),
            (0, _) => self.wide(cx, build::IaddS64.on([base, low])),
            _ => self.wide(cx, build::ShaddxS64.with((Shift(shift as u8),), [base, low])),
        };
        Ok((pair, offset))
    }

    /// A new pair.
    fn wide(&mut self, cx: &mut IselCx<'_>, i: MI) -> U {
        let pair = cx.temp(R2);
        self.push(cx, i.def(pair));
        Use::reg(pair)
    }

    fn address(
        &mut self,
        cx: &mut IselCx<'_>,
        m: &Mem,
        dynamic: Option<Value>,
        load: bool,
    ) -> Result<Addr, Diagnostic> {
        let near = |o: i32| (-0x8000..0x7ff0).contains(&o);
        let Place::Buffer(r) = m.place else {
            let (base, offset) = self.pair(cx, m, dynamic, near)?;
            return Ok(Addr::Pair(base, offset));
        };
        let given = self.module.resources[r].kind == ResourceKind::Immediates;
        if !load || given || m.flags.has(MemFlags::IN_BOUNDS) || !self.module.options.robust {
            let (base, offset) = self.pair(cx, m, dynamic, near)?;
            return Ok(Addr::Pair(base, offset));
        }
        let handle = self.resources.handle(self.module, r);
        let offset = match dynamic {
            None => self.word(cx, m.offset),
            Some(v) if m.offset == 0 => self.int(cx, v),
            Some(v) => {
                let v = self.int(cx, v);
                let v = self.in_register(cx, v);
                Use::reg(self.make(cx, build::IaddImmI32.with((Constant(m.offset),), [v.into()])))
            }
        };
        let handle = self.word(cx, handle);
        Ok(Addr::Handle(offset, handle))
    }

    /// Sizes in words of the pieces of an access: private memory is not crossed at multiples of 16 bytes.
    fn pieces(&self, m: &Mem, dynamic: bool, words: u32) -> Vec<u32> {
        if !self.is_private(m) || words == 1 {
            return vec![words];
        }
        let mut left = words;
        let mut out = Vec::new();
        if dynamic {
            // Aligned to the next power of two it cannot cross.
            let most = (m.align / 4).clamp(1, 4);
            while left > 0 {
                out.push(left.min(most));
                left -= left.min(most);
            }
        } else {
            let mut at = self.constant_offset(m) / 4 % 4;
            while left > 0 {
                let n = left.min(4 - at);
                out.push(n);
                left -= n;
                at = 0;
            }
        }
        out
    }

    /// The place that an access is known to touch.
    fn touches(&self, m: &Mem) -> (InSpace, Readonly) {
        let (number, space) = self.place(m);
        let readonly = match m.place {
            Place::Buffer(r) => space == Space::Uniform || !self.written.contains(&r) && m.flags.is_alone(),
            place => self.tables.at(place).is_some(),
        };
        (InSpace(number), Readonly(readonly))
    }

    pub(super) fn load(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Some(m) = d.mem().cloned() else { return Err(cx.unknown(i)) };
        let out = cx.result(i, 0);
        let (bool_result, bits) = (cx.f.ty(d.result()).is_bool(), cx.f.ty(d.result()).bits());
        let loaded: Vec<VReg> = if bool_result { out.iter().map(|_| cx.temp(R)).collect() } else { out.to_vec() };
        let dynamic = d.dyn_offset();
        if let Some(first) = immediate(self.module, d) {
            let words: Option<Vec<u32>> =
                (first..).take(out.len()).map(|w| self.uniforms.word(Source::Immediate(w))).collect();
            if let Some(words) = words {
                for (&r, n) in out.iter().zip(words) {
                    self.push(cx, build::MovI32.on([Use::uniform(n)]).def(r));
                }
                return Ok(());
            }
        }
        let (space, readonly) = self.touches(&m);
        let shared = Shared(m.flags.is_shared());
        let addr = self.address(cx, &m, dynamic, true)?;
        let mut first = 0usize;
        for n in self.pieces(&m, dynamic.is_some(), loaded.len() as u32) {
            let n = n as usize;
            let run = if n == 1 { loaded[first] } else { cx.temp(run_class(n)) };
            let lane = Into(if bits < 32 { LoadLane::Word } else { LoadLane::Silent });
            let inst = match addr {
                Addr::Pair(base, offset) => {
                    let load = match bits {
                        8 => build::LoadI8,
                        16 => build::LoadI16,
                        _ => build::loads(n),
                    };
                    let at = Offset(offset.wrapping_add(4 * first as u32) as u16);
                    load.with((at, lane, Unsigned(true), space, readonly, shared), [base])
                }
                Addr::Handle(offset, handle) => {
                    let load = match bits {
                        8 => build::LdBufferI8,
                        16 => build::LdBufferI16,
                        _ => build::buffer_loads(n),
                    };
                    load.with((lane, Unsigned(true), space, readonly, shared), [offset, handle])
                }
            };
            self.push(cx, inst.def(run));
            if n > 1 {
                cx.emit(MInst::split(&loaded[first..first + n], run));
            }
            first += n;
        }
        if bool_result {
            for (&r, &v) in out.iter().zip(&loaded) {
                self.push(cx, super::alu::to_bool(v).def(r));
            }
        }
        Ok(())
    }

    /// Operands for the words of a value that go to memory.
    fn words(&mut self, cx: &mut IselCx<'_>, v: Value) -> Vec<U> {
        let ty: Type = cx.f.ty(v);
        if ty.is_bool() {
            let lanes: Vec<U> = cx.regs(v).into_iter().map(Use::reg).collect();
            return lanes.into_iter().map(|u| Use::reg(self.make(cx, super::alu::from_bool(u)))).collect();
        }
        if !ty.is_vector() {
            return vec![self.int(cx, v)];
        }
        if let Some(d) = cx.peek(v).filter(|d| d.op == Op::Compose) {
            return d.args.iter().map(|&x| self.int(cx, x)).collect();
        }
        if let Some(d) = cx.peek(v).filter(|d| d.op == Op::Splat) {
            return vec![self.int(cx, d.args[0]); ty.lanes() as usize];
        }
        if let Some(c) = cx.f.as_const(v).cloned() {
            return c.bits.iter().map(|&b| self.word(cx, b as u32)).collect();
        }
        cx.regs(v).into_iter().map(Use::reg).collect()
    }

    /// Words in a staging run.
    pub(super) fn staging(&mut self, cx: &mut IselCx<'_>, words: &[U]) -> VReg {
        if let [one] = words {
            return self.in_register(cx, *one);
        }
        let run = cx.temp(run_class(words.len()));
        cx.emit(MInst::collect(run, words.iter().copied()));
        run
    }

    pub(super) fn store(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Some(m) = d.mem().cloned() else { return Err(cx.unknown(i)) };
        // The constants lie there.
        if self.tables.at(m.place).is_some() {
            return Ok(());
        }
        let words = self.words(cx, d.args[0]);
        let dynamic = d.dyn_offset();
        let (space, readonly) = self.touches(&m);
        let Addr::Pair(base, offset) = self.address(cx, &m, dynamic, false)? else {
            return Err(cx.unknown(i));
        };
        let mut first = 0usize;
        for n in self.pieces(&m, dynamic.is_some(), words.len() as u32) {
            let n = n as usize;
            let run = self.staging(cx, &words[first..first + n]);
            let at = Offset(offset.wrapping_add(4 * first as u32) as u16);
            let store = match cx.f.ty(d.args[0]).bits() {
                8 => build::StoreI8,
                16 => build::StoreI16,
                _ => build::stores(n),
            };
            // Helper lanes store to their own memory too.
            let hint = Hint(if self.is_private(&m) { MemoryAccess::Force } else { MemoryAccess::None });
            self.push(cx, store.with((at, hint, space, readonly), [run.into(), base]));
            first += n;
        }
        Ok(())
    }

    pub(super) fn atomic(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Some(m) = d.mem().cloned() else { return Err(cx.unknown(i)) };
        let (space, readonly) = self.touches(&m);
        let wanted = cx.is_used(d.result());
        let (base, offset) = self.pair(cx, &m, d.dyn_offset(), |o| (0..256).contains(&o))?;
        let offset = Offset(offset as u16);
        if cx.f.ty(d.args[0]).is_vector() {
            return self.wide_atomic(cx, i, (base, offset), (space, readonly), wanted);
        }
        let inst: MI = if d.op == Op::CmpXchg {
            let (expected, new) = (self.int(cx, d.args[0]), self.int(cx, d.args[1]));
            let run = self.staging(cx, &[new, expected]);
            let mods = (Atomic(AtomOp::Exchange), Compare(true), offset, space, readonly);
            build::AtomReturnI32.with(mods, [run.into(), base])
        } else {
            let Attr::Atomic(what, _) = d.attr else { return Err(cx.unknown(i)) };
            self.atomic_at(cx, what, d.args[0], wanted, (base, offset), (space, readonly))
        };
        let defines = wanted || inst.target_op() == Some(VOp::Op(M::AtomReturnI32));
        let inst = if defines { inst.def(cx.result(i, 0)[0]) } else { inst };
        self.push(cx, inst);
        Ok(())
    }
}

impl Isel<'_> {
    /// An atomic on two words.
    fn wide_atomic(
        &mut self,
        cx: &mut IselCx<'_>,
        i: Inst,
        (base, offset): (U, Offset),
        (space, readonly): (InSpace, Readonly),
        wanted: bool,
    ) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let (what, values) = match d.attr {
            Attr::Atomic(what, _) => (opcode(what), &d.args[..1]),
            _ => (AtomOp::Exchange, &d.args[..2]),
        };
        // The new value comes before the one expected.
        let words: Vec<U> = values.iter().rev().flat_map(|&v| self.words(cx, v)).collect();
        let run = self.staging(cx, &words);
        let returns = wanted || what == AtomOp::Exchange;
        if !returns {
            let inst = build::AtomI64.with((Atomic(what), offset, space, readonly), [run.into(), base]);
            self.push(cx, inst);
            return Ok(());
        }
        let mods = (Atomic(what), Compare(values.len() > 1), offset, space, readonly);
        let pair = cx.temp(R2);
        self.push(cx, build::AtomReturnI64.with(mods, [run.into(), base]).def(pair));
        let out = cx.result(i, 0).to_vec();
        cx.emit(MInst::split(&out, pair));
        Ok(())
    }

    /// An atomic on the word at an address.
    pub(super) fn atomic_at(
        &mut self,
        cx: &mut IselCx<'_>,
        what: AtomicOp,
        value: Value,
        wanted: bool,
        (base, offset): (U, Offset),
        (space, readonly): (InSpace, Readonly),
    ) -> MI {
        let constant = self.constant_bits(cx, value);
        let by_one = match (what, constant) {
            (AtomicOp::Add, Some(1)) | (AtomicOp::Sub, Some(u32::MAX)) => Some(AtomOne::Inc),
            (AtomicOp::Add, Some(u32::MAX)) | (AtomicOp::Sub, Some(1)) => Some(AtomOne::Dec),
            (AtomicOp::UMax, Some(1)) => Some(AtomOne::Umax1),
            (AtomicOp::SMax, Some(1)) => Some(AtomOne::Smax1),
            (AtomicOp::Or, Some(1)) => Some(AtomOne::Or1),
            _ => None,
        };
        if let Some(what) = by_one {
            return build::Atom1ReturnI32.with((AtomicOne(what), offset, space, readonly), [base]);
        }
        let value = match (what, constant) {
            (AtomicOp::Sub, Some(k)) => self.word(cx, k.wrapping_neg()),
            (AtomicOp::Sub, None) => {
                let x = self.int(cx, value);
                Use::reg(self.make(cx, build::IsubU32.on([Use::imm(0), x])))
            }
            _ => self.int(cx, value),
        };
        let run = self.staging(cx, &[value]);
        let returns = wanted || what == AtomicOp::Exchange;
        let mods = (Atomic(opcode(what)), offset, space, readonly);
        match returns {
            true => build::AtomReturnI32.with(mods, [run.into(), base]),
            false => build::AtomI32.with(mods, [run.into(), base]),
        }
    }
}

fn opcode(o: AtomicOp) -> AtomOp {
    match o {
        AtomicOp::Add | AtomicOp::Sub => AtomOp::Add,
        AtomicOp::SMin => AtomOp::Smin,
        AtomicOp::SMax => AtomOp::Smax,
        AtomicOp::UMin => AtomOp::Umin,
        AtomicOp::UMax => AtomOp::Umax,
        AtomicOp::And => AtomOp::And,
        AtomicOp::Or => AtomOp::Or,
        AtomicOp::Xor => AtomOp::Xor,
        AtomicOp::Exchange => AtomOp::Exchange,
    }
}
