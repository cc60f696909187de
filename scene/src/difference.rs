//! The difference of two pictures: its figures, and a picture of it.

use crate::picture::Picture;

/// How far one picture is from another of the same size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The greatest distance of two components, in 8-bit steps.
    pub greatest: u8,
    /// Pixels that are not alike.
    pub pixels: usize,
    /// Pixels that differ by more than one step.
    pub far: usize,
    /// Number of pixels of either picture.
    pub all: usize,
}

/// The greatest distance of the components of a pixel.
fn distance(a: &[u8], b: &[u8]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

impl Difference {
    /// The difference of two pictures; `None` if their sizes differ.
    pub fn between(a: &Picture, b: &Picture) -> Option<Difference> {
        if (a.width, a.height) != (b.width, b.height) {
            return None;
        }
        let mut d = Difference::default();
        for (a, b) in a.rgba.chunks_exact(4).zip(b.rgba.chunks_exact(4)) {
            let far = distance(a, b);
            d.all += 1;
            d.pixels += usize::from(far > 0);
            d.far += usize::from(far > 1);
            d.greatest = d.greatest.max(far);
        }
        Some(d)
    }
}

impl std::ops::Add for Difference {
    type Output = Difference;

    fn add(self, o: Difference) -> Difference {
        Difference {
            greatest: self.greatest.max(o.greatest),
            pixels: self.pixels + o.pixels,
            far: self.far + o.far,
            all: self.all + o.all,
        }
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference { greatest, pixels, far, all } = *self;
        match greatest {
            0 => write!(f, "none, {all} pixels are equal"),
            1 => write!(f, "1 step of 255, in {pixels} of {all} pixels"),
            _ => write!(f, "{greatest} steps of 255; {pixels} of {all} pixels differ, {far} by more than one step"),
        }
    }
}

/// Colours of a distance: one step, two, up to seven, more.
const COLOURS: [(u8, [u8; 3]); 4] =
    [(1, [40, 110, 255]), (2, [40, 220, 90]), (7, [255, 190, 30]), (u8::MAX, [255, 40, 40])];

/// Draws where a picture differs from the one it should be: that one dark and grey, and on it blue for a distance of one step, green for
/// two, yellow up to seven, red for more. Pixels that one of them lacks are red.
pub fn drawn(want: &Picture, got: &Picture) -> Picture {
    let (width, height) = (want.width.max(got.width), want.height.max(got.height));
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let colour = match (want.pixel(x, y), got.pixel(x, y)) {
            (Some(a), Some(b)) => match distance(&a, &b) {
                0 => [grey(a) / 4; 3],
                far => COLOURS.iter().find(|c| far <= c.0).map_or([255; 3], |c| c.1),
            },
            _ => COLOURS[3].1,
        };
        rgba.extend(colour);
        rgba.push(255);
    }
    Picture { width, height, rgba }
}

/// How light a colour is, by the weights of ITU-R BT.601 in 256ths.
fn grey([r, g, b, _]: [u8; 4]) -> u8 {
    ((u32::from(r) * 77 + u32::from(g) * 150 + u32::from(b) * 29) >> 8) as u8
}
