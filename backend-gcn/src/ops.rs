//! Operations of the IR and those of the machine.

use gpucc_gcn_machine::Op;
use gpucc_ir::{FloatCc, IntCc, Op as Ir};

/// The scalar operation for an IR op, if the scalar unit has one.
pub fn scalar_op(o: Ir) -> Option<Op> {
    Some(match o {
        Ir::IAdd => Op::SAddU32,
        Ir::ISub => Op::SSubU32,
        Ir::IMul | Ir::UMul24 => Op::SMulI32,
        Ir::INeg => Op::SSubU32,
        Ir::IAbs => Op::SAbsI32,
        Ir::Clz => Op::SFlbitI32B32,
        Ir::Ctz => Op::SFf1I32B32,
        Ir::And => Op::SAndB32,
        Ir::Or => Op::SOrB32,
        Ir::Xor => Op::SXorB32,
        Ir::Not => Op::SNotB32,
        Ir::Shl => Op::SLshlB32,
        Ir::UShr => Op::SLshrB32,
        Ir::SShr => Op::SAshrI32,
        Ir::SMin => Op::SMinI32,
        Ir::SMax => Op::SMaxI32,
        Ir::UMin => Op::SMinU32,
        Ir::UMax => Op::SMaxU32,
        Ir::Popcount => Op::SBcnt1I32B32,
        Ir::BitReverse => Op::SBrevB32,
        _ => return None,
    })
}

/// The comparison of the scalar unit.
pub fn scalar_compare(cc: IntCc) -> Op {
    match cc {
        IntCc::Eq => Op::SCmpEqU32,
        IntCc::Ne => Op::SCmpLgU32,
        IntCc::Slt => Op::SCmpLtI32,
        IntCc::Sle => Op::SCmpLeI32,
        IntCc::Sgt => Op::SCmpGtI32,
        IntCc::Sge => Op::SCmpGeI32,
        IntCc::Ult => Op::SCmpLtU32,
        IntCc::Ule => Op::SCmpLeU32,
        IntCc::Ugt => Op::SCmpGtU32,
        IntCc::Uge => Op::SCmpGeU32,
    }
}

/// The comparison of the vector unit.
pub fn vector_compare(cc: IntCc) -> Op {
    match cc {
        IntCc::Eq => Op::VCmpEqU32,
        IntCc::Ne => Op::VCmpNeU32,
        IntCc::Slt => Op::VCmpLtI32,
        IntCc::Sle => Op::VCmpLeI32,
        IntCc::Sgt => Op::VCmpGtI32,
        IntCc::Sge => Op::VCmpGeI32,
        IntCc::Ult => Op::VCmpLtU32,
        IntCc::Ule => Op::VCmpLeU32,
        IntCc::Ugt => Op::VCmpGtU32,
        IntCc::Uge => Op::VCmpGeU32,
    }
}

/// The comparison of floats.
pub fn float_compare(cc: FloatCc) -> Op {
    match cc {
        FloatCc::Oeq => Op::VCmpEqF32,
        FloatCc::One => Op::VCmpLgF32,
        FloatCc::Olt => Op::VCmpLtF32,
        FloatCc::Ole => Op::VCmpLeF32,
        FloatCc::Ogt => Op::VCmpGtF32,
        FloatCc::Oge => Op::VCmpGeF32,
        FloatCc::Ord => Op::VCmpOF32,
        FloatCc::Ueq => Op::VCmpNlgF32,
        FloatCc::Une => Op::VCmpNeqF32,
        FloatCc::Ult => Op::VCmpNgeF32,
        FloatCc::Ule => Op::VCmpNgtF32,
        FloatCc::Ugt => Op::VCmpNleF32,
        FloatCc::Uge => Op::VCmpNltF32,
        FloatCc::Uno => Op::VCmpUF32,
    }
}

/// The instruction on halves for one on floats of 32 bits; the same one if there is no other.
pub fn of_halves(o: Op) -> Op {
    match o {
        Op::VAddF32 => Op::VAddF16,
        Op::VSubF32 => Op::VSubF16,
        Op::VMulF32 => Op::VMulF16,
        Op::VMinF32 => Op::VMinF16,
        Op::VMaxF32 => Op::VMaxF16,
        Op::VFmaF32 => Op::VFmaF16,
        Op::VMadF32 => Op::VMadF16,
        Op::VMadmkF32 => Op::VMadmkF16,
        Op::VMadakF32 => Op::VMadakF16,
        Op::VFloorF32 => Op::VFloorF16,
        Op::VCeilF32 => Op::VCeilF16,
        Op::VTruncF32 => Op::VTruncF16,
        Op::VRndneF32 => Op::VRndneF16,
        Op::VCmpEqF32 => Op::VCmpEqF16,
        Op::VCmpLgF32 => Op::VCmpLgF16,
        Op::VCmpLtF32 => Op::VCmpLtF16,
        Op::VCmpLeF32 => Op::VCmpLeF16,
        Op::VCmpGtF32 => Op::VCmpGtF16,
        Op::VCmpGeF32 => Op::VCmpGeF16,
        Op::VCmpOF32 => Op::VCmpOF16,
        Op::VCmpNlgF32 => Op::VCmpNlgF16,
        Op::VCmpNeqF32 => Op::VCmpNeqF16,
        Op::VCmpNgeF32 => Op::VCmpNgeF16,
        Op::VCmpNgtF32 => Op::VCmpNgtF16,
        Op::VCmpNleF32 => Op::VCmpNleF16,
        Op::VCmpNltF32 => Op::VCmpNltF16,
        Op::VCmpUF32 => Op::VCmpUF16,
        o => o,
    }
}

/// The comparison of floats of 64 bits for one of 32; the same one if there is no other.
pub fn of_doubles(o: Op) -> Op {
    match o {
        Op::VCmpEqF32 => Op::VCmpEqF64,
        Op::VCmpLgF32 => Op::VCmpLgF64,
        Op::VCmpLtF32 => Op::VCmpLtF64,
        Op::VCmpLeF32 => Op::VCmpLeF64,
        Op::VCmpGtF32 => Op::VCmpGtF64,
        Op::VCmpGeF32 => Op::VCmpGeF64,
        Op::VCmpOF32 => Op::VCmpOF64,
        Op::VCmpNlgF32 => Op::VCmpNlgF64,
        Op::VCmpNeqF32 => Op::VCmpNeqF64,
        Op::VCmpNgeF32 => Op::VCmpNgeF64,
        Op::VCmpNgtF32 => Op::VCmpNgtF64,
        Op::VCmpNleF32 => Op::VCmpNleF64,
        Op::VCmpNltF32 => Op::VCmpNltF64,
        Op::VCmpUF32 => Op::VCmpUF64,
        o => o,
    }
}

/// Whether the first two operands may change places.
pub fn commutes(o: Op) -> bool {
    matches!(
        o,
        Op::VAddF32
            | Op::VMulF32
            | Op::VMinF32
            | Op::VMaxF32
            | Op::VAddF16
            | Op::VMulF16
            | Op::VMinF16
            | Op::VMaxF16
            | Op::VAddI32
            | Op::VAddU32
            | Op::VMulU32U24
            | Op::VMinI32
            | Op::VMaxI32
            | Op::VMinU32
            | Op::VMaxU32
            | Op::VAndB32
            | Op::VOrB32
            | Op::VXorB32
    )
}
