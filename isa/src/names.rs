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
    /// Whether an instruction, as listings show it, is one of a kind.
    pub marked: fn(&str, Mark) -> bool,
}

/// The kinds of instructions that pages about code mark. An instruction may be of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It may wait for results of others, or for other invocations.
    Wait,
    /// It copies a register, a constant or a uniform.
    Move,
    /// It decides what runs next.
    Flow,
    /// It reads or writes memory or textures.
    Memory,
}

impl Mark {
    /// All marks, in the order of pages.
    pub const ALL: [Mark; 4] = [Mark::Wait, Mark::Move, Mark::Flow, Mark::Memory];

    /// The word of pages.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Wait => "wait",
            Mark::Move => "move",
            Mark::Flow => "flow",
            Mark::Memory => "memory",
        }
    }
}

/// The name of a register among those that stand alone (address, name) and those that are several, a word each (first, name, number).
pub fn named(at: u32, alone: &[(u32, &str)], several: &[(u32, &str, u32)]) -> Option<String> {
    if let Some((_, name)) = alone.iter().find(|m| m.0 == at) {
        return Some(name.to_string());
    }
    let &(first, name, _) = several.iter().find(|a| at.is_multiple_of(4) && (a.0..a.0 + 4 * a.2).contains(&at))?;
    Some(format!("{name}({})", (at - first) / 4))
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
        marked: |_, _| false,
    };
}
