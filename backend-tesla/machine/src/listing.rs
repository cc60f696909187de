//! Words to text and back, one instruction at a time or a whole listing.

use crate::{Tesla, decode_word, length, table};
use gpucc_isa::{Inst, Isa, Notes, TextCx};
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write;

/// An error in a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextErrorWithLine {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for TextErrorWithLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

fn cx(generation: u8, stages: u8, long: bool) -> TextCx {
    TextCx { generation, stages, long, pc: 0 }
}

fn words_of(line: &str) -> Result<Vec<u32>, String> {
    line.split_whitespace()
        .map(|w| {
            let digits = w.strip_prefix("0x").or_else(|| w.strip_prefix("0X")).unwrap_or(w);
            u32::from_str_radix(digits, 16).map_err(|_| format!("`{w}` is no 32-bit word"))
        })
        .collect()
}

/// One instruction in words (`0x10008000` or `0x10000001 0x0403c780`) to its text.
///
/// # Errors
/// One sentence.
pub fn disasm_words_line(line: &str, generation: u8, stages: u8) -> Result<String, String> {
    let words = words_of(line)?;
    let Some(&w0) = words.first() else { return Err("no words".into()) };
    let need = length(w0) / 4;
    if words.len() > need {
        return Err(format!("{} words, the instruction has {need}", words.len()));
    }
    let inst = decode_word(&words, generation, stages).map_err(|e| e.to_string())?;
    Ok(text_of(&inst, generation, stages))
}

/// Text of a decoded instruction.
pub fn text_of(inst: &Inst<Tesla>, generation: u8, stages: u8) -> String {
    let mut out = String::new();
    Tesla::print(inst, &cx(generation, stages, false), &mut out);
    out
}

fn hex_words(word: u128, bytes: usize) -> String {
    let mut out = format!("0x{:08x}", word as u32);
    if bytes == 8 {
        let _ = write!(out, " 0x{:08x}", (word >> 32) as u32);
    }
    out
}

/// The text of one instruction to words; `long` prefers 8-byte forms.
///
/// # Errors
/// One sentence with the column.
pub fn asm_words_line(line: &str, generation: u8, stages: u8, long: bool) -> Result<String, String> {
    let cx = cx(generation, stages, long);
    let inst = Tesla::parse(line, &cx).map_err(|e| e.to_string())?;
    let Some((word, bytes)) = table().encode(&inst, generation) else {
        return Err("the instruction does not exist on this generation".into());
    };
    Ok(hex_words(word, bytes))
}

fn word_at(code: &[u8], pc: usize) -> Option<u32> {
    let b = code.get(pc..pc + 4)?;
    Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// Decodes the instruction at `pc`; its words and, when they are one, the instruction.
pub(crate) fn fetch(code: &[u8], pc: usize, generation: u8, stages: u8) -> (Vec<u32>, Option<Inst<Tesla>>) {
    let Some(w0) = word_at(code, pc) else { return (Vec::new(), None) };
    let mut words = vec![w0];
    if length(w0) == 8 {
        words.extend(word_at(code, pc + 4));
    }
    let inst = decode_word(&words, generation, stages).ok();
    (words, inst)
}

/// How many words of `code` are no instruction, a cut-off one at the end among them.
pub fn undecodable(code: &[u8], generation: u8, stages: u8) -> usize {
    let (mut pc, mut bad) = (0, 0);
    while pc + 4 <= code.len() {
        let (words, inst) = fetch(code, pc, generation, stages);
        bad += usize::from(inst.is_none());
        // Behind a word that is none the next one may begin an instruction again, as in the listing.
        pc += if inst.is_none() { 4 } else { words.len() * 4 };
    }
    bad + usize::from(pc < code.len())
}

/// A listing of code, with labels where branches go. The assembler takes it back: an instruction in the long form that the
/// assembler would make short begins with `long`, and words that no text gives are `.word`s.
pub fn disassemble(code: &[u8], generation: u8, stages: u8) -> String {
    listing(code, generation, stages, &Notes::default())
}

/// [`disassemble`], with what is said of a program among others. Programs one behind the other assemble to their codes
/// one behind the other: `.entry` begins the addresses anew.
pub fn listing(code: &[u8], generation: u8, stages: u8, notes: &Notes<'_>) -> String {
    let mut starts: Vec<(usize, Vec<u32>, Option<Inst<Tesla>>)> = Vec::new();
    let mut pc = 0;
    while pc + 4 <= code.len() {
        let (mut words, inst) = fetch(code, pc, generation, stages);
        if inst.is_none() && words.len() == 2 {
            words.truncate(1);
        }
        let size = words.len() * 4;
        starts.push((pc, words, inst));
        pc += size;
    }
    let mut labels: BTreeMap<u32, String> = BTreeMap::new();
    for (_, _, inst) in &starts {
        if let Some(t) = inst.and_then(|i| i.get("target"))
            && starts.binary_search_by_key(&(t as usize * 4), |s| s.0).is_ok()
        {
            labels.insert(t * 4, format!("{}L{:x}", notes.labels, t * 4));
        }
    }
    let mut out = String::new();
    notes.head(".entry", &mut out);
    let mut comments = 0;
    for (pc, words, inst) in &starts {
        if let Some(label) = labels.get(&(*pc as u32)) {
            let _ = writeln!(out, "{label}:");
        }
        notes.before(*pc, &mut comments, &mut out);
        let hex: Vec<String> = words.iter().map(|w| format!("{w:08x}")).collect();
        let word = words.iter().rev().fold(0_u128, |w, &x| w << 32 | u128::from(x));
        let text = inst.and_then(|inst| listed(&inst, word, *pc, &labels, generation, stages));
        let text = text.unwrap_or_else(|| {
            let raw: Vec<String> = words.iter().map(|w| format!("0x{w:08x}")).collect();
            format!(".word {}", raw.join(" "))
        });
        let _ = writeln!(out, "    {text:<56} // {pc:06x}: {}", hex.join(" "));
    }
    for b in code.chunks_exact(4).remainder() {
        let _ = writeln!(out, "    .byte 0x{b:02x}");
    }
    out
}

/// Text of an instruction that assembles to `word` again, if there is one.
fn listed(
    inst: &Inst<Tesla>,
    word: u128,
    pc: usize,
    labels: &BTreeMap<u32, String>,
    generation: u8,
    stages: u8,
) -> Option<String> {
    let text = text_of(inst, generation, stages);
    if inst.row().bytes == 8 && !pc.is_multiple_of(8) {
        return None;
    }
    let back = |long| {
        let inst = Tesla::parse(&text, &cx(generation, stages, long)).ok()?;
        table().encode(&inst, generation)
    };
    let long = if back(false).is_some_and(|(w, _)| w == word) {
        ""
    } else if back(true).is_some_and(|(w, _)| w == word) {
        "long "
    } else {
        return None;
    };
    let text = match inst.get("target").and_then(|t| labels.get(&(t * 4)).map(|l| (t, l))) {
        Some((t, label)) => {
            let number = format!("{:#x}", t * 4);
            format!("{}{label}", text.strip_suffix(&number).unwrap_or(&text))
        }
        None => text,
    };
    Some(format!("{long}{text}"))
}

struct Line<'a> {
    number: usize,
    /// Column of the text in its line, from 0.
    column: usize,
    text: &'a str,
    pc: u32,
}

/// Assembles a listing. Each line holds labels (`name:`), then an instruction, `.word` or nothing; comments begin with `;` or `//`. A
/// branch target is a label or a byte address. `.entry NAME` begins a program: addresses count from there. `long` prefers 8-byte forms everywhere, the word `long` before an instruction there.
/// Goes on after errors.
///
/// # Errors
/// All errors, in the order of lines.
pub fn assemble(listing: &str, generation: u8, stages: u8, long: bool) -> Result<Vec<u8>, Vec<TextErrorWithLine>> {
    let mut errors = Vec::new();
    let mut labels: BTreeMap<&str, u32> = BTreeMap::new();
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut pc = 0_u32;
    for (i, full) in listing.lines().enumerate() {
        if full.split_whitespace().next() == Some(".entry") {
            pc = 0;
            continue;
        }
        let end = full.find(';').into_iter().chain(full.find("//")).min().unwrap_or(full.len());
        let mut rest = &full[..end];
        let error = |rest: &str, message: String| TextErrorWithLine {
            line: i + 1,
            column: rest.as_ptr() as usize - full.as_ptr() as usize + 1,
            message,
        };
        loop {
            rest = rest.trim_start();
            let name_end =
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').unwrap_or(rest.len());
            if name_end == 0 || !rest[name_end..].starts_with(':') {
                break;
            }
            if labels.insert(&rest[..name_end], pc).is_some() {
                errors.push(error(rest, format!("label `{}` is defined twice", &rest[..name_end])));
            }
            rest = &rest[name_end + 1..];
        }
        rest = rest.trim();
        if rest.is_empty() {
            continue;
        }
        let column = rest.as_ptr() as usize - full.as_ptr() as usize;
        lines.push(Line { number: i + 1, column, text: rest, pc });
        let size = match size_of(rest, generation, stages, long) {
            Ok(size) => size,
            Err((at, message)) => {
                errors.push(TextErrorWithLine { line: i + 1, column: column + at + 1, message });
                continue;
            }
        };
        if size == 8 && !pc.is_multiple_of(8) && !rest.starts_with('.') {
            errors.push(error(rest, format!("8-byte instruction at 0x{pc:x}, which is no multiple of 8")));
        }
        pc += size;
    }
    let mut out = Vec::new();
    for line in &lines {
        let target = |name: &str| labels.get(name).copied();
        match encode_line(line, generation, stages, long, &target) {
            Ok(bytes) => out.extend(bytes),
            Err((at, message)) => {
                let e = TextErrorWithLine { line: line.number, column: line.column + at + 1, message };
                if !errors.iter().any(|x| x.line == e.line) {
                    errors.push(e);
                }
            }
        }
    }
    errors.sort_by_key(|e| e.line);
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

type At = (usize, String);

/// Splits off the word `long`.
fn long_prefix(text: &str) -> (bool, usize) {
    match text.get(..5) {
        Some(p) if p.eq_ignore_ascii_case("long ") => (true, 5),
        _ => (false, 0),
    }
}

/// The name in the place of a branch target: the last word, when it is no number.
fn label_of(text: &str) -> Option<(usize, &str)> {
    let at = text.rfind([' ', '\t'])? + 1;
    let name = &text[at..];
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '.');
    let words = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    let head = text[..at].split_whitespace().rev().find(|w| !w.eq_ignore_ascii_case("lim"))?;
    let jumps = ["bra", "call", "breakaddr", "joinat", "preret"].iter().any(|m| head.eq_ignore_ascii_case(m));
    (starts && words && jumps).then_some((at, name))
}

fn raw_line(text: &str) -> Option<Result<Vec<u8>, At>> {
    if let Some(rest) = text.strip_prefix(".word") {
        return Some(words_of(rest).map(|w| w.iter().flat_map(|x| x.to_le_bytes()).collect()).map_err(|m| (5, m)));
    }
    let rest = text.strip_prefix(".byte")?.trim();
    let digits = rest.strip_prefix("0x").unwrap_or(rest);
    Some(u8::from_str_radix(digits, 16).map(|b| vec![b]).map_err(|_| (5, format!("`{rest}` is no byte"))))
}

fn size_of(text: &str, generation: u8, stages: u8, long: bool) -> Result<u32, At> {
    if let Some(raw) = raw_line(text) {
        return raw.map(|b| b.len() as u32);
    }
    let (forced, skip) = long_prefix(text);
    let body = match label_of(text) {
        Some((at, _)) => format!("{}0x0", &text[..at]),
        None => text.to_owned(),
    };
    let inst = Tesla::parse(&body[skip..], &cx(generation, stages, long || forced))
        .map_err(|e| (e.column + skip, e.message))?;
    Ok(u32::from(inst.row().bytes))
}

fn encode_line(
    line: &Line<'_>,
    generation: u8,
    stages: u8,
    long: bool,
    target: &dyn Fn(&str) -> Option<u32>,
) -> Result<Vec<u8>, At> {
    if let Some(raw) = raw_line(line.text) {
        return raw;
    }
    let (forced, skip) = long_prefix(line.text);
    let body = match label_of(line.text) {
        Some((at, name)) => match target(name) {
            Some(pc) => format!("{}{pc:#x}", &line.text[..at]),
            None => return Err((at, format!("label `{name}` is not defined"))),
        },
        None => line.text.to_owned(),
    };
    let cx = TextCx { generation, stages, long: long || forced, pc: u64::from(line.pc) };
    let inst = Tesla::parse(&body[skip..], &cx).map_err(|e| (e.column + skip, e.message))?;
    let Some((word, bytes)) = table().encode(&inst, generation) else {
        return Err((0, "the instruction does not exist on this generation".into()));
    };
    Ok(word.to_le_bytes()[..bytes].to_vec())
}
