//! Every row executed once at least. Expected values are worked out from section 12 (arithmetic), 15 (memory) and 9, 18 of the
//! ISA reference; none was taken from the machine.

use std::collections::BTreeSet;

use crate::common::Program;
use gpucc_isa::stage;
use gpucc_valhall_machine::{OPS, Op, assemble, decode_word};

const fn f(x: f32) -> u32 {
    x.to_bits()
}

/// Two halves, low first.
const fn hh(lo: u16, hi: u16) -> u32 {
    lo as u32 | (hi as u32) << 16
}

/// Four bytes, low first.
const fn b4(a: u8, b: u8, c: u8, d: u8) -> u32 {
    u32::from_le_bytes([a, b, c, d])
}

// fp16: 0.5, 1, 1.5, 2, 3, 4, infinity, NaN; a sign bit on top.
const H05: u16 = 0x3800;
const H1: u16 = 0x3C00;
const H15: u16 = 0x3E00;
const H2: u16 = 0x4000;
const H3: u16 = 0x4200;
const H4: u16 = 0x4400;
const HINF: u16 = 0x7C00;
const HNAN: u16 = 0x7E00;
const NEG: u16 = 0x8000;

const NAN: u32 = 0x7FC0_0000;
const INF: u32 = 0x7F80_0000;
const NINF: u32 = 0xFF80_0000;
const ALL: u32 = 0xFFFF_FFFF;

/// Instructions, what r0.. hold before, what r8 and r9 hold after (both begin as 0x11112222).
type Case<'a> = (&'a str, &'a [u32], &'a [u32]);

const OLD: u32 = 0x1111_2222;

const FLOAT: &[Case<'static>] = &[
    ("FADD.f32 r8, r0, r1", &[f(1.5), f(2.25)], &[f(3.75)]),
    ("FADD.f32 r8, r0.neg, r1.abs", &[f(1.5), f(-2.25)], &[f(0.75)]),
    ("FADD.f32 r8, r0.neg.abs, r1", &[f(-1.5), f(1.0)], &[f(-0.5)]),
    ("FADD.f32 r8, r0.h0, r1.h1", &[hh(H2, HNAN), hh(HNAN, H05)], &[f(2.5)]),
    ("FADD.f32.clamp_0_1 r8, r0, r1", &[f(1.5), f(2.25)], &[f(1.0)]),
    ("FADD.f32.clamp_0_1 r8, r0, r1", &[NAN, f(2.25)], &[0]),
    ("FADD.f32.clamp_m1_1 r8, r0, r1", &[NAN, f(2.25)], &[f(-1.0)]),
    ("FADD.f32.clamp_m1_1 r8, r0, r1", &[f(-0.0), f(-0.0)], &[f(-0.0)]),
    ("FADD.f32.clamp_0_inf r8, r0, r1", &[f(-0.0), f(-0.0)], &[0]),
    ("FADD.f32.clamp_0_inf r8, r0, r1", &[f(100.0), f(0.5)], &[f(100.5)]),
    ("FADD.f32.clamp_m1_1 r8, r0, r1", &[f(-100.0), f(0.5)], &[f(-1.0)]),
    ("FADD.f32 r8, r0, 0x0.neg", &[f(-0.0)], &[f(-0.0)]),
    // Subnormals are kept: the smallest one and the next are thrice the smallest.
    ("FADD.f32 r8, r0, r1", &[1, 2], &[3]),
    ("FADD.v2f16 r8, r0, r1", &[hh(H1, H2), hh(H2, NEG | H05)], &[hh(H3, H15)]),
    ("FADD.v2f16 r8, r0.h10, r1.neg.h00", &[hh(H1, H2), hh(H05, H4)], &[hh(H15, H05)]),
    ("FADD.v2f16.clamp_0_1 r8, r0, r1", &[hh(H1, HNAN), hh(H2, H1)], &[hh(H1, 0)]),
    ("FADD.v2f16 r8.h1, r0, r1", &[hh(H1, H2), hh(H2, H2)], &[hh(0x2222, H4)]),
    ("FADD.v2f16 r8.h0, r0, r1", &[hh(H1, H2), hh(H2, H2)], &[hh(H3, 0x1111)]),
    ("FMIN.f32 r8, r0, r1", &[f(1.5), f(-2.25)], &[f(-2.25)]),
    ("FMIN.f32 r8, r0, r1", &[NAN, f(-2.25)], &[f(-2.25)]),
    ("FMIN.f32 r8, r0, r1", &[f(0.0), f(-0.0)], &[f(-0.0)]),
    ("FMIN.v2f16 r8, r0, r1", &[hh(H1, HNAN), hh(H2, H2)], &[hh(H1, H2)]),
    ("FMAX.f32 r8, r0, r1", &[f(1.5), f(-2.25)], &[f(1.5)]),
    ("FMAX.f32 r8, r0, r1", &[f(-0.0), f(0.0)], &[f(0.0)]),
    ("FMAX.f32 r8, r0, r1", &[f(-7.0), NAN], &[f(-7.0)]),
    ("FMAX.v2f16 r8, r0, r1", &[hh(H1, HNAN), hh(H2, NEG | H2)], &[hh(H2, NEG | H2)]),
    ("FMA.f32 r8, r0, r1, r2", &[f(3.0), f(4.0), f(-2.0)], &[f(10.0)]),
    // One rounding: (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24.
    ("FMA.f32 r8, r0, r0, r1", &[f(1.0 + 1.0 / 4096.0), f(-1.0 - 1.0 / 2048.0)], &[0x3380_0000]),
    ("FMA.f32 r8, r0.neg, r1, r2.h1", &[f(3.0), f(4.0), hh(HNAN, H2)], &[f(-10.0)]),
    ("FMA.v2f16 r8, r0, r1, r2", &[hh(H1, H2), hh(H3, H2), hh(H1, NEG | H1)], &[hh(H4, H3)]),
    ("FMA_RSCALE.f32 r8, r0, r1, r2, r3", &[f(3.0), f(4.0), f(-2.0), 5], &[f(320.0)]),
    ("FMA_RSCALE.f32 r8, r0, r1, r2, r3", &[f(3.0), f(4.0), f(-2.0), ALL], &[f(5.0)]),
    ("FMA_RSCALE.f32 r8, r0, r1, r2, r3", &[f(0.0), INF, f(1.0), 0], &[NAN]),
    ("FMA_RSCALE_N.f32 r8, r0, r1, r2, r3", &[f(0.0), INF, f(1.0), 1], &[f(2.0)]),
    ("FMA_RSCALE_LEFT.f32 r8, r0, r1, r2, r3", &[f(-0.0), INF, f(-0.0), 0], &[f(-0.0)]),
    ("FMA_RSCALE_LEFT.f32 r8, r0, r1, r2, r3", &[f(2.0), f(3.0), f(1.0), 2], &[f(28.0)]),
    ("FMA_RSCALE_SCALE16.f32 r8, r0, r1, r2, r3", &[f(3.0), f(1.0), f(0.0), 0xABCD_0002], &[f(12.0)]),
    ("FMA_RSCALE_SCALE16.f32 r8, r0, r1, r2, r3", &[f(3.0), f(1.0), f(0.0), 0x0001_FFFF], &[f(1.5)]),
    ("FADD_IMM.f32 r8, r0, #0x40200000", &[f(1.0)], &[f(3.5)]),
    ("FADD_IMM.v2f16 r8, r0, #0x40003C00", &[hh(H1, H1)], &[hh(H2, H3)]),
    ("LDEXP.f32 r8, r0, r1", &[f(3.0), 4], &[f(48.0)]),
    ("LDEXP.f32 r8, r0, r1", &[f(3.0), -2i32 as u32], &[f(0.75)]),
    // 3 * 2^-150 is 1.5 of the smallest subnormal: to even it is 2, towards zero 1.
    ("LDEXP.f32 r8, r0, r1", &[f(3.0), -150i32 as u32], &[2]),
    ("LDEXP.f32.rtz r8, r0, r1", &[f(3.0), -150i32 as u32], &[1]),
    ("LDEXP.v2f16 r8, r0, r1", &[hh(H1, H3), hh(2, 0xFFFF)], &[hh(H4, H15)]),
    ("V2F32_TO_V2F16 r8, r0, r1", &[f(1.5), f(-2.0)], &[hh(H15, NEG | H2)]),
    // 1 + 2^-11 lies between 1 and 1 + 2^-10.
    ("V2F32_TO_V2F16 r8, r0, r1", &[f(1.0 + 1.0 / 2048.0), f(65536.0)], &[hh(H1, HINF)]),
    ("V2F32_TO_V2F16.rtp r8, r0, r1.neg", &[f(1.0 + 1.0 / 2048.0), f(3.0)], &[hh(H1 + 1, NEG | H3)]),
    ("V2F32_TO_V2F16.clamp_0_1 r8, r0, r1", &[f(7.0), f(-3.0)], &[hh(H1, 0)]),
    ("CSEL.f32.lt r8, r0, r1, r2, r3", &[f(1.0), f(2.0), 7, 9], &[7]),
    ("CSEL.f32.lt r8, r0, r1, r2, r3", &[NAN, f(2.0), 7, 9], &[9]),
    ("CSEL.f32.ne r8, r0, r1, r2, r3", &[NAN, f(2.0), 7, 9], &[7]),
    ("CSEL.f32.total r8, r0, r1, r2, r3", &[NAN, f(2.0), 7, 9], &[9]),
    ("CSEL.f32.gtlt r8, r0, r1, r2, r3", &[NAN, f(2.0), 7, 9], &[9]),
    ("CSEL.f32.eq r8, r0, r1, r2, r3", &[f(-0.0), f(0.0), 7, 9], &[7]),
    ("CSEL.v2f16.gt r8, r0, r1, r2, r3", &[hh(H2, H1), hh(H1, H2), hh(1, 2), hh(3, 4)], &[hh(1, 4)]),
    ("FCMP_OR.f32.gt.m1 r8, r0, r1, 0x0", &[f(2.0), f(1.0)], &[ALL]),
    ("FCMP_OR.f32.gt.i1 r8, r0, r1, r2", &[f(0.0), f(1.0), 4], &[1]),
    ("FCMP_OR.f32.le.f1 r8, r0.neg, r1.abs, 0x0", &[f(2.0), f(-1.0)], &[f(1.0)]),
    ("FCMP_OR.f32.ge.i1 r8, r0, r1, 0x0", &[NAN, f(1.0)], &[0]),
    ("FCMP_AND.f32.ge.i1 r8, r0, r1, r2", &[f(1.0), f(1.0), ALL], &[1]),
    ("FCMP_AND.f32.ge.i1 r8, r0, r1, r2", &[f(1.0), f(1.0), 0], &[0]),
    ("FCMP_AND.f32.gt.m1 r8, r0.h1, r1, r2", &[hh(0, H2), f(1.0), ALL], &[ALL]),
    ("FCMP_OR.v2f16.lt.m1 r8, r0, r1, 0x0", &[hh(H1, H2), hh(H2, H1)], &[hh(0xFFFF, 0)]),
    ("FCMP_OR.v2f16.lt.f1 r8, r0.h10, r1, r2", &[hh(H2, H1), hh(H2, H1), hh(0, 1)], &[hh(H1, H1)]),
    ("FCMP_AND.v2f16.ne.i1 r8, r0, r1, r2", &[hh(HNAN, H2), hh(H2, H1), hh(1, 0)], &[hh(1, 0)]),
    ("FROUND.f32 r8, r0", &[f(2.5)], &[f(2.0)]),
    ("FROUND.f32.rtp r8, r0", &[f(2.25)], &[f(3.0)]),
    ("FROUND.f32.rtn r8, r0", &[f(-2.25)], &[f(-3.0)]),
    ("FROUND.f32.rtz r8, r0.neg", &[f(2.75)], &[f(-2.0)]),
    ("FROUND.f32.rtp r8, r0", &[f(-0.25)], &[f(-0.0)]),
    ("FROUND.v2f16 r8, r0", &[hh(H15, H05)], &[hh(H2, 0)]),
    ("FROUND.v2f16.rtz r8, r0.h10", &[hh(H15, H05)], &[hh(0, H1)]),
    ("F32_TO_S32 r8, r0", &[f(2.5)], &[2]),
    ("F32_TO_S32.rtz r8, r0", &[f(-2.75)], &[-2i32 as u32]),
    ("F32_TO_S32 r8, r0", &[NAN], &[0]),
    ("F32_TO_S32 r8, r0", &[f(3e9)], &[0x7FFF_FFFF]),
    ("F32_TO_S32 r8, r0.neg", &[f(3e9)], &[0x8000_0000]),
    ("F32_TO_U32 r8, r0", &[f(3.5)], &[4]),
    ("F32_TO_U32.rtz r8, r0", &[f(-1.0)], &[0]),
    ("F32_TO_U32 r8, r0.abs", &[f(-3e9)], &[3_000_000_000]),
    ("F32_TO_U32 r8, r0", &[f(5e9)], &[ALL]),
    ("V2F16_TO_V2S16.rtz r8, r0", &[hh(0xC100, HINF)], &[hh(0xFFFE, 0x7FFF)]),
    ("V2F16_TO_V2U16 r8, r0.h10", &[hh(NEG | H2, H15)], &[hh(2, 0)]),
    ("F16_TO_S32.rtn r8, r0.h11", &[hh(HNAN, 0xC100)], &[-3i32 as u32]),
    ("F16_TO_U32 r8, r0", &[hh(H3, HNAN)], &[3]),
    ("F16_TO_F32 r8, r0.h1", &[hh(HNAN, H15)], &[f(1.5)]),
    ("F16_TO_F32 r8, r0.neg.h0", &[hh(1, HNAN)], &[f(-5.960_464_5e-8)]),
    ("S32_TO_F32 r8, r0", &[-5i32 as u32], &[f(-5.0)]),
    ("S32_TO_F32 r8, r0.b3", &[0x8000_0000], &[f(-128.0)]),
    ("S32_TO_F32.rtp r8, r0", &[0x0100_0001], &[f(16_777_218.0)]),
    ("U32_TO_F32 r8, r0", &[ALL], &[f(4_294_967_296.0)]),
    ("U32_TO_F32.rtz r8, r0", &[ALL], &[f(4_294_967_040.0)]),
    ("U32_TO_F32 r8, r0.h1", &[0xFFFF_0000], &[f(65535.0)]),
    ("V2S16_TO_V2F16 r8, r0", &[hh(0xFFFE, 3)], &[hh(NEG | H2, H3)]),
    ("V2S16_TO_V2F16 r8, r0.b20", &[b4(0xFF, 9, 4, 9)], &[hh(H4, NEG | H1)]),
    // 65535 rounds to 65536, beyond fp16; towards zero it is the largest finite half.
    ("V2U16_TO_V2F16 r8, r0", &[hh(2, 0xFFFF)], &[hh(H2, HINF)]),
    ("V2U16_TO_V2F16.rtz r8, r0", &[hh(2, 0xFFFF)], &[hh(H2, 0x7BFF)]),
    ("S16_TO_F32 r8, r0.h11", &[hh(0, 0xFFFD)], &[f(-3.0)]),
    ("U16_TO_F32 r8, r0", &[hh(0xFFFD, 0)], &[f(65533.0)]),
    ("S8_TO_F32 r8, r0.b1", &[b4(0, 0xFD, 0, 0)], &[f(-3.0)]),
    ("U8_TO_F32 r8, r0.b3", &[b4(0, 0, 0, 0xFD)], &[f(253.0)]),
    ("V2S8_TO_V2F16 r8, r0.b30", &[b4(0xFE, 0, 0, 3)], &[hh(H3, NEG | H2)]),
    ("V2U8_TO_V2F16 r8, r0.b13", &[b4(0, 4, 0, 1)], &[hh(H4, H1)]),
    ("FLUSH.f32.none.ftz r8, r0", &[0x8000_0001], &[f(-0.0)]),
    ("FLUSH.f32.none r8, r0", &[0x8000_0001], &[0x8000_0001]),
    ("FLUSH.f32.flush_nan.flush_inf r8, r0.neg", &[INF], &[0xFF7F_FFFF]),
    ("FLUSH.f32.flush_nan r8, r0", &[NAN], &[0]),
    ("FLUSH.f32.quiet_nan r8, r0", &[0x7F80_0001], &[0x7FC0_0001]),
    ("FLUSH.v2f16.none.ftz.flush_inf r8, r0", &[hh(0x83FF, HINF)], &[hh(NEG, 0x7BFF)]),
    ("FLUSH.v2f16.flush_nan r8, r0.h11", &[hh(H1, HNAN)], &[0]),
    ("FREXPM.f32 r8, r0", &[f(-12.0)], &[f(-0.75)]),
    ("FREXPE.f32 r8, r0", &[f(-12.0)], &[4]),
    ("FREXPM.f32.log r8, r0", &[f(12.0)], &[f(0.75)]),
    ("FREXPE.f32.log r8, r0", &[f(12.0)], &[4]),
    ("FREXPM.f32.log r8, r0", &[f(10.0)], &[f(1.25)]),
    ("FREXPE.f32.log r8, r0", &[f(10.0)], &[3]),
    // 12 = 1.5 * 2^3: k odd, e = floor(3/2) + 1 = 2, m = 0.75; 12 = 0.75 * 4^2.
    ("FREXPM.f32.sqrt r8, r0", &[f(12.0)], &[f(0.75)]),
    ("FREXPE.f32.sqrt r8, r0", &[f(12.0)], &[2]),
    // 0.25 = 1 * 2^-2: k even, e = -1 + 1 = 0, m = 0.25.
    ("FREXPM.f32.sqrt r8, r0", &[f(0.25)], &[f(0.25)]),
    ("FREXPE.f32.sqrt r8, r0", &[f(0.25)], &[0]),
    ("FREXPM.f32 r8, r0", &[NINF], &[NINF]),
    ("FREXPE.f32 r8, r0", &[0], &[0]),
    // The smallest subnormal is 2^-149 = 0.5 * 2^-148.
    ("FREXPE.f32 r8, r0", &[1], &[-148i32 as u32]),
    ("FREXPM.v2f16 r8, r0", &[hh(H3, H1)], &[hh(0x3A00, H05)]),
    ("FREXPE.v2f16 r8, r0", &[hh(H3, H05)], &[hh(2, 0)]),
    ("FREXPE.v2f16.log r8, r0.h10", &[hh(H1, 0x3400)], &[hh(0xFFFE, 0)]),
    ("FRCP.f32 r8, r0", &[f(-4.0)], &[f(-0.25)]),
    ("FRCP.f32 r8, r0", &[f(-0.0)], &[NINF]),
    ("FRCP.f32 r8, r0.abs", &[NINF], &[0]),
    // 1/3 in fp32 is 0x3EAAAAAB.
    ("FRCP.f32 r8, r0", &[f(3.0)], &[0x3EAA_AAAB]),
    ("FRCP.f16 r8, r0.h11", &[hh(HNAN, H4)], &[hh(0x3400, 0)]),
    ("FRCP.f16 r8.h1, r0", &[hh(H2, HNAN)], &[hh(0x2222, H05)]),
    ("FRSQ.f32 r8, r0", &[f(16.0)], &[f(0.25)]),
    ("FRSQ.f32 r8, r0", &[0], &[INF]),
    ("FRSQ.f32 r8, r0", &[INF], &[0]),
    ("FRSQ.f32 r8, r0", &[f(-1.0)], &[NAN]),
    ("FRSQ.f16 r8, r0", &[hh(H4, HNAN)], &[hh(H05, 0)]),
    // 8 has the mantissa 1: the limit 1/ln 2. 3 has 0.75: log2(0.75)/(-0.25) = 1.6601500 = 0x3FD47FCC.
    ("FLOGD.f32 r8, r0", &[f(8.0)], &[0x3FB8_AA3B]),
    ("FLOGD.f32 r8, r0", &[f(3.0)], &[0x3FD4_7FCC]),
    ("FLOGD.f32 r8, r0", &[0], &[INF]),
    ("FLOGD.f32 r8, r0", &[f(-1.0)], &[NAN]),
    ("FADD_LSCALE.f32 r8, r0, r1", &[f(-1.0), f(10.0)], &[f(0.25)]),
    ("FADD_LSCALE.f32 r8, r0, r1", &[f(-1.0), 0], &[f(-1.0)]),
    ("FADD_LSCALE.f32 r8, r0, r1", &[f(-1.0), INF], &[f(1.0)]),
    // 3 = 0.75 * 4^1 = 0.75 * 2^2: 1/0.75, and 1/sqrt of 0.75 (1.1547005 = 0x3F93CD3A).
    ("FRCP_APPROX.f32 r8, r0", &[f(3.0)], &[0x3FAA_AAAB]),
    ("FRSQ_APPROX.f32 r8, r0", &[f(3.0)], &[0x3F93_CD3A]),
    ("FSIN_TABLE.u6 r8, r0", &[16], &[f(1.0)]),
    ("FSIN_TABLE.u6 r8, r0", &[0x4940_0000 + 40], &[0xBF35_04F3]),
    ("FSIN_TABLE.u6 r8, r0", &[64], &[0]),
    ("FCOS_TABLE.u6 r8, r0", &[32], &[f(-1.0)]),
    ("FCOS_TABLE.u6 r8, r0", &[8], &[0x3F35_04F3]),
    ("FEXP_TABLE.u4 r8, r0", &[24], &[0x3FB5_04F3]),
    ("FEXP_TABLE.u4 r8, r0", &[16], &[f(1.0)]),
    ("FEXP.f32 r8, r0, r1", &[3 << 24, f(50_331_648.0)], &[f(8.0)]),
    ("FEXP.f32 r8, r0, r1", &[0xFF80_0000, f(-8_388_608.0)], &[0x3F35_04F3]),
    ("FEXP.f32 r8, r0, r1", &[0, NAN], &[NAN]),
    ("FEXP.f32 r8, r0, r1", &[0x7FFF_FFFF, f(3e9)], &[INF]),
    ("FEXP.f32 r8, r0, r1", &[0x8000_0000, f(-3e9)], &[0]),
    ("FEXP.f32.clamp_0_1 r8, r0, r1", &[3 << 24, f(50_331_648.0)], &[f(1.0)]),
    ("CUBEFACE1 r8, r0, r1.neg, r2", &[f(1.0), f(-3.0), f(2.0)], &[f(3.0)]),
    ("CUBEFACE2_V9 r8, r0, r1, r2", &[f(-4.0), f(-3.0), f(2.0)], &[1 << 29]),
    ("CUBEFACE2_V9 r8, r0, r1, r2", &[f(1.0), f(3.0), f(2.0)], &[2 << 29]),
    ("CUBEFACE2_V9 r8, r0, r1, r2", &[f(1.0), f(3.0), f(-5.0)], &[5 << 29]),
    ("CUBE_SSEL r8, r0, r1, r2", &[f(2.0), f(3.0), 0], &[f(-2.0)]),
    ("CUBE_SSEL r8, r0, r1, r2", &[f(2.0), f(3.0), 1 << 29], &[f(2.0)]),
    ("CUBE_SSEL r8, r0, r1, r2", &[f(2.0), f(3.0), 3 << 29], &[f(3.0)]),
    ("CUBE_SSEL r8, r0, r1, r2", &[f(2.0), f(3.0), 4 << 29], &[f(3.0)]),
    ("CUBE_SSEL r8, r0, r1, r2", &[f(2.0), f(3.0), 5 << 29], &[f(-3.0)]),
    ("CUBE_TSEL r8, r0, r1, r2", &[f(2.0), f(3.0), 1 << 29], &[f(-2.0)]),
    ("CUBE_TSEL r8, r0, r1, r2", &[f(2.0), f(3.0), 2 << 29], &[f(3.0)]),
    ("CUBE_TSEL r8, r0, r1, r2", &[f(2.0), f(3.0), 3 << 29], &[f(-3.0)]),
    ("CUBE_TSEL r8, r0, r1, r2", &[f(2.0), f(3.0), 5 << 29], &[f(-2.0)]),
];

const INTEGER: &[Case<'static>] = &[
    ("NOP", &[], &[OLD, OLD]),
    ("MOV.i32 r8, r0", &[77], &[77, OLD]),
    ("MOV.i32 r8, u2", &[], &[32]),
    ("MOV.i32 r8, 0xFAFCFDFE", &[], &[0xFAFC_FDFE]),
    ("CSEL.u32.lt r8, r0, r1, r2, r3", &[1, ALL, 7, 9], &[7]),
    ("CSEL.s32.lt r8, r0, r1, r2, r3", &[1, ALL, 7, 9], &[9]),
    ("CSEL.s32.gtlt r8, r0, r1, r2, r3", &[1, ALL, 7, 9], &[7]),
    ("CSEL.v2u16.ge r8, r0, r1, r2, r3", &[hh(1, 0xFFFF), hh(1, 1), hh(5, 6), hh(7, 8)], &[hh(5, 6)]),
    ("CSEL.v2s16.ge r8, r0, r1, r2, r3", &[hh(1, 0xFFFF), hh(1, 1), hh(5, 6), hh(7, 8)], &[hh(5, 8)]),
    ("S16_TO_S32 r8, r0.h11", &[hh(1, 0x8000)], &[0xFFFF_8000]),
    ("U16_TO_U32 r8, r0.h11", &[hh(1, 0x8000)], &[0x8000]),
    ("S8_TO_S32 r8, r0.b2", &[b4(1, 2, 0x83, 4)], &[0xFFFF_FF83]),
    ("U8_TO_U32 r8, r0.b2", &[b4(1, 2, 0x83, 4)], &[0x83]),
    ("V2S8_TO_V2S16 r8, r0.b20", &[b4(1, 2, 0x83, 4)], &[hh(0xFF83, 1)]),
    ("V2U8_TO_V2U16 r8, r0.b23", &[b4(1, 2, 0x83, 4)], &[hh(0x83, 4)]),
    ("CLZ.u32 r8, r0", &[0x0001_0000], &[15]),
    ("CLZ.u32 r8, r0", &[0], &[32]),
    ("CLZ.v2u16 r8, r0.h10", &[hh(0, 0x100)], &[hh(7, 16)]),
    ("CLZ.v4u8 r8, r0", &[b4(0, 1, 0x80, 0x10)], &[b4(8, 7, 0, 3)]),
    ("IABS.s32 r8, r0", &[-5i32 as u32], &[5]),
    ("IABS.s32 r8, r0", &[0x8000_0000], &[0x8000_0000]),
    ("IABS.s32 r8, r0.b3", &[0xFD00_0000], &[3]),
    ("IABS.v2s16 r8, r0", &[hh(0xFFFB, 7)], &[hh(5, 7)]),
    ("IABS.v4s8 r8, r0", &[b4(0xFF, 1, 0x80, 0xFE)], &[b4(1, 1, 0x80, 2)]),
    ("POPCOUNT.i32 r8, r0", &[0xF00F_0001], &[9]),
    ("BITREV.i32 r8, r0", &[0x0000_0013], &[0xC800_0000]),
    ("NOT_OLD.i32 r8, r0", &[0x00FF_00FF], &[0xFF00_FF00]),
    ("NOT_OLD.i64 r8, r0", &[1, 2], &[!1, !2]),
    ("WMASK r8, r0", &[5], &[1]),
    ("WMASK r8, r0", &[0], &[0]),
    ("IADD.u32 r8, r0, r1", &[ALL, 3], &[2]),
    ("IADD.u32.saturate r8, r0, r1", &[ALL, 3], &[ALL]),
    ("IADD.u32 r8, r0.h1, r1.b0", &[0xFFFF_1234, 0xFFFF_FF80], &[0xFFFF + 0x80]),
    ("IADD.s32 r8, r0.h1, r1.b0", &[0xFFFF_1234, 0xFFFF_FF80], &[-129i32 as u32]),
    ("IADD.s32.saturate r8, r0, r1", &[0x7FFF_FFFF, 3], &[0x7FFF_FFFF]),
    ("IADD.s32.saturate r8, r0, r1", &[0x8000_0000, ALL], &[0x8000_0000]),
    ("IADD.v2u16 r8, r0, r1", &[hh(0xFFFF, 1), hh(2, 3)], &[hh(1, 4)]),
    ("IADD.v2u16.saturate r8, r0, r1.h00", &[hh(0xFFFF, 1), hh(2, 9)], &[hh(0xFFFF, 3)]),
    ("IADD.v2u16 r8, r0.b31, 0x0", &[b4(1, 0x82, 3, 0x84)], &[hh(0x84, 0x82)]),
    ("IADD.v2s16 r8, r0.b31, 0x0", &[b4(1, 0x82, 3, 4)], &[hh(4, 0xFF82)]),
    ("IADD.v2s16.saturate r8, r0, r1", &[hh(0x7FFF, 0x8000), hh(1, 0xFFFF)], &[hh(0x7FFF, 0x8000)]),
    ("IADD.v4u8 r8, r0, r1.b0000", &[b4(1, 2, 3, 255), 2], &[b4(3, 4, 5, 1)]),
    ("IADD.v4u8.saturate r8, r0.b3210, r1", &[b4(1, 2, 3, 255), 2], &[b4(255, 3, 2, 1)]),
    ("IADD.v4s8.saturate r8, r0, r1", &[b4(0x7F, 0x80, 1, 0), b4(1, 0xFF, 2, 0)], &[b4(0x7F, 0x80, 3, 0)]),
    ("IADD.u64 r8, r0, r2", &[ALL, 1, 2, 3], &[1, 5]),
    ("IADD.u64 r8, r0, r2.w0", &[ALL, 1, ALL, 3], &[ALL - 1, 2]),
    ("IADD.s64 r8, r0, r2.w0", &[5, 1, ALL, 3], &[4, 1]),
    ("IADD.u64.saturate r8, r0, r2", &[ALL, ALL, 1, 0], &[ALL, ALL]),
    ("IADD.s64.saturate r8, r0, r2", &[0, 0x8000_0000, ALL, ALL], &[0, 0x8000_0000]),
    ("ISUB.u32 r8, r0, r1", &[2, 3], &[ALL]),
    ("ISUB.u32.saturate r8, r0, r1", &[2, 3], &[0]),
    ("ISUB.s32.saturate r8, r0, r1", &[0x8000_0000, 1], &[0x8000_0000]),
    ("ISUB.v2u16 r8, r0, r1", &[hh(1, 5), hh(2, 3)], &[hh(0xFFFF, 2)]),
    ("ISUB.v2s16.saturate r8, r0, r1", &[hh(0x8000, 5), hh(2, 3)], &[hh(0x8000, 2)]),
    ("ISUB.v4u8.saturate r8, r0, r1", &[b4(1, 5, 9, 0), b4(2, 3, 9, 1)], &[b4(0, 2, 0, 0)]),
    ("ISUB.v4s8 r8, r0, r1", &[b4(1, 5, 9, 0), b4(2, 3, 9, 1)], &[b4(0xFF, 2, 0, 0xFF)]),
    ("ISUB.u64 r8, r0, r2", &[0, 5, 1, 0], &[ALL, 4]),
    ("ISUB.s64 r8, 0x0, r2", &[0, 0, 1, 0], &[ALL, ALL]),
    ("SEG_ADD.u64 r8, r0, r2.w0", &[ALL, 1, ALL, 9], &[ALL - 1, 2]),
    ("SEG_ADD.u64.neg r8, r0, r2.w0", &[0, 1, 1, 9], &[ALL, 0]),
    ("SHADDX.u64 r8, r0, r2.w0, shift:0x2", &[4, 1, 0xC000_0000, 7], &[4, 4]),
    ("SHADDX.s64 r8, r0, r2.w0, shift:0x3", &[4, 1, ALL, 7], &[0xFFFF_FFFC, 0]),
    ("SHADDX.u64 r8, r0, r2, shift:0x0", &[4, 1, 1, 7], &[5, 8]),
    ("IMUL.i32 r8, r0, r1", &[0x1_0001, 0x1_0003], &[0x4_0003]),
    ("IMUL.i32.saturate r8, r0, r1", &[0x1_0001, 0x1_0003], &[ALL]),
    ("IMUL.s32 r8, r0, r1", &[-3i32 as u32, 5], &[-15i32 as u32]),
    ("IMUL.s32.saturate r8, r0, r1", &[0x1_0000, 0x8000_0000], &[0x8000_0000]),
    ("IMUL.v2i16 r8, r0, r1", &[hh(300, 7), hh(300, 8)], &[hh((300u32 * 300) as u16, 56)]),
    ("IMUL.v2s16.saturate r8, r0, r1", &[hh(300, 0xFFFF), hh(300, 8)], &[hh(0x7FFF, 0xFFF8)]),
    ("IMUL.v4i8 r8, r0, r1", &[b4(20, 2, 255, 0), b4(20, 3, 255, 9)], &[b4(144, 6, 1, 0)]),
    ("IMUL.v4s8.saturate r8, r0, r1", &[b4(20, 2, 255, 0), b4(20, 3, 255, 9)], &[b4(127, 6, 1, 0)]),
    ("IMULD.u64 r8, r0.w0, r2.w0", &[ALL, 1, ALL, 9], &[1, ALL - 1]),
    ("HADD.u32 r8, r0, r1", &[ALL, ALL - 1], &[ALL - 1]),
    ("HADD.u32.rhadd r8, r0, r1", &[ALL, ALL - 1], &[ALL]),
    ("HADD.s32 r8, r0, r1", &[ALL, 4], &[1]),
    ("HADD.s32 r8, r0, r1", &[ALL, ALL - 1], &[ALL - 1]),
    ("HADD.v2u16 r8, r0, r1", &[hh(0xFFFF, 3), hh(0xFFFF, 4)], &[hh(0xFFFF, 3)]),
    ("HADD.v2s16.rhadd r8, r0, r1", &[hh(0xFFFF, 3), hh(0xFFFE, 4)], &[hh(0xFFFF, 4)]),
    ("HADD.v4u8 r8, r0, r1", &[b4(255, 1, 2, 3), b4(255, 2, 2, 9)], &[b4(255, 1, 2, 6)]),
    ("HADD.v4s8 r8, r0, r1", &[b4(255, 1, 2, 3), b4(254, 2, 2, 9)], &[b4(254, 1, 2, 6)]),
    ("MKVEC.v2i16 r8, r0.h11, r1", &[hh(1, 2), hh(3, 4)], &[hh(2, 3)]),
    ("MKVEC.v2i8 r8, r0.b3, r1.b1, r2", &[b4(1, 2, 3, 4), b4(5, 6, 7, 8), hh(0x1234, 9)], &[0x1234_0604]),
    ("IADD_IMM.i32 r8, r0, #0xFFFFFFFE", &[1], &[ALL]),
    ("IADD_IMM.v2i16 r8, r0, #0x2FFFF", &[hh(1, 2)], &[hh(0, 4)]),
    ("IADD_IMM.v4i8 r8, r0, #0x1020304", &[b4(255, 1, 1, 1)], &[b4(3, 4, 3, 2)]),
    ("MUX.i32.neg r8, r0, r1, r2", &[5, 6, 0x8000_0000], &[5]),
    ("MUX.i32 r8, r0, r1, r2", &[5, 6, 0], &[5]),
    ("MUX.i32 r8, r0, r1, r2", &[5, 6, 1], &[6]),
    ("MUX.i32.fp_zero r8, r0, r1, r2", &[5, 6, 0x8000_0000], &[5]),
    ("MUX.i32.bit r8, r0, r1, r2", &[0x00FF, 0xAAAA, 0x0F0F], &[0xA0AF]),
    ("MUX.v2i16.neg r8, r0, r1.h10, r2", &[hh(1, 2), hh(3, 4), hh(0x8000, 0)], &[hh(1, 3)]),
    ("MUX.v2i16.fp_zero r8, r0, r1, r2.h11", &[hh(1, 2), hh(3, 4), hh(7, 0x8000)], &[hh(1, 2)]),
    ("MUX.v4i8 r8, r0, r1, r2", &[b4(1, 2, 3, 4), b4(5, 6, 7, 8), b4(0, 1, 0, 1)], &[b4(1, 6, 3, 8)]),
    ("IDP.v4s8 r8, r0, r1, r2", &[b4(255, 2, 3, 4), b4(1, 1, 1, 0), 100], &[104]),
    ("IDP.v4s8.saturate r8, r0, r1, r2", &[b4(2, 0, 0, 0), b4(1, 1, 1, 0), 0x7FFF_FFFF], &[0x7FFF_FFFF]),
    ("IDP.v4u8 r8, r0, r1, r2", &[b4(255, 2, 3, 4), b4(1, 1, 1, 0), 100], &[360]),
    ("IDP.v4u8.saturate r8, r0, r1, r2", &[1, 1, ALL], &[ALL]),
    ("ICMP_OR.u32.gt.m1 r8, r0, r1, 0x0", &[ALL, 1], &[ALL]),
    ("ICMP_OR.u32.gt.i1 r8, r0, r1, r2", &[0, 1, 8], &[1]),
    ("ICMP_OR.u32.eq.f1 r8, r0, r1.b1, 0x0", &[2, 0x200], &[f(1.0)]),
    ("ICMP_AND.u32.le.m1 r8, r0, r1, r2", &[1, 1, 0], &[0]),
    ("ICMP_AND.u32.le.m1 r8, r0, r1, r2", &[1, 1, 1], &[ALL]),
    ("ICMP_OR.s32.gt.m1 r8, r0, r1, 0x0", &[ALL, 1], &[0]),
    ("ICMP_AND.s32.lt.i1 r8, r0.h0, r1, r2", &[0xFFFF, 1, 1], &[1]),
    ("ICMP_OR.v2u16.ge.m1 r8, r0, r1, 0x0", &[hh(0xFFFF, 0), hh(1, 1)], &[hh(0xFFFF, 0)]),
    ("ICMP_OR.v2s16.ge.f1 r8, r0, r1, r2", &[hh(0xFFFF, 1), hh(1, 1), hh(0, 0)], &[hh(0, H1)]),
    ("ICMP_AND.v2u16.ne.i1 r8, r0, r1, r2", &[hh(0xFFFF, 0), hh(1, 1), hh(0, 1)], &[hh(0, 1)]),
    ("ICMP_AND.v2s16.lt.m1 r8, r0, r1, r2", &[hh(0xFFFF, 0), hh(1, 1), hh(1, 0)], &[hh(0xFFFF, 0)]),
    ("ICMP_OR.v4u8.gt.m1 r8, r0, r1, 0x0", &[b4(255, 1, 2, 3), b4(1, 1, 1, 9)], &[b4(255, 0, 255, 0)]),
    ("ICMP_OR.v4s8.gt.i1 r8, r0, r1, r2", &[b4(255, 1, 2, 3), b4(1, 1, 1, 9), b4(0, 0, 0, 7)], &[b4(0, 0, 1, 1)]),
    ("ICMP_AND.v4u8.gt.i1 r8, r0, r1, r2", &[b4(255, 1, 2, 3), b4(1, 1, 1, 9), ALL], &[b4(1, 0, 1, 0)]),
    ("ICMP_AND.v4s8.lt.m1 r8, r0, r1, r2", &[b4(255, 1, 2, 3), b4(1, 1, 1, 9), b4(0, 0, 0, 1)], &[b4(0, 0, 0, 255)]),
    // 64-bit comparisons as chains: low word first, then the high word with the low result (12.2).
    ("ICMP_MULTI.u32.gt.u1 r8, r0, r2, 0x0\nICMP_MULTI.u32.gt.m1 r8, r1, r3, r8", &[9, 4, 8, 4], &[ALL]),
    ("ICMP_MULTI.u32.gt.u1 r8, r0, r2, 0x0\nICMP_MULTI.u32.gt.m1 r8, r1, r3, r8", &[8, 4, 8, 4], &[0]),
    ("ICMP_MULTI.u32.lt.u1 r8, r0, r2, 0x0\nICMP_MULTI.s32.lt.i1 r8, r1, r3, r8", &[9, ALL, 8, 4], &[1]),
    ("ICMP_MULTI.u32.eq.u1 r8, r0, r2, 0x0\nICMP_MULTI.u32.eq.i1 r8, r1, r3, r8", &[9, 4, 8, 4], &[0]),
    ("ICMP_MULTI.u32.ne.u1 r8, r0, r2, 0x0\nICMP_MULTI.u32.ne.i1 r8, r1, r3, r8", &[9, 4, 8, 4], &[1]),
    ("ICMP_MULTI.u32.ge.u1 r8, r0, r2, 0x0\nICMP_MULTI.u32.ge.i1 r8, r1, r3, r8", &[8, 4, 8, 4], &[1]),
    ("ICMP_MULTI.u32.le.u1 r8, r0, r2, 0x0\nICMP_MULTI.u32.le.i1 r8, r1, r3, r8", &[9, 4, 8, 4], &[0]),
];

/// A is 0xF0F0F0F1 or parts of it, the amount is a byte of r1, B is r2.
const SHIFT: &[Case<'static>] = &[
    ("LSHIFT_AND.i32 r8, r0, r1.b00, r2", &[0xF0F0_F0F1, 4, 0xFF0], &[0xF10]),
    ("LSHIFT_AND.i32.not_result r8, r0, r1.b11, r2.not", &[0xF0F0_F0F1, 4 << 8, 0xFF0], &[!0x0F0F_0000]),
    ("LSHIFT_AND.i32 r8, r0.b1, r1.b00, r2", &[0xF0F0_F0F1, 36, ALL], &[0xF00]),
    ("LSHIFT_AND.v2i16 r8, r0, r1.b22, r2", &[hh(0xF0F1, 3), 4 << 16, ALL], &[hh(0x0F10, 0x30)]),
    ("LSHIFT_AND.v4i8 r8, r0, r1.b33, r2", &[b4(0xF1, 3, 1, 0), 4 << 24, b4(255, 255, 0, 0)], &[b4(0x10, 0x30, 0, 0)]),
    ("LSHIFT_AND.i64 r8, r0, r4.b00, r2", &[0xF000_0001, 1, ALL, 0x1F, 4], &[0x10, 0x1F]),
    ("RSHIFT_AND.i32 r8, r0, r1.b00, r2", &[0xF0F0_F0F1, 4, 0xFF0F], &[0x0F0F]),
    ("RSHIFT_AND.i32.signed r8, r0, r1.b00, r2", &[0xF0F0_F0F1, 28, ALL], &[ALL]),
    ("RSHIFT_AND.v2i16.signed r8, r0, r1.b00, r2", &[hh(0x8000, 0x4000), 18, ALL], &[hh(0xE000, 0x1000)]),
    ("RSHIFT_AND.v4i8 r8, r0, r1.b00, r2", &[b4(0x80, 0x40, 0xFF, 1), 3, ALL], &[b4(0x10, 8, 0x1F, 0)]),
    ("RSHIFT_AND.i64.signed r8, r0, r4.b00, r2", &[0, 0x8000_0000, ALL, ALL, 36], &[0xF800_0000, ALL]),
    ("LSHIFT_OR.i32 r8, r0, r1.b00, r2", &[3, 4, 1], &[0x31]),
    ("LSHIFT_OR.i32 r8, 0x0, 0x0.b00, r2.not", &[0, 0, 0x00FF_00FF], &[0xFF00_FF00]),
    ("LSHIFT_OR.v2i16 r8, r0.h10, r1.b00, r2", &[hh(1, 2), 8, hh(5, 6)], &[hh(0x205, 0x106)]),
    ("LSHIFT_OR.v4i8 r8, r0.b0000, r1.b00, r2", &[3, 1, b4(1, 0, 1, 0)], &[b4(7, 6, 7, 6)]),
    ("LSHIFT_OR.i64 r8, r0.w0, r4.b00, r2", &[3, 9, 1, 0, 33], &[1, 6]),
    ("RSHIFT_OR.i32 r8, r0, r1.b00, r2", &[0x30, 4, 8], &[0xB]),
    ("RSHIFT_OR.i32.signed r8, r0, r1.b00, 0x0", &[0x8000_0000, 4], &[0xF800_0000]),
    ("RSHIFT_OR.v2i16 r8, r0, r1.b11, 0x0", &[hh(0x8000, 0x100), 0x400], &[hh(0x800, 0x10)]),
    ("RSHIFT_OR.v4i8.signed r8, r0, r1.b00, 0x0", &[b4(0x80, 0x40, 0xFF, 1), 3], &[b4(0xF0, 8, 0xFF, 0)]),
    ("RSHIFT_OR.i64 r8, r0, r4.b00, 0x0", &[5, 0x10, 0, 0, 4], &[0, 1]),
    ("LSHIFT_XOR.i32 r8, r0, r1.b00, r2", &[3, 4, 0x11], &[0x21]),
    ("LSHIFT_XOR.v2i16.not_result r8, r0, r1.b00, r2", &[hh(3, 0), 4, hh(0x11, 0xF0)], &[hh(!0x21, !0xF0)]),
    ("LSHIFT_XOR.v4i8 r8, r0, r1.b00, r2", &[b4(3, 0, 0, 1), 4, b4(0x11, 1, 2, 3)], &[b4(0x21, 1, 2, 0x13)]),
    ("LSHIFT_XOR.i64 r8, r0, r4.b00, r2", &[1, 0, 1, 1, 32], &[1, 0]),
    ("RSHIFT_XOR.i32 r8, r0, r1.b00, r2", &[0x30, 4, 1], &[2]),
    ("RSHIFT_XOR.v2i16 r8, r0, r1.b00, r2", &[hh(0x30, 0x10), 4, hh(1, 1)], &[hh(2, 0)]),
    ("RSHIFT_XOR.v4i8 r8, r0, r1.b00, r2", &[b4(0x30, 0x10, 0, 0), 4, b4(1, 1, 0, 9)], &[b4(2, 0, 0, 9)]),
    ("RSHIFT_XOR.i64 r8, r0, r4.b00, r2.not", &[0, 1, ALL, ALL, 32], &[1, 0]),
];

/// Memory: u0 is the address of the eight input words, u4 of two words that hold 0xDEADBEEF.
const MEMORY: &[Case<'static>] = &[
    ("LOAD.i8.w0.slot0.wait0 @r8, u0, offset:0", &[0xFE], &[ALL - 1]),
    ("LOAD.i16.w0.unsigned.slot0.wait0 @r8, u0, offset:2", &[0xFE_0000], &[0xFE]),
    ("LOAD.i24.slot1.wait1 @r7, u0, offset:1\nMKVEC.v2i16 r8, r7, 0x0", &[0x1234_5678], &[0x3456]),
    ("LOAD.i32.slot2.wait2 @r8, u0, offset:4", &[1, 2], &[2]),
    ("LOAD.i48.slot0.wait0 @r6:r7, u0, offset:0\nMKVEC.v2i16 r8, r7, r6", &[5, 6], &[hh(6, 5)]),
    ("LOAD.i64.slot0.wait0 @r8:r9, u0, offset:4", &[1, 2, 3], &[2, 3]),
    ("LOAD.i96.slot0.wait0 @r8:r9:r10, u0, offset:4", &[1, 2, 3, 4], &[2, 3]),
    ("LOAD.i128.slot0.wait0 @r6:r7:r8:r9, u0, offset:0", &[1, 2, 3, 4], &[3, 4]),
    ("LD_BUFFER.i8.w0.slot0.wait0 @r8, 0x0, 0x1000000", &[0xFE], &[ALL - 1]),
    ("LD_BUFFER.i16.w0.unsigned.slot0.wait0 @r8, r0, 0x1000000", &[2], &[0]),
    ("LD_BUFFER.i24.slot0.wait0 @r7, 0x0, 0x1000000\nMKVEC.v2i16 r8, r7, 0x0", &[0x1234_5678], &[0x5678]),
    ("LD_BUFFER.i32.slot0.wait0 @r8, r0, 0x1000000", &[4, 9], &[9]),
    ("LD_BUFFER.i32.slot0.wait0 @r8, r0, 0x1000000", &[32, 9], &[0]),
    ("LD_BUFFER.i48.slot0.wait0 @r6:r7, 0x0, 0x1000000\nMKVEC.v2i16 r8, r7, r6", &[5, 6], &[hh(6, 5)]),
    ("LD_BUFFER.i64.slot0.wait0 @r8:r9, r0, 0x1000000", &[4, 2, 3], &[2, 3]),
    ("LD_BUFFER.i96.slot0.wait0 @r8:r9:r10, r0, 0x1000000", &[4, 2, 3, 4], &[2, 3]),
    ("LD_BUFFER.i128.slot0.wait0 @r6:r7:r8:r9, r0, 0x1000000", &[0, 2, 3, 4], &[3, 4]),
    // Beyond the last whole access: zero, not a part.
    ("LD_BUFFER.i64.slot0.wait0 @r8:r9, r0, 0x1000000", &[28], &[0, 0]),
    ("LEA_BUFFER.slot0.wait0 @r6:r7, r0, 0x1000000\nLOAD.i32.slot0.wait0 @r8, r6, offset:0", &[4, 9], &[9]),
    ("STORE.i8.slot0.wait0 @r0, u4, offset:1\nLOAD.i32.slot0.wait0 @r8, u4, offset:0", &[0x12345], &[0xDEAD_45EF]),
    ("STORE.i16.slot0.wait0 @r0, u4, offset:2\nLOAD.i32.slot0.wait0 @r8, u4, offset:0", &[0x12345], &[0x2345_BEEF]),
    ("STORE.i24.slot0.wait0 @r0, u4, offset:1\nLOAD.i32.slot0.wait0 @r8, u4, offset:0", &[0x0712_3456], &[0x1234_56EF]),
    ("STORE.i32.slot0.wait0 @r0, u4, offset:4\nLOAD.i64.slot0.wait0 @r8:r9, u4, offset:0", &[7], &[0xDEAD_BEEF, 7]),
    (
        "STORE.i48.slot0.wait0 @r0:r1, u4, offset:0\nLOAD.i64.slot0.wait0 @r8:r9, u4, offset:0",
        &[7, 8],
        &[7, 0xDEAD_0008],
    ),
    ("STORE.i64.slot0.wait0 @r0:r1, u4, offset:0\nLOAD.i64.slot0.wait0 @r8:r9, u4, offset:0", &[7, 8], &[7, 8]),
    ("STORE.i96.slot0.wait0 @r0:r1:r2, u0, offset:4\nLOAD.i64.slot0.wait0 @r8:r9, u0, offset:8", &[7, 8, 9], &[8, 9]),
    (
        "STORE.i128.slot0.wait0 @r0:r1:r2:r3, u0, offset:4\nLOAD.i64.slot0.wait0 @r8:r9, u0, offset:12",
        &[7, 8, 9, 10],
        &[9, 10],
    ),
    // Atomics (15): the old value returned, the new one in memory.
    ("ATOM.i32.slot0.aadd.wait0 @r1, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r8, u0, offset:0", &[7, 8], &[15]),
    ("ATOM.i32.slot0.asmin.wait0 @r1, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r8, u0, offset:0", &[7, ALL], &[ALL]),
    ("ATOM.i32.slot0.aumin.wait0 @r1, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r8, u0, offset:0", &[7, ALL], &[7]),
    ("ATOM.i32.slot0.asmax.wait0 @r1, u0, offset:0x4\nLOAD.i32.slot0.wait0 @r8, u0, offset:4", &[7, ALL], &[ALL]),
    ("ATOM.i32.slot0.aumax.wait0 @r1, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r8, u0, offset:0", &[7, ALL], &[ALL]),
    ("ATOM.i32.slot0.aand.wait0 @r1, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r8, u0, offset:0", &[6, 3], &[2]),
    ("ATOM.i32.slot0.aor.wait0 @r1, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r8, u0, offset:0", &[6, 3], &[7]),
    ("ATOM.i32.slot0.axor.wait0 @r1, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r8, u0, offset:0", &[6, 3], &[5]),
    (
        "ATOM.i64.slot0.aadd.wait0 @r2:r3, u0, offset:0x0\nLOAD.i64.slot0.wait0 @r8:r9, u0, offset:0",
        &[ALL, 1, 1, 2],
        &[0, 4],
    ),
    (
        "ATOM.i64.slot0.asmin.wait0 @r2:r3, u0, offset:0x0\nLOAD.i64.slot0.wait0 @r8:r9, u0, offset:0",
        &[1, 1, 2, ALL],
        &[2, ALL],
    ),
    (
        "ATOM_RETURN.i32.slot0.aadd.wait0 @r8, @r1, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r9, u0, offset:0",
        &[7, 8],
        &[7, 15],
    ),
    (
        "ATOM_RETURN.i32.slot0.axchg.wait0 @r8, @r1, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r9, u0, offset:0",
        &[7, 8],
        &[7, 8],
    ),
    (
        "ATOM_RETURN.i32.slot0.compare.axchg.wait0 @r8, @r2:r3, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r9, u0, offset:0",
        &[7, 0, 55, 7],
        &[7, 55],
    ),
    (
        "ATOM_RETURN.i32.slot0.compare.axchg.wait0 @r8, @r2:r3, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r9, u0, offset:0",
        &[7, 0, 55, 6],
        &[7, 7],
    ),
    ("ATOM_RETURN.i64.slot0.axchg.wait0 @r8:r9, @r2:r3, u0, offset:0x0", &[7, 8, 1, 2], &[7, 8]),
    (
        "ATOM_RETURN.i64.slot0.compare.axchg.wait0 @r6:r7, @r2:r3:r4:r5, u0, offset:0x0\nLOAD.i64.slot0.wait0 @r8:r9, u0, offset:0",
        &[7, 8, 1, 2, 7, 8],
        &[1, 2],
    ),
    ("ATOM1_RETURN.i32.slot0.ainc.wait0 @r8, u0, offset:0x4\nLOAD.i32.slot0.wait0 @r9, u0, offset:4", &[7, 8], &[8, 9]),
    ("ATOM1_RETURN.i32.slot0.adec.wait0 @r8, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r9, u0, offset:0", &[0], &[0, ALL]),
    (
        "ATOM1_RETURN.i32.slot0.aumax1.wait0 @r8, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r9, u0, offset:0",
        &[ALL],
        &[ALL, ALL],
    ),
    (
        "ATOM1_RETURN.i32.slot0.asmax1.wait0 @r8, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r9, u0, offset:0",
        &[ALL],
        &[ALL, 1],
    ),
    ("ATOM1_RETURN.i32.slot0.aor1.wait0 @, u0, offset:0x0\nLOAD.i32.slot0.wait0 @r8, u0, offset:0", &[6], &[7]),
    ("ATOM1_RETURN.i64.slot0.ainc.wait0 @r8:r9, u0, offset:0x0", &[7, 8], &[7, 8]),
    (
        "ATOM1_RETURN.i64.slot0.ainc.wait0 @, u0, offset:0x0\nLOAD.i64.slot0.wait0 @r8:r9, u0, offset:0",
        &[ALL, 8],
        &[0, 9],
    ),
    // Flow.
    ("BARRIER.slot7.wait", &[], &[OLD]),
    ("BRANCHZ r0.h0, offset:1\nIADD_IMM.i32 r8, 0x0, #0x1", &[0x1_0000], &[1]),
    ("BRANCHZ r0.h1, offset:1\nIADD_IMM.i32 r8, 0x0, #0x1", &[0x1_0000], &[OLD]),
    ("BRANCHZ r0, offset:1\nIADD_IMM.i32 r8, 0x0, #0x1", &[0x1_0000], &[OLD]),
    ("BRANCHZ.eq r0, offset:1\nIADD_IMM.i32 r8, 0x0, #0x1", &[0x1_0000], &[1]),
    ("BRANCHZ.conservative.eq 0x0, offset:1\nIADD_IMM.i32 r8, 0x0, #0x1", &[], &[OLD]),
    (
        "MOV.i32 r7, program_counter.w0\nIADD_IMM.i32 r7, r7, #0x18\nBRANCHZI.absolute r0, r7\nIADD_IMM.i32 r8, 0x0, #0x1",
        &[1],
        &[OLD],
    ),
];

fn program(text: &str) -> String {
    format!(
        "IADD_IMM.i32 r8, 0x0, #{OLD:#x}\nIADD_IMM.i32 r9, 0x0, #{OLD:#x}\n\
         LOAD.i128.unsigned.slot0 @r0:r1:r2:r3, u0, offset:0\nLOAD.i128.unsigned.slot0.wait0 @r4:r5:r6:r7, u0, offset:16\n\
         {text}\nSTORE.i64.slot2.end @r8:r9, u12, offset:0"
    )
}

fn run(case: &Case<'_>, perturb: Option<u64>) -> Result<Vec<u32>, String> {
    let (text, input, _) = case;
    let mut words = input.to_vec();
    words.resize(8, 0);
    let mut p = Program::new(&program(text)).workgroup([1, 1, 1]);
    // A third buffer for the result: the second is the cases' own.
    let mut third = p.entry().resources[1].clone();
    third.binding = 2;
    third.slot = 2;
    p.entry().resources.push(third);
    let lo = gpucc_container::Source::BufferAddressLo { group: 0, binding: 2 };
    let hi = gpucc_container::Source::BufferAddressHi { group: 0, binding: 2 };
    p.entry().preloads.push(crate::common::uniform(12, lo));
    p.entry().preloads.push(crate::common::uniform(13, hi));
    let mut d = gpucc_sim::Dispatch::new([1, 1, 1])
        .with_u32(0, 0, &words)
        .with_u32(0, 1, &[0xDEAD_BEEF; 2])
        .with_u32(0, 2, &[0; 2]);
    p.run_with(&mut d, &gpucc_sim::RunOptions { perturb, ..Default::default() }).map_err(|t| t.to_string())?;
    Ok(d.words(0, 2).unwrap())
}

fn check(cases: &[Case<'_>]) {
    let mut wrong = Vec::new();
    for case in cases {
        let got = run(case, None);
        let fine = got.as_ref().is_ok_and(|g| g[..case.2.len()] == *case.2);
        if !fine {
            wrong.push(format!("{} with {:x?}: {got:x?}, expected {:x?}", case.0, case.1, case.2));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn float_rows() {
    check(FLOAT);
}

#[test]
fn integer_rows() {
    check(INTEGER);
}

#[test]
fn shift_rows() {
    check(SHIFT);
}

#[test]
fn memory_and_flow_rows() {
    check(MEMORY);
}

#[test]
fn seeds_change_nothing_but_approximations() {
    for case in INTEGER.iter().chain(SHIFT).chain(MEMORY) {
        for seed in [1, 2, 3] {
            let got = run(case, Some(seed)).unwrap_or_else(|e| panic!("{}: {e}", case.0));
            assert_eq!(got[..case.2.len()], *case.2, "{}", case.0);
        }
    }
    let mut moved = false;
    for case in FLOAT {
        for seed in 0..8 {
            let got = run(case, Some(seed)).unwrap()[0];
            let want = case.2[0];
            let approximate = ["FRCP", "FRSQ", "FLOGD", "FEXP", "FSIN", "FCOS"].iter().any(|n| case.0.starts_with(n));
            if approximate && got != want {
                moved = true;
                assert!(got.abs_diff(want) == 1, "{}: {got:x} is more than one step from {want:x}", case.0);
            } else {
                assert_eq!(got, want, "{}", case.0);
            }
        }
    }
    assert!(moved, "no seed moved an approximation");
}

/// Cross-lane rows want all sixteen lanes: lane i holds 100 + i; the result of each lane.
fn lanes(text: &str) -> Vec<u32> {
    let text = format!(
        "MOV.i32 r20, lane_id.w0\nIADD_IMM.i32 r0, r20, #0x64\nIADD_IMM.i32 r1, r20, #0xC8\nIADD_IMM.i32 r7, 0x0, #0x1\n{text}\n\
         {}STORE.i32.slot0.end @r8, r40, offset:0",
        crate::common::OUT_ADDRESS
    );
    Program::new(&text).words(&[0], 16)
}

/// Instructions, and what each lane gets.
type CrossCase = (&'static str, fn(u32) -> u32);

const CROSS: &[CrossCase] = &[
    ("CLPER.i32 r8, r0, 0x7060504.b11", |_| 105),
    ("CLPER.i32.xor r8, r0, 0x3020100.b11", |i| 100 + (i ^ 1)),
    ("CLPER.i32.subgroup4 r8, r0, 0x3020100.b22", |i| 100 + (i & !3) + 2),
    ("CLPER.i32.subgroup4 r8, r0, 0x7060504.b22", |i| 100 + (i & !3) + 2),
    ("CLPER.i32.subgroup8.xor r8, r0, 0x7060504.b33", |i| 100 + (i ^ 7)),
    ("CLPER.i32.subgroup2.xor r8, r0, 0x3020100.b11", |i| 100 + (i ^ 1)),
    ("CLPER.i32 r8, r0, r20.b00", |i| 100 + i),
    ("CLPER.s32.xor r8, r0, 0x3020100.b33", |i| 100 + (i ^ 3)),
    ("CLPER.v2u16.xor r8, r0, 0x3020100.b33", |i| 100 + (i ^ 3)),
    ("CLPER.v2s16.xor r8, r0, 0x3020100.b33", |i| 100 + (i ^ 3)),
    ("CLPER.v4u8.xor r8, r0, 0x3020100.b33", |i| 100 + (i ^ 3)),
    ("CLPER.v4s8.xor r8, r0, 0x3020100.b33", |i| 100 + (i ^ 3)),
    ("CLPER.u64.xor r10, r0, 0x3020100.b33\nMOV.i32 r8, r11", |i| 200 + (i ^ 3)),
    ("CLPER.s64.xor r10, r0, 0x3020100.b33\nMOV.i32 r8, r10", |i| 100 + (i ^ 3)),
    ("LSHIFT_AND.i32 r2, r20, 0x0.b00, r7\nWMASK r8, r2", |_| 0xAAAA),
    ("LSHIFT_AND.i32 r2, r20, 0x0.b00, r7\nWMASK.subgroup4 r8, r2", |i| 0xAAAA & 0xF << (i & !3)),
    ("LSHIFT_AND.i32 r2, r20, 0x0.b00, r7\nWMASK.subgroup2 r8, r2", |i| 0xAAAA & 3 << (i & !1)),
];

#[test]
fn cross_lane_rows() {
    for (text, expected) in CROSS {
        let expected: Vec<u32> = (0..16).map(expected).collect();
        assert_eq!(lanes(text), expected, "{text}");
    }
    // Inactive lanes give the named constant (12.3): here the even lanes are away.
    for (name, value) in
        [("umax", ALL), ("v2smin", 0x8000_8000), ("f1", f(1.0)), ("infn", NINF), ("v4smax", 0x7F7F_7F7F)]
    {
        let text = format!(
            "LSHIFT_AND.i32 r2, r20, 0x0.b00, r7\nMOV.i32 r8, r0\nBRANCHZ.eq.reconverge r2, offset:1\n\
             CLPER.i32.{name}.reconverge r8, r0, 0x7060504.b00"
        );
        let expected: Vec<u32> = (0..16).map(|i| if i % 2 == 1 { value } else { 100 + i }).collect();
        assert_eq!(lanes(&text), expected, "{name}");
    }
    let zero = "LSHIFT_AND.i32 r2, r20, 0x0.b00, r7\nMOV.i32 r8, r0\nBRANCHZ.eq.reconverge r2, offset:1\nCLPER.i32.reconverge r8, r0, 0x7060504.b00";
    assert_eq!(lanes(zero)[1], 0);
}

/// Recipes of section 13, as programs: the combination is what compilers rely on.
#[test]
fn recipes_of_section_13() {
    let sqrt =
        "FREXPM.f32.sqrt r5, r0\nFRSQ.f32 r6, r5\nFREXPE.f32.sqrt r7, r0\nFMA_RSCALE_LEFT.f32 r8, r5, r6, 0x0.neg, r7";
    for (x, y) in [
        (0.0f32, 0.0f32),
        (16.0, 4.0),
        (f32::from_bits(1 << 9), f32::from_bits((127 - 70) << 23)),
        (f32::INFINITY, f32::INFINITY),
        (2.25, 1.5),
    ] {
        let got = f32::from_bits(run(&(sqrt, &[x.to_bits()], &[]), None).unwrap()[0]);
        assert!(got == y || (got - y).abs() <= y * 2e-7, "sqrt({x}) = {got}");
    }
    let log2 = "FREXPE.f32.log r4, r0\nS32_TO_F32 r5, r4\nFADD_LSCALE.f32 r6, 0x3F800000.neg, r0\nFLOGD.f32 r7, r0\nFMA.f32 r8, r7, r6, r5";
    for (x, y) in [
        (8.0f32, 3.0f32),
        (1.0, 0.0),
        (0.0, f32::NEG_INFINITY),
        (f32::INFINITY, f32::INFINITY),
        (10.0, core::f32::consts::LOG2_10),
    ] {
        let got = f32::from_bits(run(&(log2, &[x.to_bits()], &[]), None).unwrap()[0]);
        assert!(got == y || (got - y).abs() <= 4e-7, "log2({x}) = {got}");
    }
    let exp2 = "IADD_IMM.i32 r4, 0x0, #0x18\nFMA_RSCALE.f32 r5, r0, 0x3F800000, 0x0.neg, r4\nF32_TO_S32 r6, r5\nFEXP.f32 r8, r6, r5";
    for (x, y) in
        [(3.0f32, 8.0f32), (-1.0, 0.5), (0.5, core::f32::consts::SQRT_2), (200.0, f32::INFINITY), (-200.0, 0.0)]
    {
        let got = f32::from_bits(run(&(exp2, &[x.to_bits()], &[]), None).unwrap()[0]);
        assert!(got == y || (got - y).abs() <= y * 2e-7, "exp2({x}) = {got}");
    }
    // Unsigned division (13.9): quotient in r8, remainder in r9; r2 holds the factor 4294966784.0.
    let udiv = "U32_TO_F32 r4, r1
        FRCP.f32 r4, r4
        FMA.f32 r4, r4, r2, 0x0.neg
        F32_TO_U32.rtz r4, r4
        ISUB.u32 r5, 0x0, r1
        IMUL.i32 r12, r4, r5
        IMULD.u64 r10, r4.w0, r12.w0
        IADD.u32 r14, r4, r11
        IMULD.u64 r10, r0.w0, r14.w0
        MOV.i32 r8, r11
        IMUL.i32 r12, r8, r1
        ISUB.u32 r9, r0, r12
        IADD_IMM.i32 r13, r8, #0x1
        ISUB.u32 r15, r9, r1
        CSEL.u32.ge r8, r9, r1, r13, r8
        CSEL.u32.ge r9, r9, r1, r15, r9
        IADD_IMM.i32 r13, r8, #0x1
        ISUB.u32 r15, r9, r1
        CSEL.u32.ge r8, r9, r1, r13, r8
        CSEL.u32.ge r9, r9, r1, r15, r9";
    for seed in [None, Some(1), Some(2), Some(3)] {
        for (n, d) in
            [(100u32, 7u32), (ALL, 1), (ALL, 3), (0x8000_0000, 0x7FFF_FFFF), (5, 9), (ALL, ALL), (1_000_000_007, 10)]
        {
            let got = run(&(udiv, &[n, d, 0x4F7F_FFFE], &[]), seed).unwrap();
            assert_eq!(got, [n / d, n % d], "{n} / {d}");
        }
    }
}

fn ops_of(text: &str) -> Vec<Op> {
    let code = assemble(text, 1, stage::CS, false).unwrap();
    let words = code.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap()));
    words.map(|w| decode_word(w, 1, stage::CS).unwrap().op()).collect()
}

/// Rows that the reference gives no meaning (section 22; the proof is in docs/errata-valhall.md): executing one is a trap that says
/// which and what is missing.
const OPEN: &[(&str, &str)] = &[
    ("FATAN_ASSIST.f32 r8, r0, r1", "FATAN_ASSIST: the reference does not say what it does"),
    ("FATAN_ASSIST.f32.second r8, r0, r1", "FATAN_ASSIST: the reference does not say what it does"),
    ("FSINCOS_OFFSET.u6 r8, r0", "FSINCOS_OFFSET: the reference does not say what it does"),
    ("FPCLASS.f32 r8, r0", "FPCLASS: the reference does not say what it does"),
    ("FPCLASS.f16 r8, r0.h00", "FPCLASS: the reference does not say what it does"),
    ("FLOG_TABLE.f32 r8, r0", "FLOG_TABLE: the reference does not say what it does"),
    (
        "TEX_DUAL.slot0.f.32.32.2d.zero @r8:r9:r10:r11, @r0:r1, r2",
        "TEX_DUAL: the reference does not say where its operands and results are",
    ),
    (
        "VAR_TEX_BUF_DUAL.slot0.center_store.f.32.32.2d.zero @r8:r9:r10:r11, r2, r0",
        "VAR_TEX_BUF_DUAL: the reference does not say where its operands and results are",
    ),
    (
        "VAR_TEX_DUAL.slot0.center_store.f.32.32.2d.zero @r8:r9:r10:r11, r2, r0",
        "VAR_TEX_DUAL: the reference does not say where its operands and results are",
    ),
    (
        "VAR_TEX_BUF_GRADIENT.slot0.center_store.f.32.2d @r8, r2, r0",
        "VAR_TEX_BUF_GRADIENT: the reference does not say whether it gives a gradient descriptor or a level",
    ),
    (
        "VAR_TEX_GRADIENT.slot0.center_store.f.32.2d @r8, r2, r0",
        "VAR_TEX_GRADIENT: the reference does not say whether it gives a gradient descriptor or a level",
    ),
];

#[test]
fn rows_without_a_meaning_trap_by_name() {
    for (text, why) in OPEN {
        for seed in [None, Some(1)] {
            let e = run(&(text, &[f(1.0), f(2.0), 0, 0], &[]), seed).unwrap_err();
            assert!(e.contains("not modelled") && e.contains(why), "{text}: {e}");
        }
    }
}

#[test]
fn every_row_is_executed() {
    let mut seen = BTreeSet::new();
    for case in FLOAT.iter().chain(INTEGER).chain(SHIFT).chain(MEMORY) {
        seen.extend(ops_of(case.0));
    }
    for (text, _) in CROSS {
        seen.extend(ops_of(text));
    }
    for (text, _) in OPEN {
        seen.extend(ops_of(text));
    }
    let draws = super::draws::TEXTS.iter().chain(super::draws::VERTEX_TEXTS).chain(super::draws::ENDS);
    for text in super::textures::TEXTS.iter().chain(draws) {
        seen.extend(ops_of(text));
    }
    let missing: Vec<_> = OPS.iter().filter(|op| !seen.contains(op)).collect();
    assert!(missing.is_empty(), "rows that no test executes: {missing:?}");
}

/// Cases that the reference leaves open inside executed rows trap by name too.
#[test]
fn unknown_modifiers_trap() {
    for (text, what) in [
        ("SEG_ADD.u64.preserve_null r8, r0, r2.w0", "preserve_null"),
        ("CLPER.i32.accumulate r8, r0, 0x0.b00", "CLPER"),
        ("CLPER.i32.shift r8, r0, 0x0.b00", "CLPER"),
        ("BRANCHZ r0.and, offset:0", "lowbits"),
        ("BRANCHZ r0.lowbits, offset:0", "lowbits"),
        ("FREXPM.f32.sqrt.log r8, r0", "FREXP"),
        ("ICMP_OR.v4u8.eq.f1 r8, r0, r1, 0x0", "8-bit"),
        ("MOV.i32 r8, framebuffer_size.w0", "framebuffer_size"),
    ] {
        let e = run(&(text, &[], &[]), None).unwrap_err();
        assert!(e.contains("not modelled") && e.contains(what), "{text}: {e}");
    }
}
