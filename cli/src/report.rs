//! Messages: diagnostics for people (with the source line) or as JSON, one object a line.

use std::io::Write;

use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::{Files, SimpleFile};
use codespan_reporting::term;
use codespan_reporting::term::termcolor::Buffer;
use gpucc::listing::Source;
use gpucc_ir::{Class, Diagnostic, Severity};

use crate::args::{MessageFormat, Messages};

/// Lines longer than this are shown in part.
const WIDEST: usize = 240;

/// The character boundary at or before `at`.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Where messages go and how they look.
pub struct Reporter {
    json: bool,
    color: bool,
    /// Name and text of the input; text is empty for binary input.
    file: SimpleFile<String, String>,
}

impl Reporter {
    /// For messages about `text` read from `name`.
    pub fn new(messages: &Messages, name: &str, text: &str) -> Reporter {
        Reporter {
            json: messages.message_format == MessageFormat::Json,
            color: messages.colored(),
            file: SimpleFile::new(name.to_string(), text.to_string()),
        }
    }

    /// The input that messages are about.
    pub fn source(&self) -> Source<'_> {
        Source { name: self.file.name(), text: self.file.source() }
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

    /// Where one line is too long to be shown (generated or hostile text), the piece around the primary place:
    /// its first byte and the file that holds it.
    fn excerpt(&self, d: &Diagnostic) -> Option<(usize, SimpleFile<String, String>)> {
        let text = self.file.source();
        let span = d.labels.iter().find(|l| l.span.is_known())?.span;
        let (start, end) = ((span.start as usize).min(text.len()), (span.end as usize).min(text.len()));
        let line_start = text[..floor(text, start)].rfind('\n').map_or(0, |n| n + 1);
        let line_end = text[floor(text, start)..].find('\n').map_or(text.len(), |n| start + n);
        if line_end - line_start <= WIDEST {
            return None;
        }
        let from = floor(text, start.saturating_sub(60).max(line_start));
        let to = floor(text, (end + 60).min(start + WIDEST).min(line_end));
        let (line, column) = self.position(start)?;
        let name = format!("{}:{line}:{column}, excerpt", self.file.name());
        Some((from, SimpleFile::new(name, text[from..to].to_string())))
    }

    fn human(&self, d: &Diagnostic, target: Option<&str>, out: &mut Buffer) {
        let severity = match (d.severity, d.class) {
            (Severity::Warning, _) => cs::Severity::Warning,
            (_, Class::Internal) => cs::Severity::Bug,
            _ => cs::Severity::Error,
        };
        let excerpt = self.excerpt(d);
        let (from, file) = excerpt.as_ref().map_or((0, &self.file), |(from, f)| (*from, f));
        let size = file.source().len();
        let mut labels = Vec::new();
        for (i, l) in d.labels.iter().enumerate().filter(|(_, l)| l.span.is_known()) {
            let at = |offset: u32| (offset as usize).saturating_sub(from).min(size);
            let range = at(l.span.start)..at(l.span.end);
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
        if term::emit_to_write_style(out, &term::Config::default(), file, &shown).is_err() {
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

/// A message as JSON.
#[cfg(test)]
pub fn sample() -> serde_json::Value {
    let messages = Messages { color: crate::args::ColorArg::Never, message_format: MessageFormat::Json };
    Reporter::new(&messages, "a.wgsl", "").json(&Diagnostic::invalid("parse", "a sentence"), None)
}
