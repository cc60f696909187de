//! Selects inputs and outputs of vertex and fragment programs (`docs/abi-vivante.md` 11): inputs in temporaries, the position in t0,
//! facing in i0, derivatives, discards, outputs that are in fixed registers at the end of the program.

use gpucc_ir::{Attr, Axis, Deriv, Diagnostic, Inst, IoAt, IoSlot, Op, Sysval, Value};
use gpucc_mir::{Def, MInst, PReg, Pseudo, Use, VReg};
use gpucc_pipeline::{FrontFace, VertexFormat};
use gpucc_vivante_machine as machine;
use machine::{Cond, Type};

use super::alu::IselCx;
use super::operand::leading;
use super::{Fold, Isel};
use crate::builders as build;
use crate::colours::{Colour, colour_register, colours};
use crate::inst::{FILE, INTERNAL, If, SrcMods, Ty, VOp, Vivante, from_x, row};
use crate::uniforms::Word;

impl Isel<'_> {
    fn slots(&self) -> (&[IoSlot], &[IoSlot]) {
        self.module.entries[0].interface().map_or((&[], &[]), |i| (&i.inputs, &i.outputs))
    }

    /// An attribute or a varying.
    pub(super) fn input(&mut self, cx: &mut IselCx<'_>, i: Inst, n: u16) -> Result<(), Diagnostic> {
        let dst = cx.result(i, 0)[0];
        let lanes = cx.f.ty(cx.data(i).result()).lanes();
        let Some(at) = self.input_registers.get(usize::from(n)).copied().flatten() else { return Err(cx.unknown(i)) };
        // Blue is first in memory.
        let format = self.pipeline.filter(|_| self.vertex).and_then(|p| {
            let IoAt::Location { number, .. } = self.slots().0.get(usize::from(n))?.at else { return None };
            Some(p.attribute(number.into())?.2.format)
        });
        let is_bgra = format == Some(VertexFormat::Unorm8x4Bgra);
        let v = match self.inputs.iter().find(|x| x.0 == n) {
            Some(x) => x.2,
            None => {
                let v = cx.temp(row(if is_bgra { 4 } else { lanes }));
                self.inputs.push((n, at, v));
                v
            }
        };
        if is_bgra {
            cx.emit(build::Mov.on([Use::reg(v).mods(SrcMods::swizzle([2, 1, 0, 3]))]).def(dst));
        } else {
            cx.emit(MInst::copy(dst, v));
        }
        Ok(())
    }

    /// Definitions of what the hardware loads.
    pub(super) fn stage_start(&mut self, cx: &mut IselCx<'_>) {
        let mut start = MInst::pseudo(Pseudo::Start);
        for &(_, at, v) in &self.inputs {
            let lanes = crate::inst::components(cx.mf.class(v));
            start.defs.push(Def::reg(v).at(PReg::new(FILE, at * 4, lanes as u16)));
        }
        for (k, id) in self.numbers.iter().enumerate() {
            if let Some(v) = id {
                start.defs.push(Def::reg(*v).at(PReg::new(FILE, self.id_register * 4 + k as u16, 1)));
            }
        }
        if !start.defs.is_empty() {
            cx.emit(start);
        }
    }

    /// A system value of a vertex or a fragment.
    pub(super) fn stage_sysval(&mut self, cx: &mut IselCx<'_>, i: Inst, s: Sysval) -> Result<(), Diagnostic> {
        let dst: VReg = cx.result(i, 0)[0];
        match s {
            Sysval::VertexIndex | Sysval::RawInstanceIndex => {
                let k = usize::from(s == Sysval::RawInstanceIndex);
                let v = *self.numbers[k].get_or_insert_with(|| cx.temp(row(1)));
                cx.emit(MInst::copy(dst, v));
            }
            Sysval::FirstVertex | Sysval::FirstInstance => {
                let w = self.word(Word::First((s == Sysval::FirstInstance).into()));
                cx.emit(MInst::copy(dst, w));
            }
            Sysval::FragCoord => {
                cx.emit(build::Mov.on([Use::preg(PReg::new(FILE, 0, 4))]).def(dst));
            }
            Sysval::FragInvW => {
                let w = Use::preg(PReg::new(FILE, 0, 4)).mods(SrcMods::broadcast(3));
                cx.emit(build::Mov.on([w]).def(dst));
            }
            Sysval::FrontFacing => {
                let (facing, cond) = self.front();
                let (zero, ones) = (self.literal(0), self.literal(u32::MAX));
                cx.emit(build::Cmp.with((Ty(Type::F32), If(cond)), [facing, zero, ones]).def(dst));
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }

    /// The register that is not zero where corners go clockwise, and how it compares with zero for what is in front.
    fn front(&self) -> (Use<Vivante>, Cond) {
        let clockwise = self.pipeline.is_some_and(|p| p.front_face == FrontFace::Cw);
        let facing = Use::preg(PReg::new(INTERNAL, 0, 1)).mods(SrcMods::broadcast(0));
        (facing, if clockwise { Cond::Ne } else { Cond::Eq })
    }

    /// The same for a condition that is whether this is in front, in all lanes.
    pub(super) fn facing(&self, cx: &IselCx<'_>, c: Value) -> Option<(Use<Vivante>, Cond)> {
        let c = cx.f.def_op(c, Op::Splat).map_or(c, |d| d.args[0]);
        let d = cx.f.def_op(c, Op::Sysval)?;
        matches!(d.attr, Attr::Sysval(Sysval::FrontFacing)).then(|| self.front())
    }

    pub(super) fn derivative(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Attr::Deriv(Deriv { axis, .. }) = d.attr else { return Err(cx.unknown(i)) };
        let dst = cx.result(i, 0)[0];
        // A register: what is the same everywhere has no differences, and others are asked for it.
        let v = cx.reg(d.args[0]);
        let x = Use::reg(v).mods(SrcMods::swizzle(leading(cx.f.ty(d.args[0]).lanes())));
        let op = match axis {
            Axis::X => build::Dsx.on([x, x]),
            Axis::Y => build::Dsy.on([x, x]),
        };
        cx.emit(op.def(dst));
        Ok(())
    }

    /// Discards, if a condition holds.
    pub(super) fn demote(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let c = cx.data(i).args[0];
        match cx.f.const_bits(c) {
            Some(0) => return Ok(()),
            Some(_) => {
                cx.emit(build::Texkill.on([]));
                return Ok(());
            }
            None => {}
        }
        if let Some((cmp, k)) = self.comparison(cx, c)
            && !k.negate
            && cx.fold(c).is_some()
        {
            let fold = if k.ty == Type::F32 { Fold::Float } else { Fold::None };
            let x = self.operand_lane(cx, cmp.args[0], 0, fold);
            let y = self.operand_lane(cx, cmp.args[1], 0, fold);
            cx.emit(build::TexkillBinary.with((Ty(k.ty), If(k.cond)), [x, y]));
            return Ok(());
        }
        let x = self.operand_lane(cx, c, 0, Fold::None);
        cx.emit(build::TexkillUnary.with((Ty(Type::U32), If(Cond::Nz)), [x]));
        Ok(())
    }

    /// The end, which holds outputs where the hardware takes them from.
    pub(super) fn outputs(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let mut end = MInst::new(VOp::End);
        let args: Vec<Value> = cx.data(i).args.iter().copied().collect();
        let outputs: Vec<IoSlot> = self.slots().1.to_vec();
        if args.len() != outputs.len() {
            return Err(cx.unknown(i));
        }
        if self.vertex {
            for (k, &v) in args.iter().enumerate() {
                let lanes = cx.f.ty(v).lanes();
                let at = self.output_registers[k];
                self.hold(cx, &mut end, v, leading(lanes), lanes, at);
            }
        } else {
            for (n, c) in colours(&outputs, self.pipeline).into_iter().enumerate() {
                let Some(c) = c else { continue };
                let at = colour_register(n);
                if c.is_whole() {
                    let swz = [0, 1, 2, 3].map(|k: u8| c.component(k.min(c.count - 1)));
                    self.hold(cx, &mut end, args[c.output], swz, c.count.into(), at);
                } else {
                    let one = if outputs[c.output].ty.is_float() { 1f32.to_bits() } else { 1 };
                    self.hold_some(cx, &mut end, args[c.output], (&c, one), at);
                }
            }
            if let Some(k) = outputs.iter().position(|o| o.at == IoAt::FragDepth) {
                let depth = PReg::new(FILE, 2, 1);
                let u = self.operand_lane(cx, args[k], 0, Fold::Float);
                cx.emit(build::Mov.on([u]).def(Def::preg(depth)));
                end.uses.push(Use::preg(depth));
            }
        }
        cx.emit(end);
        Ok(())
    }

    /// A register for what hardware takes, and how the end reads it: any temporary from x on, which maps tell; where the program ends
    /// in several places, the same one in all.
    fn handed(&self, cx: &mut IselCx<'_>, count: u32, at: u16) -> (VReg, Use<crate::inst::Vivante>) {
        if self.ends > 1 {
            let whole = cx.temp(row(count));
            return (whole, Use::reg(whole).at(PReg::new(FILE, at * 4, count as u16)));
        }
        let whole = cx.temp(from_x(count));
        (whole, Use::reg(whole))
    }

    /// The same of an output that lacks components which the hardware takes.
    fn hold_some(
        &mut self,
        cx: &mut IselCx<'_>,
        end: &mut MInst<crate::inst::Vivante>,
        v: Value,
        (c, one): (&Colour, u32),
        at: u16,
    ) {
        let (whole, place) = self.handed(cx, c.count.into(), at);
        let mut parts = Vec::new();
        for k in 0..c.count {
            parts.push(match c.component(k) {
                from if from < c.first + c.given => {
                    let u = self.operand_lane(cx, v, from.into(), Fold::None);
                    self.piece(cx, u)
                }
                3 => self.literal(one),
                _ => self.literal(0),
            });
        }
        cx.emit(MInst::collect(whole, parts));
        end.uses.push(place);
    }

    /// Components of a value in a temporary as the program ends.
    fn hold(
        &mut self,
        cx: &mut IselCx<'_>,
        end: &mut MInst<crate::inst::Vivante>,
        v: Value,
        swz: [u8; 4],
        count: u32,
        at: u16,
    ) {
        let (whole, place) = self.handed(cx, count, at);
        let composed = cx.f.def_op(v, Op::Compose).is_some();
        if composed {
            let parts: Vec<Use<crate::inst::Vivante>> = (0..count as usize)
                .map(|k| {
                    let u = self.operand_lane(cx, v, u32::from(swz[k]), Fold::None);
                    self.piece(cx, u)
                })
                .collect();
            cx.emit(MInst::collect(whole, parts));
        } else {
            let u = self.operand_lanes(cx, v, swz, count as usize, Fold::Float);
            self.bring(cx, whole, u, count);
        }
        end.uses.push(place);
    }
}
