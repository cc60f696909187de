//! How numbers behave: by the letter of the IR's semantics, or as on a given machine.

use crate::compare::Tolerance;
use crate::interpolate::{InterpModel, Rules};
use gpucc_ir::{Denormals, FloatMode, FloatModes, Op, Rounding, Scalar};
use gpucc_num::pack::CubeTies;
use gpucc_num::{MinMax, Mode, Round};
use gpucc_sim::draw::Divisor;
use gpucc_sim::texture::{Format, Texel};
use std::fmt;
use std::sync::Arc;

/// The result of the op `fma`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FmaModel {
    /// One rounding.
    #[default]
    Fused,
    /// The product is rounded, then the sum.
    Unfused,
}

/// Documented functions of a machine that are no exact rounding: approximations by table, odd multiply-adds.
pub trait MachineMath: Send + Sync {
    /// The ops that the machine computes in its own way.
    fn ops(&self) -> &[Op];

    /// The result bits for operand bits of one lane, `None` where the machine does as everybody.
    /// `scalar` is the lane kind of the first operand, `lanes` the number of lanes of the instruction: some machines
    /// compute vectors another way.
    fn eval(&self, op: Op, scalar: Scalar, lanes: u32, args: &[u64]) -> Option<u64>;

    /// The treatment of one lane that an op of the kind `pack_*` is about to pack.
    fn packed(&self, _op: Op, lane: f32) -> f32 {
        lane
    }

    /// Converts a texel before it is stored in a format.
    fn stored(&self, _format: Format, texel: Texel) -> Texel {
        texel
    }

    /// Converts a texel loaded from an image of a format.
    fn loaded(&self, _format: Format, texel: Texel) -> Texel {
        texel
    }

    /// The treatment of one lane that an op of the kind `unpack_*` gave.
    fn unpacked(&self, _op: Op, lane: f32) -> f32 {
        lane
    }

    /// The same machine with arithmetic that an entry point asks for; none if its own functions do not change by it.
    fn under(&self, _modes: FloatModes) -> Option<Arc<dyn MachineMath>> {
        None
    }

    /// How far from a place, in texels, a texture is read that is sampled or gathered there.
    fn missed(&self, _place: f64) -> f64 {
        0.0
    }
}

/// A choice where semantics and machines leave one: the bits of NaN, which operand `fmin` and `fmax` give when one is NaN or both
/// are alike (zeros of two signs; denormals too where they count as zero), the sign of a zero that an `nsz` instruction gives, and
/// where a texture is sampled whose coordinates are NaN. Results that change with it are nobody's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Free {
    /// A positive NaN with its first bit set; the first operand; a positive zero.
    First,
    /// A negative NaN with the last bit set as well; the second operand; a negative zero.
    Second,
    /// A NaN of ones; NaN, or what everybody does.
    Nan,
    /// The same bits of NaN; of like operands that which is negative, or has more bits, and a negative zero.
    Negative,
    /// The same; that which is positive, or has fewer bits, and a positive zero.
    Positive,
}

impl Free {
    /// All choices, in the order of declaration.
    pub const ALL: [Free; 5] = [Free::First, Free::Second, Free::Nan, Free::Negative, Free::Positive];

    /// Bits of the exponent, how many the fraction has, and all of them.
    fn parts(scalar: Scalar) -> Option<(u64, u32, u32)> {
        match scalar {
            Scalar::F16 => Some((0x7c00, 10, 16)),
            Scalar::F32 => Some((0x7f80_0000, 23, 32)),
            Scalar::F64 => Some((0x7ff0_0000_0000_0000, 52, 64)),
            _ => None,
        }
    }

    /// Of two operands of `fmin` or `fmax` the one that is given where they do not decide it themselves: `loose` is whether one that is
    /// NaN does not either.
    pub(crate) fn chosen(self, scalar: Scalar, (flush, loose): (bool, bool), (x, y): (u64, u64)) -> Option<u64> {
        let (exponent, _, width) = Free::parts(scalar)?;
        let nan = |v: u64| loose && self.is_nan(scalar, v);
        let zero = |v: u64| if flush { v & exponent == 0 } else { v & !(1 << (width - 1)) == 0 };
        match self {
            _ if !(nan(x) || nan(y) || zero(x) && zero(y)) => None,
            Free::First => Some(x),
            Free::Second => Some(y),
            Free::Negative if !nan(x) && !nan(y) => Some(x.max(y)),
            Free::Positive if !nan(x) && !nan(y) => Some(x.min(y)),
            Free::Nan | Free::Negative | Free::Positive if nan(x) => Some(x),
            Free::Nan | Free::Negative | Free::Positive if nan(y) => Some(y),
            Free::Nan | Free::Negative | Free::Positive => None,
        }
    }

    /// A zero of this kind with the sign of this choice; other values as they are.
    pub(crate) fn zero(self, scalar: Scalar, v: u64) -> u64 {
        let Some((_, _, width)) = Free::parts(scalar) else { return v };
        let sign = 1 << (width - 1);
        match self {
            Free::First | Free::Positive if v == sign => 0,
            Free::Second | Free::Negative if v == 0 => sign,
            _ => v,
        }
    }

    /// A coordinate of a texture; where it is NaN any.
    pub(crate) fn coordinate(self, c: f32) -> f32 {
        match self {
            _ if !c.is_nan() => c,
            Free::First => 1.25,
            Free::Second => -1.75,
            Free::Nan | Free::Negative | Free::Positive => 0.375,
        }
    }

    /// Whether a value of this kind is NaN.
    pub(crate) fn is_nan(self, scalar: Scalar, v: u64) -> bool {
        Free::parts(scalar).is_some_and(|(e, fraction, _)| v & e == e && v & ((1 << fraction) - 1) != 0)
    }

    /// A value of this kind, with the bits of this choice if it is NaN.
    pub(crate) fn bits(self, scalar: Scalar, v: u64) -> u64 {
        let Some((exponent, fraction, width)) = Free::parts(scalar).filter(|_| self.is_nan(scalar, v)) else {
            return v;
        };
        exponent
            | match self {
                Free::First => 1 << (fraction - 1),
                Free::Second => 1 << (fraction - 1) | 1 | 1 << (width - 1),
                Free::Nan | Free::Negative | Free::Positive => (1 << fraction) - 1,
            }
    }
}

/// The value that a lane reads of one that does not take part. It is undefined: results that change with it are not compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Absent {
    /// 0xcc in each byte.
    #[default]
    Poison,
    /// 0.
    Zero,
    /// Its own value.
    Own,
    /// The register of the other lane, whose number is taken modulo the size of the subgroup.
    Held,
    /// A hash of this number, both lanes and the value's place.
    Random(u64),
}

impl Absent {
    /// Those that are tried to see which results change.
    pub const ALL: [Absent; 6] =
        [Absent::Zero, Absent::Own, Absent::Held, Absent::Random(1), Absent::Random(2), Absent::Random(3)];
}

/// A numeric profile. The default is the letter of the semantics: denormals kept, nearest even, special functions
/// within a hair of correct rounding.
#[derive(Clone, Default)]
pub struct Profile {
    /// Lanes of a subgroup; 0 means 32.
    pub subgroup_size: u32,
    /// Rounding and denormals of f16 arithmetic.
    pub f16: Mode,
    /// Rounding and denormals of f32 arithmetic.
    pub f32: Mode,
    /// Rounding and denormals of f64 arithmetic.
    pub f64: Mode,
    /// The model of `fma`: fused or in two steps.
    pub fma: FmaModel,
    /// The rule of `fmin` and `fmax` about NaN.
    pub minmax: MinMax,
    /// The face of a cube where axes of a direction are alike.
    pub cube_ties: CubeTies,
    /// Fraction bits of levels and biases that code gives for a texture, which are kept from -16 to 16; `None` is exact.
    pub level_bits: Option<u32>,
    /// Levels of cubes come from directions of which each lane is divided by its largest component.
    pub divided_cubes: bool,
    /// A vector access that is partly out of bounds goes nowhere as a whole; otherwise each component goes by itself.
    pub whole_access: bool,
    /// Loads of words and atomics may reach behind a buffer that ends inside the last of them. What is there reads as
    /// [`BEHIND`](gpucc_sim::BEHIND), and atomics must leave it so.
    pub words_behind: bool,
    /// The value for results that nothing prescribes.
    pub free: Option<Free>,
    /// The value of a lane that does not take part.
    pub absent: Absent,
    /// Seed of the order in which reductions and scans of floats add and multiply; without one the order is the IR's.
    pub order: Option<u64>,
    /// The arithmetic that is the machine's own.
    pub machine: Option<Arc<dyn MachineMath>>,
    /// How inputs of fragments are interpolated; `None` is by the rules.
    pub interp: Option<Arc<dyn InterpModel>>,
    /// How far apart floats may be in [`compare`](crate::compare()).
    pub tolerance: Tolerance,
    /// What the entry point asked of floats, which the modes above follow.
    pub asked: FloatModes,
}

impl Profile {
    /// The profile under which an entry point runs that asks something of its floats.
    #[must_use]
    pub fn under(&self, modes: FloatModes) -> Profile {
        let machine = self.machine.as_ref().map(|own| own.under(modes).unwrap_or_else(|| own.clone()));
        let f16 = asked(self.f16, modes.f16);
        let (f32, f64) = (asked(self.f32, modes.f32), asked(self.f64, modes.f64));
        let interp = self.interp.as_ref().map(|own| own.under(modes).unwrap_or_else(|| own.clone()));
        Profile { f16, f32, f64, machine, interp, asked: modes, ..self.clone() }
    }

    /// A lane as the machine packs it into a word.
    pub(crate) fn packed(&self, op: Op, lane: f32) -> f32 {
        self.machine.as_ref().map_or(lane, |m| m.packed(op, lane))
    }

    /// The rules for a machine of this profile, which differ by the 1/w that inputs at samples are divided by.
    pub fn rules(&self) -> Rules {
        Rules(self.interp().divisor())
    }

    /// How inputs of fragments are interpolated.
    pub(crate) fn interp(&self) -> &dyn InterpModel {
        self.interp.as_deref().unwrap_or(&Rules(Divisor::Center))
    }

    /// Lanes of a subgroup, 1 to 128.
    pub fn lanes(&self) -> u32 {
        if self.subgroup_size == 0 { 32 } else { self.subgroup_size.clamp(1, 128) }
    }
}

/// A mode with what is asked for in place of its own.
pub fn asked(own: Mode, by: FloatMode) -> Mode {
    let (flush_in, flush_out) = match by.denormals {
        Denormals::Any => (own.flush_in, own.flush_out),
        Denormals::Preserve => (false, false),
        Denormals::Flush => (true, true),
    };
    let round = match by.rounding {
        Rounding::Any => own.round,
        Rounding::Nearest => Round::Nearest,
        Rounding::Zero => Round::Zero,
    };
    Mode { round, flush_in, flush_out }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("subgroup_size", &self.subgroup_size)
            .field("f16", &self.f16)
            .field("f32", &self.f32)
            .field("f64", &self.f64)
            .field("fma", &self.fma)
            .field("minmax", &self.minmax)
            .field("cube_ties", &self.cube_ties)
            .field("level_bits", &self.level_bits)
            .field("divided_cubes", &self.divided_cubes)
            .field("whole_access", &self.whole_access)
            .field("words_behind", &self.words_behind)
            .field("free", &self.free)
            .field("absent", &self.absent)
            .field("order", &self.order)
            .field("machine", &self.machine.as_ref().map(|m| m.ops()))
            .field("interp", &self.interp.is_some())
            .field("tolerance", &self.tolerance)
            .field("asked", &self.asked)
            .finish()
    }
}
