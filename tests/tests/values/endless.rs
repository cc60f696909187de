//! Loops without an exit in branches that nobody takes: lanes that leave the loops around them leave once.

use gpucc::CodegenOptions;
use gpucc_ir::{Refusal, Stage};
use gpucc_scene::cases::{Body, Case, Expected};
use gpucc_scene::compare::Compare;
use gpucc_scene::read;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::cases::Verdict;
use gpucc_tests::exec::{self, On};
use gpucc_tests::{gfx, predict};
use rayon::prelude::*;

const LANES: u32 = 64;
const HEAD: &str = "\
@group(0) @binding(0) var<storage, read_write> o: array<i32>;
@group(0) @binding(1) var<uniform> never: i32;
";

/// A program that never ends.
const ENDLESS: [&str; 7] = [
    "while true { }",
    "while true { r += 1; }",
    "while true { if r > 3 { r -= 7; continue; } r++; }",
    "while true { switch r & 3 { case 1: { continue; } default: { r++; } } }",
    "while true { for (var q = 0; q < r; q++) { if q == b { break; } } }",
    "while true { for (;true;) { r++; } }",
    "if r == 5 { while true { } } else { while true { b++; } }",
];

/// The same of fragments, where lanes may be thrown away in it.
const DISCARDS: [&str; 4] = [
    "while true { discard; }",
    "loop { discard; continuing { break if r == i; } }",
    "while true { if b > r { discard; } r++; }",
    "for (var q = 0; q < 7; q++) { if q == r { discard; } while true { discard; } }",
];

/// Conditions that no lane meets: one for all lanes, one for each.
const NEVER: [&str; 2] = ["never != 0", "i + never == 1000"];

type Host = (&'static str, fn(i32) -> i32);

/// Functions with loops around X, and what they give.
const HOSTS: [Host; 4] = [
    (
        "var b = 0; var r = 0;
    while b <= 5 {
        if (i & 3) <= b { if b == 1 { if NEVER { X } r = b; break; } b = b + 1; continue; }
        r = 7; break;
    }
    return r + 1;",
        |i| if i & 3 == 0 { 2 } else { 8 },
    ),
    (
        "var b = 0; var r = 0;
    while b <= 5 {
        if (i & 1) == 0 { if b == 1 + ((i >> 1u) & 1) { if NEVER { X } return b * 10; } b = b + 1; continue; }
        return i;
    }
    return -1;",
        |i| if i & 1 == 0 { 10 + (i >> 1 & 1) * 10 } else { i },
    ),
    (
        "var b = 1; var r = 0;
    for (var k = 0; k < 4; k++) {
        switch (i + k) & 3 {
            case 0: { if NEVER { X } r += 1; continue; }
            case 1: { r += 10; break; }
            case 2: { if k == 2 { return r + 1000; } }
            default: { if NEVER { X } }
        }
        r += 100;
    }
    return r + b;",
        |i| {
            let mut r = 0;
            for k in 0..4 {
                match (i + k) & 3 {
                    0 => {
                        r += 1;
                        continue;
                    }
                    1 => r += 10,
                    2 if k == 2 => return r + 1000,
                    _ => {}
                }
                r += 100;
            }
            r + 1
        },
    ),
    (
        "var b = i & 7; var r = 0;
    loop {
        if b == 0 { break; }
        loop {
            if (b & 1) == 1 { if NEVER { X } break; }
            b = b / 2; r += 3;
            if r > 100 { if NEVER { X } return -2; }
        }
        b -= 1; r += 1;
        if r > 6 { if NEVER { X } return r; }
    }
    if NEVER { X }
    return r + 50;",
        |i| {
            let (mut b, mut r) = (i & 7, 0);
            while b != 0 {
                while b & 1 == 0 {
                    b /= 2;
                    r += 3;
                }
                b -= 1;
                r += 1;
                if r > 6 {
                    return r;
                }
            }
            r + 50
        },
    ),
];

fn function(host: &Host, endless: &str, never: &str) -> String {
    let body = host.0.replace('X', endless).replace("NEVER", never);
    format!("{HEAD}fn f(i: i32) -> i32 {{\n    {body}\n}}\n")
}

fn places() -> Vec<On> {
    std::iter::once(On::Interp).chain(exec::targets("all:all").into_iter().map(exec::on)).collect()
}

#[test]
fn endless_loops_that_nobody_enters_keep_no_lane() {
    let places = places();
    let mut jobs = Vec::new();
    for host in &HOSTS {
        jobs.extend(ENDLESS.iter().flat_map(|e| NEVER.iter().map(move |n| (host, *e, *n))));
    }
    let run = |(k, (host, endless, never)): (usize, &(&Host, &str, &str))| -> Vec<String> {
        let wgsl = format!(
            "{}@compute @workgroup_size({LANES}) fn main(@builtin(local_invocation_index) i: u32) {{\n    \
             o[i] += f(i32(i));\n}}\n",
            function(host, endless, never)
        );
        let m = exec::lower(&wgsl, "main", &[]).unwrap_or_else(|e| panic!("{e}\n{wgsl}"));
        let want: Vec<u32> = (0..LANES).map(|i| host.1(i as i32) as u32).collect();
        let mut wrong = Vec::new();
        for (p, &on) in places.iter().enumerate() {
            // All levels where lanes wait by masks that are computed, one elsewhere.
            let levels =
                if on.to_string().starts_with("gcn") { 0..4 } else { ((k + p) % 4) as u8..((k + p) % 4) as u8 + 1 };
            for opt_level in levels {
                let mut d = Dispatch::new([1; 3]).with_u32(0, 0, &[0; LANES as usize]).with_u32(0, 1, &[0]);
                let options = CodegenOptions { opt_level, ..CodegenOptions::default() };
                let limits = RunOptions { step_limit: 200_000, perturb: Some(3), ..RunOptions::default() };
                let said = match exec::run(&m, "main", on, &options, &mut d, &limits) {
                    Ok(_) if d.words(0, 0).as_ref() == Some(&want) => continue,
                    Ok(_) => format!("{:?}", d.words(0, 0)),
                    Err(e) => e.to_string(),
                };
                wrong.push(format!("{on} -O{opt_level}: {said}\n{wgsl}"));
            }
        }
        wrong
    };
    let wrong: Vec<String> = jobs.par_iter().enumerate().flat_map_iter(run).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[0]);
}

const SCENE: &str = include_str!("endless.toml");

#[test]
fn endless_loops_of_fragments_keep_no_lane() {
    let places: Vec<On> = places().into_iter().filter(|&on| !predict::documented(on, Refusal::Stage)).collect();
    let mut jobs = Vec::new();
    for host in &HOSTS {
        for endless in ENDLESS.iter().take(2).chain(&DISCARDS) {
            // A program that writes memory runs its helpers apart from the others.
            jobs.extend(NEVER.iter().zip(["true", "false"]).map(|(n, odd)| (host, *endless, *n, odd)));
        }
    }
    let run = |(host, endless, never, odd): &(&Host, &str, &str, &str)| -> Vec<String> {
        let shader = function(host, endless, never);
        let text = SCENE.replace("SHADER", &shader).replace("ODD", odd);
        let case = |text: &str| {
            let scene = read::parse(text, read::Language::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let bytes = (0..LANES).flat_map(|i| host.1(i as i32).to_le_bytes()).collect();
            let expect = vec![Expected { name: "t".into(), bytes, compare: Compare::exact() }];
            let body = Body::Scene(Box::new(scene));
            Case { id: "endless".into(), group: "endless".into(), requires: Vec::new(), body, expect }
        };
        let judged = |text: &str, on: &[On]| -> Vec<String> {
            let all: Vec<_> = on.iter().flat_map(|&on| (0..4).map(move |l| gfx::place(on, l))).collect();
            let verdicts = gfx::judge(&case(text), &all, Some(5)).into_iter().zip(&all);
            let wrong = verdicts.filter(|(v, _)| !matches!(v, Verdict::Passed));
            wrong.map(|(v, place)| format!("{place}: {v:?}\n{shader}")).collect()
        };
        // Where fragments have no storage buffers the store is left out.
        let stores = |on: &On| !predict::documented_in(*on, Stage::Fragment, Refusal::StorageBuffers);
        let (with, without): (Vec<On>, Vec<On>) = places.iter().copied().partition(stores);
        let bare = text.replace(&format!("    if {odd} {{ o[i] = i; }}\n"), "");
        [judged(&text, &with), judged(&bare, &without)].concat()
    };
    let wrong: Vec<String> = jobs.par_iter().flat_map_iter(run).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[0]);
}
