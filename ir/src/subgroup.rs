//! Reductions and scans over the lanes of a subgroup.

use crate::named::named_enum;
use crate::ops::Op;
use crate::types::Scalar;

named_enum! {
    /// Combines two values in a reduction or a scan.
    ReduceOp {
        IAdd = "iadd" "integer addition",
        FAdd = "fadd" "float addition",
        IMul = "imul" "integer product",
        FMul = "fmul" "float product",
        UMin = "umin" "unsigned minimum",
        UMax = "umax" "unsigned maximum",
        SMin = "smin" "signed minimum",
        SMax = "smax" "signed maximum",
        FMin = "fmin" "the lesser float",
        FMax = "fmax" "the greater float",
        And = "and"   "bitwise and",
        Or = "or"     "bitwise or",
        Xor = "xor"   "bitwise exclusive or",
    }
}

named_enum! {
    /// Which lanes of its cluster a lane's result has.
    Reach {
        All = "all"             "all",
        Inclusive = "inclusive" "its own and those before it",
        Exclusive = "exclusive" "those before it",
    }
}

/// The attribute of `reduce`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reduce {
    /// The operation on two values.
    pub op: ReduceOp,
    /// Which lanes a result has.
    pub reach: Reach,
    /// Lanes of a cluster, a power of two; 0 is the whole subgroup.
    pub cluster: u8,
}

impl ReduceOp {
    /// The op on two values.
    pub const fn op(self) -> Op {
        use Op::*;
        // In the order of declaration.
        [IAdd, FAdd, IMul, FMul, UMin, UMax, SMin, SMax, FMin, FMax, And, Or, Xor][self as usize]
    }

    /// Whether values of a kind have it.
    pub const fn takes(self, s: Scalar) -> bool {
        match self {
            ReduceOp::FAdd | ReduceOp::FMul | ReduceOp::FMin | ReduceOp::FMax => s.is_float(),
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => !s.is_float(),
            _ => s.is_int(),
        }
    }

    /// The bits of what no lane changes: the result of no lanes at all.
    pub fn identity(self, s: Scalar) -> u64 {
        let bits = s.bits();
        let ones = u64::MAX >> (64 - bits);
        let [one, infinity, negative_zero] = match s {
            Scalar::F16 => [0x3c00, 0x7c00, 0x8000],
            Scalar::F64 => [1f64.to_bits(), f64::INFINITY.to_bits(), 1 << 63],
            _ => [1f32.to_bits().into(), f32::INFINITY.to_bits().into(), 1 << 31],
        };
        match self {
            ReduceOp::IAdd | ReduceOp::Or | ReduceOp::Xor | ReduceOp::UMax | ReduceOp::FAdd => 0,
            ReduceOp::IMul => 1,
            ReduceOp::FMul => one,
            ReduceOp::UMin | ReduceOp::And => ones,
            ReduceOp::SMin => ones >> 1,
            ReduceOp::SMax => 1 << (bits - 1),
            ReduceOp::FMin => infinity,
            ReduceOp::FMax => infinity | negative_zero,
        }
    }
}
