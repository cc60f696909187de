//! Every row is executed, with results worked out from the ISA reference (sections 7.1 to 7.5 and the seed's pseudocode) by the small
//! functions below, which share nothing with the machine.

#![allow(clippy::type_complexity, clippy::too_many_arguments, reason = "rows of a table of expectations")]

use crate::stages;
use gpucc_container::{Preload, Source};
use gpucc_isa::Isa;
use gpucc_isa::stage::{self, CS, FS, GS, VS};
use gpucc_sim::SplitMix64;
use gpucc_tesla_machine::{Kind, Op, Tesla, Ty, Width, asm_words_line, decode_word, table};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Rows that were executed, with generation and program type.
#[derive(Default)]
pub struct Found(BTreeSet<(u16, u8, u8)>);

impl Found {
    /// Marks the row of an instruction.
    pub fn mark(&mut self, words: &[u32], generation: u8, stage: u8) {
        let row = decode_word(words, generation, stage).unwrap_or_else(|e| panic!("{words:x?}: {e}")).row;
        self.0.insert((row, generation, stage));
    }
}

/// Inputs of a lane: `$r1` to `$r6` and flags in `$c0` (also readable through c[] and s[], see `run_case`; words 1 to 7 and 17 to 23 of
/// a[] and p[] are `$r1` to `$r7`).
#[derive(Clone)]
pub struct In {
    pub r: [u32; 8],
    pub c0: u8,
    pub lane: usize,
    /// The inputs of all lanes.
    pub all: Rc<Vec<[u32; 8]>>,
}

/// The expected operand: `$r12` (and up), and `$c1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Exp {
    pub dst: Vec<u32>,
    pub flags: Option<u8>,
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

pub struct Case {
    pub text: String,
    long: bool,
    /// A generation that has it.
    generation: &'static str,
    /// Program types for which it is expected.
    pub stages: u8,
    inputs: Option<fn(&mut SplitMix64) -> u32>,
    /// `$r1` and up in all lanes.
    fixed: Option<Vec<u32>>,
    pub check: Check,
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
        let (text, stages, check) = (text.into(), stage::ALL, Box::new(check));
        self.0.push(Case { text, long, generation, stages, inputs, fixed: None, check });
    }
    /// The last one is expected in these program types.
    fn of(&mut self, stages: u8) {
        self.0.last_mut().expect("a case").stages = stages;
    }
    /// Integer inputs, short or immediate form.
    fn short(&mut self, text: impl Into<String>, check: impl Fn(&In) -> Exp + 'static) {
        self.on("nva3", false, text, None, check);
    }
    /// Given inputs and one expected word, long form.
    fn fixed<const N: usize>(&mut self, text: &str, inputs: [u32; N], want: u32) {
        self.worked("nva3", text, &inputs, &[want]);
    }
    fn worked(&mut self, generation: &'static str, text: &str, inputs: &[u32], want: &[u32]) {
        let want = want.to_vec();
        self.0.push(Case {
            text: text.into(),
            long: true,
            generation,
            stages: stage::ALL,
            inputs: None,
            fixed: Some(inputs.to_vec()),
            check: Box::new(move |_| Exp { dst: want.clone(), flags: None }),
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

/// Code around the instructions under test. `$r1`..`$r7` hold inputs, `$r0` the lane number times 4, `$r10` times 16, `$r12` to `$r15` copies of
/// `$r6`, `$r5`, `$r5`, `$r5`, `$c0` the low bits of `$r7`, `$a1` 0x40; s[0x40..0x50] holds `$r1` to `$r4` of lane 31, c0[0x40] [`C0`], g2 is zero.
fn program(case: &Case, generation: u8, found: &mut Found) -> Option<Vec<u8>> {
    let middle = code(case, (generation, CS), found)?;
    let mut out: Vec<u8> = Vec::new();
    let setup = "
        and b32 $r9 $r0 0x1f
        shl b32 $r10 $r9 0x4
        shl b32 $r9 $r9 0x2
        mov b32 $r0 $r9";
    setup.lines().skip(1).for_each(|l| line(&mut out, l, generation));
    for k in 1..8 {
        line(&mut out, &format!("ld b32 $r{k} g0[$r9]"), generation);
        line(&mut out, "add b32 $r9 $r9 0x80", generation);
    }
    let setup = "
        mov $c0 $r7
        mov b32 $r12 $r6
        mov b32 $r13 $r5
        mov b32 $r14 $r5
        mov b32 $r15 $r5
        mov b32 $r11 0x0
        mov $c1 $r11
        mov b32 $r11 0x40
        shl $a1 $r11 0x0
        st b32 s[0x40] $r1
        st b32 s[0x44] $r2
        st b32 s[0x48] $r3
        st b32 s[0x4c] $r4";
    setup.lines().skip(1).for_each(|l| line(&mut out, l, generation));
    out.extend(middle);
    let end = "
        st b32 g1[$r0] $r12
        add b32 $r0 $r0 0x80
        st b32 g1[$r0] $r13
        add b32 $r0 $r0 0x80
        st b32 g1[$r0] $r14
        add b32 $r0 $r0 0x80
        st b32 g1[$r0] $r15
        add b32 $r0 $r0 0x80
        mov $r11 $c1
        st b32 g1[$r0] $r11
        exit nop";
    end.lines().skip(1).for_each(|l| line(&mut out, l, generation));
    Some(out)
}

/// Words of a line, unless a generation and program type have no such instruction.
pub fn words(text: &str, (generation, stage): (u8, u8), long: bool) -> Option<Vec<u32>> {
    let hex = asm_words_line(text, generation, stage, long).ok()?;
    Some(hex.split(' ').map(|w| u32::from_str_radix(&w[2..], 16).unwrap()).collect())
}

fn line(out: &mut Vec<u8>, text: &str, generation: u8) {
    let words = words(text, (generation, CS), true).unwrap_or_else(|| panic!("{text}"));
    out.extend(words.iter().flat_map(|w| w.to_le_bytes()));
}

/// The instructions under test, unless a generation and program type lack one.
pub fn code(case: &Case, place: (u8, u8), found: &mut Found) -> Option<Vec<u8>> {
    let all: Option<Vec<Vec<u32>>> = case.text.lines().map(|l| words(l, place, case.long)).collect();
    let mut out = Vec::new();
    for mut words in all? {
        found.mark(&words, place.0, place.1);
        if words.len() == 1 {
            words.push(0x1000_8000 | 11 << 2 | 1 << 9); // mov b32 $r11 $r1: the other half of the pair
        }
        out.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    }
    Some(out)
}

/// The words at c0[0x40].
pub const C0: [u32; 2] = [0x8182_8384, 0x7fff_8001];

/// Inputs of a case: seven words of 32 lanes.
pub fn inputs(case: &Case, rng: &mut SplitMix64) -> Vec<u32> {
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
    buffer
}

/// Compares `$r12` and up, and `$c1`, with what a case wants.
pub fn judge(case: &Case, place: &str, buffer: &[u32], got: impl Fn(usize, usize) -> u32, flags: impl Fn(usize) -> u8) {
    let all: Rc<Vec<[u32; 8]>> = Rc::new(
        (0..32).map(|lane| std::array::from_fn(|k| if k == 0 { 0 } else { buffer[(k - 1) * 32 + lane] })).collect(),
    );
    for lane in 0..32 {
        let i = In { r: all[lane], c0: (all[lane][7] & 0xf) as u8, lane, all: all.clone() };
        let want = (case.check)(&i);
        let got: Vec<u32> = (0..want.dst.len()).map(|k| got(k, lane)).collect();
        assert_eq!(got, want.dst, "{place}: {} lane {lane} {:x?}: {got:x?}, expected {:x?}", case.text, i.r, want.dst);
        if case.text.contains("$c1 ") && want.flags.is_some() {
            assert_eq!(Some(flags(lane)), want.flags, "{place}: {} lane {lane}: flags, {:x?}", case.text, i.r);
        }
    }
}

/// Runs a case over 32 lanes of inputs in a compute program and compares.
fn run_case(case: &Case, generation: u8, rng: &mut SplitMix64, found: &mut Found) {
    let name = Tesla::GENERATIONS[usize::from(generation)];
    let buffer = inputs(case, rng);
    let Some(code) = program(case, generation, found) else { return };
    let mut c = crate::common::container(name, code, [32, 1, 1], 3);
    for (i, v) in C0.into_iter().enumerate() {
        c.entries[0].preloads.push(Preload { file: 0x80, lane: 0, index: 16 + i as u16, source: Source::Const(v) });
    }
    let (out, _) = crate::common::play_container(&c, [1, 1, 1], &[&buffer, &[0; 5 * 32], &[0; 4 * 32]], None)
        .unwrap_or_else(|t| panic!("{name}: {}: {t}", case.text));
    judge(case, name, &buffer, |k, lane| out[1][k * 32 + lane], |lane| out[1][4 * 32 + lane] as u8);
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

/// Seed, "slct"; 7.2 for the flags, and for denormals: the first source, whatever their sign.
fn slct(i: &In, c: u32) -> Exp {
    let x = f32::from_bits(c);
    let r = if x >= 0.0 || x.is_subnormal() { i.r[1] } else { i.r[2] };
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

// Conversions, section 7.5. A number is sign, magnitude and power of two, exactly.

#[derive(Clone, Copy, Debug)]
enum Num {
    Nan,
    Inf(bool),
    Is(bool, u128, i32),
}

/// Exponent bits and fraction bits.
fn layout(ty: Ty) -> (u32, u32) {
    match ty {
        Ty::F16 => (5, 10),
        Ty::F32 => (8, 23),
        _ => (11, 52),
    }
}

fn unpack(bits: u64, ty: Ty) -> Num {
    let (e, f) = layout(ty);
    let sign = bits >> (e + f) & 1 == 1;
    let exponent = (bits >> f & ((1 << e) - 1)) as i32;
    let fraction = u128::from(bits & ((1 << f) - 1));
    let bias = (1 << (e - 1)) - 1;
    if exponent == (1 << e) - 1 {
        return if fraction == 0 { Num::Inf(sign) } else { Num::Nan };
    }
    if exponent == 0 {
        return Num::Is(sign, if ty == Ty::F32 { 0 } else { fraction }, 1 - bias - f as i32);
    }
    Num::Is(sign, fraction | 1 << f, exponent - bias - f as i32)
}

/// Rounds `mag / 2^drop` to an integer by mode (0 nearest even, 1 down, 2 up, 3 toward zero).
fn round_off(sign: bool, mag: u128, drop: u32, mode: u32) -> u128 {
    if drop == 0 {
        return mag;
    }
    let (q, rest, tie) = if drop > 127 {
        (0, u128::from(mag > 0), 2)
    } else {
        (mag >> drop, mag & ((1 << drop) - 1), 1_u128 << (drop - 1))
    };
    let up = match mode {
        0 => rest > tie || rest == tie && q & 1 == 1,
        1 => sign && rest > 0,
        2 => !sign && rest > 0,
        _ => false,
    };
    q + u128::from(up)
}

fn pack(n: Num, ty: Ty, mode: u32) -> u64 {
    let (e, f) = layout(ty);
    let bias = (1 << (e - 1)) - 1;
    let inf = ((1_u64 << e) - 1) << f;
    match n {
        Num::Nan => match ty {
            Ty::F16 => 0x7fff,
            Ty::F32 => 0x7fff_ffff,
            _ => 0x7fff_ffff_e000_0000,
        },
        Num::Inf(s) => u64::from(s) << (e + f) | inf,
        Num::Is(s, 0, _) => u64::from(s) << (e + f),
        Num::Is(s, mag, exp) => {
            let top = 127 - mag.leading_zeros() as i32 + exp;
            let last = (top - f as i32).max(1 - bias - f as i32);
            let q = if last > exp { round_off(s, mag, (last - exp) as u32, mode) } else { mag << (exp - last) };
            // A carry out of the fraction moves into the exponent field by itself.
            let field = (last + f as i32 + bias) as u128;
            let bits = if q >> f == 0 { q } else { ((field - 1) << f) + q };
            let bits = if bits >= u128::from(inf) {
                let stay = mode == 3 || mode == 1 && !s || mode == 2 && s;
                if stay { u128::from(inf) - 1 } else { u128::from(inf) }
            } else if ty == Ty::F32 && bits < 1 << f {
                0
            } else {
                bits
            };
            u64::from(s) << (e + f) | bits as u64
        }
    }
}

fn is_float(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::F32 | Ty::F64)
}

fn int_range(ty: Ty) -> (i128, i128) {
    let bits = ty.bytes() * 8;
    let signed = matches!(ty, Ty::S8 | Ty::S16 | Ty::S32 | Ty::S64);
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn int_of(raw: u64, ty: Ty) -> i128 {
    let bits = ty.bytes() * 8;
    let v = i128::from(raw) & ((1 << bits) - 1);
    if int_range(ty).0 < 0 && v >> (bits - 1) == 1 { v - (1 << bits) } else { v }
}

/// Result bits of a conversion; `rint` rounds to a whole number.
fn ref_cvt(raw: u64, src: Ty, dst: Ty, rint: bool, abs: bool, negate: bool, sat: bool, mode: u32) -> u64 {
    let n = if is_float(src) {
        unpack(raw, src)
    } else {
        let v = int_of(raw, src);
        Num::Is(v < 0, v.unsigned_abs(), 0)
    };
    let n = match n {
        // An integer zero has no sign.
        Num::Is(_, 0, _) if !is_float(src) => Num::Is(false, 0, 0),
        Num::Is(s, m, e) => Num::Is((s && !abs) ^ negate, m, e),
        Num::Inf(s) => Num::Inf((s && !abs) ^ negate),
        Num::Nan => Num::Nan,
    };
    if !is_float(dst) {
        let (min, max) = int_range(dst);
        let wide = src == Ty::F64 || dst.bytes() == 8;
        let v = match n {
            Num::Nan => return if wide { 1 << (dst.bytes() * 8 - 1) } else { 0 },
            Num::Inf(s) => {
                if s {
                    min
                } else {
                    max
                }
            }
            Num::Is(s, m, e) => {
                let whole = if e < 0 {
                    round_off(s, m, -e as u32, mode)
                } else {
                    m.checked_shl(e as u32).filter(|v| v >> e == m && e < 100).unwrap_or(1 << 100)
                };
                let whole = whole.min(1 << 100) as i128;
                (if s { -whole } else { whole }).clamp(min, max)
            }
        };
        return v as u64;
    }
    let n = match n {
        Num::Is(true, ..) | Num::Inf(true) if sat => Num::Is(false, 0, 0),
        Num::Inf(false) if sat => Num::Is(false, 1, 0),
        Num::Is(false, m, e) if sat && m > 0 && 127 - m.leading_zeros() as i32 + e >= 0 => Num::Is(false, 1, 0),
        n => n,
    };
    let n = match n {
        Num::Is(s, m, e) if rint && e < 0 => Num::Is(s, round_off(s, m, -e as u32, mode), 0),
        n => n,
    };
    // Below 2^-33 a f32 becomes a f16 zero in every mode.
    let n = match n {
        Num::Is(s, m, e) if src == Ty::F32 && dst == Ty::F16 && m > 0 && 127 - m.leading_zeros() as i32 + e < -33 => {
            Num::Is(s, 0, 0)
        }
        n => n,
    };
    let bits = pack(n, dst, mode);
    if matches!(n, Num::Nan) && dst == Ty::F64 && src == Ty::F64 { raw | 1 << 51 } else { bits }
}

fn conversion_cases(t: &mut Cases) {
    for row in table().rows {
        let (dst, src) = (row.attrs.ty, row.attrs.src);
        if !matches!(row.op, Op::CvtII | Op::CvtIF | Op::CvtFI | Op::CvtFF | Op::CvtRint) {
            continue;
        }
        let width = |name: &str| match row.operands[row.operand(name).unwrap()].kind {
            Kind::DstO(w) | Kind::Dst(w) | Kind::Src1(w) | Kind::Reg(w) => w,
            k => panic!("{k:?}"),
        };
        let (dw, sw) = (width("dst"), width("src1"));
        let generation = if dst.bytes() == 8 || src.bytes() == 8 { "nva0" } else { "nva3" };
        let inputs: fn(&mut SplitMix64) -> u32 = match src {
            // Exact in f16: the others are wrong in hardware.
            _ if row.op == Op::CvtIF && dst == Ty::F16 && sw == Width::S => |rng| rng.below(128) as u32,
            _ if row.op == Op::CvtIF && dst == Ty::F16 => |rng| {
                let v = rng.below(128) as u32;
                v << 16 | v
            },
            Ty::F32 => some_float,
            Ty::F64 => |rng| {
                if rng.below(2) == 0 {
                    (0x3e00_0000 + rng.below(0x0400_0000) as u32) | (rng.next_u32() & 1 << 31)
                } else {
                    rng.next_u32()
                }
            },
            _ => some_int,
        };
        let modes = if row.operand("rnd").is_some() { 4 } else { 1 };
        for n in 0..16 * modes {
            let (abs, negate, sat, mode) = (n & 1 == 1, n & 2 == 2, n & 4 == 4, n / 16);
            if sat && row.operand("sat").is_none() || n & 8 == 8 {
                continue;
            }
            let mut text = String::from("cvt ");
            text += if negate { "neg " } else { "" };
            text += if abs { "abs " } else { "" };
            text += if sat { "sat " } else { "" };
            if modes == 4 {
                let ints = row.text.contains("{rnd}") && matches!(row.op, Op::CvtFI | Op::CvtRint);
                text += ["rn", "rm", "rp", "rz"][mode];
                text += if ints { "i " } else { " " };
            }
            let name = |ty: Ty| format!("{ty:?}").to_lowercase();
            let d = match dw {
                Width::H => "$r12l",
                Width::S => "$r12",
                _ => "$r12d",
            };
            let s = match sw {
                Width::H => "$r1h",
                Width::S => "$r1",
                _ => "$r2d",
            };
            text += &format!("{} {d} {} {s}", name(dst), name(src));
            let rint = row.op == Op::CvtRint;
            t.on(generation, true, text, Some(inputs), move |i| {
                let raw = match sw {
                    Width::H => u64::from(hi(i.r[1])),
                    Width::S => u64::from(i.r[1]),
                    _ => u64::from(i.r[2]) | u64::from(i.r[3]) << 32,
                };
                let v = ref_cvt(raw, src, dst, rint, abs, negate, sat, mode as u32);
                match dw {
                    Width::H => half(i, (v as u32, 0)),
                    Width::S => exp(v as u32),
                    _ => wide(v),
                }
            });
        }
    }
    // Flags: integer of the result, float of the result, O where 64-bit conversions overflow (7.5).
    t.long("cvt s32 $c1 $r12 s32 $r1", |i| exf((i.r[1], zs(i.r[1], 32))));
    t.float(true, "cvt f32 $c1 $r12 f32 $r1", |i| exff(fin(flush(i.r[1]))));
    t.worked("nva0", "cvt rzi u32 $c1 $r12 f64 $r2d\nmov $r12 $c1", &[0, 0, 0x4200_0000], &[10]); // 2^33: S, O
    t.worked("nva0", "cvt rzi u32 $c1 $r12 f64 $r2d\nmov $r12 $c1", &[0, 0, 0x3ff0_0000], &[0]);
}

fn sfu_cases(t: &mut Cases) {
    let f = |x: f32| x.to_bits();
    t.fixed("rcp f32 $r12 $r1", [f(4.0)], f(0.25));
    t.fixed("rcp f32 $r12 neg abs $r1", [f(-4.0)], f(-0.25));
    t.on("nva3", false, "rcp f32 $r12 neg $r1", Some(|_| 0x4080_0000), |_| exp(0xbe80_0000));
    t.on("nva3", false, "rcp f32 $r12 abs $r1", Some(|_| 0xc080_0000), |_| exp(0x3e80_0000));
    t.fixed("rsqrt f32 $r12 neg $r1", [f(-16.0)], f(0.25));
    t.fixed("rsqrt f32 $r12 abs $r1", [f(-0.0625)], f(4.0));
    t.fixed("lg2 f32 $r12 $r1", [f(8.0)], f(3.0));
    t.fixed("lg2 f32 $r12 abs $r1", [f(-1.0)], 0);
    // 3.0 in 7.23 fixed point, sign and magnitude.
    t.fixed("preex2 f32 $r12 $r1", [f(3.0)], 0x0180_0000);
    t.fixed("preex2 f32 $r12 neg $r1", [f(3.0)], 0x8180_0000);
    t.fixed("preex2 f32 $r12 abs $r1", [f(-128.0)], 0x4080_0000);
    // (f * 0xa2f983 >> 16) with f = 0x800000 is 0x517cc1 << 7 | 0x40 = 0x28be60c0; 1.0 has exponent -8 after the scaling: >> 8.
    t.fixed("presin f32 $r12 $r1", [f(1.0)], 0x0051_7cc1);
    t.fixed("presin f32 $r12 neg $r1", [f(1.0)], 0x8051_7cc1);
    t.fixed("presin f32 $r12 abs $r1", [0xff80_0000], 0x4080_0000);
    t.fixed("sin f32 $r12 $r1", [0], 0);
    // Quadrant 2: -sin(0); quadrant 0 of cos is quadrant 1 of sin, where the fraction is inverted.
    t.fixed("sin f32 $r12 $r1", [0x0100_0000], 1 << 31);
    t.fixed("cos f32 $r12 $r1", [0], ONE_BY_TABLE);
    t.fixed("sin f32 $r12 $r1", [0x8080_0000], ONE_BY_TABLE | 1 << 31);
    t.fixed("ex2 f32 $r12 $r1", [0x0180_0000], f(8.0));
    t.fixed("ex2 f32 $r12 $r1", [0x8180_0000], f(0.125));
    t.fixed("ex2 f32 sat $r12 $r1", [0x0180_0000], f(1.0));
}

/// Section 7.3 with row 63 of the table, (0x3ffb10c, 0x278, -1265), at the last fraction.
const ONE_BY_TABLE: u32 = sine_of_row_63();

const fn sine_of_row_63() -> u32 {
    let x = 0x1_ffff_u64;
    let mut square = 0;
    let mut i = 0;
    while i <= 16 {
        square += x >> (18 - i);
        i += 1;
    }
    square >>= 1;
    let v = ((0x3ff_b10c_u64 << 11) + 0x278 * x) - (0x1_0000_0000 - 0xffff_fb0f) * square;
    // Bit 37 is 1.0; the significand is cut.
    if v >> 37 == 1 { 127 << 23 | (v >> 14) as u32 & 0x7f_ffff } else { 126 << 23 | (v >> 13) as u32 & 0x7f_ffff }
}

fn quad_cases(t: &mut Cases) {
    for (lane, name) in ["l0", "l1", "l2", "l3"].into_iter().enumerate() {
        t.float(true, format!("quadop f32 add subr sub mov2 $c1 $r12 {name} $r1 $r3"), move |i| {
            let s1 = i.all[i.lane & !3 | lane][1];
            let s3 = i.r[3];
            let n = |v: u32| if f32::from_bits(v).is_nan() { v } else { v ^ 1 << 31 };
            exff(match i.lane & 3 {
                0 => ref_fadd(s1, s3),
                1 => ref_fadd(s3, n(s1)),
                2 => ref_fadd(s1, n(s3)),
                _ => fin(flush(s3)),
            })
        });
    }
    // Neighbours are for fragments: 0 in compute (7.2).
    t.long("quadop f32 add add add add $r12 dx $r1 $r3", |_| exp(0));
    t.of(!FS);
    t.long("quadop f32 sub sub sub sub $r12 dy $r1 $r3", |_| exp(0));
    t.of(!FS);
    t.float(true, "quadop f32 add add add add $r12 dx $r1 $r3", |i| exp(ref_fadd(i.all[i.lane ^ 1][1], i.r[3])));
    t.of(FS);
    t.float(true, "quadop f32 add add add add $r12 dy $r1 $r3", |i| exp(ref_fadd(i.all[i.lane ^ 2][1], i.r[3])));
    t.of(FS);
}

fn double_of(i: &In, r: usize) -> f64 {
    f64::from_bits(u64::from(i.r[r]) | u64::from(i.r[r + 1]) << 32)
}

fn double_cases(t: &mut Cases) {
    let moderate: fn(&mut SplitMix64) -> u32 =
        |rng| (0x3f80_0000 + rng.below(0x0100_0000) as u32) | (rng.next_u32() & 1 << 31);
    t.on("nva0", true, "add rn f64 $r12d $r2d neg $r4d", Some(moderate), |i| {
        wide((double_of(i, 2) - double_of(i, 4)).to_bits())
    });
    t.on("nva0", true, "mul rn f64 $r12d neg $r2d $r4d", Some(moderate), |i| {
        wide((-double_of(i, 2) * double_of(i, 4)).to_bits())
    });
    for (name, max) in [("min", false), ("max", true)] {
        t.on("nva0", true, format!("{name} f64 $r12d neg $r2d abs $r4d"), Some(moderate), move |i| {
            let (a, b) = (-double_of(i, 2), double_of(i, 4).abs());
            wide(if (a > b) == max { a } else { b }.to_bits())
        });
        // A number wins over a NaN.
        t.worked(
            "nva0",
            &format!("{name} f64 $r12d $r2d $r4d"),
            &[0, 0, 0x7ff8_0000, 5, 0x3ff0_0000],
            &[5, 0x3ff0_0000],
        );
    }
    t.on("nva0", true, "set $c1 $r12 l f64 $r2d $r4d", Some(moderate), |i| {
        if double_of(i, 2) < double_of(i, 4) { exf((!0, 2)) } else { exf((0, 1)) }
    });
    t.worked("nva0", "set $r12 u f64 $r2d $r4d", &[0, 0, 0x7ff8_0000, 5, 0x3ff0_0000], &[!0]);
    // (1 + 2^-52)^2 - 1 = 2^-51 (1 + 2^-53): a tie, to even or up; unfused it would be 1.5 * 2^-51 upward.
    let one_up = [0, 1, 0x3ff0_0000, 1, 0x3ff0_0000, 0];
    for (mode, low) in [("rn", 0), ("rm", 0), ("rp", 1), ("rz", 0)] {
        let text = format!("mov b32 $r6 0x0\nmov b32 $r7 0x3ff00000\nfma {mode} f64 $r12d $r2d $r4d neg $r6d");
        t.worked("nva0", &text, &one_up, &[low, 0x3cc0_0000]);
    }
    t.worked(
        "nva0",
        "mov b32 $r6 0x0\nmov b32 $r7 0x3ff00000\nfma rn f64 $r12d neg $r2d $r4d $r6d",
        &one_up,
        &[0, 0xbcc0_0000],
    );
    // 1 + 2^-60 in the four modes.
    for (mode, low) in [("rn", 0), ("rm", 0), ("rp", 1), ("rz", 0)] {
        t.worked(
            "nva0",
            &format!("add {mode} f64 $r12d $r2d $r4d"),
            &[0, 0, 0x3ff0_0000, 0, 0x3c30_0000],
            &[low, 0x3ff0_0000],
        );
        // (1 + 2^-52) * (1 + 2^-52) = 1 + 2^-51 + 2^-104.
        t.worked(
            "nva0",
            &format!("mul {mode} f64 $r12d $r2d $r4d"),
            &[0, 1, 0x3ff0_0000, 1, 0x3ff0_0000],
            &[2 + low, 0x3ff0_0000],
        );
    }
    // NaN payloads are kept and made quiet, the second operand's first (7.4).
    t.worked("nva0", "add rn f64 $r12d $r2d $r4d", &[0, 7, 0x7ff0_0000, 9, 0xfff0_0000], &[9, 0xfff8_0000]);
    t.worked("nva0", "mul rn f64 $r12d $r2d $r4d", &[0, 7, 0x7ff0_0000, 0, 0x3ff0_0000], &[7, 0x7ff8_0000]);
    t.worked("nva0", "mul rn f64 $r12d $r2d $r4d", &[0, 0, 0x7ff0_0000, 0, 0], &[0, 0xfff8_0000]);
}

fn memory_cases(t: &mut Cases) {
    // Extension by type; local memory.
    let kinds: [(&str, fn(u32) -> u32); 5] = [
        ("u8", |v| v & 0xff),
        ("s8", |v| v as i8 as u32),
        ("u16", |v| v & 0xffff),
        ("s16", |v| v as i16 as u32),
        ("b32", |v| v),
    ];
    for (ty, f) in kinds {
        t.long(format!("st {ty} l[0x8] $r1\nld {ty} $r12 l[0x8]"), move |i| exp(f(i.r[1])));
        t.long(format!("ld {ty} $r12 g0[$r0]"), move |i| exp(f(i.r[1])));
        t.long(format!("st {ty} g2[$r10] $r2\nld b32 $r12 g2[$r10]"), move |i| {
            exp(if ty.ends_with('8') {
                i.r[2] & 0xff
            } else if ty.ends_with("16") {
                lo(i.r[2])
            } else {
                i.r[2]
            })
        });
    }
    t.long("st b64 l[0x8] $r2d\nld b64 $r12d l[0x8]", |i| Exp { dst: i.r[2..4].to_vec(), flags: None });
    t.long("st b64 g2[$r10] $r2d\nld b64 $r12d g2[$r10]", |i| Exp { dst: i.r[2..4].to_vec(), flags: None });
    t.long("st b128 l[0x10] $r4q\nld b128 $r12q l[0x10]", |i| Exp { dst: i.r[4..8].to_vec(), flags: None });
    t.long("st b128 g2[$r10] $r4q\nld b128 $r12q g2[$r10]", |i| Exp { dst: i.r[4..8].to_vec(), flags: None });
    // Constant memory.
    t.long("ld $r12 u8 c0[0x41]", |_| exp(0x83));
    t.long("ld $r12l u16 c0[$a1+0x2]", |i| half(i, (0x8182, 0)));
    t.long("ld $r12 s16 c0[0x44]", |_| exp(0xffff_8001));
    t.long("ld $r12 b32 c0[$a1+0x4]", |_| exp(C0[1]));
    t.long("ld $r12 b32 c0[$a1++0x4]\nmov $r13 $a1", |_| Exp { dst: vec![C0[0], 0x44], flags: None });
    t.short("add b32 $r12 $r1 c0[0x40]", |i| exp(i.r[1].wrapping_add(C0[0])));
    t.short("add b16 $r12l $r1l c0[$a1+0x2]", |i| half(i, (lo(i.r[1]).wrapping_add(0x8182), 0)));
    t.long("add b32 $r12 $r1 c0[$a1+0x4]", |i| exp(i.r[1].wrapping_add(C0[1])));
    t.long("and b32 $r12 $r1 c0[0x44]", |i| exp(i.r[1] & C0[1]));
    // Shared memory holds words of lane 31.
    t.long("ld $r12 u8 s[0x41]", |i| exp(i.all[31][1] >> 8 & 0xff));
    t.long("ld $r12l u16 s[$a1+0x2]", |i| half(i, (hi(i.all[31][1]), 0)));
    t.long("ld $r12 s16 s[0x46]", |i| exp(hi(i.all[31][2]) as i16 as u32));
    t.long("ld $r12 b32 s[$a1+0xc]", |i| exp(i.all[31][4]));
    t.short("add b32 $r12 u8 s[$a1+0x1] $r1", |i| exp((i.all[31][1] >> 8 & 0xff).wrapping_add(i.r[1])));
    t.long("add b32 $r12 s16 s[$a1+0x2] $r1", |i| exp((hi(i.all[31][1]) as i16 as u32).wrapping_add(i.r[1])));
    t.long("mov b32 $r12 b32 s[0x44]", |i| exp(i.all[31][2]));
    t.long("mov b32 $r12 b32 s[$a1++0xfffffffffffffffc]\nmov $r13 $a1", |i| Exp {
        dst: vec![i.all[31][1], 0x3c],
        flags: None,
    });
    t.short("mov b32 $r12 u16 s[0x2]", |_| exp(32));
    t.long("st b8 s[0x50] $r1l\nst b8 s[0x51] $r1\nst b16 s[0x52] $r2h\nld $r12 b32 s[0x50]", |i| {
        let a = i.all[31][1] & 0xff;
        exp(a | a << 8 | i.all[31][2] & 0xffff_0000)
    });
    t.long("st b32 s[$a1+0x10] $r3\nld $r12 b32 s[0x50]", |i| exp(i.all[31][3]));
    // Without `ld` from s[].
    t.long("st b8 s[0x50] $r1\nst b8 s[0x51] $r1l\nst b16 s[0x52] $r2h\nmov b32 $r12 b32 s[0x50]", |i| {
        let a = i.all[31][1] & 0xff;
        exp(a | a << 8 | i.all[31][2] & 0xffff_0000)
    });
    t.long("st b32 s[$a1+0x10] $r3\nmov b32 $r12 b32 s[0x50]", |i| exp(i.all[31][3]));
    // Address registers, special registers, votes.
    t.long("shl $a2 $r1 0x3\nmov $r12 $a2", |i| exp(i.r[1] << 3 & 0xffff));
    t.long("add $a2 $a1 0xfff0\nmov $r12 $a2", |_| exp(0x30));
    t.long("mov $r12 $physid", |i| exp(i.lane as u32));
    t.long("mov $r12 $sr2", |_| exp(0));
    t.long("(never) vote any $c2\nmov $r12 $c2", |_| exp(1));
    t.long("vote any $c2\nmov $r12 $c2", |_| exp(2));
    t.long("(s $c0) vote any $c2\nmov $r12 $c2", |i| exp(if i.all.iter().any(|r| r[7] & 2 != 0) { 2 } else { 1 }));
    t.long("(s $c0) vote all $c2\nmov $r12 $c2", |i| exp(if i.all.iter().all(|r| r[7] & 2 != 0) { 2 } else { 1 }));
    t.long("vote all $c2\nmov $r12 $c2", |_| exp(2));
    // Lane mask of a mov: lanes of each quad.
    t.long("(l02) mov b32 $r12 $r1", |i| exp(if i.lane & 1 == 0 { i.r[1] } else { i.r[6] }));
}

fn atomic_cases(t: &mut Cases) {
    // Section 4.6: memory is $r2 before, the operand is $r1.
    let ops: [(&str, fn(u32, u32) -> u32); 12] = [
        ("add u32", |o, s| o.wrapping_add(s)),
        ("add s32", |o, s| o.wrapping_add(s)),
        ("inc u32", |o, s| if o.wrapping_add(1) > s { 0 } else { o.wrapping_add(1) }),
        ("dec u32", |o, s| if o.wrapping_sub(1) > s { s } else { o.wrapping_sub(1) }),
        ("max u32", |o, s| if o > s { o } else { s }),
        ("max s32", |o, s| if o as i32 > s as i32 { o } else { s }),
        ("min u32", |o, s| if o < s { o } else { s }),
        ("min s32", |o, s| if (o as i32) < s as i32 { o } else { s }),
        ("and b32", |o, s| o & s),
        ("or b32", |o, s| o | s),
        ("xor b32", |o, s| o ^ s),
        ("exch", |_, s| s),
    ];
    for (name, f) in ops {
        let text = if name == "exch" { "exch b32".into() } else { format!("ld {name}") };
        t.long(format!("st b32 g2[$r10] $r2\n{text} $r12 g2[$r10] $r1\nld b32 $r13 g2[$r10]"), move |i| Exp {
            dst: vec![i.r[2], f(i.r[2], i.r[1])],
            flags: None,
        });
        if name != "exch" {
            t.long(format!("st b32 g2[$r10] $r2\nred {name} g2[$r10] $r1\nld b32 $r12 g2[$r10]"), move |i| {
                exp(f(i.r[2], i.r[1]))
            });
        }
    }
    let same: fn(&mut SplitMix64) -> u32 = |rng| rng.below(2) as u32;
    t.on("nva3", true, "st b32 g2[$r10] $r2\ncas b32 $r12 g2[$r10] $r1 $r3\nld b32 $r13 g2[$r10]", Some(same), |i| {
        Exp { dst: vec![i.r[2], if i.r[2] == i.r[1] { i.r[3] } else { i.r[2] }], flags: None }
    });
    let v = |i: &In, r: usize| u64::from(i.r[r]) | u64::from(i.r[r + 1]) << 32;
    let four = |a: u64, b: u64| Exp { dst: vec![a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32], flags: None };
    let around = |op: &str| format!("st b64 g2[$r10] $r2d\n{op}\nld b64 $r14d g2[$r10]");
    t.long(around("ld add u64 $r12d g2[$r10] $r4d"), move |i| four(v(i, 2), v(i, 2).wrapping_add(v(i, 4))));
    t.long(around("exch b64 $r12d g2[$r10] $r4d"), move |i| four(v(i, 2), v(i, 4)));
    t.on("nva3", true, around("cas b64 $r12d g2[$r10] $r4d $r6d"), Some(same), move |i| {
        four(v(i, 2), if v(i, 2) == v(i, 4) { v(i, 6) } else { v(i, 2) })
    });
    t.long("st b64 g2[$r10] $r2d\nred add u64 g2[$r10] $r4d\nld b64 $r12d g2[$r10]", move |i| {
        wide(v(i, 2).wrapping_add(v(i, 4)))
    });
}

/// Inputs of vertices and primitives as operands (2.4): a[] in vertex and geometry programs, p[] in geometry programs.
fn input_cases(t: &mut Cases) {
    t.long("ld b32 $r12 a[0x4]", |i| exp(i.r[1]));
    t.long("ld b32 $r12 a[$a1+0x8]", |i| exp(i.r[2]));
    t.long("mov b32 $r12 a[0xc]", |i| exp(i.r[3]));
    t.short("mov b32 $r12 a[0xc]", |i| exp(i.r[3]));
    t.short("mov b16 $r12l a[0x4]", |i| half(i, (lo(i.r[1]), 0)));
    t.short("add b32 $r12 a[0x4] $r2", |i| exp(i.r[1].wrapping_add(i.r[2])));
    t.long("add b32 $r12 a[0x4] c0[$a1+0x4]", |i| exp(i.r[1].wrapping_add(C0[1])));
    t.long("sub b32 $c1 $r12 a[0x8] $r3", |i| exf(ref_add(1, i.r[2], i.r[3], false, false, 32)));
    t.short("mul $r12 s24 a[0x4] $r2", |i| exp(mul24(i.r[1], i.r[2], true, false)));
    t.long("mov b32 $r12 p[0x4]", |i| exp(i.r[1]));
    t.short("mov b32 $r12 p[0x4]", |i| exp(i.r[1]));
    t.long("mov b32 $r12 p[$a1+0x8]", |i| exp(i.r[2]));
    t.short("add b32 $r12 p[$a1+0xc] $r2", |i| exp(i.r[3].wrapping_add(i.r[2])));
    t.long("add b32 $c1 $r12 p[$a1+0xc] $r2", |i| exf(ref_add(0, i.r[3], i.r[2], false, false, 32)));
    t.short("add b32 $r12 p[0x4] 0x80000001", |i| exp(i.r[1].wrapping_add(0x8000_0001)));
    t.of(GS);
}

/// Every row on every generation in every program type that has it.
#[test]
fn every_row_is_executed() {
    let mut t = Cases::default();
    integer_cases(&mut t);
    move_cases(&mut t);
    float_cases(&mut t);
    conversion_cases(&mut t);
    sfu_cases(&mut t);
    quad_cases(&mut t);
    double_cases(&mut t);
    memory_cases(&mut t);
    atomic_cases(&mut t);
    input_cases(&mut t);
    let mut rng = SplitMix64::new(11);
    let mut found = Found::default();
    let generations = 0..Tesla::GENERATIONS.len() as u8;
    for case in &t.0 {
        let before = found.0.len();
        for g in generations.clone() {
            for stage in [CS, VS, GS, FS].into_iter().filter(|s| case.stages & s != 0) {
                match stage {
                    CS => run_case(case, g, &mut rng, &mut found),
                    _ => stages::run_case(case, (g, stage), &mut rng, &mut found),
                }
            }
        }
        let named = Tesla::GENERATIONS.contains(&case.generation);
        assert!(named && (found.0.len() > before || !code_places(case).is_empty()), "{} is nowhere", case.text);
    }
    stages::flow(&mut found);
    crate::draw_rows::rows(&mut found);
    crate::image_rows::rows(&mut found);
    let mut all = BTreeSet::new();
    for (n, row) in table().rows.iter().enumerate() {
        for g in generations.clone().filter(|g| row.enc.iter().any(|e| e.generations >> g & 1 == 1)) {
            all.extend([CS, VS, GS, FS].into_iter().filter(|s| row.stages & s != 0).map(|s| (n as u16, g, s)));
        }
    }
    let name = |&(n, g, s): &(u16, u8, u8)| {
        let row = &table().rows[usize::from(n)];
        let stage = ["vp", "gp", "fp", "cp"][[VS, GS, FS, CS].iter().position(|&x| x == s).unwrap()];
        format!("{} in {stage}: {:?}: {} ({} bytes)", Tesla::GENERATIONS[usize::from(g)], row.op, row.text, row.bytes)
    };
    let missing: Vec<String> = all.difference(&found.0).map(name).collect();
    println!("{} cases, {} rows, {} by generation and program type", t.0.len(), table().rows.len(), all.len());
    assert!(missing.is_empty(), "{} missing: {missing:#?}", missing.len());
}

/// Generations and program types that have a case.
fn code_places(case: &Case) -> Vec<(u8, u8)> {
    let generations = 0..Tesla::GENERATIONS.len() as u8;
    let all = generations.flat_map(|g| [CS, VS, GS, FS].map(|s| (g, s)));
    all.filter(|&p| case.text.lines().all(|l| words(l, p, case.long).is_some())).collect()
}
