//! The `gpucc` command. Exit codes: 0 done, 1 the input is wrong, 2 usage or I/O, 3 not supported here, 70 compiler bug.

// Both panic where the disk is full or the pipe is closed: output goes through `files`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod asm;
mod assemble;
mod closed;
mod comparison;
mod compile;
mod diff;
mod effect;
mod explain;
mod files;
mod gate;
mod graph;
mod input;
mod inspect;
mod junit;
#[cfg(test)]
mod matrix;
#[cfg(test)]
mod page;
mod pipeline;
mod progress;
mod reduce;
mod render;
mod report;
mod rows;
mod run;
mod sarif;
mod serve;
mod shaders;
mod shell;
mod stack;
mod stats;
mod table;
mod targets;
mod traps;
mod vulkan;
mod words;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Subcommand};
use gpucc_ir::{Class, Diagnostic, Refusal};

use args::{Cli, Command, MessageFormat, Messages};

/// Why a command did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// A file cannot be read or written.
    Io(String),
    /// The input is wrong: a shader, a listing, a report, a trap or a difference in a run.
    Input(String),
    /// A scene is wrong.
    Scene(gpucc_scene::SceneError),
    /// Not supported on this target.
    Unsupported(Refusal, String),
    /// Compiler bug.
    Bug(String),
    /// The fault has been said; the exit code is left.
    Said(u8),
}

impl From<Class> for Failure {
    /// Diagnostics were shown; the class decides.
    fn from(class: Class) -> Failure {
        Failure::Said(match class {
            Class::Invalid => 1,
            Class::Unsupported => 3,
            Class::Internal => 70,
        })
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Usage(m) | Failure::Io(m) | Failure::Input(m) | Failure::Unsupported(_, m) | Failure::Bug(m) => {
                f.write_str(m)
            }
            Failure::Scene(e) => {
                write!(f, "{e}")
            }
            Failure::Said(code) => write!(f, "exit code {code}"),
        }
    }
}

impl Failure {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Input(_) | Failure::Scene(_) => 1,
            Failure::Usage(_) | Failure::Io(_) => 2,
            Failure::Unsupported(..) => 3,
            Failure::Bug(_) => 70,
            Failure::Said(code) => *code,
        }
    }

    /// Its code and kind; nothing of what was said.
    fn kind(&self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Failure::Usage(_) => ("usage", "error"),
            Failure::Io(_) => ("io", "error"),
            Failure::Input(_) | Failure::Scene(_) => ("input", "error"),
            Failure::Unsupported(code, _) => (code.name(), "not supported"),
            Failure::Bug(_) => ("bug", "compiler bug"),
            Failure::Said(_) => return None,
        })
    }

    /// The message as an object: that of a scene has file and field apart.
    fn json(&self, code: &str) -> serde_json::Value {
        let severity = if code == "bug" { "bug" } else { "error" };
        match self {
            Failure::Scene(e) => serde_json::json!({"severity": severity, "code": code, "message": e.message,
                "file": Some(&e.file).filter(|f| !f.is_empty()), "field": e.field, "line": e.place.map(|p| p.0), "column": e.place.map(|p| p.1),
                "target": null}),
            _ => serde_json::json!({"severity": severity, "code": code, "message": self.to_string(),
                "file": null, "line": null, "column": null, "target": null}),
        }
    }

    /// Says it on standard error, once.
    pub fn say(&self, messages: &Messages) {
        let Some((code, kind)) = self.kind() else { return };
        if messages.message_format == MessageFormat::Json {
            files::stderr(&format!("{}\n", self.json(code)));
        } else if messages.colored() {
            files::stderr(&format!("\x1b[1;31m{kind}\x1b[0m: {}\n", report::plain(&self.to_string())));
        } else {
            files::stderr(&format!("{kind}: {}\n", report::plain(&self.to_string())));
        }
    }
}

/// Continues after failures: each is said, the worst is kept.
#[derive(Default)]
pub struct Worst(Option<u8>);

impl Worst {
    /// Says a failure and keeps its exit code if it is the worst so far: a bug outweighs usage and I/O outweighs wrong
    /// input outweighs a refusal.
    pub fn add(&mut self, failure: &Failure, messages: &Messages) {
        failure.say(messages);
        let rank = |code: u8| [3, 1, 2, 70].iter().position(|c| *c == code);
        if self.0.is_none_or(|c| rank(failure.code()) > rank(c)) {
            self.0 = Some(failure.code());
        }
    }

    /// The rest: the exit code.
    ///
    /// # Errors
    /// The worst failure.
    pub fn result(self) -> Result<(), Failure> {
        self.0.map_or(Ok(()), |code| Err(Failure::Said(code)))
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

/// The end of a command after diagnostics were shown. Where the system had no thread for the frontend, nothing is said of the input.
pub fn failure(diagnostics: &[Diagnostic]) -> Failure {
    if diagnostics.iter().any(|d| d.code == "io") { Failure::Said(2) } else { worst(diagnostics).into() }
}

fn dispatch(cli: &Cli) -> Result<(), Failure> {
    let messages = &cli.messages;
    match &cli.command {
        None => compile::main(&cli.compile, messages),
        Some(Command::Disasm(a)) => asm::disasm(a),
        Some(Command::Asm(a)) => asm::asm(a, messages),
        Some(Command::Inspect(a)) => inspect::main(a),
        Some(Command::Run(a)) => run::main(a, messages),
        Some(Command::Render(a)) => render::main(a, messages),
        Some(Command::Explain(a)) => explain::main(a, messages),
        Some(Command::Serve(a)) => serve::main(a),
        Some(Command::Completions(a)) => shell::completions(a),
        Some(Command::Man(a)) => shell::man(a),
        Some(Command::Reduce(a)) => reduce::main(a),
        Some(Command::Stats(a)) => stats::main(a, messages),
        Some(Command::Diff(a)) => diff::main(a),
        Some(Command::Icd(a)) => vulkan::icd(a),
        Some(Command::Exec(a)) => vulkan::exec(a, messages),
    }
}

/// The value of `--NAME`, before the command line has been understood.
fn early(name: &str) -> Option<String> {
    let mut args = std::env::args_os().map(|a| a.to_string_lossy().into_owned());
    while let Some(a) = args.next() {
        match a.strip_prefix(name) {
            Some("") => return args.next(),
            Some(rest) if rest.starts_with('=') => return rest.strip_prefix('=').map(String::from),
            _ => {}
        }
    }
    None
}

/// The arguments of a compilation without a command, where they are right. Options of the other commands are a tenth of the work of a small shader.
fn compilation() -> Option<Cli> {
    let names_a_command = |a: OsString| a.to_str().is_some_and(|a| a == "help" || args::Command::has_subcommand(a));
    if std::env::args_os().skip(1).any(names_a_command) {
        return None;
    }
    let command = args::Messages::augment_args(args::Compile::augment_args(
        clap::Command::new("gpucc").version(env!("CARGO_PKG_VERSION")),
    ));
    let matches = command.try_get_matches_from(std::env::args_os()).ok()?;
    Some(Cli {
        command: None,
        compile: args::Compile::from_arg_matches(&matches).ok()?,
        messages: args::Messages::from_arg_matches(&matches).ok()?,
    })
}

fn parse() -> Result<Cli, clap::Error> {
    if let Some(cli) = compilation() {
        return Ok(cli);
    }
    let choice = match early("--color").as_deref() {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    };
    let command = Cli::command().color(choice).mut_subcommands(|c| c.next_line_help(true));
    let args = command_first(std::env::args_os().collect(), &command);
    Cli::from_arg_matches(&command.next_line_help(true).try_get_matches_from(args)?)
}

/// The arguments with the command in front of options about messages: the parser sees no command behind an option.
fn command_first(mut args: Vec<OsString>, command: &clap::Command) -> Vec<OsString> {
    let mut at = 1;
    while let Some(a) = args.get(at).and_then(|a| a.to_str()) {
        at += match a.strip_prefix("--color").or_else(|| a.strip_prefix("--message-format")) {
            Some("") => 2,
            Some(value) if value.starts_with('=') => 1,
            _ => break,
        };
    }
    let name = args.get(at).and_then(|a| a.to_str());
    if at > 1 && name.is_some_and(|n| n == "help" || command.find_subcommand(n).is_some()) {
        args[1..=at].rotate_right(1);
        // `help` takes names of commands alone; its colours have been chosen.
        if args[1] == "help" {
            args.drain(2..=at);
        }
    }
    args
}

/// Columns of help.
const COLUMNS: usize = 80;

/// Help whose lines have 80 columns at most: longer ones continue under their first word. Escapes of colour have no width.
fn folded(help: &str) -> String {
    let width = |s: &str| {
        let (mut n, mut escape) = (0, false);
        for c in s.chars() {
            match (escape, c) {
                (_, '\x1b') => escape = true,
                (true, 'm') => escape = false,
                (true, _) => {}
                (false, _) => n += 1,
            }
        }
        n
    };
    let mut out = String::new();
    for line in help.lines() {
        let indent: String = line.chars().take_while(|c| *c == ' ').collect();
        let (mut now, mut columns) = (indent.clone(), indent.len());
        for word in line[indent.len()..].split_inclusive(' ') {
            if columns > indent.len() && columns + width(word.trim_end()) > COLUMNS {
                out += now.trim_end();
                out.push('\n');
                (now, columns) = (indent.clone(), indent.len());
            }
            now += word;
            columns += width(word);
        }
        out += now.trim_end();
        out.push('\n');
    }
    out
}

/// Help, a version, or why the command line is wrong.
fn unparsed(e: &clap::Error) -> ExitCode {
    let form = early("--message-format").filter(|f| ["json", "sarif"].contains(&f.as_str()) && e.use_stderr());
    if let Some(form) = form {
        let text = e.to_string();
        let text = text.trim().strip_prefix("error: ").unwrap_or(text.trim()).to_string();
        let line = Failure::Usage(text).json("usage").to_string();
        let said = if form == "json" { line } else { format!("{:#}", sarif::document(&line)) };
        files::stderr(&format!("{said}\n"));
        return ExitCode::from(2);
    }
    let printed = if e.use_stderr() {
        e.print()
    } else {
        let colored = match early("--color").as_deref() {
            Some("always") => true,
            Some("never") => false,
            _ => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        let help = e.render();
        let help = if colored { help.ansi().to_string() } else { help.to_string() };
        std::io::stdout().write_all(folded(&help).as_bytes())
    };
    let printed = printed.and_then(|()| std::io::stdout().flush());
    // Help that nobody got is a failure like any output.
    if e.use_stderr() || printed.is_err() || closed::stdout() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// The stack of the thread that compiles, in bytes.
const STACK: usize = 80 << 20;
/// The part of it that front ends may use.
const FRONT_END_ROOM: usize = 64 << 20;

fn main() -> ExitCode {
    let mut cli = match parse() {
        Ok(cli) => cli,
        Err(e) => return unparsed(&e),
    };
    let is_sarif = cli.messages.message_format == MessageFormat::Sarif;
    if is_sarif {
        cli.messages.message_format = MessageFormat::Json;
        files::collect();
    }
    let messages = cli.messages.clone();
    // Deep recursion in a dependency must not meet the platform's small main stack. The front ends need no thread of their own then.
    let work = move || {
        gpucc::frontend::promise_room(FRONT_END_ROOM);
        gpucc::guarded("the command", || Ok(dispatch(&cli)))
    };
    let done = if stack::may_grow_to(STACK as u64) {
        Ok(Ok(work()))
    } else {
        std::thread::Builder::new().stack_size(STACK).spawn(work).map(std::thread::JoinHandle::join)
    };
    let result = match done {
        Ok(Ok(Ok(r))) => r,
        Ok(Ok(Err(bug))) => Err(Failure::Bug(bug.to_string())),
        Ok(Err(_)) => Err(Failure::Bug("the command's thread died".into())),
        Err(e) => Err(Failure::Io(format!("cannot start a thread: {e}"))),
    };
    let code = match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(f) => {
            f.say(&messages);
            ExitCode::from(f.code())
        }
    };
    if is_sarif {
        let lines = files::collected();
        files::stderr(&format!("{:#}\n", sarif::document(&String::from_utf8_lossy(&lines))));
    }
    code
}
