//! Comparison with vectors: lines `mcpu <tab> bytes <tab> text` as `llvm-mc` made them.

use gpucc_isa::{fail_if, stage, text::normal};

use crate::isa::{GFX6, GFX7, GFX8};
use crate::listing::{asm_words_line, disasm_words_line};

/// Generation of an `-mcpu` name.
pub fn generation(mcpu: &str) -> Option<u8> {
    match mcpu {
        "tahiti" | "gfx6" | "gfx600" => Some(GFX6),
        "bonaire" | "hawaii" | "gfx7" | "gfx704" => Some(GFX7),
        "fiji" | "polaris10" | "gfx8" | "gfx803" => Some(GFX8),
        _ => None,
    }
}

/// Quirk `smrd-glc`: on gfx6 and gfx7 the tool keeps a `glc` on scalar loads, whose encoding has no such bit, so no
/// decoder can know of it.
fn smrd_glc(text: &str) -> String {
    let scalar_load = text.starts_with("s_load_") || text.starts_with("s_buffer_load_");
    text.strip_suffix(" glc").filter(|_| scalar_load).unwrap_or(text).to_string()
}

/// Quirk `div-scale-clamp`: on gfx6 and gfx7 the tool keeps a `clamp` on `v_div_scale_*`, where the second destination
/// occupies the bit.
fn div_scale_clamp(text: &str) -> String {
    if text.starts_with("v_div_scale_") { text.replace(" clamp", "") } else { text.to_string() }
}

/// Checks one line in both directions. A line whose text begins with `!` must be refused by the decoder.
///
/// # Errors
/// The difference.
pub fn check_vector(line: &str) -> Result<(), String> {
    let mut parts = line.trim_end_matches(['\r', '\n']).split('\t');
    let (Some(mcpu), Some(bytes), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("expected mcpu, bytes and text, separated by tabs".into());
    };
    let g = generation(mcpu).ok_or_else(|| format!("unknown mcpu `{mcpu}`"))?;
    if text.starts_with('!') {
        return match disasm_words_line(bytes, g, stage::ALL) {
            Ok(t) => Err(format!("decodes to `{t}` and must not")),
            Err(_) => Ok(()),
        };
    }
    let want = normal(text);
    let want = if g == GFX8 { want } else { div_scale_clamp(&smrd_glc(&want)) };
    let got = disasm_words_line(bytes, g, stage::ALL).map_err(|e| format!("does not decode: {e}"))?;
    fail_if!(normal(&got) != want, format!("decodes to `{got}`, expected `{want}`"));
    let back = asm_words_line(text, g, stage::ALL, false).map_err(|e| format!("does not assemble: {e}"))?;
    fail_if!(normal(&back) != normal(bytes), format!("assembles to {back}, expected {bytes}"));
    Ok(())
}
