//! Lines of `vivante.tsv`: words, text, `level[+extra];kind`.

use gpucc_isa::stage;

use crate::{GC3000, asm_words_line, decode_word, disasm_words_line, encode, table};

fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase()
}

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
    if normal(&shown) != normal(text) {
        return Err(format!("prints `{shown}`, expected `{text}`"));
    }
    let mut raw = [0; 4];
    for (w, t) in raw.iter_mut().zip(words.split_whitespace()) {
        *w = u32::from_str_radix(t.trim_start_matches("0x"), 16).map_err(|e| e.to_string())?;
    }
    let inst = decode_word(raw, crate::GC7000, stage::ALL).map_err(|e| e.to_string())?;
    if encode(&inst, crate::GC7000) != Some(raw) {
        return Err(format!("does not encode back to itself: {inst:?}"));
    }
    match kind {
        "asm" => {
            let back = asm_words_line(text, GC3000, stage::ALL, false)?;
            if normal(&back) == normal(words) { Ok(()) } else { Err(format!("assembles to `{back}`")) }
        }
        "dec" => Ok(()),
        other => Err(format!("unknown kind `{other}`")),
    }
}

/// Names of rows that no line of `lines` decodes to.
pub fn uncovered_rows<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = vec![false; table().rows.len()];
    for line in lines {
        let mut raw = [0; 4];
        let words = line.split('\t').next().unwrap_or("");
        for (w, t) in raw.iter_mut().zip(words.split_whitespace()) {
            *w = u32::from_str_radix(t.trim_start_matches("0x"), 16).unwrap_or(0);
        }
        if let Ok(inst) = decode_word(raw, crate::GC7000, stage::ALL) {
            seen[inst.row as usize] = true;
        }
    }
    table().rows.iter().zip(seen).filter(|(_, s)| !s).map(|(r, _)| format!("{:?}", r.op)).collect()
}
