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

    /// `2^x`.
    pub fn exp2(x: f64) -> f64 {
        libm::exp2(x)
    }

    /// Base 2 logarithm.
    pub fn log2(x: f64) -> f64 {
        libm::log2(x)
    }

    /// Sine.
    pub fn sin(x: f64) -> f64 {
        libm::sin(x)
    }

    /// Cosine.
    pub fn cos(x: f64) -> f64 {
        libm::cos(x)
    }

    /// Natural logarithm.
    pub fn log(x: f64) -> f64 {
        libm::log(x)
    }

    /// `e^x`.
    pub fn exp(x: f64) -> f64 {
        libm::exp(x)
    }

    /// Arc tangent.
    pub fn atan(x: f64) -> f64 {
        libm::atan(x)
    }

    /// `x^y`.
    pub fn pow(x: f64, y: f64) -> f64 {
        libm::pow(x, y)
    }
}
