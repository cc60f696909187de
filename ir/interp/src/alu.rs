//! Operations that compute from their operands alone, for all active lanes.

use crate::profile::{FmaModel, Profile};
use crate::program::{DInst, Extra};
use gpucc_ir::{FloatCc, IntCc, Op, Scalar, Type};
use gpucc_num::convert::{f16_to_f32, f16_to_f64, f32_to_f16, f64_to_f16, f64_to_f32};
use gpucc_num::int::{mask, sign_extend};
use gpucc_num::{Mode, Round, convert, f16, f32 as n32, f64 as n64, int, pack, special};
use gpucc_sim::trap::{Trap, unsupported};
use std::cell::Cell;

/// The values of one subgroup and which lanes take part.
pub(crate) struct Lanes<'a> {
    /// One row of `stride` values for each slot. Operands and results may be the same rows.
    pub file: &'a [Cell<u64>],
    pub active: &'a [u32],
    /// All lanes of a row are active.
    pub full: bool,
    pub stride: usize,
}

#[inline]
fn f(x: u64) -> f32 {
    f32::from_bits(x as u32)
}

#[inline]
fn b(x: f32) -> u64 {
    u64::from(x.to_bits())
}

#[inline]
fn d(x: u64) -> f64 {
    f64::from_bits(x)
}

impl Lanes<'_> {
    #[inline]
    fn row(&self, slot: u32) -> &[Cell<u64>] {
        &self.file[slot as usize * self.stride..][..self.stride]
    }

    #[inline]
    fn map1(&self, i: &DInst, op: impl Fn(u64) -> u64) {
        for k in 0..i.n {
            let (to, x) = (self.row(i.dst + k), self.row(i.args[0] + k));
            if self.full {
                to.iter().zip(x).for_each(|(to, x)| to.set(op(x.get())));
            } else {
                self.active.iter().map(|&l| l as usize).for_each(|l| to[l].set(op(x[l].get())));
            }
        }
    }

    #[inline]
    fn map2(&self, i: &DInst, op: impl Fn(u64, u64) -> u64) {
        for k in 0..i.n {
            let (to, x, y) = (self.row(i.dst + k), self.row(i.args[0] + k), self.row(i.args[1] + k));
            if self.full {
                to.iter().zip(x).zip(y).for_each(|((to, x), y)| to.set(op(x.get(), y.get())));
            } else {
                self.active.iter().map(|&l| l as usize).for_each(|l| to[l].set(op(x[l].get(), y[l].get())));
            }
        }
    }

    #[inline]
    fn map3(&self, i: &DInst, op: impl Fn(u64, u64, u64) -> u64) {
        for k in 0..i.n {
            let (x, y, z) = (self.row(i.args[0] + k), self.row(i.args[1] + k), self.row(i.args[2] + k));
            let to = self.row(i.dst + k);
            for &l in self.active {
                let l = l as usize;
                to[l].set(op(x[l].get(), y[l].get(), z[l].get()));
            }
        }
    }

    #[inline]
    fn map4(&self, i: &DInst, op: impl Fn(u64, u64, u64, u64) -> u64) {
        for k in 0..i.n {
            let [w, x, y, z] = i.args.map(|a| self.row(a + k));
            let to = self.row(i.dst + k);
            for &l in self.active {
                let l = l as usize;
                to[l].set(op(w[l].get(), x[l].get(), y[l].get(), z[l].get()));
            }
        }
    }

    fn get(&self, slot: u32, lane: u32) -> u64 {
        self.row(slot)[lane as usize].get()
    }

    fn set(&self, slot: u32, lane: u32, v: u64) {
        self.row(slot)[lane as usize].set(v);
    }

    fn copy_row(&self, to: u32, from: u32) {
        self.active.iter().for_each(|&l| self.set(to, l, self.get(from, l)));
    }

    /// Executes any op that is no memory access and no control flow.
    pub fn exec(&self, i: &DInst, p: &Profile, scratch: &mut Vec<Option<u64>>) -> Result<(), Trap> {
        let Some(free) = p.free else { return self.prescribed(i, p, scratch) };
        let flush = match i.to {
            Scalar::F16 => p.f16.flush_in,
            Scalar::F64 => p.f64.flush_in,
            _ => p.f32.flush_in,
        };
        let mut pairs: Vec<(u64, u64)> = Vec::new();
        if matches!(i.op, Op::FMin | Op::FMax) {
            let pair = |k: u32, l: u32| (self.get(i.args[0] + k, l), self.get(i.args[1] + k, l));
            pairs.extend((0..i.n).flat_map(|k| self.active.iter().map(move |&l| pair(k, l))));
        }
        self.prescribed(i, p, scratch)?;
        let mut pairs = pairs.into_iter();
        let moves = matches!(
            i.op,
            Op::Splat
                | Op::Compose
                | Op::Extract
                | Op::Insert
                | Op::ExtractDyn
                | Op::InsertDyn
                | Op::Shuffle
                | Op::Select
                | Op::Bitcast
        );
        if moves {
            return Ok(());
        }
        for k in 0..i.n {
            for &l in self.active {
                let v = self.get(i.dst + k, l);
                let v = match pairs.next().and_then(|pair| free.chosen(i.to, (flush, i.loose), pair)) {
                    Some(chosen) => chosen,
                    None if matches!(i.op, Op::PackHalf2x16 | Op::PackHalf2x16Rtz) => {
                        free.bits(Scalar::F16, v & 0xffff) | free.bits(Scalar::F16, v >> 16) << 16
                    }
                    None if i.nsz => free.zero(i.to, v),
                    None => v,
                };
                self.set(i.dst + k, l, free.bits(i.to, v));
            }
        }
        Ok(())
    }

    fn prescribed(&self, i: &DInst, p: &Profile, scratch: &mut Vec<Option<u64>>) -> Result<(), Trap> {
        if let Some(machine) = &p.machine
            && machine.ops().contains(&i.op)
            && i.op.is_lanewise()
        {
            // All values first: the result may lie where operands do.
            let count = i.args.iter().take_while(|&&a| a != u32::MAX).count();
            scratch.clear();
            let mut args = [0; 4];
            for k in 0..i.n {
                for &l in self.active {
                    for (to, from) in args[..count].iter_mut().zip(&i.args) {
                        *to = self.get(from + k, l);
                    }
                    scratch.push(machine.eval(i.op, i.scalar, i.n, &args[..count]));
                }
            }
            // The plain way is for what the machine leaves to it, most often nothing.
            if scratch.iter().any(Option::is_none) {
                self.plain(i, p)?;
            }
            let mut values = scratch.iter();
            for k in 0..i.n {
                for &l in self.active {
                    if let Some(&Some(v)) = values.next() {
                        self.set(i.dst + k, l, v);
                    }
                }
            }
            return Ok(());
        }
        self.plain(i, p)?;
        if let (Some(machine), Some(lanes)) = (&p.machine, unpacked_lanes(i.op)) {
            for k in 0..lanes {
                for &l in self.active {
                    self.set(i.dst + k, l, b(machine.unpacked(i.op, f(self.get(i.dst + k, l)))));
                }
            }
        }
        Ok(())
    }

    fn plain(&self, i: &DInst, p: &Profile) -> Result<(), Trap> {
        let done = match i.op {
            Op::Splat
            | Op::Compose
            | Op::Extract
            | Op::Insert
            | Op::ExtractDyn
            | Op::InsertDyn
            | Op::Shuffle
            | Op::Select
            | Op::Bitcast
            | Op::ICmp
            | Op::FCmp => self.moves(i, p),
            Op::F2F | Op::F2S | Op::F2U | Op::F2SFull | Op::F2UFull | Op::S2F | Op::U2F => self.convert(i, p),
            _ => match i.scalar {
                Scalar::F32 => self.float32(i, p),
                Scalar::F16 => self.float16(i, p),
                Scalar::F64 => self.float64(i, p),
                _ if i.op == Op::UnpackHalf2x16 && p.asked.f16.flushes() => {
                    self.unpack(i, |x| [x as u16, (x >> 16) as u16].map(|h| f16_to_f32(f16::flush(h))));
                    true
                }
                _ => self.integer(i),
            },
        };
        if done {
            return Ok(());
        }
        Err(unsupported(format!("the interpreter does not model {} of {}", i.op, i.scalar.name())))
    }

    fn float32(&self, i: &DInst, p: &Profile) -> bool {
        let m = p.f32;
        let one = |op: fn(f32) -> f32| self.map1(i, |x| b(n32::output(m, op(n32::input(m, f(x))))));
        match i.op {
            Op::FAdd => self.map2(i, |x, y| b(n32::add(m, f(x), f(y)))),
            Op::FSub => self.map2(i, |x, y| b(n32::sub(m, f(x), f(y)))),
            Op::FMul => self.map2(i, |x, y| b(n32::mul(m, f(x), f(y)))),
            Op::FDiv => self.map2(i, |x, y| b(n32::div(m, f(x), f(y)))),
            Op::FRem => self.map2(i, |x, y| b(n32::rem(m, f(x), f(y)))),
            Op::Fma => match p.fma {
                FmaModel::Fused => self.map3(i, |x, y, z| b(n32::fma(m, f(x), f(y), f(z)))),
                FmaModel::Unfused => self.map3(i, |x, y, z| b(n32::mad(m, f(x), f(y), f(z)))),
            },
            Op::FNeg => self.map1(i, |x| x ^ 0x8000_0000),
            Op::FAbs => self.map1(i, |x| x & 0x7fff_ffff),
            Op::FSign => one(n32::sign),
            Op::FMin => self.map2(i, |x, y| b(n32::min(m, p.minmax, f(x), f(y)))),
            Op::FMax => self.map2(i, |x, y| b(n32::max(m, p.minmax, f(x), f(y)))),
            Op::FSat => one(|x| n32::saturate(x, 0.0)),
            Op::FFloor => one(n32::floor),
            Op::FCeil => one(n32::ceil),
            Op::FTrunc => one(n32::trunc),
            Op::FRoundEven => one(n32::rint),
            Op::FFract => self.map1(i, |x| b(n32::fract(m, f(x)))),
            Op::FSqrt => self.map1(i, |x| b(n32::sqrt(m.rounding(Round::Nearest), f(x)))),
            Op::FRsqrt => one(special::rsqrt),
            Op::FRcp => one(special::rcp),
            Op::FExp2 => one(special::exp2),
            Op::FLog2 => one(special::log2),
            Op::FSin => one(special::sin),
            Op::FCos => one(special::cos),
            Op::FLdexp => self.map2(i, |x, e| b(n32::ldexp(m, f(x), e as i32))),
            Op::FQuant16 => one(pack::quantize_to_f16),
            Op::FDot => self.dot(i, |s, x, y| {
                let product = n32::mul(m, f(x), f(y));
                b(s.map_or(product, |s| n32::add(m, f(s), product)))
            }),
            Op::PackUnorm4x8 => self.pack4(i, p, pack::pack4x8unorm),
            Op::PackSnorm4x8 => self.pack4(i, p, pack::pack4x8snorm),
            Op::PackUnorm2x16 => self.pack2(i, p, pack::pack2x16unorm),
            Op::PackSnorm2x16 => self.pack2(i, p, pack::pack2x16snorm),
            Op::PackHalf2x16Rtz => self.pack2(i, p, pack::pack2x16float_rtz),
            Op::PackHalf2x16 if p.asked.f16.cuts() || p.asked.f16.flushes() => self.pack2(i, p, |[low, high]| {
                let half = |x: f32| u32::from(f16::output(p.f16, f32_to_f16(p.f16.round, n32::input(p.f32, x))));
                half(low) | half(high) << 16
            }),
            Op::PackHalf2x16 => self.pack2(i, p, pack::pack2x16float),
            Op::CubeCoords => self.cube(i, p),
            _ => return false,
        }
        true
    }

    fn float16(&self, i: &DInst, p: &Profile) -> bool {
        let m = p.f16;
        let h = |x: u64| x as u16;
        let one = |op: &dyn Fn(u16) -> u16| {
            self.map1(i, |x| u64::from(f16::output(m, op(f16::input(m, h(x))))));
        };
        let two = |op: fn(Mode, u16, u16) -> u16| self.map2(i, |x, y| u64::from(op(m, h(x), h(y))));
        // Functions are computed in f64 and rounded once.
        let wide = |op: fn(f64) -> f64| one(&|x| f64_to_f16(Round::Nearest, op(f16_to_f64(x))));
        match i.op {
            Op::FAdd => two(f16::add),
            Op::FSub => two(f16::sub),
            Op::FMul => two(f16::mul),
            Op::FDiv => two(f16::div),
            Op::FRem => two(f16::rem),
            Op::Fma => match p.fma {
                FmaModel::Fused => self.map3(i, |x, y, z| u64::from(f16::fma(m, h(x), h(y), h(z)))),
                FmaModel::Unfused => self.map3(i, |x, y, z| u64::from(f16::mad(m, h(x), h(y), h(z)))),
            },
            Op::FNeg => self.map1(i, |x| x ^ 0x8000),
            Op::FAbs => self.map1(i, |x| x & 0x7fff),
            Op::FSign => one(&|x| match x {
                x if f16::is_nan(x) || x & 0x7fff == 0 => 0,
                x if x & 0x8000 != 0 => 0xbc00,
                _ => 0x3c00,
            }),
            Op::FMin => self.map2(i, |x, y| u64::from(f16::min(m, p.minmax, h(x), h(y)))),
            Op::FMax => self.map2(i, |x, y| u64::from(f16::max(m, p.minmax, h(x), h(y)))),
            Op::FSat => one(&|x| f16::saturate(x, 0)),
            Op::FFloor => one(&|x| f16::round_to_int(Round::Down, x)),
            Op::FCeil => one(&|x| f16::round_to_int(Round::Up, x)),
            Op::FTrunc => one(&|x| f16::round_to_int(Round::Zero, x)),
            Op::FRoundEven => one(&|x| f16::round_to_int(Round::Nearest, x)),
            Op::FFract => self.map1(i, |x| u64::from(f16::fract(m, h(x)))),
            Op::FSqrt => self.map1(i, |x| u64::from(f16::sqrt(m.rounding(Round::Nearest), h(x)))),
            Op::FRsqrt => wide(|x| 1.0 / x.sqrt()),
            Op::FRcp => wide(|x| 1.0 / x),
            Op::FExp2 => wide(special::wide::exp2),
            Op::FLog2 => wide(special::wide::log2),
            Op::FSin => wide(special::wide::sin),
            Op::FCos => wide(special::wide::cos),
            Op::FLdexp => self.map2(i, |x, e| u64::from(f16::ldexp(m, h(x), e as i32))),
            Op::FQuant16 => one(&|x| x),
            Op::FDot => self.dot(i, |s, x, y| {
                let product = f16::mul(m, h(x), h(y));
                u64::from(s.map_or(product, |s| f16::add(m, h(s), product)))
            }),
            _ => return false,
        }
        true
    }

    fn float64(&self, i: &DInst, p: &Profile) -> bool {
        let m = p.f64;
        let two = |op: fn(Mode, f64, f64) -> f64| self.map2(i, |x, y| op(m, d(x), d(y)).to_bits());
        let one = |op: fn(f64) -> f64| self.map1(i, |x| n64::output(m, op(n64::input(m, d(x)))).to_bits());
        match i.op {
            Op::FAdd => two(n64::add),
            Op::FSub => two(n64::sub),
            Op::FMul => two(n64::mul),
            Op::FDiv => two(n64::div),
            Op::FRem => two(n64::rem),
            Op::Fma => match p.fma {
                FmaModel::Fused => self.map3(i, |x, y, z| n64::fma(m, d(x), d(y), d(z)).to_bits()),
                FmaModel::Unfused => {
                    self.map3(i, |x, y, z| n64::add(m, n64::mul(m, d(x), d(y)), d(z)).to_bits());
                }
            },
            Op::FNeg => self.map1(i, |x| x ^ 1 << 63),
            Op::FAbs => self.map1(i, |x| x & !(1 << 63)),
            Op::FSign => one(|x| {
                if x > 0.0 {
                    1.0
                } else if x < 0.0 {
                    -1.0
                } else {
                    0.0
                }
            }),
            Op::FMin => self.map2(i, |x, y| n64::min(m, p.minmax, d(x), d(y)).to_bits()),
            Op::FMax => self.map2(i, |x, y| n64::max(m, p.minmax, d(x), d(y)).to_bits()),
            Op::FSat => one(|x| if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }),
            Op::FFloor => one(|x| n64::round_to_int(Round::Down, x)),
            Op::FCeil => one(|x| n64::round_to_int(Round::Up, x)),
            Op::FTrunc => one(|x| n64::round_to_int(Round::Zero, x)),
            Op::FRoundEven => one(|x| n64::round_to_int(Round::Nearest, x)),
            Op::FFract => self.map1(i, |x| {
                let x = n64::input(m, d(x));
                n64::sub(m, x, n64::round_to_int(Round::Down, x)).to_bits()
            }),
            Op::FSqrt => one(f64::sqrt),
            Op::FRsqrt => one(|x| 1.0 / x.sqrt()),
            Op::FRcp => one(|x| 1.0 / x),
            Op::FExp2 => one(special::wide::exp2),
            Op::FLog2 => one(special::wide::log2),
            Op::FSin => one(special::wide::sin),
            Op::FCos => one(special::wide::cos),
            Op::FLdexp => self.map2(i, |x, e| n64::ldexp(m, d(x), e as i32).to_bits()),
            Op::FQuant16 => one(|x| f16_to_f64(f64_to_f16(Round::Nearest, x))),
            Op::FDot => self.dot(i, |s, x, y| {
                let product = n64::mul(m, d(x), d(y));
                s.map_or(product, |s| n64::add(m, d(s), product)).to_bits()
            }),
            _ => return false,
        }
        true
    }

    /// Values are kept masked to their width, also `b1` (0 or 1).
    fn integer(&self, i: &DInst) -> bool {
        let bits = i.scalar.bits();
        let ones = mask(bits);
        let s = |x: u64| sign_extend(x, bits);
        let field = |o: u64, c: u64| {
            let o = (o.min(u64::from(bits))) as u32;
            (o, c.min(u64::from(bits - o)) as u32)
        };
        match i.op {
            Op::IAdd => self.map2(i, |x, y| x.wrapping_add(y) & ones),
            Op::ISub => self.map2(i, |x, y| x.wrapping_sub(y) & ones),
            Op::IMul => self.map2(i, |x, y| x.wrapping_mul(y) & ones),
            Op::UMulHi => self.map2(i, |x, y| ((u128::from(x) * u128::from(y)) >> bits) as u64 & ones),
            Op::SMulHi => self.map2(i, |x, y| ((i128::from(s(x)) * i128::from(s(y))) >> bits) as u64 & ones),
            Op::UMul24 => self.map2(i, |x, y| u64::from(int::umul24(x as u32, y as u32))),
            Op::SMul24 => self.map2(i, |x, y| u64::from(int::smul24(x as u32, y as u32) as u32)),
            Op::SDiv => self.map2(i, |x, y| if y == 0 { x } else { s(x).wrapping_div(s(y)) as u64 & ones }),
            Op::UDiv => self.map2(i, |x, y| x.checked_div(y).unwrap_or(x)),
            Op::SRem => self.map2(i, |x, y| if y == 0 { 0 } else { s(x).wrapping_rem(s(y)) as u64 & ones }),
            Op::URem => self.map2(i, |x, y| x.checked_rem(y).unwrap_or(0)),
            Op::INeg => self.map1(i, |x| x.wrapping_neg() & ones),
            Op::IAbs => self.map1(i, |x| s(x).wrapping_abs() as u64 & ones),
            Op::SMin => self.map2(i, |x, y| if s(y) < s(x) { y } else { x }),
            Op::SMax => self.map2(i, |x, y| if s(x) < s(y) { y } else { x }),
            Op::UMin => self.map2(i, u64::min),
            Op::UMax => self.map2(i, u64::max),
            Op::And => self.map2(i, |x, y| x & y),
            Op::Or => self.map2(i, |x, y| x | y),
            Op::Xor => self.map2(i, |x, y| x ^ y),
            Op::Not => self.map1(i, |x| !x & ones),
            Op::Shl => self.map2(i, |x, y| x << (y & u64::from(bits - 1)) & ones),
            Op::UShr => self.map2(i, |x, y| x >> (y & u64::from(bits - 1))),
            Op::SShr => self.map2(i, |x, y| (s(x) >> (y & u64::from(bits - 1))) as u64 & ones),
            Op::Popcount => self.map1(i, |x| u64::from(x.count_ones())),
            Op::Clz => self.map1(i, |x| u64::from(x.leading_zeros() - (64 - bits))),
            Op::Ctz => self.map1(i, |x| u64::from(x.trailing_zeros().min(bits))),
            Op::BitReverse => self.map1(i, |x| x.reverse_bits() >> (64 - bits)),
            // Two shifts, so that none is by the whole width.
            Op::FShr => self.map3(i, |x, y, n| {
                let n = n & u64::from(bits - 1);
                (x << 1 << (u64::from(bits - 1) - n) | y >> n) & ones
            }),
            Op::BitSel => self.map3(i, |m, x, y| y ^ (m & (x ^ y))),
            Op::UBitExtract => self.map3(i, |x, o, c| {
                let (o, c) = field(o, c);
                x.checked_shr(o).unwrap_or(0) & mask(c)
            }),
            Op::SBitExtract => self.map3(i, |x, o, c| {
                let (o, c) = field(o, c);
                sign_extend(x.checked_shr(o).unwrap_or(0), c) as u64 & ones
            }),
            Op::BitInsert => self.map4(i, |x, new, o, c| {
                let (o, c) = field(o, c);
                let hole = mask(c).checked_shl(o).unwrap_or(0);
                x & !hole | new.checked_shl(o).unwrap_or(0) & hole
            }),
            Op::UDot4x8 => self.map2(i, |x, y| u64::from(int::dot4_u(x as u32, y as u32))),
            Op::SDot4x8 => self.map2(i, |x, y| u64::from(int::dot4_s(x as u32, y as u32) as u32)),
            Op::SExt => {
                let to = i.to.mask();
                self.map1(i, |x| s(x) as u64 & to);
            }
            Op::ZExt => self.map1(i, |x| x),
            Op::Trunc => {
                let to = i.to.mask();
                self.map1(i, |x| x & to);
            }
            Op::UnpackUnorm4x8 => self.unpack(i, pack::unpack4x8unorm),
            Op::UnpackSnorm4x8 => self.unpack(i, pack::unpack4x8snorm),
            Op::UnpackUnorm2x16 => self.unpack(i, pack::unpack2x16unorm),
            Op::UnpackSnorm2x16 => self.unpack(i, pack::unpack2x16snorm),
            Op::UnpackHalf2x16 => self.unpack(i, pack::unpack2x16float),
            _ => return false,
        }
        true
    }

    fn dot(&self, i: &DInst, step: impl Fn(Option<u64>, u64, u64) -> u64) {
        let Extra::From(from) = i.extra else { return };
        for &l in self.active {
            let sum = (0..from.lanes())
                .fold(None, |sum, k| Some(step(sum, self.get(i.args[0] + k, l), self.get(i.args[1] + k, l))));
            self.set(i.dst, l, sum.unwrap_or(0));
        }
    }

    fn pack4(&self, i: &DInst, p: &Profile, op: fn([f32; 4]) -> u32) {
        for &l in self.active {
            let v = std::array::from_fn(|k| p.packed(i.op, f(self.get(i.args[0] + k as u32, l))));
            self.set(i.dst, l, u64::from(op(v)));
        }
    }

    fn cube(&self, i: &DInst, p: &Profile) {
        for &l in self.active {
            let axis = |k: usize| {
                let c = f(self.get(i.args[0] + k as u32, l));
                p.free.map_or(c, |free| free.coordinate(c))
            };
            let v = pack::cube_coords(p.cube_ties, std::array::from_fn(axis));
            (0..4).for_each(|k| self.set(i.dst + k, l, b(v[k as usize])));
        }
    }

    fn pack2(&self, i: &DInst, p: &Profile, op: impl Fn([f32; 2]) -> u32) {
        for &l in self.active {
            let v = std::array::from_fn(|k| p.packed(i.op, f(self.get(i.args[0] + k as u32, l))));
            self.set(i.dst, l, u64::from(op(v)));
        }
    }

    fn unpack<const N: usize>(&self, i: &DInst, op: impl Fn(u32) -> [f32; N]) {
        for &l in self.active {
            let v = op(self.get(i.args[0], l) as u32);
            (0..).zip(v).for_each(|(k, x)| self.set(i.dst + k, l, b(x)));
        }
    }

    /// Operations that move lanes, choose or compare.
    fn moves(&self, i: &DInst, p: &Profile) -> bool {
        match (i.op, &i.extra) {
            (Op::Splat, _) => (0..i.n).for_each(|k| self.copy_row(i.dst + k, i.args[0])),
            (Op::Compose, Extra::Parts(parts)) => {
                (0..i.n).for_each(|k| self.copy_row(i.dst + k, parts[k as usize]));
            }
            (Op::Extract, Extra::Lane(lane)) => self.copy_row(i.dst, i.args[0] + lane),
            (Op::Insert, Extra::Lane(lane)) => {
                for k in 0..i.n {
                    self.copy_row(i.dst + k, if k == *lane { i.args[1] } else { i.args[0] + k });
                }
            }
            (Op::ExtractDyn, Extra::Dyn(lanes)) => {
                for &l in self.active {
                    let k = self.get(i.args[1], l).min(u64::from(lanes - 1)) as u32;
                    self.set(i.dst, l, self.get(i.args[0] + k, l));
                }
            }
            (Op::InsertDyn, Extra::Dyn(lanes)) => {
                for &l in self.active {
                    let at = self.get(i.args[2], l).min(u64::from(lanes - 1)) as u32;
                    for k in 0..i.n {
                        let v = self.get(if k == at { i.args[1] } else { i.args[0] + k }, l);
                        self.set(i.dst + k, l, v);
                    }
                }
            }
            (Op::Shuffle, Extra::Lanes(lanes)) => {
                for k in 0..i.n {
                    let from = u32::from(lanes[k as usize]);
                    self.copy_row(i.dst + k, if from < 4 { i.args[0] + from } else { i.args[1] + from - 4 });
                }
            }
            (Op::Select, Extra::Cond(lanes)) => {
                for k in 0..i.n {
                    let cond = i.args[0] + if *lanes > 1 { k } else { 0 };
                    for &l in self.active {
                        let from = if self.get(cond, l) != 0 { i.args[1] } else { i.args[2] };
                        self.set(i.dst + k, l, self.get(from + k, l));
                    }
                }
            }
            (Op::Bitcast, Extra::From(from)) => self.bitcast(i, *from),
            (Op::ICmp, Extra::Int(cc)) => self.compare_int(i, *cc),
            (Op::FCmp, Extra::Float(cc)) => self.compare_float(i, *cc, p),
            _ => return false,
        }
        true
    }

    fn bitcast(&self, i: &DInst, from: Type) {
        let (a, z) = (from.bits(), i.to.bits());
        for &l in self.active {
            for k in 0..i.n {
                let v = if a >= z {
                    let ratio = a / z;
                    self.get(i.args[0] + k / ratio, l) >> (z * (k % ratio)) & mask(z)
                } else {
                    let ratio = z / a;
                    (0..ratio).fold(0, |v, j| v | self.get(i.args[0] + k * ratio + j, l) << (a * j))
                };
                self.set(i.dst + k, l, v);
            }
        }
    }

    fn compare_int(&self, i: &DInst, cc: IntCc) {
        let bits = i.scalar.bits();
        // Adding half the range makes signed order unsigned order.
        let bias = 1_u64 << (bits - 1);
        let s = |x: u64| (x ^ bias) & mask(bits);
        match cc {
            IntCc::Eq => self.map2(i, |x, y| u64::from(x == y)),
            IntCc::Ne => self.map2(i, |x, y| u64::from(x != y)),
            IntCc::Ult => self.map2(i, |x, y| u64::from(x < y)),
            IntCc::Ule => self.map2(i, |x, y| u64::from(x <= y)),
            IntCc::Ugt => self.map2(i, |x, y| u64::from(x > y)),
            IntCc::Uge => self.map2(i, |x, y| u64::from(x >= y)),
            IntCc::Slt => self.map2(i, |x, y| u64::from(s(x) < s(y))),
            IntCc::Sle => self.map2(i, |x, y| u64::from(s(x) <= s(y))),
            IntCc::Sgt => self.map2(i, |x, y| u64::from(s(x) > s(y))),
            IntCc::Sge => self.map2(i, |x, y| u64::from(s(x) >= s(y))),
        }
    }

    fn compare_float(&self, i: &DInst, cc: FloatCc, p: &Profile) {
        let value = |x: u64| match i.scalar {
            Scalar::F16 => f16_to_f64(f16::input(p.f16, x as u16)),
            Scalar::F32 => f64::from(n32::input(p.f32, f(x))),
            _ => n64::input(p.f64, d(x)),
        };
        self.map2(i, |x, y| {
            let (x, y) = (value(x), value(y));
            let unordered = x.is_nan() || y.is_nan();
            u64::from(match cc {
                FloatCc::Oeq => x == y,
                FloatCc::One => !unordered && x != y,
                FloatCc::Olt => x < y,
                FloatCc::Ole => x <= y,
                FloatCc::Ogt => x > y,
                FloatCc::Oge => x >= y,
                FloatCc::Ord => !unordered,
                FloatCc::Ueq => unordered || x == y,
                FloatCc::Une => x != y,
                FloatCc::Ult => unordered || x < y,
                FloatCc::Ule => unordered || x <= y,
                FloatCc::Ugt => unordered || x > y,
                FloatCc::Uge => unordered || x >= y,
                FloatCc::Uno => unordered,
            })
        });
    }

    fn convert(&self, i: &DInst, p: &Profile) -> bool {
        let bits = i.to.bits();
        let ones = mask(bits);
        let wide = |x: u64| match i.scalar {
            Scalar::F16 => f16_to_f64(f16::input(p.f16, x as u16)),
            Scalar::F32 => f64::from(n32::input(p.f32, f(x))),
            _ => n64::input(p.f64, d(x)),
        };
        match i.op {
            Op::F2F => self.map1(i, |x| float_to_float(p, i.scalar, i.to, x)),
            Op::F2S | Op::F2U => {
                let (low, high) = shared_range(i.scalar, bits, i.op == Op::F2S);
                self.map1(i, |x| {
                    let v = wide(x);
                    // Both ends are exact in f64.
                    let v = if v.is_nan() { 0.0 } else { n64::round_to_int(Round::Zero, v).clamp(low, high) };
                    if i.op == Op::F2S { v as i64 as u64 & ones } else { v as u64 & ones }
                });
            }
            Op::F2SFull => self.map1(i, |x| convert::f64_to_sint(Round::Zero, wide(x), bits) as u64 & ones),
            Op::F2UFull => self.map1(i, |x| convert::f64_to_uint(Round::Zero, wide(x), bits)),
            Op::S2F | Op::U2F => {
                let signed = i.op == Op::S2F;
                let from = i.scalar.bits();
                self.map1(i, |x| {
                    let v = if signed { sign_extend(x, from) } else { 0 };
                    match (i.to, signed) {
                        (Scalar::F16, true) => u64::from(convert::i64_to_f16(p.f16.round, v)),
                        (Scalar::F16, false) => u64::from(convert::u64_to_f16(p.f16.round, x)),
                        (Scalar::F32, true) => b(convert::i64_to_f32(p.f32.round, v)),
                        (Scalar::F32, false) => b(convert::u64_to_f32(p.f32.round, x)),
                        (_, true) => convert::i64_to_f64(p.f64.round, v).to_bits(),
                        (_, false) => convert::u64_to_f64(p.f64.round, x).to_bits(),
                    }
                });
            }
            _ => return false,
        }
        true
    }
}

/// How many lanes an op of the kind `unpack_*` gives.
fn unpacked_lanes(op: Op) -> Option<u32> {
    match op {
        Op::UnpackUnorm4x8 | Op::UnpackSnorm4x8 => Some(4),
        Op::UnpackUnorm2x16 | Op::UnpackSnorm2x16 | Op::UnpackHalf2x16 => Some(2),
        _ => None,
    }
}

fn float_to_float(p: &Profile, from: Scalar, to: Scalar, x: u64) -> u64 {
    match (from, to) {
        (Scalar::F16, Scalar::F32) => b(n32::output(p.f32, f16_to_f32(f16::input(p.f16, x as u16)))),
        (Scalar::F16, Scalar::F64) => n64::output(p.f64, f16_to_f64(f16::input(p.f16, x as u16))).to_bits(),
        (Scalar::F32, Scalar::F16) => u64::from(f16::output(p.f16, f32_to_f16(p.f16.round, n32::input(p.f32, f(x))))),
        (Scalar::F32, Scalar::F64) => n64::output(p.f64, f64::from(n32::input(p.f32, f(x)))).to_bits(),
        (Scalar::F64, Scalar::F16) => u64::from(f16::output(p.f16, f64_to_f16(p.f16.round, n64::input(p.f64, d(x))))),
        (Scalar::F64, Scalar::F32) => b(n32::output(p.f32, f64_to_f32(p.f32.round, n64::input(p.f64, d(x))))),
        _ => x,
    }
}

/// Least and greatest integers of `bits` bits that the float format holds, too.
pub fn shared_range(from: Scalar, bits: u32, signed: bool) -> (f64, f64) {
    let (precision, max) = match from {
        Scalar::F16 => (11, 65504.0),
        Scalar::F32 => (24, f64::from(f32::MAX)),
        _ => (53, f64::MAX),
    };
    let width = if signed { bits - 1 } else { bits };
    let power = |e: u32| f64::from_bits(u64::from(1023 + e) << 52);
    let high = if width > precision { power(width) - power(width - precision) } else { power(width) - 1.0 };
    let low = if signed { -power(width) } else { 0.0 };
    (low.max(-max), high.min(max))
}
