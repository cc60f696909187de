//! Diagnostics as errors, and with the lines that they are about.

use std::fmt;

use gpucc_ir::{Class, Diagnostic, Severity, Span};

/// Diagnostics as one error, for callers that pass errors on. [`Errors::with_source`] adds the lines.
#[derive(Clone, Debug)]
pub struct Errors(pub Vec<Diagnostic>);

impl From<Diagnostic> for Errors {
    fn from(d: Diagnostic) -> Errors {
        Errors(vec![d])
    }
}

impl Errors {
    /// The same with the text that was compiled: each message is shown with line, column and the line itself.
    pub fn with_source(self, text: &str) -> Located {
        self.with_files(vec![(String::new(), text.into())])
    }

    /// The same with name and text of each file. Spans are offsets in the texts, one behind the other with a byte between: of WESL the
    /// [files](crate::frontend::Modules::files) of the modules, of SPIR-V those of [`source_files`](crate::frontend::source_files).
    pub fn with_files(self, files: Vec<(String, String)>) -> Located {
        Located { errors: self, files }
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            write!(f, "{}{d}", if i > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// Diagnostics and the texts that they are about, as one error.
#[derive(Clone, Debug)]
pub struct Located {
    /// The diagnostics, with spans into the texts.
    pub errors: Errors,
    /// Name and text of each file; a name may be empty.
    files: Vec<(String, String)>,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// Columns of a line that are shown.
const WIDEST: usize = 100;
/// Columns of a longer line that are shown in front of the place.
const LEAD: usize = 40;

impl Located {
    /// The place of a span; `None` of one that is unknown or outside the texts.
    pub fn position(&self, span: Span) -> Option<Position<'_>> {
        self.line(span).map(|l| l.0)
    }

    /// The place of a span, the line that it begins in, and the offsets in that line of its beginning and end.
    fn line(&self, span: Span) -> Option<(Position<'_>, &str, usize, usize)> {
        if !span.is_known() {
            return None;
        }
        let mut start = 0;
        let (file, text, at) = self.files.iter().find_map(|(name, text)| {
            let at = (span.start as usize).checked_sub(start)?;
            start += text.len() + 1;
            (at <= text.len()).then_some((name.as_str(), text.as_str(), at))
        })?;
        let at = text.floor_char_boundary(at);
        let from = text[..at].rfind('\n').map_or(0, |n| n + 1);
        let line = text[from..].lines().next().unwrap_or_default();
        let at = (at - from).min(line.len());
        let end = (at + (span.end - span.start) as usize).min(line.len());
        let number = text[..from].matches('\n').count() + 1;
        let column = line[..at].chars().count() + 1;
        Some((Position { file, line: number, column }, line, at, line.ceil_char_boundary(end)))
    }

    /// A label: where it is, the line, and what is meant of it.
    fn label(&self, f: &mut fmt::Formatter<'_>, span: Span, text: &str) -> fmt::Result {
        let Some((place, line, at, end)) = self.line(span) else { return Ok(()) };
        let name = if place.file.is_empty() { "line " } else { place.file };
        let sign = if place.file.is_empty() { "" } else { ":" };
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        let skipped = if line.chars().count() > WIDEST { (place.column - 1).saturating_sub(LEAD) } else { 0 };
        // Whatever a character does on a terminal, it takes one column.
        let plain = |c: char| if c.is_control() || is_direction(c) { ' ' } else { c };
        let shown: String = line.chars().skip(skipped).take(WIDEST).map(plain).collect();
        let before = place.column - 1 - skipped;
        let marked = line[at..end].chars().count().clamp(1, WIDEST - before.min(WIDEST - 1));
        write!(f, "\n{margin}--> {name}{sign}{number}:{}", place.column)?;
        write!(f, "\n{margin} |\n{number} | {}", shown.trim_end())?;
        write!(f, "\n{margin} | {}{}", " ".repeat(before), "^".repeat(marked))?;
        if text.is_empty() { Ok(()) } else { write!(f, " {text}") }
    }
}

/// Characters that turn the direction of writing.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.errors.0.iter().enumerate() {
            let kind = match (d.severity, d.class) {
                (Severity::Warning, _) => "warning",
                (_, Class::Internal) => "bug",
                _ => "error",
            };
            write!(f, "{}{kind}[{}]: {}", if i > 0 { "\n" } else { "" }, d.code, d.message)?;
            for l in &d.labels {
                self.label(f, l.span, &l.text)?;
            }
            for n in &d.notes {
                write!(f, "\n  note: {n}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Located {}
