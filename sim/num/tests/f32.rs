//! f32 and f64: against rustc_apfloat in every direction, against the host's own instructions to nearest, and by hand
//! at the edges.

use gpucc_num::{Class, MinMax, Mode, NAN32, Round, convert, f32 as n32, f64 as n64, int, pack, special};
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Single};

const ROUNDS: [Round; 4] = [Round::Nearest, Round::Up, Round::Down, Round::Zero];

fn ap(round: Round) -> rustc_apfloat::Round {
    match round {
        Round::Nearest => rustc_apfloat::Round::NearestTiesToEven,
        Round::Up => rustc_apfloat::Round::TowardPositive,
        Round::Down => rustc_apfloat::Round::TowardNegative,
        Round::Zero => rustc_apfloat::Round::TowardZero,
    }
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 29);
        x.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (x >> 32)
    }

    /// Any bits, or small exponents apart, or an edge.
    fn float(&mut self) -> f32 {
        const EDGES: [u32; 18] = [
            0,
            0x8000_0000,
            1,
            0x8000_0001,
            0x007f_ffff,
            0x0080_0000,
            0x0080_0001,
            0x3f80_0000,
            0xbf80_0000,
            0x3f7f_ffff,
            0x3f80_0001,
            0x7f7f_ffff,
            0xff7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x4b00_0000,
            0x4b00_0001,
        ];
        let r = self.next();
        let bits = r as u32;
        f32::from_bits(match r >> 60 {
            0..=3 => bits,
            4..=7 => EDGES[(bits % 18) as usize],
            8..=9 => bits & 0x80ff_ffff, // denormals and the smallest normals
            10..=11 => bits & 0x8000_0fff | 0x3f80_0000, // few bits
            _ => bits & 0x83ff_ffff | 0x3c00_0000, // near one
        })
    }
}

fn same(got: f32, want: Single, what: impl std::fmt::Display) {
    if want.is_nan() {
        assert_eq!(got.to_bits(), NAN32.to_bits(), "{what}");
    } else {
        assert_eq!(u128::from(got.to_bits()), want.to_bits(), "{what}");
    }
}

#[test]
fn arithmetic_in_every_direction() {
    let mut rng = Rng(1);
    let soft = |x: f32| Single::from_bits(u128::from(x.to_bits()));
    for _ in 0..400_000 {
        let (a, b, c) = (rng.float(), rng.float(), rng.float());
        for round in ROUNDS {
            let m = Mode::IEEE.rounding(round);
            let r = ap(round);
            let what =
                format_args!("{:08x} {:08x} {:08x} {round:?}", a.to_bits(), b.to_bits(), c.to_bits()).to_string();
            same(n32::add(m, a, b), soft(a).add_r(soft(b), r).value, &what);
            same(n32::sub(m, a, b), soft(a).sub_r(soft(b), r).value, &what);
            same(n32::mul(m, a, b), soft(a).mul_r(soft(b), r).value, &what);
            same(n32::div(m, a, b), soft(a).div_r(soft(b), r).value, &what);
            same(n32::fma(m, a, b, c), soft(a).mul_add_r(soft(b), soft(c), r).value, &what);
            let wide = rng.next();
            let d = if rng.next() & 1 == 0 {
                f64::from_bits(wide)
            } else {
                f64::from(a) * (1.0 + f64::from(wide as u32) * 2f64.powi(-50))
            };
            let mut lost = false;
            let want: Single =
                rustc_apfloat::FloatConvert::convert_r(Double::from_bits(u128::from(d.to_bits())), r, &mut lost).value;
            same(convert::f64_to_f32(round, d), want, d);
        }
    }
}

/// The host's own fused instruction, where it has one, is a third opinion.
#[test]
fn nearest_against_host() {
    let mut rng = Rng(2);
    for _ in 0..400_000 {
        let (a, b, c) = (rng.float(), rng.float(), rng.float());
        let eq = |x: f32, y: f32| assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{a:e} {b:e} {c:e}");
        let m = Mode::IEEE;
        eq(n32::fma(m, a, b, c), libm::fmaf(a, b, c));
        eq(n32::sqrt(m, a), libm::sqrtf(a));
        eq(n32::trunc(a), libm::truncf(a));
        eq(n32::floor(a), libm::floorf(a));
        eq(n32::ceil(a), libm::ceilf(a));
        eq(n32::rint(a), libm::rintf(a));
        eq(n32::rem(m, a, b), libm::fmodf(a, b));
        let e = (b.to_bits() >> 20) as i32 % 400 - 200;
        eq(n32::ldexp(m, a, e), libm::scalbnf(a, e));
        let (f, e) = n32::frexp(a);
        if a.is_finite() && a != 0.0 {
            eq(n32::ldexp(m, f, e), a);
            assert!((0.5..1.0).contains(&f.abs()));
        }
        let (x, y, z) = (f64::from(a) * 1.000_000_1, f64::from(b), f64::from(c));
        assert_eq!(n64::round_to_int(Round::Down, x).to_bits(), canonical(libm::floor(x)));
        assert_eq!(n64::round_to_int(Round::Up, x).to_bits(), canonical(libm::ceil(x)));
        assert_eq!(n64::round_to_int(Round::Nearest, x).to_bits(), canonical(libm::rint(x)));
        assert_eq!(n64::round_to_int(Round::Zero, x).to_bits(), canonical(libm::trunc(x)));
        assert_eq!(n64::fma(m, x, y, z).to_bits(), canonical(libm::fma(x, y, z)));
    }
}

fn canonical(x: f64) -> u64 {
    if x.is_nan() { gpucc_num::NAN64.to_bits() } else { x.to_bits() }
}

#[test]
fn square_root_in_every_direction() {
    let mut rng = Rng(3);
    for _ in 0..100_000 {
        let a = rng.float().abs();
        if !a.is_finite() {
            continue;
        }
        let down = n32::sqrt(Mode::IEEE.rounding(Round::Down), a);
        let up = n32::sqrt(Mode::IEEE.rounding(Round::Up), a);
        let (d, u, x) = (f64::from(down), f64::from(up), f64::from(a));
        // Squares of 24-bit numbers are exact in f64.
        assert!(d * d <= x && x <= u * u, "{a:e}");
        assert!(down == up || down.to_bits() + 1 == up.to_bits());
        assert_eq!(down == up, d * d == x);
        assert_eq!(n32::sqrt(Mode::IEEE.rounding(Round::Zero), a), down);
    }
}

#[test]
fn f64_in_every_direction() {
    let mut rng = Rng(4);
    let soft = |x: f64| Double::from_bits(u128::from(x.to_bits()));
    for _ in 0..50_000 {
        let (a, b) = (f64::from_bits(rng.next()), f64::from(rng.float()));
        for round in ROUNDS {
            let m = Mode::IEEE.rounding(round);
            let eq = |got: f64, want: Double| {
                let want = if want.is_nan() { gpucc_num::NAN64.to_bits() } else { want.to_bits() as u64 };
                assert_eq!(got.to_bits(), want, "{a:e} {b:e} {round:?}");
            };
            eq(n64::add(m, a, b), soft(a).add_r(soft(b), ap(round)).value);
            eq(n64::mul(m, a, b), soft(a).mul_r(soft(b), ap(round)).value);
            eq(n64::div(m, a, b), soft(a).div_r(soft(b), ap(round)).value);
        }
        if a.is_finite() && a != 0.0 {
            let (f, e) = n64::frexp(a);
            assert!((0.5..1.0).contains(&f.abs()));
            assert_eq!(n64::ldexp(Mode::IEEE, f, e), a);
        }
    }
}

#[test]
fn integers_to_floats() {
    let mut rng = Rng(5);
    let mut values: Vec<u64> = (0..64).flat_map(|b| [1 << b, (1_u64 << b) - 1, (1_u64 << b) + 1, !(1 << b)]).collect();
    values.extend((0..100_000).map(|_| {
        let r = rng.next();
        rng.next() >> (r & 63)
    }));
    for v in values {
        for round in ROUNDS {
            let single: Single = Single::from_u128_r(u128::from(v), ap(round)).value;
            assert_eq!(u128::from(convert::u64_to_f32(round, v).to_bits()), single.to_bits(), "{v} {round:?}");
            let signed: Single = Single::from_i128_r(i128::from(v as i64), ap(round)).value;
            assert_eq!(u128::from(convert::i64_to_f32(round, v as i64).to_bits()), signed.to_bits(), "{v} {round:?}");
            let wide: Double = Double::from_u128_r(u128::from(v), ap(round)).value;
            assert_eq!(u128::from(convert::u64_to_f64(round, v).to_bits()), wide.to_bits(), "{v} {round:?}");
            let wide: Double = Double::from_i128_r(i128::from(v as i64), ap(round)).value;
            assert_eq!(u128::from(convert::i64_to_f64(round, v as i64).to_bits()), wide.to_bits(), "{v} {round:?}");
            let half = rustc_apfloat::ieee::Half::from_u128_r(u128::from(v), ap(round)).value;
            assert_eq!(u128::from(convert::u64_to_f16(round, v)), half.to_bits(), "{v} {round:?}");
            let w = v as u32;
            let single: Single = Single::from_u128_r(u128::from(w), ap(round)).value;
            assert_eq!(u128::from(convert::u32_to_f32(round, w).to_bits()), single.to_bits());
            let signed: Single = Single::from_i128_r(i128::from(w as i32), ap(round)).value;
            assert_eq!(u128::from(convert::i32_to_f32(round, w as i32).to_bits()), signed.to_bits());
        }
    }
}

#[test]
fn floats_to_integers() {
    use convert::*;
    let n = Round::Zero;
    let table = [
        (0.0_f32, 0, 0_u32),
        (-0.0, 0, 0),
        (0.99, 0, 0),
        (-0.99, 0, 0),
        (1.5, 1, 1),
        (-1.5, -1, 0),
        (2_147_483_520.0, 2_147_483_520, 2_147_483_520),
        (2_147_483_648.0, i32::MAX, 1 << 31),
        (-2_147_483_648.0, i32::MIN, 0),
        (-2_147_483_904.0, i32::MIN, 0),
        (4_294_967_040.0, i32::MAX, 4_294_967_040),
        (4_294_967_296.0, i32::MAX, u32::MAX),
        (f32::INFINITY, i32::MAX, u32::MAX),
        (f32::NEG_INFINITY, i32::MIN, 0),
        (f32::NAN, 0, 0),
        (f32::from_bits(1), 0, 0),
    ];
    for (x, s, u) in table {
        assert_eq!((f32_to_i32(n, x), f32_to_u32(n, x)), (s, u), "{x:e}");
    }
    for (x, near, up, down) in
        [(0.5_f32, 0, 1, 0), (1.5, 2, 2, 1), (2.5, 2, 3, 2), (-0.5, 0, 0, -1), (-1.5, -2, -1, -2)]
    {
        assert_eq!(f32_to_i32(Round::Nearest, x), near);
        assert_eq!(f32_to_i32(Round::Up, x), up);
        assert_eq!(f32_to_i32(Round::Down, x), down);
    }
    // The limits of WGSL.
    assert_eq!(f32_to_i32_wgsl(3e9), 2_147_483_520);
    assert_eq!(f32_to_i32_wgsl(-3e9), i32::MIN);
    assert_eq!(f32_to_u32_wgsl(5e9), 4_294_967_040);
    assert_eq!(f32_to_u32_wgsl(-5.0), 0);
    assert_eq!(f64_to_sint(n, 200.7, 8), 127);
    assert_eq!(f64_to_sint(n, -200.7, 8), -128);
    assert_eq!(f64_to_uint(n, 300.0, 8), 255);
    assert_eq!(f64_to_uint(n, 1e30, 64), u64::MAX);
    assert_eq!(f64_to_sint(n, -1e30, 64), i64::MIN);
}

#[test]
fn flushing() {
    let d = f32::from_bits(0x8000_0001);
    assert_eq!(n32::add(Mode::FLUSH, d, -0.0).to_bits(), 0x8000_0000);
    assert_eq!(n32::add(Mode::IEEE, d, 0.0).to_bits(), 0x8000_0001);
    // 2^-126 * (1 - 2^-24) rounds up to the smallest normal number and so is not flushed.
    let almost = f32::from_bits(0x3f7f_ffff);
    let min = f32::MIN_POSITIVE;
    let m = Mode { round: Round::Up, flush_in: false, flush_out: true };
    assert_eq!(n32::mul(m, min, almost), min);
    assert_eq!(n32::mul(m.rounding(Round::Down), min, almost).to_bits(), 0);
    let only_out = Mode { flush_out: true, ..Mode::IEEE };
    assert_eq!(n32::mul(only_out, f32::from_bits(0x0040_0000), 4.0), min * 2.0);
    assert_eq!(n32::mul(Mode::FLUSH, f32::from_bits(0x0040_0000), 4.0), 0.0);
}

#[test]
fn minimum_and_maximum() {
    let (nan, m) = (f32::from_bits(0x7fc0_1234), Mode::IEEE);
    let bits = |x: f32| x.to_bits();
    assert_eq!(n32::min(m, MinMax::Number, nan, 1.0), 1.0);
    assert_eq!(n32::max(m, MinMax::Number, 1.0, nan), 1.0);
    assert_eq!(bits(n32::max(m, MinMax::Number, nan, nan)), 0x7fc0_0000);
    assert_eq!(bits(n32::min(m, MinMax::Propagate, 1.0, nan)), 0x7fc0_0000);
    assert_eq!(bits(n32::min(m, MinMax::First, nan, 1.0)), 0x7fc0_1234);
    assert_eq!(n32::min(m, MinMax::First, 1.0, nan), 1.0);
    assert_eq!(n32::min(m, MinMax::Second, nan, 1.0), 1.0);
    assert_eq!(bits(n32::max(m, MinMax::Second, 1.0, nan)), 0x7fc0_1234);
    assert_eq!(bits(n32::min(m, MinMax::Number, 0.0, -0.0)), 0x8000_0000);
    assert_eq!(bits(n32::max(m, MinMax::Number, -0.0, 0.0)), 0);
    assert_eq!(bits(n32::max(m, MinMax::Number, 0.0, -0.0)), 0);
    assert_eq!(n32::saturate(-0.0, 0.0).to_bits(), 0);
    assert_eq!(n32::saturate(7.0, 0.0), 1.0);
    assert_eq!(bits(n32::saturate(nan, 0.0)), 0);
}

#[test]
fn classes() {
    use Class::*;
    let table = [
        (0x7f80_0001_u32, SignallingNan),
        (0xffc0_0000, QuietNan),
        (0xff80_0000, NegInf),
        (0xbf80_0000, NegNormal),
        (0x8000_0001, NegDenormal),
        (0x8000_0000, NegZero),
        (0, PosZero),
        (0x007f_ffff, PosDenormal),
        (0x0080_0000, PosNormal),
        (0x7f80_0000, PosInf),
    ];
    for (i, (bits, class)) in table.into_iter().enumerate() {
        assert_eq!(n32::class(f32::from_bits(bits)), class);
        assert_eq!(class as usize, i);
    }
    assert_eq!(n64::class(-0.0), NegZero);
    assert_eq!(gpucc_num::f16::class(0x0001), PosDenormal);
}

#[test]
fn integers() {
    assert_eq!((int::sdiv(i32::MIN, -1), int::srem(i32::MIN, -1)), (i32::MIN, 0));
    assert_eq!((int::sdiv(7, 0), int::srem(7, 0), int::udiv(7, 0), int::urem(7, 0)), (7, 0, 7, 0));
    assert_eq!((int::sdiv(-7, 2), int::srem(-7, 2)), (-3, -1));
    assert_eq!(int::umul_hi(u32::MAX, u32::MAX), u32::MAX - 1);
    assert_eq!(int::smul_hi(-1, 1), -1);
    assert_eq!(int::umul24(0xff00_0003, 5), 15);
    assert_eq!(int::smul24(0x00ff_ffff, 5), -5);
    assert_eq!(int::smul24_hi(0x0080_0000, 0x007f_ffff), -0x4000);
    assert_eq!(int::umul24_hi(0x00ff_ffff, 0x00ff_ffff), 0xffff);
    assert_eq!(int::add_carry(u32::MAX, 0, true), (0, true));
    assert_eq!(int::sub_borrow(0, 0, true), (u32::MAX, true));
    assert_eq!(int::sub_borrow(5, 3, true), (1, false));
    assert_eq!(int::extract_u(0xdead_beef, 8, 8), 0xbe);
    assert_eq!(int::extract_u(0xdead_beef, 0, 99), 0xdead_beef);
    assert_eq!(int::extract_u(0xdead_beef, 99, 5), 0);
    assert_eq!(int::extract_s(0x0000_8000, 12, 4), -8);
    assert_eq!(int::extract_s(-1, 3, 0), 0);
    assert_eq!(int::insert(0, u32::MAX, 28, 99), 0xf000_0000);
    assert_eq!(int::insert(0x1234_5678, 0xff, 8, 8), 0x1234_ff78);
    assert_eq!(int::insert(7, 1, 32, 1), 7);
    assert_eq!((int::first_leading_u(0), int::first_leading_u(0x10)), (u32::MAX, 4));
    assert_eq!(int::dot4_s(0x80ff_0102, 0x8001_0203), 128 * 128 - 1 + 2 + 6);
    assert_eq!(int::dot4_u(0xff00_0001, 0xff00_0002), 255 * 255 + 2);
    assert_eq!(int::sign_extend(0x80, 8), -128);
    assert_eq!(int::sign_extend(5, 0), 0);
    assert_eq!(int::mask(64), u64::MAX);
}

#[test]
fn packing() {
    // Where axes are alike, and where they are not.
    for (direction, last, first) in [
        ([1.0, -1.0, 1.0], [1.0, 1.0, 2.0, 4.0], [-1.0, 1.0, 2.0, 0.0]),
        ([-2.0, 2.0, 1.0], [-2.0, 1.0, 4.0, 2.0], [1.0, -2.0, 4.0, 1.0]),
        ([0.5, -1.0, -1.0], [-0.5, 1.0, 2.0, 5.0], [0.5, 1.0, 2.0, 3.0]),
        ([0.5, 0.25, -1.0], [-0.5, -0.25, 2.0, 5.0], [-0.5, -0.25, 2.0, 5.0]),
    ] {
        assert_eq!(pack::cube_coords(pack::CubeTies::LastAxis, direction), last);
        assert_eq!(pack::cube_coords(pack::CubeTies::FirstAxis, direction), first);
    }
    assert_eq!(pack::pack4x8snorm([1.0, -1.0, 0.0, 2.0]), 0x7f00_817f);
    assert_eq!(pack::pack4x8unorm([1.0, -1.0, 0.5, 0.25]), 0x4080_00ff);
    assert_eq!(pack::pack2x16snorm([-1.0, 1.0]), 0x7fff_8001);
    assert_eq!(pack::pack2x16unorm([1.0, 0.5]), 0x8000_ffff);
    assert_eq!(pack::pack2x16float([1.0, -2.0]), 0xc000_3c00);
    assert_eq!(pack::unpack4x8snorm(0x80_81_7f_00), [0.0, 1.0, -1.0, -1.0]);
    assert_eq!(pack::unpack4x8unorm(0xff00_0033), [0.2, 0.0, 0.0, 1.0]);
    assert_eq!(pack::unpack2x16float(0xc000_3c00), [1.0, -2.0]);
    for v in 0..=255_u32 {
        assert_eq!(pack::to_unorm(pack::from_unorm(v, 8), 8), v);
        let s = v as i8 as i32;
        assert_eq!(pack::to_snorm(pack::from_snorm(s, 8), 8), s.max(-127));
    }
    for v in 0..=65535_u32 {
        assert_eq!(pack::to_unorm(pack::from_unorm(v, 16), 16), v);
        assert_eq!(pack::to_snorm(pack::from_snorm(i32::from(v as i16), 16), 16), i32::from(v as i16).max(-32767));
    }
    assert_eq!(pack::quantize_to_f16(1.000_1), 1.0);
}

#[test]
fn special_values() {
    assert_eq!(special::exp2(3.0), 8.0);
    assert_eq!(special::exp2(-149.0).to_bits(), 1);
    assert_eq!(special::log2(0.125), -3.0);
    assert_eq!(special::log2(0.0), f32::NEG_INFINITY);
    assert!(special::log2(-1.0).is_nan());
    assert_eq!(special::rcp(-0.0), f32::NEG_INFINITY);
    assert_eq!(special::rsqrt(4.0), 0.5);
    assert_eq!(special::pow(2.0, 10.0), 1024.0);
    assert_eq!(special::sin(0.0).to_bits(), 0);
    // Tabulated to more digits than f32 holds (Abramowitz and Stegun, tables 4.6, 4.8, 4.14).
    assert_eq!(special::sin(1.0), 0.841_470_96);
    assert_eq!(special::cos(1.0), 0.540_302_3);
    assert_eq!(special::exp(1.0), std::f32::consts::E);
    assert_eq!(special::log(2.0), std::f32::consts::LN_2);
    assert_eq!(special::atan(1.0), std::f32::consts::FRAC_PI_4);
    assert_eq!(n32::ulp_distance(1.0, f32::from_bits(0x3f80_0003)), Some(3));
    assert_eq!(n32::ulp_distance(-0.0, 0.0), Some(0));
    assert_eq!(n32::ulp_distance(f32::from_bits(0x8000_0001), f32::from_bits(1)), Some(2));
    assert_eq!(n32::ulp_distance(f32::NAN, 0.0), None);
}

#[test]
fn approximations_stay_within_a_unit_of_the_exact_value() {
    let mut seen = [0u32; 3];
    for seed in 0..2000u64 {
        let x = f32::from_bits(0x3f80_0001 + (seed as u32).wrapping_mul(0x9e37_79b1) % 0x007f_ffff);
        let exact = 1.0 / f64::from(x);
        let got = special::approximate(exact, Some(seed));
        // Quotients of 1 by 1 to 2 lie in 0.5 to 1, where a unit is 2^-24.
        assert!((f64::from(got) - exact).abs() < 2f64.powi(-24), "1 / {x:?} = {got:?}");
        assert_eq!(got, special::approximate(exact, Some(seed)));
        seen[(got.to_bits() as i32 - special::rcp(x).to_bits() as i32 + 1) as usize] += 1;
        assert_eq!(special::approximate(exact, None), special::rcp(x));
    }
    assert!(seen.iter().all(|&n| n > 300), "{seen:?}");
    for fixed in [0.0, 0.75, -2.0, f64::INFINITY, 1e-40] {
        assert!((0..64).all(|s| special::approximate(fixed, Some(s)) == fixed as f32));
    }
    assert!(special::approximate(f64::NAN, Some(1)).is_nan());
}
