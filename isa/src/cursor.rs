//! A position in a line of text, its errors, and what printing and parsing depend on.

use core::fmt;

use crate::stage;

/// The head of a listing of one program, besides its code, when it is one of several in a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notes<'a> {
    /// Name of the program, for the line before it.
    pub program: Option<&'a str>,
    /// The beginning of the names of its labels: labels are of the whole file.
    pub labels: &'a str,
    /// Comments by the address before which they stand, in ascending order.
    pub comments: &'a [(u32, String)],
}

impl Notes<'_> {
    /// Writes the line before the program: `lead` and its name.
    pub fn head(&self, lead: &str, out: &mut String) {
        if let Some(name) = self.program {
            comment(lead, name, out);
        }
    }

    /// Writes the comments that stand before `pc` and were not written yet; `next` counts those that were.
    pub fn before(&self, pc: usize, next: &mut usize, out: &mut String) {
        while let Some((at, text)) = self.comments.get(*next)
            && *at as usize <= pc
        {
            comment(";", text, out);
            *next += 1;
        }
    }
}

/// One line: control characters, which could end it, become blanks.
fn comment(lead: &str, text: &str, out: &mut String) {
    out.push_str(lead);
    out.push(' ');
    let visible = |c: char| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c };
    out.extend(text.chars().map(visible));
    out.truncate(out.trim_end().len());
    out.push('\n');
}

/// The input of text besides the bits.
#[derive(Clone, Copy, Debug)]
pub struct TextCx {
    /// Index of the generation.
    pub generation: u8,
    /// Program types under which a word is read, a mask of [`stage`] bits.
    pub stages: u8,
    /// Prefer the long form of an instruction when assembling (Tesla).
    pub long: bool,
    /// Address of the instruction in bytes, for relative targets.
    pub pc: u64,
}

impl TextCx {
    /// Any program type, address 0.
    pub fn new(generation: u8) -> TextCx {
        TextCx::of(generation, stage::ALL)
    }
    /// Some program types, address 0.
    pub fn of(generation: u8, stages: u8) -> TextCx {
        TextCx { generation, stages, long: false, pc: 0 }
    }
}

/// An assembler error: 0-based column in the line and a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// Column in bytes from 0.
    pub column: usize,
    /// The fault in a sentence without its place.
    pub message: String,
}

impl TextError {
    /// An error at a column.
    pub fn new(column: usize, message: impl Into<String>) -> TextError {
        TextError { column, message: message.into() }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column + 1, self.message)
    }
}

/// A position in one line of text. Matching ignores ASCII case; runs of blanks count as one.
#[derive(Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `text`.
    pub fn new(text: &'a str) -> Self {
        Cursor { text, at: 0 }
    }
    /// Column of the cursor in bytes, 0 at the start.
    pub fn column(&self) -> usize {
        self.at
    }
    /// Jumps to a column that [`column`](Cursor::column) gave.
    pub fn seek(&mut self, column: usize) {
        self.at = column;
    }
    /// The text that was not taken yet.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    /// Skips blanks and tabs at the cursor.
    pub fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }
    /// Whether only blanks are left.
    pub fn at_end(&self) -> bool {
        self.rest().trim().is_empty()
    }
    /// The next character, which is not taken; `None` at the end.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    /// Takes `lit` if it is next in the text.
    pub fn eat(&mut self, lit: &str) -> bool {
        let rest = self.rest().as_bytes();
        let ok = rest.len() >= lit.len() && rest[..lit.len()].eq_ignore_ascii_case(lit.as_bytes());
        if ok {
            self.at += lit.len();
        }
        ok
    }
    /// Takes `lit` if it comes next and no letter, digit or underscore follows it.
    pub fn eat_word(&mut self, lit: &str) -> bool {
        let start = self.at;
        if self.eat(lit) && !self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            return true;
        }
        self.at = start;
        false
    }
    /// Takes the longest of `names` that comes next; gives its index. Empty names never match.
    pub fn eat_longest(&mut self, names: &[&str]) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (i, n) in names.iter().enumerate() {
            let longer = best.is_none_or(|b| n.len() > names[b].len());
            if !n.is_empty() && longer && self.clone().eat(n) {
                best = Some(i);
            }
        }
        if let Some(i) = best {
            self.at += names[i].len();
        }
        best
    }
    /// Takes a run of letters, digits and underscores.
    pub fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
    /// Takes a number: optional minus, decimal or `0x` hexadecimal.
    pub fn number(&mut self) -> Option<i64> {
        let start = self.at;
        let neg = self.eat("-");
        let hex = self.eat("0x");
        let rest = self.rest();
        let end =
            rest.find(|c: char| if hex { !c.is_ascii_hexdigit() } else { !c.is_ascii_digit() }).unwrap_or(rest.len());
        let radix = if hex { 16 } else { 10 };
        match u64::from_str_radix(&rest[..end], radix) {
            Ok(v) => {
                self.at += end;
                let v = v as i64;
                Some(if neg { v.wrapping_neg() } else { v })
            }
            Err(_) => {
                self.at = start;
                None
            }
        }
    }
    /// Takes `lit`.
    ///
    /// # Errors
    /// When something else is next in the text.
    pub fn expect(&mut self, lit: &str) -> Result<(), TextError> {
        if self.eat(lit) { Ok(()) } else { Err(self.error(format!("expected `{lit}`"))) }
    }
    /// An error at this place.
    pub fn error(&self, message: impl Into<String>) -> TextError {
        TextError::new(self.at, message)
    }
}
