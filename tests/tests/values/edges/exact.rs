//! What operations give, by exact integers and by Rust's floats: nothing of the compiler is asked.

use gpucc_ir::{FloatCc, IntCc, Op, Scalar};

/// Operands of an op: four of its type, and a word.
pub(super) type Args = [u64; 5];

/// Which bits a float has: of the exponent and the sign, and of the fraction.
#[derive(Clone, Copy)]
struct Format {
    bits: u32,
    fraction: u32,
}

fn format(s: Scalar) -> Format {
    match s {
        Scalar::F16 => Format { bits: 16, fraction: 10 },
        Scalar::F32 => Format { bits: 32, fraction: 23 },
        _ => Format { bits: 64, fraction: 52 },
    }
}

impl Format {
    fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }
    fn infinity(self) -> u64 {
        self.sign() - (1 << self.fraction)
    }
    /// The exponent of the last place of the least numbers.
    fn lowest(self) -> i32 {
        2 - (1 << (self.bits - self.fraction - 2)) - self.fraction as i32
    }
    /// A finite number as an integer and a power of two.
    fn parts(self, bits: u64) -> (i128, i32) {
        let exponent = (bits & !self.sign()) >> self.fraction;
        let fraction = bits & ((1 << self.fraction) - 1);
        let whole = i128::from(if exponent == 0 { fraction } else { fraction | 1 << self.fraction });
        (if bits & self.sign() != 0 { -whole } else { whole }, self.lowest() + exponent.max(1) as i32 - 1)
    }
    /// The nearest float to an integer, which is not 0, times a power of two; of two the even one.
    fn round(self, value: i128, exponent: i32) -> u64 {
        let (sign, magnitude) = (if value < 0 { self.sign() } else { 0 }, value.unsigned_abs());
        let top = 127 - magnitude.leading_zeros() as i32;
        let last = (top + exponent - self.fraction as i32).max(self.lowest());
        let away = last - exponent;
        let kept = match away {
            ..=0 => magnitude << -away,
            1..=127 => {
                let (low, rest, tie) = (magnitude >> away, magnitude & ((1 << away) - 1), 1u128 << (away - 1));
                low + u128::from(rest > tie || rest == tie && low & 1 == 1)
            }
            _ => 0,
        };
        if last - self.lowest() >= 1 << (self.bits - self.fraction - 1) {
            return sign | self.infinity();
        }
        // A carry runs into the exponent as it should.
        let bits = (kept as u64).wrapping_add(((last - self.lowest()) as u64) << self.fraction);
        sign | bits.min(self.infinity())
    }
}

/// A NaN of this kind.
fn nan(s: Scalar) -> u64 {
    let f = format(s);
    f.infinity() | 1 << (f.fraction - 1)
}

pub(super) fn is_nan(s: Scalar, bits: u64) -> bool {
    let f = format(s);
    bits & !f.sign() & s.mask() > f.infinity()
}

/// Whether it is a number next to 0 that has no leading one.
pub(super) fn is_denormal(s: Scalar, bits: u64) -> bool {
    let f = format(s);
    let magnitude = bits & !f.sign();
    magnitude != 0 && magnitude >> f.fraction == 0
}

/// Zero in place of what is denormal.
pub(super) fn flushed(s: Scalar, bits: u64) -> u64 {
    if s.is_float() && is_denormal(s, bits) { bits & format(s).sign() } else { bits }
}

/// How many floats lie between both.
pub(super) fn apart(s: Scalar, a: u64, b: u64) -> u64 {
    let f = format(s);
    let place = |x: u64| {
        let magnitude = i128::from(x & !f.sign());
        if x & f.sign() != 0 { -magnitude } else { magnitude }
    };
    (place(a) - place(b)).unsigned_abs() as u64
}

/// The number that these bits are.
pub(super) fn number(s: Scalar, bits: u64) -> f64 {
    match s {
        Scalar::F64 => f64::from_bits(bits),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ if is_nan(s, bits) => f64::NAN,
        _ => {
            let f = format(s);
            let sign = if bits & f.sign() != 0 { -1.0 } else { 1.0 };
            if bits & !f.sign() == f.infinity() {
                return sign * f64::INFINITY;
            }
            let (whole, exponent) = f.parts(bits & !f.sign());
            sign * whole as f64 * 2f64.powi(exponent)
        }
    }
}

/// The nearest float of this kind.
pub(super) fn nearest(s: Scalar, x: f64) -> u64 {
    let sign = if x.is_sign_negative() { format(s).sign() } else { 0 };
    match s {
        Scalar::F64 => x.to_bits(),
        _ if x.is_nan() => nan(s),
        _ if x.is_infinite() => sign | format(s).infinity(),
        _ if x == 0.0 => sign,
        _ => {
            let (whole, exponent) = format(Scalar::F64).parts(x.to_bits());
            format(s).round(whole, exponent)
        }
    }
}

/// `a * b + c`, rounded once.
fn fused(s: Scalar, a: u64, b: u64, c: u64) -> u64 {
    match s {
        Scalar::F64 => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits(),
        Scalar::F32 => {
            let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
            u64::from(a.mul_add(b, c).to_bits())
        }
        _ => {
            // Products of halves are exact here. So are zeros of the sum, and what is no number.
            let near = number(s, a) * number(s, b) + number(s, c);
            if near == 0.0 || !near.is_finite() {
                return nearest(s, near);
            }
            let f = format(s);
            let ((x, i), (y, j), (z, k)) = (f.parts(a), f.parts(b), f.parts(c));
            let low = (i + j).min(k);
            f.round(((x * y) << (i + j - low)) + (z << (k - low)), low)
        }
    }
}

/// What a float op with operands and a result of one type gives. Sums, products, quotients and roots of fewer than 26 bits are those of 53
/// bits, rounded again.
fn float(op: Op, s: Scalar, a: &Args) -> u64 {
    let f = format(s);
    let x = |k: usize| number(s, a[k]);
    let r = match op {
        Op::FAdd => x(0) + x(1),
        Op::FSub => x(0) - x(1),
        Op::FMul => x(0) * x(1),
        Op::FDiv => x(0) / x(1),
        Op::FRem => x(0) % x(1),
        Op::Fma => return fused(s, a[0], a[1], a[2]),
        Op::FNeg => return a[0] ^ f.sign(),
        Op::FAbs => return a[0] & !f.sign(),
        Op::FSign if x(0) > 0.0 => 1.0,
        Op::FSign if x(0) < 0.0 => -1.0,
        Op::FSign => 0.0,
        Op::FMin => x(0).min(x(1)),
        Op::FMax => x(0).max(x(1)),
        Op::FSat if x(0) > 0.0 => x(0).min(1.0),
        Op::FSat => 0.0,
        Op::FFloor => x(0).floor(),
        Op::FCeil => x(0).ceil(),
        Op::FTrunc => x(0).trunc(),
        Op::FRoundEven => x(0).round_ties_even(),
        Op::FFract => x(0) - x(0).floor(),
        Op::FSqrt => x(0).sqrt(),
        Op::FRsqrt => 1.0 / x(0).sqrt(),
        Op::FRcp => 1.0 / x(0),
        Op::FQuant16 => number(Scalar::F16, nearest(Scalar::F16, x(0))),
        _ => panic!("{op} is not known here"),
    };
    nearest(s, r)
}

/// The integer that these bits are with a sign.
pub(super) fn signed(s: Scalar, bits: u64) -> i128 {
    let n = s.bits();
    let v = i128::from(bits);
    if bits >> (n - 1) & 1 == 1 { v - (1i128 << n) } else { v }
}

/// What an integer op with operands and a result of one type gives.
fn int(op: Op, s: Scalar, a: &Args) -> u64 {
    let n = u64::from(s.bits());
    let u = |k: usize| u128::from(a[k]);
    let i = |k: usize| signed(s, a[k]);
    let bytes = |k: usize| (a[k] as u32).to_le_bytes();
    let low = |count: u64| (1u128 << count) - 1;
    // Bits that fit behind the first one, at most so many.
    let field = |offset: u64, count: u64| (offset.min(n), count.min(n - offset.min(n)));
    let r: u128 = match op {
        Op::IAdd => u(0) + u(1),
        Op::ISub => u(0).wrapping_sub(u(1)),
        Op::IMul => u(0).wrapping_mul(u(1)),
        Op::UMulHi => (u(0) * u(1)) >> n,
        Op::SMulHi => ((i(0) * i(1)) >> n) as u128,
        Op::UMul24 => (u(0) & 0xff_ffff) * (u(1) & 0xff_ffff),
        Op::SMul24 => {
            let cut = |k: usize| i128::from((a[k] as i32) << 8 >> 8);
            (cut(0) * cut(1)) as u128
        }
        Op::SDiv => i(0).checked_div(i(1)).unwrap_or(i(0)) as u128,
        Op::UDiv => u(0).checked_div(u(1)).unwrap_or(u(0)),
        Op::SRem => i(0).checked_rem(i(1)).unwrap_or(0) as u128,
        Op::URem => u(0).checked_rem(u(1)).unwrap_or(0),
        Op::INeg => (-i(0)) as u128,
        Op::IAbs => i(0).unsigned_abs(),
        Op::SMin => i(0).min(i(1)) as u128,
        Op::SMax => i(0).max(i(1)) as u128,
        Op::UMin => u(0).min(u(1)),
        Op::UMax => u(0).max(u(1)),
        Op::And => u(0) & u(1),
        Op::Or => u(0) | u(1),
        Op::Xor => u(0) ^ u(1),
        Op::Not => !u(0),
        Op::Shl => u(0) << (a[1] % n),
        Op::UShr => u(0) >> (a[1] % n),
        Op::SShr => (i(0) >> (a[1] % n)) as u128,
        Op::Popcount => (0..n).map(|k| u(0) >> k & 1).sum(),
        Op::Clz => (0..n).rev().take_while(|k| u(0) >> k & 1 == 0).count() as u128,
        Op::Ctz => (0..n).take_while(|k| u(0) >> k & 1 == 0).count() as u128,
        Op::BitReverse => (0..n).map(|k| (u(0) >> k & 1) << (n - 1 - k)).sum(),
        Op::UBitExtract => {
            let (offset, count) = field(a[1], a[2]);
            u(0) >> offset & low(count)
        }
        Op::SBitExtract => match field(a[1], a[2]) {
            (_, 0) => 0,
            (offset, count) => {
                let v = u(0) >> offset & low(count);
                if v >> (count - 1) & 1 == 1 { v | !low(count) } else { v }
            }
        },
        Op::BitInsert => {
            let (offset, count) = field(a[2], a[3]);
            let mask = low(count) << offset;
            u(0) & !mask | u(1) << offset & mask
        }
        Op::FShr => (u(0) << n | u(1)) >> (a[2] % n),
        Op::BitSel => u(1) & u(0) | u(2) & !u(0),
        Op::UDot4x8 => (0..4).map(|k| u128::from(bytes(0)[k]) * u128::from(bytes(1)[k])).sum(),
        Op::SDot4x8 => {
            let of = |k: usize, b: usize| i128::from(bytes(b)[k] as i8);
            (0..4).map(|k| of(k, 0) * of(k, 1)).sum::<i128>() as u128
        }
        _ => panic!("{op} is not known here"),
    };
    (r & u128::from(s.mask())) as u64
}

/// What an op with operands and a result of one type gives.
pub(super) fn same(op: Op, s: Scalar, a: &Args) -> u64 {
    if s.is_float() { float(op, s, a) } else { int(op, s, a) }
}

/// The scaled float, rounded once.
pub(super) fn ldexp(s: Scalar, x: u64, n: i32) -> u64 {
    let f = format(s);
    let v = number(s, x);
    if v == 0.0 || !v.is_finite() {
        return nearest(s, v);
    }
    let (whole, exponent) = f.parts(x);
    f.round(whole, exponent + n.clamp(-5000, 5000))
}

pub(super) fn int_holds(cc: IntCc, s: Scalar, a: u64, b: u64) -> bool {
    let (i, j) = if s == Scalar::B1 { (i128::from(a), i128::from(b)) } else { (signed(s, a), signed(s, b)) };
    match cc {
        IntCc::Eq => a == b,
        IntCc::Ne => a != b,
        IntCc::Slt => i < j,
        IntCc::Sle => i <= j,
        IntCc::Sgt => i > j,
        IntCc::Sge => i >= j,
        IntCc::Ult => a < b,
        IntCc::Ule => a <= b,
        IntCc::Ugt => a > b,
        IntCc::Uge => a >= b,
    }
}

/// By the letters of the name: the first says what of an unordered pair, the others what is compared.
pub(super) fn float_holds(cc: FloatCc, s: Scalar, a: u64, b: u64) -> bool {
    let (x, y) = (number(s, a), number(s, b));
    let unordered = x.is_nan() || y.is_nan();
    let name = cc.to_string();
    match name.as_str() {
        "ord" => !unordered,
        "uno" => unordered,
        _ if unordered => name.starts_with('u'),
        _ => match &name[1..] {
            "eq" => x == y,
            "ne" => x != y,
            "lt" => x < y,
            "le" => x <= y,
            "gt" => x > y,
            "ge" => x >= y,
            other => panic!("{other} is not known here"),
        },
    }
}

/// The greatest integer of a range that a float holds: its leading bits.
fn held(s: Scalar, most: i128) -> i128 {
    let digits = format(s).fraction + 1;
    let size = 128 - most.leading_zeros();
    let cut = size.saturating_sub(digits);
    let most = most >> cut << cut;
    if s == Scalar::F16 { most.min(65504) } else { most }
}

/// The integer next to it toward zero, inside of the range; NaN gives 0.
fn truncated(from: Scalar, to: Scalar, bits: u64, sign: bool, whole: bool) -> u64 {
    let n = to.bits();
    let (least, most) = if sign { (-(1i128 << (n - 1)), (1i128 << (n - 1)) - 1) } else { (0, (1i128 << n) - 1) };
    let (least, most) = if whole { (least, most) } else { (least, held(from, most)) };
    let least = if from == Scalar::F16 && !whole { least.max(-65504) } else { least };
    let x = number(from, bits);
    let v = if x.is_nan() {
        0
    } else if x.is_infinite() {
        if x > 0.0 { most } else { least }
    } else {
        // Rust cuts at the ends of its type, which are farther away.
        (x.trunc() as i128).clamp(least, most)
    };
    v as u64 & to.mask()
}

/// What a conversion gives.
pub(super) fn convert(op: Op, from: Scalar, to: Scalar, x: u64) -> u64 {
    let rounded = |v: i128| if v == 0 { 0 } else { format(to).round(v, 0) };
    match op {
        Op::F2F => nearest(to, number(from, x)),
        Op::F2S | Op::F2SFull => truncated(from, to, x, true, op == Op::F2SFull),
        Op::F2U | Op::F2UFull => truncated(from, to, x, false, op == Op::F2UFull),
        Op::S2F => rounded(signed(from, x)),
        Op::U2F => rounded(i128::from(x)),
        Op::SExt => signed(from, x) as u64 & to.mask(),
        Op::ZExt => x,
        Op::Trunc => x & to.mask(),
        _ => panic!("{op} is not known here"),
    }
}

/// The formats' own edges, by hand.
#[test]
fn floats_are_rounded_as_the_formats_say() {
    let half = |x: f64| nearest(Scalar::F16, x);
    assert_eq!(half(65504.0), 0x7bff);
    assert_eq!(half(65519.99), 0x7bff);
    assert_eq!(half(65520.0), 0x7c00);
    assert_eq!(half(1e300), 0x7c00);
    assert_eq!(half(2f64.powi(-25)), 0);
    assert_eq!(half(1.5 * 2f64.powi(-25)), 1);
    assert_eq!(half(-(1.0 + 2f64.powi(-11))), 0xbc00);
    assert_eq!(half(1.0 + 3.0 * 2f64.powi(-11)), 0x3c02);
    assert_eq!(half(5e-324), 0);
    let single = |x: f64| nearest(Scalar::F32, x);
    for x in [0.1, 1e39, -3.5e38, 1e-45, 7e-46, 1.175_494_3e-38, 16_777_217.0, 4.25] {
        assert_eq!(single(x), u64::from((x as f32).to_bits()), "{x}");
    }
    assert_eq!(number(Scalar::F16, 0x0001), 2f64.powi(-24));
    assert_eq!(number(Scalar::F16, 0xfbff), -65504.0);
    assert_eq!(convert(Op::S2F, Scalar::I64, Scalar::F64, u64::MAX << 1), (-2f64).to_bits());
    assert_eq!(convert(Op::U2F, Scalar::I64, Scalar::F16, 65520), 0x7c00);
    assert_eq!(convert(Op::F2S, Scalar::F32, Scalar::I32, u64::from(3e9f32.to_bits())), 2_147_483_520);
    assert_eq!(convert(Op::F2U, Scalar::F16, Scalar::I32, 0x7c00), 65504);
    // A sum of halves whose 53 bits would be rounded twice: 1 + 2^-11 + 2^-44 or so.
    assert_eq!(fused(Scalar::F16, 0x0001, 0x0001, 0x3c00), 0x3c00);
    assert_eq!(fused(Scalar::F16, 0x1001, 0x3c01, 0x3c01), {
        let exact = number(Scalar::F16, 0x1001) * number(Scalar::F16, 0x3c01) + number(Scalar::F16, 0x3c01);
        half(exact)
    });
}
