//! Atomic operations, shared by buffers, FLAT and LDS (sections 10, 11).

use std::sync::LazyLock;

use gpucc_num::{MinMax, Mode, f32 as n32, f64 as n64};

use crate::{Atomic, AtomicOp as Kind, Op};

static ATOMICS: LazyLock<Vec<Option<Atomic>>> = LazyLock::new(|| Op::ALL.iter().map(|o| parse(o.name())).collect());

/// The atomic that `op` is, if it is one.
pub(crate) fn of(op: Op) -> Option<Atomic> {
    ATOMICS[op as usize]
}

fn parse(name: &str) -> Option<Atomic> {
    if let Some((_, rest)) = name.split_once("_atomic_") {
        let wide = rest.ends_with("_x2");
        let kind = match rest.trim_end_matches("_x2") {
            "swap" => Kind::Swap,
            "cmpswap" => Kind::CmpSwap,
            "fcmpswap" => Kind::FCmpSwap,
            "add" => Kind::Add,
            "sub" => Kind::Sub,
            "rsub" => Kind::Rsub,
            "smin" => Kind::SMin,
            "umin" => Kind::UMin,
            "smax" => Kind::SMax,
            "umax" => Kind::UMax,
            "and" => Kind::And,
            "or" => Kind::Or,
            "xor" => Kind::Xor,
            "inc" => Kind::Inc,
            "dec" => Kind::Dec,
            "fmin" => Kind::FMin,
            "fmax" => Kind::FMax,
            _ => return None,
        };
        return Some(Atomic { op: kind, wide });
    }
    None
}

/// The operations at one width: unsigned, signed and float type, module of the arithmetic.
macro_rules! operations {
    ($name:ident, $u:ty, $s:ty, $f:ty, $n:ident) => {
        fn $name(self, mem: $u, data: $u, other: $u) -> $u {
            let f = <$f>::from_bits;
            match self.op {
                Kind::Swap => data,
                Kind::CmpSwap => {
                    if mem == other {
                        data
                    } else {
                        mem
                    }
                }
                Kind::FCmpSwap => {
                    if f(mem) == f(other) {
                        data
                    } else {
                        mem
                    }
                }
                Kind::Add => mem.wrapping_add(data),
                Kind::Sub => mem.wrapping_sub(data),
                Kind::Rsub => data.wrapping_sub(mem),
                Kind::SMin => (mem as $s).min(data as $s) as $u,
                Kind::UMin => mem.min(data),
                Kind::SMax => (mem as $s).max(data as $s) as $u,
                Kind::UMax => mem.max(data),
                Kind::And => mem & data,
                Kind::Or => mem | data,
                Kind::Xor => mem ^ data,
                Kind::Inc => {
                    if mem >= data {
                        0
                    } else {
                        mem + 1
                    }
                }
                Kind::Dec => {
                    if mem == 0 || mem > data {
                        data
                    } else {
                        mem - 1
                    }
                }
                Kind::FMin => $n::min(Mode::IEEE, MinMax::Number, f(mem), f(data)).to_bits(),
                Kind::FMax => $n::max(Mode::IEEE, MinMax::Number, f(mem), f(data)).to_bits(),
                Kind::FAdd => $n::add(Mode::IEEE, f(mem), f(data)).to_bits(),
                Kind::MskOr => mem & !data | other,
                Kind::Wrap => {
                    if mem >= data {
                        mem - data
                    } else {
                        mem.wrapping_add(other)
                    }
                }
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
