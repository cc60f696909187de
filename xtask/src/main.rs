//! Project chores: `cargo xtask ci` runs every check, `cargo xtask docs` writes the pages that derive from tables,
//! `cargo xtask mutate` shows that the tests of the tables notice a wrong bit, `cargo xtask peers` writes the page about performance.

mod docs;
mod mutate;
mod peers;

use std::path::{Path, PathBuf};
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

/// Root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The cargo that runs us.
fn cargo() -> Command {
    let mut c = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    c.current_dir(root());
    c
}

fn ci() -> bool {
    for step in STEPS {
        eprintln!("== {}: cargo {}", step.title, step.args.join(" "));
        match cargo().args(step.args).envs(step.env.iter().copied()).status() {
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
    let args: Vec<String> = std::env::args().skip(1).collect();
    let ok = match args.first().map(String::as_str) {
        Some("ci") => ci(),
        Some("docs") => docs::run(args.get(1).map(String::as_str) == Some("--check")),
        Some("peers") => peers::run(&args[1..]),
        Some("mutate") => mutate::run(&args[1..]),
        _ => {
            eprintln!("usage: cargo xtask ci | docs [--check] | mutate [ROWS] [FAMILY...] | peers [FILE]");
            return ExitCode::from(2);
        }
    };
    if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
