//! Messages: diagnostics for people (with the source line) or as JSON, one object a line.

use std::io::{IsTerminal, Write};

use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::{Files, SimpleFile};
use codespan_reporting::term;
use codespan_reporting::term::termcolor::Buffer;
use gpucc_ir::{Class, Diagnostic, Severity};

use crate::args::{ColorArg, Front, MessageFormat};

/// Where messages go and how they look.
pub struct Reporter {
    json: bool,
    color: bool,
    /// Name and text of the input; text is empty for binary input.
    file: SimpleFile<String, String>,
}

impl Reporter {
    /// For messages about `text` read from `name`.
    pub fn new(front: &Front, name: &str, text: &str) -> Reporter {
        let color = match front.color {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Reporter {
            json: front.message_format == MessageFormat::Json,
            color,
            file: SimpleFile::new(name.to_string(), text.to_string()),
        }
    }

    /// Line and column of a byte offset, both from 1.
    pub fn position(&self, offset: usize) -> Option<(usize, usize)> {
        let offset = offset.min(self.file.source().len());
        let line = self.file.line_index((), offset).ok()?;
        Some((line + 1, self.file.column_number((), line, offset).ok()?))
    }

    /// Prints diagnostics to standard error; `target` is named where a message belongs to one.
    pub fn show(&self, diagnostics: &[Diagnostic], target: Option<&str>) {
        let mut out = Buffer::no_color();
        if self.color {
            out = Buffer::ansi();
        }
        for d in diagnostics {
            if self.json {
                let _ = writeln!(out, "{}", self.json(d, target));
            } else {
                self.human(d, target, &mut out);
            }
        }
        let _ = std::io::stderr().lock().write_all(out.as_slice());
    }

    fn human(&self, d: &Diagnostic, target: Option<&str>, out: &mut Buffer) {
        let severity = match (d.severity, d.class) {
            (Severity::Warning, _) => cs::Severity::Warning,
            (_, Class::Internal) => cs::Severity::Bug,
            _ => cs::Severity::Error,
        };
        let size = self.file.source().len();
        let mut labels = Vec::new();
        for (i, l) in d.labels.iter().enumerate().filter(|(_, l)| l.span.is_known()) {
            let range = (l.span.start as usize).min(size)..(l.span.end as usize).min(size);
            let style = if i == 0 { cs::LabelStyle::Primary } else { cs::LabelStyle::Secondary };
            labels.push(cs::Label::new(style, (), range).with_message(&l.text));
        }
        let mut notes = d.notes.clone();
        if let Some(t) = target {
            notes.push(format!("target: {t}"));
        }
        if labels.is_empty() {
            notes.push(format!("in {}", self.file.name()));
        }
        let shown = cs::Diagnostic::new(severity)
            .with_code(d.code)
            .with_message(&d.message)
            .with_labels(labels)
            .with_notes(notes);
        if term::emit_to_write_style(out, &term::Config::default(), &self.file, &shown).is_err() {
            let _ = writeln!(out, "{d}");
        }
    }

    fn json(&self, d: &Diagnostic, target: Option<&str>) -> serde_json::Value {
        let at = d.labels.iter().find(|l| l.span.is_known()).and_then(|l| self.position(l.span.start as usize));
        let severity = match (d.severity, d.class) {
            (Severity::Warning, _) => "warning",
            (_, Class::Internal) => "bug",
            _ => "error",
        };
        serde_json::json!({
            "severity": severity,
            "code": d.code,
            "message": d.message,
            "file": self.file.name(),
            "line": at.map(|p| p.0),
            "column": at.map(|p| p.1),
            "target": target,
            "notes": d.notes,
        })
    }
}
