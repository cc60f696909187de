//! Inputs of fragments: values of a primitive's vertices, by the way they change and the place in the pixel.
//!
//! Families differ in how much of it hardware does: it may evaluate an input whole, hand out a/w (which code divides by
//! 1/w), or fill registers before the program starts. Each is a [`Mode`].

use super::{QuadIn, Where};

/// How an input changes between vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Linear in space: a/w over 1/w.
    #[default]
    Perspective,
    /// Linear on the screen.
    Linear,
    /// That of the provoking vertex, to the bit.
    Flat,
    /// a/w, linear on the screen.
    OverW,
}

/// The 1/w by which a perspective input at a sample or centroid is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divisor {
    /// That of its own place.
    Place,
    /// That of the pixel's centre (docs/drawing.md, choices).
    Center,
}

impl QuadIn<'_> {
    /// Factors of the values at the primitive's vertices in a lane; their sum with the values is the input
    /// ([`QuadIn::interpolate`]). Of flat inputs 1 for the provoking vertex.
    pub fn shares(&self, lane: usize, mode: Mode, at: Where, divisor: Divisor) -> [f64; 3] {
        let w = self.weights(lane, at);
        match mode {
            Mode::Flat => [0, 1, 2].map(|k| f64::from(u8::from(self.primitive.provoking == k))),
            Mode::Linear => w.linear,
            Mode::OverW => w.perspective.map(|s| s * w.inv_w),
            Mode::Perspective if at != Where::Center && divisor == Divisor::Center => {
                let share = w.inv_w / self.weights(lane, Where::Center).inv_w;
                w.perspective.map(|s| s * share)
            }
            Mode::Perspective => w.perspective,
        }
    }

    /// A word of an input in a lane. `word` gives that of a vertex of the primitive, 0 to 2: f32 bits unless it is flat.
    pub fn input(&self, lane: usize, mode: Mode, at: Where, divisor: Divisor, word: impl Fn(usize) -> u32) -> u32 {
        if mode == Mode::Flat {
            return word(self.primitive.provoking.into());
        }
        let values = [0, 1, 2].map(|vertex| f32::from_bits(word(vertex)));
        self.interpolate(self.shares(lane, mode, at, divisor), values).to_bits()
    }
}
