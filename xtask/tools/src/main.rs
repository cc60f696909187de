//! The program behind `cargo xtask docs|mutate|peers`.

use std::process::ExitCode;

use gpucc_tools::{docs, mutate, peers};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    let ok = match args.first().map(String::as_str) {
        Some("docs") => docs::run(rest.first().map(String::as_str) == Some("--check")),
        Some("peers") => peers::run(rest),
        Some("mutate") => mutate::run(rest),
        _ => {
            eprintln!(
                "usage: gpucc-tools docs [--check] | mutate [ROWS] [FAMILY...] | peers [FILE] | peers executed [-O2] [TARGET]"
            );
            return ExitCode::from(2);
        }
    };
    if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
