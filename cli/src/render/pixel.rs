//! `render --pixel X,Y`: what the fragments of a pixel executed, in order, by source line.

use std::fmt::Write as _;

use gpucc_render::PreparedScene;
use gpucc_render::frame::{MOST, Pixel, Step, Stepped};
use gpucc_scene::{alone, moment};

use crate::Failure;
use crate::report::plain;

/// The pixel of the option, inside of the picture that the scene presents.
///
/// # Errors
/// A usage failure for what is no pixel of it.
pub fn read(text: Option<&str>, ready: &PreparedScene) -> Result<Option<Pixel>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let size = moment::presented_size(&ready.file.scene);
    let at = alone::pair::<u32>(text, ',');
    match at.filter(|[x, y]| *x < size[0] && *y < size[1]) {
        Some(at) => Ok(Some(Pixel { at, size })),
        None => {
            let [w, h] = size;
            Err(Failure::Usage(format!("--pixel {text}: expected X,Y inside of the picture of {w}x{h}")))
        }
    }
}

/// A line of a source, without the blanks before it.
fn source<'a>(texts: &'a [(String, String)], (file, line, _): &(String, u32, u32)) -> &'a str {
    let text = texts.iter().find(|t| t.0 == *file).map_or("", |t| t.1.as_str());
    text.lines().nth((*line as usize).saturating_sub(1)).unwrap_or("").trim()
}

/// The steps as text: each line of the source where it is come to, its instructions beneath.
pub fn text(list: &[Stepped], at: [u32; 2], place: &str, ready: &PreparedScene) -> String {
    let texts: Vec<(String, String)> = ready.shaders.sources.iter().flat_map(gpucc_render::Source::files).collect();
    let [x, y] = at;
    if list.is_empty() {
        return format!("{place}: pixel {x},{y}: no fragment covers it\n");
    }
    let mut out = String::new();
    for draw in list {
        let count: u64 = draw.steps.iter().map(|s| s.count).sum();
        let more = if draw.has_more { format!(" and more: the first {MOST} are shown") } else { String::new() };
        let _ = writeln!(out, "{place}: pixel {x},{y}, {}: {count} instructions{more}", draw.field);
        let mut last = None;
        for Step { pc, text, place, count } in &draw.steps {
            let line = place.as_ref().map(|p| (p.0.as_str(), p.1));
            if line != last {
                match place {
                    Some(p) => {
                        let _ = writeln!(out, "  {}:{} | {}", plain(&p.0), p.1, plain(source(&texts, p)));
                    }
                    None => out.push_str("  (no line)\n"),
                }
                last = line;
            }
            let times = if *count > 1 { format!("  ; and {} more of this block", count - 1) } else { String::new() };
            let _ = writeln!(out, "      {pc:06x}  {}{times}", plain(text));
        }
    }
    out
}
