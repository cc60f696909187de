//! Computations of the launch: what a driver computes once, of values that it knows, before the first invocation.

use gpucc_pipeline::named;

use crate::source::Source;

named! {
    /// An operation of the launch on 32-bit words. It gives what the instruction of its name gives on the chip.
    LaunchOp {
        FAdd "fadd"       "Sum of floats.",
        FSub "fsub"       "Difference of floats.",
        FMul "fmul"       "Product of floats.",
        FDiv "fdiv"       "Quotient of floats.",
        FMin "fmin"       "The second float if the first is greater, else the first.",
        FMax "fmax"       "The second float if the first is less, else the first.",
        FSat "fsat"       "A float limited to 0 to 1; 0 if it is no number.",
        FFloor "ffloor"   "The greatest whole number that is not above.",
        FCeil "fceil"     "The least whole number that is not below.",
        FTrunc "ftrunc"   "The whole number toward zero.",
        FFract "ffract"   "The part above the greatest whole number.",
        FSign "fsign"     "-1, 0 or 1 as a float.",
        FRcp "frcp"       "Reciprocal of a float.",
        FRsqrt "frsqrt"   "Reciprocal of the square root.",
        FSqrt "fsqrt"     "Square root of a float.",
        FExp2 "fexp2"     "Power of 2.",
        FLog2 "flog2"     "Logarithm to base 2.",
        FSin "fsin"       "Sine of quarter turns.",
        FCos "fcos"       "Cosine of quarter turns.",
        S2F "s2f"         "Float of a signed integer.",
        U2F "u2f"         "Float of an unsigned integer.",
        F2S "f2s"         "Signed integer of a float, limited to -2^31 and 2^31 - 128; 0 if it is no number.",
        F2U "f2u"         "Unsigned integer of a float, limited to 0 and 2^32 - 256; 0 if it is no number.",
        IAdd "iadd"       "Sum of integers.",
        ISub "isub"       "Difference of integers.",
        IMul "imul"       "Low word of the product of integers.",
        UMulHi "umulhi"   "High word of the product of unsigned integers.",
        SMulHi "smulhi"   "High word of the product of signed integers.",
        SMin "smin"       "The lesser signed integer.",
        SMax "smax"       "The greater signed integer.",
        UMin "umin"       "The lesser unsigned integer.",
        UMax "umax"       "The greater unsigned integer.",
        And "and"         "Bits that both have.",
        Or "or"           "Bits that one has.",
        Xor "xor"         "Bits that differ.",
        Not "not"         "The other bits.",
        Shl "shl"         "Shifted left by the low five bits.",
        UShr "ushr"       "Shifted right by the low five bits.",
        SShr "sshr"       "Shifted right by the low five bits, copies of the sign moving in.",
        FEq "feq"         "All ones if the floats are equal, else 0.",
        FLt "flt"         "All ones if the first float is less, else 0.",
        FLe "fle"         "All ones if the first float is less or equal, else 0.",
        IEq "ieq"         "All ones if the words are equal, else 0.",
        SLt "slt"         "All ones if the first signed integer is less, else 0.",
        ULt "ult"         "All ones if the first unsigned integer is less, else 0.",
        Select "select"   "The second word if the first is not 0, else the third.",
        Limit "limit"     "An unsigned integer less the second, at least 0, shifted right by the third: the last place that is in bounds.",
    }
}

impl LaunchOp {
    /// The number of its operands.
    pub const fn operands(self) -> usize {
        use LaunchOp::*;
        match self {
            FSat | FFloor | FCeil | FTrunc | FFract | FSign | FRcp | FRsqrt | FSqrt | FExp2 | FLog2 | FSin | FCos
            | S2F | U2F | F2S | F2U | Not => 1,
            Select | Limit => 3,
            _ => 2,
        }
    }
}

/// A computation of the launch. Later ones, and preloads, name its result by [`Source::Step`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchStep {
    /// The operation that is computed.
    pub op: LaunchOp,
    /// Where each operand comes from.
    pub operands: Vec<Source>,
}

impl LaunchStep {
    /// The step of that operation, where it has so many operands.
    pub fn new(op: LaunchOp, operands: Vec<Source>) -> Option<LaunchStep> {
        (operands.len() == op.operands()).then_some(LaunchStep { op, operands })
    }
}
