//! Text to and from instructions: a cursor over one line, and the template walk.

use core::fmt;

use crate::{Inst, Isa, stage};

/// What a listing of one program says besides its code, when it is one of several in a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notes<'a> {
    /// Name of the program, for the line before it.
    pub program: Option<&'a str>,
    /// What the names of its labels begin with: labels are of the whole file.
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

/// What text depends on besides the bits.
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
        TextCx { generation, stages: stage::ALL, long: false, pc: 0 }
    }
}

/// An assembler error: 0-based column in the line and a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// Column in bytes from 0.
    pub column: usize,
    /// What is wrong.
    pub message: String,
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
    /// At the start of `text`.
    pub fn new(text: &'a str) -> Self {
        Cursor { text, at: 0 }
    }
    /// Column in bytes.
    pub fn column(&self) -> usize {
        self.at
    }
    /// Jumps to a column that [`column`](Cursor::column) gave.
    pub fn seek(&mut self, column: usize) {
        self.at = column;
    }
    /// What is left.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    /// Skips blanks.
    pub fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }
    /// Whether only blanks are left.
    pub fn at_end(&self) -> bool {
        self.rest().trim().is_empty()
    }
    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    /// Takes `lit` if the text goes on with it.
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
    /// An error at this place.
    pub fn error(&self, message: impl Into<String>) -> TextError {
        TextError { column: self.at, message: message.into() }
    }
}

/// A piece of a template.
enum Piece<'a> {
    Blank,
    Text(&'a str),
    Slot(&'a str),
}

fn pieces(template: &'static str) -> impl Iterator<Item = Piece<'static>> {
    let mut rest = template;
    core::iter::from_fn(move || {
        let first = rest.chars().next()?;
        if first == ' ' {
            rest = rest.trim_start_matches(' ');
            return Some(Piece::Blank);
        }
        if first == '{' {
            let end = rest.find('}').unwrap_or(rest.len() - 1);
            let name = &rest[1..end];
            rest = &rest[end + 1..];
            return Some(Piece::Slot(name));
        }
        let end = rest.find([' ', '{']).unwrap_or(rest.len());
        let text = &rest[..end];
        rest = &rest[end..];
        Some(Piece::Text(text))
    })
}

fn slot_index<I: Isa>(inst: &Inst<I>, name: &str) -> usize {
    inst.row().slot(name).unwrap_or_else(|| panic!("template `{}` names unknown slot `{name}`", inst.row().text))
}

/// Prints by the row's template.
pub fn print_template<I: Isa>(inst: &Inst<I>, cx: &TextCx, out: &mut String) {
    for p in pieces(inst.row().text) {
        match p {
            Piece::Blank => out.push(' '),
            Piece::Text(t) => out.push_str(t),
            Piece::Slot(n) => I::print_slot(inst, slot_index(inst, n), cx, out),
        }
    }
    let len = out.trim_end().len();
    out.truncate(len);
}

fn parse_row<I: Isa>(row: u16, line: &str, cx: &TextCx) -> Result<Inst<I>, TextError> {
    parse_row_into(Inst::new(row), line, 0, cx)
}

/// Parses a line from `column` on by the template of the row of `inst`; slots that the template does not name keep
/// their values.
///
/// # Errors
/// Where the text departs from the template, or what a slot refuses.
pub fn parse_row_into<I: Isa>(mut inst: Inst<I>, line: &str, column: usize, cx: &TextCx) -> Result<Inst<I>, TextError> {
    let mut cur = Cursor::new(line);
    cur.seek(column);
    cur.blanks();
    for p in pieces(inst.row().text) {
        match p {
            Piece::Blank => cur.blanks(),
            Piece::Text(t) => {
                if !cur.eat(t) {
                    return Err(cur.error(format!("expected `{t}`")));
                }
            }
            Piece::Slot(n) => {
                let index = slot_index(&inst, n);
                I::parse_slot(&mut inst, index, &mut cur, cx)?;
            }
        }
    }
    if !cur.at_end() {
        return Err(cur.error(format!("unexpected `{}`", cur.rest().trim())));
    }
    Ok(inst)
}

/// Parses by the templates of all rows of this generation whose head begins the line, in table order.
///
/// # Errors
/// The error of the row that got furthest.
pub fn parse_templates<I: Isa>(line: &str, cx: &TextCx) -> Result<Inst<I>, TextError> {
    let table = I::table();
    let text = line.trim();
    let lower = text.to_ascii_lowercase();
    let lead = line.len() - line.trim_start().len();
    let mut best = TextError { column: lead, message: String::new() };
    let mut elsewhere = false;
    let mut candidates: Vec<u16> = Vec::new();
    // Heads that begin the line are, in sorted order, among the prefixes of its first word.
    for end in (0..=lower.find([' ', '\t']).unwrap_or(lower.len())).rev() {
        if !lower.is_char_boundary(end) {
            continue;
        }
        let head = &lower[..end];
        let from = table.by_head.partition_point(|(h, _)| h.as_str() < head);
        candidates.extend(table.by_head[from..].iter().take_while(|(h, _)| h == head).map(|&(_, r)| r));
    }
    for r in candidates {
        let row = &table.rows[r as usize];
        if row.enc_on(cx.generation).is_none() || row.stages & cx.stages == 0 {
            elsewhere |= !row.head().is_empty();
            continue;
        }
        match parse_row::<I>(r, line, cx) {
            Ok(inst) => return Ok(inst),
            Err(e) if e.column >= best.column => best = e,
            Err(_) => {}
        }
    }
    if best.message.is_empty() {
        let word = text.split_whitespace().next().unwrap_or("");
        best.message = if elsewhere {
            format!("`{word}` does not exist on {} for this program type", I::GENERATIONS[cx.generation as usize])
        } else {
            format!("unknown mnemonic `{word}`")
        };
    }
    Err(best)
}
