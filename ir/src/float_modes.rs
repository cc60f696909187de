//! What an entry point asks of arithmetic on floats, by their width: SPIR-V's float controls.

use crate::function::Function;
use crate::named::named_enum;
use crate::ops::Op;
use crate::types::Scalar;

named_enum! {
    /// The treatment of denormals.
    #[derive(Default)]
    Denormals {
        /// What the target does.
        #[default]
        Any = "any",
        Preserve = "preserve" "Arithmetic takes and gives them as they are.",
        Flush = "flush"       "Arithmetic gives zero of their sign, and may take them for that.",
    }
}

named_enum! {
    /// The direction in which arithmetic rounds.
    #[derive(Default)]
    Rounding {
        /// Nobody asked: to nearest, ties to even.
        #[default]
        Any = "any",
        Nearest = "nearest" "The nearest float, of two the even one.",
        Zero = "zero"       "The nearest float that is no farther from zero.",
    }
}

/// What is asked of floats of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FloatMode {
    /// Denormals of this width.
    pub denormals: Denormals,
    /// Rounding to this width.
    pub rounding: Rounding,
}

impl FloatMode {
    /// Nothing is asked for.
    pub const ANY: FloatMode = FloatMode { denormals: Denormals::Any, rounding: Rounding::Any };

    /// Whether denormals must become zeros.
    pub fn flushes(self) -> bool {
        self.denormals == Denormals::Flush
    }

    /// Whether results are rounded toward zero.
    pub fn cuts(self) -> bool {
        self.rounding == Rounding::Zero
    }
}

/// What an entry point asks of its floats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FloatModes {
    /// Floats of 16 bits.
    pub f16: FloatMode,
    /// Floats of 32 bits.
    pub f32: FloatMode,
    /// Floats of 64 bits.
    pub f64: FloatMode,
}

impl FloatModes {
    /// Nothing is asked for.
    pub const ANY: FloatModes = FloatModes { f16: FloatMode::ANY, f32: FloatMode::ANY, f64: FloatMode::ANY };

    /// What is asked of a kind of lanes; of other kinds than floats nothing is.
    pub const fn of(self, scalar: Scalar) -> FloatMode {
        match scalar {
            Scalar::F16 => self.f16,
            Scalar::F32 => self.f32,
            Scalar::F64 => self.f64,
            _ => FloatMode::ANY,
        }
    }

    /// The same, for change. None of other kinds than floats.
    pub const fn of_mut(&mut self, scalar: Scalar) -> Option<&mut FloatMode> {
        match scalar {
            Scalar::F16 => Some(&mut self.f16),
            Scalar::F32 => Some(&mut self.f32),
            Scalar::F64 => Some(&mut self.f64),
            _ => None,
        }
    }

    /// The widths with what is asked of each.
    pub const fn each(self) -> [(Scalar, FloatMode); 3] {
        [(Scalar::F16, self.f16), (Scalar::F32, self.f32), (Scalar::F64, self.f64)]
    }

    /// Whether arithmetic on constants gives what it gives everywhere: to nearest, and no zeros in place of denormals are asked for.
    pub fn is_plain(self) -> bool {
        self.each().iter().all(|(_, m)| !m.flushes() && !m.cuts())
    }

    /// What is left of this for code that has only some of the widths: nothing is asked of the others, and of those that are there the
    /// rounding is said.
    #[must_use]
    pub fn within(self, f: &Function) -> FloatModes {
        let mut left = FloatModes::ANY;
        if self == left {
            return left;
        }
        let mut there = |scalar: Scalar| {
            if let Some(mode) = left.of_mut(scalar) {
                *mode = self.of(scalar);
                if mode.rounding == Rounding::Any {
                    mode.rounding = Rounding::Nearest;
                }
            }
        };
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            if matches!(d.op, Op::PackHalf2x16 | Op::PackHalf2x16Rtz | Op::UnpackHalf2x16) {
                there(Scalar::F16);
            }
            d.results.iter().for_each(|v| there(f.ty(v).scalar()));
            d.for_each_use(|v| there(f.ty(v).scalar()));
        }
        left
    }
}
