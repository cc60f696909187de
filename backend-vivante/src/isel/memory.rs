//! Loads, stores and atomics.

use gpucc_ir::{AtomicOp, Attr, Diagnostic, Inst, Op, Place, Scalar, Space, Value};
use gpucc_mir::{MInst, Select, Use, VReg};
use gpucc_vivante_machine as machine;
use machine::Op as M;
use machine::{Cond, Type};

use super::{Fold, Isel, Shared};
use crate::builders as build;
use crate::inst::{If, Lanes, Local, Own, Shift, Ty, VOp, Vivante, row, run};
use crate::uniforms::Word;
use gpucc_opt::clamp_indices;

type IselCx<'f> = Select<'f, Vivante>;

/// Base, offset, shift of the offset, LOCAL, whether it is the invocation's own.
struct Address {
    base: Use<Vivante>,
    offset: Use<Vivante>,
    shift: u8,
    local: bool,
    own: bool,
}

impl Isel<'_> {
    pub(super) fn memory(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Some(mem) = d.mem().copied() else {
            return Err(Diagnostic::internal("isel", "a memory operation without a place"));
        };
        if let Some(a) = self.arrays.find(mem.place) {
            self.array_access(cx, i, a);
            return Ok(());
        }
        let dynamic = d.dyn_offset();
        if d.op == Op::Store && self.tables.at(mem.place).is_some() {
            return Ok(());
        }
        match d.op {
            Op::Load => {
                let v = d.result();
                let t = cx.f.ty(v);
                let dst = cx.result(i, 0)[0];
                if self.uniform_words(cx, v).is_some() {
                    let src = self.operand(cx, v, Fold::None);
                    cx.emit(MInst::copy(dst, src));
                    return Ok(());
                }
                let a = self.address(cx, mem.place, mem.offset, dynamic, true);
                let bool_value = t.scalar() == Scalar::B1;
                let to = if bool_value { cx.temp(if t.lanes() > 1 { run(t.lanes()) } else { row(1) }) } else { dst };
                let mods = (Ty(Type::U32), Shift(a.shift), Local(a.local));
                cx.emit(build::Load.with(mods, [a.base, a.offset]).def(to));
                if mem.flags.is_shared() {
                    // Two loads of what others write stay in order.
                    cx.emit(MInst::new(VOp::Fence));
                }
                if bool_value {
                    // In memory a boolean is a word of 0 or 1.
                    let (zero, ones) = (self.literal(0), self.literal(u32::MAX));
                    let m = (Ty(Type::U32), If(Cond::Ne));
                    cx.emit(build::Cmp.with(m, [Use::reg(to), zero, ones]).def(dst));
                }
            }
            Op::Store => {
                let v = d.args[0];
                let t = cx.f.ty(v);
                let mut value = self.operand(cx, v, Fold::None);
                if t.scalar() == Scalar::B1 {
                    let one = self.literal(1);
                    let r = cx.temp(row(t.lanes()));
                    let vector = t.lanes() == 1 || self.t.is_vector(M::And, Type::U32);
                    if vector {
                        cx.emit(build::And.with((Ty(Type::U32),), [value, one]).def(r));
                    } else {
                        let zero = self.literal(0);
                        let m = (Ty(Type::U32), If(Cond::Nz));
                        cx.emit(build::Cmp.with(m, [value, zero, one]).def(r));
                    }
                    value = Use::reg(r);
                }
                let a = self.address(cx, mem.place, mem.offset, dynamic, true);
                let lanes = Lanes(t.lanes() as u8);
                let mods = (Ty(Type::U32), Shift(a.shift), Local(a.local), lanes, Own(a.own));
                cx.emit(build::Store.with(mods, [a.base, a.offset, value]));
            }
            Op::Atomic => {
                let Attr::Atomic(op, _) = d.attr else {
                    return Err(Diagnostic::internal("isel", "an atomic without its operation"));
                };
                let value = self.operand(cx, d.args[0], Fold::None);
                let a = self.address(cx, mem.place, mem.offset, dynamic, false);
                let dst = cx.result(i, 0)[0];
                self.changed(cx, op, [a.base, a.offset, value], dst);
            }
            _ => {
                let both = d.args[..2].iter().map(|&v| self.operand(cx, v, Fold::None)).collect();
                let a = self.address(cx, mem.place, mem.offset, dynamic, false);
                let dst = cx.result(i, 0)[0];
                self.exchanged(cx, [a.base, a.offset], both, dst);
            }
        }
        Ok(())
    }

    /// A change of the word at a place, which gives the old one.
    pub(super) fn changed(
        &mut self,
        cx: &mut IselCx<'_>,
        op: AtomicOp,
        [base, offset, value]: [Use<Vivante>; 3],
        dst: VReg,
    ) {
        let (row_of, t) = match op {
            AtomicOp::Add | AtomicOp::Sub => (build::AtomicAdd, Type::U32),
            AtomicOp::And => (build::AtomicAnd, Type::U32),
            AtomicOp::Or => (build::AtomicOr, Type::U32),
            AtomicOp::Xor => (build::AtomicXor, Type::U32),
            AtomicOp::SMin => (build::AtomicMin, Type::S32),
            AtomicOp::SMax => (build::AtomicMax, Type::S32),
            AtomicOp::UMin => (build::AtomicMin, Type::U32),
            AtomicOp::UMax => (build::AtomicMax, Type::U32),
            AtomicOp::Exchange => (build::AtomicXchg, Type::U32),
        };
        let value = match (op, value.src) {
            (AtomicOp::Sub, gpucc_mir::Src::Imm(b)) => self.literal(b.wrapping_neg()),
            (AtomicOp::Sub, _) => {
                let zero = self.literal(0);
                let n = cx.temp(row(1));
                let v = value.mods(crate::inst::SrcMods { neg: true, ..value.mods });
                cx.emit(build::Add.with((Ty(Type::S32),), [zero, v]).def(n));
                Use::reg(n)
            }
            _ => value,
        };
        cx.emit(row_of.with((Ty(t),), [base, offset, value]).def(dst));
    }

    /// An exchange of the word at a place for the second of two, where it is the first.
    pub(super) fn exchanged(
        &mut self,
        cx: &mut IselCx<'_>,
        [base, offset]: [Use<Vivante>; 2],
        both: Vec<Use<Vivante>>,
        dst: VReg,
    ) {
        let pair = cx.temp(row(2));
        let part = |u: Use<Vivante>, cx: &IselCx<'_>| match u.vreg() {
            Some(r) if cx.mf.class(r) != row(1) => Use::reg(r).part(u.mods.swz[0], 1),
            Some(r) => Use::reg(r),
            None => u,
        };
        let parts: Vec<Use<Vivante>> = both.into_iter().map(|u| part(u, cx)).collect();
        cx.emit(MInst::collect(pair, parts));
        cx.emit(build::AtomicCmpXchg.with((Ty(Type::U32),), [base, offset, Use::reg(pair)]).def(dst));
    }

    /// The operands that reach a place at a constant and a dynamic offset.
    fn address(
        &mut self,
        cx: &mut IselCx<'_>,
        place: Place,
        offset: u32,
        dynamic: Option<Value>,
        shifts: bool,
    ) -> Address {
        let mut offset = offset;
        let mut local = false;
        let mut own = false;
        let base = match place {
            Place::Buffer(r) => {
                let r = &self.module.resources[r];
                self.word(Word::Address(r.group, r.binding))
            }
            place if self.tables.at(place).is_some() => {
                let at = self.tables.at(place).unwrap_or(0);
                offset = offset.wrapping_add(at);
                self.word(Word::Data)
            }
            Place::Global(g) if self.module.globals[g].space == Space::Workgroup => {
                offset = offset.wrapping_add(self.shared_offsets[g.0 as usize]);
                if self.shared == Shared::Local {
                    local = true;
                    // Both operands are added: the constant takes the place of the base.
                    let base = self.literal(offset);
                    self.local_base = offset;
                    offset = 0;
                    base
                } else {
                    Use::reg(*self.shared_base.get_or_insert_with(|| cx.temp(row(1))))
                }
            }
            Place::Global(g) => {
                offset = offset.wrapping_add(self.private_offsets[g.0 as usize]);
                own = true;
                Use::reg(*self.scratch_base.get_or_insert_with(|| cx.temp(row(1))))
            }
            Place::Local(l) => {
                offset = offset.wrapping_add(self.local_offsets[l.0 as usize]);
                own = true;
                Use::reg(*self.scratch_base.get_or_insert_with(|| cx.temp(row(1))))
            }
            // Refused before.
            Place::Address => self.literal(0),
        };
        let Some(v) = dynamic else {
            let offset = self.literal(offset);
            return Address { base, offset, shift: 0, local, own };
        };
        if local {
            // The base is a constant: it takes what is added to the offset.
            let (mut v, mut base) = (v, 0u32);
            for _ in 0..8 {
                let Some((x, k)) = plus_constant(cx.f, v) else { break };
                (v, base) = (x, base.wrapping_add(k));
            }
            let (mut x, shift) = if shifts { clamp_indices::scaled(cx.f, v).unwrap_or((v, 0)) } else { (v, 0) };
            for _ in 0..8 {
                let Some((y, k)) = plus_constant(cx.f, x).filter(|_| shift > 0) else { break };
                (x, base) = (y, base.wrapping_add(k << shift));
            }
            let more = self.local_base;
            let base = self.literal(more.wrapping_add(base));
            let x = self.operand_lane(cx, x, 0, Fold::None);
            return Address { base, offset: x, shift: shift as u8, local, own };
        }
        if let (true, Some((x, shift))) = (shifts, clamp_indices::scaled(cx.f, v))
            && offset.is_multiple_of(1 << shift)
        {
            let x = self.plus(cx, x, offset >> shift);
            return Address { base, offset: x, shift: shift as u8, local, own };
        }
        let offset = self.plus(cx, v, offset);
        Address { base, offset, shift: 0, local, own }
    }

    /// A scalar plus a constant.
    fn plus(&mut self, cx: &mut IselCx<'_>, v: Value, k: u32) -> Use<Vivante> {
        let x = self.operand_lane(cx, v, 0, Fold::None);
        if k == 0 {
            return x;
        }
        let k = self.literal(k);
        let r = cx.temp(row(1));
        cx.emit(build::Add.with((Ty(Type::S32),), [x, k]).def(r));
        Use::reg(r)
    }
}

/// `(x, k)` where `v = x + k`.
fn plus_constant(f: &gpucc_ir::Function, v: Value) -> Option<(Value, u32)> {
    let d = &f.insts[f.def_inst(v)?];
    let k = |v: Value| f.const_bits(v).map(|b| b as u32);
    match d.op {
        Op::IAdd => k(d.args[1]).map(|c| (d.args[0], c)).or_else(|| k(d.args[0]).map(|c| (d.args[1], c))),
        Op::ISub => k(d.args[1]).map(|c| (d.args[0], c.wrapping_neg())),
        _ => None,
    }
}
