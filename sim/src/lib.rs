//! What every simulator shares: memory, dispatch grid, scheduling between barriers, traps.
//!
//! Nothing here knows an instruction set. The oracle and the four machines use it alike: a [`Dispatch`] says what is
//! to be run, [`RunOptions`] how, [`Memory`] holds the bytes and knows which of them were ever written,
//! [`AddressSpace`] places allocations at raw addresses for families that compute with them, [`run_workgroup`] orders
//! subgroups between barriers, and a run ends in a [`RunReport`] or a [`Trap`].

pub mod address;
pub mod dispatch;
pub mod grid;
pub mod memory;
pub mod raster;
pub mod rng;
pub mod texture;
pub mod trap;

pub use address::AddressSpace;
pub use dispatch::{BoundBuffer, Dispatch, Rules, RunOptions, RunReport, Steps};
pub use grid::{BarrierRule, Stop, local_id, run_workgroup, workgroups};
pub use memory::{AllocId, MemFault, Memory};
pub use rng::SplitMix64;
pub use trap::{Trap, TrapKind};
