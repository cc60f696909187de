//! Machine words against the text that outside tools give them.
//!
//! Each failing row is printed with its reason; the last line is `N passed, M failed`.

use std::process::ExitCode;

/// Compares machine words with the text that outside tools give them.
#[derive(clap::Parser)]
struct Args {
    /// The family.
    #[arg(long)]
    target: String,
    /// Files of vectors.
    #[arg(required = true)]
    paths: Vec<String>,
}

fn run(Args { target, paths }: Args) -> Result<bool, String> {
    let name = target.split(':').next().unwrap_or_default();
    let machine = gpucc_machines::find(name).ok_or_else(|| {
        let known: Vec<&str> = gpucc_machines::MACHINES.iter().map(|m| m.family).collect();
        format!("unknown family `{name}`; available: {}", known.join(", "))
    })?;
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
    gpucc_tests::ended(run(clap::Parser::parse()))
}
