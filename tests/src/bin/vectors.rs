//! `vectors --target FAMILY FILE.tsv...`: machine words against the text that outside tools give them.
//!
//! Each failing row is printed with its reason; the last line is `N passed, M failed`.

use std::process::ExitCode;

const USAGE: &str = "usage: vectors --target FAMILY FILE.tsv...";

fn run() -> Result<bool, String> {
    let usage = USAGE;
    let mut family = None;
    let mut paths = Vec::new();
    let mut it = std::env::args().skip(1);
    while let Some(arg) = it.next() {
        match arg.as_str() {
            "--target" => family = it.next(),
            _ if arg.starts_with("--") => return Err(usage.into()),
            _ => paths.push(arg),
        }
    }
    let family = family.ok_or(usage)?;
    let name = family.split(':').next().unwrap_or_default();
    let machine = gpucc_machines::find(name).ok_or_else(|| {
        let known: Vec<&str> = gpucc_machines::MACHINES.iter().map(|m| m.family).collect();
        format!("unknown family `{name}`; available: {}", known.join(", "))
    })?;
    if paths.is_empty() {
        return Err(usage.into());
    }
    let (mut passed, mut failed) = (0, 0);
    let mut out = String::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
        for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            match (machine.check_vector)(line) {
                Ok(()) => passed += 1,
                Err(why) => {
                    failed += 1;
                    out += &format!("FAIL {path}:{}: {why}\n", i + 1);
                }
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
