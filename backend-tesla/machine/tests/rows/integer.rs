//! Integer arithmetic, moves and selects.

use super::*;

pub fn sext(v: u32, bits: u32) -> i128 {
    let v = i128::from(v) & ((1 << bits) - 1);
    if v >> (bits - 1) & 1 == 1 { v - (1 << bits) } else { v }
}

pub fn zs(v: u32, bits: u32) -> u8 {
    u8::from(v == 0) + 2 * u8::from(v >> (bits - 1) & 1 == 1)
}

/// Seed, "Integer ADD family".
pub fn ref_add(op: usize, a: u32, b: u32, carry: bool, sat: bool, bits: u32) -> (u32, u8) {
    let m = (1_i128 << bits) - 1;
    let (a, b) = (i128::from(a) & m, i128::from(b) & m);
    let (s1, s2, c) = [(a, b, 0), (a, !b & m, 1), (!a & m, b, 1), (a, b, i128::from(carry))][op];
    let sum = s1 + s2 + c;
    let exact = sext(s1 as u32, bits) + sext(s2 as u32, bits) + c;
    let mut res = (sum & m) as u32;
    let overflow = exact != sext(res, bits);
    if sat && overflow {
        res = (if exact > 0 { m >> 1 } else { (m >> 1) + 1 }) as u32;
    }
    (res, zs(res, bits) | u8::from(sum > m) << 2 | u8::from(overflow) << 3)
}

pub fn shl(a: u32, n: u32, bits: u32) -> (u32, u8) {
    let m = ((1_u64 << bits) - 1) as u32;
    let r = if n >= bits { 0 } else { a << n & m };
    let c = n > 0 && n < bits && a >> (bits - n) & 1 == 1;
    (r, zs(r, bits) | u8::from(c) << 2 | u8::from(n == 1 && (a ^ r) >> (bits - 1) & 1 == 1) << 3)
}

pub fn shr(a: u32, n: u32, bits: u32, signed: bool) -> (u32, u8) {
    let m = (1_i128 << bits) - 1;
    let v = if signed { sext(a, bits) } else { i128::from(a) & m };
    let r = ((v >> n.min(100)) & m) as u32;
    let c = n > 0 && n < bits && a >> (n - 1) & 1 == 1;
    (
        r,
        zs(r, bits)
            | u8::from(c) << 2
            | u8::from(n == 1 && (i128::from(a) ^ i128::from(r)) >> (bits - 1) & 1 == 1) << 3,
    )
}

pub fn lo(v: u32) -> u32 {
    v & 0xffff
}

pub fn hi(v: u32) -> u32 {
    v >> 16
}

pub fn mul24(a: u32, b: u32, signed: bool, high: bool) -> u32 {
    let f = |v| if signed { sext(v, 24) } else { i128::from(v & 0xff_ffff) };
    ((f(a) * f(b)) >> if high { 16 } else { 0 }) as u32
}

pub fn mul16(a: u32, b: u32, s1: bool, s2: bool) -> u32 {
    let f = |v: u32, s| if s { sext(v, 16) } else { i128::from(v & 0xffff) };
    (f(a, s1) * f(b, s2)) as u32
}

pub fn integer_cases(t: &mut Cases) {
    for (op, name) in ["add", "sub", "subr", "addc"].into_iter().enumerate() {
        let tail = if op == 3 { " $c0" } else { "" };
        for sat in [false, true] {
            let s = if sat { "sat " } else { "" };
            t.short(format!("{name} {s}b32 $r12 $r1 $r2{tail}"), move |i| {
                exf(ref_add(op, i.r[1], i.r[2], i.c0 & 4 != 0, sat, 32))
            });
            t.short(format!("{name} {s}b16 $r12l $r1l $r2h{tail}"), move |i| {
                half(i, ref_add(op, lo(i.r[1]), hi(i.r[2]), i.c0 & 4 != 0, sat, 16))
            });
            t.short(format!("{name} {s}b32 $r12 $r1 0x80000001{tail}"), move |i| {
                exf(ref_add(op, i.r[1], 0x8000_0001, i.c0 & 4 != 0, sat, 32))
            });
            t.short(format!("{name} {s}b16 $r12l $r1l 0xabcd7fff{tail}"), move |i| {
                half(i, ref_add(op, lo(i.r[1]), 0x7fff, i.c0 & 4 != 0, sat, 16))
            });
            t.long(format!("{name} b32 {s}$c1 $r12 $r1 $r2{tail}"), move |i| {
                exf(ref_add(op, i.r[1], i.r[2], i.c0 & 4 != 0, sat, 32))
            });
            t.long(format!("{name} b16 {s}$c1 $r12l $r1l $r2h{tail}"), move |i| {
                half(i, ref_add(op, lo(i.r[1]), hi(i.r[2]), i.c0 & 4 != 0, sat, 16))
            });
        }
    }
    for (bits, signed, name) in [(16, false, "u16"), (16, true, "s16"), (32, false, "u32"), (32, true, "s32")] {
        let value = move |v: u32| if signed { sext(v, bits) } else { i128::from(v) & ((1 << bits) - 1) };
        let (d, a, b) = if bits == 16 { ("$r12l", "$r1h", "$r2l") } else { ("$r12", "$r1", "$r2") };
        let get = move |i: &In| if bits == 16 { (hi(i.r[1]), lo(i.r[2])) } else { (i.r[1], i.r[2]) };
        let put = move |i: &In, v: u32, f: u8| if bits == 16 { half(i, (v, f)) } else { exf((v, f)) };
        for (n, cond) in ["never", "l", "e", "le", "g", "lg", "ge", "always"].into_iter().enumerate() {
            t.long(format!("set $c1 {d} {cond} {name} {a} {b}"), move |i| {
                let (x, y) = get(i);
                let which = match value(x).cmp(&value(y)) {
                    std::cmp::Ordering::Less => 1,
                    std::cmp::Ordering::Equal => 2,
                    std::cmp::Ordering::Greater => 4,
                };
                if n & which != 0 { put(i, !0, 2) } else { put(i, 0, 1) }
            });
        }
        for max in [true, false] {
            t.long(format!("{} {name} $c1 {d} {a} {b}", if max { "max" } else { "min" }), move |i| {
                let (x, y) = get(i);
                let r = if (value(x) > value(y)) == max { x } else { y };
                put(i, r, zs(r, bits))
            });
        }
        let counts = [0, 1, 5, bits - 1, bits, bits + 1, 0x7f];
        t.long(format!("shr {name} $c1 {d} {a} {b}"), move |i| {
            let (x, y) = get(i);
            let (r, f) = shr(x, y, bits, signed);
            put(i, r, f)
        });
        for n in counts {
            t.long(format!("shr {name} $c1 {d} {a} {n:#x}"), move |i| {
                let (r, f) = shr(get(i).0, n, bits, signed);
                put(i, r, f)
            });
        }
        if !signed {
            t.long(format!("shl b{bits} $c1 {d} {a} {b}"), move |i| {
                let (x, y) = get(i);
                let (r, f) = shl(x, y, bits);
                put(i, r, f)
            });
            for n in counts {
                t.long(format!("shl b{bits} $c1 {d} {a} {n:#x}"), move |i| {
                    let (r, f) = shl(get(i).0, n, bits);
                    put(i, r, f)
                });
            }
            // Logic.
            let ops: [(&str, fn(u32, u32) -> u32); 4] =
                [("and", |a, b| a & b), ("or", |a, b| a | b), ("xor", |a, b| a ^ b), ("mov2", |_, b| b)];
            for (op, f) in ops {
                for (n1, n2) in [(false, false), (true, false), (false, true), (true, true)] {
                    let not = |n: bool| if n { "not " } else { "" };
                    t.long(format!("{op} b{bits} $c1 {d} {}{a} {}{b}", not(n1), not(n2)), move |i| {
                        let (x, y) = get(i);
                        let r = f(if n1 { !x } else { x }, if n2 { !y } else { y });
                        let r = if bits == 16 { lo(r) } else { r };
                        put(i, r, zs(r, bits))
                    });
                    if bits == 32 && !n2 {
                        t.short(format!("{op} b32 $r12 {}$r1 0xf0f01234", not(n1)), move |i| {
                            exp(f(if n1 { !i.r[1] } else { i.r[1] }, 0xf0f0_1234))
                        });
                    }
                }
            }
        }
        // sad: 32-bit sum, also of 16-bit sources (reference section 0, point 4).
        let sad = move |i: &In, c: u32| {
            let (x, y) = get(i);
            ref_add(0, (value(x) - value(y)).unsigned_abs() as u32, c, false, false, 32)
        };
        t.long(format!("sad $c1 $r12 {name} {a} {b} $r3"), move |i| exf(sad(i, i.r[3])));
        t.short(format!("sad $r12 {name} {a} {b} $r12"), move |i| exf(sad(i, i.r[6])));
    }
    for s1 in [false, true] {
        for s2 in [false, true] {
            let n = |s: bool| if s { "s16" } else { "u16" };
            t.short(format!("mul $r12 {} $r1h {} $r2l", n(s1), n(s2)), move |i| {
                exp(mul16(hi(i.r[1]), lo(i.r[2]), s1, s2))
            });
            t.short(format!("mul $r12 {} $r1h {} 0x1234fedc", n(s1), n(s2)), move |i| {
                exp(mul16(hi(i.r[1]), 0xfedc, s1, s2))
            });
            t.long(format!("mul $c1 $r12 {} $r1h {} $r2l", n(s1), n(s2)), move |i| {
                let r = mul16(hi(i.r[1]), lo(i.r[2]), s1, s2);
                exf((r, zs(r, 32)))
            });
            // s1: signed, s2: high half.
            let m = format!("{}{}", if s2 { "high " } else { "" }, if s1 { "s24" } else { "u24" });
            t.short(format!("mul $r12 {m} $r1 $r2"), move |i| exp(mul24(i.r[1], i.r[2], s1, s2)));
            t.short(format!("mul $r12 {m} $r1 0x00fedcba"), move |i| exp(mul24(i.r[1], 0xfe_dcba, s1, s2)));
            t.long(format!("mul $c1 $r12 {m} $r1 $r2"), move |i| {
                let r = mul24(i.r[1], i.r[2], s1, s2);
                exf((r, zs(r, 32)))
            });
        }
    }
    for (op, name) in ["add", "sub", "subr", "addc"].into_iter().enumerate() {
        let cin = if op == 3 { " $c0" } else { "" };
        let kinds: [(&str, &str, bool, fn(&In, u32) -> u32); 9] = [
            ("", "u16", false, |i, b| mul16(hi(i.r[1]), b, false, false)),
            ("", "s16", false, |i, b| mul16(hi(i.r[1]), b, true, true)),
            ("sat ", "s16", true, |i, b| mul16(hi(i.r[1]), b, true, true)),
            ("", "u24", false, |i, b| mul24(i.r[1], b, false, false)),
            ("", "s24", false, |i, b| mul24(i.r[1], b, true, false)),
            ("sat ", "s24", true, |i, b| mul24(i.r[1], b, true, false)),
            ("", "high u24", false, |i, b| mul24(i.r[1], b, false, true)),
            ("", "high s24", false, |i, b| mul24(i.r[1], b, true, true)),
            ("sat ", "high s24", true, |i, b| mul24(i.r[1], b, true, true)),
        ];
        for (n, (s, ty, sat, f)) in kinds.into_iter().enumerate() {
            let halves = n < 3;
            let (a, b) = if halves { ("$r1h", "$r2l") } else { ("$r1", "$r2") };
            let second = move |i: &In| if halves { lo(i.r[2]) } else { i.r[2] };
            t.long(format!("{name} {s}$c1 $r12 (mul {ty} {a} {b}) $r3{cin}"), move |i| {
                exf(ref_add(op, f(i, second(i)), i.r[3], i.c0 & 4 != 0, sat, 32))
            });
            if n < 4 {
                t.short(format!("{name} {s}$r12 (mul {ty} {a} {b}) $r12{cin}"), move |i| {
                    exf(ref_add(op, f(i, second(i)), i.r[6], i.c0 & 4 != 0, sat, 32))
                });
                t.short(format!("{name} {s}$r12 (mul {ty} {a} 0x8123) $r12{cin}"), move |i| {
                    exf(ref_add(op, f(i, 0x8123), i.r[6], i.c0 & 4 != 0, sat, 32))
                });
            }
        }
    }
}

pub fn move_cases(t: &mut Cases) {
    t.short("mov b32 $r12 $r1", |i| exp(i.r[1]));
    t.short("mov sfu b32 $r12 $r1", |i| exp(i.r[1]));
    t.short("mov b16 $r12h $r1l", |i| exp(i.r[6] & 0xffff | lo(i.r[1]) << 16));
    t.short("mov b32 $r12 0x12345678", |_| exp(0x1234_5678));
    t.short("mov b16 $r12l 0x12345678", |i| half(i, (0x5678, 0)));
    t.long("mov b32 $r12 $r1", |i| exp(i.r[1]));
    t.long("mov b16 $r12l $r1h", |i| half(i, (hi(i.r[1]), 0)));
    t.long("mov $r12 $c0", |i| exp(u32::from(i.c0)));
    t.long("mov $c1 $r1", |i| Exp { dst: vec![i.r[6]], flags: Some((i.r[1] & 0xf) as u8) });
    t.long("(ns $c0) mov b32 $r12 $r1", |i| exp(if i.c0 & 2 == 0 { i.r[1] } else { i.r[6] }));
    t.long("(never) mov b32 $r12 $r1", |i| exp(i.r[6]));
    t.long("slct b32 $c1 $r12 $r1 $r2 f32 $r3", |i| slct(i, i.r[3]));
    t.long("slct b32 $c1 $r12 $r1 $r2 f32 neg $r3", |i| slct(i, i.r[3] ^ 1 << 31));
    t.long("nop", |i| exp(i.r[6]));
    t.long("pmevent 0x3", |i| exp(i.r[6]));
    t.short("brkpt", |i| exp(i.r[6]));
    t.long("brkpt", |i| exp(i.r[6]));
}

/// Seed, "slct"; 7.2 for the flags, and for denormals: the first source, whatever their sign.
pub fn slct(i: &In, c: u32) -> Exp {
    let x = f32::from_bits(c);
    let r = if x >= 0.0 || x.is_subnormal() { i.r[1] } else { i.r[2] };
    exf((r, u8::from(r & 0x7fff_ffff == 0) + 2 * u8::from(r >> 31 == 1)))
}
