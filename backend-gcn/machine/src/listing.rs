//! Words and whole listings: decode with operand checks, disassemble, assemble.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gpucc_isa::{DecodeError, Inst, Isa, Notes, TextCx, Word};

use crate::isa::{Gcn, Kind};
use crate::{operand, table};

/// Why a word is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The bits match no row.
    Bits(DecodeError),
    /// An operand has a reserved value.
    Operand(String),
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Refusal::Bits(e) => e.fmt(f),
            Refusal::Operand(m) => f.write_str(m),
        }
    }
}

/// Decodes the instruction at the start of `bytes`; gives it and its length.
///
/// # Errors
/// When no row matches, an operand is reserved, or bytes are missing.
pub fn decode(bytes: &[u8], generation: u8, stages: u8) -> Result<(Inst<Gcn>, usize), Refusal> {
    let mut low = [0u8; 16];
    let n = bytes.len().min(8);
    low[..n].copy_from_slice(&bytes[..n]);
    let word = Word::from_le_bytes(low);
    if n < 4 {
        return Err(Refusal::Bits(DecodeError::Truncated));
    }
    let length = Gcn::length(word, generation);
    if length > n {
        return Err(Refusal::Bits(DecodeError::Truncated));
    }
    let word = if length == 4 { word & 0xffff_ffff } else { word };
    let inst = table().decode(word, length, generation, stages).map_err(Refusal::Bits)?;
    operand::legal(&inst, generation).map_err(Refusal::Operand)?;
    Ok((inst, length))
}

/// Decodes an instruction given as 32-bit words.
///
/// # Errors
/// As [`decode`].
pub fn decode_word(words: &[u32], generation: u8, stages: u8) -> Result<Inst<Gcn>, Refusal> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    decode(&bytes, generation, stages).map(|(inst, _)| inst)
}

/// Bytes of an instruction; `None` when its row does not exist on `generation`.
pub fn encode(inst: &Inst<Gcn>, generation: u8) -> Option<Vec<u8>> {
    let (word, n) = table().encode(inst, generation)?;
    Some(word.to_le_bytes()[..n].to_vec())
}

/// Text of one line of comma-separated hexadecimal bytes.
///
/// # Errors
/// The reason as a sentence.
pub fn disasm_words_line(line: &str, generation: u8, stages: u8) -> Result<String, String> {
    let mut bytes = Vec::new();
    for part in line.trim().split([',', ' ']).filter(|p| !p.is_empty()) {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        if digits.len() > 2 || bytes.len() == 8 {
            return Err(format!("expected at most 8 bytes, two digits each, found `{part}`"));
        }
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| format!("`{part}` is not a hexadecimal byte"))?);
    }
    let (inst, length) = decode(&bytes, generation, stages).map_err(|e| e.to_string())?;
    if length != bytes.len() {
        return Err(format!("the instruction has {length} bytes, {} are given", bytes.len()));
    }
    let mut out = String::new();
    Gcn::print(&inst, &cx(generation, stages), &mut out);
    Ok(out)
}

/// Comma-separated hexadecimal bytes of one line of text. GCN has no forced long forms: `long` changes nothing.
///
/// # Errors
/// Column and reason.
pub fn asm_words_line(line: &str, generation: u8, stages: u8, long: bool) -> Result<String, String> {
    let _ = long;
    let inst = Gcn::parse(line, &cx(generation, stages)).map_err(|e| e.to_string())?;
    let bytes = encode(&inst, generation).ok_or("the instruction does not exist on this generation")?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(","))
}

fn cx(generation: u8, stages: u8) -> TextCx {
    TextCx { generation, stages, long: false, pc: 0 }
}

/// Number of address registers that an image instruction of our own code reads, if the caller knows; the text holds
/// the width that other tools print, the comment the true one.
fn branch_target(inst: &Inst<Gcn>, at: usize, length: usize) -> Option<i64> {
    let i = inst.row().slots.iter().position(|s| s.kind == Kind::Branch)?;
    Some(at as i64 + length as i64 + i64::from(inst.vals[i] as u16 as i16) * 4)
}

/// How many words of `code` are no instruction, a cut-off one at the end among them.
pub fn undecodable(code: &[u8], generation: u8, stages: u8) -> usize {
    let (mut at, mut bad) = (0, 0);
    while at < code.len() {
        match decode(&code[at..], generation, stages) {
            Ok((_, length)) => at += length,
            Err(_) => {
                bad += 1;
                at += 4;
            }
        }
    }
    bad
}

/// Disassembles code to a listing with labels, which [`assemble`] and `llvm-mc` read back to the same bytes. Bytes that
/// are no instruction are written as `.long` with the reason in a comment.
pub fn disassemble(code: &[u8], generation: u8, stages: u8) -> String {
    listing(code, generation, stages, &Notes::default())
}

/// [`disassemble`], with what is said of a program among others. Programs one behind the other assemble to their codes
/// one behind the other: branches are relative.
pub fn listing(code: &[u8], generation: u8, stages: u8, notes: &Notes<'_>) -> String {
    let mut at = 0;
    let mut items = Vec::new();
    let mut targets: BTreeMap<i64, usize> = BTreeMap::new();
    while at < code.len() {
        let rest = &code[at..];
        match decode(rest, generation, stages) {
            Ok((inst, length)) => {
                if let Some(t) = branch_target(&inst, at, length) {
                    targets.insert(t, 0);
                }
                items.push((at, length, Ok(inst)));
                at += length;
            }
            Err(e) => {
                let length = rest.len().min(4);
                items.push((at, length, Err(e)));
                at += length;
            }
        }
    }
    // Only places where an instruction starts (or the code ends) can carry a label.
    let starts: Vec<i64> = items.iter().map(|i| i.0 as i64).chain([code.len() as i64]).collect();
    targets.retain(|t, _| starts.binary_search(t).is_ok());
    for (n, label) in targets.values_mut().enumerate() {
        *label = n;
    }
    let cx = cx(generation, stages);
    let mut out = String::new();
    notes.head("; entry", &mut out);
    let mut comments = 0;
    let name = notes.labels;
    for (at, length, item) in &items {
        if let Some(n) = targets.get(&(*at as i64)) {
            let _ = writeln!(out, "{name}L{n}:");
        }
        notes.before(*at, &mut comments, &mut out);
        let mut line = String::from("  ");
        match item {
            // The text names no register where none is used, so it would not come back to the same bytes.
            Ok(inst) if operand::ignored(inst) && inst.op() != crate::Op::SWaitcnt => {
                let words = code[*at..at + length].chunks(4).map(|w| {
                    let word = [w[0], w[1], w[2], w[3]];
                    format!("{:#010x}", u32::from_le_bytes(word))
                });
                let _ = write!(line, ".long {}", words.collect::<Vec<_>>().join(", "));
            }
            Ok(inst) => {
                Gcn::print(inst, &cx, &mut line);
                if let Some(n) = branch_target(inst, *at, *length).and_then(|t| targets.get(&t)) {
                    let cut = line.rfind(' ').map_or(line.len(), |c| c + 1);
                    line.truncate(cut);
                    let _ = write!(line, "{name}L{n}");
                }
            }
            Err(_) => {
                for (i, w) in code[*at..at + length].chunks(4).enumerate() {
                    if w.len() == 4 {
                        let _ = write!(line, ".long {:#010x}", u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
                    } else {
                        let bytes: Vec<String> = w.iter().map(|b| format!("{b:#04x}")).collect();
                        let _ = write!(line, "{}.byte {}", if i > 0 { "\n  " } else { "" }, bytes.join(","));
                    }
                }
            }
        }
        let hex: Vec<String> =
            code[*at..at + length].chunks(4).map(|c| c.iter().rev().map(|b| format!("{b:02X}")).collect()).collect();
        let _ = write!(out, "{line:<56} // {at:06x}: {}", hex.join(" "));
        match item {
            Err(e) => {
                let _ = write!(out, " ({e})");
            }
            Ok(inst) if operand::ignored(inst) => {
                out.push_str(" (");
                Gcn::print(inst, &cx, &mut out);
                out.push(')');
            }
            Ok(_) => {}
        }
        out.push('\n');
    }
    if let Some(n) = targets.get(&(code.len() as i64)) {
        let _ = writeln!(out, "{name}L{n}:");
    }
    out
}

/// An error of a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListingError {
    /// Line from 1.
    pub line: usize,
    /// Column from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl core::fmt::Display for ListingError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

fn strip_comment(line: &str) -> &str {
    let cut = line.find("//").into_iter().chain(line.find(';')).min();
    &line[..cut.unwrap_or(line.len())]
}

/// Assembles a whole listing: instructions, labels, `.long` and `.byte`, comments after `;` or `//`.
///
/// # Errors
/// Every error with line and column; the rest of the file is still read.
pub fn assemble(listing: &str, generation: u8, stages: u8, long: bool) -> Result<Vec<u8>, Vec<ListingError>> {
    let _ = long;
    let mut errors = Vec::new();
    let mut code: Vec<u8> = Vec::new();
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    // Branches to labels: place of the instruction, its slot value patched at the end.
    let mut fixups: Vec<(usize, Inst<Gcn>, String, usize, usize)> = Vec::new();
    for (number, full) in listing.lines().enumerate() {
        let number = number + 1;
        let mut text = strip_comment(full);
        let mut lead = 0;
        while let Some(colon) = text.find(':') {
            let name = text[..colon].trim();
            let plain = !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$'))
                && !name.as_bytes()[0].is_ascii_digit();
            if !plain {
                break;
            }
            if labels.insert(name.to_string(), code.len()).is_some() {
                let message = format!("label `{name}` is defined twice");
                errors.push(ListingError { line: number, column: lead + 1, message });
            }
            lead += colon + 1;
            text = &text[colon + 1..];
        }
        let word = text.trim();
        if word.is_empty() {
            continue;
        }
        let column = lead + text.len() - text.trim_start().len();
        if let Some(result) = directive(word, &mut code) {
            if let Err(message) = result {
                errors.push(ListingError { line: number, column: column + 1, message });
            }
            continue;
        }
        // A branch to a label is parsed with target 0 and patched.
        let (head, tail) = word.rsplit_once([' ', '\t', ',']).unwrap_or((word, ""));
        let is_label = tail.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.' | b'$'));
        let branches = word.to_ascii_lowercase();
        let branches = branches.starts_with("s_branch") || branches.starts_with("s_cbranch");
        let label = is_label && branches && !branches_reads_register(word);
        let source = if label { format!("{head} 0") } else { word.to_string() };
        match Gcn::parse(&source, &cx(generation, stages)) {
            Ok(inst) => {
                if label {
                    fixups.push((code.len(), inst, tail.to_string(), number, column + head.len() + 2));
                }
                match encode(&inst, generation) {
                    Some(bytes) => code.extend(bytes),
                    None => errors.push(ListingError {
                        line: number,
                        column: column + 1,
                        message: "the instruction does not exist on this generation".into(),
                    }),
                }
            }
            Err(e) => {
                errors.push(ListingError { line: number, column: column + e.column + 1, message: e.message });
            }
        }
    }
    for (at, mut inst, label, line, column) in fixups {
        let Some(&to) = labels.get(&label) else {
            errors.push(ListingError { line, column, message: format!("label `{label}` is not defined") });
            continue;
        };
        let distance = to as i64 - (at as i64 + 4);
        match i16::try_from(distance / 4) {
            Ok(d) if distance % 4 == 0 => {
                inst.set("target", u32::from(d as u16));
                if let Some(bytes) = encode(&inst, generation) {
                    code[at..at + bytes.len()].copy_from_slice(&bytes);
                }
            }
            _ => errors.push(ListingError { line, column, message: format!("label `{label}` is out of range") }),
        }
    }
    if errors.is_empty() {
        Ok(code)
    } else {
        errors.sort_by_key(|e| (e.line, e.column));
        Err(errors)
    }
}

/// Branches whose last operand is a register.
fn branches_reads_register(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    lower.starts_with("s_cbranch_g_fork") || lower.starts_with("s_cbranch_join")
}

/// `.long` and `.byte` add data; other directives that other assemblers want are passed over.
fn directive(word: &str, code: &mut Vec<u8>) -> Option<Result<(), String>> {
    let name_end = word.find(char::is_whitespace).unwrap_or(word.len());
    let (name, rest) = word.split_at(name_end);
    let width = match name {
        ".long" | ".4byte" => 4,
        ".byte" => 1,
        ".text" | ".globl" | ".global" | ".p2align" | ".type" | ".size" | ".amdgcn_target" => return Some(Ok(())),
        _ if name.starts_with('.') => return Some(Err(format!("unknown directive `{name}`"))),
        _ => return None,
    };
    for part in rest.split(',') {
        let part = part.trim();
        let value = match part.strip_prefix("0x") {
            Some(h) => u32::from_str_radix(h, 16).ok(),
            None => part.parse().ok(),
        };
        match value {
            Some(v) if width == 4 || v < 256 => code.extend(&v.to_le_bytes()[..width]),
            _ => return Some(Err(format!("`{part}` is not a value of {name}"))),
        }
    }
    Some(Ok(()))
}
