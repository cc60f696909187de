//! Places in the source text.

/// A byte range of the source text. `start == end` means unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Offset of the first byte in the source.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span without a known place.
    pub const UNKNOWN: Span = Span { start: 0, end: 0 };
    /// The span of bytes `start..end` of the source.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }
    /// Whether this names a place.
    pub const fn is_known(self) -> bool {
        self.start < self.end
    }
}
