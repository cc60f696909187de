//! Built-in functions. Accuracy is WGSL's table; where a function inherits its error from a formula, that formula is used.

use super::Lowered;
use super::func::FuncCx;
use super::types::{self, Ty};
use super::value::Val;
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::Value;
use naga::{Expression, Handle, MathFunction as M, ScalarKind};

impl FuncCx<'_, '_> {
    /// The value of a `Math` expression.
    pub fn math(
        &mut self,
        fun: M,
        arg: Handle<Expression>,
        arg1: Option<Handle<Expression>>,
        arg2: Option<Handle<Expression>>,
        arg3: Option<Handle<Expression>>,
    ) -> Lowered<Val> {
        let ty = self.expr_ty(arg)?;
        match fun {
            M::Transpose | M::Determinant | M::Inverse => {
                let value = self.value(arg)?;
                let columns = self.columns(&value)?;
                let done = match fun {
                    M::Transpose => Some(Self::matrix(self.transpose(&columns))),
                    M::Determinant => self.determinant(&columns).map(Val::One),
                    _ => self.inverse(&columns).map(Self::matrix),
                };
                return match done {
                    Some(value) => Ok(value),
                    None => self.broken("a function of square matrices on another"),
                };
            }
            _ => {}
        }
        let kind = types::lane_scalar(ty).map_or(ScalarKind::Uint, |s| s.kind);
        let mut args = vec![self.one(arg)?];
        for extra in [arg1, arg2, arg3].into_iter().flatten() {
            args.push(self.one(extra)?);
        }
        let wanted = arity(fun);
        if args.len() != wanted {
            return self.broken("a built-in function with the wrong number of arguments");
        }
        match fun {
            M::Modf => {
                let (fract, whole) = self.modf(args[0]);
                Ok(Val::parts(vec![Val::One(fract), Val::One(whole)]))
            }
            M::Frexp => match self.frexp(args[0]) {
                // naga's type for the exponent of a half has 16 bits.
                Some((fract, exponent)) => {
                    let word = ir::Type::I32.with_lanes(self.f.ty(exponent).lanes());
                    let wide = self.f.ty(exponent).bits() > 32;
                    let exponent = if wide { self.b().trunc(exponent, word) } else { exponent };
                    Ok(Val::parts(vec![Val::One(fract), Val::One(exponent)]))
                }
                None => self.broken("frexp of no float"),
            },
            M::Outer if !matches!(ty, Ty::Vector(n, _) if n == self.f.ty(args[1]).lanes()) => {
                self.unsupported(ir::Refusal::OuterProduct, "the outer product of vectors of different lengths")
            }
            M::Outer => Ok(Self::matrix(self.outer(args[0], args[1]))),
            _ => match kind {
                ScalarKind::Float => self.float_math(fun, &args),
                _ => self.int_math(fun, kind == ScalarKind::Sint, &args),
            }
            .map(Val::One),
        }
    }

    fn float_math(&mut self, fun: M, args: &[Value]) -> Lowered<Value> {
        let x = args[0];
        // Absent arguments are never looked at: the arity was checked.
        let (y, z) = (args.get(1).copied().unwrap_or(x), args.get(2).copied().unwrap_or(x));
        Ok(match fun {
            M::Abs => self.b().fabs(x),
            M::Min => self.b().fmin(x, y),
            M::Max => self.b().fmax(x, y),
            M::Clamp => self.fclamp(x, y, z),
            M::Saturate => self.b().fsat(x),
            M::Cos => self.b().fcos(x),
            M::Sin => self.b().fsin(x),
            M::Tan => self.in_f32(&[x], |cx, a| {
                let (sin, cos) = (cx.b().fsin(a[0]), cx.b().fcos(a[0]));
                cx.b().fdiv(sin, cos)
            }),
            M::Sinh => self.in_f32(&[x], |cx, a| cx.sinh(a[0])),
            M::Cosh => self.in_f32(&[x], |cx, a| cx.cosh(a[0])),
            M::Tanh => self.in_f32(&[x], |cx, a| cx.tanh(a[0])),
            M::Asin => self.in_f32(&[x], |cx, a| cx.asin(a[0])),
            M::Acos => self.in_f32(&[x], |cx, a| cx.acos(a[0])),
            M::Atan => self.in_f32(&[x], |cx, a| cx.atan(a[0])),
            M::Atan2 => self.in_f32(&[x, y], |cx, a| cx.atan2(a[0], a[1])),
            M::Asinh => self.in_f32(&[x], |cx, a| cx.asinh(a[0])),
            M::Acosh => self.in_f32(&[x], |cx, a| cx.acosh(a[0])),
            M::Atanh => self.in_f32(&[x], |cx, a| cx.atanh(a[0])),
            M::Radians => self.scale(x, 0.017_453_292),
            M::Degrees => self.scale(x, 57.295_78),
            M::Ceil => self.b().fceil(x),
            M::Floor => self.b().ffloor(x),
            M::Round => self.b().fround_even(x),
            M::Fract => self.b().ffract(x),
            M::Trunc => self.b().ftrunc(x),
            M::Ldexp => self.b().fldexp(x, y),
            M::Exp => self.in_f32(&[x], |cx, a| cx.exp(a[0])),
            M::Exp2 => self.b().fexp2(x),
            M::Log => self.in_f32(&[x], |cx, a| cx.log(a[0])),
            M::Log2 => self.b().flog2(x),
            M::Pow => self.pow(x, y),
            M::Dot => self.b().fdot(x, y),
            M::Cross => self.cross(x, y),
            M::Length => self.length(x),
            M::Distance => self.distance(x, y),
            M::Normalize => self.normalize(x),
            M::FaceForward => self.face_forward(x, y, z),
            M::Reflect => self.reflect(x, y),
            M::Refract => self.refract(x, y, z),
            M::Sign => self.b().fsign(x),
            // Fused where the target has it: WGSL allows both, and emulating the fusion would be absurd.
            M::Fma => self.mad(x, y, z),
            M::Mix => self.mix(x, y, z),
            M::Step => self.step(x, y),
            M::SmoothStep => self.smooth_step(x, y, z),
            M::Sqrt => self.b().fsqrt(x),
            M::InverseSqrt => self.b().frsqrt(x),
            M::QuantizeToF16 => self.b().fquant16(x),
            M::Pack4x8snorm => self.b().pack_snorm4x8(x),
            M::Pack4x8unorm => self.b().pack_unorm4x8(x),
            M::Pack2x16snorm => self.b().pack_snorm2x16(x),
            M::Pack2x16unorm => self.b().pack_unorm2x16(x),
            M::Pack2x16float => self.b().pack_half2x16(x),
            other => return self.broken(&format!("{other:?} of floats")),
        })
    }

    fn int_math(&mut self, fun: M, signed: bool, args: &[Value]) -> Lowered<Value> {
        let x = args[0];
        let (y, z) = (args.get(1).copied().unwrap_or(x), args.get(2).copied().unwrap_or(x));
        let ty = self.f.ty(x);
        Ok(match fun {
            M::Abs if signed => self.b().iabs(x),
            M::Abs => x,
            M::Min if signed => self.b().smin(x, y),
            M::Min => self.b().umin(x, y),
            M::Max if signed => self.b().smax(x, y),
            M::Max => self.b().umax(x, y),
            M::Clamp => self.iclamp(signed, x, y, z),
            M::Sign => self.int_sign(x),
            M::Dot => self.int_dot(x, y),
            M::Dot4I8Packed => self.b().sdot4x8(x, y),
            M::Dot4U8Packed => self.b().udot4x8(x, y),
            M::CountOneBits => self.b().popcount(x),
            M::CountLeadingZeros => self.b().clz(x),
            M::CountTrailingZeros => self.b().ctz(x),
            M::ReverseBits => self.b().bitreverse(x),
            M::FirstLeadingBit => self.first_leading_bit(x, signed),
            M::FirstTrailingBit => self.first_trailing_bit(x),
            M::ExtractBits => {
                let (offset, count) = (self.bit_operand(y, ty), self.bit_operand(z, ty));
                if signed { self.b().sbfe(x, offset, count) } else { self.b().ubfe(x, offset, count) }
            }
            M::InsertBits => {
                let (offset, count) = (self.bit_operand(z, ty), self.bit_operand(args[3], ty));
                self.b().bfi(x, y, offset, count)
            }
            M::Pack4xI8 | M::Pack4xU8 => self.pack_bytes(x),
            M::Pack4xI8Clamp => {
                let (low, high) = (self.iconst(x, -128), self.iconst(x, 127));
                let above = self.b().smax(x, low);
                let clamped = self.b().smin(above, high);
                self.pack_bytes(clamped)
            }
            M::Pack4xU8Clamp => {
                let high = self.iconst(x, 255);
                let clamped = self.b().umin(x, high);
                self.pack_bytes(clamped)
            }
            M::Unpack4xI8 => self.unpack_bytes(x, true),
            M::Unpack4xU8 => self.unpack_bytes(x, false),
            M::Unpack4x8snorm => self.b().unpack_snorm4x8(x),
            M::Unpack4x8unorm => self.b().unpack_unorm4x8(x),
            M::Unpack2x16snorm => self.b().unpack_snorm2x16(x),
            M::Unpack2x16unorm => self.b().unpack_unorm2x16(x),
            M::Unpack2x16float => self.b().unpack_half2x16(x),
            other => return self.broken(&format!("{other:?} of integers")),
        })
    }

    /// The low bytes of four lanes in one word.
    fn pack_bytes(&mut self, v: Value) -> Value {
        let lane = self.extract(v, 0);
        let mask = self.iconst(lane, 255);
        let mut word = self.b().and(lane, mask);
        for i in 1..4 {
            let lane = self.extract(v, i);
            let (at, eight) = (self.iconst(lane, i64::from(i) * 8), self.iconst(lane, 8));
            word = self.b().bfi(word, lane, at, eight);
        }
        word
    }
}

/// How many arguments a function takes.
fn arity(fun: M) -> usize {
    match fun {
        M::Min | M::Max | M::Atan2 | M::Ldexp | M::Pow | M::Dot | M::Dot4I8Packed | M::Dot4U8Packed | M::Outer => 2,
        M::Cross | M::Distance | M::Reflect | M::Step => 2,
        M::Clamp | M::FaceForward | M::Refract | M::Fma | M::Mix | M::SmoothStep | M::ExtractBits => 3,
        M::InsertBits => 4,
        M::Abs | M::Saturate | M::Cos | M::Cosh | M::Sin | M::Sinh | M::Tan | M::Tanh | M::Acos | M::Asin => 1,
        M::Atan | M::Asinh | M::Acosh | M::Atanh | M::Radians | M::Degrees | M::Ceil | M::Floor | M::Round => 1,
        M::Fract | M::Trunc | M::Modf | M::Frexp | M::Exp | M::Exp2 | M::Log | M::Log2 | M::Length => 1,
        M::Normalize | M::Sign | M::Sqrt | M::InverseSqrt | M::Inverse | M::Transpose | M::Determinant => 1,
        M::QuantizeToF16 | M::CountTrailingZeros | M::CountLeadingZeros | M::CountOneBits | M::ReverseBits => 1,
        M::FirstTrailingBit | M::FirstLeadingBit | M::Pack4x8snorm | M::Pack4x8unorm | M::Pack2x16snorm => 1,
        M::Pack2x16unorm | M::Pack2x16float | M::Pack4xI8 | M::Pack4xU8 | M::Pack4xI8Clamp => 1,
        M::Pack4xU8Clamp | M::Unpack4x8snorm | M::Unpack4x8unorm | M::Unpack2x16snorm | M::Unpack2x16unorm => 1,
        M::Unpack2x16float | M::Unpack4xI8 | M::Unpack4xU8 => 1,
    }
}
