//! Operands: the registers and constants of values, in the class that an instruction takes; instructions of both units.

use gpucc_gcn_machine::operand::{inline, inline32};
use gpucc_gcn_machine::{Number, Op, rows};
use gpucc_ir::{Attr, Op as Ir, Scalar, Sysval, Value};
use gpucc_mir::{Class, MInst, PReg, Reg, Src, Use, VReg};
use smallvec::SmallVec;

use super::{Isel, IselCx, bits_of};
use crate::builders as build;
use crate::forms::{has_short, mask_source};
use crate::inst::{FILE_S, FILE_V, GOp, Long, MI, S, S2, SrcMods, U, V, exec, run_class};
use crate::interface::launch_registers::BufferDescriptor;
use crate::ops::{commutes, of_halves};

impl Isel<'_> {
    /// The producer, if it is in the block that is being selected: only then may its operands be used again here.
    pub(super) fn peek<'f>(&self, cx: &IselCx<'f>, v: Value) -> Option<&'f gpucc_ir::InstData> {
        let i = cx.f.def_inst(v)?;
        (self.home[i] == Some(cx.current())).then(|| cx.peek(v))?
    }

    /// Looks through operations that change nothing in a register.
    pub(super) fn alias(&self, cx: &IselCx<'_>, mut v: Value) -> Value {
        while let Some(d) = self.peek(cx, v) {
            let f = cx.f;
            if d.op == Ir::Bitcast
                && !f.ty(v).is_vector()
                && f.ty(d.args[0]).bits() == f.ty(v).bits()
                && self.reg_banks.of(v) == self.reg_banks.of(d.args[0])
            {
                v = d.args[0];
            } else {
                break;
            }
        }
        v
    }

    /// An operand: a constant, a scalar or a vector register.
    pub(super) fn any(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        let v = self.alias(cx, v);
        if let Some(b) = bits_of(cx.f, v) {
            return Use::imm(b);
        }
        self.held(cx, v).unwrap_or_else(|| Use::reg(cx.reg(v)))
    }

    /// The scalar register that holds a value for the whole program.
    pub(super) fn held(&self, cx: &IselCx<'_>, v: Value) -> Option<U> {
        let i = cx.f.def_inst(v)?;
        let r = match (cx.data(i).op, &cx.data(i).attr) {
            (Ir::BufferLength, Attr::Res(r)) => match self.fixed.descriptor(*r) {
                BufferDescriptor::Fixed(at) => at + 2,
                BufferDescriptor::InRoot(_) => return None,
            },
            (Ir::Load, _) => *self.fixed.immediates(self.module, cx.f, i)?.first()?,
            (Ir::Extract, Attr::Lane(k)) if cx.f.def_op(cx.data(i).args[0], Ir::Load).is_some() => {
                let load = cx.f.def_inst(cx.data(i).args[0])?;
                *self.fixed.immediates(self.module, cx.f, load)?.get(usize::from(*k))?
            }
            _ => match self.reg_banks.fixed_lane(i)? {
                (Sysval::WorkgroupId, k) => self.fixed.workgroup_id[k as usize],
                (_, k) => self.fixed.num_workgroups[k as usize],
            },
        };
        Some(Use::preg(PReg::new(FILE_S, r as u16, 1)))
    }

    /// The instruction for operands like a value: on halves, or as it is.
    pub(super) fn sized(&self, cx: &IselCx<'_>, like: Value, o: Op) -> Op {
        if cx.f.ty(like).scalar() == Scalar::F16 { of_halves(o) } else { o }
    }

    /// A float operand with sign and magnitude folded.
    pub(super) fn float(&mut self, cx: &mut IselCx<'_>, mut v: Value) -> U {
        let mut m = SrcMods::default();
        let sign = 1 << (cx.f.ty(v).bits() - 1);
        while let Some(d) = self.peek(cx, v) {
            match d.op {
                Ir::FNeg => m.neg ^= !m.abs,
                Ir::FAbs => m.abs = true,
                _ => break,
            }
            v = d.args[0];
        }
        if let Some(b) = bits_of(cx.f, v) {
            let b = if m.abs { b & (sign - 1) } else { b };
            return Use::imm(if m.neg { b ^ sign } else { b });
        }
        if let Some(axis) = self.axis(cx, v) {
            return Use::reg(axis).mods(SrcMods { abs: true, ..m });
        }
        self.any(cx, v).mods(m)
    }

    /// The register of the longest axis of a direction, of which the value is the magnitude.
    fn axis(&mut self, cx: &mut IselCx<'_>, v: Value) -> Option<VReg> {
        let d = self.peek(cx, v).filter(|d| d.op == Ir::Extract && matches!(d.attr, Attr::Lane(2)))?;
        let coords = d.args[0];
        cx.f.def_op(coords, Ir::CubeCoords)?;
        // Its instruction must be there.
        cx.regs(coords);
        if self.axes[coords].is_none() {
            self.axes[coords] = cx.temp(V);
        }
        Some(self.axes[coords])
    }

    pub(super) fn is_vector_reg(&self, cx: &IselCx<'_>, u: &U) -> bool {
        match u.src {
            Src::Reg(Reg::V(r)) => cx.mf.class(r).0 >= V.0,
            Src::Reg(Reg::P(p)) => p.file == FILE_V,
            _ => false,
        }
    }

    /// Whether an operand of an instruction is a constant that needs no literal.
    fn is_inline(&self, o: Op, u: &U) -> bool {
        let number = rows::of(o).map_or(Number::U32, |r| r.attrs.number);
        matches!(u.src, Src::Imm(b) if inline(b, number, self.generation).is_some())
    }

    /// The operand in a vector register, its modifiers kept.
    pub(super) fn in_vector(&mut self, cx: &mut IselCx<'_>, u: U) -> U {
        if self.is_vector_reg(cx, &u) {
            return u;
        }
        let t = cx.temp(V);
        cx.emit(build::VMovB32.on([Use::new(u.src)]).def(t));
        Use::reg(t).mods(u.mods)
    }

    /// The vector register of a value.
    pub(super) fn vector(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        let u = self.any(cx, v);
        self.in_vector(cx, u)
    }

    /// Emits a vector instruction after moving operands that break its limits: one scalar or literal in all, literals and
    /// scalars only where the form has room.
    pub(super) fn valu(&mut self, cx: &mut IselCx<'_>, mut i: MI) {
        let n = i.uses.len();
        let Some(GOp::I(o)) = i.target_op() else { return cx.emit(i) };
        let mods = i.uses.iter().any(|u| u.mods != SrcMods::default()) || i.mods.clamp;
        let mask = mask_source(o);
        let short = has_short(o, self.generation) && !mods && !i.mods.long;
        if n >= 2 && short && !self.is_vector_reg(cx, &i.uses[1]) && self.is_vector_reg(cx, &i.uses[0]) && commutes(o) {
            i.uses.swap(0, 1);
        }
        // The short form takes anything first and a vector register second; the long form one scalar anywhere.
        let fits_short = short && (n < 2 || self.is_vector_reg(cx, &i.uses[1]));
        let mut scalars: SmallVec<[Src; 2]> = SmallVec::new();
        for k in (0..n).rev() {
            let u = i.uses[k];
            if self.is_vector_reg(cx, &u) || self.is_inline(o, &u) {
                continue;
            }
            let is_mask = mask == Some(k);
            let literal = matches!(u.src, Src::Imm(_));
            let room = scalars.is_empty() || scalars.contains(&u.src);
            if is_mask || room && (!literal || fits_short && k == 0) {
                scalars.push(u.src);
                continue;
            }
            let alone = |(j, w): (usize, &U)| j == k || self.is_vector_reg(cx, w) || self.is_inline(o, w);
            if literal && scalars.is_empty() && i.uses.iter().enumerate().all(alone) {
                // Put into a scalar register it is there for all of the block.
                let t = cx.temp(S);
                let put = self.shared(build::SMovB32.on([Use::new(u.src)]));
                cx.emit(put.def(t));
                i.uses[k] = Use::reg(t).mods(u.mods);
                scalars.push(i.uses[k].src);
                continue;
            }
            i.uses[k] = self.in_vector(cx, u);
        }
        cx.emit(i);
    }

    /// Puts an operand into a vector register: a copy, if it is in one already, that allocation can do without.
    pub(super) fn set(&mut self, cx: &mut IselCx<'_>, r: VReg, x: U) {
        if self.is_vector_reg(cx, &x) && x.vreg().is_some() && x.mods == SrcMods::default() {
            cx.emit(MInst::copy(r, x));
        } else {
            self.valu(cx, build::VMovB32.on([x]).def(r));
        }
    }

    pub(super) fn make_v(&mut self, cx: &mut IselCx<'_>, i: MI) -> VReg {
        let t = cx.temp(V);
        self.valu(cx, i.def(t));
        t
    }

    /// Emits a scalar instruction; at most one literal.
    pub(super) fn salu(&mut self, cx: &mut IselCx<'_>, mut i: MI) {
        let n = i.uses.len();
        self.one_literal(cx, &mut i, 0..n);
        cx.emit(i);
    }

    /// Leaves at most one literal among some of the uses.
    pub(super) fn one_literal(&mut self, cx: &mut IselCx<'_>, i: &mut MI, uses: core::ops::Range<usize>) {
        let mut literal = None;
        for k in uses {
            let Src::Imm(b) = i.uses[k].src else { continue };
            if inline32(b, self.generation).is_some() || literal == Some(b) {
                continue;
            }
            if literal.is_none() {
                literal = Some(b);
                continue;
            }
            let t = cx.temp(S);
            cx.emit(build::SMovB32.on([Use::imm(b)]).def(t));
            i.uses[k] = Use::reg(t);
        }
    }

    /// A boolean as a lane mask.
    pub(super) fn mask(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        if let Some(b) = bits_of(cx.f, v) {
            let t = cx.temp(S2);
            cx.emit(build::SMovB64.on([if b != 0 { exec() } else { Use::imm(0) }]).def(t));
            return Use::reg(t);
        }
        if cx.f.is_undef(v) {
            let t = cx.temp(S2);
            cx.emit(build::SMovB64.on([Use::imm(0)]).def(t));
            return Use::reg(t);
        }
        let r = cx.reg(v);
        if cx.mf.class(r) == S2 {
            return Use::reg(r);
        }
        let t = cx.temp(S2);
        self.valu(cx, build::VCmpNeU32.with((Long(true),), [Use::imm(0), r.into()]).def(t));
        Use::reg(t)
    }

    /// Puts a mask where a boolean result is wanted.
    pub(super) fn set_bool(
        &mut self,
        cx: &mut IselCx<'_>,
        out: VReg,
        make: impl FnOnce(&mut Self, &mut IselCx<'_>, VReg),
    ) {
        if cx.mf.class(out) == S2 {
            make(self, cx, out);
            return;
        }
        let t = cx.temp(S2);
        make(self, cx, t);
        self.zero_or_one(cx, out, Use::reg(t));
    }

    /// The register, or a copy of it in this class.
    pub(super) fn like(&mut self, cx: &mut IselCx<'_>, r: VReg, class: Class) -> VReg {
        if cx.mf.class(r) == class {
            return r;
        }
        let t = cx.temp(class);
        cx.emit(MInst::copy(t, r));
        t
    }

    /// 1 for the lanes of a mask, 0 for others.
    pub(super) fn zero_or_one(&mut self, cx: &mut IselCx<'_>, out: VReg, mask: U) {
        self.valu(cx, build::VCndmaskB32.with((Long(true),), [Use::imm(0), Use::imm(1), mask]).def(out));
    }

    /// The vector registers of a value that is loaded or stored, one a lane.
    pub(super) fn run(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        let lanes = cx.f.ty(v).lanes() as usize;
        if lanes == 1 {
            if cx.f.ty(v).is_bool() {
                let m = self.mask(cx, v);
                let t = cx.temp(V);
                self.zero_or_one(cx, t, m);
                return Use::reg(t);
            }
            return self.vector(cx, v);
        }
        let regs = cx.regs(v);
        let whole = cx.temp(run_class(lanes));
        let mut parts = Vec::new();
        for r in regs {
            parts.push(self.in_vector(cx, Use::reg(r)));
        }
        cx.emit(MInst::collect(whole, parts));
        Use::reg(whole)
    }
}
