//! Loads, stores, atomics: buffers through their descriptors, workgroup memory, scratch. What has an address is in `address`.

use gpucc_gcn_machine::Op;
use gpucc_ir::{AtomicOp, Attr, Diagnostic, Inst, Mem, Place, Res, Space, Value};
use gpucc_mir::{MInst, PReg, Src, Use, VReg};

use super::{Isel, IselCx};
use crate::builders as build;
use crate::inst::{
    Beyond, FILE_S, Glc, IN_OPERAND, Long, MI, Offen, Offset, Past, Readonly, S, S2, S4, Sbase, Soffset, Srsrc, U, V,
    V2, op, run_class, with,
};
use crate::interface::launch_registers::{BufferDescriptor, ROOT};

/// Largest immediate offset of a buffer instruction.
const BUFFER_OFFSET: u32 = 4095;

impl Isel<'_> {
    /// Byte address in a vector register, and what is left for the immediate.
    fn address(
        &mut self,
        cx: &mut IselCx<'_>,
        m: &Mem,
        dynamic: Option<Value>,
        base: u32,
        limit: u32,
    ) -> (Option<U>, u32) {
        let offset = m.offset.wrapping_add(base);
        match dynamic {
            None if offset <= limit => (None, offset),
            None => {
                let t = cx.temp(V);
                cx.emit(build::VMovB32.on([Use::imm(offset)]).def(t));
                (Some(Use::reg(t)), 0)
            }
            Some(v) if offset <= limit => (Some(self.address_register(cx, v)), offset),
            Some(v) => {
                let x = self.address_register(cx, v);
                let t = cx.temp(V);
                self.add(cx, t, Use::imm(offset), x);
                (Some(Use::reg(t)), 0)
            }
        }
    }

    /// An address in a vector register. Neighbours have the same one: a scalar's copy is made once.
    fn address_register(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        let u = self.any(cx, v);
        if self.is_vector_reg(cx, &u) {
            return u;
        }
        let t = cx.temp(V);
        let put = self.shared(build::VMovB32.on([u]));
        cx.emit(put.def(t));
        Use::reg(t)
    }

    pub(super) fn load(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Attr::Mem(m) = d.attr else { return Err(cx.unknown(i)) };
        let ty = cx.f.ty(d.result());
        let out = cx.result(i, 0);
        let dynamic = d.dyn_offset();
        if let (Place::Address, Some(at)) = (m.place, dynamic) {
            self.load_at(cx, &m, at, ty, &out);
            return Ok(());
        }
        if ty.is_bool() && !ty.is_vector() {
            let t = cx.temp(V);
            self.load_words(cx, &m, dynamic, &[t]);
            if cx.mf.class(out[0]) == S2 {
                self.valu(cx, build::VCmpNeU32.with((Long(true),), [Use::imm(0), t.into()]).def(out[0]));
            } else {
                cx.emit(MInst::copy(out[0], t));
            }
            return Ok(());
        }
        if let Some(words) = self.fixed.immediates(self.module, cx.f, i) {
            for (&r, &word) in out.iter().zip(&words) {
                let o = if cx.mf.class(r) == S { Op::SMovB32 } else { Op::VMovB32 };
                cx.emit(op(o).def(r).arg(Use::preg(PReg::new(FILE_S, word as u16, 1))));
            }
            return Ok(());
        }
        if self.reg_banks.scalar_load(i) {
            self.scalar_words(cx, &m, dynamic, &out);
            return Ok(());
        }
        if ty.bits() < 32 && !ty.is_bool() {
            return self.load_part(cx, i, &m, (dynamic, ty.bits()), out[0]);
        }
        self.load_words(cx, &m, dynamic, &out);
        Ok(())
    }

    /// Loads constant memory at an address that all lanes share.
    fn scalar_words(&mut self, cx: &mut IselCx<'_>, m: &Mem, dynamic: Option<Value>, out: &[VReg]) {
        let Place::Buffer(r) = m.place else { return };
        let (o, class) = match out.len() {
            1 => (Op::SBufferLoadDword, S),
            2 => (Op::SBufferLoadDwordx2, S2),
            _ => (Op::SBufferLoadDwordx4, S4),
        };
        let words = [1, 2, 4, 4][out.len() - 1];
        let at = dynamic.map_or(Use::imm(0), |v| self.any(cx, v));
        // The field counts bytes on gfx8 and words before.
        let (field, unit) = if self.generation == 2 { (0xfffff, 1) } else { (0xff, 4) };
        let (offset, register, past) = match at.src {
            Src::Imm(k) if k.wrapping_add(m.offset) / unit <= field => (k.wrapping_add(m.offset) / unit, None, 0),
            Src::Imm(k) => {
                let t = cx.temp(S);
                cx.emit(build::SMovB32.on([Use::imm(k.wrapping_add(m.offset))]).def(t));
                (0, Some(Use::reg(t)), 0)
            }
            _ if m.offset == 0 => (0, Some(at), 0),
            _ => {
                let t = cx.temp(S);
                cx.emit(build::SAddU32.on([at, Use::imm(m.offset)]).def(t));
                (0, Some(Use::reg(t)), m.offset)
            }
        };
        let whole = out.len() == 1 && cx.mf.class(out[0]) == S;
        let run = if whole { out[0] } else { cx.temp(class) };
        let (base, table) = match self.fixed.descriptor(r) {
            BufferDescriptor::Fixed(at) => (Sbase(at as u8 / 2), None),
            BufferDescriptor::InRoot(at) => {
                (Sbase(IN_OPERAND), Some(Use::reg(self.preloaded_descriptor(cx, ROOT, at, S4))))
            }
        };
        let i = op(o).def(run).args(table).args(register);
        let size = self.module.place_size(cx.f, m.place).unwrap_or(0);
        let end = m.offset.saturating_add(4 * words);
        let beyond = if dynamic.is_none() { (size.saturating_sub(end) / 4).min(16) } else { 0 };
        cx.emit(with(i, (base, Offset(offset), Readonly(true), Beyond(beyond as u8), Past(past))));
        if whole {
            return;
        }
        if out.iter().all(|&r| cx.mf.class(r) == S) {
            let mut parts = out.to_vec();
            parts.extend((out.len()..words as usize).map(|_| cx.temp(S)));
            cx.emit(MInst::split(&parts, run));
            return;
        }
        for (k, &r) in out.iter().enumerate() {
            let part = Use::reg(run);
            let part = if words > 1 { part.part(k as u8, 1) } else { part };
            cx.emit(build::VMovB32.on([part]).def(r));
        }
    }

    /// Loads 8 or 16 bits with zeros above.
    fn load_part(
        &mut self,
        cx: &mut IselCx<'_>,
        i: Inst,
        m: &Mem,
        (dynamic, bits): (Option<Value>, u32),
        out: VReg,
    ) -> Result<(), Diagnostic> {
        match m.place {
            Place::Buffer(r) => {
                let (a, offset) = self.address(cx, m, dynamic, 0, BUFFER_OFFSET);
                let o = if bits == 8 { Op::BufferLoadUbyte } else { Op::BufferLoadUshort };
                let load = self.load_of_buffer(cx, op(o).def(out), r, m, (a, offset));
                cx.emit(load);
            }
            p if self.module.space(p) == Space::Workgroup => {
                let base = (self.places)(p);
                let (a, offset) = self.address(cx, m, dynamic, base, 65535 - 16);
                let a = self.lds_address(cx, a);
                let o = if bits == 8 { Op::DsReadU8 } else { Op::DsReadU16 };
                cx.emit(with(op(o).def(out).arg(a), (Offset(offset),)));
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }

    /// Stores the low 8 or 16 bits of a register.
    fn store_part(
        &mut self,
        cx: &mut IselCx<'_>,
        i: Inst,
        m: &Mem,
        dynamic: Option<Value>,
        value: Value,
    ) -> Result<(), Diagnostic> {
        let byte = cx.f.ty(value).bits() == 8;
        match m.place {
            Place::Buffer(r) => {
                let (a, offset) = self.address(cx, m, dynamic, 0, BUFFER_OFFSET);
                let data = self.run(cx, value);
                let o = if byte { Op::BufferStoreByte } else { Op::BufferStoreShort };
                let store = self.at_buffer(cx, op(o).arg(data), r, m, (a, offset));
                cx.emit(store);
            }
            p if self.module.space(p) == Space::Workgroup => {
                let base = (self.places)(p);
                let (a, offset) = self.address(cx, m, dynamic, base, 65535 - 16);
                let data = self.run(cx, value);
                let a = self.lds_address(cx, a);
                let o = if byte { Op::DsWriteB8 } else { Op::DsWriteB16 };
                cx.emit(with(op(o).arg(a).arg(data), (Offset(offset),)));
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }

    /// Where a buffer's descriptor is: fixed registers, or an operand behind all others.
    fn table(&mut self, cx: &mut IselCx<'_>, r: Res) -> (Srsrc, Option<U>) {
        match self.fixed.descriptor(r) {
            BufferDescriptor::Fixed(at) => (Srsrc(at as u8 / 4), None),
            BufferDescriptor::InRoot(at) => {
                (Srsrc(IN_OPERAND), Some(Use::reg(self.preloaded_descriptor(cx, ROOT, at, S4))))
            }
        }
    }

    /// An access to a buffer with its address, its descriptor and its fields.
    fn at_buffer(&mut self, cx: &mut IselCx<'_>, i: MI, r: Res, m: &Mem, (a, offset): (Option<U>, u32)) -> MI {
        let (srsrc, table) = self.table(cx, r);
        let mods = (srsrc, Offen(a.is_some()), Offset(offset), Glc(m.flags.is_shared()));
        with(i.args(a).args(table), mods)
    }

    /// The same of a load.
    fn load_of_buffer(&mut self, cx: &mut IselCx<'_>, i: MI, r: Res, m: &Mem, at: (Option<U>, u32)) -> MI {
        let never = !self.module.resources[r].kind.is_writable();
        with(self.at_buffer(cx, i, r, m, at), (Readonly(never),))
    }

    /// Loads words into vector registers.
    fn load_words(&mut self, cx: &mut IselCx<'_>, m: &Mem, dynamic: Option<Value>, out: &[VReg]) {
        let lanes = out.len();
        match m.place {
            Place::Buffer(r) => {
                let (a, offset) = self.address(cx, m, dynamic, 0, BUFFER_OFFSET);
                let (o, n) = match lanes {
                    1 => (Op::BufferLoadDword, 1),
                    2 => (Op::BufferLoadDwordx2, 2),
                    3 if self.generation > 0 => (Op::BufferLoadDwordx3, 3),
                    _ => (Op::BufferLoadDwordx4, 4),
                };
                let run = if n == 1 { out[0] } else { cx.temp(run_class(n)) };
                let load = self.load_of_buffer(cx, op(o).def(run), r, m, (a, offset));
                cx.emit(load);
                if n > 1 {
                    let mut parts = out.to_vec();
                    parts.extend((lanes..n).map(|_| cx.temp(V)));
                    cx.emit(MInst::split(&parts, run));
                }
            }
            p if self.module.space(p) == Space::Workgroup => {
                let base = (self.places)(p);
                let (a, offset) = self.address(cx, m, dynamic, base, 65535 - 16);
                let a = self.lds_address(cx, a);
                let mut k = 0;
                while k < out.len() {
                    let at = offset + 4 * k as u32;
                    if k + 3 < out.len() && fits_pairs(m, base, at) {
                        let four = cx.temp(run_class(4));
                        cx.emit(with(op(Op::DsRead2B64).def(four).arg(a), (Offset(at / 8),)));
                        cx.emit(MInst::split(&out[k..k + 4], four));
                        k += 4;
                    } else if k + 1 < out.len() && fits_read2_offsets(at) {
                        let pair = cx.temp(V2);
                        let i = build::DsRead2B32.on([a]).def(pair);
                        cx.emit(with(i, (Offset(at / 4),)));
                        cx.emit(MInst::split(&out[k..k + 2], pair));
                        k += 2;
                    } else {
                        cx.emit(build::DsReadB32.with((Offset(at),), [a]).def(out[k]));
                        k += 1;
                    }
                }
            }
            p if self.tables.at(p).is_some() => {
                let base = self.tables.at(p).unwrap_or(0);
                let (a, offset) = self.address(cx, m, dynamic, base, BUFFER_OFFSET - 16);
                for (k, &r) in out.iter().enumerate() {
                    let i = build::BufferLoadDword.on([]).def(r).args(a);
                    let table = Srsrc(self.fixed.tables as u8 / 4);
                    cx.emit(with(i, (table, Offen(a.is_some()), Offset(offset + 4 * k as u32), Readonly(true))));
                }
            }
            p => {
                let base = (self.places)(p);
                let (a, offset) = self.address(cx, m, dynamic, base, BUFFER_OFFSET - 16);
                for (k, &r) in out.iter().enumerate() {
                    let i = build::BufferLoadDword.on([]).def(r).args(a);
                    cx.emit(with(i, self.scratch(a.is_some(), offset + 4 * k as u32)));
                }
            }
        }
    }

    fn scratch(&self, offen: bool, offset: u32) -> (Srsrc, Soffset, Offen, Offset) {
        let register = self.fixed.scratch_offset.unwrap_or(0) as u8;
        (Srsrc(self.fixed.scratch as u8 / 4), Soffset(register), Offen(offen), Offset(offset))
    }

    fn lds_address(&mut self, cx: &mut IselCx<'_>, a: Option<U>) -> U {
        a.unwrap_or_else(|| {
            let t = cx.temp(V);
            cx.emit(build::VMovB32.on([Use::imm(0)]).def(t));
            Use::reg(t)
        })
    }

    pub(super) fn store(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Attr::Mem(m) = d.attr else { return Err(cx.unknown(i)) };
        let ty = cx.f.ty(d.args[0]);
        let lanes = ty.lanes() as usize;
        let dynamic = d.dyn_offset();
        if let (Place::Address, Some(at)) = (m.place, dynamic) {
            self.store_at(cx, &m, at, d.args[0]);
            return Ok(());
        }
        if ty.bits() < 32 && !ty.is_bool() {
            return self.store_part(cx, i, &m, dynamic, d.args[0]);
        }
        match m.place {
            Place::Buffer(r) => {
                let (a, offset) = self.address(cx, &m, dynamic, 0, BUFFER_OFFSET - 16);
                let list: Vec<(Op, u32)> = match lanes {
                    1 => vec![(Op::BufferStoreDword, 0)],
                    2 => vec![(Op::BufferStoreDwordx2, 0)],
                    3 if self.generation > 0 => vec![(Op::BufferStoreDwordx3, 0)],
                    3 => vec![],
                    _ => vec![(Op::BufferStoreDwordx4, 0)],
                };
                if list.is_empty() {
                    // gfx6 has no store of three words.
                    let regs = cx.regs(d.args[0]);
                    for (k, word) in regs.into_iter().enumerate() {
                        let data = self.in_vector(cx, Use::reg(word));
                        let i = op(Op::BufferStoreDword).arg(data);
                        let store = self.at_buffer(cx, i, r, &m, (a, offset + 4 * k as u32));
                        cx.emit(store);
                    }
                    return Ok(());
                }
                let data = self.run(cx, d.args[0]);
                let store = self.at_buffer(cx, op(list[0].0).arg(data), r, &m, (a, offset));
                cx.emit(store);
            }
            p if self.tables.at(p).is_some() => {}
            p => {
                let lds = self.module.space(p) == Space::Workgroup;
                let base = (self.places)(p);
                let limit = if lds { 65535 - 16 } else { BUFFER_OFFSET - 16 };
                let (a, offset) = self.address(cx, &m, dynamic, base, limit);
                let words: Vec<U> = if lanes == 1 {
                    vec![self.run(cx, d.args[0])]
                } else {
                    let regs = cx.regs(d.args[0]);
                    regs.into_iter().map(|r| self.in_vector(cx, Use::reg(r))).collect()
                };
                let address = if lds { Some(self.lds_address(cx, a)) } else { a };
                let mut k = 0;
                while k < words.len() {
                    let (at, data) = (offset + 4 * k as u32, words[k]);
                    k += 1;
                    if lds {
                        let Some(a) = address else { continue };
                        if k + 2 < words.len() && fits_pairs(&m, base, at) {
                            let mut i = op(Op::DsWrite2B64).arg(a);
                            for pair in words[k - 1..k + 3].chunks(2) {
                                let t = cx.temp(V2);
                                cx.emit(MInst::collect(t, pair.to_vec()));
                                i = i.arg(Use::reg(t));
                            }
                            cx.emit(with(i, (Offset(at / 8),)));
                            k += 3;
                            continue;
                        }
                        if k < words.len() && fits_read2_offsets(at) {
                            let i = build::DsWrite2B32.on([a, data, words[k]]);
                            cx.emit(with(i, (Offset(at / 4),)));
                            k += 1;
                            continue;
                        }
                        cx.emit(build::DsWriteB32.with((Offset(at),), [a, data]));
                    } else {
                        let mods = self.scratch(a.is_some(), at);
                        cx.emit(build::BufferStoreDword.with(mods, [data]).args(a));
                    }
                }
            }
        }
        Ok(())
    }

    /// What an atomic on a buffer takes, in one run: the new value, then the one expected. Gives its registers, too.
    fn data_of_atomic(&mut self, cx: &mut IselCx<'_>, i: Inst) -> (U, usize) {
        let d = cx.data(i);
        let values = if d.op == gpucc_ir::Op::CmpXchg { vec![d.args[1], d.args[0]] } else { vec![d.args[0]] };
        let mut words: Vec<U> = Vec::new();
        for v in values {
            if cx.f.ty(v).is_vector() {
                let regs = cx.regs(v);
                words.extend(regs.into_iter().map(|r| self.in_vector(cx, Use::reg(r))).collect::<Vec<_>>());
            } else {
                words.push(self.vector(cx, v));
            }
        }
        if let [one] = words[..] {
            return (one, 1);
        }
        let (n, run) = (words.len(), cx.temp(run_class(words.len())));
        cx.emit(MInst::collect(run, words));
        (Use::reg(run), n)
    }

    pub(super) fn atomic(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Some(m) = d.mem().cloned() else { return Err(cx.unknown(i)) };
        let kind = match d.attr {
            Attr::Atomic(k, _) => Some(k),
            _ => None,
        };
        let dynamic = d.dyn_offset();
        let wanted = cx.is_used(d.result());
        let out = cx.result(i, 0).to_vec();
        let wide = out.len() == 2;
        match m.place {
            Place::Address => {
                let Some(at) = dynamic else { return Err(cx.unknown(i)) };
                let data = self.data_of_atomic(cx, i);
                let out = if wanted { &out[..] } else { &[] };
                self.atomic_at(cx, &m, at, (kind, wide), data, out);
            }
            Place::Buffer(r) => {
                let (a, offset) = self.address(cx, &m, dynamic, 0, BUFFER_OFFSET);
                let (data, n) = self.data_of_atomic(cx, i);
                let result = if n == 1 { out[0] } else { cx.temp(run_class(n)) };
                let def = gpucc_mir::Def::reg(result).tied(0);
                let inst = op(buffer_atomic(kind, wide)).def(def).arg(data);
                let inst = self.at_buffer(cx, inst, r, &m, (a, offset));
                cx.emit(with(inst, (Glc(wanted),)));
                self.split_off(cx, &out, (result, n));
            }
            p if self.module.space(p) == Space::Workgroup => {
                let base = (self.places)(p);
                let (a, offset) = self.address(cx, &m, dynamic, base, 65535 - 16);
                let a = self.lds_address(cx, a);
                let result = if wide { cx.temp(V2) } else { out[0] };
                let (x, y) = (d.args[0], d.args.get(1).copied().filter(|_| kind.is_none()));
                let mut inst = op(lds_atomic(kind, wide)).def(result).arg(a).arg(self.run(cx, x));
                if let Some(y) = y {
                    inst = inst.arg(self.run(cx, y));
                }
                cx.emit(with(inst, (Offset(offset),)));
                if wide {
                    cx.emit(MInst::split(&out, result));
                }
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }

    /// The first registers of a run of `n` go to `out`.
    pub(super) fn split_off(&mut self, cx: &mut IselCx<'_>, out: &[VReg], (run, n): (VReg, usize)) {
        if n > 1 {
            let mut parts = out.to_vec();
            parts.extend((out.len()..n).map(|_| cx.temp(V)));
            cx.emit(MInst::split(&parts, run));
        }
    }
}

/// Whether two accesses of eight bytes fit that lie one behind the other: their places count in that unit, and what is accessed is aligned
/// to it.
fn fits_pairs(m: &Mem, base: u32, at: u32) -> bool {
    m.align >= 8 && base.is_multiple_of(8) && at.is_multiple_of(8) && at / 8 < 255
}

/// Whether two words of workgroup memory from this offset can be named by one instruction.
fn fits_read2_offsets(at: u32) -> bool {
    at.is_multiple_of(4) && at / 4 < 255
}

/// An atomic on a buffer: none is an exchange that compares. A wide one is of two words.
pub(super) fn buffer_atomic(k: Option<AtomicOp>, wide: bool) -> Op {
    let (one, two) = match k {
        None => (Op::BufferAtomicCmpswap, Op::BufferAtomicCmpswapX2),
        Some(AtomicOp::Add) => (Op::BufferAtomicAdd, Op::BufferAtomicAddX2),
        Some(AtomicOp::Sub) => (Op::BufferAtomicSub, Op::BufferAtomicSubX2),
        Some(AtomicOp::And) => (Op::BufferAtomicAnd, Op::BufferAtomicAndX2),
        Some(AtomicOp::Or) => (Op::BufferAtomicOr, Op::BufferAtomicOrX2),
        Some(AtomicOp::Xor) => (Op::BufferAtomicXor, Op::BufferAtomicXorX2),
        Some(AtomicOp::SMin) => (Op::BufferAtomicSmin, Op::BufferAtomicSminX2),
        Some(AtomicOp::SMax) => (Op::BufferAtomicSmax, Op::BufferAtomicSmaxX2),
        Some(AtomicOp::UMin) => (Op::BufferAtomicUmin, Op::BufferAtomicUminX2),
        Some(AtomicOp::UMax) => (Op::BufferAtomicUmax, Op::BufferAtomicUmaxX2),
        Some(AtomicOp::Exchange) => (Op::BufferAtomicSwap, Op::BufferAtomicSwapX2),
    };
    if wide { two } else { one }
}

/// The same of workgroup memory.
fn lds_atomic(k: Option<AtomicOp>, wide: bool) -> Op {
    let (one, two) = match k {
        None => (Op::DsCmpstRtnB32, Op::DsCmpstRtnB64),
        Some(AtomicOp::Add) => (Op::DsAddRtnU32, Op::DsAddRtnU64),
        Some(AtomicOp::Sub) => (Op::DsSubRtnU32, Op::DsSubRtnU64),
        Some(AtomicOp::And) => (Op::DsAndRtnB32, Op::DsAndRtnB64),
        Some(AtomicOp::Or) => (Op::DsOrRtnB32, Op::DsOrRtnB64),
        Some(AtomicOp::Xor) => (Op::DsXorRtnB32, Op::DsXorRtnB64),
        Some(AtomicOp::SMin) => (Op::DsMinRtnI32, Op::DsMinRtnI64),
        Some(AtomicOp::SMax) => (Op::DsMaxRtnI32, Op::DsMaxRtnI64),
        Some(AtomicOp::UMin) => (Op::DsMinRtnU32, Op::DsMinRtnU64),
        Some(AtomicOp::UMax) => (Op::DsMaxRtnU32, Op::DsMaxRtnU64),
        Some(AtomicOp::Exchange) => (Op::DsWrxchgRtnB32, Op::DsWrxchgRtnB64),
    };
    if wide { two } else { one }
}
