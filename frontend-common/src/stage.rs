//! Inputs of stages.

use gpucc_ir::{Builder, Sysval, Type, Value};

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
