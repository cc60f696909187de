//! Texts of WGSL and of GLSL: declarations, statements, expressions, members, parameters, attributes and numbers.
//!
//! The structure is that of tokens and brackets with the statements of both languages, not a parser's: an edit may make a text that is
//! no program, which the check finds. What both languages write alike is read alike.

mod edits;
mod given;
mod tokens;

use crate::{Subject, Weight};
pub use given::{Language, Options, TextEdit};
use std::collections::BTreeSet;
use std::ops::Range;
use tokens::{Kind, Tokens};

/// What the end of a statement weighs, and the beginning of a block, in words.
const LINE: u64 = 6;

/// A shader that is made smaller as text.
#[derive(Clone, Debug)]
pub struct Text {
    source: String,
    language: Language,
    options: Options,
}

impl Text {
    /// A text as it was written.
    pub fn new(source: impl Into<String>, language: Language, options: Options) -> Text {
        Text { source: source.into(), language, options }
    }

    /// The text of the shader.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The text without what these entries do not need, and without the other entries.
    #[must_use]
    pub fn of_entries(&self, names: &BTreeSet<&str>) -> Text {
        let all = edits::unneeded_by(&self.source, self.language, &self.options, names);
        self.apply(&all).map_or_else(|| self.clone(), |t| t.tidy())
    }

    /// The text with lines and indents made anew: what is left of long lines and empty ones.
    #[must_use]
    pub fn tidy(&self) -> Text {
        Text { source: tokens::formatted(&self.source), ..self.clone() }
    }
}

impl Subject for Text {
    type Edit = TextEdit;
    const PASSES: usize = edits::PASSES;

    fn edits(&self, pass: usize) -> Vec<TextEdit> {
        edits::edits(&self.source, self.language, &self.options, pass)
    }

    fn apply(&self, edits: &[TextEdit]) -> Option<Text> {
        let mut parts: Vec<(Range<usize>, &str)> =
            edits.iter().flat_map(|e| e.0.iter().map(|(r, s)| (r.clone(), s.as_str()))).collect();
        parts.sort_by_key(|(r, _)| (r.start, std::cmp::Reverse(r.end)));
        let (mut source, mut at) = (String::with_capacity(self.source.len()), 0);
        for (range, with) in parts {
            // What lies inside of what is replaced already goes with it.
            if range.start < at {
                if range.end > at {
                    return None;
                }
                continue;
            }
            source.push_str(&self.source[at..range.start]);
            source.push_str(with);
            at = range.end;
        }
        source.push_str(&self.source[at..]);
        Some(Text { source, ..self.clone() })
    }

    fn bytes(&self) -> Vec<u8> {
        self.source.clone().into_bytes()
    }

    fn weight(&self) -> Weight {
        let t = Tokens::new(&self.source);
        // A statement less is worth some more words in those that are left: a person reads by lines.
        let weight = |k: &&tokens::Token| if matches!(t.text(k), ";" | "{") { LINE } else { 1 };
        let code: u64 = t.list.iter().filter(|k| k.kind != Kind::Comment).map(|k| weight(&k)).sum();
        let numbers = t.list.iter().filter(|k| k.kind == Kind::Number);
        let digits = |text: &str| {
            text.bytes().filter(u8::is_ascii_digit).fold(0u64, |n, d| n.saturating_add(u64::from(d - b'0')))
        };
        let value = numbers.fold(0u64, |n, k| n.saturating_add(digits(t.text(k))));
        [code, self.source.len() as u64, value]
    }
}
