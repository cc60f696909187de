//! Selects inputs and outputs of vertex and fragment programs: attributes, interpolated inputs, system values, derivatives, discards, results.

use gpucc_ir::{Axis, Deriv, Diagnostic, Inst, IoAt, Mode, Sysval, Value, Where};
use gpucc_mir::{MInst, PReg, Src, Use, VReg};
use gpucc_pipeline::Base;
use gpucc_tesla_machine::Pred;

use smallvec::SmallVec;

use super::{Isel, IselCx, U};
use crate::builders as build;
use crate::inst::{Centroid, Offset, QuadLane, QuadOps, R, Special, TOp, When, slot, zero};
use crate::slots::{Slot, Word};

/// The flat word of v[] that says which side a primitive shows.
const FACING: u32 = 0x3fc;
/// The special register with the number of the sample.
const SAMPLE: u8 = 8;

/// The subtraction in each lane of a quad: sub is the other one's less its own, subr the reverse.
const ACROSS: u8 = 0b01_10_01_10;
const DOWN: u8 = 0b01_01_10_10;
/// Its own less that of the lane which is asked.
const FROM_IT: u8 = 0b01_01_01_01;
/// The sum of both.
const ADD: u8 = 0;

impl Isel<'_> {
    /// An attribute of a vertex, or an interpolated input.
    pub(super) fn input(&mut self, cx: &mut IselCx<'_>, i: Inst, n: u16) -> Result<(), Diagnostic> {
        let Some(interface) = self.module.entries[0].interface() else { return Err(cx.unknown(i)) };
        let (slot_of, first) = (&interface.inputs[usize::from(n)], self.io.words[usize::from(n)]);
        let Some(first) = first else { return Err(cx.unknown(i)) };
        let out = cx.result(i, 0);
        let interp = slot_of.interp;
        for (k, &r) in (0..).zip(out.iter()) {
            let word = first + k;
            if !self.io.is_fragment() {
                cx.emit(build::Mov.on([slot(Slot::Attr(4 * word as u16))]).def(r));
                continue;
            }
            // The place in a point is that of the sample where the program runs for each.
            let of_sample = slot_of.at == IoAt::PointCoord && self.io.used.per_sample;
            let at = (Offset(4 * word), Centroid(of_sample || interp.at != Where::Center));
            if slot_of.is_flat() {
                cx.emit(build::InterpFlat.with((Offset(4 * word),), []).def(r));
            } else if interp.mode == Mode::Perspective {
                let w = self.w(cx);
                cx.emit(build::InterpMul.with(at, [w.into()]).def(r));
            } else {
                cx.emit(build::Interp.with(at, []).def(r));
            }
        }
        Ok(())
    }

    /// w in the middle of the pixel.
    fn w(&mut self, cx: &mut IselCx<'_>) -> VReg {
        *self.w.get_or_insert_with(|| cx.temp(crate::inst::R32))
    }

    /// The values that the program computes at its start.
    pub(super) fn begin(&mut self, cx: &mut IselCx<'_>) {
        if let Some(w) = self.w {
            let inverse = self.temp(cx, build::Interp.with((Offset(4 * self.io.position_word(3)),), []));
            cx.emit(build::Rcp.on([inverse.into()]).def(w));
        }
    }

    /// A system value of a vertex or a fragment.
    pub(super) fn stage_sysval(&mut self, cx: &mut IselCx<'_>, i: Inst, s: Sysval) -> Result<(), Diagnostic> {
        let out = cx.result(i, 0);
        let number = |k: usize, s: &Self| s.io.numbers[k].map(|w| slot(Slot::Attr(4 * w as u16)));
        match s {
            Sysval::VertexIndex | Sysval::RawVertexIndex | Sysval::RawInstanceIndex => {
                let k = usize::from(s == Sysval::RawInstanceIndex);
                let Some(u) = number(k, self) else { return Err(cx.unknown(i)) };
                cx.emit(build::Mov.on([u]).def(out[0]));
            }
            Sysval::FirstVertex | Sysval::FirstInstance => {
                let first = if s == Sysval::FirstVertex { Word::FirstVertex } else { Word::FirstInstance };
                let u = slot(self.pool.slot(first));
                cx.emit(build::LdC.on([u]).def(out[0]));
            }
            Sysval::BlendConstant => {
                for (k, &r) in (0..).zip(out.iter()) {
                    let u = slot(self.pool.slot(Word::BlendConstant(k)));
                    cx.emit(build::LdC.on([u]).def(r));
                }
            }
            Sysval::FragCoord => {
                for (k, &r) in (0..).zip(out.iter()) {
                    if self.io.position >> k & 1 == 0 {
                        cx.emit(MInst::copy(r, U::imm(0)));
                        continue;
                    }
                    // Depth and 1/w are those of the sample.
                    let sample = self.io.used.per_sample && k >= 2;
                    let at = (Offset(4 * self.io.position_word(k)), Centroid(sample));
                    cx.emit(build::Interp.with(at, []).def(r));
                }
            }
            Sysval::FrontFacing => cx.emit(build::InterpFlat.with((Offset(FACING),), []).def(out[0])),
            Sysval::PrimitiveIndex => {
                let Some(word) = self.io.primitive else { return Err(cx.unknown(i)) };
                cx.emit(build::InterpFlat.with((Offset(4 * word),), []).def(out[0]));
            }
            Sysval::SampleIndex => cx.emit(build::MovFromSr.with((Special(SAMPLE),), []).def(out[0])),
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }

    /// Removes lanes from the live mask.
    pub(super) fn demote(&mut self, cx: &mut IselCx<'_>, i: Inst) {
        let v = cx.data(i).args[0];
        if Self::bits(cx, v).is_some_and(|b| b != 0) {
            cx.emit(build::Discard.on([]));
            return;
        }
        let (flags, pred): (VReg, Pred) = self.condition(cx, v, false);
        cx.emit(build::Discard.with((When(pred),), []).arg(flags));
    }

    /// The difference of two lanes of the quad.
    pub(super) fn derivative(&mut self, cx: &mut IselCx<'_>, i: Inst, d: Deriv) {
        let of = cx.data(i).args[0];
        let out = cx.result(i, 0);
        let (ops, lane, first) = match d.axis {
            Axis::X => (ACROSS, 4, 1),
            Axis::Y => (DOWN, 5, 2),
        };
        for (&r, x) in out.iter().zip(self.lanes(cx, of)) {
            let x = if x.vreg().is_some() { x } else { zero() };
            // A value that is the same everywhere does not change.
            if x == zero() {
                cx.emit(MInst::copy(r, U::imm(0)));
                continue;
            }
            if d.fine {
                cx.emit(build::QuadOp.with((QuadOps(ops), QuadLane(lane)), [x, x]).def(r));
                continue;
            }
            // Of all lanes that of the first: what each has more than it, and of that the neighbour's.
            let more = self.temp(cx, build::QuadOp.with((QuadOps(FROM_IT), QuadLane(0)), [x, x]));
            cx.emit(build::QuadOp.with((QuadOps(ADD), QuadLane(first)), [more.into(), zero()]).def(r));
        }
    }

    /// Components of a target that an output lacks are 0, 0, 0 and 1.
    fn fill(&self, at: IoAt, parts: &mut SmallVec<[U; 4]>) {
        let IoAt::Location { number, blend_src: 0 } = at else { return };
        let target = self.pipeline.and_then(|p| p.targets.get(usize::from(number))).and_then(Option::as_ref);
        let Some(target) = target else { return };
        let one = if matches!(target.format.base(), Base::Uint | Base::Sint) { 1 } else { 1f32.to_bits() };
        // A factor reads the alpha whether or not the format has one.
        let wanted = if target.reads_source_alpha() { 4 } else { target.format.components() as usize };
        while parts.len() < wanted {
            parts.push(U::imm(if parts.len() == 3 { one } else { 0 }));
        }
    }

    /// The results of an entry point leave; gives the end of the program.
    pub(super) fn results(&mut self, cx: &mut IselCx<'_>, args: &[Value]) -> MInst<crate::inst::Tesla> {
        let mut end = MInst::new(TOp::Exit);
        let Some(interface) = self.module.entries[0].interface() else { return end };
        let slots: Vec<IoAt> = interface.outputs.iter().map(|s| s.at).collect();
        for (n, &v) in args.iter().enumerate() {
            let first = if slots[n] == IoAt::Position { 0 } else { self.io.outputs[n] };
            let lanes = cx.f.ty(v).lanes();
            let undefined = cx.f.is_undef(v);
            if undefined && self.io.is_fragment() {
                continue;
            }
            let mut parts = if undefined { (0..lanes).map(|_| U::imm(0)).collect() } else { self.lanes(cx, v) };
            if self.io.is_fragment() {
                self.fill(slots[n], &mut parts);
            }
            for (k, u) in (0..).zip(parts) {
                if self.io.is_fragment() {
                    let t = cx.temp(crate::inst::R32);
                    // The end rides on what reads a word of c[], but on no immediate.
                    let u = match u.src {
                        Src::Imm(bits) if self.pool.find(bits).is_some() || self.pool.has_room() => self.literal(bits),
                        _ => u,
                    };
                    cx.emit(super::copy(t, u));
                    end = end.arg(Use::reg(t).at(PReg::new(R, (first + k) as u16, 1)));
                } else {
                    let r = match u.vreg() {
                        Some(r) => r,
                        None => {
                            let t = cx.temp(crate::inst::R32);
                            cx.emit(super::copy(t, u));
                            t
                        }
                    };
                    cx.emit(build::StO.with((Offset(4 * (first + k)),), [r.into()]));
                }
            }
        }
        end
    }
}
