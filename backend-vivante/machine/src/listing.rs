//! Whole programs as text, and single lines in the notation of the vectors.

use core::fmt::Write;
use std::collections::BTreeMap;

use gpucc_isa::{DecodeError, Inst, Isa, Notes, TextCx, TextError, stage};

use crate::{BYTES, GC3000, GC7000, Vivante, decode_word, encode};

/// An assembler error with its line (from 1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListingError {
    /// Line, from 1.
    pub line: usize,
    /// Column and sentence.
    pub error: TextError,
}

impl core::fmt::Display for ListingError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "line {}, {}", self.line, self.error)
    }
}

fn cx(generation: u8, stages: u8, long: bool) -> TextCx {
    TextCx { generation, stages, long, pc: 0 }
}

/// Text of one instruction.
pub fn text_of(inst: &Inst<Vivante>, generation: u8) -> String {
    let mut s = String::new();
    Vivante::print(inst, &cx(generation, stage::ALL, false), &mut s);
    s
}

fn words_of(bytes: &[u8]) -> [u32; 4] {
    let mut w = [0; 4];
    for (w, b) in w.iter_mut().zip(bytes.chunks_exact(4)) {
        *w = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    }
    w
}

fn hex(w: [u32; 4]) -> String {
    format!("0x{:08x} 0x{:08x} 0x{:08x} 0x{:08x}", w[0], w[1], w[2], w[3])
}

/// How many instructions of `code` the chip does not have, a cut-off one at the end among them.
pub fn undecodable(code: &[u8], generation: u8, stages: u8) -> usize {
    let (words, rest) = code.as_chunks::<BYTES>();
    words.iter().filter(|w| decode_word(words_of(*w), generation, stages).is_err()).count()
        + usize::from(!rest.is_empty())
}

/// Lists a program, one instruction a line behind its index. Words whose text would not assemble back to them
/// (undecodable ones, and those with bits that the syntax does not show) are written as `.word` with a comment.
pub fn disassemble(code: &[u8], generation: u8, stages: u8) -> String {
    listing(code, generation, stages, &Notes::default())
}

/// [`disassemble`], with what is said of a program among others. Programs one behind the other assemble to their codes
/// one behind the other: branches name the index in their own program.
pub fn listing(code: &[u8], generation: u8, stages: u8, notes: &Notes<'_>) -> String {
    let mut out = String::new();
    notes.head(".entry", &mut out);
    let mut comments = 0;
    for (i, bytes) in code.chunks(BYTES).enumerate() {
        notes.before(i * BYTES, &mut comments, &mut out);
        if bytes.len() < BYTES {
            let _ = writeln!(out, "; {} bytes left over, an instruction has {BYTES}", bytes.len());
            break;
        }
        let words = words_of(bytes);
        let decoded = decode_word(words, generation, stages).map_err(|e| e.to_string()).or_else(|e| {
            decode_word(words, GC7000, stages).map(|i| (i, e)).map_or_else(|e| Err(e.to_string()), |(i, _)| Ok(i))
        });
        match decoded {
            Ok(inst) => {
                let text = text_of(&inst, generation);
                let back = Vivante::parse(&text, &cx(generation, stages, false));
                let exact = back.is_ok_and(|b| encode(&b, generation) == Some(words));
                if exact {
                    let _ = writeln!(out, "{i:4}: {text}");
                } else {
                    let _ = writeln!(out, "{i:4}: .word {} ; {text}", hex(words));
                }
            }
            Err(e) => {
                let _ = writeln!(out, "{i:4}: .word {} ; {e}", hex(words));
            }
        }
    }
    out
}

/// A line without comment, and without the labels or the index before it.
struct Line<'a> {
    labels: Vec<&'a str>,
    /// Column at which `text` begins.
    column: usize,
    text: &'a str,
}

fn split_line(line: &str) -> Line<'_> {
    let end = [line.find(';'), line.find("//"), line.find('#')].into_iter().flatten().min().unwrap_or(line.len());
    let mut text = &line[..end];
    let mut column = 0;
    let mut labels = Vec::new();
    loop {
        let lead = text.len() - text.trim_start().len();
        column += lead;
        text = &text[lead..];
        let word = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        if word == 0 || !text[word..].starts_with(':') {
            break;
        }
        labels.push(&text[..word]);
        column += word + 1;
        text = &text[word + 1..];
    }
    Line { labels, column, text: text.trim_end() }
}

/// Assembles a listing: one instruction a line, `label:` or `index:` before it, labels as branch targets, comments from
/// `;`, `#` or `//`, `.word w0 w1 w2 w3` for raw words. `.entry NAME` begins a program: branches count from there. Goes on
/// after errors.
///
/// # Errors
/// Every line that was refused.
pub fn assemble(listing: &str, generation: u8, stages: u8, long: bool) -> Result<Vec<u8>, Vec<ListingError>> {
    let cx = cx(generation, stages, long);
    let mut labels: BTreeMap<&str, u32> = BTreeMap::new();
    let mut errors = Vec::new();
    let mut count = 0;
    for (n, raw) in listing.lines().enumerate() {
        if begins_program(raw) {
            count = 0;
            continue;
        }
        let line = split_line(raw);
        for l in line.labels {
            // A bare number is the index that listings print.
            if !l.bytes().all(|b| b.is_ascii_digit()) && labels.insert(l, count).is_some() {
                let error = TextError { column: 0, message: format!("label `{l}` is defined twice") };
                errors.push(ListingError { line: n + 1, error });
            }
        }
        count += u32::from(!line.text.is_empty());
    }
    let mut code = Vec::new();
    for (n, raw) in listing.lines().enumerate() {
        let line = split_line(raw);
        if line.text.is_empty() || begins_program(raw) {
            continue;
        }
        match assemble_line(&line, &labels, &cx) {
            Ok(words) => code.extend(words.iter().flat_map(|w| w.to_le_bytes())),
            Err(mut error) => {
                error.column += line.column;
                errors.push(ListingError { line: n + 1, error });
            }
        }
    }
    if errors.is_empty() { Ok(code) } else { Err(errors) }
}

/// `.entry NAME`.
fn begins_program(line: &str) -> bool {
    line.split_whitespace().next() == Some(".entry")
}

fn assemble_line(line: &Line<'_>, labels: &BTreeMap<&str, u32>, cx: &TextCx) -> Result<[u32; 4], TextError> {
    if let Some(rest) = line.text.strip_prefix(".word") {
        return parse_words(rest).map_err(|message| TextError { column: 5, message });
    }
    let mut text = line.text.to_owned();
    if let Some(comma) = text.rfind(',')
        && let Some(target) = labels.get(text[comma + 1..].trim())
    {
        let number = target.to_string();
        text.replace_range(comma + 1.., &format!(" {number}"));
    }
    let inst = Vivante::parse(&text, cx)?;
    encode(&inst, cx.generation)
        .ok_or_else(|| TextError { column: 0, message: "the instruction does not exist on this chip".into() })
}

fn parse_words(text: &str) -> Result<[u32; 4], String> {
    let mut words = [0; 4];
    let mut n = 0;
    for token in text.split_whitespace() {
        let digits = token.strip_prefix("0x").or_else(|| token.strip_prefix("0X")).unwrap_or(token);
        let ok = digits.len() <= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let value = u32::from_str_radix(digits, 16).ok().filter(|_| ok);
        let value = value.ok_or_else(|| format!("`{token}` is no 32-bit hexadecimal word"))?;
        *words.get_mut(n).ok_or("more than four words")? = value;
        n += 1;
    }
    if n < 4 {
        return Err(format!("truncated instruction: {n} of four words"));
    }
    Ok(words)
}

/// One line of words to text. Lines of words are read as the whole family knows them: the notation and its vectors do
/// not name a chip, and a person who reads a dump wants to see what is there.
///
/// # Errors
/// When the words are no instruction.
pub fn disasm_words_line(line: &str, generation: u8, stages: u8) -> Result<String, String> {
    let words = parse_words(line)?;
    match decode_word(words, GC7000, stages) {
        Ok(inst) => Ok(text_of(&inst, generation)),
        Err(e @ (DecodeError::Unknown | DecodeError::Truncated | DecodeError::Reserved(_))) => {
            Err(format!("{e}: {:08x}{:08x}{:08x}{:08x}", words[3], words[2], words[1], words[0]))
        }
    }
}

/// One line of text to words. On the default generation the whole family's instructions are accepted, as in
/// [`disasm_words_line`]; on a named other chip only its own.
///
/// # Errors
/// Column and reason.
pub fn asm_words_line(line: &str, generation: u8, stages: u8, long: bool) -> Result<String, String> {
    let generation = if generation == GC3000 { GC7000 } else { generation };
    let text = line.split(';').next().unwrap_or("").trim_end();
    let text = text.strip_suffix("\\t").unwrap_or(text);
    let inst = Vivante::parse(text, &cx(generation, stages, long)).map_err(|e| e.to_string())?;
    encode(&inst, generation).map(hex).ok_or_else(|| "the instruction does not exist on this chip".to_owned())
}
