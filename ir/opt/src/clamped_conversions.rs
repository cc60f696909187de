//! Bounds of conversions to integers are operations of their own, where the conversion itself goes lane by lane.
//!
//! ```text
//! v1 = f2s v0                 v2 = select (fcmp.oeq v0, v0), v0, 0
//!                      ==>    v3 = fmin (fmax v2, least), most
//!                             v1 = f2s v3
//! ```
//!
//! Clamps of several numbers are packed then, which selection's own could not be. It makes none where these are.
//!
//! Needs: any IR. Keeps: the CFG, results.

use crate::PassCx;
use crate::frame::in_frame;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::{FloatCc, Function, Op, Scalar, Value};

/// Bounds of numbers that are converted to signed or unsigned integers.
pub const fn bounds(signed: bool) -> (u32, u32) {
    if signed { (0xcf00_0000, 0x4eff_ffff) } else { (0, 0x4f7f_ffff) }
}

/// Whether a value lies between the bounds of its conversion: it is clamped to them, or a place in the frame.
pub fn is_clamped(f: &Function, v: Value, signed: bool) -> bool {
    let (least, most) = bounds(signed);
    let limit = |v: Value, op: Op, bits: u32| {
        // Packed ones are lanes.
        let v = f.def_op(v, Op::Extract).map_or(v, |d| d.args[0]);
        let d = f.def_op(v, op)?;
        (f.const_bits(d.args[1]) == Some(bits.into())).then_some(d.args[0])
    };
    limit(v, Op::FMin, most).and_then(|v| limit(v, Op::FMax, least)).is_some() || in_frame(f, v)
}

/// Makes the bounds of conversions to integers operations, where the target asks for it.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.caps.clamp_conversions {
        return;
    }
    rewrite::run(f, |b, i| {
        if !matches!(b.func.insts[i].op, Op::F2S | Op::F2U) {
            return Rewrite::Keep;
        }
        let d = b.func.insts[i].clone();
        let signed = d.op == Op::F2S;
        if is_clamped(b.func, d.args[0], signed) {
            return Rewrite::Keep;
        }
        let (x, ty) = (d.args[0], b.func.ty(d.args[0]));
        if ty.scalar() != Scalar::F32 || b.func.ty(d.result()).bits() != 32 || !cx.change() {
            return Rewrite::Keep;
        }
        let (least, most) = bounds(signed);
        let [least, most] = [least, most].map(|v| b.func.fconst(ty, f32::from_bits(v)));
        let mut v = x;
        if signed {
            let none = b.func.zero(ty);
            let number = b.fcmp(FloatCc::Oeq, x, x);
            v = b.select(number, x, none);
        }
        v = b.fmax(v, least);
        v = b.fmin(v, most);
        let to = b.func.ty(d.result());
        Rewrite::Value(if signed { b.f2s(v, to) } else { b.f2u(v, to) })
    });
}
