//! Pictures side by side with their names.

use font8x8::legacy::BASIC_LEGACY;

use crate::picture::Picture;

/// Pixels between pictures and around them.
const GAP: u32 = 8;
/// Height of a letter of the font.
const LETTER: u32 = 8;
const GROUND: [u8; 4] = [24, 26, 31, 255];
const INK: [u8; 4] = [226, 230, 236, 255];

/// Columns of a sheet of so many pictures: as many as rows or one more, three for five.
pub fn columns(pictures: usize) -> usize {
    (1..=pictures).find(|c| c * c >= pictures).unwrap_or(1)
}

/// A sheet of pictures in rows of so many columns, each with its name below it. Cells are as large as the largest picture; a name that
/// is longer than its cell is cut, and what is no ASCII in it is a question mark.
pub fn sheet(list: &[(String, Picture)], columns: usize) -> Picture {
    let columns = columns.clamp(1, list.len().max(1));
    let size = |f: fn(&Picture) -> u32| list.iter().map(|l| f(&l.1)).max().unwrap_or(1).max(1);
    let (w, h) = (size(|p| p.width), size(|p| p.height));
    // Letters are readable beside the picture they belong to.
    let scale = (w / 240).clamp(1, 4);
    let (step_x, step_y) = (w + GAP, h + GAP / 2 + LETTER * scale + GAP);
    let rows = list.len().div_ceil(columns).max(1);
    let mut out = Picture::filled(step_x * columns as u32 + GAP, step_y * rows as u32 + GAP, GROUND);
    for (k, (name, picture)) in list.iter().enumerate() {
        let (x, y) = (GAP + (k % columns) as u32 * step_x, GAP + (k / columns) as u32 * step_y);
        for (py, px) in (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (y, x))) {
            if let Some([r, g, b, _]) = picture.pixel(px, py) {
                // Alpha is nobody's here: the sheet is looked at as a whole.
                out.set(x + px, y + py, [r, g, b, 255]);
            }
        }
        write(&mut out, (x, y + h + GAP / 2), scale, w, name);
    }
    out
}

/// Writes a text with its upper left corner at a pixel, `width` pixels wide at most.
fn write(out: &mut Picture, (x, y): (u32, u32), scale: u32, width: u32, text: &str) {
    let most = (width / (LETTER * scale)) as usize;
    for (k, c) in text.chars().take(most).enumerate() {
        let glyph = BASIC_LEGACY.get(c as usize).unwrap_or(&BASIC_LEGACY['?' as usize]);
        let left = x + k as u32 * LETTER * scale;
        for (row, bits) in glyph.iter().enumerate() {
            for column in (0..LETTER).filter(|c| bits >> c & 1 == 1) {
                for (dy, dx) in (0..scale).flat_map(|dy| (0..scale).map(move |dx| (dy, dx))) {
                    out.set(left + column * scale + dx, y + row as u32 * scale + dy, INK);
                }
            }
        }
    }
}
