//! The uniform words (FAU RAM) of a program: constants, buffer addresses and sizes, launch values.

use gpucc_container::{Preload, Source, UNIFORM_FILE};

/// Words that every known device has.
pub const WORDS: usize = 128;

/// The words in use.
#[derive(Clone, Debug, Default)]
pub struct Uniforms {
    words: Vec<Option<Source>>,
}

impl Uniforms {
    /// The word that holds `source`; `None` when there is no room.
    pub fn word(&mut self, source: Source) -> Option<u32> {
        if let Some(n) = self.words.iter().position(|w| *w == Some(source)) {
            return Some(n as u32);
        }
        // A hole left by the alignment of a pair is as good as a new word, unless its neighbour is an address.
        if let Some(n) = self.words.iter().position(Option::is_none) {
            self.words[n] = Some(source);
            return Some(n as u32);
        }
        (self.words.len() < WORDS).then(|| {
            self.words.push(Some(source));
            self.words.len() as u32 - 1
        })
    }

    /// The even word that begins the 64-bit value `(low, high)`.
    pub fn pair(&mut self, low: Source, high: Source) -> Option<u32> {
        if let Some(n) = self.words.iter().position(|w| *w == Some(low)) {
            return Some(n as u32);
        }
        if self.words.len() % 2 == 1 {
            self.words.push(None);
        }
        (self.words.len() + 2 <= WORDS).then(|| {
            self.words.push(Some(low));
            self.words.push(Some(high));
            self.words.len() as u32 - 2
        })
    }

    /// What the container's `UNIF` section lists.
    pub fn preloads(&self) -> Vec<Preload> {
        let word = |(n, w): (usize, &Option<Source>)| {
            w.map(|source| Preload { file: UNIFORM_FILE, lane: 0, index: n as u16, source })
        };
        self.words.iter().enumerate().filter_map(word).collect()
    }

    /// Words up to the last one in use.
    pub fn len(&self) -> usize {
        self.words.len()
    }
}
