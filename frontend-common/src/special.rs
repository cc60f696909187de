//! Transcendental functions that the IR has no op for, from `fexp2`, `flog2`, `fsqrt` and polynomials.
//!
//! Everything here is computed in f32 (f16 arguments are widened: the bounds for f16 are tighter than f16 arithmetic
//! allows) and with no float licence but contraction. Polynomials: Abramowitz & Stegun, Handbook of Mathematical Functions,
//! 4.4.46 and 4.4.49, whose stated errors are 2e-8; series near zero are Taylor's.

use crate::code::Code;
use gpucc_ir as ir;
use ir::{FloatCc, Scalar, Value};
use std::f32::consts::{FRAC_PI_2, LN_2, LOG2_E, PI};

/// acos(x) / sqrt(1 - x) on [0, 1], ascending powers: A&S 4.4.46.
const ACOS: [f32; 8] = [
    FRAC_PI_2,
    -0.214_598_8,
    0.088_978_99,
    -0.050_174_303,
    0.030_891_88,
    -0.017_088_126,
    0.006_670_09,
    -0.001_262_491_1,
];
/// atan(x) / x on [-1, 1] in powers of x^2: A&S 4.4.49.
const ATAN: [f32; 9] = [
    1.0,
    -0.333_331_45,
    0.199_935_5,
    -0.142_089,
    0.106_562_64,
    -0.075_289_64,
    0.042_909_614,
    -0.016_165_737,
    0.002_866_225_7,
];
/// sinh(x) / x near 0 in powers of x^2.
const SINH: [f32; 3] = [1.0, 1.0 / 6.0, 1.0 / 120.0];
/// tanh(x) / x near 0 in powers of x^2.
const TANH: [f32; 4] = [1.0, -1.0 / 3.0, 2.0 / 15.0, -17.0 / 315.0];
/// Largest magnitude at which the series above are better than differences of exponentials.
const SERIES: f32 = 0.25;

impl Code {
    /// Builds a function of f32 values; arguments of another width are converted there and the result back.
    pub fn in_f32(&mut self, args: &[Value], build: impl FnOnce(&mut Self, &[Value]) -> Value) -> Value {
        let ty = self.f.ty(args[0]);
        self.exactly(|cx| {
            if ty.scalar() == Scalar::F32 {
                return build(cx, args);
            }
            let wide: Vec<Value> = args
                .iter()
                .map(|&a| {
                    let to = cx.f.ty(a).with_scalar(Scalar::F32);
                    cx.b().f2f(a, to)
                })
                .collect();
            let result = build(cx, &wide);
            let back = cx.f.ty(result).with_scalar(ty.scalar());
            cx.b().f2f(result, back)
        })
    }

    /// A polynomial with ascending coefficients.
    fn polynomial(&mut self, x: Value, coefficients: &[f32]) -> Value {
        let mut descending = coefficients.iter().rev();
        let first = descending.next().copied().unwrap_or(0.0);
        let mut sum = self.fconst(x, first);
        for &c in descending {
            let c = self.fconst(x, c);
            sum = self.mad(sum, x, c);
        }
        sum
    }

    /// `magnitude` with its sign changed where `x` is negative.
    fn with_sign_of(&mut self, magnitude: Value, x: Value) -> Value {
        let zero = self.fconst(x, 0.0);
        let negative = self.b().fcmp(FloatCc::Olt, x, zero);
        let negated = self.b().fneg(magnitude);
        self.b().select(negative, negated, magnitude)
    }

    /// `e^x`: (3 + 2|x|) ULP.
    pub fn exp(&mut self, x: Value) -> Value {
        let power = self.scale(x, LOG2_E);
        self.b().fexp2(power)
    }

    /// The natural logarithm of `x`.
    pub fn log(&mut self, x: Value) -> Value {
        let log = self.b().flog2(x);
        self.scale(log, LN_2)
    }

    /// `e^x / 2` and `e^-x / 2`. Halving in the exponent keeps the results finite as long as the sum is.
    fn half_exponentials(&mut self, x: Value) -> (Value, Value) {
        let power = self.scale(x, LOG2_E);
        let one = self.fconst(x, 1.0);
        let mut b = self.b();
        let up = b.fsub(power, one);
        let negated = b.fneg(power);
        let down = b.fsub(negated, one);
        (b.fexp2(up), b.fexp2(down))
    }

    /// `x * p(x^2)` where |x| is small, `other` elsewhere.
    fn series_near_zero(&mut self, x: Value, coefficients: &[f32], other: Value) -> Value {
        let square = self.b().fmul(x, x);
        let sum = self.polynomial(square, coefficients);
        let series = self.b().fmul(x, sum);
        let magnitude = self.b().fabs(x);
        let limit = self.fconst(x, SERIES);
        let small = self.b().fcmp(FloatCc::Olt, magnitude, limit);
        self.b().select(small, series, other)
    }

    /// The hyperbolic sine of `x`.
    pub fn sinh(&mut self, x: Value) -> Value {
        let (up, down) = self.half_exponentials(x);
        let difference = self.b().fsub(up, down);
        self.series_near_zero(x, &SINH, difference)
    }

    /// The hyperbolic cosine of `x`.
    pub fn cosh(&mut self, x: Value) -> Value {
        let (up, down) = self.half_exponentials(x);
        self.b().fadd(up, down)
    }

    /// The hyperbolic tangent: (e^2x - 1) / (e^2x + 1), 1 - 2e-9 being 1 beyond 10.
    pub fn tanh(&mut self, x: Value) -> Value {
        let (low, high) = (self.fconst(x, -10.0), self.fconst(x, 10.0));
        let above = self.b().fmax(x, low);
        let bounded = self.b().fmin(above, high);
        let power = self.scale(bounded, 2.0 * LOG2_E);
        let one = self.fconst(x, 1.0);
        let mut b = self.b();
        let e = b.fexp2(power);
        let (above, below) = (b.fsub(e, one), b.fadd(e, one));
        let quotient = b.fdiv(above, below);
        self.series_near_zero(x, &TANH, quotient)
    }

    /// sign(x) * log(|x| + sqrt(x^2 + 1)): the sign outside keeps negative arguments from cancelling.
    pub fn asinh(&mut self, x: Value) -> Value {
        let one = self.fconst(x, 1.0);
        let magnitude = self.b().fabs(x);
        let square = self.mad(x, x, one);
        let root = self.b().fsqrt(square);
        let sum = self.b().fadd(magnitude, root);
        let log = self.log(sum);
        self.with_sign_of(log, x)
    }

    /// The inverse hyperbolic cosine: log(x + sqrt(x^2 - 1)).
    pub fn acosh(&mut self, x: Value) -> Value {
        let minus_one = self.fconst(x, -1.0);
        let square = self.mad(x, x, minus_one);
        let root = self.b().fsqrt(square);
        let sum = self.b().fadd(x, root);
        self.log(sum)
    }

    /// log((1 + x) / (1 - x)) / 2.
    pub fn atanh(&mut self, x: Value) -> Value {
        let one = self.fconst(x, 1.0);
        let mut b = self.b();
        let (above, below) = (b.fadd(one, x), b.fsub(one, x));
        let quotient = b.fdiv(above, below);
        let log = b.flog2(quotient);
        self.scale(log, 0.5 * LN_2)
    }

    /// acos of |x|.
    fn acos_of_magnitude(&mut self, x: Value) -> Value {
        let magnitude = self.b().fabs(x);
        let one = self.fconst(x, 1.0);
        let rest = self.b().fsub(one, magnitude);
        let root = self.b().fsqrt(rest);
        let sum = self.polynomial(magnitude, &ACOS);
        self.b().fmul(root, sum)
    }

    /// The arc cosine, in radians.
    pub fn acos(&mut self, x: Value) -> Value {
        let angle = self.acos_of_magnitude(x);
        let pi = self.fconst(x, PI);
        let zero = self.fconst(x, 0.0);
        let mut b = self.b();
        let mirrored = b.fsub(pi, angle);
        let negative = b.fcmp(FloatCc::Olt, x, zero);
        b.select(negative, mirrored, angle)
    }

    /// The arc sine, in radians.
    pub fn asin(&mut self, x: Value) -> Value {
        let angle = self.acos_of_magnitude(x);
        let right = self.fconst(x, FRAC_PI_2);
        let rest = self.b().fsub(right, angle);
        self.with_sign_of(rest, x)
    }

    /// atan of a value in [0, 1].
    fn atan_of_ratio(&mut self, t: Value) -> Value {
        let square = self.b().fmul(t, t);
        let sum = self.polynomial(square, &ATAN);
        self.b().fmul(t, sum)
    }

    /// The arc tangent, in radians.
    pub fn atan(&mut self, x: Value) -> Value {
        let one = self.fconst(x, 1.0);
        let right = self.fconst(x, FRAC_PI_2);
        let mut b = self.b();
        let magnitude = b.fabs(x);
        let steep = b.fcmp(FloatCc::Ogt, magnitude, one);
        let inverse = b.fdiv(one, magnitude);
        let ratio = b.select(steep, inverse, magnitude);
        let angle = self.atan_of_ratio(ratio);
        let mut b = self.b();
        let rest = b.fsub(right, angle);
        let angle = b.select(steep, rest, angle);
        self.with_sign_of(angle, x)
    }

    /// The angle of the point (x, y): the octant is found first, so that the quotient is at most 1.
    pub fn atan2(&mut self, y: Value, x: Value) -> Value {
        let zero = self.fconst(x, 0.0);
        let (right, pi) = (self.fconst(x, FRAC_PI_2), self.fconst(x, PI));
        let mut b = self.b();
        let (ax, ay) = (b.fabs(x), b.fabs(y));
        let steep = b.fcmp(FloatCc::Ogt, ay, ax);
        let (less, greater) = (b.fmin(ax, ay), b.fmax(ax, ay));
        let quotient = b.fdiv(less, greater);
        // The origin has no angle: 0, not the NaN of 0 / 0.
        let origin = b.fcmp(FloatCc::Oeq, greater, zero);
        let ratio = b.select(origin, zero, quotient);
        let angle = self.atan_of_ratio(ratio);
        let mut b = self.b();
        let rest = b.fsub(right, angle);
        let angle = b.select(steep, rest, angle);
        let behind = b.fcmp(FloatCc::Olt, x, zero);
        let mirrored = b.fsub(pi, angle);
        let angle = b.select(behind, mirrored, angle);
        self.with_sign_of(angle, y)
    }
}
