//! Lines of `vivante.tsv`: words, text, `level[+extra];kind`.

use gpucc_isa::{fail_if, stage, text::normal};

use crate::listing::parse_words;
use crate::{GC3000, asm_words_line, decode_word, disasm_words_line, encode};

/// Checks one line: kind `asm` in both directions, `dec` when decoding, `invalid` must be refused. Every accepted word
/// must also encode back to itself.
///
/// # Errors
/// The difference.
pub fn check_vector(line: &str) -> Result<(), String> {
    let mut columns = line.split('\t');
    let (Some(words), Some(text), Some(note)) = (columns.next(), columns.next(), columns.next()) else {
        return Err("a vector has three columns".into());
    };
    let kind = note.rsplit(';').next().unwrap_or("").trim();
    let shown = disasm_words_line(words, GC3000, stage::ALL);
    if kind == "invalid" {
        return match shown {
            Ok(t) => Err(format!("must not decode, but prints `{t}`")),
            Err(_) => Ok(()),
        };
    }
    let shown = shown?;
    fail_if!(normal(&shown) != normal(text), format!("prints `{shown}`, expected `{text}`"));
    let raw = parse_words(words)?;
    let inst = decode_word(raw, crate::GC7000, stage::ALL).map_err(|e| e.to_string())?;
    fail_if!(encode(&inst, crate::GC7000) != Some(raw), format!("does not encode back to itself: {inst:?}"));
    match kind {
        "asm" => {
            let back = asm_words_line(text, GC3000, stage::ALL, false)?;
            if normal(&back) == normal(words) { Ok(()) } else { Err(format!("assembles to `{back}`")) }
        }
        "dec" => Ok(()),
        other => Err(format!("unknown kind `{other}`")),
    }
}
