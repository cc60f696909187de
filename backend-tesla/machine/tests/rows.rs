//! Every row is executed, with results worked out from the ISA reference (sections 7.1 to 7.5 and the seed's pseudocode) by the small
//! functions below, which share nothing with the machine.

mod common;

use gpucc_isa::stage::CS;
use gpucc_sim::SplitMix64;
use gpucc_tesla_machine::{Op, asm_words_line, decode_word, generation, table};

/// Inputs of a lane: `$r1` to `$r6` and flags in `$c0` (also readable through c[] and s[], see `run_case`).
#[derive(Clone, Copy, Debug)]
struct In {
    r: [u32; 8],
    c0: u8,
}

/// What is expected: `$r12` (and up), and `$c1`.
#[derive(Clone, Debug, PartialEq)]
struct Exp {
    dst: Vec<u32>,
    flags: Option<u8>,
}

fn exp(dst: u32) -> Exp {
    Exp { dst: vec![dst], flags: None }
}

fn exf((dst, flags): (u32, u8)) -> Exp {
    Exp { dst: vec![dst], flags: Some(flags) }
}

/// Value in the low half of `$r12`, whose content before was `$r6`.
fn half(i: &In, (v, flags): (u32, u8)) -> Exp {
    Exp { dst: vec![i.r[6] & 0xffff_0000 | v & 0xffff], flags: Some(flags) }
}

fn wide(v: u64) -> Exp {
    Exp { dst: vec![v as u32, (v >> 32) as u32], flags: None }
}

type Check = Box<dyn Fn(&In) -> Exp>;

struct Case {
    text: String,
    long: bool,
    generation: &'static str,
    inputs: Option<fn(&mut SplitMix64) -> u32>,
    /// `$r1` to `$r3` in all lanes.
    fixed: Option<[u32; 3]>,
    check: Check,
}

#[derive(Default)]
struct Cases(Vec<Case>);

impl Cases {
    fn on(
        &mut self,
        generation: &'static str,
        long: bool,
        text: impl Into<String>,
        inputs: Option<fn(&mut SplitMix64) -> u32>,
        check: impl Fn(&In) -> Exp + 'static,
    ) {
        self.0.push(Case { text: text.into(), long, generation, inputs, fixed: None, check: Box::new(check) });
    }
    /// Integer inputs, short or immediate form.
    fn short(&mut self, text: impl Into<String>, check: impl Fn(&In) -> Exp + 'static) {
        self.on("nva3", false, text, None, check);
    }
    /// Given inputs and one expected word, long form.
    fn fixed(&mut self, text: &str, inputs: [u32; 3], want: u32) {
        self.0.push(Case {
            text: text.into(),
            long: true,
            generation: "nva3",
            inputs: None,
            fixed: Some(inputs),
            check: Box::new(move |_| exp(want)),
        });
    }
    fn long(&mut self, text: impl Into<String>, check: impl Fn(&In) -> Exp + 'static) {
        self.on("nva3", true, text, None, check);
    }
    fn float(&mut self, long: bool, text: impl Into<String>, check: impl Fn(&In) -> Exp + 'static) {
        self.on("nva3", long, text, Some(some_float), check);
    }
}

/// Integers at the edges and between.
fn some_int(rng: &mut SplitMix64) -> u32 {
    const EDGES: [u32; 14] =
        [0, 1, 2, 31, 32, 0x7f, 0x80, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xff80_0000];
    match rng.below(3) {
        0 => EDGES[rng.below(EDGES.len() as u64) as usize],
        1 => rng.next_u32() >> rng.below(32),
        _ => rng.next_u32(),
    }
}

/// Floats of moderate size, zeros, infinities, NaN, denormals.
fn some_float(rng: &mut SplitMix64) -> u32 {
    const EDGES: [u32; 12] = [
        0,
        0x8000_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0xffc0_1234,
        1,
        0x8040_0000,
        0x3f00_0000,
        0x4020_0000,
    ];
    match rng.below(3) {
        0 => EDGES[rng.below(EDGES.len() as u64) as usize],
        _ => moderate_float(rng),
    }
}

fn moderate_float(rng: &mut SplitMix64) -> u32 {
    let exponent = 127 - 8 + rng.below(17) as u32;
    rng.next_u32() & 0x807f_ffff | exponent << 23
}

/// Code before and after the instruction under test. `$r1`..`$r6` hold inputs, `$r12` and `$r13` copies of `$r6` and `$r5`, `$c0` the low
/// bits of `$r7`, c1[4*k] and s[0x40+4*k] the input `k` of lane 0 where a test asks for them.
fn program(case: &Case, words: &[u32]) -> Vec<u8> {
    let g = generation(case.generation).unwrap();
    let mut out: Vec<u8> = Vec::new();
    let mut line = |text: &str| {
        let hex = asm_words_line(text, g, CS, true).unwrap_or_else(|e| panic!("{text}: {e}"));
        for w in hex.split(' ') {
            out.extend(u32::from_str_radix(&w[2..], 16).unwrap().to_le_bytes());
        }
    };
    line("and b32 $r9 $r0 0x1f");
    line("shl b32 $r9 $r9 0x2");
    line("mov b32 $r0 $r9");
    for k in 1..8 {
        line(&format!("ld b32 $r{k} g0[$r9]"));
        line("add b32 $r9 $r9 0x80");
    }
    line("mov $c0 $r7");
    line("mov b32 $r12 $r6");
    line("mov b32 $r13 $r5");
    line("mov b32 $r14 $r5");
    line("mov b32 $r15 $r5");
    line("mov b32 $r11 0x0");
    line("mov $c1 $r11");
    line("shl $a1 $r11 0x0");
    // s[0x40 + 4 k] = $rk of the last lane to store, which is lane 31; tests use lane 31's inputs through `shared`.
    for k in 1..5 {
        line(&format!("st b32 s[{:#x}] $r{k}", 0x40 + 4 * k));
    }
    for w in words {
        out.extend(w.to_le_bytes());
    }
    let mut line = |text: &str| {
        let hex = asm_words_line(text, g, CS, true).unwrap_or_else(|e| panic!("{text}: {e}"));
        for w in hex.split(' ') {
            out.extend(u32::from_str_radix(&w[2..], 16).unwrap().to_le_bytes());
        }
    };
    for (at, text) in [(0, "$r12"), (1, "$r13"), (2, "$r14"), (3, "$r15")] {
        line(&format!("st b32 g1[$r0] {text}"));
        if at < 4 {
            line("add b32 $r0 $r0 0x80");
        }
    }
    line("mov $r11 $c1");
    line("st b32 g1[$r0] $r11");
    line("exit nop");
    out
}

/// Runs a case over 32 lanes of inputs and compares. Returns the row.
fn run_case(case: &Case, rng: &mut SplitMix64) -> u16 {
    let g = generation(case.generation).unwrap();
    let hex = asm_words_line(&case.text, g, CS, case.long).unwrap_or_else(|e| panic!("{}: {e}", case.text));
    let mut words: Vec<u32> = hex.split(' ').map(|w| u32::from_str_radix(&w[2..], 16).unwrap()).collect();
    let row = decode_word(&words, g, CS).unwrap_or_else(|e| panic!("{}: {e}", case.text)).row;
    if words.len() == 1 {
        words.push(0x1000_8000 | 11 << 2 | 1 << 9); // mov b32 $r11 $r1: the other half of the pair
    }
    let make = case.inputs.unwrap_or(some_int);
    let mut buffer = vec![0_u32; 7 * 32];
    for v in buffer.iter_mut().take(6 * 32) {
        *v = make(rng);
    }
    for v in buffer.iter_mut().skip(6 * 32) {
        *v = rng.next_u32() & 0xf;
    }
    for (k, v) in case.fixed.iter().flatten().enumerate() {
        buffer[k * 32..(k + 1) * 32].fill(*v);
    }
    let c = common::container(case.generation, program(case, &words), [32, 1, 1], 2);
    let (out, _) = common::play_container(&c, [1, 1, 1], &[&buffer, &[0; 5 * 32]], None)
        .unwrap_or_else(|t| panic!("{}: {t}", case.text));
    for lane in 0..32 {
        let mut r = [0; 8];
        for (k, v) in r.iter_mut().enumerate().skip(1) {
            *v = buffer[(k - 1) * 32 + lane];
        }
        let i = In { r, c0: (r[7] & 0xf) as u8 };
        let want = (case.check)(&i);
        let got: Vec<u32> = (0..want.dst.len()).map(|k| out[1][k * 32 + lane]).collect();
        assert_eq!(got, want.dst, "{} lane {lane} {i:x?}: {got:x?}, expected {:x?}", case.text, want.dst);
        if case.text.contains("$c1 ") {
            let flags = out[1][4 * 32 + lane] as u8;
            assert_eq!(Some(flags), want.flags, "{} lane {lane}: flags, {i:x?}", case.text);
        }
    }
    row
}

fn sext(v: u32, bits: u32) -> i128 {
    let v = i128::from(v) & ((1 << bits) - 1);
    if v >> (bits - 1) & 1 == 1 { v - (1 << bits) } else { v }
}

fn zs(v: u32, bits: u32) -> u8 {
    u8::from(v == 0) + 2 * u8::from(v >> (bits - 1) & 1 == 1)
}

/// Seed, "Integer ADD family".
fn ref_add(op: usize, a: u32, b: u32, carry: bool, sat: bool, bits: u32) -> (u32, u8) {
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

fn shl(a: u32, n: u32, bits: u32) -> (u32, u8) {
    let m = ((1_u64 << bits) - 1) as u32;
    let r = if n >= bits { 0 } else { a << n & m };
    let c = n > 0 && n < bits && a >> (bits - n) & 1 == 1;
    (r, zs(r, bits) | u8::from(c) << 2 | u8::from(n == 1 && (a ^ r) >> (bits - 1) & 1 == 1) << 3)
}

fn shr(a: u32, n: u32, bits: u32, signed: bool) -> (u32, u8) {
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

fn lo(v: u32) -> u32 {
    v & 0xffff
}

fn hi(v: u32) -> u32 {
    v >> 16
}

fn mul24(a: u32, b: u32, signed: bool, high: bool) -> u32 {
    let f = |v| if signed { sext(v, 24) } else { i128::from(v & 0xff_ffff) };
    ((f(a) * f(b)) >> if high { 16 } else { 0 }) as u32
}

fn mul16(a: u32, b: u32, s1: bool, s2: bool) -> u32 {
    let f = |v: u32, s| if s { sext(v, 16) } else { i128::from(v & 0xffff) };
    (f(a, s1) * f(b, s2)) as u32
}

fn integer_cases(t: &mut Cases) {
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

fn move_cases(t: &mut Cases) {
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

/// Seed, "slct"; 7.2 for the flags.
fn slct(i: &In, c: u32) -> Exp {
    let x = f32::from_bits(c);
    let r = if x >= 0.0 { i.r[1] } else { i.r[2] };
    exf((r, u8::from(r & 0x7fff_ffff == 0) + 2 * u8::from(r >> 31 == 1)))
}

// f32, section 7.2.

fn flush(v: u32) -> f32 {
    f32::from_bits(if v & 0x7f80_0000 == 0 { v & 0x8000_0000 } else { v })
}

fn fin(v: f32) -> u32 {
    if v.is_nan() { 0x7fff_ffff } else { flush(v.to_bits()).to_bits() }
}

fn fflags(v: u32) -> u8 {
    if v & 0x7fff_ffff > 0x7f80_0000 {
        3
    } else if v << 1 == 0 {
        1
    } else {
        (v >> 31) as u8 * 2
    }
}

fn fsat(v: u32) -> u32 {
    let x = f32::from_bits(v);
    if x.is_nan() {
        v
    } else if x > 1.0 {
        0x3f80_0000
    } else if v >> 31 == 1 || x <= 0.0 {
        0
    } else {
        v
    }
}

fn exff(v: u32) -> Exp {
    exf((v, fflags(v)))
}

fn neg(v: u32, n: bool) -> u32 {
    v ^ u32::from(n) << 31
}

fn ref_fadd(a: u32, b: u32) -> u32 {
    fin(flush(a) + flush(b))
}

fn ref_fmul(a: u32, b: u32) -> u32 {
    fin(flush(a) * flush(b))
}

/// Truncated product, then one rounding, in integers; all numbers are multiples of 2^-90 here.
fn ref_fmad(a: u32, b: u32, c: u32) -> u32 {
    let (x, y, z) = (flush(a), flush(b), flush(c));
    if !(x.is_finite() && y.is_finite() && z.is_finite()) || x == 0.0 || y == 0.0 || z == 0.0 {
        return fin(flush(fin(x * y)) + z);
    }
    let fixed = |v: u32| {
        let e = (v >> 23 & 0xff) as i32 - 150;
        let m = i128::from(v & 0x7f_ffff | 0x80_0000);
        (if v >> 31 == 1 { -m } else { m }, e)
    };
    let ((ma, ea), (mb, eb), (mc, ec)) = (fixed(a), fixed(b), fixed(c));
    let p = ma * mb;
    let bits = 128 - p.unsigned_abs().leading_zeros();
    let cut = if bits > 24 { p.signum() * ((p.abs() >> (bits - 24)) << (bits - 24)) } else { p };
    let sum = (cut << (ea + eb + 90)) + (mc << (ec + 90));
    if sum == 0 {
        return 0;
    }
    let n = 128 - sum.unsigned_abs().leading_zeros();
    let m = sum.unsigned_abs();
    let mut exponent = n as i32 - 1 - 90 + 127;
    let mut q = if n > 24 {
        let s = n - 24;
        let q = m >> s;
        let rest = m & ((1 << s) - 1);
        let tie = 1_u128 << (s - 1);
        q + u128::from(rest > tie || rest == tie && q & 1 == 1)
    } else {
        m << (24 - n)
    };
    if q >> 24 == 1 {
        q >>= 1;
        exponent += 1;
    }
    (u32::from(sum < 0)) << 31 | (exponent as u32) << 23 | q as u32 & 0x7f_ffff
}

fn float_cases(t: &mut Cases) {
    for (n1, n2) in [(false, false), (true, false), (false, true), (true, true)] {
        let n = |n: bool| if n { "neg " } else { "" };
        for sat in [false, true] {
            let s = if sat { "sat " } else { "" };
            let clamp = move |v: u32| if sat { fsat(v) } else { v };
            let add = move |i: &In, b: u32| clamp(ref_fadd(neg(i.r[1], n1), neg(b, n2)));
            t.float(false, format!("add {s}f32 $r12 {}$r1 {}$r2", n(n1), n(n2)), move |i| exff(add(i, i.r[2])));
            t.float(false, format!("add {s}f32 $r12 {}$r1 {}0x40490fdb", n(n1), n(n2)), move |i| {
                exff(add(i, 0x4049_0fdb))
            });
            t.float(true, format!("add {s}rn f32 $c1 $r12 {}$r1 {}$r2", n(n1), n(n2)), move |i| exff(add(i, i.r[2])));
            let mul = move |i: &In, b: u32| clamp(ref_fmul(neg(i.r[1], n1), neg(b, n2)));
            t.float(false, format!("mul {s}f32 $r12 {}$r1 {}$r2", n(n1), n(n2)), move |i| exff(mul(i, i.r[2])));
            t.float(false, format!("mul {s}f32 $r12 {}$r1 {}0x40490fdb", n(n1), n(n2)), move |i| {
                exff(mul(i, 0x4049_0fdb))
            });
            t.float(true, format!("mul {s}rn f32 $c1 $r12 {}$r1 {}$r2", n(n1), n(n2)), move |i| exff(mul(i, i.r[2])));
            let mad = move |i: &In, b: u32, c: u32| clamp(ref_fmad(neg(i.r[1], n1), b, neg(c, n2)));
            t.float(false, format!("add {s}f32 $r12 {}(mul $r1 $r2) {}$r12", n(n1), n(n2)), move |i| {
                exff(mad(i, i.r[2], i.r[6]))
            });
            t.float(false, format!("add {s}f32 $r12 {}(mul $r1 0x40490fdb) {}$r12", n(n1), n(n2)), move |i| {
                exff(mad(i, 0x4049_0fdb, i.r[6]))
            });
            t.on(
                "nva3",
                true,
                format!("add {s}f32 $c1 $r12 {}(mul $r1 $r2) {}$r3", n(n1), n(n2)),
                Some(moderate_float),
                move |i| exff(mad(i, i.r[2], i.r[3])),
            );
        }
        for (a1, a2) in [(false, false), (true, true)] {
            let a = |n: bool| if n { "abs " } else { "" };
            let m = move |i: &In| {
                let f = |v: u32, a: bool, s: bool| flush(neg(if a { v & 0x7fff_ffff } else { v }, s));
                (f(i.r[1], a1, n1), f(i.r[2], a2, n2))
            };
            let operands = format!("{}{}$r1 {}{}$r2", n(n1), a(a1), n(n2), a(a2));
            for max in [true, false] {
                t.float(true, format!("{} f32 $c1 $r12 {operands}", if max { "max" } else { "min" }), move |i| {
                    let (x, y) = m(i);
                    let r = match (x.is_nan(), y.is_nan()) {
                        (true, true) => 0x7fff_ffff,
                        (true, false) => y.to_bits(),
                        (false, true) => x.to_bits(),
                        _ if x == y => {
                            // Equal, or zeros: the positive one is the larger.
                            if max { x.to_bits() & y.to_bits() } else { x.to_bits() | y.to_bits() }
                        }
                        _ => {
                            if (x > y) == max {
                                x.to_bits()
                            } else {
                                y.to_bits()
                            }
                        }
                    };
                    exff(r)
                });
            }
            let names =
                ["never", "l", "e", "le", "g", "lg", "ge", "lge", "u", "lu", "eu", "leu", "gu", "lgu", "geu", "always"];
            for (cond, name) in names.into_iter().enumerate() {
                t.float(true, format!("set $c1 $r12 {name} f32 {operands}"), move |i| {
                    let (x, y) = m(i);
                    let which = if x < y {
                        1
                    } else if x == y {
                        2
                    } else if x > y {
                        4
                    } else {
                        8
                    };
                    if cond & which != 0 { exf((!0, 2)) } else { exf((0, 1)) }
                });
            }
        }
    }
    // Round to zero, by hand: 1 + 2^-24 stays 1, 1 - 2^-25 is cut to the float below 1, -1 - 2^-24 stays -1.
    t.fixed("add rz f32 $r12 $r1 $r2", [0x3f80_0000, 0x3380_0000, 0], 0x3f80_0000);
    t.fixed("add rz f32 $r12 $r1 $r2", [0x3f80_0000, 0xb300_0000, 0], 0x3f7f_ffff);
    t.fixed("add rz f32 $r12 $r1 $r2", [0xbf80_0000, 0xb380_0000, 0], 0xbf80_0000);
    // Overflow: infinity to nearest, the largest number toward zero.
    t.fixed("add rn f32 $r12 $r1 $r2", [0x7f7f_ffff, 0x7f7f_ffff, 0], 0x7f80_0000);
    t.fixed("add rz f32 $r12 $r1 $r2", [0x7f7f_ffff, 0x7f7f_ffff, 0], 0x7f7f_ffff);
    // (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46.
    t.fixed("mul rz f32 $r12 $r1 $r2", [0x3f80_0001, 0x3f80_0001, 0], 0x3f80_0002);
    // (1 + 2^-23) * (1 + 2^-22) = 1 + 2^-23 + 2^-22 + 2^-45; 1.5 * (1 + 2^-23) = 1.5 + 1.5 * 2^-23 is a tie up, cut down.
    t.fixed("mul rn f32 $r12 $r1 $r2", [0x3fc0_0000, 0x3f80_0001, 0], 0x3fc0_0002);
    t.fixed("mul rz f32 $r12 $r1 $r2", [0x3fc0_0000, 0x3f80_0001, 0], 0x3fc0_0001);
    // The same product in a multiply-add is cut, unless the addend is zero.
    t.fixed("add f32 $r12 (mul $r1 $r2) $r3", [0x3fc0_0000, 0x3f80_0001, 0], 0x3fc0_0002);
    t.fixed("add f32 $r12 (mul $r1 $r2) $r3", [0x3fc0_0000, 0x3f80_0001, 0x8080_0000], 0x3fc0_0001);
}

#[test]
fn arithmetic_rows() {
    let mut t = Cases::default();
    integer_cases(&mut t);
    move_cases(&mut t);
    float_cases(&mut t);
    let mut rng = SplitMix64::new(11);
    for case in &t.0 {
        run_case(case, &mut rng);
    }
    let _ = (table(), Op::Mov);
    let _ = wide;
}
