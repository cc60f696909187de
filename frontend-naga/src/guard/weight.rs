//! How large the constants are that a function names: naga copies a constant's whole value to each use in a function.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

#[derive(Default)]
struct Definition {
    mentions: Vec<usize>,
    words: u64,
    constructs: bool,
    weight: Option<u64>,
    busy: bool,
}

/// Names, what their definitions mention, and where they are used.
#[derive(Default)]
pub struct Weights<'a> {
    definitions: IndexMap<&'a str, Definition, FxBuildHasher>,
    uses: Vec<(&'a str, usize)>,
}

impl<'a> Weights<'a> {
    fn entry(&mut self, name: &'a str) -> usize {
        let entry = self.definitions.entry(name);
        let index = entry.index();
        entry.or_default();
        index
    }

    /// The definition of `name` has a bracket: it may put several values together.
    pub fn constructs(&mut self, name: &'a str) {
        let index = self.entry(name);
        self.definitions[index].constructs = true;
    }

    /// The definition of `name` has this word in it.
    pub fn mentions(&mut self, name: &'a str, word: &'a str) {
        let (index, word) = (self.entry(name), self.entry(word));
        let definition = &mut self.definitions[index];
        definition.words += 1;
        definition.mentions.push(word);
    }

    /// A function names `word` at this place.
    pub fn uses(&mut self, word: &'a str, at: usize) {
        self.uses.push((word, at));
    }

    /// The place of the use with which all uses together copy more than `limit` values.
    pub fn first_beyond(mut self, limit: u64) -> Option<usize> {
        if self.definitions.is_empty() {
            return None;
        }
        self.weigh();
        let mut total = 0u64;
        self.uses.iter().find_map(|(word, at)| {
            let weight = self.definitions.get(word).and_then(|d| d.weight).unwrap_or(0);
            total = total.saturating_add(weight);
            (total > limit).then_some(*at)
        })
    }

    /// Computes all weights: words for a constructor (with what they stand for), the heaviest one for other arithmetic.
    fn weigh(&mut self) {
        for root in 0..self.definitions.len() {
            let mut stack = vec![root];
            while let Some(&index) = stack.last() {
                let definition = &self.definitions[index];
                if definition.weight.is_some() {
                    stack.pop();
                    continue;
                }
                if !definition.busy {
                    let waiting: Vec<usize> = definition
                        .mentions
                        .iter()
                        .copied()
                        .filter(|&m| self.definitions[m].weight.is_none() && !self.definitions[m].busy)
                        .collect();
                    self.definitions[index].busy = true;
                    stack.extend(waiting);
                    continue;
                }
                // Everything below is weighed, or part of a cycle that naga will refuse.
                let below = definition.mentions.iter().map(|&m| self.definitions[m].weight.unwrap_or(0));
                let weight = if definition.constructs {
                    below.fold(definition.words, u64::saturating_add)
                } else {
                    below.max().unwrap_or(0)
                };
                self.definitions[index].weight = Some(weight);
                stack.pop();
            }
        }
    }
}
