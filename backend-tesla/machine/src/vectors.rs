//! Comparison with outside vectors (`tesla.tsv`): words, text, chip variants, program types, tag.

use gpucc_isa::text::normal;

use crate::{asm_words_line, disasm_words_line, generation, text};

/// The generation that a chip variant of the vectors stands for.
pub fn variant(name: &str) -> Option<u8> {
    generation(match name {
        "g80" => "nv50",
        "g84" => "nv84",
        "g200" => "nva0",
        "gt215" => "nva3",
        "mcp77" => "mcp77",
        _ => return None,
    })
}

/// Checks one line of the vectors file: its words must decode to its text under every listed variant and program type, and a
/// text tagged `rt` (`rt-long`: with long forms forced) must assemble to its words. A line whose text is `invalid` must not
/// decode anywhere listed.
///
/// # Errors
/// The difference.
pub fn check_vector(line: &str) -> Result<(), String> {
    let columns: Vec<&str> = line.trim_end_matches(['\r', '\n']).split('\t').collect();
    let [words, want, variants, types, tag] = columns[..] else {
        return Err(format!("{} columns, expected 5", columns.len()));
    };
    for v in variants.split(',') {
        let g = variant(v).ok_or_else(|| format!("unknown variant `{v}`"))?;
        for t in types.split(',') {
            let stages = text::stage_of(t).ok_or_else(|| format!("unknown program type `{t}`"))?;
            match disasm_words_line(words, g, stages) {
                Ok(got) if want == "invalid" => return Err(format!("{words} on {v} {t}: `{got}`, expected an error")),
                Err(_) if want == "invalid" => {}
                Ok(got) if normal(&got) == normal(want) => {}
                Ok(got) => return Err(format!("{words} on {v} {t}: `{got}`, expected `{want}`")),
                Err(e) => return Err(format!("{words} on {v} {t}: {e}, expected `{want}`")),
            }
            let long = match tag {
                "rt" => false,
                "rt-long" => true,
                _ => continue,
            };
            match asm_words_line(want, g, stages, long) {
                Ok(got) if normal(&got) == normal(words) => {}
                Ok(got) => return Err(format!("`{want}` on {v} {t}: {got}, expected {words}")),
                Err(e) => return Err(format!("`{want}` on {v} {t}: {e}, expected {words}")),
            }
        }
    }
    Ok(())
}
