//! Loads, stores, atomics.
//!
//! Accesses known to lie in bounds go by address: a 64-bit pair (a buffer's address in uniform words, or the special that
//! points to workgroup or private memory) plus a signed 16-bit offset. Loads from buffers that the hardware has to check go
//! by handle.

use gpucc_container::Source;
use gpucc_ir::{AtomicOp, Attr, Diagnostic, Inst, Mem, MemFlags, Op, Place, ResourceKind, Space, Type, Value};
use gpucc_mir::{MInst, Use, VReg};
use gpucc_valhall_machine::Op as M;
use gpucc_valhall_machine::src::{THREAD_LOCAL_POINTER, WORKGROUP_LOCAL_POINTER};

use super::{Cx, Isel, MI, U, no_uniforms, op, with};
use crate::resources::immediate;
use crate::target::{R, R2, RE, SPACE_FIRST, SrcMods, run_class};

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

/// Values of the lane field of loads of 8 and of 16 bits: into a word with zeros above.
const LANE_8_WORD: u32 = 6;
const LANE_16_WORD: u32 = 2;

/// Value of the memory-access field for private memory: helper lanes store too.
const FORCE: u32 = 3;

impl Isel<'_> {
    /// A number for each place (different places never overlap), and its space.
    fn place(&self, m: &Mem) -> (u32, Space) {
        let (buffers, globals) = (self.module.resources.len() as u32, self.module.globals.len() as u32);
        let number = match m.place {
            Place::Buffer(r) => r.0,
            Place::Global(g) => buffers + g.0,
            Place::Local(l) => buffers + globals + l.0,
        };
        ((SPACE_FIRST + number).min(u32::from(u16::MAX)), self.module.space(m.place))
    }

    fn is_private(&self, m: &Mem) -> bool {
        matches!(self.module.space(m.place), Space::Private | Space::Function)
    }

    /// The pointer that the place's offsets count from.
    fn base(&mut self, m: &Mem, space: Space) -> Result<U, Diagnostic> {
        Ok(match (space, m.place) {
            (Space::Workgroup, _) => Self::special(WORKGROUP_LOCAL_POINTER, 0),
            (_, Place::Buffer(r)) => {
                let (lo, hi) = self.resources.address(self.module, r);
                let pair = self.uniforms.pair(lo, hi);
                Use::uniform(pair.ok_or_else(|| no_uniforms("a buffer address"))?)
            }
            _ => Self::special(THREAD_LOCAL_POINTER, 0),
        })
    }

    /// Constant offset of an access in its memory.
    fn constant_offset(&self, m: &Mem) -> u32 {
        match m.place {
            Place::Buffer(_) => m.offset,
            p => m.offset.wrapping_add((self.places)(p)),
        }
    }

    /// A value in a register that 64-bit operands can name.
    pub(super) fn even(&mut self, cx: &mut Cx<'_>, u: U) -> U {
        let e = cx.temp(RE);
        match u.vreg() {
            Some(v) if u.mods == SrcMods::default() => cx.emit(MInst::copy(e, v)),
            _ => self.push(cx, op(M::MovI32).def(e).arg(u)),
        }
        Use::reg(e).mods(W0)
    }

    /// Folds the dynamic offset: `(index, shift, constant)`. Only where it is not clamped: then no step may wrap.
    fn peel(&self, cx: &Cx<'_>, dynamic: Value) -> (Value, u32, u32) {
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
        cx: &mut Cx<'_>,
        m: &Mem,
        dynamic: Option<Value>,
        range: impl Fn(i32) -> bool,
    ) -> Result<(U, u32), Diagnostic> {
        let (_, space) = self.place(m);
        let base = self.base(m, space)?;
        let mut offset = self.constant_offset(m);
        let Some(dynamic) = dynamic else {
            if range(offset as i32) {
                return Ok((base, offset));
            }
            let word = self.word(cx, offset);
            let low = self.even(cx, word);
            return Ok((self.wide_add(cx, M::IaddU64, base, low, 0), 0));
        };
        let (v, shift, constant) = self.peel(cx, dynamic);
        offset = offset.wrapping_add(constant);
        let mut index = self.int(cx, v);
        if !range(offset as i32) {
            // The high part of the offset joins the index where that is exact.
            let add = (offset as i32 >> shift) as u32;
            let rest = offset & ((1 << shift) - 1);
            let r = self.in_register(cx, index);
            let sum = with(op(M::IaddImmI32).arg(r), &[("constant", add)]);
            index = Use::reg(self.make(cx, sum));
            offset = rest;
        }
        let low = self.even(cx, index);
        let pair = match (shift, constant) {
            (0, 0) => self.wide_add(cx, M::IaddU64, base, low, 0),
            (0, _) => self.wide_add(cx, M::IaddS64, base, low, 0),
            _ => self.wide_add(cx, M::ShaddxS64, base, low, shift),
        };
        Ok((pair, offset))
    }

    fn wide_add(&mut self, cx: &mut Cx<'_>, m: M, base: U, low: U, shift: u32) -> U {
        let pair = cx.temp(R2);
        let mut i = op(m).def(pair).arg(base).arg(low);
        if shift > 0 {
            i = with(i, &[("shift", shift)]);
        }
        self.push(cx, i);
        Use::reg(pair)
    }

    fn address(&mut self, cx: &mut Cx<'_>, m: &Mem, dynamic: Option<Value>, load: bool) -> Result<Addr, Diagnostic> {
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
                Use::reg(self.make(cx, with(op(M::IaddImmI32).arg(v), &[("constant", m.offset)])))
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

    fn tags(&self, m: &Mem) -> [(&'static str, u32); 2] {
        let (number, space) = self.place(m);
        let readonly = match m.place {
            Place::Buffer(r) => space == Space::Uniform || !self.written.contains(&r),
            _ => false,
        };
        [("@space", number), ("@readonly", u32::from(readonly))]
    }

    pub(super) fn load(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
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
                    self.push(cx, op(M::MovI32).def(r).arg(Use::uniform(n)));
                }
                return Ok(());
            }
        }
        let tags = self.tags(&m);
        let addr = self.address(cx, &m, dynamic, true)?;
        let mut first = 0usize;
        for n in self.pieces(&m, dynamic.is_some(), loaded.len() as u32) {
            let n = n as usize;
            let run = if n == 1 { loaded[first] } else { cx.temp(run_class(n)) };
            let (by_address, by_handle, lane) = match bits {
                8 => (M::LoadI8, M::LdBufferI8, Some(LANE_8_WORD)),
                16 => (M::LoadI16, M::LdBufferI16, Some(LANE_16_WORD)),
                _ => (load_op(n), load_buffer_op(n), None),
            };
            let mut inst = match addr {
                Addr::Pair(base, offset) => {
                    let at = offset.wrapping_add(4 * first as u32);
                    with(op(by_address).arg(base), &[("offset", at & 0xffff)])
                }
                Addr::Handle(offset, handle) => op(by_handle).arg(offset).arg(handle),
            };
            if let Some(lane) = lane {
                inst = with(inst, &[("load_lane", lane)]);
            }
            let inst = with(with(inst, &[("unsigned", 1)]), &tags);
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
    fn words(&mut self, cx: &mut Cx<'_>, v: Value) -> Vec<U> {
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
    fn staging(&mut self, cx: &mut Cx<'_>, words: &[U]) -> VReg {
        if let [one] = words {
            return self.in_register(cx, *one);
        }
        let run = cx.temp(run_class(words.len()));
        cx.emit(MInst::collect(run, words.iter().copied()));
        run
    }

    pub(super) fn store(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Some(m) = d.mem().cloned() else { return Err(cx.unknown(i)) };
        let words = self.words(cx, d.args[0]);
        let dynamic = d.dyn_offset();
        let tags = self.tags(&m);
        let Addr::Pair(base, offset) = self.address(cx, &m, dynamic, false)? else {
            return Err(cx.unknown(i));
        };
        let mut first = 0usize;
        for n in self.pieces(&m, dynamic.is_some(), words.len() as u32) {
            let n = n as usize;
            let run = self.staging(cx, &words[first..first + n]);
            let at = offset.wrapping_add(4 * first as u32);
            let store = match cx.f.ty(d.args[0]).bits() {
                8 => M::StoreI8,
                16 => M::StoreI16,
                _ => store_op(n),
            };
            let mut inst = with(op(store).arg(run).arg(base), &[("offset", at & 0xffff)]);
            if self.is_private(&m) {
                inst = with(inst, &[("memory_access", FORCE)]);
            }
            self.push(cx, with(inst, &tags));
            first += n;
        }
        Ok(())
    }

    pub(super) fn atomic(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Some(m) = d.mem().cloned() else { return Err(cx.unknown(i)) };
        let tags = self.tags(&m);
        let wanted = cx.is_wanted(d.result());
        let (base, offset) = self.pair(cx, &m, d.dyn_offset(), |o| (0..256).contains(&o))?;
        let place = [("offset", offset)];
        let inst: MI = if d.op == Op::CmpXchg {
            let (expected, new) = (self.int(cx, d.args[0]), self.int(cx, d.args[1]));
            let run = self.staging(cx, &[new, expected]);
            with(op(M::AtomReturnI32).arg(run).arg(base), &[("atom_opc", 15), ("compare", 1)])
        } else {
            let Attr::Atomic(what, _) = d.attr else { return Err(cx.unknown(i)) };
            let constant = self.constant_bits(cx, d.args[0]);
            let by_one = match (what, constant) {
                (AtomicOp::Add, Some(1)) | (AtomicOp::Sub, Some(u32::MAX)) => Some(0),
                (AtomicOp::Add, Some(u32::MAX)) | (AtomicOp::Sub, Some(1)) => Some(1),
                (AtomicOp::UMax, Some(1)) => Some(2),
                (AtomicOp::SMax, Some(1)) => Some(3),
                (AtomicOp::Or, Some(1)) => Some(4),
                _ => None,
            };
            if let Some(opc) = by_one {
                with(op(M::Atom1ReturnI32).arg(base), &[("atom_opc", opc)])
            } else {
                let value = match (what, constant) {
                    (AtomicOp::Sub, Some(k)) => self.word(cx, k.wrapping_neg()),
                    (AtomicOp::Sub, None) => {
                        let x = self.int(cx, d.args[0]);
                        Use::reg(self.make(cx, op(M::IsubU32).imm(0).arg(x)))
                    }
                    _ => self.int(cx, d.args[0]),
                };
                let run = self.staging(cx, &[value]);
                let returns = wanted || what == AtomicOp::Exchange;
                let m = if returns { M::AtomReturnI32 } else { M::AtomI32 };
                with(op(m).arg(run).arg(base), &[("atom_opc", opcode(what))])
            }
        };
        let mut inst = with(with(inst, &place), &tags);
        if wanted || matches!(inst.target_op(), Some(crate::target::VOp::Op(M::AtomReturnI32))) {
            inst = inst.def(cx.result(i, 0)[0]);
        }
        self.push(cx, inst);
        Ok(())
    }
}

fn opcode(o: AtomicOp) -> u32 {
    match o {
        AtomicOp::Add | AtomicOp::Sub => 2,
        AtomicOp::SMin => 8,
        AtomicOp::SMax => 9,
        AtomicOp::UMin => 10,
        AtomicOp::UMax => 11,
        AtomicOp::And => 12,
        AtomicOp::Or => 13,
        AtomicOp::Xor => 14,
        AtomicOp::Exchange => 15,
    }
}

pub(crate) fn load_op(words: usize) -> M {
    [M::LoadI32, M::LoadI64, M::LoadI96, M::LoadI128][words - 1]
}

fn load_buffer_op(words: usize) -> M {
    [M::LdBufferI32, M::LdBufferI64, M::LdBufferI96, M::LdBufferI128][words - 1]
}

pub(crate) fn store_op(words: usize) -> M {
    [M::StoreI32, M::StoreI64, M::StoreI96, M::StoreI128][words - 1]
}
