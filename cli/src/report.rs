//! Messages: diagnostics for people (with the source line) or as JSON, one object a line.

use std::io::Write;

use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::{Files, SimpleFile};
use codespan_reporting::term;
use codespan_reporting::term::termcolor::Buffer;
use gpucc::listing::Source;
use gpucc_ir::{Class, Diagnostic, Severity, Span};

use crate::args::{MessageFormat, Messages};
use crate::files;

/// Lines longer than this are shown in part: with what stands beside it a line has 120 columns at most.
const WIDEST: usize = 110;

/// Columns of what is said.
const COLUMNS: usize = 104;

/// Text as a terminal may have it: control characters, and those that turn the direction of writing, become others of as many
/// bytes. Spans stay right.
pub fn plain(text: &str) -> std::borrow::Cow<'_, str> {
    let bad = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(bad) {
        return text.into();
    }
    let instead = |c: char| match (bad(c), c.len_utf8()) {
        (false, _) => c,
        (true, 1) => '?',
        (true, 2) => '\u{bf}',
        (true, _) => '\u{fffd}',
    };
    text.chars().map(instead).collect::<String>().into()
}

/// Lines of at most so many columns, broken at blanks where there are some.
pub fn wrapped(text: &str, columns: usize) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let (mut now, mut width) = (String::new(), 0);
        for word in line.split_inclusive(' ') {
            let n = word.trim_end().chars().count();
            if width > 0 && width + n > columns {
                lines.push(now.trim_end().to_string());
                (now, width) = (String::new(), 0);
            }
            now += word;
            width += word.chars().count();
        }
        lines.push(now.trim_end().to_string());
    }
    lines.join("\n")
}

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
    /// The input, or the files that a binary says it was made from: the offset at which each begins, its name and text. The
    /// text of a binary that says nothing is empty. There is one at least.
    files: Vec<(usize, SimpleFile<String, String>)>,
    /// The names of all.
    names: String,
    /// Whether lines of code count on from each file to the next.
    counted: bool,
}

impl Reporter {
    /// A reporter of messages about `text` read from `name`.
    pub fn new(messages: &Messages, name: &str, text: &str) -> Reporter {
        Reporter::with_files(messages, vec![(name.to_string(), text.to_string())])
    }

    /// A reporter of messages whose spans are offsets in the texts of files, one after the other with a byte between.
    pub fn with_files(messages: &Messages, list: Vec<(String, String)>) -> Reporter {
        let names = list.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let mut files = Vec::new();
        let mut start = 0;
        for (name, text) in list {
            let next = start + text.len() + 1;
            files.push((start, SimpleFile::new(plain(&name).into_owned(), plain(&text).into_owned())));
            start = next;
        }
        if files.is_empty() {
            files.push((0, SimpleFile::new(String::new(), String::new())));
        }
        Reporter {
            json: messages.message_format == MessageFormat::Json,
            color: messages.colored(),
            files,
            names,
            counted: false,
        }
    }

    /// The same for code whose lines count on from each file to the next.
    pub fn counted(self) -> Reporter {
        Reporter { counted: true, ..self }
    }

    /// The input that messages are about. The line table of code knows no files: of several there is no text.
    pub fn source(&self) -> Source<'_> {
        let text = if let [(_, file)] = self.files.as_slice() { file.source() } else { "" };
        Source { name: &self.names, text }
    }

    /// The file of an offset, by number, and the offset in it.
    fn locate(&self, offset: usize) -> (usize, usize) {
        let at = self.files.partition_point(|f| f.0 <= offset).saturating_sub(1);
        let (start, file) = &self.files[at];
        (at, (offset - start).min(file.source().len()))
    }

    /// Line and column of a message, from 1, if it has a place in the first file.
    pub fn own_place(&self, d: &Diagnostic) -> Option<(u32, u32)> {
        let span = d.labels.iter().find(|l| l.span.is_known())?.span;
        if self.locate(span.start as usize).0 != 0 || self.files[0].1.source().is_empty() {
            return None;
        }
        self.position(span.start as usize).map(|(_, line, column)| (line as u32, column as u32))
    }

    /// Name, line and column of an offset, both from 1.
    fn position(&self, offset: usize) -> Option<(&str, usize, usize)> {
        let (at, offset) = self.locate(offset);
        let file = &self.files[at].1;
        let line = file.line_index((), offset).ok()?;
        Some((file.name().as_str(), line + 1, file.column_number((), line, offset).ok()?))
    }

    /// The word at a line and column, from 1, of the one file that there is, or of files whose lines count on.
    pub fn span(&self, line: u32, column: u32) -> Option<Span> {
        if self.files.len() > 1 && !self.counted {
            return None;
        }
        let mut line = line;
        let lines = |text: &str| text.matches('\n').count() as u32 + 1;
        let (start, file) = self.files.iter().find(|(_, f)| {
            let inside = line <= lines(f.source());
            line -= if inside { 0 } else { lines(f.source()) };
            inside
        })?;
        let text = file.source().lines().nth((line as usize).checked_sub(1)?)?;
        let from = text.char_indices().nth((column as usize).checked_sub(1)?)?.0;
        let rest = &text[from..];
        let size = rest.find(|c: char| !c.is_alphanumeric() && c != '_').filter(|n| *n > 0);
        let size = size.unwrap_or_else(|| match rest.chars().next() {
            Some(c) if c.is_alphanumeric() || c == '_' => rest.len(),
            c => c.map_or(0, char::len_utf8),
        });
        let at = start + (text.as_ptr() as usize - file.source().as_ptr() as usize) + from;
        Some(Span::new(at as u32, (at + size) as u32))
    }

    /// Says what was done: a line for people, or an object of the severity `note`.
    pub fn note(&self, code: &str, text: &str, target: Option<&str>) {
        self.line("note", code, text, target);
    }

    /// What the compiler did or did not do at a line, as an object of the severity `note`; nothing for people.
    pub fn remark(&self, pass: &str, text: &str, line: Option<u32>, (passed, target): (bool, &str)) {
        if self.json {
            let kind = if passed { "done" } else { "missed" };
            let object = serde_json::json!({"severity": "note", "code": pass, "message": text, "file": self.files[0].1.name(),
                "line": line, "column": null, "target": target, "notes": [kind]});
            files::stderr(&format!("{object}\n"));
        }
    }

    /// A line for people, or an object of a severity.
    pub fn line(&self, severity: &str, code: &str, text: &str, target: Option<&str>) {
        files::stderr(&if self.json {
            let file = self.files[0].1.name();
            let object = serde_json::json!({"severity": severity, "code": code, "message": text, "file": file,
                "line": null, "column": null, "target": target, "notes": []});
            format!("{object}\n")
        } else {
            format!("{}{}\n", target.map_or_else(String::new, |t| format!("{t}: ")), plain(text))
        });
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
        files::stderr_bytes(out.as_slice());
    }

    /// Where one line is too long to be shown (generated or hostile text), the piece around the place: its first byte and
    /// the file that holds it.
    fn excerpt(&self, span: Span) -> Option<(usize, SimpleFile<String, String>)> {
        let (at, start) = self.locate(span.start as usize);
        let text = self.files[at].1.source();
        let end = (start + (span.end - span.start) as usize).min(text.len());
        let line_start = text[..floor(text, start)].rfind('\n').map_or(0, |n| n + 1);
        let line_end = text[floor(text, start)..].find('\n').map_or(text.len(), |n| start + n);
        if line_end - line_start <= WIDEST {
            return None;
        }
        let from = floor(text, start.saturating_sub(50).max(line_start));
        let to = floor(text, (end + 40).min(start + 50).min(line_end));
        let (name, line, column) = self.position(span.start as usize)?;
        let name = format!("{name}:{line}:{column}, excerpt");
        Some((from, SimpleFile::new(name, text[from..to].to_string())))
    }

    fn human(&self, d: &Diagnostic, target: Option<&str>, out: &mut Buffer) {
        let severity = match (d.severity, d.class) {
            (Severity::Warning, _) => cs::Severity::Warning,
            (_, Class::Internal) => cs::Severity::Bug,
            _ => cs::Severity::Error,
        };
        let mut labels = Vec::new();
        // Labels in the file of the primary place; what lies in others is told in a note.
        let mut elsewhere = Vec::new();
        let primary = d.labels.iter().find(|l| l.span.is_known()).map(|l| l.span);
        let home = primary.map_or(0, |s| self.locate(s.start as usize).0);
        let excerpt = primary.and_then(|s| self.excerpt(s));
        let (from, file) = excerpt.as_ref().map_or((0, &self.files[home].1), |(from, f)| (*from, f));
        let size = file.source().len();
        for (i, l) in d.labels.iter().enumerate().filter(|(_, l)| l.span.is_known()) {
            let (at, start) = self.locate(l.span.start as usize);
            if at != home {
                let place = self.position(l.span.start as usize);
                elsewhere.extend(place.map(|(name, line, column)| format!("{name}:{line}:{column}: {}", l.text)));
                continue;
            }
            let end = start + (l.span.end - l.span.start) as usize;
            let range = start.saturating_sub(from).min(size)..end.saturating_sub(from).min(size);
            let style = if i == 0 { cs::LabelStyle::Primary } else { cs::LabelStyle::Secondary };
            labels.push(cs::Label::new(style, (), range).with_message(plain(&l.text)));
        }
        let mut notes: Vec<String> = d.notes.iter().map(|n| wrapped(&plain(n), COLUMNS)).collect();
        notes.extend(elsewhere);
        if let Some(t) = target {
            notes.push(format!("target: {t}"));
        }
        if labels.is_empty() {
            notes.push(format!("in {}", self.files[0].1.name()));
        }
        let shown = cs::Diagnostic::new(severity)
            .with_code(d.code)
            .with_message(wrapped(&plain(&d.message), COLUMNS))
            .with_labels(labels)
            .with_notes(notes);
        if term::emit_to_write_style(out, &term::Config::default(), file, &shown).is_err() {
            let _ = writeln!(out, "{d}");
        }
    }

    /// A message with file, line and column, as it is printed for programs.
    pub fn json(&self, d: &Diagnostic, target: Option<&str>) -> serde_json::Value {
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
            "file": at.map_or(self.files[0].1.name().as_str(), |p| p.0),
            "line": at.map(|p| p.1),
            "column": at.map(|p| p.2),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_several_files() {
        let messages = Messages { color: crate::args::ColorArg::Never, message_format: MessageFormat::Human };
        let files = [("a.h", "one\ntwo"), ("b.comp", "three\n  four\n")];
        let files = files.map(|(n, t)| (n.to_string(), t.to_string())).to_vec();
        let r = Reporter::with_files(&messages, files);
        assert_eq!(r.position(4), Some(("a.h", 2, 1)));
        assert_eq!(r.position(8), Some(("b.comp", 1, 1)));
        assert_eq!(r.position(16), Some(("b.comp", 2, 3)));
        let d = Diagnostic::invalid("x", "wrong").at(Span::new(16, 20), "here").at(Span::new(4, 7), "and here");
        let mut out = Buffer::no_color();
        r.human(&d, None, &mut out);
        let text = String::from_utf8_lossy(out.as_slice()).into_owned();
        assert!(text.contains("b.comp:2:3") && text.contains("  four") && text.contains("a.h:2:1: and here"), "{text}");
        assert_eq!((&r.json(&d, None)["file"], &r.json(&d, None)["line"]), (&"b.comp".into(), &2.into()));
    }
}
