//! Built-in functions. Accuracy is WGSL's table; where a function inherits its error from a formula, that formula is used.

use super::Lowered;
use super::func::FuncCx;
use super::types::{self, Ty};
use super::value::Val;
use gpucc_ir as ir;
use ir::{FloatCc, IntCc, Scalar, Type, Value};
use naga::{Expression, Handle, MathFunction as M, ScalarKind};

impl FuncCx<'_, '_> {
    /// A `Math` expression.
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
                return match fun {
                    M::Transpose => Ok(self.transpose(&columns)),
                    M::Determinant => self.determinant(&columns).map(Val::One),
                    _ => self.inverse(&columns),
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
            M::Modf => Ok(self.modf(args[0])),
            M::Frexp => self.frexp(args[0]),
            M::Outer => self.outer(args[0], args[1], ty),
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
            M::Clamp => {
                let low = self.b().fmax(x, y);
                self.b().fmin(low, z)
            }
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
            // The square of a negative number is one; by logarithms it would be NaN.
            M::Pow if self.is_two(y) => self.b().fmul(x, x),
            M::Pow => self.in_f32(&[x, y], |cx, a| {
                let log = cx.b().flog2(a[0]);
                let product = cx.b().fmul(a[1], log);
                cx.b().fexp2(product)
            }),
            M::Dot => self.b().fdot(x, y),
            M::Cross => {
                let (x1, y1) = (self.swizzle(x, &[1, 2, 0]), self.swizzle(y, &[2, 0, 1]));
                let (x2, y2) = (self.swizzle(x, &[2, 0, 1]), self.swizzle(y, &[1, 2, 0]));
                let mut b = self.b();
                let (first, second) = (b.fmul(x1, y1), b.fmul(x2, y2));
                b.fsub(first, second)
            }
            M::Length => self.length(x),
            M::Distance => {
                let difference = self.b().fsub(x, y);
                self.length(difference)
            }
            M::Normalize => {
                let square = self.b().fdot(x, x);
                let factor = self.b().frsqrt(square);
                let factor = self.like(factor, self.f.ty(x));
                self.b().fmul(x, factor)
            }
            M::FaceForward => {
                let dot = self.b().fdot(y, z);
                let zero = self.fconst(dot, 0.0);
                let away = self.b().fcmp(FloatCc::Olt, dot, zero);
                let negated = self.b().fneg(x);
                self.b().select(away, x, negated)
            }
            M::Reflect => {
                let dot = self.b().fdot(y, x);
                let twice = self.b().fadd(dot, dot);
                let twice = self.like(twice, self.f.ty(y));
                let offset = self.b().fmul(twice, y);
                self.b().fsub(x, offset)
            }
            M::Refract => self.refract(x, y, z),
            M::Sign => self.b().fsign(x),
            // Fused where the target has it: WGSL allows both, and emulating the fusion would be absurd.
            M::Fma => self.mad(x, y, z),
            M::Mix => {
                let ty = self.f.ty(x);
                let z = self.like(z, ty);
                let one = self.fconst(z, 1.0);
                let mut b = self.b();
                let rest = b.fsub(one, z);
                let (first, second) = (b.fmul(x, rest), b.fmul(y, z));
                b.fadd(first, second)
            }
            M::Step => {
                let (one, zero) = (self.fconst(x, 1.0), self.fconst(x, 0.0));
                let reached = self.b().fcmp(FloatCc::Ole, x, y);
                self.b().select(reached, one, zero)
            }
            M::SmoothStep => {
                let mut b = self.b();
                let (above, range) = (b.fsub(z, x), b.fsub(y, x));
                let ratio = b.fdiv(above, range);
                let t = b.fsat(ratio);
                let (two, three) = (self.fconst(t, 2.0), self.fconst(t, 3.0));
                let mut b = self.b();
                let square = b.fmul(t, t);
                let twice = b.fmul(two, t);
                let rest = b.fsub(three, twice);
                b.fmul(square, rest)
            }
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
        let bits = i64::from(ty.bits());
        Ok(match fun {
            M::Abs if signed => self.b().iabs(x),
            M::Abs => x,
            M::Min if signed => self.b().smin(x, y),
            M::Min => self.b().umin(x, y),
            M::Max if signed => self.b().smax(x, y),
            M::Max => self.b().umax(x, y),
            M::Clamp if signed => {
                let low = self.b().smax(x, y);
                self.b().smin(low, z)
            }
            M::Clamp => {
                let low = self.b().umax(x, y);
                self.b().umin(low, z)
            }
            M::Sign => {
                let (one, minus_one) = (self.iconst(x, 1), self.iconst(x, -1));
                let low = self.b().smax(x, minus_one);
                self.b().smin(low, one)
            }
            M::Dot => {
                let products = self.b().imul(x, y);
                let mut sum = self.extract(products, 0);
                for lane in 1..ty.lanes() {
                    let product = self.extract(products, lane);
                    sum = self.b().iadd(sum, product);
                }
                sum
            }
            M::Dot4I8Packed => self.b().sdot4x8(x, y),
            M::Dot4U8Packed => self.b().udot4x8(x, y),
            M::CountOneBits => self.b().popcount(x),
            M::CountLeadingZeros => self.b().clz(x),
            M::CountTrailingZeros => self.b().ctz(x),
            M::ReverseBits => self.b().bitreverse(x),
            M::FirstLeadingBit => {
                // The highest bit that differs from the sign; clz of 0 is the width, which gives -1.
                let value = if signed {
                    let shift = self.iconst(x, bits - 1);
                    let sign = self.b().sshr(x, shift);
                    self.b().xor(x, sign)
                } else {
                    x
                };
                let top = self.iconst(x, bits - 1);
                let zeros = self.b().clz(value);
                self.b().isub(top, zeros)
            }
            M::FirstTrailingBit => {
                let (zero, none) = (self.iconst(x, 0), self.iconst(x, -1));
                let empty = self.b().icmp(IntCc::Eq, x, zero);
                let count = self.b().ctz(x);
                self.b().select(empty, none, count)
            }
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
            M::Unpack4xI8 | M::Unpack4xU8 => {
                let eight = self.iconst(x, 8);
                let lanes: Vec<Value> = (0..4)
                    .map(|lane| {
                        let at = self.iconst(x, lane * 8);
                        match fun {
                            M::Unpack4xI8 => self.b().sbfe(x, at, eight),
                            _ => self.b().ubfe(x, at, eight),
                        }
                    })
                    .collect();
                self.compose(&lanes)
            }
            M::Unpack4x8snorm => self.b().unpack_snorm4x8(x),
            M::Unpack4x8unorm => self.b().unpack_unorm4x8(x),
            M::Unpack2x16snorm => self.b().unpack_snorm2x16(x),
            M::Unpack2x16unorm => self.b().unpack_unorm2x16(x),
            M::Unpack2x16float => self.b().unpack_half2x16(x),
            other => return self.broken(&format!("{other:?} of integers")),
        })
    }

    /// An offset or count of bits (a `u32` scalar) in the type of the value it is applied to.
    fn bit_operand(&mut self, v: Value, ty: Type) -> Value {
        let v = match ty.scalar() {
            Scalar::I64 => self.b().zext(v, Type::I64),
            // Clamped first: narrowing must not turn a large count into a small one.
            Scalar::I16 | Scalar::I8 => {
                let most = self.iconst(v, i64::from(ty.bits()));
                let clamped = self.b().umin(v, most);
                self.b().trunc(clamped, ty.lane())
            }
            _ => v,
        };
        self.like(v, ty)
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

    /// `v` times a constant.
    pub fn scale(&mut self, v: Value, factor: f32) -> Value {
        let factor = self.fconst(v, factor);
        self.b().fmul(v, factor)
    }

    /// `a * b + c`, which the target may fuse.
    pub fn mad(&mut self, a: Value, b: Value, c: Value) -> Value {
        let fp = self.fp;
        self.fp = if self.m.exact { fp } else { fp.with(ir::FpFlags::CONTRACT) };
        let product = self.b().fmul(a, b);
        let sum = self.b().fadd(product, c);
        self.fp = fp;
        sum
    }

    /// Whether a float is the constant 2 in every lane.
    fn is_two(&self, v: Value) -> bool {
        self.f.as_const(v).and_then(ir::Const::uniform_bits).is_some_and(|bits| match self.f.ty(v).scalar() {
            ir::Scalar::F16 => bits == 0x4000,
            ir::Scalar::F32 => bits == u64::from(2f32.to_bits()),
            ir::Scalar::F64 => bits == 2f64.to_bits(),
            _ => false,
        })
    }

    fn length(&mut self, v: Value) -> Value {
        if !self.f.ty(v).is_vector() {
            return self.b().fabs(v);
        }
        let square = self.b().fdot(v, v);
        self.b().fsqrt(square)
    }

    fn refract(&mut self, incident: Value, normal: Value, ratio: Value) -> Value {
        let ty = self.f.ty(incident);
        let dot = self.b().fdot(normal, incident);
        let one = self.fconst(dot, 1.0);
        let zero = self.fconst(dot, 0.0);
        let mut b = self.b();
        let square = b.fmul(dot, dot);
        let rest = b.fsub(one, square);
        let ratio2 = b.fmul(ratio, ratio);
        let scaled = b.fmul(ratio2, rest);
        let k = b.fsub(one, scaled);
        let total = b.fcmp(FloatCc::Olt, k, zero);
        // The root of a negative k is not used; keep it out of NaN all the same.
        let positive = b.fmax(k, zero);
        let root = b.fsqrt(positive);
        let along = b.fmul(ratio, dot);
        let factor = b.fadd(along, root);
        let (ratio, factor) = (self.like(ratio, ty), self.like(factor, ty));
        let mut b = self.b();
        let bent = b.fmul(ratio, incident);
        let pull = b.fmul(factor, normal);
        let through = b.fsub(bent, pull);
        let none = self.f.zero(ty);
        self.b().select(total, none, through)
    }

    fn modf(&mut self, x: Value) -> Val {
        let whole = self.b().ftrunc(x);
        let fract = self.b().fsub(x, whole);
        Val::parts(vec![Val::One(fract), Val::One(whole)])
    }

    /// `x = fract * 2^exp` with `fract` in [0.5, 1). Zero and subnormal input (which WGSL leaves open) come back with exponent 0.
    fn frexp(&mut self, x: Value) -> Lowered<Val> {
        let ty = self.f.ty(x);
        let (mantissa_bits, bias, exponent_mask) = match ty.scalar() {
            Scalar::F16 => (10, 14, 0x1f),
            Scalar::F32 => (23, 126, 0xff),
            Scalar::F64 => (52, 1022, 0x7ff),
            _ => return self.broken("frexp of no float"),
        };
        let bits = self.bitcast(x, ty.to_int());
        let shift = self.iconst(bits, mantissa_bits);
        let mask = self.iconst(bits, exponent_mask);
        let zero = self.iconst(bits, 0);
        let bias_value = self.iconst(bits, bias);
        // The sign and significand of x with the exponent of 0.5.
        let keep = self.iconst(bits, !(exponent_mask << mantissa_bits));
        let half = self.iconst(bits, bias << mantissa_bits);
        let mut b = self.b();
        let shifted = b.ushr(bits, shift);
        let biased = b.and(shifted, mask);
        let small = b.icmp(IntCc::Eq, biased, zero);
        let exponent = b.isub(biased, bias_value);
        let exponent = b.select(small, zero, exponent);
        let kept = b.and(bits, keep);
        let scaled = b.or(kept, half);
        let fraction_bits = b.select(small, bits, scaled);
        let fract = b.bitcast(fraction_bits, ty);
        let word = Type::I32.with_lanes(ty.lanes());
        let exponent = match ty.scalar() {
            // naga's type for it has 16 bits.
            Scalar::F64 => self.b().trunc(exponent, word),
            _ => exponent,
        };
        Ok(Val::parts(vec![Val::One(fract), Val::One(exponent)]))
    }

    /// GLSL's and SPIR-V's outer product: column c is the first vector times lane c of the second.
    fn outer(&mut self, a: Value, b: Value, ty: Ty) -> Lowered<Val> {
        let lanes = self.f.ty(b).lanes();
        if !matches!(ty, Ty::Vector(n, _) if n == lanes) {
            return self.unsupported(ir::Refusal::OuterProduct, "the outer product of vectors of different lengths");
        }
        let columns = (0..lanes).map(|lane| {
            let factor = self.extract(b, lane);
            let factor = self.like(factor, self.f.ty(a));
            self.b().fmul(a, factor)
        });
        Ok(Self::matrix(columns.collect()))
    }

    fn transpose(&mut self, columns: &[Value]) -> Val {
        let rows = columns.first().map_or(0, |&c| self.f.ty(c).lanes());
        let mut out = Vec::new();
        for row in 0..rows {
            let lanes: Vec<Value> = columns.iter().map(|&column| self.extract(column, row)).collect();
            out.push(self.compose(&lanes));
        }
        Self::matrix(out)
    }

    /// `a * d - b * c`.
    fn det2(&mut self, a: Value, b: Value, c: Value, d: Value) -> Value {
        let mut build = self.b();
        let (first, second) = (build.fmul(a, d), build.fmul(b, c));
        build.fsub(first, second)
    }

    /// The elements by column and row.
    fn elements(&mut self, columns: &[Value]) -> Vec<Vec<Value>> {
        let lanes = columns.len() as u32;
        columns.iter().map(|&c| (0..lanes).map(|lane| self.extract(c, lane)).collect()).collect()
    }

    fn determinant(&mut self, columns: &[Value]) -> Lowered<Value> {
        let (m, own) = self.wide_elements(columns);
        match m.len() {
            2..=4 => {
                let det = self.det(&m);
                Ok(self.rounded(det, own))
            }
            _ => self.broken("the determinant of no matrix"),
        }
    }

    /// The elements of a matrix, halves as floats: sums of products cancel, and are rounded once. With the scalar that they were.
    fn wide_elements(&mut self, columns: &[Value]) -> (Vec<Vec<Value>>, ir::Scalar) {
        let mut m = self.elements(columns);
        let own = m.first().and_then(|c| c.first()).map_or(ir::Scalar::F32, |&v| self.f.ty(v).scalar());
        if own == ir::Scalar::F16 {
            for v in m.iter_mut().flatten() {
                *v = self.b().f2f(*v, ir::Type::F32);
            }
        }
        (m, own)
    }

    /// A float as one of that scalar type.
    fn rounded(&mut self, v: Value, own: ir::Scalar) -> Value {
        let ty = self.f.ty(v);
        if ty.scalar() == own { v } else { self.b().f2f(v, ty.with_scalar(own)) }
    }

    /// Expansion along the first column.
    fn det(&mut self, m: &[Vec<Value>]) -> Value {
        if m.len() == 2 {
            return self.det2(m[0][0], m[1][0], m[0][1], m[1][1]);
        }
        let mut sum = None;
        for row in 0..m.len() {
            let minor = self.minor(m, 0, row);
            let term = self.b().fmul(m[0][row], minor);
            sum = Some(match sum {
                None => term,
                Some(sum) if row % 2 == 1 => self.b().fsub(sum, term),
                Some(sum) => self.b().fadd(sum, term),
            });
        }
        sum.unwrap_or(m[0][0])
    }

    /// The determinant without one column and row.
    fn minor(&mut self, m: &[Vec<Value>], column: usize, row: usize) -> Value {
        let keep = |skip: usize| (0..m.len()).filter(move |&i| i != skip);
        let rest: Vec<Vec<Value>> = keep(column).map(|c| keep(row).map(|r| m[c][r]).collect()).collect();
        if rest.len() == 1 { rest[0][0] } else { self.det(&rest) }
    }

    /// The adjugate over the determinant; nothing is promised of singular matrices.
    fn inverse(&mut self, columns: &[Value]) -> Lowered<Val> {
        let (m, own) = self.wide_elements(columns);
        if !(2..=4).contains(&m.len()) {
            return self.broken("the inverse of no matrix");
        }
        let det = self.det(&m);
        let one = self.fconst(det, 1.0);
        let factor = self.b().fdiv(one, det);
        let mut out = Vec::new();
        for column in 0..m.len() {
            let mut lanes = Vec::new();
            for row in 0..m.len() {
                // The cofactor of the transposed place.
                let minor = self.minor(&m, row, column);
                let scaled = self.b().fmul(minor, factor);
                lanes.push(if (row + column) % 2 == 1 { self.b().fneg(scaled) } else { scaled });
            }
            let column = self.compose(&lanes);
            out.push(self.rounded(column, own));
        }
        Ok(Self::matrix(out))
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
