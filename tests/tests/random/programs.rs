//! Random programs on the oracle, before and after the target-independent passes: no word differs. `backend-X/tests/suites.rs` runs
//! them on the machines, `randprog` more of them.

use gpucc_ir::{Refusal, Stage};
use gpucc_kit::{predict, suite};
use gpucc_tests::examples::all;
use gpucc_tests::exec::{self, For, On, POOR, RICH};
use gpucc_tests::randfs::Drawn;
use gpucc_tests::randprog::{Failure, Generator, Kind};
use gpucc_tests::shared::workspace;
use rayon::prelude::*;

#[test]
fn passes_change_no_answer() {
    let places = [On::Passes(For::Rich), On::Passes(For::Poor)];
    suite::report(&suite::run_random(&places, suite::random_count()));
}

/// The optimiser leaves out passes that found nothing and were given nothing since: they would find nothing.
#[test]
fn passes_that_are_left_out_would_find_nothing() {
    let mut sources: Vec<String> = (0..suite::random_count()).map(|seed| Generator::new(seed).program()).collect();
    for e in all() {
        sources.push(std::fs::read_to_string(workspace().join("examples").join(e.file)).expect("an example"));
    }
    let left_out: u64 = sources
        .into_par_iter()
        .map(|source| {
            let m = exec::lower(&source, "main", &[]).unwrap_or_else(|p| panic!("{p}\n{source}"));
            let mut left_out = 0;
            for (level, caps) in (1..=3).flat_map(|l| [(l, &RICH), (l, &POOR)]) {
                let with = |idle| {
                    let o = gpucc_opt::Options { level, idle, verify: false, ..gpucc_opt::Options::default() };
                    gpucc_opt::prepare(&m, "main", caps, &o).unwrap_or_else(|e| panic!("{e}"))
                };
                let ((few, report), (all, whole)) = (with(false), with(true));
                assert!(few.to_string() == all.to_string(), "-O{level}: another result\n{source}");
                let changes = |r: &gpucc_opt::Report| r.times.iter().map(|t| t.changes).sum::<u64>();
                assert_eq!(changes(&report), changes(&whole), "-O{level}: changes\n{source}");
                left_out += (whole.times.len() - report.times.len()) as u64;
            }
            left_out
        })
        .sum();
    assert!(left_out > 0, "all passes run always: nothing is tested");
}

/// Whether a program has a switch in a loop that `has` holds for; given are its lines, the first one with the selector.
fn switch_in_loop(program: &str, has: impl Fn(&[&str]) -> bool) -> bool {
    let lines: Vec<&str> = program.lines().collect();
    let depth = |l: &str| l.len() - l.trim_start().len();
    let starts = |l: &str, words: &[&str]| words.iter().any(|w| l.trim_start().starts_with(w));
    // The innermost line that opens what this line is in, and so on outwards.
    let in_loop = |at: usize| {
        let mut d = depth(lines[at]);
        lines[..at].iter().rev().any(|l| {
            let opens = depth(l) < d && l.ends_with('{') && d > 0;
            d = if opens { depth(l) } else { d };
            opens && starts(l, &["for ", "while ", "loop "])
        })
    };
    (0..lines.len()).filter(|&k| starts(lines[k], &["switch "]) && in_loop(k)).any(|k| {
        let len = lines[k + 1..].iter().take_while(|l| depth(l) > depth(lines[k])).count();
        has(&lines[k..=k + len])
    })
}

#[test]
fn loops_have_switches_of_all_kinds() {
    let programs: Vec<String> = (0..300).map(|s| Generator::new(s).program()).collect();
    // Statements that end a case.
    let ends = |lines: &[&str], with: &str| lines.windows(2).any(|w| w[0].trim() == with && w[1].trim() == "}");
    let case = |l: &str, n: usize| l.trim_start().starts_with("case ") && l.matches(',').count() + 1 >= n;
    type Check<'a> = &'a dyn Fn(&[&str]) -> bool;
    let checks: [(&str, Check<'_>); 10] = [
        ("a default of its own", &|l| l.iter().any(|l| l.trim() == "default: {")),
        ("a default among selectors", &|l| l.iter().any(|l| case(l, 2) && l.contains("default"))),
        ("four selectors of a case", &|l| l.iter().any(|l| case(l, 4))),
        ("negative selectors", &|l| l.iter().any(|l| case(l, 1) && l.contains('-'))),
        ("sparse selectors", &|l| l.iter().any(|l| case(l, 1) && l.contains("5000015u"))),
        ("a case that ends with break", &|l| ends(l, "break;")),
        ("a case that ends with continue", &|l| ends(l, "continue;")),
        ("a conditional continue", &|l| l.iter().any(|l| l.contains("{ continue; }"))),
        ("a divergent selector", &|l| l[0].contains("switch ((me + ")),
        ("a selector that changes with the rounds", &|l| l[0].contains(" + at")),
    ];
    for (what, check) in checks {
        assert!(programs.iter().any(|p| switch_in_loop(p, check)), "no switch in a loop has {what}");
    }
    assert!(!switch_in_loop("for {\n}\nswitch x {\n}\n", |_| true), "none is in the loop");
    assert!(switch_in_loop("for {\n  if {\n    switch x {\n    }\n  }\n}\n", |_| true), "one is");
}

/// The same seed gives the same program, and programs have what they are to test.
#[test]
fn programs_are_deterministic_and_varied() {
    let all: String = (0..500).map(|s| Generator::new(s).program()).collect();
    assert_eq!(all, (0..500).map(|s| Generator::new(s).program()).collect::<String>());
    for part in [
        "continue;",
        "break;",
        "continuing {",
        "while ",
        "switch ",
        "case default",
        "workgroupBarrier",
        "atomicAdd(&tally",
        "atomicAdd(&counters",
        "table[",
        "ptr<function",
        "mat3x3",
        "transpose(",
        "determinant(",
        "Pair(",
        "bitcast<",
        "cross(",
        "pack4x8unorm(",
        "unpack2x16float(",
        "dot4I8Packed(",
        "insertBits(",
        "arrayLength(",
        "zeros[",
        "return;",
        "all(",
        // Lanes of loaded vectors in another order, and some of them.
        "] = cells[me].q[0].wzyx;",
        "params.w.rg",
        "source.quads[",
        "].wzyx",
        "source.trios[",
        "].rg",
        "cells[me].a.zx",
        "cells[me].f.gr",
        // Stores to lanes in buffers and variables, known and not.
        "cells[me].b.z = ",
        "cells[me].g.a = ",
        "cells[me].a.y += ",
        "u] = vec3<u32>(",
        "cells[me].c[",
        "    cells[me].a = cells[me].a.",
        // Each way to pack and to unpack.
        "pack4xI8(",
        "pack4xU8(",
        "pack4xI8Clamp(",
        "pack4xU8Clamp(",
        "unpack4xI8(",
        "unpack4xU8(",
        "pack4x8snorm(",
        "pack2x16unorm(",
        "pack2x16snorm(",
        "pack2x16float(",
        "unpack4x8unorm(",
        "unpack4x8snorm(",
        "unpack2x16unorm(",
        "unpack2x16snorm(",
        "quantizeToF16(",
        // Memory that invocations and workgroups share.
        "atomicSub(&counters.u[6]",
        "atomicXor(&counters.u[1]",
        "atomicMax(&counters.u[2]",
        "atomicOr(&counters.u[3]",
        "atomicMin(&counters.u[4]",
        "atomicAnd(&counters.u[5]",
        "atomicMax(&counters.i[0]",
        "atomicMin(&counters.i[1]",
        "atomicExchange(&own[",
        "atomicMin(&marks[",
        "atomicAnd(&tally[",
        "    storageBarrier();",
        "cells[me ^ ",
        "workgroupUniformLoad(",
        "exchange(x0",
        "= slots[(lid ^ ",
        ">>= 1u) {",
        // Branches that nobody takes, and what never ends in them.
        "if params.a > 15u {",
        "&& me > 4000u {",
        "zeros[me] != 0u",
        "while true { }",
        "loop { continuing { break if",
        "while true {",
        "{ continue; } }",
    ] {
        assert!(all.contains(part), "no program has `{part}`");
    }
    let fragments: String = (0..300).map(|s| Generator::of(s, Kind::Fragment).program()).collect();
    for part in [
        "    if params.a > 15u {\n        discard;",
        "while true { discard; }",
        "loop { discard; continuing {",
        "{ discard; continue; }",
    ] {
        assert!(fragments.contains(part), "no fragment program has `{part}`");
    }
    // Exits of the entry point in a loop.
    for part in ["{ discard; }\n        ", "{ return Colours("] {
        assert!(fragments.contains(part), "no fragment program has `{part}`");
    }
}

/// Random fragment programs draw what compute programs of the same meaning compute, on the oracle, behind the passes and on the
/// machines that draw.
#[test]
fn fragment_programs_draw_what_their_twins_compute() {
    let places: Vec<On> = [On::Interp, On::Passes(For::Poor)]
        .into_iter()
        .chain(crate::draws::drawing::pictures("all").into_iter().map(exec::on))
        .collect();
    let stores = |on: On| !predict::documented_in(on, Stage::Fragment, Refusal::StorageBuffers);
    let wrong: Vec<String> = (0..suite::random_count() / 2)
        .into_par_iter()
        .flat_map_iter(|seed| {
            let [p, bare] = [false, true].map(|bare| Drawn::new(seed, bare).unwrap_or_else(|e| panic!("{e}")));
            let one = |(on, level): (On, u8)| {
                let p = if stores(on) { &p } else { &bare };
                match p.check(on, level) {
                    Ok(()) => None,
                    Err(Failure::Refused(true, ..)) => None,
                    Err(Failure::Refused(_, _, why) | Failure::Wrong(why)) => Some(format!("{why}\n{}", p.source())),
                }
            };
            let all = places.iter().flat_map(|&on| [(on, 0), (on, 2)]);
            // The oracle draws those without storage, too.
            let also = bare.check(On::Interp, 0).err().map(|_| format!("seed {seed} without storage on the oracle"));
            all.filter_map(one).chain(also).collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong[0]);
}
