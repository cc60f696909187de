//! Comparison with lines of the vectors file: `0x<word>\t<text>\t<generations>`.

use crate::{asm_words_line, disasm_words_line};
use gpucc_isa::{Isa, fail_if, stage, text::normal};

/// Checks one line, both directions, on each generation it lists. A text that begins with `!` asks that the word is refused.
///
/// # Errors
/// The difference.
pub fn check_vector(line: &str) -> Result<(), String> {
    let mut cols = line.split('\t');
    let (Some(word), Some(text), Some(arch)) = (cols.next(), cols.next(), cols.next()) else {
        return Err("expected three columns".into());
    };
    for name in arch.trim().split('/') {
        let generation = crate::Valhall::GENERATIONS
            .iter()
            .position(|g| *g == name)
            .ok_or_else(|| format!("unknown generation `{name}`"))? as u8;
        let ours = disasm_words_line(word, generation, stage::ALL);
        if let Some(reason) = text.strip_prefix('!') {
            if let Ok(t) = ours {
                return Err(format!("{word} must be refused ({reason}), but reads `{t}`"));
            }
            continue;
        }
        let ours = ours?;
        fail_if!(normal(&ours) != normal(text), format!("{word} reads `{ours}`, expected `{text}`"));
        let back = asm_words_line(text, generation, stage::ALL, false)?;
        if !back.eq_ignore_ascii_case(word.trim()) && !lut_entry_21(word, &back) {
            return Err(format!("`{text}` assembles to {back}, expected {word}"));
        }
    }
    Ok(())
}

/// Quirk: LUT entries 0 and 21 are both zero and print alike, so the text of a word with entry 21 (byte 0xD5) assembles to
/// entry 0 (byte 0xC0); sections 2.1 and 20 of the reference.
fn lut_entry_21(word: &str, ours: &str) -> bool {
    let parse = |s: &str| s.trim().strip_prefix("0x").and_then(|h| u64::from_str_radix(h, 16).ok());
    let (Some(mut w), Some(o)) = (parse(word), parse(ours)) else { return false };
    for byte in 0..4 {
        if (w >> (8 * byte)) as u8 == 0xD5 && (o >> (8 * byte)) as u8 == 0xC0 {
            w ^= 0x15 << (8 * byte);
        }
    }
    w == o
}
