//! Meaning of the arithmetic instructions.

use gpucc_num::{Mode, Round, convert, f32 as num, special, with_mode};
use gpucc_sim::trap::{Trap, unsupported};

use super::decode::Pre;
use super::launch::{LANES, LaunchState};
use super::subgroup::{Group, Lanes, Mask};
use crate::modifiers::{Cond, Type};
use crate::rows::{Class, Op};

/// Classes that the report counts, by number.
pub(crate) const CLASSES: [&str; 7] = ["vector", "integer", "scalar", "reduce", "memory", "control", "other"];

/// Number of a class.
pub(crate) const fn class_of(c: Class) -> u8 {
    match c {
        Class::Vector => 0,
        Class::IntVector => 1,
        Class::Scalar => 2,
        Class::Reduce => 3,
        Class::Memory => 4,
        Class::Control => 5,
        Class::Texture | Class::Unknown => 6,
    }
}

/// Values, and the lanes in which they are defined.
pub(crate) type Result4 = (Lanes, Mask);

pub(super) const ALL: Mask = (1 << LANES) - 1;

fn float(v: u32) -> f32 {
    f32::from_bits(v)
}

#[inline]
fn map1(a: &Lanes, f: impl Fn(u32) -> u32) -> Lanes {
    let mut v = [0; LANES];
    for i in 0..LANES {
        v[i] = f(a[i]);
    }
    v
}

#[inline]
fn map2(a: &Lanes, b: &Lanes, f: impl Fn(u32, u32) -> u32) -> Lanes {
    let mut v = [0; LANES];
    for i in 0..LANES {
        v[i] = f(a[i], b[i]);
    }
    v
}

#[inline]
fn map3(a: &Lanes, b: &Lanes, c: &Lanes, f: impl Fn(u32, u32, u32) -> u32) -> Lanes {
    let mut v = [0; LANES];
    for i in 0..LANES {
        v[i] = f(a[i], b[i], c[i]);
    }
    v
}

#[inline]
fn f1(a: &Lanes, f: impl Fn(f32) -> f32) -> Lanes {
    map1(a, |x| f(float(x)).to_bits())
}

#[inline]
fn f2(a: &Lanes, b: &Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
    map2(a, b, |x, y| f(float(x), float(y)).to_bits())
}

/// A value of a narrow integer type in a 32-bit lane (section 12).
#[inline]
pub(crate) fn extend(t: Type, v: u32) -> u32 {
    match t {
        Type::U8 => v & 0xff,
        Type::S8 => v as i8 as u32,
        Type::U16 => v & 0xffff,
        Type::S16 => v as i16 as u32,
        _ => v,
    }
}

/// Lanes in which something holds.
#[inline]
fn lanes_where(f: impl Fn(usize) -> bool) -> Mask {
    let mut m = 0;
    for i in 0..LANES {
        m |= u32::from(f(i)) << i;
    }
    m
}

/// Lanes in which the condition holds.
#[allow(unused_comparisons, reason = "no unsigned number is below 0")]
pub(crate) fn test(c: Cond, t: Type, a: &Lanes, b: &Lanes) -> Mask {
    // Each condition has a loop of its own: the lanes do not look it up each.
    macro_rules! by_condition {
        ($value:expr, $zero:expr, $msb:expr) => {{
            let (x, y) = (|i: usize| $value(a[i]), |i: usize| $value(b[i]));
            match c {
                Cond::Always => ALL,
                Cond::Gt => lanes_where(|i| x(i) > y(i)),
                Cond::Lt => lanes_where(|i| x(i) < y(i)),
                Cond::Ge => lanes_where(|i| x(i) >= y(i)),
                Cond::Le => lanes_where(|i| x(i) <= y(i)),
                Cond::Eq => lanes_where(|i| x(i) == y(i)),
                Cond::Ne => lanes_where(|i| x(i) != y(i)),
                Cond::Not => lanes_where(|i| x(i) == $zero),
                Cond::Nz => lanes_where(|i| x(i) != $zero),
                Cond::Gez => lanes_where(|i| x(i) >= $zero),
                Cond::Gz => lanes_where(|i| x(i) > $zero),
                Cond::Lez => lanes_where(|i| x(i) <= $zero),
                Cond::Lz => lanes_where(|i| x(i) < $zero),
                Cond::SelMsb => lanes_where(|i| a[i] >> $msb & 1 == 1),
                // `validate::check` does not let these through.
                Cond::And | Cond::Or | Cond::Xor => 0,
            }
        }};
    }
    match t {
        Type::F32 => by_condition!(|v| num::flush(float(v)), 0.0, 31),
        Type::S32 => by_condition!(|v| v as i32, 0, 31),
        Type::U32 => by_condition!(|v: u32| v, 0, 31),
        _ if t.is_signed() => by_condition!(|v| extend(t, v) as i32, 0, 8 * t.bytes() - 1),
        _ => by_condition!(|v| extend(t, v), 0, 8 * t.bytes() - 1),
    }
}

/// Moves an approximation inside its documented error, by seed, operation and operand alone: within one unit in the
/// last place of the exact value, and by `absolute`. `rounded` is what it is without a seed.
fn approximate(seed: Option<u64>, op: Op, exact: f64, rounded: f32, absolute: f32) -> f32 {
    let Some(seed) = seed else { return rounded };
    if !rounded.is_finite() || rounded == 0.0 {
        return rounded;
    }
    let seed = seed ^ (op as u64) << 56;
    let moved = special::approximate(exact, Some(seed));
    let more = absolute > 0.0 && special::draw(!seed, exact.to_bits(), 2) == 1;
    num::flush(if more { moved + absolute } else { moved })
}

/// Half or quarter turns to radians: reduced exactly first.
fn time_slices(x: f32, period: f64) -> f64 {
    let x = f64::from(x);
    let whole = x / period;
    let reduced = x - period * floor64(whole);
    reduced / period * core::f64::consts::TAU
}

fn floor64(x: f64) -> f64 {
    // Beyond 2^52 every value is whole.
    if x.abs() >= 4_503_599_627_370_496.0 || x.is_nan() {
        return x;
    }
    let t = x as i64 as f64;
    if t > x { t - 1.0 } else { t }
}

fn function(pre: &Pre, seed: Option<u64>, x: f32) -> f32 {
    scalar(pre.op, pre.pair, pre.mode, seed, x)
}

/// The scalar float functions.
pub(super) fn scalar(op: Op, pair: bool, m: Mode, seed: Option<u64>, x: f32) -> f32 {
    let x = num::input(m, x);
    let wide = |y: f64| (y, convert::f64_to_f32(m.round, y));
    let root = f64::from(x).sqrt();
    // Errors: section 12, "about 22-23 bits", taken as one unit in the last place; sines also absolutely.
    let ((exact, rounded), absolute) = match op {
        Op::Rcp => ((1.0 / f64::from(x), num::div(m, 1.0, x)), 0.0),
        // RSQ(0) is +inf whatever the sign of the zero (section 12).
        Op::Rsq if x == 0.0 => ((f64::INFINITY, f32::INFINITY), 0.0),
        Op::Rsq => (wide(1.0 / root), 0.0),
        Op::Sqrt => ((root, num::sqrt(m, x)), 0.0),
        Op::Exp => (wide(special::wide::exp2(f64::from(x))), 0.0),
        Op::Log => (wide(special::wide::log2(f64::from(x))), 0.0),
        Op::Sin | Op::Cos => {
            if !x.is_finite() {
                return gpucc_num::NAN32;
            }
            let angle = time_slices(x, if pair { 2.0 } else { 4.0 });
            let y = if op == Op::Sin { special::wide::sin(angle) } else { special::wide::cos(angle) };
            (wide(y), f32::from_bits(0x3480_0000))
        }
        _ => ((f64::from(x), x), 0.0),
    };
    num::output(m, approximate(seed, op, exact, num::output(m, rounded), absolute))
}

/// Operations that give one result for all enabled lanes: scalar ones and dot products.
pub(crate) fn across(g: &Group, pre: &Pre, l: &LaunchState, mask: Mask) -> Result<Result4, Trap> {
    let s = |slot: usize, lane: usize| g.source(&pre.src[slot], lane, l, mask);
    let m = pre.mode;
    let dot = |n: usize, b: usize| -> Result<Lanes, Trap> {
        with_mode!(m, |M| {
            let mut sum = f2(&s(0, 0)?, &s(b, 0)?, |x, y| num::mul(M, x, y));
            for lane in 1..n {
                let p = f2(&s(0, lane)?, &s(b, lane)?, |x, y| num::mul(M, x, y));
                sum = f2(&sum, &p, |x, y| num::add(M, x, y));
            }
            Ok(sum)
        })
    };
    let rsq = |v: &Lanes| {
        let as_rsq = Pre { op: Op::Rsq, ..pre.clone() };
        f1(v, |x| function(&as_rsq, l.seed, x))
    };
    let v = match pre.op {
        Op::Dp2 => dot(2, 1)?,
        Op::Dp3 => dot(3, 1)?,
        Op::Dp4 => dot(4, 1)?,
        Op::NormDp2 => rsq(&dot(2, 0)?),
        Op::NormDp3 => rsq(&dot(3, 0)?),
        Op::NormDp4 => rsq(&dot(4, 0)?),
        Op::Rcp | Op::Rsq | Op::Sqrt | Op::Exp | Op::Log | Op::Sin | Op::Cos => {
            f1(&s(2, 0)?, |x| function(pre, l.seed, x))
        }
        Op::Div => f2(&s(1, 0)?, &s(2, 0)?, |x, y| num::div(m, x, y)),
        // Integer operations of class S, and on gc2000 all of them: lane x.
        _ => return lane_wise(g, pre, 0, l, mask),
    };
    Ok((v, ALL))
}

/// The two factors of a pair form: neither is the result alone, their product is (7.4).
pub(crate) fn split_pair(pre: &Pre, one: Result4, seed: Option<u64>) -> [Result4; 4] {
    // A power of two keeps the product exact; which lane has it is not documented, so the seed decides.
    let swap = seed.is_some_and(|s| s >> 3 & 1 == 1);
    let factor = 0.5_f32;
    // Doubling overflows only for quotients above 2^127; those keep a factor of one.
    let rest = f1(&one.0, |x| if (x * 2.0).is_finite() || !x.is_finite() { x * 2.0 } else { x });
    let first = pre.mask.trailing_zeros() as usize;
    let mut out = [(rest, one.1); 4];
    let at = if swap { 31 - pre.mask.leading_zeros() as usize } else { first };
    out[at].0 = f2(&one.0, &rest, |x, r| if x == r && x.is_finite() && x != 0.0 { 1.0 } else { factor });
    out
}

/// DST and LITP: each component its own.
pub(crate) fn lighting(g: &Group, pre: &Pre, l: &LaunchState, mask: Mask) -> Result<[Result4; 4], Trap> {
    let one = [1.0_f32.to_bits(); LANES];
    let mut out = [(one, ALL); 4];
    let s = |slot: usize, lane: usize| g.source(&pre.src[slot], lane, l, mask);
    let wants = |c: usize| pre.mask >> c & 1 == 1;
    let m = pre.mode;
    if pre.op == Op::Dst {
        if wants(1) {
            out[1].0 = f2(&s(0, 1)?, &s(1, 1)?, |x, y| num::mul(m, x, y));
        }
        if wants(2) {
            out[2].0 = s(0, 2)?;
        }
        if wants(3) {
            out[3].0 = s(1, 3)?;
        }
        return Ok(out);
    }
    let absent = pre.src[0].place == super::decode::Place::None;
    let above = |lane: usize| -> Result<Lanes, Trap> { if absent { Ok(one) } else { s(0, lane) } };
    let positive = |v: u32| num::flush(float(v)) > 0.0;
    if wants(1) {
        out[1].0 = map3(&s(1, 2)?, &above(1)?, &s(1, 1)?, |z, y, v| if positive(z) && positive(y) { v } else { 0 });
    }
    if wants(2) {
        let as_exp = Pre { op: Op::Exp, ..pre.clone() };
        let e = f1(&s(2, 0)?, |x| function(&as_exp, l.seed, x));
        out[2].0 = map3(&s(1, 2)?, &above(2)?, &e, |z, y, v| if positive(z) && positive(y) { v } else { 0 });
    }
    Ok(out)
}

/// One lane of a lane-wise operation.
#[expect(clippy::too_many_lines, reason = "one arm for each operation")]
pub(crate) fn lane_wise(g: &Group, pre: &Pre, c: usize, l: &LaunchState, mask: Mask) -> Result<Result4, Trap> {
    let t = pre.ty;
    let m = pre.mode;
    let raw = |slot: usize| g.source(&pre.src[slot], c, l, mask);
    let narrow = 8 * t.bytes() < 32;
    let s = |slot: usize| -> Result<Lanes, Trap> {
        let v = raw(slot)?;
        Ok(if narrow { map1(&v, |x| extend(t, x)) } else { v })
    };
    let is_float = t == Type::F32;
    let mut ok = ALL;
    let v = match pre.op {
        Op::Add if is_float => with_mode!(m, |M| f2(&s(0)?, &s(2)?, |x, y| num::add(M, x, y))),
        Op::Add => map2(&s(0)?, &s(2)?, u32::wrapping_add),
        Op::Mul | Op::NormMul => with_mode!(m, |M| f2(&s(0)?, &s(1)?, |x, y| num::mul(M, x, y))),
        Op::Mad => with_mode!(m, |M| map3(&s(0)?, &s(1)?, &s(2)?, |x, y, z| {
            num::mad(M, float(x), float(y), float(z)).to_bits()
        })),
        Op::Mov => s(2)?,
        Op::Frc => f1(&s(2)?, |x| num::fract(m, num::input(m, x))),
        Op::Floor => f1(&s(2)?, |x| num::output(m, num::round_to_int(Round::Down, num::input(m, x)))),
        Op::Ceil => f1(&s(2)?, |x| num::output(m, num::round_to_int(Round::Up, num::input(m, x)))),
        Op::Sign if is_float => f1(&s(2)?, |x| num::output(m, num::sign(num::input(m, x)))),
        Op::Sign if t.is_signed() => map1(&s(2)?, |x| (x as i32).signum() as u32),
        Op::Sign => map1(&s(2)?, |x| u32::from(x != 0)),
        Op::Clamp0Max => {
            let (a, b) = (s(0)?, s(1)?);
            match t {
                Type::F32 => f2(&a, &b, |x, y| {
                    let x = if num::input(m, x) > 0.0 { x } else { 0.0 };
                    num::output(m, if x < y { x } else { y })
                }),
                Type::S32 => map2(&a, &b, |x, y| (x as i32).max(0).min(y as i32) as u32),
                _ => map2(&a, &b, u32::min),
            }
        }
        Op::Select => {
            let (b, z) = (s(1)?, s(2)?);
            let a = if pre.cond == Cond::Always { b } else { s(0)? };
            let yes = test(pre.cond, t, &a, &b);
            core::array::from_fn(|i| if yes >> i & 1 == 1 { b[i] } else { z[i] })
        }
        Op::Set | Op::Cmp => {
            let a = if pre.cond == Cond::Always { [0; LANES] } else { s(0)? };
            let b = if pre.cond.is_binary() { s(1)? } else { [0; LANES] };
            let yes = test(pre.cond, t, &a, &b);
            let value = if pre.op == Op::Set { [1.0_f32.to_bits(); LANES] } else { s(2)? };
            core::array::from_fn(|i| if yes >> i & 1 == 1 { value[i] } else { 0 })
        }
        Op::Conv => {
            let (a, kind) = (raw(0)?, pre.src[1].value);
            match (t, kind) {
                (Type::F16, 0) => map1(&a, |x| u32::from(convert::f32_to_f16(m.round, float(x)))),
                (Type::F32, 1) => map1(&a, |x| convert::f16_to_f32(x as u16).to_bits()),
                _ => return Err(unknown("this pair of type and immediate has no known meaning")),
            }
        }
        Op::I2f if t.is_signed() => map1(&s(0)?, |x| convert::i32_to_f32(m.round, x as i32).to_bits()),
        Op::I2f => map1(&s(0)?, |x| convert::u32_to_f32(m.round, x).to_bits()),
        Op::F2i | Op::F2irnd => {
            let round = if pre.op == Op::F2i { Round::Zero } else { m.round };
            let a = raw(0)?;
            let (low, high) = limits(t);
            core::array::from_fn(|i| {
                let x = num::round_to_int(round, num::flush(float(a[i])));
                let whole = x as i64;
                if x.is_nan() || whole < low || whole > high {
                    ok &= !(1 << i);
                }
                whole as u32
            })
        }
        Op::I2i => {
            // Source 1 is the source width in bits, our reading of the one known use (5.2).
            let width = pre.src[1].value;
            let from = match (width, t.is_signed()) {
                (8, true) => Type::S8,
                (8, false) => Type::U8,
                (16, true) => Type::S16,
                (16, false) => Type::U16,
                (32, _) => Type::S32,
                _ => return Err(unknown("source 1 of I2I is 8, 16 or 32")),
            };
            map1(&raw(0)?, |x| extend(from, x))
        }
        Op::Iaddsat => {
            let (low, high) = limits(t);
            let wide = |x: u32| if t.is_signed() { i64::from(x as i32) } else { i64::from(x) };
            // A negated operand of an unsigned type has wrapped already.
            map2(&s(0)?, &s(2)?, |x, y| (wide(x) + wide(y)).clamp(low, high) as u32)
        }
        Op::Imullo0 => map2(&s(0)?, &s(1)?, u32::wrapping_mul),
        Op::Imadlo0 => map3(&s(0)?, &s(1)?, &s(2)?, |x, y, z| x.wrapping_mul(y).wrapping_add(z)),
        Op::Imadlosat0 => {
            let (low, high) = limits(t);
            let wide = |x: u32| if t.is_signed() { i128::from(x as i32) } else { i128::from(x) };
            map3(&s(0)?, &s(1)?, &s(2)?, |x, y, z| {
                (wide(x) * wide(y) + wide(z)).clamp(i128::from(low), i128::from(high)) as u32
            })
        }
        Op::Imulhi0 => {
            let w = 8 * t.bytes();
            map2(&s(0)?, &s(1)?, |x, y| {
                if t.is_signed() {
                    ((i64::from(x as i32) * i64::from(y as i32)) >> w) as u32
                } else {
                    ((u64::from(x) * u64::from(y)) >> w) as u32
                }
            })
        }
        Op::Idiv0 | Op::Imod => {
            let (a, b) = (s(0)?, s(1)?);
            core::array::from_fn(|i| {
                let (x, y) = (a[i], b[i]);
                let overflow = t.is_signed() && y == u32::MAX && i64::from(x as i32) == limits(t).0;
                if y == 0 || overflow {
                    ok &= !(1 << i);
                    return 0;
                }
                match (pre.op, t.is_signed()) {
                    (Op::Idiv0, true) => (x as i32 / y as i32) as u32,
                    (Op::Idiv0, false) => x / y,
                    (_, true) => (x as i32 % y as i32) as u32,
                    (_, false) => x % y,
                }
            })
        }
        Op::Iabs => map1(&s(2)?, |x| (x as i32).unsigned_abs()),
        Op::Leadzero => {
            let w = 8 * t.bytes();
            map1(&raw(2)?, |x| (x & low_ones(w)).leading_zeros() - (32 - w))
        }
        Op::Lshift => map2(&s(0)?, &raw(2)?, |x, n| x << (n & 31)),
        Op::Rshift if t.is_signed() => map2(&s(0)?, &raw(2)?, |x, n| ((x as i32) >> (n & 31)) as u32),
        Op::Rshift => map2(&s(0)?, &raw(2)?, |x, n| x >> (n & 31)),
        Op::Rotate => {
            let w = 8 * t.bytes();
            map2(&raw(0)?, &raw(2)?, |x, n| {
                if w == 32 {
                    return x.rotate_left(n & 31);
                }
                let x = x & low_ones(w);
                let n = n % w;
                x << n | x >> ((w - n) % 32)
            })
        }
        Op::Or => map2(&s(0)?, &s(2)?, |x, y| x | y),
        Op::And => map2(&s(0)?, &s(2)?, |x, y| x & y),
        Op::Xor => map2(&s(0)?, &s(2)?, |x, y| x ^ y),
        Op::Not => map1(&s(2)?, |x| !x),
        Op::Popcount => {
            let w = 8 * t.bytes();
            map1(&raw(2)?, |x| (x & low_ones(w)).count_ones())
        }
        Op::BitRev => {
            let w = 8 * t.bytes();
            map1(&raw(0)?, |x| x.reverse_bits() >> (32 - w))
        }
        Op::BitFindlsb => {
            let w = 8 * t.bytes();
            map1(&raw(0)?, |x| if x & low_ones(w) == 0 { !0 } else { x.trailing_zeros() })
        }
        Op::BitFindmsb => map1(&s(0)?, |x| {
            let x = if t.is_signed() && (x as i32) < 0 { !x } else { x };
            31_u32.wrapping_sub(x.leading_zeros())
        }),
        Op::BitExtract => {
            let (a, b, n) = (s(0)?, raw(1)?, raw(2)?);
            core::array::from_fn(|i| {
                let (x, at, count) = (a[i], b[i], n[i]);
                if at > 31 || count > 32 || at + count > 32 {
                    ok &= !(1 << i);
                    return 0;
                }
                if t.is_signed() {
                    gpucc_num::int::extract_s(x as i32, at, count) as u32
                } else {
                    gpucc_num::int::extract_u(x, at, count)
                }
            })
        }
        // Everything else was dealt with by the caller, or refused by `validate::check`.
        _ => return Err(unknown("not an arithmetic instruction of compute programs")),
    };
    let v = if narrow && pre.op != Op::I2f { map1(&v, |x| extend(t, x)) } else { v };
    Ok((v, ok))
}

fn low_ones(n: u32) -> u32 {
    if n >= 32 { u32::MAX } else { (1 << n) - 1 }
}

/// Least and greatest value of an integer type.
fn limits(t: Type) -> (i64, i64) {
    match t {
        Type::S8 => (-0x80, 0x7f),
        Type::U8 => (0, 0xff),
        Type::S16 => (-0x8000, 0x7fff),
        Type::U16 => (0, 0xffff),
        Type::S32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (0, i64::from(u32::MAX)),
    }
}

#[cold]
fn unknown(message: &str) -> Trap {
    unsupported(message)
}
