//! f16: every value, against exact integer arithmetic written apart from the crate.

use gpucc_num::convert::{f16_to_f32, f32_to_f16, f64_to_f16};
use gpucc_num::{MinMax, Mode, Round, f16};

/// Value of finite f16 bits as an integer multiple of 2^-24.
fn units(h: u16) -> i128 {
    let e = i128::from(h >> 10 & 0x1f);
    let f = i128::from(h & 0x3ff);
    let m = if e == 0 { f } else { (f + 1024) << (e - 1) };
    if h & 0x8000 != 0 { -m } else { m }
}

/// All finite values in ascending order, with -0 before +0.
fn ladder() -> Vec<u16> {
    let mut v: Vec<u16> = (0x8000..=0xfbff_u16).rev().collect();
    v.extend(0..=0x7bff_u16);
    v
}

/// Rounds `num / den` (in units of 2^-24, `den` > 0) by search in the ladder.
fn round_ratio(round: Round, num: i128, den: i128, zero_sign: u16) -> u16 {
    let max = 65504_i128 << 24;
    if num == 0 {
        return zero_sign;
    }
    let negative = num < 0;
    let sign = if negative { 0x8000 } else { 0 };
    let n = num.abs();
    // Largest magnitude not above n / den.
    let (mut lo, mut hi) = (0_u16, 0x7bff_u16);
    while lo < hi {
        let mid = (lo + hi).div_ceil(2);
        if units(mid) * den <= n { lo = mid } else { hi = mid - 1 }
    }
    let below = units(lo) * den;
    if below == n {
        return sign | lo;
    }
    let next = if lo == 0x7bff { max + (32 << 24) } else { units(lo + 1) };
    let to_next = next * den - n;
    let to_low = n - below;
    let up = match round {
        Round::Nearest => to_next < to_low || (to_next == to_low && lo & 1 != 0),
        Round::Up => !negative,
        Round::Down => negative,
        Round::Zero => false,
    };
    // Past the largest finite value the nearest mode goes to infinity only from half a step on.
    sign | if up { lo + 1 } else { lo }
}

const ROUNDS: [Round; 4] = [Round::Nearest, Round::Up, Round::Down, Round::Zero];

#[test]
fn every_f16_survives_the_way_through_f32() {
    for h in 0..=u16::MAX {
        let x = f16_to_f32(h);
        if f16::is_nan(h) {
            assert!(x.is_nan());
            assert_eq!(f32_to_f16(Round::Nearest, x), h | 0x200);
            continue;
        }
        if h & 0x7fff < 0x7c00 {
            // Exact value from integers: |units| < 2^40 fits f64.
            let value = units(h) as f64 / f64::from(1 << 24);
            assert_eq!(f64::from(x), value, "{h:04x}");
            assert_eq!(x.is_sign_negative(), h & 0x8000 != 0);
        } else {
            assert!(x.is_infinite());
        }
        for round in ROUNDS {
            assert_eq!(f32_to_f16(round, x), h);
        }
        assert_eq!(half::f16::from_bits(h).to_f32().to_bits(), x.to_bits());
    }
}

#[test]
fn between_any_two_neighbours() {
    let l = ladder();
    for w in l.windows(2) {
        let (a, b) = (f64::from(f16_to_f32(w[0])), f64::from(f16_to_f32(w[1])));
        if a == b {
            continue;
        }
        let mid = (a + b) / 2.0;
        let even = if w[0] & 1 == 0 { w[0] } else { w[1] };
        assert_eq!(f64_to_f16(Round::Nearest, mid), even, "{mid}");
        assert_eq!(f64_to_f16(Round::Up, mid), w[1]);
        assert_eq!(f64_to_f16(Round::Down, mid), w[0]);
        let toward_zero = if a < 0.0 { w[1] } else { w[0] };
        assert_eq!(f64_to_f16(Round::Zero, mid), toward_zero);
        let tiny = (b - a) / 1e6;
        assert_eq!(f64_to_f16(Round::Nearest, mid - tiny), w[0]);
        assert_eq!(f64_to_f16(Round::Nearest, mid + tiny), w[1]);
    }
}

#[test]
fn beyond_the_ends() {
    let big = [(65519.99, 0x7bff), (65520.0, 0x7c00), (1e300, 0x7c00)];
    for (x, near) in big {
        assert_eq!(f64_to_f16(Round::Nearest, x), near);
        assert_eq!(f64_to_f16(Round::Zero, x), 0x7bff);
        assert_eq!(f64_to_f16(Round::Down, x), 0x7bff);
        assert_eq!(f64_to_f16(Round::Up, x), 0x7c00);
        assert_eq!(f64_to_f16(Round::Up, -x), 0xfbff);
        assert_eq!(f64_to_f16(Round::Down, -x), 0xfc00);
    }
    for x in [1e-300, 5e-324, 1e-20] {
        assert_eq!(f64_to_f16(Round::Nearest, x), 0);
        assert_eq!(f64_to_f16(Round::Up, x), 1);
        assert_eq!(f64_to_f16(Round::Up, -x), 0x8000);
        assert_eq!(f64_to_f16(Round::Down, -x), 0x8001);
    }
    assert_eq!(f64_to_f16(Round::Nearest, f64::NEG_INFINITY), 0xfc00);
    assert_eq!(f64_to_f16(Round::Nearest, -0.0), 0x8000);
}

/// Operands that meet every exponent and the edges of the fraction.
fn operands() -> Vec<u16> {
    let mut v = Vec::new();
    for e in 0..31_u16 {
        for f in [0, 1, 2, 0x155, 0x1ff, 0x200, 0x201, 0x3fe, 0x3ff] {
            v.push(e << 10 | f);
            v.push(e << 10 | f | 0x8000);
        }
    }
    v
}

#[test]
fn arithmetic_against_integers() {
    let ops = operands();
    for &a in &ops {
        for &b in &ops {
            let (x, y) = (units(a), units(b));
            for round in ROUNDS {
                let m = Mode::IEEE.rounding(round);
                let zero = if x == 0 && y == 0 {
                    if a == b {
                        a
                    } else if round == Round::Down {
                        0x8000
                    } else {
                        0
                    }
                } else if round == Round::Down {
                    0x8000
                } else {
                    0
                };
                assert_eq!(f16::add(m, a, b), round_ratio(round, x + y, 1, zero), "{a:04x}+{b:04x} {round:?}");
                let sign = (a ^ b) & 0x8000;
                let product = round_ratio(round, x * y, 1 << 24, sign);
                assert_eq!(f16::mul(m, a, b), product, "{a:04x}*{b:04x} {round:?}");
                if y != 0 {
                    let num = if y < 0 { -x << 24 } else { x << 24 };
                    let q = round_ratio(round, num, y.abs(), sign);
                    assert_eq!(f16::div(m, a, b), q, "{a:04x}/{b:04x} {round:?}");
                }
            }
        }
    }
}

#[test]
fn fused_against_integers() {
    let ops: Vec<u16> = operands().into_iter().step_by(7).collect();
    for &a in &ops {
        for &b in &ops {
            for &c in &ops {
                let sum = units(a) * units(b) + (units(c) << 24);
                if sum == 0 {
                    continue;
                }
                for round in ROUNDS {
                    let want = round_ratio(round, sum, 1 << 24, 0);
                    assert_eq!(f16::fma(Mode::IEEE.rounding(round), a, b, c), want, "{a:04x}*{b:04x}+{c:04x}");
                }
            }
        }
    }
}

#[test]
fn integral_values() {
    for h in (0..=0x7bff_u16).chain(0x8000..=0xfbff) {
        let one = 1_i128 << 24;
        let u = units(h);
        let floor = u.div_euclid(one);
        let rest = u.rem_euclid(one);
        let near = floor + i128::from(rest > one / 2 || (rest == one / 2 && floor & 1 != 0));
        let check = |round, want: i128| {
            let got = f16::round_to_int(round, h);
            assert_eq!(units(got), want * one, "{h:04x} {round:?}");
            assert_eq!(got & 0x8000, h & 0x8000, "sign of {h:04x} {round:?}");
        };
        check(Round::Nearest, near);
        check(Round::Zero, if u < 0 { -((-u) / one) } else { floor });
        check(Round::Down, floor);
        check(Round::Up, floor + i128::from(rest != 0));
        let (m, e) = f16::frexp(h);
        if u != 0 {
            assert!((1 << 23..1 << 24).contains(&units(m).abs()), "{h:04x}");
            assert_eq!(f16::ldexp(Mode::IEEE, m, e), h);
        }
    }
}

#[test]
fn flush_nan_and_extremes() {
    assert_eq!(f16::add(Mode::FLUSH, 0x03ff, 0x8001), 0);
    assert_eq!(f16::mul(Mode::FLUSH, 0x8400, 0x3800), 0x8000);
    assert_eq!(f16::add(Mode::IEEE, 0x7c00, 0xfc00), 0x7e00);
    assert_eq!(f16::mul(Mode::IEEE, 0x7c00, 0x0000), 0x7e00);
    assert_eq!(f16::div(Mode::IEEE, 0x3c00, 0x8000), 0xfc00);
    assert_eq!(f16::min(Mode::IEEE, MinMax::Number, 0x7e01, 0x3c00), 0x3c00);
    assert_eq!(f16::max(Mode::IEEE, MinMax::First, 0x7d01, 0x3c00), 0x7d01);
    assert_eq!(f16::max(Mode::IEEE, MinMax::Second, 0x3c00, 0x7d01), 0x7d01);
    assert_eq!(f16::min(Mode::IEEE, MinMax::Number, 0x8000, 0x0000), 0x8000);
    assert_eq!(f16::saturate(0x8001, 0), 0);
    assert_eq!(f16::saturate(0x7c00, 0), 0x3c00);
    assert_eq!(f16::sqrt(Mode::IEEE, 0x4400), 0x4000);
    assert_eq!(f16::sqrt(Mode::IEEE, 0xbc00), 0x7e00);
    assert_eq!(f16::rem(Mode::IEEE, 0xc500, 0x4000), 0xbc00); // -5 % 2 = -1
    assert_eq!(f16::fract(Mode::IEEE, 0xbe00), 0x3800); // fract(-1.5) = 0.5
}
