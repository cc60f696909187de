//! Atomic operations, shared by buffers, FLAT and LDS (sections 10, 11).

use gpucc_num::{MinMax, Mode, f32 as n32, f64 as n64};

use crate::{Atomic, AtomicOp};

/// The operations at one width: unsigned, signed and float type, module of the arithmetic.
macro_rules! operations {
    ($name:ident, $u:ty, $s:ty, $f:ty, $n:ident) => {
        fn $name(self, mem: $u, data: $u, other: $u) -> $u {
            let f = <$f>::from_bits;
            match self.op {
                AtomicOp::Swap => data,
                AtomicOp::CmpSwap if mem == other => data,
                AtomicOp::CmpSwap => mem,
                AtomicOp::FCmpSwap if f(mem) == f(other) => data,
                AtomicOp::FCmpSwap => mem,
                AtomicOp::Add => mem.wrapping_add(data),
                AtomicOp::Sub => mem.wrapping_sub(data),
                AtomicOp::Rsub => data.wrapping_sub(mem),
                AtomicOp::SMin => (mem as $s).min(data as $s) as $u,
                AtomicOp::UMin => mem.min(data),
                AtomicOp::SMax => (mem as $s).max(data as $s) as $u,
                AtomicOp::UMax => mem.max(data),
                AtomicOp::And => mem & data,
                AtomicOp::Or => mem | data,
                AtomicOp::Xor => mem ^ data,
                AtomicOp::Inc if mem >= data => 0,
                AtomicOp::Inc => mem + 1,
                AtomicOp::Dec if mem == 0 || mem > data => data,
                AtomicOp::Dec => mem - 1,
                AtomicOp::FMin => $n::min(Mode::IEEE, MinMax::Number, f(mem), f(data)).to_bits(),
                AtomicOp::FMax => $n::max(Mode::IEEE, MinMax::Number, f(mem), f(data)).to_bits(),
                AtomicOp::FAdd => $n::add(Mode::IEEE, f(mem), f(data)).to_bits(),
                AtomicOp::MskOr => mem & !data | other,
                AtomicOp::Wrap if mem >= data => mem - data,
                AtomicOp::Wrap => mem.wrapping_add(other),
            }
        }
    };
}

impl Atomic {
    /// The new value of memory. For compare and swap `data` is the new value and `other` the comparison; mskor masks
    /// with `data` and sets `other`; wrap subtracts `data` or adds `other`.
    pub(crate) fn apply(self, mem: u64, data: u64, other: u64) -> u64 {
        let v = if self.wide {
            self.apply64(mem, data, other)
        } else {
            self.apply32(mem as u32, data as u32, other as u32).into()
        };
        if self.wide { v } else { v & 0xffff_ffff }
    }

    operations!(apply32, u32, i32, f32, n32);
    operations!(apply64, u64, i64, f64, n64);
}
