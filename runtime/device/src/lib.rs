//! A device: memory, images, pipelines and command lists, run by a queue on the oracle or on a machine. It knows no graphics interface;
//! Vulkan's and scenes are turned into what is here.
//!
//! ```text
//! let module = gpucc::frontend::load(text, Lang::Wgsl, &front)?.module;
//! let pipeline = Arc::new(ComputePipeline::new(&module, "main", Place::Target(Target::parse("gcn")?, 2))?);
//! let device = Device::new(Options::default())?;
//! let buffer = Buffer::with(&[1, 0, 0, 0])?;
//! let set = Set::new().with_buffer(0, buffer.clone());
//! let mut list = CommandList::new();
//! list.dispatch(&pipeline, &set, [1, 1, 1]);
//! device.submit_and_wait(Arc::new(list))?;
//! println!("{:?}", buffer.bytes());
//! ```
//!
//! * A [`Memory`] is bytes, a [`Buffer`] a range of them. Host accesses wait while a command runs; the bytes never move.
//! * A [`Set`] holds descriptors by binding and element. [`Command::BindSet`] puts it at a bind group; it is read when a command runs.
//! * A pipeline is compiled once, for a [`Place`]: the oracle, or the machine of a target. A refusal is an error of its constructor.
//! * A [`CommandList`] is plain data. Commands leave state for those that follow, as in Vulkan; a list begins with none.
//! * Below lists, a [`Bound`] is what programs run on: memory and images of any [`Lender`], and back. [`Code::dispatch`] and
//!   [`DrawCall::run`] are one dispatch and one draw on what is bound, and [`Attachments`] load, clear, store and resolve what draws change.
//! * A [`Device`] has one queue. [`Device::submit`] returns at once; a [`Timeline`] says when something has happened: a fence, a
//!   semaphore or an event is a counter with one value or two. [`Device::run`] runs a list on the caller's thread and gives its counts.
//! * A trap, a step limit or [`Device::stop`] loses the device: waits end with [`Waited::Lost`], and [`Device::lost`] says why.
//!
//! Objects are handles: a clone is the same object, and it lives as long as somebody has it.

mod bound;
mod command;
mod device;
mod error;
mod exec;
mod image;
mod launch;
mod memory;
mod options;
mod pass;
mod pipeline;
mod place;
mod program;
mod set;
mod timeline;
mod used;
mod watch;

pub use bound::{Bound, Lender, Taken, refill};
pub use command::{BindPoint, Command, CommandList};
pub use device::{Device, Submission};
pub use error::{Error, Lost};
pub use image::{Image, ImageDesc, MOST_IMAGE, Seen, View};
pub use launch::{Codes, DrawCall, Halves, How};
pub use memory::{Buffer, MOST_MEMORY, Memory};
pub use options::{Limit, Options, Report, STEPS};
pub use pass::{Attachment, Attachments, Clear, Images, Part};
pub use pipeline::ComputePipeline;
pub use place::{Lowering, Place};
pub use program::{Code, Program, Shader};
pub use set::{Descriptor, Set};
pub use timeline::{Timeline, Waited};
pub use used::Used;
pub use watch::{Costs, Watch};
