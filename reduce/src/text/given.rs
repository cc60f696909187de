//! What a text is given with, and an edit of it.

use std::ops::Range;

/// A language whose texts can be made smaller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// WGSL, WESL too.
    Wgsl,
    /// GLSL of any version.
    Glsl,
}

/// What a reduction of texts leaves alone or does besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Bindings, entry points and their inputs and outputs stay.
    pub keep_interface: bool,
    /// Names of the author become short ones.
    pub rename: bool,
}

/// Parts of a text that are replaced together: bytes, and what stands there then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit(pub(super) Vec<(Range<usize>, String)>);

impl TextEdit {
    /// One part.
    pub(super) fn one(range: Range<usize>, with: impl Into<String>) -> TextEdit {
        TextEdit(vec![(range, with.into())])
    }
}
