//! Inputs, outputs and neighbours of stages.

use crate::Code;
use gpucc_ir as ir;
use ir::{Axis, Builder, Deriv, Interface, Interp, IoAt, IoSlot, Sysval, Type, Value};

/// The position of a fragment at its sample, as GLSL and SPIR-V have it where the entry point runs for each sample: the IR's is in the
/// middle of the pixel, as WGSL has it.
pub fn at_sample(b: &mut Builder<'_>, position: Value) -> Value {
    let place = b.sysval(Sysval::SamplePosition);
    let half = b.func.fconst(Type::F32, 0.5);
    let [x, y] = [0, 1].map(|k| {
        let (middle, at) = (b.extract(position, k), b.extract(place, k));
        let corner = b.fsub(middle, half);
        b.fadd(corner, at)
    });
    let (z, w) = (b.extract(position, 2), b.extract(position, 3));
    b.compose(&[x, y, z, w])
}

impl Code {
    /// The shares of the three vertices: the first is what the others leave.
    pub fn barycentric(&mut self, io: &mut Interface, interp: Interp) -> Value {
        let two = Type::F32.with_lanes(2);
        let known = io.inputs.iter().position(|s| (s.at, s.interp) == (IoAt::Barycentric, interp));
        let n = known.unwrap_or_else(|| {
            io.inputs.push(IoSlot { interp, ..IoSlot::new(IoAt::Barycentric, two) });
            io.inputs.len() - 1
        });
        let shares = self.b().input(n as u16, two);
        let [second, third] = [0, 1].map(|k| self.extract(shares, k));
        let one = self.f.fconst(Type::F32, 1.0);
        let first = self.b().fsub(one, second);
        let first = self.b().fsub(first, third);
        self.compose(&[first, second, third])
    }

    /// The derivative of a float along an axis; the sum of both without their signs if there is none.
    pub fn derivative(&mut self, value: Value, axis: Option<Axis>, fine: bool) -> Value {
        if let Some(axis) = axis {
            return self.b().derivative(value, Deriv { axis, fine });
        }
        let [x, y] = [Axis::X, Axis::Y].map(|axis| self.b().derivative(value, Deriv { axis, fine }));
        let (x, y) = (self.b().fabs(x), self.b().fabs(y));
        self.b().fadd(x, y)
    }
}
