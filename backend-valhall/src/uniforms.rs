//! The uniform words (FAU RAM) of a program: constants, buffer addresses and sizes, launch values.
//!
//! During selection words are numbered as they come; [`Uniforms::arrange`] gives them their final places.

use gpucc_container::{Preload, Source, UNIFORM_FILE};

/// Words that every known device has.
pub const WORDS: usize = 128;

/// Words that selection may ask for: arranging may leave one hole.
const MOST: usize = WORDS - 2;

/// The words in use.
#[derive(Clone, Debug, Default)]
pub struct Uniforms {
    words: Vec<Option<Source>>,
    /// Whether the word is half of a 64-bit value.
    wide: Vec<bool>,
    /// Constants that are in, and how many may be: a constant can be made by an instruction, an address cannot.
    constants: usize,
    most_constants: usize,
    /// Words of the immediate data that are in, and how many may be: the others are loaded from memory.
    immediates: usize,
    most_immediates: usize,
}

impl Uniforms {
    /// No words yet; `reserved` of them are kept for what has to be in, and as many of the rest as there are `immediates` for these.
    pub fn new(reserved: usize, immediates: usize) -> Uniforms {
        let rest = MOST.saturating_sub(reserved);
        let most_immediates = rest.min(immediates);
        Uniforms { most_constants: rest - most_immediates, most_immediates, ..Uniforms::default() }
    }

    /// The word that holds `source`; `None` when there is no room.
    pub fn word(&mut self, source: Source) -> Option<u32> {
        // Halves of a 64-bit value go where it goes.
        if let Some(n) = (0..self.words.len()).find(|&n| !self.wide[n] && self.words[n] == Some(source)) {
            return Some(n as u32);
        }
        let constant = matches!(source, Source::Const(_));
        let immediate = matches!(source, Source::Immediate(_));
        if constant && self.constants >= self.most_constants || immediate && self.immediates >= self.most_immediates {
            return None;
        }
        (self.words.len() < MOST).then(|| {
            self.constants += usize::from(constant);
            self.immediates += usize::from(immediate);
            self.words.push(Some(source));
            self.wide.push(false);
            self.words.len() as u32 - 1
        })
    }

    /// The constant that a word holds.
    pub fn constant(&self, n: u32) -> Option<u32> {
        match self.words.get(n as usize) {
            Some(&Some(Source::Const(bits))) => Some(bits),
            _ => None,
        }
    }

    /// The first of two words that hold the 64-bit value `(low, high)`.
    pub fn pair(&mut self, low: Source, high: Source) -> Option<u32> {
        let is_there = |n: &usize| self.wide[*n] && self.words[*n..].starts_with(&[Some(low), Some(high)]);
        if let Some(n) = (0..self.words.len()).find(is_there) {
            return Some(n as u32);
        }
        (self.words.len() + 2 <= MOST).then(|| {
            self.words.extend([Some(low), Some(high)]);
            self.wide.extend([true, true]);
            self.words.len() as u32 - 2
        })
    }

    /// Arranges the words: 64-bit values in slots of their own, words that `together` names (dearest first) in one slot. Single
    /// words come first, since only the first 64 go with immediates of the table. Gives the new number of each old one.
    pub fn arrange(&mut self, together: &[(u32, u32)]) -> Vec<u32> {
        let n = self.words.len();
        let mut order: Vec<usize> = Vec::new();
        let mut done = self.wide.clone();
        for &(a, b) in together {
            let (a, b) = (a as usize, b as usize);
            if a < n && b < n && !done[a] && !done[b] {
                done[a] = true;
                done[b] = true;
                order.extend([a, b]);
            }
        }
        order.extend((0..n).filter(|&k| !done[k]));
        let singles = order.len();
        let mut words: Vec<Option<Source>> = order.iter().map(|&k| self.words[k]).collect();
        if !singles.is_multiple_of(2) && self.wide.contains(&true) {
            words.push(None);
        }
        let mut new_of = vec![0u32; n];
        order.iter().enumerate().for_each(|(new, &old)| new_of[old] = new as u32);
        for k in (0..n).filter(|&k| self.wide[k]) {
            new_of[k] = words.len() as u32;
            words.push(self.words[k]);
        }
        self.words = words;
        self.wide = Vec::new();
        new_of
    }

    /// The words in the container's `UNIF` section.
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
