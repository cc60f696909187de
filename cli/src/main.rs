//! The `gpucc` command. Exit codes: 0 done, 1 the input is wrong, 2 usage or I/O, 3 not supported here, 70 compiler bug.

mod args;
mod asm;
mod compile;
mod files;
mod input;
mod inspect;
mod report;
mod run;
mod stats;

use std::process::ExitCode;

use clap::Parser;
use gpucc_ir::{Class, Diagnostic};

use args::{Cli, Command};

/// Why a command did not do what was asked. Diagnostics have been shown already when one of these is returned.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// A file cannot be read or written.
    Io(String),
    /// The input is wrong: a shader, a listing, a report, a trap or a difference in a run.
    Input(String),
    /// Diagnostics were shown; the class decides.
    Shown(Class),
    /// Not supported on this target.
    Unsupported(String),
    /// Compiler bug.
    Bug(String),
}

impl Failure {
    fn code(&self) -> u8 {
        match self {
            Failure::Input(_) | Failure::Shown(Class::Invalid) => 1,
            Failure::Usage(_) | Failure::Io(_) => 2,
            Failure::Unsupported(_) | Failure::Shown(Class::Unsupported) => 3,
            Failure::Bug(_) | Failure::Shown(Class::Internal) => 70,
        }
    }
}

/// The class that decides the exit code of a list of diagnostics: a bug outweighs wrong input outweighs a refusal.
pub fn worst(diagnostics: &[Diagnostic]) -> Class {
    let classes = || diagnostics.iter().map(|d| d.class);
    if classes().any(|c| c == Class::Internal) {
        Class::Internal
    } else if classes().any(|c| c == Class::Invalid) {
        Class::Invalid
    } else {
        Class::Unsupported
    }
}

fn dispatch(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        None => compile::main(&cli.compile),
        Some(Command::Disasm(a)) => asm::disasm(&a),
        Some(Command::Asm(a)) => asm::asm(&a),
        Some(Command::Inspect(a)) => inspect::main(&a),
        Some(Command::Run(a)) => run::main(&a),
        Some(Command::Render(_)) => {
            Err(Failure::Unsupported("rendering needs vertex and fragment stages, which no target compiles yet".into()))
        }
        Some(Command::Stats(a)) => stats::main(&a),
        Some(Command::Diff(a)) => stats::diff(&a),
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let json = cli.wants_json();
    // Deep recursion in a dependency must not meet the platform's small main stack.
    let work = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(move || gpucc::guarded("the command", || Ok(dispatch(cli))));
    let result = match work.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(r))) => r,
        Ok(Ok(Err(bug))) => Err(Failure::Bug(bug.to_string())),
        Ok(Err(_)) => Err(Failure::Bug("the command's thread died".into())),
        Err(e) => Err(Failure::Io(format!("cannot start a thread: {e}"))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(f) => {
            let said = match &f {
                Failure::Usage(m) => Some(("usage", "error", m)),
                Failure::Io(m) => Some(("io", "error", m)),
                Failure::Input(m) => Some(("input", "error", m)),
                Failure::Unsupported(m) => Some(("unsupported", "not supported", m)),
                Failure::Bug(m) => Some(("bug", "compiler bug", m)),
                Failure::Shown(_) => None,
            };
            match said {
                Some((code, _, message)) if json => {
                    let severity = if code == "bug" { "bug" } else { "error" };
                    eprintln!(
                        "{}",
                        serde_json::json!({"severity": severity, "code": code, "message": message, "file": null,
                                           "line": null, "column": null, "target": null})
                    );
                }
                Some((_, kind, message)) => eprintln!("{kind}: {message}"),
                None => {}
            }
            ExitCode::from(f.code())
        }
    }
}
