//! Vector ALU (section 7): operand fetch with SDWA, DPP and modifiers, and the operations.

use gpucc_isa::fail_if;
use gpucc_num::{Mode, Round, convert, f16, f32 as n32, f64 as n64, int, pack, special, with_mode};
use gpucc_sim::lanes::lanes;
use gpucc_sim::trap::{Trap, unsupported};

use super::decode::{Decoded, Src};
use super::float;
use super::lanes::{LaneCx, SIGN16, SIGN32};
use super::salu::{bfe, sign_bits};
use super::subgroup::{LANES, Wave, undefined};
use crate::isa::{Format, GFX6, GFX8};
use crate::operand::M0;
use crate::{Op, Operation};

impl Wave {
    /// Executes a vector ALU instruction.
    pub(crate) fn valu(&mut self, d: &Decoded) -> Result<(), Trap> {
        if self.mode >> 28 & 1 == 1 {
            return Ok(());
        }
        if self.mode >> 27 & 1 == 1 {
            let moved = self.indexed(d)?;
            return self.valu_lanes(&moved);
        }
        self.valu_lanes(d)
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    fn valu_lanes(&mut self, d: &Decoded) -> Result<(), Trap> {
        let (mask, dpp) = if d.format == Format::Dpp {
            let (v, m) = self.dpp(d)?;
            (m, Some(v))
        } else {
            (self.exec(), None)
        };
        let c = &LaneCx { d, mask, dpp };
        if let Operation::Compare(cmp) = d.operation {
            return self.compare(c, cmp);
        }
        let m = self.float.f32;
        let flushed = Mode { flush_in: true, flush_out: true, ..m };
        let m64 = self.float.f64;
        let gfx8 = self.generation == GFX8;
        let gfx6 = self.generation == GFX6;
        // f16 denormals of conversions: always kept before gfx8 (section 7).
        let half = if gfx8 { m64 } else { Mode { flush_in: false, flush_out: false, ..m64 } };
        match d.op {
            Op::VNop | Op::VClrexcp => Ok(()),
            Op::VMovB32 | Op::VMovFedB32 => self.mov(c),
            Op::VReadfirstlaneB32 => {
                let exec = self.exec();
                let lane = if exec == 0 { 0 } else { exec.trailing_zeros() };
                self.read_lane(d, lane)
            }
            Op::VReadlaneB32 => {
                let lane = self.s32(d.src[1])? & 63;
                self.read_lane(d, lane)
            }
            Op::VWritelaneB32 => {
                let (v, lane) = (self.s32(d.src[0])?, self.s32(d.src[1])? & 63);
                // The value may be undefined and stays so, the lane number may not.
                if let Src::S(s) = d.src[1]
                    && self.s_known >> s & 1 == 0
                {
                    return Err(undefined(s.into()));
                }
                let n = usize::from(d.dst);
                self.v[n][lane as usize] = v;
                self.v_known[n] = self.v_known[n] & !(1 << lane) | self.known(d.src[0]) & 1 << lane;
                Ok(())
            }
            // Conversions
            Op::VCvtI32F64 => self.f64_to_bits(c, |a| convert::f64_to_i32(Round::Zero, a) as u32),
            Op::VCvtU32F64 => self.f64_to_bits(c, |a| convert::f64_to_u32(Round::Zero, a)),
            Op::VCvtF64I32 => self.bits_to_f64(c, 0, |a| f64::from(a as i32)),
            Op::VCvtF64U32 => self.bits_to_f64(c, 0, f64::from),
            Op::VCvtF64F32 => self.bits_to_f64(c, SIGN32, |a| f64::from(n32::input(m, f32::from_bits(a)))),
            Op::VCvtF32F64 => {
                let a = self.wide(c, 0, true)?;
                let out = Self::each(mask, |l| {
                    let x = convert::f64_to_f32(m.round, n64::input(m64, f64::from_bits(a[l])));
                    self.out32(d, n32::output(m, x)).to_bits()
                });
                self.put(c, &out);
                Ok(())
            }
            Op::VCvtF32I32 => self.bits_to_f32(c, |a| convert::i32_to_f32(m.round, a as i32)),
            Op::VCvtF32U32 => self.bits_to_f32(c, |a| convert::u32_to_f32(m.round, a)),
            Op::VCvtU32F32 => self.f32_to_bits(c, |a| convert::f32_to_u32(Round::Zero, a)),
            Op::VCvtI32F32 => self.f32_to_bits(c, |a| convert::f32_to_i32(Round::Zero, a) as u32),
            Op::VCvtRpiI32F32 => self.f32_to_bits(c, |a| convert::f64_to_i32(Round::Down, f64::from(a) + 0.5) as u32),
            Op::VCvtFlrI32F32 => self.f32_to_bits(c, |a| convert::f32_to_i32(Round::Down, a) as u32),
            Op::VCvtF16F32 => {
                let a = self.src(c, 0, SIGN32)?;
                let out = Self::each(mask, |l| {
                    let x = n32::input(m, f32::from_bits(a[l]));
                    // The rounding of f16 results: FP_ROUND64/16 on gfx8, FP_ROUND32 before.
                    let round = if gfx8 { m64.round } else { m.round };
                    self.out16(d, f16::output(half, convert::f32_to_f16(round, x))).into()
                });
                self.put(c, &out);
                Ok(())
            }
            Op::VCvtF32F16 => {
                let a = self.src(c, 0, SIGN16)?;
                let out =
                    Self::each(mask, |l| self.out32(d, convert::f16_to_f32(f16::input(half, a[l] as u16))).to_bits());
                self.put(c, &out);
                Ok(())
            }
            Op::VCvtOffF32I4 => self.bits_to_f32(c, |a| ((a & 15) ^ 8) as f32 / 16.0 - 0.5),
            Op::VCvtF32Ubyte0 => self.bits_to_f32(c, |a| (a & 255) as f32),
            Op::VCvtF32Ubyte1 => self.bits_to_f32(c, |a| (a >> 8 & 255) as f32),
            Op::VCvtF32Ubyte2 => self.bits_to_f32(c, |a| (a >> 16 & 255) as f32),
            Op::VCvtF32Ubyte3 => self.bits_to_f32(c, |a| (a >> 24) as f32),
            Op::VCvtPkrtzF16F32 => {
                let (a, b) = (self.src(c, 0, SIGN32)?, self.src(c, 1, SIGN32)?);
                let one = |v: u32| {
                    let x = n32::input(m, f32::from_bits(v));
                    let h = f16::output(half, convert::f32_to_f16(Round::Zero, x));
                    u32::from(self.out16(d, h))
                };
                let out = Self::each(mask, |l| one(a[l]) | one(b[l]) << 16);
                self.put(c, &out);
                Ok(())
            }
            Op::VCvtPknormI16F32 => self.map2_f32_to_bits(c, |a, b| {
                pack::to_snorm(a, 16) as u32 & 0xffff | (pack::to_snorm(b, 16) as u32) << 16
            }),
            Op::VCvtPknormU16F32 => {
                self.map2_f32_to_bits(c, |a, b| pack::to_unorm(a, 16) | pack::to_unorm(b, 16) << 16)
            }
            Op::VCvtPkU16U32 => self.map2_u32(c, |a, b| a.min(0xffff) | b.min(0xffff) << 16),
            Op::VCvtPkI16I32 => self.map2_u32(c, |a, b| {
                let s = |v: u32| (v as i32).clamp(-0x8000, 0x7fff) as u32 & 0xffff;
                s(a) | s(b) << 16
            }),
            Op::VCvtPkU8F32 | Op::VCvtPkaccumU8F32 => {
                let a = self.src(c, 0, SIGN32)?;
                let b = self.src(c, 1, 0)?;
                let into = if d.op == Op::VCvtPkU8F32 { self.src(c, 2, 0)? } else { self.v[usize::from(d.dst)] };
                let out = Self::each(mask, |l| {
                    let x = n32::input(m, f32::from_bits(a[l]));
                    let v = convert::f32_to_u32(Round::Nearest, x).min(255);
                    let at = 8 * (b[l] & 3);
                    into[l] & !(255 << at) | v << at
                });
                self.put(c, &out);
                Ok(())
            }
            // f32, one source
            Op::VFractF32 => self.map_f32(c, |a| float::fract32(n32::input(m, a), gfx6)),
            Op::VTruncF32 => self.map_f32(c, |a| n32::trunc(n32::input(m, a))),
            Op::VCeilF32 => self.map_f32(c, |a| n32::ceil(n32::input(m, a))),
            Op::VRndneF32 => self.map_f32(c, |a| n32::rint(n32::input(m, a))),
            Op::VFloorF32 => self.map_f32(c, |a| n32::floor(n32::input(m, a))),
            Op::VExpF32 | Op::VExpLegacyF32 => self.approx(c, special::wide::exp2),
            Op::VLogF32 | Op::VLogLegacyF32 => self.approx(c, special::wide::log2),
            Op::VLogClampF32 => self.approx_then(c, special::wide::log2, float::clamp_inf),
            Op::VRcpF32 | Op::VRcpIflagF32 => self.approx(c, |a| 1.0 / a),
            Op::VRcpClampF32 => self.approx_then(c, |a| 1.0 / a, float::clamp_inf),
            Op::VRcpLegacyF32 => self.approx_then(c, |a| 1.0 / a, float::zero_inf),
            Op::VRsqF32 => self.approx(c, float::rsq64),
            Op::VRsqClampF32 => self.approx_then(c, float::rsq64, float::clamp_inf),
            Op::VRsqLegacyF32 => self.approx_then(c, float::rsq64, float::zero_inf),
            Op::VSqrtF32 => self.approx(c, f64::sqrt),
            Op::VSinF32 | Op::VCosF32 => self.trig(c, d.op == Op::VCosF32),
            Op::VFrexpExpI32F32 => self.f32_to_bits(c, |a| float::frexp_exp32(a, gfx6)),
            Op::VFrexpMantF32 => self.map_f32(c, |a| float::frexp_mant32(n32::input(m, a), gfx6)),
            // f64, one source
            Op::VTruncF64 => self.map_f64(c, |a| n64::round_to_int(Round::Zero, n64::input(m64, a))),
            Op::VCeilF64 => self.map_f64(c, |a| n64::round_to_int(Round::Up, n64::input(m64, a))),
            Op::VRndneF64 => self.map_f64(c, |a| n64::round_to_int(Round::Nearest, n64::input(m64, a))),
            Op::VFloorF64 => self.map_f64(c, |a| n64::round_to_int(Round::Down, n64::input(m64, a))),
            Op::VFractF64 => self.map_f64(c, |a| float::fract64(n64::input(m64, a), gfx6)),
            Op::VRcpF64 => self.approx64(c, |a| 1.0 / a),
            Op::VRcpClampF64 => self.approx64(c, |a| float::clamp_inf64(1.0 / a)),
            Op::VRsqF64 => self.approx64(c, |a| 1.0 / a.sqrt()),
            Op::VRsqClampF64 => self.approx64(c, |a| float::clamp_inf64(1.0 / a.sqrt())),
            Op::VSqrtF64 => self.approx64(c, f64::sqrt),
            Op::VFrexpExpI32F64 => self.f64_to_bits(c, |a| float::frexp_exp64(a, gfx6)),
            Op::VFrexpMantF64 => self.map_f64(c, |a| float::frexp_mant64(n64::input(m64, a), gfx6)),
            // bits
            Op::VNotB32 => self.map_u32(c, |a| !a),
            Op::VBfrevB32 => self.map_u32(c, u32::reverse_bits),
            Op::VFfbhU32 => self.map_u32(c, |a| if a == 0 { u32::MAX } else { a.leading_zeros() }),
            Op::VFfblB32 => self.map_u32(c, |a| if a == 0 { u32::MAX } else { a.trailing_zeros() }),
            Op::VFfbhI32 => self.map_u32(c, sign_bits),
            Op::VMovreldB32 | Op::VMovrelsB32 | Op::VMovrelsdB32 => self.movrel(d, mask),
            // f16, one source
            Op::VCvtF16U16 => self.map_f16(c, |a| convert::u64_to_f16(m64.round, a.into())),
            Op::VCvtF16I16 => self.map_f16(c, |a| convert::i64_to_f16(m64.round, (a as i16).into())),
            Op::VCvtU16F16 => {
                self.f16_to_bits(c, |a| convert::f32_to_u32(Round::Zero, convert::f16_to_f32(a)).min(0xffff))
            }
            Op::VCvtI16F16 => self.f16_to_bits(c, |a| {
                convert::f32_to_i32(Round::Zero, convert::f16_to_f32(a)).clamp(-0x8000, 0x7fff) as u32 & 0xffff
            }),
            Op::VRcpF16 => self.h_approx(c, special::rcp),
            Op::VSqrtF16 => self.map_f16(c, |a| f16::sqrt(m64, a)),
            Op::VRsqF16 => self.h_approx(c, float::rsq),
            Op::VLogF16 => self.h_approx(c, special::log2),
            Op::VExpF16 => self.h_approx(c, special::exp2),
            Op::VSinF16 => self.h_approx(c, |a| float::sin_turns(a, false)),
            Op::VCosF16 => self.h_approx(c, |a| float::sin_turns(a, true)),
            Op::VFrexpMantF16 => self.map_f16(c, |a| f16::frexp(f16::input(m64, a)).0),
            Op::VFrexpExpI16F16 => self.f16_to_bits(c, |a| {
                let special = a & 0x7c00 == 0x7c00;
                if special { 0 } else { f16::frexp(a).1 as u32 & 0xffff }
            }),
            Op::VFloorF16 => self.map_f16(c, |a| f16::round_to_int(Round::Down, f16::input(m64, a))),
            Op::VCeilF16 => self.map_f16(c, |a| f16::round_to_int(Round::Up, f16::input(m64, a))),
            Op::VTruncF16 => self.map_f16(c, |a| f16::round_to_int(Round::Zero, f16::input(m64, a))),
            Op::VRndneF16 => self.map_f16(c, |a| f16::round_to_int(Round::Nearest, f16::input(m64, a))),
            Op::VFractF16 => self.map_f16(c, |a| float::fract16(m64, a)),
            // two sources
            Op::VCndmaskB32 => self.cndmask(c),
            Op::VAddF32 => with_mode!(m, |M| self.map2_f32(c, |a, b| n32::add(M, a, b))),
            Op::VSubF32 => with_mode!(m, |M| self.map2_f32(c, |a, b| n32::sub(M, a, b))),
            Op::VSubrevF32 => with_mode!(m, |M| self.map2_f32(c, |a, b| n32::sub(M, b, a))),
            Op::VMulLegacyF32 => self.map2_f32(c, |a, b| n32::mul_legacy(m, a, b)),
            Op::VMulF32 => with_mode!(m, |M| self.map2_f32(c, |a, b| n32::mul(M, a, b))),
            Op::VMacF32 | Op::VMacLegacyF32 => {
                let old = self.v[usize::from(d.dst)];
                let (mut p, mut q) = ([0; LANES], [0; LANES]);
                let (a, b) = (self.look(c, 0, SIGN32, &mut p)?, self.look(c, 1, SIGN32, &mut q)?);
                let x = f32::from_bits;
                let mut out = if d.op == Op::VMacLegacyF32 {
                    Self::each(mask, |l| float::mad_legacy(flushed, x(a[l]), x(b[l]), x(old[l])).to_bits())
                } else {
                    with_mode!(flushed, |M| Self::every(mask, |l| n32::mad(M, x(a[l]), x(b[l]), x(old[l])).to_bits()))
                };
                self.modified32(c, &mut out);
                self.put(c, &out);
                Ok(())
            }
            Op::VMadmkF32 => {
                let k = f32::from_bits(self.s32(d.src[2])?);
                with_mode!(flushed, |M| self.map2_f32(c, |a, b| n32::mad(M, a, k, b)))
            }
            Op::VMadakF32 => {
                let k = f32::from_bits(self.s32(d.src[2])?);
                with_mode!(flushed, |M| self.map2_f32(c, |a, b| n32::mad(M, a, b, k)))
            }
            Op::VMulI32I24 => self.map2_u32(c, |a, b| int::smul24(a, b) as u32),
            Op::VMulHiI32I24 => self.map2_u32(c, |a, b| int::smul24_hi(a, b) as u32),
            Op::VMulU32U24 => self.map2_u32(c, int::umul24),
            Op::VMulHiU32U24 => self.map2_u32(c, int::umul24_hi),
            Op::VMinLegacyF32 => self.map2_f32(c, |a, b| float::min_legacy(m, a, b)),
            Op::VMaxLegacyF32 => self.map2_f32(c, |a, b| float::max_legacy(m, a, b)),
            // These keep denormals whatever the mode (before gfx9).
            Op::VMinF32 => self.map2_f32(c, |a, b| n32::min(Mode::IEEE, gpucc_num::MinMax::Number, a, b)),
            Op::VMaxF32 => self.map2_f32(c, |a, b| n32::max(Mode::IEEE, gpucc_num::MinMax::Number, a, b)),
            Op::VMinI32 => self.map2_u32(c, |a, b| (a as i32).min(b as i32) as u32),
            Op::VMaxI32 => self.map2_u32(c, |a, b| (a as i32).max(b as i32) as u32),
            Op::VMinU32 => self.map2_u32(c, u32::min),
            Op::VMaxU32 => self.map2_u32(c, u32::max),
            Op::VLshrB32 => self.map2_u32(c, |a, b| a >> (b & 31)),
            Op::VLshrrevB32 => self.map2_u32(c, |a, b| b >> (a & 31)),
            Op::VAshrI32 => self.map2_u32(c, |a, b| ((a as i32) >> (b & 31)) as u32),
            Op::VAshrrevI32 => self.map2_u32(c, |a, b| ((b as i32) >> (a & 31)) as u32),
            Op::VLshlB32 => self.map2_u32(c, |a, b| a << (b & 31)),
            Op::VLshlrevB32 => self.map2_u32(c, |a, b| b << (a & 31)),
            Op::VAndB32 => self.map2_u32(c, |a, b| a & b),
            Op::VOrB32 => self.map2_u32(c, |a, b| a | b),
            Op::VXorB32 => self.map2_u32(c, |a, b| a ^ b),
            Op::VBfmB32 => self.map2_u32(c, |a, b| ((1u32 << (a & 31)) - 1) << (b & 31)),
            Op::VBcntU32B32 => self.map2_u32(c, |a, b| a.count_ones().wrapping_add(b)),
            Op::VMbcntLoU32B32 | Op::VMbcntHiU32B32 => {
                let (a, b) = (self.src(c, 0, 0)?, self.src(c, 1, 0)?);
                let high = d.op == Op::VMbcntHiU32B32;
                let out = Self::each(mask, |l| {
                    let below = ((1u64 << l) - 1) >> if high { 32 } else { 0 };
                    (a[l] & below as u32).count_ones().wrapping_add(b[l])
                });
                self.put(c, &out);
                Ok(())
            }
            Op::VAddI32 | Op::VAddU32 => self.carry(c, false, |a, b, _| a.overflowing_add(b), u32::MAX),
            Op::VSubI32 | Op::VSubU32 => self.carry(c, false, |a, b, _| a.overflowing_sub(b), 0),
            Op::VSubrevI32 | Op::VSubrevU32 => self.carry(c, true, |a, b, _| a.overflowing_sub(b), 0),
            Op::VAddcU32 => self.carry(c, false, int::add_carry, u32::MAX),
            Op::VSubbU32 => self.carry(c, false, int::sub_borrow, 0),
            Op::VSubbrevU32 => self.carry(c, true, int::sub_borrow, 0),
            Op::VLdexpF32 => {
                let (a, b) = (self.src(c, 0, SIGN32)?, self.src(c, 1, 0)?);
                let out =
                    Self::each(mask, |l| self.out32(d, n32::ldexp(m, f32::from_bits(a[l]), b[l] as i32)).to_bits());
                self.put(c, &out);
                Ok(())
            }
            Op::VLdexpF64 => {
                let (a, b) = (self.wide(c, 0, true)?, self.src(c, 1, 0)?);
                let mut out = [0; LANES];
                for l in lanes(mask) {
                    out[l] = self.out64(d, n64::ldexp(m64, f64::from_bits(a[l]), b[l] as i32)).to_bits();
                }
                self.put_wide(c, &out);
                Ok(())
            }
            Op::VLdexpF16 => {
                let (a, b) = (self.src(c, 0, SIGN16)?, self.src(c, 1, 0)?);
                let out =
                    Self::each(mask, |l| self.out16(d, f16::ldexp(m64, a[l] as u16, (b[l] as i16).into())).into());
                self.put(c, &out);
                Ok(())
            }
            Op::VAddF16 => self.map2_f16(c, |a, b| f16::add(m64, a, b)),
            Op::VSubF16 => self.map2_f16(c, |a, b| f16::sub(m64, a, b)),
            Op::VSubrevF16 => self.map2_f16(c, |a, b| f16::sub(m64, b, a)),
            Op::VMulF16 => self.map2_f16(c, |a, b| f16::mul(m64, a, b)),
            Op::VMaxF16 => self.map2_f16(c, |a, b| f16::max(Mode::IEEE, gpucc_num::MinMax::Number, a, b)),
            Op::VMinF16 => self.map2_f16(c, |a, b| f16::min(Mode::IEEE, gpucc_num::MinMax::Number, a, b)),
            Op::VMacF16 => {
                let old = self.v[usize::from(d.dst)];
                let (a, b) = (self.src(c, 0, SIGN16)?, self.src(c, 1, SIGN16)?);
                let out =
                    Self::each(mask, |l| self.out16(d, f16::mad(m64, a[l] as u16, b[l] as u16, old[l] as u16)).into());
                self.put(c, &out);
                Ok(())
            }
            Op::VMadmkF16 => {
                let k = self.s32(d.src[2])? as u16;
                self.map2_f16(c, |a, b| f16::mad(m64, a, k, b))
            }
            Op::VMadakF16 => {
                let k = self.s32(d.src[2])? as u16;
                self.map2_f16(c, |a, b| f16::mad(m64, a, b, k))
            }
            Op::VAddU16 => self.map2_u32(c, |a, b| clamp16((a & 0xffff) + (b & 0xffff), d.clamp)),
            Op::VSubU16 => self.map2_u32(c, |a, b| sub16(a, b, d.clamp)),
            Op::VSubrevU16 => self.map2_u32(c, |a, b| sub16(b, a, d.clamp)),
            Op::VMulLoU16 => self.map2_u32(c, |a, b| (a & 0xffff).wrapping_mul(b & 0xffff) & 0xffff),
            Op::VLshlrevB16 => self.map2_u32(c, |a, b| (b & 0xffff) << (a & 15) & 0xffff),
            Op::VLshrrevB16 => self.map2_u32(c, |a, b| (b & 0xffff) >> (a & 15)),
            Op::VAshrrevI16 => self.map2_u32(c, |a, b| ((b as i16) >> (a & 15)) as u16 as u32),
            Op::VMaxU16 => self.map2_u32(c, |a, b| (a & 0xffff).max(b & 0xffff)),
            Op::VMaxI16 => self.map2_u32(c, |a, b| (a as i16).max(b as i16) as u16 as u32),
            Op::VMinU16 => self.map2_u32(c, |a, b| (a & 0xffff).min(b & 0xffff)),
            Op::VMinI16 => self.map2_u32(c, |a, b| (a as i16).min(b as i16) as u16 as u32),
            // three sources
            Op::VMadLegacyF32 => self.map3_f32(c, |a, b, e| float::mad_legacy(flushed, a, b, e)),
            Op::VMadF32 => with_mode!(flushed, |M| self.map3_f32(c, |a, b, e| n32::mad(M, a, b, e))),
            Op::VMadI32I24 => self.map3_u32(c, |a, b, e| {
                let p = i64::from(int::slow24(a)) * i64::from(int::slow24(b)) + i64::from(e as i32);
                if d.clamp { p.clamp(i32::MIN.into(), i32::MAX.into()) as u32 } else { p as u32 }
            }),
            Op::VMadU32U24 => self.map3_u32(c, |a, b, e| {
                let p = u64::from(int::low24(a)) * u64::from(int::low24(b)) + u64::from(e);
                if d.clamp { p.min(u32::MAX.into()) as u32 } else { p as u32 }
            }),
            Op::VCubeidF32 => self.map3_f32(c, |x, y, z| float::cube(x, y, z).face),
            Op::VCubescF32 => self.map3_f32(c, |x, y, z| float::cube(x, y, z).sc),
            Op::VCubetcF32 => self.map3_f32(c, |x, y, z| float::cube(x, y, z).tc),
            Op::VCubemaF32 => self.map3_f32(c, |x, y, z| float::cube(x, y, z).ma),
            Op::VBfeU32 => self.map3_u32(c, |a, b, e| bfe(a.into(), b & 31, e & 31, 32, false) as u32),
            Op::VBfeI32 => self.map3_u32(c, |a, b, e| bfe(a.into(), b & 31, e & 31, 32, true) as u32),
            Op::VBfiB32 => self.map3_u32(c, |a, b, e| a & b | !a & e),
            Op::VFmaF32 => with_mode!(m, |M| self.map3_f32(c, |a, b, e| n32::fma(M, a, b, e))),
            Op::VFmaF64 => self.map3_f64(c, |a, b, e| n64::fma(m64, a, b, e)),
            Op::VLerpU8 => self.map3_u32(c, |a, b, e| bytes(|i| (byte(a, i) + byte(b, i) + (byte(e, i) & 1)) >> 1)),
            Op::VAlignbitB32 => self.map3_u32(c, |a, b, e| align(a, b, e & 31)),
            Op::VAlignbyteB32 => self.map3_u32(c, |a, b, e| align(a, b, 8 * (e & 3))),
            Op::VMin3F32 => self.map3_f32(c, float::min3),
            Op::VMax3F32 => self.map3_f32(c, float::max3),
            Op::VMed3F32 => self.map3_f32(c, float::med3),
            Op::VMin3I32 => self.map3_u32(c, |a, b, e| (a as i32).min(b as i32).min(e as i32) as u32),
            Op::VMin3U32 => self.map3_u32(c, |a, b, e| a.min(b).min(e)),
            Op::VMax3I32 => self.map3_u32(c, |a, b, e| (a as i32).max(b as i32).max(e as i32) as u32),
            Op::VMax3U32 => self.map3_u32(c, |a, b, e| a.max(b).max(e)),
            Op::VMed3I32 => self.map3_u32(c, |a, b, e| {
                let (a, b, e) = (a as i32, b as i32, e as i32);
                a.min(b).max(a.max(b).min(e)) as u32
            }),
            Op::VMed3U32 => self.map3_u32(c, |a, b, e| a.min(b).max(a.max(b).min(e))),
            Op::VSadU8 => self.map3_u32(c, |a, b, e| integer_clamp(sad4(a, b).into(), e, d.clamp)),
            Op::VSadHiU8 => self.map3_u32(c, |a, b, e| integer_clamp(u64::from(sad4(a, b)) << 16, e, d.clamp)),
            Op::VSadU16 => self.map3_u32(c, |a, b, e| {
                let s = (a & 0xffff).abs_diff(b & 0xffff) + (a >> 16).abs_diff(b >> 16);
                integer_clamp(s.into(), e, d.clamp)
            }),
            Op::VSadU32 => self.map3_u32(c, |a, b, e| integer_clamp(a.abs_diff(b).into(), e, d.clamp)),
            Op::VMsadU8 => self.map3_u32(c, |a, b, e| integer_clamp(msad4(a, b).into(), e, d.clamp)),
            Op::VDivFixupF32 => self.map3_f32(c, float::div_fixup32),
            Op::VDivFixupF64 => self.map3_f64(c, float::div_fixup64),
            Op::VDivFixupF16 => self.map3_f16(c, float::div_fixup16),
            Op::VLshlB64 => self.shift64(c, false, |a, n| a << n),
            Op::VLshrB64 => self.shift64(c, false, |a, n| a >> n),
            Op::VAshrI64 => self.shift64(c, false, |a, n| ((a as i64) >> n) as u64),
            Op::VLshlrevB64 => self.shift64(c, true, |a, n| a << n),
            Op::VLshrrevB64 => self.shift64(c, true, |a, n| a >> n),
            Op::VAshrrevI64 => self.shift64(c, true, |a, n| ((a as i64) >> n) as u64),
            Op::VAddF64 => self.map2_f64(c, |a, b| n64::add(m64, a, b)),
            Op::VMulF64 => self.map2_f64(c, |a, b| n64::mul(m64, a, b)),
            Op::VMinF64 => self.map2_f64(c, |a, b| n64::min(Mode::IEEE, gpucc_num::MinMax::Number, a, b)),
            Op::VMaxF64 => self.map2_f64(c, |a, b| n64::max(Mode::IEEE, gpucc_num::MinMax::Number, a, b)),
            Op::VMulLoU32 | Op::VMulLoI32 => self.map2_u32(c, u32::wrapping_mul),
            Op::VMulHiU32 => self.map2_u32(c, int::umul_hi),
            Op::VMulHiI32 => self.map2_u32(c, |a, b| int::smul_hi(a as i32, b as i32) as u32),
            Op::VDivScaleF32 => self.div_scale32(c),
            Op::VDivScaleF64 => self.div_scale64(c),
            Op::VDivFmasF32 => {
                let vcc = self.vcc()?;
                let (a, b, e) = (self.src(c, 0, SIGN32)?, self.src(c, 1, SIGN32)?, self.src(c, 2, SIGN32)?);
                let out = Self::each(mask, |l| {
                    let x = f32::from_bits;
                    self.out32(d, float::div_fmas32(m, x(a[l]), x(b[l]), x(e[l]), vcc >> l & 1 == 1)).to_bits()
                });
                self.put(c, &out);
                Ok(())
            }
            Op::VDivFmasF64 => {
                let vcc = self.vcc()?;
                let (a, b, e) = (self.wide(c, 0, true)?, self.wide(c, 1, true)?, self.wide(c, 2, true)?);
                let out = Self::each(mask, |l| {
                    let x = f64::from_bits;
                    self.out64(d, float::div_fmas64(m64, x(a[l]), x(b[l]), x(e[l]), vcc >> l & 1 == 1)).to_bits()
                });
                self.put_wide(c, &out);
                Ok(())
            }
            Op::VQsadPkU16U8 | Op::VMqsadPkU16U8 => {
                let (a, b, e) = (self.wide(c, 0, false)?, self.src(c, 1, 0)?, self.wide(c, 2, false)?);
                let masked = d.op == Op::VMqsadPkU16U8;
                let mut out = [0; LANES];
                for l in lanes(mask) {
                    for i in 0..4 {
                        let window = (a[l] >> (8 * i)) as u32;
                        let s = if masked { msad4(window, b[l]) } else { sad4(window, b[l]) };
                        let sum = (e[l] >> (16 * i) & 0xffff) + u64::from(s);
                        let sum = if d.clamp { sum.min(0xffff) } else { sum & 0xffff };
                        out[l] |= sum << (16 * i);
                    }
                }
                self.put_wide(c, &out);
                Ok(())
            }
            Op::VMqsadU32U8 => {
                let (a, b) = (self.wide(c, 0, false)?, self.src(c, 1, 0)?);
                let Src::V(acc) = d.src[2] else { return Err(unsupported("accumulator must be a VGPR")) };
                for i in 0..4 {
                    let e = self.v[usize::from(acc) + i];
                    let out = Self::each(mask, |l| {
                        integer_clamp(msad4((a[l] >> (8 * i)) as u32, b[l]).into(), e[l], d.clamp)
                    });
                    let part = Decoded { dst: d.dst + i as u16, ..d.clone() };
                    self.put(&LaneCx { d: &part, mask, dpp: None }, &out);
                }
                Ok(())
            }
            Op::VMadU64U32 | Op::VMadI64I32 => {
                let (a, b, e) = (self.src(c, 0, 0)?, self.src(c, 1, 0)?, self.wide(c, 2, false)?);
                let mut out = [0; LANES];
                let mut bits = 0;
                for l in lanes(mask) {
                    let (v, o) = if d.op == Op::VMadU64U32 {
                        (u64::from(a[l]) * u64::from(b[l])).overflowing_add(e[l])
                    } else {
                        let p = i64::from(a[l] as i32) * i64::from(b[l] as i32);
                        let (v, o) = p.overflowing_add(e[l] as i64);
                        (v as u64, o)
                    };
                    out[l] = v;
                    bits |= u64::from(o) << l;
                }
                self.put_wide(c, &out);
                self.put_mask(d, bits);
                Ok(())
            }
            Op::VMadF16 => self.map3_f16(c, |a, b, e| f16::mad(m64, a, b, e)),
            Op::VFmaF16 => self.map3_f16(c, |a, b, e| f16::fma(m64, a, b, e)),
            Op::VMadU16 => self.map3_u32(c, |a, b, e| {
                let p = (a & 0xffff) * (b & 0xffff);
                let p = u64::from(p) + u64::from(e & 0xffff);
                (if d.clamp { p.min(0xffff) } else { p & 0xffff }) as u32
            }),
            Op::VMadI16 => self.map3_u32(c, |a, b, e| {
                let p = i64::from(a as i16) * i64::from(b as i16) + i64::from(e as i16);
                (if d.clamp { p.clamp(-0x8000, 0x7fff) } else { p }) as u32 & 0xffff
            }),
            Op::VPermB32 => self.map3_u32(c, perm),
            Op::VMullitF32 | Op::VTrigPreopF64 => {
                Err(unsupported(format!("the reference does not define `{}`", d.op.name())))
            }
            _ => Err(unsupported(format!("`{}` is not a vector operation of this interpreter", d.op.name()))),
        }
    }

    /// Copies lanes with what is known of them.
    fn mov(&mut self, c: &LaneCx<'_>) -> Result<(), Trap> {
        let out = self.src(c, 0, 0)?;
        let known = self.known(c.d.src[0]);
        self.put(c, &out);
        if c.dpp.is_none() {
            self.v_known[usize::from(c.d.dst)] &= !c.mask | known;
        }
        Ok(())
    }

    fn cndmask(&mut self, c: &LaneCx<'_>) -> Result<(), Trap> {
        let d = c.d;
        let code = usize::from(d.mask);
        fail_if!(self.s_known >> code & 3 != 3, undefined(code as u16));
        let select = self.pair(code);
        let (mut x, mut y) = ([0; LANES], [0; LANES]);
        let (a, b) = (self.look(c, 0, SIGN32, &mut x)?, self.look(c, 1, SIGN32, &mut y)?);
        let out = Self::each(c.mask, |l| if select >> l & 1 == 1 { b[l] } else { a[l] });
        let known = self.known(d.src[0]) & !select | self.known(d.src[1]) & select;
        self.put(c, &out);
        if c.dpp.is_none() && d.format != Format::Sdwa {
            self.v_known[usize::from(d.dst)] &= !c.mask | known;
        }
        Ok(())
    }

    fn read_lane(&mut self, d: &Decoded, lane: u32) -> Result<(), Trap> {
        let Src::V(n) = d.src[0] else { return Err(unsupported("lane reads need a VGPR")) };
        let (exec, all) = (self.exec(), self.v_known[usize::from(n)]);
        let known = all >> lane & 1;
        let code = usize::from(d.dst);
        self.s[code] = self.v[usize::from(n)][lane as usize];
        if known == 0 && self.conventions {
            // Those that take part have a value: others have any. A register that holds words by their lanes has none for the active ones.
            let takes_part = exec >> lane & 1 == 1;
            fail_if!(takes_part || exec & !all != 0, undefined(u16::from(n) + 256).in_lane(lane));
            self.s[code] = 0xcccc_cccc ^ self.seed.unwrap_or(0) as u32;
            self.s_known |= 1 << code;
            return Ok(());
        }
        self.s_known = self.s_known & !(1 << code) | u128::from(known) << code;
        Ok(())
    }

    /// Register numbers plus M0; beyond the allocation v0 is used (section 7).
    fn movrel(&mut self, d: &Decoded, mask: u64) -> Result<(), Trap> {
        fail_if!(self.s_known >> M0 & 1 == 0, undefined(M0 as u16));
        let m0 = u64::from(self.s[M0 as usize]);
        let limit = self.v.len() as u64;
        let moved = |n: u64| if n + m0 < limit { (n + m0) as usize } else { 0 };
        let dst = if d.op == Op::VMovrelsB32 { usize::from(d.dst) } else { moved(d.dst.into()) };
        let source = match (d.op, d.src[0]) {
            (Op::VMovreldB32, s) => self.raw(s)?,
            (_, Src::V(n)) => {
                let n = moved(n.into());
                fail_if!(mask & !self.v_known[n] != 0, undefined(n as u16 + 256));
                self.arrived(n, mask)?;
                self.v[n]
            }
            _ => return Err(unsupported("relative move from a scalar")),
        };
        self.arrived(dst, mask)?;
        for l in lanes(mask) {
            self.v[dst][l] = source[l];
        }
        self.v_known[dst] |= mask;
        Ok(())
    }

    fn trig(&mut self, c: &LaneCx<'_>, cosine: bool) -> Result<(), Trap> {
        let m = self.float.f32;
        let a = self.src(c, 0, SIGN32)?;
        let out = Self::each(c.mask, |l| {
            let mut x = float::sin_turns(n32::input(m, f32::from_bits(a[l])), cosine);
            if let Some(seed) = self.seed.filter(|_| x.is_finite() && x != 0.0 && x.abs() != 1.0) {
                // Absolute error of about 2^-20.
                let by = special::draw(seed, a[l].into(), 3) as f32 - 1.0;
                x = (x + by * 9.536_743e-7).clamp(-1.0, 1.0);
            }
            self.out32(c.d, x).to_bits()
        });
        self.put(c, &out);
        Ok(())
    }

    /// f64 functions give about 29 bits (section 7).
    fn approx64(&mut self, c: &LaneCx<'_>, f: impl Fn(f64) -> f64) -> Result<(), Trap> {
        let m = self.float.f64;
        let a = self.wide(c, 0, true)?;
        let out = Self::each(c.mask, |l| {
            let x = f(n64::input(m, f64::from_bits(a[l])));
            let x = if x.is_nan() { gpucc_num::NAN64 } else { x };
            let by = self.seed.map_or(0, |s| special::draw(s, x.to_bits(), 1 << 22));
            let coarse = if x.is_finite() && x != 0.0 && x.abs() != f64::MAX {
                x.to_bits() & !((1 << 22) - 1) | by
            } else {
                x.to_bits()
            };
            self.out64(c.d, f64::from_bits(coarse)).to_bits()
        });
        self.put_wide(c, &out);
        Ok(())
    }

    fn div_scale32(&mut self, c: &LaneCx<'_>) -> Result<(), Trap> {
        let (a, b, e) = (self.src(c, 0, SIGN32)?, self.src(c, 1, SIGN32)?, self.src(c, 2, SIGN32)?);
        let mut out = [0; LANES];
        let mut bits = 0;
        for l in lanes(c.mask) {
            let x = f32::from_bits;
            let (v, s) = float::div_scale32(x(a[l]), x(b[l]), x(e[l]));
            out[l] = self.out32(c.d, v).to_bits();
            bits |= u64::from(s) << l;
        }
        self.put(c, &out);
        self.put_mask(c.d, bits);
        Ok(())
    }

    fn div_scale64(&mut self, c: &LaneCx<'_>) -> Result<(), Trap> {
        let (a, b, e) = (self.wide(c, 0, true)?, self.wide(c, 1, true)?, self.wide(c, 2, true)?);
        let mut out = [0; LANES];
        let mut bits = 0;
        for l in lanes(c.mask) {
            let x = f64::from_bits;
            let (v, s) = float::div_scale64(x(a[l]), x(b[l]), x(e[l]));
            out[l] = self.out64(c.d, v).to_bits();
            bits |= u64::from(s) << l;
        }
        self.put_wide(c, &out);
        self.put_mask(c.d, bits);
        Ok(())
    }
}

fn byte(v: u32, i: u32) -> u32 {
    v >> (8 * i) & 255
}
fn bytes(f: impl Fn(u32) -> u32) -> u32 {
    (0..4).fold(0, |m, i| m | (f(i) & 255) << (8 * i))
}
fn sad4(a: u32, b: u32) -> u32 {
    (0..4).map(|i| byte(a, i).abs_diff(byte(b, i))).sum()
}
/// Bytes whose second operand is 0 are left out.
fn msad4(a: u32, b: u32) -> u32 {
    (0..4).filter(|&i| byte(b, i) != 0).map(|i| byte(a, i).abs_diff(byte(b, i))).sum()
}
fn integer_clamp(sum: u64, add: u32, clamp: bool) -> u32 {
    let v = sum + u64::from(add);
    if clamp { v.min(u32::MAX.into()) as u32 } else { v as u32 }
}
fn align(a: u32, b: u32, shift: u32) -> u32 {
    ((u64::from(a) << 32 | u64::from(b)) >> shift) as u32
}
fn clamp16(v: u32, clamp: bool) -> u32 {
    if clamp { v.min(0xffff) } else { v & 0xffff }
}
fn sub16(a: u32, b: u32, clamp: bool) -> u32 {
    let (a, b) = (a & 0xffff, b & 0xffff);
    if clamp { a.saturating_sub(b) } else { a.wrapping_sub(b) & 0xffff }
}
/// v_perm_b32: bytes 0 to 3 come from the second source, 4 to 7 from the first.
fn perm(a: u32, b: u32, selectors: u32) -> u32 {
    let all = u64::from(a) << 32 | u64::from(b);
    bytes(|i| match byte(selectors, i) {
        s @ 0..=7 => (all >> (8 * s)) as u32 & 255,
        s @ 8..=11 if all >> (16 * (s - 8) + 15) & 1 == 1 => 255,
        8..=11 => 0,
        12 => 0,
        _ => 255,
    })
}
