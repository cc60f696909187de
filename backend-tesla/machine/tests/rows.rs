//! Every row is executed, with results worked out from the ISA reference (sections 7.1 to 7.5 and the seed's pseudocode) by the small
//! functions below, which share nothing with the machine.

#![allow(clippy::type_complexity, clippy::too_many_arguments, reason = "rows of a table of expectations")]

mod conversion;
mod float;
mod integer;
mod memory;

use crate::stages;
use conversion::*;
use float::*;
use gpucc_container::{Preload, Source};
use gpucc_isa::Isa;
use gpucc_isa::stage::{self, CS, FS, GS, VS};
use gpucc_sim::SplitMix64;
use gpucc_tesla_machine::{Kind, Op, Tesla, Ty, Width, asm_words_line, assemble, decode_word, table};
use integer::*;
use memory::*;
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
struct Frame {
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Frame {
    fn of(generation: u8) -> Frame {
        let bytes = |text: &str| assemble(text, generation, CS, true).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
        let load = |k| format!("ld b32 $r{k} g0[$r9]\nadd b32 $r9 $r9 0x80\n");
        let loads: String = (1..8).map(load).collect();
        let before = "
            and b32 $r9 $r0 0x1f
            shl b32 $r10 $r9 0x4
            shl b32 $r9 $r9 0x2
            mov b32 $r0 $r9
            LOADS
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
        let after = "
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
        Frame { before: bytes(&before.replace("LOADS", &loads)), after: bytes(after) }
    }
}

/// Words of a line, unless a generation and program type have no such instruction.
pub fn words(text: &str, (generation, stage): (u8, u8), long: bool) -> Option<Vec<u32>> {
    let hex = asm_words_line(text, generation, stage, long).ok()?;
    Some(hex.split(' ').map(|w| u32::from_str_radix(&w[2..], 16).unwrap()).collect())
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
fn run_case(case: &Case, generation: u8, frame: &Frame, rng: &mut SplitMix64, found: &mut Found) {
    let name = Tesla::GENERATIONS[usize::from(generation)];
    let buffer = inputs(case, rng);
    let Some(middle) = code(case, (generation, CS), found) else { return };
    let code = [&frame.before[..], &middle, &frame.after].concat();
    let mut c = crate::common::container(name, code, [32, 1, 1], 3);
    for (i, v) in C0.into_iter().enumerate() {
        c.entries[0].preloads.push(Preload { file: 0x80, lane: 0, index: 16 + i as u16, source: Source::Const(v) });
    }
    let (out, _) = crate::common::play_container(&c, [1, 1, 1], &[&buffer, &[0; 5 * 32], &[0; 4 * 32]], None)
        .unwrap_or_else(|t| panic!("{name}: {}: {t}", case.text));
    judge(case, name, &buffer, |k, lane| out[1][k * 32 + lane], |lane| out[1][4 * 32 + lane] as u8);
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
    let frames: Vec<Frame> = generations.clone().map(Frame::of).collect();
    for case in &t.0 {
        let before = found.0.len();
        for g in generations.clone() {
            for stage in [CS, VS, GS, FS].into_iter().filter(|s| case.stages & s != 0) {
                match stage {
                    CS => run_case(case, g, &frames[usize::from(g)], &mut rng, &mut found),
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
