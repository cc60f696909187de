//! Source files by name and text, for a module that comes from several, or from none that was given.

use crate::span::Span;

/// One file of a program's source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourceFile {
    name: String,
    text: String,
    /// Bytes at which lines begin.
    lines: Vec<u32>,
}

impl SourceFile {
    /// A file of this name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|b| b.1 == b'\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        SourceFile { name: name.into(), lines, text }
    }

    /// Its name, as the program gives it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Bytes at which its lines begin.
    pub fn lines(&self) -> &[u32] {
        &self.lines
    }

    /// The bytes at a line and a column, both from 1, columns in bytes: to the end of the line. Column 0 is the whole
    /// line without the blanks at its ends. None for a place outside of the text.
    pub fn span(&self, line: u32, column: u32) -> Option<Span> {
        let start = *self.lines.get(line.checked_sub(1)? as usize)?;
        let end = self.lines.get(line as usize).map_or(self.text.len() as u32, |next| next - 1);
        let text = self.text.get(start as usize..end as usize)?;
        let first = match column.checked_sub(1) {
            Some(column) => column,
            None => (text.len() - text.trim_start().len()) as u32,
        };
        let last = (text.trim_end().len() as u32).max(first + 1);
        // A newline can be pointed to, what follows it cannot.
        (first <= text.len() as u32 && text.is_char_boundary(first as usize))
            .then(|| Span::new(start + first, start + last))
    }
}
