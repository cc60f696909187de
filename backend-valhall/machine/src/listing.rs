//! Words and whole programs, to and from text.

use gpucc_isa::text::{hex_number, text_of};
use gpucc_isa::{DecodeError, Listing, TextCx, TextError, What, Word};

use crate::{Valhall, ValhallInst, table, text};

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
    let word = hex_number(line.trim(), 16)
        .ok_or_else(|| format!("expected a 64-bit word in hexadecimal, not `{}`", line.trim()))?;
    let inst = decode_word(word, generation, stages).map_err(|e| e.to_string())?;
    Ok(text_of(&inst, &TextCx::of(generation, stages)))
}

/// One line of text to its word.
///
/// # Errors
/// Column and reason.
pub fn asm_words_line(line: &str, generation: u8, _stages: u8, _long: bool) -> Result<String, String> {
    let inst = text::parse(line).map_err(|e| e.to_string())?;
    Ok(format!("0x{:016x}", encode_word(&inst, generation)))
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

gpucc_isa::listings!(Valhall);

impl Listing for Valhall {
    const HEAD: &'static str = "; entry";
    const UNIT: i64 = 8;
    const RELATIVE: bool = true;
    const WORD: usize = 8;

    fn first(code: &[u8], cx: &TextCx) -> (usize, What<Valhall>) {
        let Some(word) = code.first_chunk() else { return (code.len(), What::Bad("truncated instruction".into())) };
        let inst = match decode_word(u64::from_le_bytes(*word), cx.generation, cx.stages) {
            Ok(inst) => inst,
            Err(e) => return (8, What::Bad(e.to_string())),
        };
        // A word that the assembler refuses has no text that gives it back.
        let what = match table().validate(&inst, cx) {
            Ok(()) => What::Inst(inst),
            Err(rule) => What::Bad(rule.to_string()),
        };
        (8, what)
    }

    fn pad(code: &[u8], places: &mut [(usize, What<Valhall>)]) {
        let words: Vec<u64> = code.as_chunks().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
        for (place, _) in places.iter_mut().zip(padding(&words)).filter(|(_, pad)| *pad) {
            place.1 = What::Padding;
        }
    }

    fn label(_: usize, at: usize) -> Option<String> {
        Some(format!("L{}", at / 8))
    }

    fn data(bytes: &[u8]) -> Option<String> {
        bytes.first_chunk().map(|w| format!(".word {:#018x}", u64::from_le_bytes(*w)))
    }

    fn directive(statement: &str, out: &mut Vec<u8>) -> Option<Result<(), TextError>> {
        let digits = statement.strip_prefix(".word")?.trim();
        let word = digits.strip_prefix("0x").map_or_else(|| digits.parse(), |h| u64::from_str_radix(h, 16));
        let error = |_| TextError { column: 0, message: format!("`{digits}` is not a 64-bit word") };
        Some(word.map(|w| out.extend(w.to_le_bytes())).map_err(error))
    }
}
