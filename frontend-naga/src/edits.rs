//! Changes of a text before naga reads it, and the way back from places in the text to those in the source.

use gpucc_ir::{Diagnostic, Span};

/// Where a text differs from its source: place and length in both, in order.
#[derive(Debug, Clone, Default)]
pub struct Edits {
    list: Vec<[u32; 4]>,
    /// Text that a message shows for a change instead of the replaced part of the source, by its place there.
    told: Vec<(u32, Span)>,
    /// Where that source differs from the one before it.
    before: Option<Box<Edits>>,
}

impl Edits {
    /// Changes a text: places, lengths, and what stands there instead. What is inserted at one place keeps its order.
    pub fn apply(source: &str, mut list: Vec<(usize, usize, String)>) -> (String, Edits) {
        list.sort_by_key(|e| e.0);
        let (mut text, mut edits, mut done) = (String::with_capacity(source.len() * 2), Vec::new(), 0);
        for (at, length, new) in list {
            text.push_str(&source[done..at]);
            edits.push([text.len() as u32, new.len() as u32, at as u32, length as u32]);
            text.push_str(&new);
            done = at + length;
        }
        text.push_str(&source[done..]);
        (text, Edits { list: edits, told: Vec::new(), before: None })
    }

    /// These changes of a text that others made of the source.
    pub fn after(self, before: Edits) -> Edits {
        match self.before.clone() {
            _ if before.is_empty() => self,
            Some(own) => Edits { before: Some(Box::new(own.after(before))), ..self },
            None => Edits { before: Some(Box::new(before)), ..self },
        }
    }

    /// Whether the text is the source.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.before.is_none()
    }

    /// Tells places in changes as parts of the source.
    pub fn tell(mut self, told: Vec<(usize, Span)>) -> Edits {
        self.told = told.into_iter().map(|(at, span)| (at as u32, span)).collect();
        self
    }

    /// A place in the source: of a first byte, or behind a last one. What was put in is all of what it replaces.
    fn place(&self, at: u32, is_end: bool) -> u32 {
        let before = |e: &[u32; 4]| if is_end { e[0] < at } else { e[0] <= at };
        let own = match self.list.partition_point(before).checked_sub(1).map(|n| self.list[n]) {
            Some([new, length, old, was]) if at >= new + length && !(is_end && at == new + length) => {
                old + was + (at - new - length)
            }
            Some([new, length, old, was]) if is_end && at == new + length && was == length => old + was,
            Some([_, _, old, was]) => match self.told.iter().find(|t| t.0 == old) {
                Some((_, span)) if is_end => span.end,
                Some((_, span)) => span.start,
                None if is_end => old + was,
                None => old,
            },
            None => at,
        };
        self.before.as_ref().map_or(own, |b| b.place(own, is_end))
    }

    /// A span of the text as one of the source.
    pub fn span(&self, span: Span) -> Span {
        if self.is_empty() || !span.is_known() {
            return span;
        }
        let start = self.place(span.start, false);
        Span::new(start, self.place(span.end, true).max(start))
    }

    /// A diagnostic about the text as one about the source.
    pub fn explain(&self, mut d: Diagnostic) -> Diagnostic {
        d.labels.iter_mut().for_each(|l| l.span = self.span(l.span));
        d
    }
}

/// The source with blanks for comments, so that places stay.
pub fn blanked(source: &str) -> String {
    let mut bytes = source.as_bytes().to_vec();
    let mut at = 0;
    // A slash is never a part of another character.
    while let Some(n) = source[at..].find('/') {
        at += n;
        match bytes.get(at + 1) {
            Some(b'/') => {
                let end = source[at..].find('\n').map_or(bytes.len(), |n| at + n);
                bytes[at..end].fill(b' ');
                at = end;
            }
            Some(b'*') => at = blank_block(&mut bytes, at),
            _ => at += 1,
        }
    }
    // Comments are blanked whole, so what is left is whole characters.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Puts blanks for the block comment that begins at an offset, but for its line breaks; the offset behind it. Comments nest.
fn blank_block(bytes: &mut [u8], mut at: usize) -> usize {
    let mut depth = 0u32;
    while at < bytes.len() {
        let step = match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'*')) => 1,
            (b'*', Some(b'/')) => -1,
            (other, _) => {
                bytes[at] = if other == b'\n' { other } else { b' ' };
                at += 1;
                continue;
            }
        };
        bytes[at..at + 2].fill(b' ');
        at += 2;
        depth = depth.saturating_add_signed(step);
        if depth == 0 {
            break;
        }
    }
    at
}
