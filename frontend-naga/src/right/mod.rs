//! WGSL that naga's parser cannot read, said in another way.
//!
//! Nothing here runs for a source that naga reads. Each part looks at the tokens of the source and says what changes; [`crate::edits`] leads
//! places in the new text back to the source, so that messages show what the author wrote.

pub mod constants;
mod diagnostics;
mod extensions;
pub mod number;
pub mod scopes;
mod spellings;
mod swizzles;
pub mod tokens;

use crate::edits::Edits;
use crate::severity::Told;
use gpucc_ir::{Diagnostic, Span};
use tokens::Tokens;

/// A source in another way.
pub struct Right {
    /// The text that naga is given.
    pub text: String,
    /// The changes from the author's text.
    pub edits: Edits,
    /// Parts of the source in which `derivative_uniformity` has a severity of their own, inner ones behind those around them.
    pub regions: Vec<(Span, Told)>,
}

/// Changes of a text: place, length, and what stands there instead.
pub type Changes = Vec<(usize, usize, String)>;

/// Blanks of the length of a part, so that what is behind it keeps its place.
pub fn blank(changes: &mut Changes, from: usize, to: usize) {
    changes.push((from, to - from, " ".repeat(to - from)));
}

/// The source as naga may read it, if something is to be said in another way.
///
/// # Errors
/// An extension that is known and not supported.
pub fn put_right(source: &str) -> Result<Option<Right>, Diagnostic> {
    let Some(tokens) = Tokens::new(source) else { return Ok(None) };
    let (mut changes, mut regions) = (Changes::new(), Vec::new());
    extensions::find(&tokens, &mut changes)?;
    diagnostics::find(&tokens, &mut changes, &mut regions);
    scopes::find(&tokens, &mut changes);
    spellings::find(&tokens, &mut changes);
    constants::find(&tokens, &mut changes);
    let told = swizzles::find(&tokens, &mut changes);
    if changes.is_empty() {
        return Ok(None);
    }
    let (text, edits) = Edits::apply(source, apart(changes));
    let edits = edits.tell(told);
    Ok(Some(Right { text, edits, regions }))
}

/// Changes without those that lie inside of another, which would be lost.
pub fn apart(mut changes: Changes) -> Changes {
    changes.sort_by_key(|c| (c.0, std::cmp::Reverse(c.1)));
    let mut end = 0;
    changes.retain(|c| {
        let keeps = c.0 >= end;
        end = end.max(c.0 + c.1);
        keeps
    });
    changes
}
