//! Synchronous arithmetic: dispatch, integers, selects, cross-lane (sections 12.2 and 12.3 of the reference).

use gpucc_isa::fail_if;
use gpucc_num::convert;
use gpucc_sim::trap::{Trap, unsupported};

use super::decode::{DInst, Value, half_bytes};
use super::float;
use super::subgroup::{LANES, V32, V64, Warp};
use crate::Op;

/// Applies `f` to each lane of 16 bits.
pub(super) fn halves1(a: u32, f: impl Fn(u16) -> u16) -> u32 {
    u32::from(f(a as u16)) | u32::from(f((a >> 16) as u16)) << 16
}

/// The same for two operands.
pub(super) fn halves2(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

/// The same for three operands.
pub(super) fn halves3(a: u32, b: u32, c: u32, f: impl Fn(u16, u16, u16) -> u16) -> u32 {
    let hi = |x: u32| (x >> 16) as u16;
    u32::from(f(a as u16, b as u16, c as u16)) | u32::from(f(hi(a), hi(b), hi(c))) << 16
}

/// Applies `f` to each lane of 8 bits.
fn bytes3(a: u32, b: u32, c: u32, f: impl Fn(u8, u8, u8) -> u8) -> u32 {
    let (a, b, c) = (a.to_le_bytes(), b.to_le_bytes(), c.to_le_bytes());
    u32::from_le_bytes(core::array::from_fn(|i| f(a[i], b[i], c[i])))
}

fn bytes2(a: u32, b: u32, f: impl Fn(u8, u8) -> u8) -> u32 {
    bytes3(a, b, 0, |a, b, _| f(a, b))
}

/// Lane by lane, width given in bits: one function serves 8, 16 and 32 bits.
fn lanes2(width: u32, a: u32, b: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    match width {
        8 => bytes2(a, b, |a, b| f(u32::from(a), u32::from(b)) as u8),
        16 => halves2(a, b, |a, b| f(u32::from(a), u32::from(b)) as u16),
        _ => f(a, b),
    }
}

fn lanes3(width: u32, a: u32, b: u32, c: u32, f: impl Fn(u32, u32, u32) -> u32) -> u32 {
    match width {
        8 => bytes3(a, b, c, |a, b, c| f(u32::from(a), u32::from(b), u32::from(c)) as u8),
        16 => halves3(a, b, c, |a, b, c| f(u32::from(a), u32::from(b), u32::from(c)) as u16),
        _ => f(a, b, c),
    }
}

/// Value of the low `width` bits, sign-extended.
fn sext(x: u32, width: u32) -> i64 {
    i64::from((x << (32 - width)) as i32 >> (32 - width))
}

fn limits(width: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1) } else { (0, (1i128 << width) - 1) }
}

/// Integer operation on exact values, wrapped or saturated to the lane.
fn exact2(width: u32, signed: bool, saturate: bool, a: u32, b: u32, f: impl Fn(i64, i64) -> i64) -> u32 {
    lanes2(width, a, b, |a, b| {
        let (a, b) = if signed { (sext(a, width), sext(b, width)) } else { (i64::from(a), i64::from(b)) };
        let r = f(a, b);
        if saturate {
            let (low, high) = limits(width, signed);
            i128::from(r).clamp(low, high) as u32
        } else {
            r as u32
        }
    })
}

/// The same for 64 bits.
fn exact64(signed: bool, saturate: bool, a: u64, b: u64, f: impl Fn(i128, i128) -> i128) -> u64 {
    let (a, b) = if signed { (i128::from(a as i64), i128::from(b as i64)) } else { (i128::from(a), i128::from(b)) };
    let r = f(a, b);
    if saturate {
        let (low, high) = limits(64, signed);
        r.clamp(low, high) as u64
    } else {
        r as u64
    }
}

/// Integer comparison by condition code.
fn compare<T: PartialOrd>(cmp: u8, a: T, b: T) -> bool {
    match cmp {
        0 => a == b,
        1 => a > b,
        2 => a >= b,
        3 | 6 => a != b,
        4 => a < b,
        5 => a <= b,
        _ => true,
    }
}

fn compare_lane(cmp: u8, width: u32, signed: bool, a: u32, b: u32) -> bool {
    if signed { compare(cmp, sext(a, width), sext(b, width)) } else { compare(cmp, a, b) }
}

/// How a comparison says true in a lane.
pub(super) fn truth(result: u8, width: u32, v: bool) -> u32 {
    if !v {
        return 0;
    }
    match result {
        // i1 and u1; the reference leaves the value of u1 open, and a reader only asks whether it is zero.
        0 | 3 => 1,
        1 if width == 16 => 0x3C00,
        1 => 0x3F80_0000,
        _ => u32::MAX >> (32 - width),
    }
}

/// The result of a comparison of 32 bits with its third operand, which counts as true where it is not 0.
pub(super) fn joined(result: u8, and: bool) -> impl Fn(bool, u32) -> u32 {
    let yes = truth(result, 32, true);
    move |v, c| if (v & and & (c != 0)) | (!and & (v | (c != 0))) { yes } else { 0 }
}

pub(super) fn out(w: &mut Warp, d: &DInst, v: &V32) -> Result<(), Trap> {
    w.write(d.dst, half_bytes(d.dst_mask), v)
}

fn out64(w: &mut Warp, d: &DInst, v: &V64) -> Result<(), Trap> {
    w.write(d.dst, 0xF, &v.map(|x| x as u32))?;
    w.write(d.dst + 1, 0xF, &v.map(|x| (x >> 32) as u32))
}

pub(super) fn map1(w: &mut Warp, d: &DInst, f: impl Fn(u32) -> u32) -> Result<(), Trap> {
    let mut v = w.src32(d, 0);
    w.kill_last_uses(d)?;
    for x in &mut v {
        *x = f(*x);
    }
    out(w, d, &v)
}

pub(super) fn map2(w: &mut Warp, d: &DInst, f: impl Fn(u32, u32) -> u32) -> Result<(), Trap> {
    let (mut v, b) = (w.src32(d, 0), w.src32(d, 1));
    w.kill_last_uses(d)?;
    for (l, x) in v.iter_mut().enumerate() {
        *x = f(*x, b[l]);
    }
    out(w, d, &v)
}

pub(super) fn map3(w: &mut Warp, d: &DInst, f: impl Fn(u32, u32, u32) -> u32) -> Result<(), Trap> {
    let (mut v, b, c) = (w.src32(d, 0), w.src32(d, 1), w.src32(d, 2));
    w.kill_last_uses(d)?;
    for (l, x) in v.iter_mut().enumerate() {
        *x = f(*x, b[l], c[l]);
    }
    out(w, d, &v)
}

pub(super) fn map4(w: &mut Warp, d: &DInst, f: impl Fn(u32, u32, u32, u32) -> u32) -> Result<(), Trap> {
    let (mut v, b, c, e) = (w.src32(d, 0), w.src32(d, 1), w.src32(d, 2), w.src32(d, 3));
    w.kill_last_uses(d)?;
    for (l, x) in v.iter_mut().enumerate() {
        *x = f(*x, b[l], c[l], e[l]);
    }
    out(w, d, &v)
}

fn wide2(w: &mut Warp, d: &DInst, f: impl Fn(u64, u64) -> u64) -> Result<(), Trap> {
    let (a, b) = (w.src64(d, 0), w.src64(d, 1));
    w.kill_last_uses(d)?;
    out64(w, d, &core::array::from_fn(|l| f(a[l], b[l])))
}

/// Shift, then logic with the third operand.
fn shift_logic(w: &mut Warp, d: &DInst, width: u32, left: bool, f: impl Fn(u64, u64) -> u64) -> Result<(), Trap> {
    let inverted = if d.flag { !0u64 } else { 0 };
    let shift = |a: u64, s: u32, width: u32| -> u64 {
        let s = s % width;
        match (left, d.signed) {
            (true, _) => a << s,
            (false, false) => a >> s,
            (false, true) => ((a << (64 - width)) as i64 >> (64 - width) >> s) as u64,
        }
    };
    if width == 64 {
        let (a, s, b) = (w.src64(d, 0), w.src32(d, 1), w.src64(d, 2));
        w.kill_last_uses(d)?;
        return out64(w, d, &core::array::from_fn(|l| f(shift(a[l], s[l], 64), b[l]) ^ inverted));
    }
    if width == 32 {
        let f = |a: u32, b: u32| (f(a.into(), b.into()) ^ inverted) as u32;
        return match (left, d.signed) {
            (true, _) => map3(w, d, |a, s, b| f(a << (s & 31), b)),
            (false, false) => map3(w, d, |a, s, b| f(a >> (s & 31), b)),
            (false, true) => map3(w, d, |a, s, b| f((a as i32 >> (s & 31)) as u32, b)),
        };
    }
    map3(w, d, |a, s, b| lanes2(width, a, b, |a, b| (f(shift(u64::from(a), s, width), u64::from(b)) ^ inverted) as u32))
}

/// An expression for one of the comparisons of 32 bits, which the lanes then do not look up each.
macro_rules! by_int_comparison {
    ($cmp:expr, $signed:expr, |$holds:ident| $body:expr) => {{
        // The order of signed numbers is that of unsigned ones with the other sign bit.
        let flip: u32 = if $signed { 1 << 31 } else { 0 };
        macro_rules! arm {
            ($f:expr) => {{
                let $holds = |a: u32, b: u32| $f(a ^ flip, b ^ flip);
                $body
            }};
        }
        match $cmp {
            0 => arm!(|a, b| a == b),
            1 => arm!(|a, b| a > b),
            2 => arm!(|a, b| a >= b),
            3 | 6 => arm!(|a, b| a != b),
            4 => arm!(|a, b| a < b),
            5 => arm!(|a, b| a <= b),
            _ => arm!(|_: u32, _: u32| true),
        }
    }};
}

fn csel_int(w: &mut Warp, d: &DInst, width: u32, signed: bool) -> Result<(), Trap> {
    let cmp = d.cmp;
    if width == 32 {
        return by_int_comparison!(cmp, signed, |holds| map4(w, d, |a, b, x, y| if holds(a, b) { x } else { y }));
    }
    map4(w, d, |a, b, x, y| {
        let m = halves2(a, b, |a, b| if compare_lane(cmp, 16, signed, a.into(), b.into()) { 0xFFFF } else { 0 });
        x & m | y & !m
    })
}

fn icmp(w: &mut Warp, d: &DInst, width: u32, signed: bool, and: bool) -> Result<(), Trap> {
    let (cmp, result) = (d.cmp, d.result);
    fail_if!(width == 8 && result == 1, unsupported("a float result in 8-bit lanes has no meaning"));
    if width == 32 {
        let value = joined(result, and);
        return by_int_comparison!(cmp, signed, |holds| map3(w, d, |a, b, c| value(holds(a, b), c)));
    }
    map3(w, d, |a, b, c| {
        lanes3(width, a, b, c, |a, b, c| {
            let v = compare_lane(cmp, width, signed, a, b);
            truth(result, width, if and { v && c != 0 } else { v || c != 0 })
        })
    })
}

/// One word of a chained comparison, by the reference's model.
fn icmp_multi(w: &mut Warp, d: &DInst, signed: bool) -> Result<(), Trap> {
    let (cmp, result) = (d.cmp, d.result);
    map3(w, d, |a, b, c| {
        let lower = c != 0;
        let here = |cmp| compare_lane(cmp, 32, signed, a, b);
        let v = match cmp {
            _ if result == 3 => here(cmp),
            0 => here(0) && lower,
            3 | 6 => here(3) || lower,
            1 | 2 => here(1) || (a == b && lower),
            4 | 5 => here(4) || (a == b && lower),
            _ => true,
        };
        truth(result, 32, v)
    })
}

fn mux(w: &mut Warp, d: &DInst, width: u32) -> Result<(), Trap> {
    let mode = d.mux;
    if width == 32 {
        return match mode {
            0 => map3(w, d, |a, b, m| if m >> 31 != 0 { a } else { b }),
            1 => map3(w, d, |a, b, m| if m == 0 { a } else { b }),
            2 => map3(w, d, |a, b, m| if m << 1 == 0 { a } else { b }),
            _ => map3(w, d, |a, b, m| a & m | b & !m),
        };
    }
    map3(w, d, |a, b, m| {
        lanes3(width, a, b, m, |a, b, m| match mode {
            0 if m >> (width - 1) & 1 != 0 => a,
            0 => b,
            1 if m == 0 => a,
            1 => b,
            2 if m & (u32::MAX >> (33 - width)) == 0 => a,
            2 => b,
            _ => a & m | b & !m,
        })
    })
}

fn hadd(w: &mut Warp, d: &DInst, width: u32) -> Result<(), Trap> {
    let (signed, up) = (d.signed, i64::from(d.flag));
    map2(w, d, |a, b| exact2(width, signed, false, a, b, |a, b| (a + b + up) >> 1))
}

fn arith(w: &mut Warp, d: &DInst, width: u32, f: impl Fn(i64, i64) -> i64) -> Result<(), Trap> {
    let (signed, saturate) = (d.signed, d.flag);
    map2(w, d, |a, b| exact2(width, signed, saturate, a, b, &f))
}

fn dot(w: &mut Warp, d: &DInst, signed: bool) -> Result<(), Trap> {
    let saturate = d.flag;
    map3(w, d, |a, b, c| {
        let product = |i: u32| -> i64 {
            let (x, y) = (a >> (8 * i) & 0xFF, b >> (8 * i) & 0xFF);
            if signed { sext(x, 8) * sext(y, 8) } else { i64::from(x) * i64::from(y) }
        };
        let c = if signed { i64::from(c as i32) } else { i64::from(c) };
        let sum = c + (0..4).map(product).sum::<i64>();
        if saturate {
            let (low, high) = limits(32, signed);
            i128::from(sum).clamp(low, high) as u32
        } else {
            sum as u32
        }
    })
}

fn unknown(what: &str) -> Result<(), Trap> {
    Err(unsupported(format!("{what}: the reference does not say what it does")))
}

/// The result of CLPER for a lane that is not active (enumeration "inactive result" of the seed).
#[rustfmt::skip]
const INACTIVE: [u32; 16] = [
    0x0000_0000, 0xFFFF_FFFF, 0x0000_0001, 0x0001_0001, 0x8000_0000, 0x7FFF_FFFF, 0x8000_8000, 0x7FFF_7FFF,
    0x8080_8080, 0x7F7F_7F7F, 0x3F80_0000, 0x3C00_3C00, 0xFF80_0000, 0x7F80_0000, 0xFC00_FC00, 0x7C00_7C00,
];

fn clper(w: &mut Warp, d: &DInst) -> Result<(), Trap> {
    w.check_source(&d.src[1])?;
    let size = 2usize << d.subgroup;
    let lane = w.src32(d, 1);
    let mut from = [0usize; LANES];
    let mut read = 0u16;
    for l in 0..LANES {
        if w.active >> l & 1 == 0 {
            continue;
        }
        let byte = lane[l] as usize;
        let own = l % size;
        let other = match d.lane_op {
            0 => byte % size,
            1 => (own ^ byte) % size,
            _ => return unknown("CLPER.accumulate and CLPER.shift"),
        };
        from[l] = l - own + other;
        if w.active >> from[l] & 1 != 0 {
            read |= 1 << from[l];
        }
    }
    let missing = INACTIVE[usize::from(d.inactive)];
    let pick = |v: &V32, w: &Warp| -> V32 {
        core::array::from_fn(|l| if w.active >> from[l] & 1 != 0 { v[from[l]] } else { missing })
    };
    if let Value::Reg(r) = d.src[0].value {
        w.check(r, d.src[0].need & 0xF, read)?;
        if d.src[0].wide {
            w.check(r + 1, 0xF, read)?;
        }
    } else {
        w.check_source(&d.src[0])?;
    }
    if d.src[0].wide {
        let a = w.src64(d, 0);
        let (lo, hi) = (pick(&a.map(|x| x as u32), w), pick(&a.map(|x| (x >> 32) as u32), w));
        w.kill_last_uses(d)?;
        return out64(w, d, &core::array::from_fn(|l| u64::from(hi[l]) << 32 | u64::from(lo[l])));
    }
    let v = pick(&w.src32(d, 0), w);
    w.kill_last_uses(d)?;
    out(w, d, &v)
}

fn wmask(w: &mut Warp, d: &DInst) -> Result<(), Trap> {
    let size = 2usize << d.subgroup;
    let v = w.src32(d, 0);
    let mask = (0..LANES).filter(|&l| w.active >> l & 1 != 0 && v[l] != 0).fold(0u32, |m, l| m | 1 << l);
    w.kill_last_uses(d)?;
    let of = |l: usize| mask & (((1u32 << size) - 1) << (l - l % size));
    out(w, d, &core::array::from_fn(of))
}

/// A copy takes undefined bytes along instead of trapping: register allocation moves values of which only a half is meant.
fn copy(w: &mut Warp, d: &DInst) -> Result<(), Trap> {
    let lost = match d.src[0].value {
        Value::Reg(r) => {
            w.check_arrived(r, w.active)?;
            w.undefined_bytes(r)
        }
        _ => {
            w.check_source(&d.src[0])?;
            [0; 4]
        }
    };
    let v = w.src32(d, 0);
    w.kill_last_uses(d)?;
    out(w, d, &v)?;
    w.undefine(d.dst, lost);
    Ok(())
}

/// Executes one arithmetic instruction.
pub(super) fn execute(w: &mut Warp, d: &DInst, salt: u64) -> Result<(), Trap> {
    use Op::*;
    match d.op {
        MovI32 => return copy(w, d),
        ClperI32 | ClperV2u16 | ClperV4u8 | ClperS32 | ClperV2s16 | ClperV4s8 | ClperU64 | ClperS64 => {
            return clper(w, d);
        }
        _ => {}
    }
    if let Some(needs) = &d.halves {
        // An undefined half stays there: only a read of that half is a use.
        let mut lost = [0; 2];
        for (s, need) in d.src.iter().zip(needs) {
            for (h, need) in need.iter().enumerate() {
                lost[h] |= w.undefined_in(s, *need)?;
            }
        }
        operate(w, d, salt)?;
        if lost != [0; 2] {
            w.undefine(d.dst, [lost[0], lost[0], lost[1], lost[1]]);
        }
        return Ok(());
    }
    for s in &d.src {
        w.check_source(s)?;
    }
    operate(w, d, salt)
}

/// Executes an operation whose sources are checked.
fn operate(w: &mut Warp, d: &DInst, salt: u64) -> Result<(), Trap> {
    use Op::*;
    match d.op {
        CselU32 => csel_int(w, d, 32, false),
        CselS32 => csel_int(w, d, 32, true),
        CselV2u16 => csel_int(w, d, 16, false),
        CselV2s16 => csel_int(w, d, 16, true),

        S16ToS32 => map1(w, d, |a| sext(a & 0xFFFF, 16) as u32),
        U16ToU32 => map1(w, d, |a| a & 0xFFFF),
        // The lane select has extended the byte already.
        S8ToS32 | U8ToU32 => map1(w, d, |a| a),
        V2s8ToV2s16 | V2u8ToV2u16 => map1(w, d, |a| a),

        ClzU32 => map1(w, d, u32::leading_zeros),
        ClzV2u16 => map1(w, d, |a| halves1(a, |x| x.leading_zeros() as u16)),
        ClzV4u8 => map1(w, d, |a| bytes2(a, 0, |x, _| x.leading_zeros() as u8)),
        IabsS32 => map1(w, d, |a| (a as i32).wrapping_abs() as u32),
        IabsV2s16 => map1(w, d, |a| halves1(a, |x| (x as i16).wrapping_abs() as u16)),
        IabsV4s8 => map1(w, d, |a| bytes2(a, 0, |x, _| (x as i8).wrapping_abs() as u8)),
        PopcountI32 => map1(w, d, u32::count_ones),
        BitrevI32 => map1(w, d, u32::reverse_bits),
        NotOldI32 => map1(w, d, |a| !a),
        NotOldI64 => {
            let v = w.src64(d, 0).map(|a| !a);
            w.kill_last_uses(d)?;
            out64(w, d, &v)
        }
        Wmask => wmask(w, d),

        IaddU32 | IaddS32 if !d.flag => map2(w, d, u32::wrapping_add),
        IsubU32 | IsubS32 if !d.flag => map2(w, d, u32::wrapping_sub),
        IaddU32 | IaddS32 => arith(w, d, 32, |a, b| a + b),
        IaddV2u16 | IaddV2s16 => arith(w, d, 16, |a, b| a + b),
        IaddV4u8 | IaddV4s8 => arith(w, d, 8, |a, b| a + b),
        IsubU32 | IsubS32 => arith(w, d, 32, |a, b| a - b),
        IsubV2u16 | IsubV2s16 => arith(w, d, 16, |a, b| a - b),
        IsubV4u8 | IsubV4s8 => arith(w, d, 8, |a, b| a - b),
        ImulI32 | ImulS32 if !d.flag => map2(w, d, u32::wrapping_mul),
        ImulI32 => map2(w, d, u32::saturating_mul),
        ImulS32 => arith(w, d, 32, |a, b| a * b),
        ImulV2i16 | ImulV2s16 => arith(w, d, 16, |a, b| a * b),
        ImulV4i8 | ImulV4s8 => arith(w, d, 8, |a, b| a * b),
        HaddU32 | HaddS32 => hadd(w, d, 32),
        HaddV2u16 | HaddV2s16 => hadd(w, d, 16),
        HaddV4u8 | HaddV4s8 => hadd(w, d, 8),
        IaddU64 | IaddS64 => {
            let (signed, saturate) = (d.signed, d.flag);
            if !saturate {
                return wide2(w, d, u64::wrapping_add);
            }
            wide2(w, d, |a, b| exact64(signed, saturate, a, b, |a, b| a + b))
        }
        IsubU64 | IsubS64 => {
            let (signed, saturate) = (d.signed, d.flag);
            wide2(w, d, |a, b| exact64(signed, saturate, a, b, |a, b| a - b))
        }
        SegAddU64 => {
            if d.preserve_null {
                return unknown("SEG_ADD.preserve_null");
            }
            let neg = d.seg_neg;
            wide2(w, d, |a, b| if neg { a.wrapping_sub(b) } else { a.wrapping_add(b) })
        }
        ShaddxU64 | ShaddxS64 => {
            let shift = d.imm as u32;
            wide2(w, d, |a, b| a.wrapping_add(b << shift))
        }
        ImuldU64 => wide2(w, d, |a, b| (a & 0xFFFF_FFFF) * (b & 0xFFFF_FFFF)),
        MkvecV2i16 => map2(w, d, |a, b| a & 0xFFFF | b << 16),
        MkvecV2i8 => map3(w, d, |a, b, c| a & 0xFF | (b & 0xFF) << 8 | c << 16),
        IaddImmI32 => {
            let c = d.imm as u32;
            map1(w, d, |a| a.wrapping_add(c))
        }
        IaddImmV2i16 => {
            let c = d.imm as u32;
            map1(w, d, |a| halves2(a, c, u16::wrapping_add))
        }
        IaddImmV4i8 => {
            let c = d.imm as u32;
            map1(w, d, |a| bytes2(a, c, u8::wrapping_add))
        }

        LshiftAndI32 => shift_logic(w, d, 32, true, |a, b| a & b),
        LshiftAndV2i16 => shift_logic(w, d, 16, true, |a, b| a & b),
        LshiftAndV4i8 => shift_logic(w, d, 8, true, |a, b| a & b),
        LshiftAndI64 => shift_logic(w, d, 64, true, |a, b| a & b),
        RshiftAndI32 => shift_logic(w, d, 32, false, |a, b| a & b),
        RshiftAndV2i16 => shift_logic(w, d, 16, false, |a, b| a & b),
        RshiftAndV4i8 => shift_logic(w, d, 8, false, |a, b| a & b),
        RshiftAndI64 => shift_logic(w, d, 64, false, |a, b| a & b),
        LshiftOrI32 => shift_logic(w, d, 32, true, |a, b| a | b),
        LshiftOrV2i16 => shift_logic(w, d, 16, true, |a, b| a | b),
        LshiftOrV4i8 => shift_logic(w, d, 8, true, |a, b| a | b),
        LshiftOrI64 => shift_logic(w, d, 64, true, |a, b| a | b),
        RshiftOrI32 => shift_logic(w, d, 32, false, |a, b| a | b),
        RshiftOrV2i16 => shift_logic(w, d, 16, false, |a, b| a | b),
        RshiftOrV4i8 => shift_logic(w, d, 8, false, |a, b| a | b),
        RshiftOrI64 => shift_logic(w, d, 64, false, |a, b| a | b),
        LshiftXorI32 => shift_logic(w, d, 32, true, |a, b| a ^ b),
        LshiftXorV2i16 => shift_logic(w, d, 16, true, |a, b| a ^ b),
        LshiftXorV4i8 => shift_logic(w, d, 8, true, |a, b| a ^ b),
        LshiftXorI64 => shift_logic(w, d, 64, true, |a, b| a ^ b),
        RshiftXorI32 => shift_logic(w, d, 32, false, |a, b| a ^ b),
        RshiftXorV2i16 => shift_logic(w, d, 16, false, |a, b| a ^ b),
        RshiftXorV4i8 => shift_logic(w, d, 8, false, |a, b| a ^ b),
        RshiftXorI64 => shift_logic(w, d, 64, false, |a, b| a ^ b),

        MuxI32 => mux(w, d, 32),
        MuxV2i16 => mux(w, d, 16),
        MuxV4i8 => mux(w, d, 8),
        IdpV4s8 => dot(w, d, true),
        IdpV4u8 => dot(w, d, false),
        IcmpOrU32 => icmp(w, d, 32, false, false),
        IcmpOrV2u16 => icmp(w, d, 16, false, false),
        IcmpOrV4u8 => icmp(w, d, 8, false, false),
        IcmpAndU32 => icmp(w, d, 32, false, true),
        IcmpAndV2u16 => icmp(w, d, 16, false, true),
        IcmpAndV4u8 => icmp(w, d, 8, false, true),
        IcmpOrS32 => icmp(w, d, 32, true, false),
        IcmpOrV2s16 => icmp(w, d, 16, true, false),
        IcmpOrV4s8 => icmp(w, d, 8, true, false),
        IcmpAndS32 => icmp(w, d, 32, true, true),
        IcmpAndV2s16 => icmp(w, d, 16, true, true),
        IcmpAndV4s8 => icmp(w, d, 8, true, true),
        IcmpMultiU32 => icmp_multi(w, d, false),
        IcmpMultiS32 => icmp_multi(w, d, true),

        S16ToF32 => map1(w, d, |a| (f32::from(a as i16)).to_bits()),
        U16ToF32 => map1(w, d, |a| (f32::from(a as u16)).to_bits()),
        S8ToF32 => map1(w, d, |a| (a as i32 as f32).to_bits()),
        U8ToF32 => map1(w, d, |a| (a as f32).to_bits()),
        V2s8ToV2f16 => {
            map1(w, d, |a| halves1(a, |x| convert::i64_to_f16(gpucc_num::Round::Nearest, i64::from(x as i16))))
        }
        V2u8ToV2f16 => map1(w, d, |a| halves1(a, |x| convert::u64_to_f16(gpucc_num::Round::Nearest, x.into()))),

        FatanAssistF32 => unknown("FATAN_ASSIST"),
        FsincosOffsetU6 => unknown("FSINCOS_OFFSET"),
        FpclassF32 | FpclassF16 => unknown("FPCLASS"),
        FlogTableF32 => unknown("FLOG_TABLE"),
        _ => float::execute(w, d, salt),
    }
}
