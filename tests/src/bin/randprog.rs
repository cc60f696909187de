//! `randprog --seed S --count N --on T[,T] --opt 0..3[,..] [--stage cs|fs]`
//!
//! Runs random programs on the oracle and on machines; every word must agree. A failing program is printed with its seed. The last
//! line is `N passed, M failed`.

use std::process::ExitCode;

use gpucc::CodegenOptions;
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions};
use gpucc_tests::exec::{self, On, Problem};
use gpucc_tests::randprog::{GROUPS, Generator, buffers};
use rayon::prelude::*;

const USAGE: &str = "usage: randprog --seed S --count N --on T[,T] --opt 0..3[,..] [--stage cs|fs] [--print]";

struct Args {
    seed: u64,
    count: u64,
    on: Vec<On>,
    opts: Vec<u8>,
    print: bool,
}

fn args() -> Result<Args, String> {
    let mut a = Args { seed: 0, count: 100, on: vec![], opts: vec![2], print: false };
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
            "--print" => a.print = true,
            _ => return Err(USAGE.into()),
        }
    }
    if a.on.is_empty() {
        return Err(USAGE.into());
    }
    Ok(a)
}

fn dispatch(seed: u64) -> Dispatch {
    let mut d = Dispatch::new([GROUPS, 1, 1]);
    for (group, binding, bytes, writable) in buffers(seed) {
        d.buffers.push(BoundBuffer { group, binding, bytes, writable });
    }
    d
}

/// Verdicts of one program: passed, and what failed.
fn program(seed: u64, a: &Args) -> (u64, Vec<String>) {
    let source = Generator::new(seed).program();
    if a.print {
        println!("// seed {seed}\n{source}");
    }
    let (mut passed, mut failed) = (0, Vec::new());
    let all = a.on.len() * a.opts.len();
    let module = match exec::lower(&source, "main", &[]) {
        Ok(m) => m,
        Err(p) => return (0, vec![format!("seed {seed}: {p}\n{source}"); all]),
    };
    let mut expected = dispatch(seed);
    let options = RunOptions { perturb: Some(seed), ..RunOptions::default() };
    let level = |opt_level: u8| CodegenOptions { opt_level, ..CodegenOptions::default() };
    if let Err(p) = exec::run(&module, "main", On::Interp, &level(0), &mut expected, &options) {
        return (0, vec![format!("seed {seed} on interp: {p}\n{source}"); all]);
    }
    for &on in &a.on {
        for &opt in &a.opts {
            let mut got = dispatch(seed);
            match exec::run(&module, "main", on, &level(opt), &mut got, &options) {
                Ok(_) if got == expected => passed += 1,
                Ok(_) => {
                    let place = (2..=3).find_map(|b| {
                        let (e, g) = (expected.words(0, b)?, got.words(0, b)?);
                        let i = e.iter().zip(&g).position(|(x, y)| x != y)?;
                        Some(format!("buffer 0:{b} word {i}: {:#x}, expected {:#x}", g[i], e[i]))
                    });
                    failed.push(format!("seed {seed} on {on} -O{opt}: {}", place.unwrap_or_default()));
                }
                // Out of registers and the like: an honest refusal is no wrong answer, but it is said.
                Err(p @ Problem::Refused(_)) => {
                    passed += 1;
                    eprintln!("seed {seed} on {on} -O{opt}: {p}");
                }
                Err(p) => failed.push(format!("seed {seed} on {on} -O{opt}: {p}")),
            }
        }
    }
    (passed, failed)
}

fn main() -> ExitCode {
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
    println!("{passed} passed, {} failed", failures.len());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
