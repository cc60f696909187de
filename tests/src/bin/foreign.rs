//! `foreign FILE.jsonl... [--perturb SEED] [--executed]`: machine code of other compilers, run under hardware's rules.
//!
//! Each line is a launch description with checks. A line that cannot be read, whose family or generation is unknown, that
//! traps or gives another result is a failure, and printed with its reason; nothing is skipped. `--executed` prints what
//! each line that passes executed. The last line is `N passed, M failed`.

use std::process::ExitCode;

use gpucc_sim::RunOptions;
use gpucc_tests::foreign;
use rayon::prelude::*;

const USAGE: &str = "usage: foreign FILE.jsonl... [--perturb SEED] [--executed]";

fn run() -> Result<bool, String> {
    let mut paths = Vec::new();
    let mut options = RunOptions::default();
    let mut executed = false;
    let mut it = std::env::args().skip(1);
    while let Some(arg) = it.next() {
        match arg.as_str() {
            "--perturb" => {
                let seed = it.next().and_then(|s| s.parse().ok());
                options.perturb = Some(seed.ok_or_else(|| format!("--perturb needs a number\n{USAGE}"))?);
            }
            "--executed" => executed = true,
            _ if arg.starts_with("--") => return Err(USAGE.into()),
            _ => paths.push(arg),
        }
    }
    if paths.is_empty() {
        return Err(USAGE.into());
    }
    let mut lines = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
        let of = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty());
        lines.extend(of.map(|(i, l)| (format!("{path}:{}", i + 1), l.to_string())));
    }
    let done: Vec<_> = lines.par_iter().map(|(_, line)| foreign::judge(line, &options)).collect();
    let (mut passed, mut failed) = (0, 0);
    let mut out = String::new();
    for ((place, _), result) in lines.iter().zip(&done) {
        match result {
            Ok((launch, report)) => {
                passed += 1;
                if executed {
                    out += &format!("{place} {}: {} instructions\n", launch.id, report.instructions);
                }
            }
            Err((id, why)) => {
                failed += 1;
                out += &format!("FAIL {place} {id}: {why}\n");
            }
        }
    }
    print!("{out}");
    println!("{passed} passed, {failed} failed");
    if passed + failed == 0 {
        return Err("nothing was compared: the files have no line".into());
    }
    Ok(failed == 0)
}

fn main() -> ExitCode {
    if gpucc_tests::asks_for_help(USAGE) {
        return ExitCode::SUCCESS;
    }
    gpucc_tests::ended(run())
}
