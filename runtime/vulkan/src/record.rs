//! Command buffers: what commands are recorded in, and the pools that they come from.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::command::Command;
use crate::device::Device;
use crate::fail::{Done, Fail};
use crate::handles::handles;

/// The commands that were recorded, and what went wrong.
#[derive(Debug, Default)]
pub struct Record {
    /// The commands in the order of recording.
    pub list: Arc<Vec<Command>>,
    /// The first fault of the recording.
    pub fail: Option<Fail>,
    /// Whether it is being recorded.
    pub open: bool,
    /// Whether it may be submitted.
    pub done: bool,
}

/// A command buffer, with what was recorded.
#[derive(Debug)]
pub struct CommandBuffer {
    /// The device that it belongs to.
    pub device: Arc<Device>,
    /// Whether others execute it.
    pub secondary: bool,
    record: Mutex<Record>,
}

impl CommandBuffer {
    /// A buffer without commands.
    pub fn new(device: Arc<Device>, secondary: bool) -> CommandBuffer {
        CommandBuffer { device, secondary, record: Mutex::default() }
    }

    /// The record, locked for the caller.
    pub fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a command, or keeps why there is none: the end of the recording gives it.
    ///
    /// # Errors
    /// Why there is none, or the buffer is not being recorded.
    pub fn push(&self, command: Done<Command>) -> Done {
        let mut record = self.record();
        let open = record.open;
        let closed = || Fail::misuse("a command for a buffer that is not being recorded");
        match command.and_then(|c| if open { Ok(c) } else { Err(closed()) }) {
            Ok(c) => {
                Arc::make_mut(&mut record.list).push(c);
                Ok(())
            }
            Err(f) => {
                record.fail.get_or_insert_with(|| f.clone());
                Err(f)
            }
        }
    }

    /// The commands, where they may be submitted or executed.
    ///
    /// # Errors
    /// The recording did not end, or failed.
    pub fn list(&self) -> Done<Arc<Vec<Command>>> {
        let record = self.record();
        if record.done {
            Ok(record.list.clone())
        } else {
            Err(Fail::misuse("a command buffer whose recording has not ended"))
        }
    }
}

/// A pool: the buffers that were taken out of it.
#[derive(Debug, Default)]
pub struct CommandPool(Mutex<Vec<vk::CommandBuffer>>);

impl CommandPool {
    /// Handles of its buffers, locked for the caller.
    pub fn buffers(&self) -> MutexGuard<'_, Vec<vk::CommandBuffer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

handles! {
    vk::CommandPool => CommandPool, "command pool";
}
handles! { dispatchable
    vk::CommandBuffer => CommandBuffer, "command buffer";
}
