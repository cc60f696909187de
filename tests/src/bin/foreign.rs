//! Machine code of other compilers, run under hardware's rules.
//!
//! Each line is a launch description with checks. A line that cannot be read, whose family or generation is unknown, that
//! traps or gives another result is a failure, and printed with its reason; nothing is skipped. `--executed` prints what
//! each line that passes executed. The last line is `N passed, M failed`.

use std::process::ExitCode;

use clap::Parser;
use gpucc_sim::RunOptions;
use gpucc_tests::foreign;
use rayon::prelude::*;

/// Runs machine code of other compilers under the rules of hardware.
#[derive(Parser)]
struct Args {
    /// Files of launch descriptions, one a line.
    #[arg(required = true)]
    paths: Vec<String>,
    /// The seed of the runs.
    #[arg(long)]
    perturb: Option<u64>,
    /// Print what each line that passes executed.
    #[arg(long)]
    executed: bool,
}

fn run(Args { paths, perturb, executed }: Args) -> Result<bool, String> {
    let options = RunOptions { perturb, ..RunOptions::default() };
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
    gpucc_tests::ended(run(Args::parse()))
}
