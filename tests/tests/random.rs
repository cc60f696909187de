//! Random programs on the oracle and on every machine: no word differs. `randprog` runs more of them.

use gpucc::{CodegenOptions, Target};
use gpucc_tests::examples::all;
use gpucc_tests::exec::{self, On, POOR, RICH};
use gpucc_tests::randprog::{Failure, Generator, Program};
use gpucc_tests::shared::workspace;
use rayon::prelude::*;

#[test]
fn same_answers_everywhere() {
    let targets = Target::parse_list("all").expect("all families");
    let mut places: Vec<On> = targets.into_iter().map(On::Machine).collect();
    places.extend([On::Passes { lowered: false }, On::Passes { lowered: true }]);
    let count: u64 = std::env::var("GPUCC_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let failures: Vec<String> = (0..count)
        .into_par_iter()
        .flat_map_iter(|seed| {
            let mut failures = Vec::new();
            match Program::new(seed) {
                Err(e) => failures.push(e),
                Ok(p) => {
                    // Each seed at two of the four levels; each level gets half of the seeds.
                    for opt_level in [(seed % 2) as u8, 2 + (seed / 2 % 2) as u8] {
                        let codegen = CodegenOptions { opt_level, verify: true, ..CodegenOptions::default() };
                        for on in &places {
                            match p.check(*on, &codegen) {
                                Ok(()) => {}
                                // A refusal that is predicted tests nothing: no family's default generation has one.
                                Err(Failure::Wrong(why) | Failure::Refused(_, _, why)) => failures.push(why),
                            }
                        }
                    }
                }
            }
            failures
        })
        .collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// The optimiser leaves out passes that found nothing and were given nothing since: they would find nothing.
#[test]
fn passes_that_are_left_out_would_find_nothing() {
    let count: u64 = std::env::var("GPUCC_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let mut sources: Vec<String> = (0..count).map(|seed| Generator::new(seed).program()).collect();
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

/// The same seed gives the same program, and programs have what they are to test.
#[test]
fn programs_are_deterministic_and_varied() {
    let all: String = (0..200).map(|s| Generator::new(s).program()).collect();
    assert_eq!(all, (0..200).map(|s| Generator::new(s).program()).collect::<String>());
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
    ] {
        assert!(all.contains(part), "no program has `{part}`");
    }
}
