//! Reference values of the special functions: computed in f64 by the pinned `libm` crate and rounded once, so within
//! a hair of half an ulp. Machines with documented tables have their own; these are what the oracle uses, and what
//! errors are measured against.

use core::primitive::{f32, f64};

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident = $f:expr;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(x: f32) -> f32 {
            let f: fn(f64) -> f64 = $f;
            canonical(f(f64::from(x)))
        }
    )*};
}

#[inline]
fn canonical(x: f64) -> f32 {
    if x.is_nan() { crate::NAN32 } else { x as f32 }
}

unary! {
    /// `1 / x`.
    rcp = |x| 1.0 / x;
    /// `1 / sqrt(x)`.
    rsqrt = |x| 1.0 / x.sqrt();
    /// `2^x`.
    exp2 = libm::exp2;
    /// Base 2 logarithm.
    log2 = libm::log2;
    /// `e^x`.
    exp = libm::exp;
    /// Natural logarithm.
    log = libm::log;
    /// Sine.
    sin = libm::sin;
    /// Cosine.
    cos = libm::cos;
    /// Tangent.
    tan = libm::tan;
    /// Arc sine.
    asin = libm::asin;
    /// Arc cosine.
    acos = libm::acos;
    /// Arc tangent.
    atan = libm::atan;
    /// Hyperbolic sine.
    sinh = libm::sinh;
    /// Hyperbolic cosine.
    cosh = libm::cosh;
    /// Hyperbolic tangent.
    tanh = libm::tanh;
    /// Inverse hyperbolic sine.
    asinh = libm::asinh;
    /// Inverse hyperbolic cosine.
    acosh = libm::acosh;
    /// Inverse hyperbolic tangent.
    atanh = libm::atanh;
    /// Cube root.
    cbrt = libm::cbrt;
}

/// The approximation of `exact`: the nearest float, or with a seed either of the two floats next to it, less
/// than a unit in the last place away. What a float has exactly stays, as does what is no normal number. The same seed
/// and value always give the same float, as a function of hardware does.
pub fn approximate(exact: f64, seed: Option<u64>) -> f32 {
    let near = canonical(exact);
    let (size, rounded) = (exact.abs(), f64::from(near).abs());
    let Some(seed) = seed.filter(|_| near.is_normal() && size != rounded) else { return near };
    let other = f32::from_bits(if size > rounded { near.to_bits() + 1 } else { near.to_bits() - 1 });
    if other.is_normal() && draw(seed, exact.to_bits(), 2) == 1 { other } else { near }
}

/// A number below `n` that a seed and a value determine.
pub fn draw(seed: u64, value: u64, n: u64) -> u64 {
    let mut h = seed ^ value;
    h = (h ^ h >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ h >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((h >> 32) * n) >> 32
}

/// `x^y`; a negative base with a fractional exponent is NaN.
#[inline]
pub fn pow(x: f32, y: f32) -> f32 {
    canonical(libm::pow(f64::from(x), f64::from(y)))
}

/// Angle of the point (x, y).
#[inline]
pub fn atan2(y: f32, x: f32) -> f32 {
    canonical(libm::atan2(f64::from(y), f64::from(x)))
}

/// f64 functions, for machines that compute tables or check errors.
pub mod wide {
    use core::primitive::f64;

    /// The power `2^x` in f64.
    pub fn exp2(x: f64) -> f64 {
        libm::exp2(x)
    }

    /// The base 2 logarithm in f64.
    pub fn log2(x: f64) -> f64 {
        libm::log2(x)
    }

    /// The sine in f64, of radians.
    pub fn sin(x: f64) -> f64 {
        libm::sin(x)
    }

    /// The cosine in f64, of radians.
    pub fn cos(x: f64) -> f64 {
        libm::cos(x)
    }

    /// The natural logarithm in f64.
    pub fn log(x: f64) -> f64 {
        libm::log(x)
    }

    /// The exponential `e^x` in f64.
    pub fn exp(x: f64) -> f64 {
        libm::exp(x)
    }

    /// The arc tangent in f64, in radians.
    pub fn atan(x: f64) -> f64 {
        libm::atan(x)
    }

    /// The power `x^y` in f64.
    pub fn pow(x: f64, y: f64) -> f64 {
        libm::pow(x, y)
    }
}
