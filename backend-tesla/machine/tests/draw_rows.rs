//! Rows that take inputs from the hardware and give results to it: interpolation, o[], vertices of geometry programs (reference sections
//! 4.1, 4.3, 4.7 and 8, `graphics-tesla.md` 1.2 and 1.3).

use crate::rows::{Found, words};
use crate::stages::mark_all;
use gpucc_isa::Isa;
use gpucc_isa::stage::{CS, FS, GS, VS};
use gpucc_sim::{RunOptions, Trap};
use gpucc_tesla_machine::{Io, Lanes, Shade, Shaded, Tesla, assemble, shade};

fn lanes(of: impl Fn(usize) -> f32) -> Lanes {
    std::array::from_fn(|l| of(l).to_bits())
}

/// Words 0 and 1 of v[] are smooth, 2 is flat; beside the middle of the pixel all have half of it more. `$r1` is 4, `$c0` says odd lanes.
fn start(stage: u8) -> Shade {
    let word = |k: usize| [0.0, 0.5].map(|aside| lanes(|l| (10 * k + l) as f32 + aside));
    Shade {
        stage,
        lanes: !0,
        registers: 32,
        r: vec![(1, [4f32.to_bits(); 32]), (2, std::array::from_fn(|l| l as u32)), (12, [0; 32])],
        c: vec![(0, std::array::from_fn(|l| 2 * (l as u8 % 2)))],
        a: vec![(1, [8; 32])],
        io: Io { v: (0..3).map(|k| Some(word(k))).collect(), flat: 2, o: vec![([0; 32], 0); 4], ..Io::default() },
        ..Shade::default()
    }
}

fn run(text: &str, (g, stage): (u8, u8), found: &mut Found) -> Result<Shaded, Trap> {
    let code = assemble(&format!("{text}\nexit nop"), g, stage, true).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    mark_all(&code, (g, stage), found);
    shade(&code, g, &start(stage), &RunOptions::default())
}

/// One instruction in the form of four bytes, or of eight; what it leaves in `$r12`.
fn one(text: &str, g: u8, long: bool, found: &mut Found) -> Lanes {
    let mut words = words(text, (g, FS), long).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(words.len(), if long { 2 } else { 1 }, "{text}");
    found.mark(&words, g, FS);
    if !long {
        words.push(0x1000_8000 | 11 << 2 | 1 << 9); // mov b32 $r11 $r1
    }
    words.extend([0xf000_0001, 0xe000_0781]);
    let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    shade(&code, g, &start(FS), &RunOptions::default()).unwrap_or_else(|t| panic!("{text}: {t}")).r[12].0
}

/// Executes the rows.
pub fn rows(found: &mut Found) {
    for g in 0..Tesla::GENERATIONS.len() as u8 {
        for long in [false, true] {
            let mut check = |text: &str, want: &dyn Fn(usize) -> f32| {
                assert_eq!(one(text, g, long, found), lanes(want), "{} {text}", Tesla::GENERATIONS[usize::from(g)]);
            };
            check("interp $r12 v[0x4]", &|l| (10 + l) as f32);
            check("interp $r12 cent v[0x4]", &|l| (10 + l) as f32 + 0.5);
            check("interp $r12 v[0x4] $r1", &|l| 4.0 * (10 + l) as f32);
            check("interp $r12 cent v[0x4] $r1", &|l| 4.0 * ((10 + l) as f32 + 0.5));
            check("interp $r12 flat v[0x8]", &|l| (20 + l) as f32);
            if long {
                check("interp $r12 v[0x4] neg $r1", &|l| -4.0 * (10 + l) as f32);
            }
        }
        for stage in [VS, GS] {
            // Behind $a1 = 8; in odd lanes alone; by an instruction that computes.
            let text = "st b32 o[0x0] $r2\n(s $c0) st b32 o[0x4] $r1\nst b32 o[$a1] $r1\nadd b32 o[0xc] $r2 $r2";
            let out = run(text, (g, stage), found).unwrap();
            let number: Lanes = std::array::from_fn(|l| l as u32);
            assert_eq!(out.io.o[0], (number, !0));
            assert_eq!((out.io.o[1].0[1], out.io.o[1].1), (4f32.to_bits(), 0xaaaa_aaaa));
            assert_eq!(out.io.o[2], ([4f32.to_bits(); 32], !0));
            assert_eq!(out.io.o[3], (number.map(|n| 2 * n), !0));
            let t = run("st b32 o[0x10] $r2", (g, stage), found).unwrap_err();
            assert!(t.to_string().contains("o[0x10], there are 4 words"), "{t}");
        }
        no_outputs(g, found);
        geometry(g, found);
    }
}

/// Results of fragments are registers, those of compute programs memory: there o[] has no words.
fn no_outputs(g: u8, found: &mut Found) {
    let code = assemble("st b32 o[0x0] $r2\nexit nop", g, FS, true).unwrap();
    mark_all(&code, (g, FS), found);
    let mut none = start(FS);
    none.io.o.clear();
    let t = shade(&code, g, &none, &RunOptions::default()).unwrap_err();
    assert!(t.to_string().contains("o[0x0], there are 0 words"), "{t}");
    let name = Tesla::GENERATIONS[usize::from(g)];
    let code = crate::common::code(name, "st b32 o[0x0] $r0\nexit nop");
    mark_all(&code, (g, CS), found);
    let c = crate::common::container(name, code, [32, 1, 1], 0);
    let t = crate::common::play_container(&c, [1, 1, 1], &[], None).unwrap_err();
    assert!(t.to_string().contains("o[0x0], there are 0 words"), "{t}");
}

/// A vertex of all lanes, the begin of a primitive in odd ones, a vertex of those; o[] is undefined behind a vertex.
fn geometry(g: u8, found: &mut Found) {
    let text = "st b32 o[0x0] $r2\nst b32 o[0x4] $r1\nemit\n(s $c0) restart\nst b32 o[0x0] $r1\n(s $c0) emit";
    let out = run(text, (g, GS), found).unwrap();
    let facts: Vec<_> = out.io.emitted.iter().map(|e| (e.lanes, e.vertex.as_ref().map(|v| [v[0].1, v[1].1]))).collect();
    let odd = 0xaaaa_aaaa;
    assert_eq!(facts, [(!0, Some([!0, !0])), (odd, None), (odd, Some([!0, 0]))]);
    let of = |k: usize, word: usize, lane: usize| out.io.emitted[k].vertex.as_ref().unwrap()[word].0[lane];
    assert_eq!([of(0, 0, 7), of(0, 1, 7), of(2, 0, 7)], [7, 4f32.to_bits(), 4f32.to_bits()]);
    assert_eq!(out.io.o[0].1, !odd);
}
