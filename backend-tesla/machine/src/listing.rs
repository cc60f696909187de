//! Words to text and back, one instruction at a time or a whole listing.

use crate::{Tesla, decode_word, length, table};
use gpucc_isa::text::{self, hex_number};
use gpucc_isa::{Inst, Isa, Listing, TextCx, TextError, What, fail_if};
use std::fmt::Write;

fn words_of(line: &str) -> Result<Vec<u32>, String> {
    let word = |w| hex_number(w, 8).map(|n| n as u32).ok_or_else(|| format!("`{w}` is not a 32-bit word"));
    line.split_whitespace().map(word).collect()
}

/// One instruction in words (`0x10008000` or `0x10000001 0x0403c780`) to its text.
///
/// # Errors
/// One sentence.
pub fn disasm_words_line(line: &str, generation: u8, stages: u8) -> Result<String, String> {
    let words = words_of(line)?;
    let Some(&w0) = words.first() else { return Err("no words".into()) };
    let need = length(w0) / 4;
    fail_if!(words.len() > need, format!("{} words, the instruction has {need}", words.len()));
    let inst = decode_word(&words, generation, stages).map_err(|e| e.to_string())?;
    Ok(text_of(&inst, generation, stages))
}

/// Text of a decoded instruction.
pub fn text_of(inst: &Inst<Tesla>, generation: u8, stages: u8) -> String {
    text::text_of(inst, &TextCx::of(generation, stages))
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
    let cx = TextCx { long, ..TextCx::of(generation, stages) };
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

gpucc_isa::listings!(Tesla);

/// An instruction in the long form that the assembler would make short begins with `long`, and words that no text gives
/// are `.word`s.
impl Listing for Tesla {
    const HEAD: &'static str = ".entry";
    const UNIT: i64 = 4;
    const RELATIVE: bool = false;
    const LONG: &'static str = "long ";

    fn first(code: &[u8], cx: &TextCx) -> (usize, What<Tesla>) {
        let (words, inst) = fetch(code, 0, cx.generation, cx.stages);
        match inst {
            Some(inst) => (words.len() * 4, What::Inst(inst)),
            // Behind a word that is none the next one may begin an instruction again.
            None => (code.len().min(4), What::Bad("no instruction".into())),
        }
    }

    fn label(_: usize, at: usize) -> Option<String> {
        Some(format!("L{at:x}"))
    }

    fn data(bytes: &[u8]) -> Option<String> {
        let (words, rest) = bytes.as_chunks::<4>();
        let words: Vec<String> = words.iter().map(|w| format!(" 0x{:08x}", u32::from_le_bytes(*w))).collect();
        let rest: Vec<String> = rest.iter().map(|b| format!(" 0x{b:02x}")).collect();
        Some(if rest.is_empty() { format!(".word{}", words.concat()) } else { format!(".byte{}", rest.concat()) })
    }

    fn directive(statement: &str, out: &mut Vec<u8>) -> Option<Result<(), TextError>> {
        let bytes = raw_line(statement)?.map_err(|message| TextError { column: 5, message });
        Some(bytes.map(|bytes| out.extend(bytes)))
    }

    fn misplaced(inst: &Inst<Tesla>, at: usize) -> Option<String> {
        let bytes = usize::from(inst.row().bytes);
        (!at.is_multiple_of(bytes))
            .then(|| format!("{bytes}-byte instruction at 0x{at:x}, which is not a multiple of {bytes}"))
    }
}

/// Bytes of `.word` and `.byte`.
fn raw_line(text: &str) -> Option<Result<Vec<u8>, String>> {
    if let Some(rest) = text.strip_prefix(".word") {
        return Some(words_of(rest).map(|w| w.iter().flat_map(|x| x.to_le_bytes()).collect()));
    }
    let byte = |b| hex_number(b, 2).map(|n| n as u8).ok_or_else(|| format!("`{b}` is not a byte"));
    Some(text.strip_prefix(".byte")?.split_whitespace().map(byte).collect())
}
