//! Names of the places and sources that containers give as numbers.

/// The names of a family. The numbers are those of its containers.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// A place that the driver loads: file, index and lane.
    pub place: fn(u8, u16, u8) -> Option<String>,
    /// A file of registers.
    pub file: fn(u8) -> Option<&'static str>,
    /// A source of the family alone.
    pub source: fn(u32) -> Option<String>,
    /// A table whose address is loaded.
    pub table: fn(u16) -> Option<String>,
    /// A register of those that a container gives words for: space and address.
    pub register: fn(u16, u32) -> Option<String>,
    /// A word of the family in the metadata: its number, and the stage as a bit of [`crate::stage`].
    pub word: fn(usize, u8) -> Option<String>,
    /// Whether the words of buffers that are loaded are of their contents; otherwise they are of their descriptors.
    pub loads_contents: bool,
}

impl Names {
    /// No names: the numbers stand.
    pub const NONE: Names = Names {
        place: |_, _, _| None,
        file: |_| None,
        source: |_| None,
        table: |_| None,
        register: |_, _| None,
        word: |_, _| None,
        loads_contents: false,
    };
}
