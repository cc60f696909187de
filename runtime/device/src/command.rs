//! Commands as plain data.

use std::sync::Arc;

use crate::memory::Buffer;
use crate::pipeline::ComputePipeline;
use crate::set::Set;
use crate::timeline::Timeline;

/// Whose bindings a set is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindPoint {
    /// Dispatches.
    Compute,
    /// Draws.
    Render,
}

/// A command. What it names is read when it runs.
#[derive(Clone, Debug)]
pub enum Command {
    /// Dispatches that follow run this pipeline.
    BindCompute(Arc<ComputePipeline>),
    /// Binds a set at a bind group.
    BindSet {
        /// Whether dispatches or draws read it.
        point: BindPoint,
        /// Number of the bind group.
        group: u32,
        /// The set.
        set: Set,
        /// Added to its dynamic buffers, by binding and element.
        offsets: Vec<u64>,
    },
    /// Writes immediate data (push constants), of dispatches and draws alike.
    Immediates {
        /// First byte.
        offset: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Runs workgroups: their number in x, y and z.
    Dispatch([u32; 3]),
    /// The same with the number from the first three words of a buffer.
    DispatchIndirect(Buffer),
    /// Copies as many bytes as the smaller of two buffers has.
    CopyBuffer {
        /// Where from.
        from: Buffer,
        /// Where to.
        to: Buffer,
    },
    /// Writes a word everywhere; a last part of less than four bytes is left.
    FillBuffer {
        /// Where to.
        buffer: Buffer,
        /// The word.
        word: u32,
    },
    /// Writes bytes to the start of a buffer, as many as it has room for.
    UpdateBuffer {
        /// Where to.
        buffer: Buffer,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Raises an event, or sets it back where the value is lower.
    SetEvent(Timeline, u64),
    /// Waits for an event.
    WaitEvent(Timeline, u64),
    /// Begins a stretch of commands that messages name.
    BeginLabel(String),
    /// Ends the innermost one.
    EndLabel,
    /// Runs a list inside of this one, with the state of its own.
    Execute(Arc<CommandList>),
}

/// Commands in their order.
#[derive(Clone, Debug, Default)]
pub struct CommandList {
    /// The commands in the order of recording.
    pub commands: Vec<Command>,
}

impl CommandList {
    /// A list without commands.
    pub fn new() -> CommandList {
        CommandList::default()
    }

    /// Adds a command at the end.
    pub fn push(&mut self, command: Command) -> &mut CommandList {
        self.commands.push(command);
        self
    }

    /// Adds what a dispatch with one set at bind group 0 takes.
    pub fn dispatch(&mut self, pipeline: &Arc<ComputePipeline>, set: &Set, grid: [u32; 3]) -> &mut CommandList {
        self.push(Command::BindCompute(pipeline.clone()));
        let (point, set) = (BindPoint::Compute, set.clone());
        self.push(Command::BindSet { point, group: 0, set, offsets: Vec::new() });
        self.push(Command::Dispatch(grid))
    }
}
