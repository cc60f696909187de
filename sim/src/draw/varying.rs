//! Inputs of fragments: values of a primitive's vertices, by the way they change and the place in the pixel.
//!
//! Families differ in how much of it hardware does: it may evaluate an input whole, hand out a/w (which code divides by
//! 1/w), or fill registers before the program starts. Each is a [`Mode`].

use super::{QuadIn, Varyings, Where};

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

/// Words of a slot of a vertex's record: which components the vertex gave, and four of them.
pub const SLOT_WORDS: u32 = 5;

/// Appends a slot to the record of a vertex.
pub fn push_slot(words: &mut Vec<u32>, given: [Option<u32>; 4]) {
    words.push((0..4).fold(0, |m, c| m | u32::from(given[c].is_some()) << c));
    words.extend(given.map(Option::unwrap_or_default));
}

impl Varyings {
    /// Records of so many slots.
    pub fn of_slots(slots: u32) -> Varyings {
        Varyings { blank: [15, 0, 0, 0, 0].repeat(slots as usize), ..Varyings::default() }
    }

    /// Puts a location into a slot.
    pub fn put(&mut self, location: u8, slot: u32) {
        self.places.extend((0..4u8).map(|c| (location, c, SLOT_WORDS * slot + 1 + u32::from(c))));
    }
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
