//! `randprog --seed S --count N --on T[,T] --opt 0..3[,..] [--stage cs|fs] [--stress tight|fragment|spill-all[,..]]`
//!
//! Runs random programs on the oracle and on machines; every word must agree. A failing program is printed with its seed. A refusal
//! that `docs/support.md` predicts for the target is neither passed nor failed, any other is a failure; a table counts both by
//! code. The last line is `N passed, M failed`. `--stress` makes register allocation harder than it is, and checks it.

use std::process::ExitCode;

use gpucc::CodegenOptions;
use gpucc_tests::exec::{self, On};
use gpucc_tests::predict::Tally;
use gpucc_tests::randprog::{Failure, Generator, Program};
use rayon::prelude::*;

const USAGE: &str = "usage: randprog --seed S --count N --on T[,T] --opt 0..3[,..] [--stage cs|fs] [--stress tight|fragment|spill-all[,..]] [--print]";

struct Args {
    seed: u64,
    count: u64,
    on: Vec<On>,
    opts: Vec<u8>,
    stress: CodegenOptions,
    print: bool,
}

fn args() -> Result<Args, String> {
    let stress = CodegenOptions::default();
    let mut a = Args { seed: 0, count: 100, on: vec![], opts: vec![2], stress, print: false };
    let mut it = std::env::args().skip(1);
    while let Some(arg) = it.next() {
        let mut value = || it.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
        match arg.as_str() {
            "--seed" => a.seed = value()?.parse().map_err(|e| format!("--seed: {e}"))?,
            "--count" => a.count = value()?.parse().map_err(|e| format!("--count: {e}"))?,
            "--on" => a.on = exec::parse_on(&value()?)?,
            "--opt" => {
                let text = value()?;
                let level = |t: &str| t.parse().ok().filter(|l| *l <= 3).ok_or_else(|| format!("--opt {t}: 0 to 3"));
                a.opts = text.split(',').map(level).collect::<Result<_, _>>()?;
            }
            "--stage" => match value()?.as_str() {
                "cs" => {}
                "fs" => return Err("no target compiles fragment shaders yet".into()),
                other => return Err(format!("--stage {other}: cs or fs")),
            },
            "--stress" => {
                for what in value()?.split(',') {
                    match what {
                        "tight" => a.stress.tight = true,
                        "fragment" => a.stress.fragment = true,
                        "spill-all" => a.stress.spill_all = true,
                        other => return Err(format!("--stress {other}: tight, fragment, spill-all")),
                    }
                    a.stress.verify = true;
                }
            }
            "--print" => a.print = true,
            _ => return Err(USAGE.into()),
        }
    }
    if a.on.is_empty() {
        return Err(USAGE.into());
    }
    Ok(a)
}

/// Verdicts of one program: passed, what failed, and what was refused.
fn program(seed: u64, a: &Args) -> (u64, Vec<String>, Tally) {
    let mut tally = Tally::default();
    if a.print {
        println!("// seed {seed}\n{}", Generator::new(seed).program());
    }
    let p = match Program::new(seed) {
        Ok(p) => p,
        Err(e) => return (0, vec![e; a.on.len() * a.opts.len()], tally),
    };
    let (mut passed, mut failed) = (0, Vec::new());
    for &on in &a.on {
        for &opt_level in &a.opts {
            match p.check(on, &CodegenOptions { opt_level, ..a.stress.clone() }) {
                Ok(()) => passed += 1,
                Err(Failure::Refused(predicted, codes, why)) => {
                    tally.add(on, &codes, predicted);
                    if predicted {
                        println!("skip {why}");
                    } else {
                        failed.push(why);
                    }
                }
                Err(Failure::Wrong(why)) => failed.push(why),
            }
        }
    }
    (passed, failed, tally)
}

fn main() -> ExitCode {
    if gpucc_tests::asks_for_help(USAGE) {
        return ExitCode::SUCCESS;
    }
    let a = match args() {
        Ok(a) => a,
        Err(e) => {
            eprintln!("error: {e}");
            return ExitCode::from(2);
        }
    };
    if let Err(e) = rayon::ThreadPoolBuilder::new().stack_size(64 << 20).build_global() {
        eprintln!("error: cannot start threads: {e}");
        return ExitCode::from(2);
    }
    let results: Vec<_> = (0..a.count).into_par_iter().map(|k| program(a.seed.wrapping_add(k), &a)).collect();
    let passed: u64 = results.iter().map(|r| r.0).sum();
    let failures: Vec<&String> = results.iter().flat_map(|r| &r.1).collect();
    for f in &failures {
        println!("FAIL {f}");
    }
    let mut tally = Tally::default();
    results.iter().for_each(|r| tally.merge(r.2.clone()));
    print!("{tally}");
    println!("{passed} passed, {} failed", failures.len());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
