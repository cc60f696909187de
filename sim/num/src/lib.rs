//! Exact integer and float semantics, the same on every host.
//!
//! f32 and f64 values are passed as such, f16 values as their bits in a `u16`. Arithmetic whose result is NaN returns
//! the positive quiet NaN with an empty payload ([`NAN32`], [`NAN16`], [`NAN64`]), since the payload that a host
//! gives is not defined; families that propagate payloads look at their operands first. Functions without a
//! [`Mode`] keep denormals and round to nearest even.
//!
//! Nothing here uses the host's mathematical library: `+ - * /` and square root are exact IEEE operations everywhere,
//! all other functions are our own or those of the pinned `libm` crate.

pub mod convert;
pub mod f16;
pub mod f32;
pub mod f64;
mod hard;
pub mod int;
pub mod pack;
pub mod special;

/// The NaN that f32 arithmetic returns.
pub const NAN32: core::primitive::f32 = core::primitive::f32::from_bits(0x7fc0_0000);
/// The NaN that f16 arithmetic returns.
pub const NAN16: u16 = 0x7e00;
/// The NaN that f64 arithmetic returns.
pub const NAN64: core::primitive::f64 = core::primitive::f64::from_bits(0x7ff8_0000_0000_0000);

/// Direction in which results are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Round {
    /// Rounds to nearest, ties to even.
    #[default]
    Nearest,
    /// Rounds toward positive infinity.
    Up,
    /// Rounds toward negative infinity.
    Down,
    /// Rounds toward zero.
    Zero,
}

/// Rounding and denormals of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// Direction in which the result is rounded.
    pub round: Round,
    /// Denormal operands count as zero of their sign.
    pub flush_in: bool,
    /// Denormal results (after rounding) become zero of their sign.
    pub flush_out: bool,
}

impl Mode {
    /// Nearest even, denormals kept.
    pub const IEEE: Mode = Mode { round: Round::Nearest, flush_in: false, flush_out: false };
    /// Nearest even, denormals flushed on both sides.
    pub const FLUSH: Mode = Mode { round: Round::Nearest, flush_in: true, flush_out: true };

    /// The same with another rounding.
    #[must_use]
    pub const fn rounding(self, round: Round) -> Mode {
        Mode { round, ..self }
    }
}

/// What an expression gives for a mode, compiled once for each of the common modes: a loop over lanes then has no test of it inside.
#[macro_export]
macro_rules! with_mode {
    ($mode:expr, |$known:ident| $body:expr) => {
        match $mode {
            $crate::Mode::IEEE => {
                const $known: $crate::Mode = $crate::Mode::IEEE;
                $body
            }
            $crate::Mode::FLUSH => {
                const $known: $crate::Mode = $crate::Mode::FLUSH;
                $body
            }
            other => {
                #[allow(non_snake_case, reason = "a constant in the other arms")]
                let $known = other;
                $body
            }
        }
    };
}

/// The results of minimum and maximum for NaN and for zeros of different sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MinMax {
    /// A number wins over NaN; -0 is less than +0; two NaN give the default NaN (IEEE 754-2019 minimumNumber).
    #[default]
    Number,
    /// NaN wins; -0 is less than +0 (IEEE 754-2019 minimum).
    Propagate,
    /// `b < a ? b : a` for min, `a < b ? b : a` for max: WGSL's formula; a NaN gives the first operand.
    First,
    /// `a < b ? a : b` for min, `a >= b ? a : b` for max: a NaN gives the second operand.
    Second,
}

/// Class of a float; each is one bit of the mask that class instructions take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Signalling NaN.
    SignallingNan = 0,
    /// Quiet NaN.
    QuietNan = 1,
    /// Negative infinity.
    NegInf = 2,
    /// Negative normal.
    NegNormal = 3,
    /// Negative denormal.
    NegDenormal = 4,
    /// Negative zero.
    NegZero = 5,
    /// Positive zero.
    PosZero = 6,
    /// Positive denormal.
    PosDenormal = 7,
    /// Positive normal.
    PosNormal = 8,
    /// Positive infinity.
    PosInf = 9,
}

/// Class of a float given by its bits, the number of exponent bits and the number of fraction bits.
#[inline]
pub fn classify(bits: u64, exponent_bits: u32, fraction_bits: u32) -> Class {
    let fraction = bits & ((1 << fraction_bits) - 1);
    let top = (1_u64 << exponent_bits) - 1;
    let exponent = bits >> fraction_bits & top;
    let negative = bits >> (fraction_bits + exponent_bits) & 1 != 0;
    match (exponent, fraction, negative) {
        (e, 0, true) if e == top => Class::NegInf,
        (e, 0, false) if e == top => Class::PosInf,
        (e, f, _) if e == top => {
            if f >> (fraction_bits - 1) != 0 {
                Class::QuietNan
            } else {
                Class::SignallingNan
            }
        }
        (0, 0, true) => Class::NegZero,
        (0, 0, false) => Class::PosZero,
        (0, _, true) => Class::NegDenormal,
        (0, _, false) => Class::PosDenormal,
        (_, _, true) => Class::NegNormal,
        (_, _, false) => Class::PosNormal,
    }
}

/// The float64 that rounds the same way as the exact sum `a + b` to every format of at most 51 bits, in every
/// direction: the sum rounded to odd (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
#[inline]
pub fn add_odd(a: core::primitive::f64, b: core::primitive::f64) -> core::primitive::f64 {
    let s = a + b;
    // Knuth's error-free sum. With an infinity or NaN the error is NaN.
    let bb = s - a;
    let err = (a - (s - bb)) + (b - bb);
    let bits = s.to_bits();
    // Without a branch, so that lanes can go together.
    let keep = (bits & 1 != 0) | (err == 0.0) | err.is_nan();
    let step = if (err > 0.0) == (s > 0.0) { 1 } else { u64::MAX };
    core::primitive::f64::from_bits(bits.wrapping_add(if keep { 0 } else { step }))
}

/// A sum, of which an exact zero is negative when rounding down.
#[inline]
pub(crate) fn zero_sum(
    m: Mode,
    a: core::primitive::f64,
    b: core::primitive::f64,
    sum: core::primitive::f64,
) -> core::primitive::f64 {
    if m.round == Round::Down && sum == 0.0 && !(a == 0.0 && b == 0.0 && a.is_sign_positive() && b.is_sign_positive()) {
        -0.0
    } else {
        sum
    }
}
