//! Project chores: `cargo xtask ci` runs every check, `cargo xtask docs` writes the pages that derive from tables.

use std::process::{Command, ExitCode};

/// One step of the checks.
struct Step {
    title: &'static str,
    args: &'static [&'static str],
    /// Environment for the step alone.
    env: &'static [(&'static str, &'static str)],
}

const STEPS: &[Step] = &[
    Step { title: "formatting", args: &["fmt", "--all", "--check"], env: &[] },
    Step {
        title: "clippy, warnings denied",
        args: &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
        env: &[],
    },
    Step {
        title: "documentation, warnings denied",
        args: &["doc", "--workspace", "--no-deps", "--quiet"],
        env: &[("RUSTDOCFLAGS", "-D warnings")],
    },
    Step { title: "tests", args: &["test", "--workspace", "--no-fail-fast"], env: &[("INSTA_UPDATE", "no")] },
];

fn ci() -> bool {
    for step in STEPS {
        eprintln!("== {}: cargo {}", step.title, step.args.join(" "));
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo).args(step.args).envs(step.env.iter().copied()).status();
        match status {
            Ok(s) if s.success() => {}
            Ok(s) => {
                eprintln!("== {} failed: {s}", step.title);
                return false;
            }
            Err(e) => {
                eprintln!("== {} could not be started: {e}", step.title);
                return false;
            }
        }
    }
    true
}

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let ok = match task.as_str() {
        "ci" => ci(),
        _ => {
            eprintln!("usage: cargo xtask ci");
            return ExitCode::from(2);
        }
    };
    if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
