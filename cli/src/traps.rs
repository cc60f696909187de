//! Traps and races as messages: where in the source, in which instruction, by which invocation, and what the memory is called.

use gpucc_container::Entry;
use gpucc_interp::OracleProgram;
use gpucc_ir::{Class, Diagnostic, Refusal};
use gpucc_sim::{RunReport, Trap, TrapKind};

use crate::Failure;
use crate::report::Reporter;

/// The table that tells where in the source an instruction is from.
#[derive(Clone, Copy)]
pub enum Code<'a> {
    /// The line table of machine code.
    Machine(Option<&'a Entry>),
    /// The program of the interpreter.
    Interp(&'a OracleProgram),
}

impl Code<'_> {
    /// Line and column of an instruction, from 1.
    fn place(self, pc: u64) -> Option<(u32, u32)> {
        match self {
            Code::Machine(e) => e?.lines.iter().rev().find(|l| u64::from(l.pc) <= pc).map(|l| (l.line, l.column)),
            Code::Interp(p) => p.line_column(pc),
        }
    }
}

/// The needs of messages about a run.
#[derive(Clone, Copy)]
pub struct Where<'a> {
    /// Where it ran: a target, or `interp`.
    pub on: &'a str,
    /// Lines of the code that trapped.
    pub code: Code<'a>,
    /// Names of the bindings: group, binding, name.
    pub names: &'a [(u32, u32, String)],
    /// The reporter that messages go to.
    pub reporter: &'a Reporter,
}

impl Where<'_> {
    /// A trap as a message. Of a race both accesses have their place.
    fn diagnostic(&self, t: &Trap) -> Diagnostic {
        let message = match t.kind {
            TrapKind::Race => t.message.clone(),
            kind => format!("{}: {}", kind.name(), t.message),
        };
        let mut d = match t.kind {
            TrapKind::Unsupported => Diagnostic::unsupported(Refusal::NotModelled, message),
            kind => Diagnostic::invalid(code(kind), message),
        };
        let mut access = |what: &str, label: &str, pc: u64, instruction: Option<&String>| {
            let text = instruction.map_or_else(String::new, |i| format!(" in `{i}`"));
            let mut note = format!("{what}at 0x{pc:x}{text}");
            if let Some((line, column)) = self.code.place(pc) {
                match self.reporter.span(line, column) {
                    Some(span) => d.labels.push(gpucc_ir::Label { span, text: label.into() }),
                    None => note += &format!(", source line {line}:{column}"),
                }
            }
            d.notes.push(note);
        };
        let race = t.other.is_some();
        if let Some(pc) = t.pc {
            access(
                if race { "this access: " } else { "" },
                if race { "this access" } else { "" },
                pc,
                t.instruction.as_ref(),
            );
        }
        if let Some(o) = &t.other {
            access("the access before: ", "the access before", o.pc, o.instruction.as_ref());
        }
        if let Some([x, y, z]) = t.workgroup {
            let lane = t.lane.map_or_else(String::new, |l| format!(", invocation {l} of it"));
            d.notes.push(format!("workgroup {x},{y},{z}{lane}"));
        }
        let named = self.names.iter().filter(|n| {
            let name = format!("group {} binding {}", n.0, n.1);
            let rest = d.message.split_once(&name).map(|(_, rest)| rest);
            !n.2.is_empty()
                && !d.message.contains(&format!("`{}`", n.2))
                && rest.is_some_and(|r| !r.starts_with(|c: char| c.is_ascii_digit()))
        });
        let named: Vec<String> = named.map(|(g, b, name)| format!("group {g} binding {b} is `{name}`")).collect();
        d.notes.extend(named);
        d
    }

    /// Shows the races that did not end a run.
    pub fn races(&self, report: &RunReport) {
        let list: Vec<Diagnostic> = report.races.iter().map(|t| self.diagnostic(t).warning()).collect();
        self.reporter.show(&list, Some(self.on));
    }

    /// Shows a trap; what is left is the exit code. A missing or short buffer is what the caller gave, not what the program did.
    pub fn trap(&self, t: &Trap) -> Failure {
        if t.kind == TrapKind::Dispatch {
            let short = t.message.contains(" bytes, the program needs ");
            return Failure::Usage(match (t.message.contains(gpucc_sim::IMMEDIATE_DATA), short) {
                (true, _) => format!("{}; give it with --immediates SPEC", t.message),
                (false, true) => format!("{}: give it more with --buf", t.message),
                (false, false) => format!("{}; bind it with --buf G:B=SPEC", t.message),
            });
        }
        let d = self.diagnostic(t);
        let code = if d.class == Class::Unsupported { 3 } else { 1 };
        self.reporter.show(&[d], Some(self.on));
        Failure::Said(code)
    }
}

/// The code of messages about a kind of trap.
fn code(kind: TrapKind) -> &'static str {
    match kind {
        TrapKind::Race => "race",
        TrapKind::StepLimit => "step-limit",
        _ => "trap",
    }
}
