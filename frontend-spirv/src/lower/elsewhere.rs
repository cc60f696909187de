//! Inputs of fragments elsewhere in the pixel than they are declared to be: at a point that the primitive covers, at a sample, or away from
//! the middle.
//!
//! Over w, values are linear on the screen, and so is 1/w: what is at another place follows from the differences to the neighbours. Those
//! are taken where the entry point begins, since all lanes are there.

use super::cx::Lowered;
use super::data::Elsewhere;
use super::func::FuncCx;
use crate::module::Module;
use crate::value::Val;
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{Deriv, IoSlot, Mode, Refusal, Sysval, Type, Value, Where};
use rspirv::spirv::{GlslStd450Op as G, Op};

/// Where the four samples of a pixel are, in sixteenths of it, four bits each: columns, then rows.
const SAMPLES: [i64; 2] = [0xa2e6, 0xea62];

/// Whether inputs are asked for elsewhere.
pub fn is_asked(m: &Module) -> bool {
    let places = [G::InterpolateAtCentroid, G::InterpolateAtSample, G::InterpolateAtOffset].map(|g| g as u32);
    let asks = |i: &crate::module::Inst| m.operands(i).get(1).is_some_and(|op| places.contains(op));
    m.insts.iter().any(|i| matches!(i.op, Op::ExtInst) && asks(i))
}

impl FuncCx<'_, '_> {
    /// The differences of all inputs that are floats, where the entry point begins.
    pub fn take_slopes(&mut self) {
        let inputs = self.stage.as_ref().map_or(Vec::new(), |s| s.io.inputs.clone());
        let position = self.b().sysval(Sysval::FragCoord);
        let inverse = self.code.extract(position, 3);
        let all = inputs.iter().enumerate().map(|(n, slot)| {
            if slot.interp.mode.is_constant() || slot.at == ir::IoAt::Barycentric {
                return None;
            }
            let middle = self.twin(n, Where::Center);
            let mut value = self.b().input(middle as u16, slot.ty);
            if slot.interp.mode == Mode::Perspective {
                let inverse = self.code.like(inverse, slot.ty);
                value = self.b().fmul(value, inverse);
            }
            Some(self.slopes_of(value))
        });
        let all = all.collect();
        let inverse = self.slopes_of(inverse);
        if let Some(stage) = &mut self.stage {
            (stage.slopes, stage.inverse) = (all, Some(inverse));
        }
    }

    fn slopes_of(&mut self, value: Value) -> [Value; 3] {
        let [x, y] = [ir::Axis::X, ir::Axis::Y].map(|axis| self.b().derivative(value, Deriv { axis, fine: true }));
        [value, x, y]
    }

    /// The number of an input at the same location, taken elsewhere in the pixel.
    fn twin(&mut self, n: usize, at: Where) -> usize {
        let Some(stage) = &mut self.stage else { return n };
        let slot = stage.io.inputs[n].clone();
        if slot.interp.at == at || slot.interp.mode.is_constant() {
            return n;
        }
        let twin = IoSlot { interp: ir::Interp { at, ..slot.interp }, ..slot };
        let same = |s: &IoSlot| (s.at, s.interp) == (twin.at, twin.interp);
        stage.io.inputs.iter().position(same).unwrap_or_else(|| {
            stage.io.inputs.push(twin);
            stage.io.inputs.len() - 1
        })
    }

    /// An input with all its components, where it is asked for.
    pub fn whole_input(&mut self, n: usize, ty: Type) -> Lowered<Value> {
        let Some(stage) = &self.stage else { return self.broken("an input outside of an entry point") };
        let mode = stage.io.inputs[n].interp.mode;
        match stage.elsewhere.filter(|_| !mode.is_constant()) {
            None => Ok(self.b().input(n as u16, ty)),
            Some(Elsewhere::Centroid) => {
                let n = self.twin(n, Where::Centroid);
                Ok(self.b().input(n as u16, ty))
            }
            Some(Elsewhere::Offset(by)) => {
                let (Some(Some(slopes)), Some(inverse)) = (stage.slopes.get(n).copied(), stage.inverse) else {
                    return self.broken("an input without differences");
                };
                let moved = self.away(slopes, by);
                if mode != Mode::Perspective {
                    return Ok(moved);
                }
                let inverse = self.away(inverse, by);
                let inverse = self.code.like(inverse, ty);
                Ok(self.b().fdiv(moved, inverse))
            }
        }
    }

    /// The value of a screen-linear input at an offset from the middle of the pixel.
    fn away(&mut self, [value, x, y]: [Value; 3], by: Value) -> Value {
        let ty = self.code.f.ty(value);
        let mut sum = value;
        for (k, slope) in [x, y].into_iter().enumerate() {
            let part = self.code.extract(by, k as u32);
            let part = self.code.like(part, ty);
            let step = self.b().fmul(slope, part);
            sum = self.b().fadd(sum, step);
        }
        sum
    }

    /// Where a sample is, from the middle of the pixel: a pixel has one, or four in the standard places.
    fn sample_offset(&mut self, sample: Value) -> Value {
        let count = self.b().sysval(Sysval::SampleCount);
        let int = |cx: &mut Self, n: i64| cx.code.f.iconst(Type::I32, n);
        let [one, two, three, bits] = [1, 2, 3, 15].map(|n| int(self, n));
        let several = self.b().icmp(ir::IntCc::Ugt, count, one);
        let sample = self.b().and(sample, three);
        let shift = self.b().shl(sample, two);
        let parts = SAMPLES.map(|places| {
            let places = int(self, places);
            let at = self.b().ushr(places, shift);
            let at = self.b().and(at, bits);
            let at = self.b().u2f(at, Type::F32);
            let [part, middle, none] = [1.0 / 16.0, -0.5, 0.0].map(|x| self.code.f.fconst(Type::F32, x));
            let at = self.b().fma(at, part, middle);
            self.b().select(several, at, none)
        });
        self.b().compose(&parts)
    }

    /// The value of an input elsewhere in the pixel; `place` is the operand that says where.
    pub fn interpolated(&mut self, op: G, pointer: u32, place: Option<u32>) -> Lowered<Val> {
        let Val::Input(input) = self.val(pointer)? else {
            return self.missing(Refusal::StageInputs, "of what is no whole input");
        };
        let place = match place {
            None => Elsewhere::Centroid,
            Some(id) if op == G::InterpolateAtSample => {
                let sample = self.one(id)?;
                if self.code.f.ty(sample) != Type::I32 {
                    return self.wrong("its sample is no integer of 32 bits");
                }
                Elsewhere::Offset(self.sample_offset(sample))
            }
            Some(id) => {
                let by = self.float(id)?;
                if self.code.f.ty(by) != Type::F32.with_lanes(2) {
                    return self.wrong("its offset is no vector of two floats");
                }
                Elsewhere::Offset(by)
            }
        };
        match &mut self.stage {
            Some(stage) if stage.is_fragment() => stage.elsewhere = Some(place),
            _ => return self.wrong("fragments alone are interpolated"),
        }
        let val = self.load_input(&input);
        if let Some(stage) = &mut self.stage {
            stage.elsewhere = None;
        }
        val
    }
}
