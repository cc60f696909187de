//! Cases of rows in vertex, geometry and fragment programs, and control flow in every program type.

use crate::common::{code, container, play_container};
use crate::rows::{C0, Case, Found, code as code_of, inputs, judge, words};
use gpucc_container::{Preload, Source};
use gpucc_isa::Isa;
use gpucc_isa::stage::{CS, FS, GS, VS};
use gpucc_sim::{RunOptions, SplitMix64};
use gpucc_tesla_machine::{Io, Lanes, Shade, Shaded, Tesla, assemble, length, shade};

/// Words of `exit nop`.
const EXIT: [u32; 2] = [0xf000_0001, 0xe000_0781];

/// Runs a case over 32 lanes of inputs in another program type than compute, and compares.
pub fn run_case(case: &Case, place: (u8, u8), rng: &mut SplitMix64, found: &mut Found) {
    let name = format!("{} in program type {}", Tesla::GENERATIONS[usize::from(place.0)], place.1);
    let buffer = inputs(case, rng);
    let Some(mut code) = code_of(case, place, found) else { return };
    code.extend(EXIT.iter().flat_map(|w| w.to_le_bytes()));
    let register = |k: usize| -> Lanes { std::array::from_fn(|l| if k == 0 { 0 } else { buffer[32 * (k - 1) + l] }) };
    let mut r: Vec<(u8, Lanes)> = (1..8).map(|k| (k, register(usize::from(k)))).collect();
    r.extend([(11, [0x40; 32]), (12, register(6))]);
    r.extend((13..16).map(|k| (k, register(5))));
    // Words 16 and up are those that `$a1` points to.
    let words: Vec<Lanes> = (0..24).map(|k| if k % 16 < 8 { register(k % 16) } else { [0; 32] }).collect();
    let mut constants = vec![0; 16];
    constants.extend(C0);
    let start = Shade {
        stage: place.1,
        lanes: !0,
        registers: 64,
        r,
        c: vec![(0, register(7).map(|v| v as u8 & 15)), (1, [0; 32])],
        a: vec![(1, [0x40; 32])],
        constants: vec![(0, constants)],
        scratch: 64,
        io: Io { a: words.clone(), p: words, ..Io::default() },
        ..Shade::default()
    };
    let out =
        shade(&code, place.0, &start, &RunOptions::default()).unwrap_or_else(|t| panic!("{name}: {}: {t}", case.text));
    judge(case, &name, &buffer, |k, lane| out.r[12 + k].0[lane], |lane| out.c[1][lane]);
}

/// A listing, and `$r12` of each lane behind it, or a part of the trap's text. `$r1` is the lane, `$r12` 0, S of `$c0` set in odd
/// lanes, and c0[0x4c] the address of the label `There`.
struct Flow {
    listing: &'static str,
    stages: u8,
    want: Result<fn(u32) -> u32, &'static str>,
}

const ALL: u8 = VS | GS | FS | CS;

const FLOWS: &[Flow] = &[
    Flow {
        listing: "joinat Lend
            (s $c0) bra Lodd
            mov b32 $r12 0x1
            bra Lend
            Lodd:
            mov b32 $r12 0x2
            Lend:
            join nop",
        stages: ALL,
        want: Ok(|l| 1 + l % 2),
    },
    Flow {
        listing: "breakaddr Lout
            add b32 $r12 $r12 0x5
            (s $c0) break
            add b32 $r12 $r12 0x7
            break
            Lout:
            nop",
        stages: ALL,
        want: Ok(|l| if l % 2 == 1 { 5 } else { 12 }),
    },
    Flow {
        listing: "call Lsub
            add b32 $r12 $r12 0x1
            bra Lend
            Lsub:
            add b32 $r12 $r12 0x10
            (s $c0) ret
            add b32 $r12 $r12 0x100
            ret
            Lend:
            nop",
        stages: ALL,
        want: Ok(|l| if l % 2 == 1 { 0x11 } else { 0x111 }),
    },
    Flow {
        listing: "preret Lafter
            add b32 $r12 $r12 0x3
            ret
            add b32 $r12 $r12 0x100
            Lafter:
            nop",
        stages: ALL,
        want: Ok(|_| 3),
    },
    Flow {
        listing: "bra c0[0x4c]
            add b32 $r12 $r12 0x100
            add b32 $r12 $r12 0x9",
        stages: ALL,
        want: Ok(|_| 9),
    },
    // All lanes of the quads of the odd ones, then the odd ones again.
    Flow {
        listing: "joinat Lend
            (ns $c0) bra Lend
            quadon
            mov b32 $r12 0x4
            quadpop
            add b32 $r12 $r12 0x1
            Lend:
            join nop",
        stages: ALL,
        want: Ok(|l| 4 + l % 2),
    },
    Flow { listing: "bar inc wait 0x0 all", stages: CS, want: Ok(|_| 0) },
    Flow {
        listing: "bar inc wait 0x0 all",
        stages: !CS,
        want: Err("a barrier in a program that is no compute program"),
    },
    Flow { listing: "trap", stages: ALL, want: Err("trap instruction") },
    // One lane after the other.
    Flow {
        listing: "mov b32 $r5 0x0
            shl $a1 $r5 0x0
            st b32 s[$a1+0x40] $r5
            mov b32 $r5 0x1
            breakaddr Lend
            Ltry:
            ld lock $c1 $r4 b32 s[$a1+0x40]
            (l $c1) add b32 $r12 $r4 $r5
            (l $c1) st unlock b32 s[$a1+0x40] $r12
            (l $c1) break
            bra Ltry
            Lend:
            nop",
        stages: CS,
        want: Ok(|l| l + 1),
    },
];

/// Preamble of the listings: S of `$c0` is bit 0 of the lane in `$r1`.
const BEFORE: &str = "shl b32 $r2 $r1 0x1\nmov $c0 $r2\nmov b32 $r12 0x0\n";

/// Bytes of the instructions up to one that branches through c[] and the one behind it.
const SKIPPED: usize = 16;

/// Executes what changes the flow of control.
pub fn flow(found: &mut Found) {
    for g in 0..Tesla::GENERATIONS.len() as u8 {
        for stage in [VS, GS, FS, CS] {
            for f in FLOWS.iter().filter(|f| f.stages & stage != 0) {
                // A generation or a program type may lack it.
                let Ok(own) = assemble(f.listing, g, stage, true) else { continue };
                let got = run_flow(f, g, stage);
                mark_all(&own, (g, stage), found);
                match (got, f.want) {
                    (Ok(got), Ok(want)) => {
                        for (lane, v) in got.into_iter().enumerate() {
                            let place = Tesla::GENERATIONS[usize::from(g)];
                            assert_eq!(
                                v,
                                want(lane as u32),
                                "{place}, program type {stage}, lane {lane}: {}",
                                f.listing
                            );
                        }
                    }
                    (Err(t), Err(part)) => assert!(t.contains(part), "{t}"),
                    (Ok(_), Err(part)) => panic!("{} does not trap: {part}", f.listing),
                    (Err(t), Ok(_)) => panic!("generation {g}, program type {stage}: {}: {t}", f.listing),
                }
            }
            short_trap((g, stage), found);
        }
    }
    discards(found);
}

/// Marks all instructions of code.
pub fn mark_all(code: &[u8], place: (u8, u8), found: &mut Found) {
    let words: Vec<u32> = code.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let mut at = 0;
    while at < words.len() {
        let n = length(words[at]) / 4;
        found.mark(&words[at..at + n], place.0, place.1);
        at += n;
    }
}

fn run_flow(f: &Flow, g: u8, stage: u8) -> Result<Vec<u32>, String> {
    let lane_number = |l: usize| l as u32;
    if stage == CS {
        let name = Tesla::GENERATIONS[usize::from(g)];
        let before = format!("and b32 $r1 $r0 0x1f\n{BEFORE}");
        let listing = format!("{before}{}\nshl b32 $r3 $r1 0x2\nst b32 g0[$r3] $r12\nexit nop", f.listing);
        let mut c = container(name, code(name, &listing), [32, 1, 1], 1);
        let there = Source::Const((code(name, &before).len() + SKIPPED) as u32);
        c.entries[0].preloads.push(Preload { file: 0x80, lane: 0, index: 19, source: there });
        let out = play_container(&c, [1, 1, 1], &[&[0; 32]], None).map_err(|t| t.to_string())?;
        return Ok(out.0[0].clone());
    }
    let bytes = |text: &str| assemble(text, g, stage, true).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    let mut constants = vec![0; 20];
    constants[19] = (bytes(BEFORE).len() + SKIPPED) as u32;
    let start = Shade {
        stage,
        lanes: !0,
        registers: 16,
        r: vec![(1, std::array::from_fn(lane_number))],
        constants: vec![(0, constants)],
        ..Shade::default()
    };
    let out = shade(&bytes(&format!("{BEFORE}{}\nexit nop", f.listing)), g, &start, &RunOptions::default());
    out.map(|o| o.r[12].0.to_vec()).map_err(|t| t.to_string())
}

/// The trap of four bytes.
fn short_trap(place: (u8, u8), found: &mut Found) {
    let Some(one) = words("trap", place, false).filter(|w| w.len() == 1) else { panic!("no short trap") };
    found.mark(&one, place.0, place.1);
    let code: Vec<u8> = [one[0], 0x1000_8000].iter().chain(&EXIT).flat_map(|w| w.to_le_bytes()).collect();
    let said = if place.1 == CS {
        let c = container(Tesla::GENERATIONS[usize::from(place.0)], code, [32, 1, 1], 0);
        play_container(&c, [1, 1, 1], &[], None).map(|_| ()).map_err(|t| t.to_string())
    } else {
        let start = Shade { stage: place.1, lanes: !0, registers: 4, ..Shade::default() };
        shade(&code, place.0, &start, &RunOptions::default()).map(|_: Shaded| ()).map_err(|t| t.to_string())
    };
    assert!(said.as_ref().is_err_and(|t| t.contains("trap instruction")), "{said:?}");
}

/// Fragments that are discarded continue, and do not count.
fn discards(found: &mut Found) {
    for g in 0..Tesla::GENERATIONS.len() as u8 {
        let text = "(s $c0) discard\nadd b32 $r12 $r12 0x1\nexit nop";
        let code = assemble(text, g, FS, true).unwrap();
        mark_all(&code, (g, FS), found);
        let mut start = Shade { stage: FS, lanes: !0, registers: 16, r: vec![(12, [6; 32])], ..Shade::default() };
        start.c = vec![(0, std::array::from_fn(|l| 2 * (l as u8 % 2)))];
        start.io = Io { invisible: 0xf, discards: true, ..Io::default() };
        let out = shade(&code, g, &start, &RunOptions::default()).unwrap();
        assert_eq!((out.r[12].0, out.io.invisible), ([7; 32], 0xaaaa_aaaf));
        start.io.discards = false;
        let t = shade(&code, g, &start, &RunOptions::default()).unwrap_err();
        assert!(t.to_string().contains("FP_CONTROL"), "{t}");
    }
}
