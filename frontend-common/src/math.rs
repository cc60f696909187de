//! Functions of scalars and vectors. Accuracy is WGSL's table; where a function inherits its error from a formula, that formula is used.

use crate::code::Code;
use gpucc_ir as ir;
use ir::{FloatCc, IntCc, Scalar, Type, Value};

impl Code {
    /// `x` limited to `low` from below, then to `high` from above; floats.
    pub fn fclamp(&mut self, x: Value, low: Value, high: Value) -> Value {
        let low = self.b().fmax(x, low);
        self.b().fmin(low, high)
    }

    /// The power `x^y`, by products where `y` is a whole constant.
    pub fn pow(&mut self, x: Value, y: Value) -> Value {
        // Products know the powers of negative numbers; by logarithms they would be NaN.
        if let Some(n) = self.whole_power(y) {
            // A square is rounded once; halves would be rounded after each product.
            return if n > 2 && self.f.ty(x).scalar() == Scalar::F16 {
                self.in_f32(&[x], |cx, a| cx.products(a[0], n))
            } else {
                self.products(x, n)
            };
        }
        self.in_f32(&[x, y], |cx, a| {
            let log = cx.b().flog2(a[0]);
            let product = cx.b().fmul(a[1], log);
            cx.b().fexp2(product)
        })
    }

    /// `x^n` by squares and products; `n` is at least 1.
    fn products(&mut self, x: Value, n: u32) -> Value {
        // The highest bit is the base itself.
        (0..n.ilog2()).rev().fold(x, |power, k| {
            let square = self.b().fmul(power, power);
            if n >> k & 1 == 1 { self.b().fmul(square, x) } else { square }
        })
    }

    /// The exponent that is a constant in every lane and takes at most three products, the work of a logarithm and an exponential.
    fn whole_power(&self, v: Value) -> Option<u32> {
        let bits = self.f.as_const(v).and_then(ir::Const::uniform_bits)?;
        [2u32, 3, 4, 5, 6, 8].into_iter().find(|&n| {
            let n = n as f32;
            match self.f.ty(v).scalar() {
                // A whole number of few bits: the exponent has another bias, the fraction fewer bits.
                Scalar::F16 => bits == u64::from((n.to_bits() >> 13) - (112 << 10)),
                Scalar::F32 => bits == u64::from(n.to_bits()),
                Scalar::F64 => bits == f64::from(n).to_bits(),
                _ => false,
            }
        })
    }

    /// The cross product of vectors of three lanes.
    pub fn cross(&mut self, x: Value, y: Value) -> Value {
        let (x1, y1) = (self.swizzle(x, &[1, 2, 0]), self.swizzle(y, &[2, 0, 1]));
        let (x2, y2) = (self.swizzle(x, &[2, 0, 1]), self.swizzle(y, &[1, 2, 0]));
        let mut b = self.b();
        let (first, second) = (b.fmul(x1, y1), b.fmul(x2, y2));
        b.fsub(first, second)
    }

    /// The dot product; of scalars the product.
    pub fn dot(&mut self, x: Value, y: Value) -> Value {
        if self.f.ty(x).is_vector() { self.b().fdot(x, y) } else { self.b().fmul(x, y) }
    }

    /// The length of a vector, the magnitude of a scalar.
    pub fn length(&mut self, v: Value) -> Value {
        if !self.f.ty(v).is_vector() {
            return self.b().fabs(v);
        }
        let square = self.b().fdot(v, v);
        self.b().fsqrt(square)
    }

    /// The length of the difference.
    pub fn distance(&mut self, x: Value, y: Value) -> Value {
        let difference = self.b().fsub(x, y);
        self.length(difference)
    }

    /// The vector of length 1 in this direction.
    pub fn normalize(&mut self, x: Value) -> Value {
        let square = self.b().fdot(x, x);
        let factor = self.b().frsqrt(square);
        let factor = self.like(factor, self.f.ty(x));
        self.b().fmul(x, factor)
    }

    /// `x` where `dot(z, y)` is negative, else `-x`.
    pub fn face_forward(&mut self, x: Value, y: Value, z: Value) -> Value {
        let dot = self.dot(y, z);
        let zero = self.fconst(dot, 0.0);
        let away = self.b().fcmp(FloatCc::Olt, dot, zero);
        let negated = self.b().fneg(x);
        self.b().select(away, x, negated)
    }

    /// The direction of `x` after a reflection at a plane with the normal `y`.
    pub fn reflect(&mut self, x: Value, y: Value) -> Value {
        let dot = self.dot(y, x);
        let twice = self.b().fadd(dot, dot);
        let twice = self.like(twice, self.f.ty(y));
        let offset = self.b().fmul(twice, y);
        self.b().fsub(x, offset)
    }

    /// The direction after a refraction; zero where all is reflected.
    pub fn refract(&mut self, incident: Value, normal: Value, ratio: Value) -> Value {
        let ty = self.f.ty(incident);
        let dot = self.dot(normal, incident);
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

    /// `x * (1 - z) + y * z`, or `x + (y - x) * z` where a target is better at that: `reassoc` of the sum says so.
    pub fn mix(&mut self, x: Value, y: Value, z: Value) -> Value {
        let ty = self.f.ty(x);
        let z = self.like(z, ty);
        let one = self.fconst(z, 1.0);
        let mut b = self.b();
        let rest = b.fsub(one, z);
        let (first, second) = (b.fmul(x, rest), b.fmul(y, z));
        let fp = self.fp;
        self.fp = if self.exact { fp } else { fp.with(ir::FpFlags::REASSOC) };
        let sum = self.b().fadd(first, second);
        self.fp = fp;
        sum
    }

    /// 1 where `y` has reached `x`, else 0.
    pub fn step(&mut self, x: Value, y: Value) -> Value {
        let (one, zero) = (self.fconst(x, 1.0), self.fconst(x, 0.0));
        let reached = self.b().fcmp(FloatCc::Ole, x, y);
        self.b().select(reached, one, zero)
    }

    /// The smooth step that is 0 at `x` and 1 at `y`.
    pub fn smooth_step(&mut self, x: Value, y: Value, z: Value) -> Value {
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

    /// `v` times a constant.
    pub fn scale(&mut self, v: Value, factor: f32) -> Value {
        let factor = self.fconst(v, factor);
        self.b().fmul(v, factor)
    }

    /// `a * b + c`, which the target may fuse.
    pub fn mad(&mut self, a: Value, b: Value, c: Value) -> Value {
        let fp = self.fp;
        self.fp = if self.exact { fp } else { fp.with(ir::FpFlags::CONTRACT) };
        let product = self.b().fmul(a, b);
        let sum = self.b().fadd(product, c);
        self.fp = fp;
        sum
    }

    /// The fraction and the whole part.
    pub fn modf(&mut self, x: Value) -> (Value, Value) {
        let whole = self.b().ftrunc(x);
        (self.b().fsub(x, whole), whole)
    }

    /// `x = fract * 2^exp` with `fract` in [0.5, 1), and the exponent in as many bits as the float has. Zero and subnormal input
    /// (which WGSL leaves open) come back with exponent 0. None of what is no float.
    pub fn frexp(&mut self, x: Value) -> Option<(Value, Value)> {
        let ty = self.f.ty(x);
        let (mantissa_bits, bias, exponent_mask) = match ty.scalar() {
            Scalar::F16 => (10, 14, 0x1f),
            Scalar::F32 => (23, 126, 0xff),
            Scalar::F64 => (52, 1022, 0x7ff),
            _ => return None,
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
        Some((fract, exponent))
    }

    /// `all` of a vector of booleans, or `any`.
    pub fn all_or_any(&mut self, v: Value, all: bool) -> Value {
        let mut result = self.extract(v, 0);
        for lane in 1..self.f.ty(v).lanes() {
            let next = self.extract(v, lane);
            result = if all { self.b().and(result, next) } else { self.b().or(result, next) };
        }
        result
    }

    /// Whether a float is NaN. The source asks about it, so the licence to assume that there is none does not hold here.
    pub fn is_nan(&mut self, v: Value) -> Value {
        self.exactly(|cx| cx.b().fcmp(FloatCc::Uno, v, v))
    }

    /// Whether a float is infinite.
    pub fn is_inf(&mut self, v: Value) -> Value {
        self.exactly(|cx| {
            let magnitude = cx.b().fabs(v);
            let infinity = cx.fconst(v, f32::INFINITY);
            cx.b().fcmp(FloatCc::Oeq, magnitude, infinity)
        })
    }

    /// -1, 0 or 1 by the sign of an integer.
    pub fn int_sign(&mut self, x: Value) -> Value {
        let (one, minus_one) = (self.iconst(x, 1), self.iconst(x, -1));
        let low = self.b().smax(x, minus_one);
        self.b().smin(low, one)
    }

    /// `x` limited to `low` from below, then to `high` from above; integers.
    pub fn iclamp(&mut self, signed: bool, x: Value, low: Value, high: Value) -> Value {
        let mut b = self.b();
        if signed {
            let low = b.smax(x, low);
            b.smin(low, high)
        } else {
            let low = b.umax(x, low);
            b.umin(low, high)
        }
    }

    /// The sum of the products of integer lanes.
    pub fn int_dot(&mut self, x: Value, y: Value) -> Value {
        let products = self.b().imul(x, y);
        let mut sum = self.extract(products, 0);
        for lane in 1..self.f.ty(x).lanes() {
            let product = self.extract(products, lane);
            sum = self.b().iadd(sum, product);
        }
        sum
    }

    /// The place of the highest bit, of a signed integer of the highest that differs from the sign; -1 if there is none.
    pub fn first_leading_bit(&mut self, x: Value, signed: bool) -> Value {
        let bits = i64::from(self.f.ty(x).bits());
        // clz of 0 is the width, which gives -1.
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

    /// The place of the lowest bit; -1 if there is none.
    pub fn first_trailing_bit(&mut self, x: Value) -> Value {
        let (zero, none) = (self.iconst(x, 0), self.iconst(x, -1));
        let empty = self.b().icmp(IntCc::Eq, x, zero);
        let count = self.b().ctz(x);
        self.b().select(empty, none, count)
    }

    /// An offset or count of bits (an unsigned scalar) in the type of the value it is applied to.
    pub fn bit_operand(&mut self, v: Value, ty: Type) -> Value {
        let from = self.f.ty(v);
        let v = if from.bits() > ty.bits() {
            // Clamped first: narrowing must not turn a large count into a small one.
            let most = self.iconst(v, i64::from(ty.bits()));
            let clamped = self.b().umin(v, most);
            self.b().trunc(clamped, from.with_scalar(ty.scalar()))
        } else {
            self.resize(v, ty.scalar(), false)
        };
        self.like(v, ty)
    }

    /// The four bytes of a word as lanes.
    pub fn unpack_bytes(&mut self, x: Value, signed: bool) -> Value {
        let eight = self.iconst(x, 8);
        let lanes: Vec<Value> = (0..4)
            .map(|lane| {
                let at = self.iconst(x, lane * 8);
                if signed { self.b().sbfe(x, at, eight) } else { self.b().ubfe(x, at, eight) }
            })
            .collect();
        self.compose(&lanes)
    }
}
