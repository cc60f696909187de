//! Words and whole programs, to and from text.

use core::fmt;

use gpucc_isa::{DecodeError, Notes, Word};

use crate::{Op, ValhallInst, table, text};

/// An assembler error in a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListingError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ListingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// Decodes one instruction word.
///
/// # Errors
/// No such instruction, reserved bits set, or a field with a value that has no meaning.
pub fn decode_word(word: u64, generation: u8, stages: u8) -> Result<ValhallInst, DecodeError> {
    table().decode(word as Word, 8, generation, stages)
}

/// Encodes an instruction.
///
/// # Panics
/// When a value does not fit its field.
pub fn encode_word(inst: &ValhallInst, generation: u8) -> u64 {
    // Every row exists on both generations.
    table().encode(inst, generation).map_or(0, |(w, _)| w as u64)
}

/// One word in hexadecimal to its text.
///
/// # Errors
/// Why the word does not decode.
pub fn disasm_words_line(line: &str, generation: u8, stages: u8) -> Result<String, String> {
    let digits = line.trim();
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits);
    if digits.is_empty() || digits.len() > 16 {
        return Err(format!("expected a 64-bit word in hexadecimal, not `{}`", line.trim()));
    }
    let word = u64::from_str_radix(digits, 16).map_err(|_| format!("`{digits}` is no word in hexadecimal"))?;
    let inst = decode_word(word, generation, stages).map_err(|e| e.to_string())?;
    let mut out = String::new();
    text::print(&inst, &mut out);
    Ok(out)
}

/// One line of text to its word.
///
/// # Errors
/// Column and reason.
pub fn asm_words_line(line: &str, generation: u8, _stages: u8, _long: bool) -> Result<String, String> {
    let inst = text::parse(line).map_err(|e| e.to_string())?;
    Ok(format!("0x{:016x}", encode_word(&inst, generation)))
}

/// The branch distance of `inst` in instructions, if it has one.
fn branch_offset(inst: &ValhallInst) -> Option<i64> {
    (inst.op() == Op::Branchz).then(|| {
        let raw = inst.get("offset").unwrap_or(0);
        ((raw << 5) as i32 >> 5) as i64
    })
}

/// Words of zero behind a program, up to the end of the code or to where the next one may begin (section 19 of the reference).
fn padding(words: &[u64]) -> Vec<bool> {
    let mut pad = vec![false; words.len()];
    let mut start = None;
    for i in 0..=words.len() {
        let zero = words.get(i) == Some(&0);
        if zero {
            start = start.or(Some(i));
        } else if let Some(from) = start.take()
            && from > 0
        {
            let end = if i == words.len() { i } else { i - i % ALIGNMENT };
            pad[from..end.max(from)].fill(true);
        }
    }
    pad
}

/// Words from one program of a code to where the next may begin.
const ALIGNMENT: usize = 16;

/// How many words of `code` are no instruction and no padding, a cut-off one at the end among them.
pub fn undecodable(code: &[u8], generation: u8, stages: u8) -> usize {
    let (words, rest) = code.as_chunks::<8>();
    let words: Vec<u64> = words.iter().map(|w| u64::from_le_bytes(*w)).collect();
    let bad = |(w, pad): &(&u64, bool)| !pad && decode_word(**w, generation, stages).is_err();
    words.iter().zip(padding(&words)).filter(bad).count() + usize::from(!rest.is_empty())
}

/// A listing of `code`: one instruction a line, labels where branches go; [`assemble`] reads it back.
pub fn disassemble(code: &[u8], generation: u8, stages: u8) -> String {
    listing(code, generation, stages, &Notes::default())
}

/// [`disassemble`], with what is said of a program among others. Programs one behind the other assemble to their codes
/// one behind the other: branches are relative.
pub fn listing(code: &[u8], generation: u8, stages: u8, notes: &Notes<'_>) -> String {
    let words: Vec<u64> = code
        .chunks(8)
        .map(|c| {
            let mut b = [0; 8];
            b[..c.len()].copy_from_slice(c);
            u64::from_le_bytes(b)
        })
        .collect();
    let insts: Vec<Result<ValhallInst, DecodeError>> =
        words.iter().map(|&w| decode_word(w, generation, stages)).collect();
    let target = |i: usize, inst: &ValhallInst| -> Option<usize> {
        let t = i as i64 + 1 + branch_offset(inst)?;
        (0..=words.len() as i64).contains(&t).then_some(t as usize)
    };
    let pad = padding(&words);
    let mut labelled = vec![false; words.len() + 1];
    for (i, inst) in insts.iter().enumerate() {
        if let Ok(inst) = inst
            && let Some(t) = target(i, inst)
        {
            labelled[t] = true;
        }
    }
    let mut out = String::new();
    notes.head("; entry", &mut out);
    let mut comments = 0;
    let name = notes.labels;
    for (i, inst) in insts.iter().enumerate() {
        if labelled[i] {
            out.push_str(&format!("{name}L{i}:\n"));
        }
        notes.before(i * 8, &mut comments, &mut out);
        let mut line = String::from("    ");
        match inst {
            _ if i == words.len() - 1 && !code.len().is_multiple_of(8) => {
                let tail: Vec<String> = code[i * 8..].iter().map(|b| format!("{b:#04x}")).collect();
                line.push_str(&format!("; truncated instruction: {}", tail.join(" ")));
            }
            Ok(inst) => {
                text::print(inst, &mut line);
                if let Some(t) = target(i, inst)
                    && let Some(at) = line.find("offset:")
                {
                    line.truncate(at);
                    line.push_str(&format!("offset:{name}L{t}"));
                }
            }
            Err(_) if pad[i] => line.push_str(".word 0x0000000000000000 ; padding"),
            Err(e) => line.push_str(&format!(".word 0x{:016x} ; {e}", words[i])),
        }
        out.push_str(&format!("{line:<72} ; {:04x}", i * 8));
        out.push('\n');
    }
    if labelled[words.len()] {
        out.push_str(&format!("{name}L{}:\n", words.len()));
    }
    out
}

fn strip_comment(line: &str) -> &str {
    let end = line.find(';').into_iter().chain(line.find("//")).min().unwrap_or(line.len());
    &line[..end]
}

fn is_label(s: &str) -> bool {
    let mut chars = s.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '.')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

/// Assembles a listing: instructions, `label:` lines, `offset:label` in branches, `.word 0x...`, comments after `;` or `//`.
/// Goes on after errors and reports them all.
///
/// # Errors
/// Every line that could not be read.
pub fn assemble(listing: &str, generation: u8, _stages: u8, _long: bool) -> Result<Vec<u8>, Vec<ListingError>> {
    let mut errors = Vec::new();
    let mut labels: Vec<(String, usize)> = Vec::new();
    let mut items: Vec<(usize, &str)> = Vec::new();
    for (n, full) in listing.lines().enumerate() {
        let mut line = strip_comment(full);
        // `name:` at the beginning, before any blank: operands also contain colons.
        while let Some(colon) = line.find(':') {
            let name = line[..colon].trim();
            if !is_label(name) || line[..colon].trim_start().contains([' ', '\t']) {
                break;
            }
            if labels.iter().any(|(l, _)| l == name) {
                let column = full.len() - full.trim_start().len() + 1;
                errors.push(ListingError { line: n + 1, column, message: format!("label `{name}` is defined twice") });
            }
            labels.push((name.to_string(), items.len()));
            line = &line[colon + 1..];
        }
        if !line.trim().is_empty() {
            items.push((n, line));
        }
    }
    labels.sort();
    let full_lines: Vec<&str> = listing.lines().collect();
    let mut code = Vec::new();
    for (i, &(n, line)) in items.iter().enumerate() {
        let shift = strip_comment(full_lines[n]).len() - line.len();
        let mut fail = |column: usize, message: String| {
            errors.push(ListingError { line: n + 1, column: shift + column + 1, message });
        };
        let word = if let Some(rest) = line.trim_start().strip_prefix(".word") {
            let digits = rest.trim();
            let parsed = match digits.strip_prefix("0x") {
                Some(h) => u64::from_str_radix(h, 16),
                None => digits.parse(),
            };
            match parsed {
                Ok(w) => Some(w),
                Err(_) => {
                    fail(line.len() - line.trim_start().len(), format!("`{digits}` is not a 64-bit word"));
                    None
                }
            }
        } else {
            match resolve(line, &labels, i) {
                Err((column, message)) => {
                    fail(column, message);
                    None
                }
                Ok(resolved) => match text::parse(resolved.as_deref().unwrap_or(line)) {
                    // Rules of use (`validate`) are not the assembler's to enforce: the machine traps on them.
                    Ok(inst) => Some(encode_word(&inst, generation)),
                    Err(e) => {
                        fail(e.column, e.message);
                        None
                    }
                },
            }
        };
        code.extend_from_slice(&word.unwrap_or(0).to_le_bytes());
    }
    if errors.is_empty() {
        Ok(code)
    } else {
        errors.sort_by_key(|e| (e.line, e.column));
        Err(errors)
    }
}

type Resolved = Result<Option<String>, (usize, String)>;

/// Replaces `offset:label` by the distance from instruction `i`.
fn resolve(line: &str, labels: &[(String, usize)], i: usize) -> Resolved {
    let Some(at) = line.find("offset:") else { return Ok(None) };
    let from = at + "offset:".len();
    let name = line[from..].trim();
    if !is_label(name) {
        return Ok(None);
    }
    match labels.binary_search_by(|(l, _)| l.as_str().cmp(name)) {
        Ok(l) => Ok(Some(format!("{}{}", &line[..from], labels[l].1 as i64 - i as i64 - 1))),
        Err(_) => Err((from, format!("label `{name}` is not defined"))),
    }
}
