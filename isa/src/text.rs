//! Text to and from instructions by the template of their row.

use crate::cursor::{Cursor, TextCx, TextError};
use crate::isa::{Inst, Isa};

/// A piece of a template.
enum Piece<'a> {
    Blank,
    Text(&'a str),
    OperandSpec(&'a str),
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
            return Some(Piece::OperandSpec(name));
        }
        let end = rest.find([' ', '{']).unwrap_or(rest.len());
        let text = &rest[..end];
        rest = &rest[end..];
        Some(Piece::Text(text))
    })
}

fn slot_index<I: Isa>(inst: &Inst<I>, name: &str) -> usize {
    inst.row().operand(name).unwrap_or_else(|| panic!("template `{}` names unknown slot `{name}`", inst.row().text))
}

/// Prints by the row's template.
pub fn print_template<I: Isa>(inst: &Inst<I>, cx: &TextCx, out: &mut String) {
    for p in pieces(inst.row().text) {
        match p {
            Piece::Blank => out.push(' '),
            Piece::Text(t) => out.push_str(t),
            Piece::OperandSpec(n) => I::print_operand(inst, slot_index(inst, n), cx, out),
        }
    }
    let len = out.trim_end().len();
    out.truncate(len);
}

fn parse_row<I: Isa>(row: u16, line: &str, cx: &TextCx) -> Result<Inst<I>, TextError> {
    parse_row_into(Inst::new(row), line, 0, cx)
}

/// Parses a line from `column` on by the template of the row of `inst`; operands that the template does not name keep
/// their values.
///
/// # Errors
/// Where the text departs from the template, or what an operand refuses.
pub fn parse_row_into<I: Isa>(mut inst: Inst<I>, line: &str, column: usize, cx: &TextCx) -> Result<Inst<I>, TextError> {
    let mut cur = Cursor::new(line);
    cur.seek(column);
    cur.blanks();
    for p in pieces(inst.row().text) {
        match p {
            Piece::Blank => cur.blanks(),
            Piece::Text(t) => cur.expect(t)?,
            Piece::OperandSpec(n) => {
                let index = slot_index(&inst, n);
                I::parse_operand(&mut inst, index, &mut cur, cx)?;
            }
        }
    }
    if !cur.at_end() {
        return Err(cur.error(format!("unexpected `{}`", cur.rest().trim())));
    }
    Ok(inst)
}

/// Text of an instruction.
pub fn text_of<I: Isa>(inst: &Inst<I>, cx: &TextCx) -> String {
    let mut out = String::new();
    I::print(inst, cx, &mut out);
    out
}

/// A number of at most `digits` hexadecimal digits, with `0x` before them or without.
pub fn hex_number(text: &str, digits: usize) -> Option<u64> {
    let own = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let fits = own.len() <= digits && own.bytes().all(|b| b.is_ascii_hexdigit());
    u64::from_str_radix(own, 16).ok().filter(|_| fits)
}

/// Text as it is compared with another program's: runs of blanks as one, none at the ends, lower case.
pub fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase()
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
        let from = table.by_head().partition_point(|(h, _)| h.as_str() < head);
        candidates.extend(table.by_head()[from..].iter().take_while(|(h, _)| h == head).map(|&(_, r)| r));
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
