//! Code common to all simulators: memory, dispatch grid, scheduling between barriers, traps.
//!
//! Nothing here knows an instruction set. The oracle and the four machines use it alike: a [`Dispatch`] says what is
//! to be run, [`RunOptions`] how, [`Memory`] holds the bytes and knows which of them were ever written,
//! [`RaceCheck`] tells accesses that nothing orders, [`AddressSpace`] places allocations at raw addresses for families
//! that compute with them, [`run_grid`] orders workgroups and the subgroups between barriers, [`draw::draw`] runs a draw around the programs of a
//! pipeline, and a run ends in a [`RunReport`] or a [`Trap`].

pub mod address;
pub mod bound;
#[doc(hidden)]
pub mod cores;
pub mod device;
pub mod dispatch;
pub mod draw;
pub mod grid;
pub mod kept;
pub mod lanes;
pub mod launch;
pub mod memory;
pub mod quads;
pub mod race;
pub mod raster;
pub mod rng;
pub mod simulator;
#[doc(hidden)]
pub mod sync;
pub mod texture;
mod touched;
pub mod trace;
pub mod trap;
pub mod weak;
pub mod words;

pub use address::AddressSpace;
pub use bound::{BoundSampler, BoundTexture};
pub use device::{Descriptor, Device, DrawDevice, Registers, Resident};
pub use dispatch::{BoundBuffer, Dispatch, IMMEDIATE_DATA, Overlap, Races, Rules, RunOptions, RunReport, StepBudget};
pub use grid::{BarrierRule, Machine, OwnMemory, RunState, local_id, run_grid, workgroups};
pub use kept::{Bytes, Kept, Versioned};
pub use launch::source::{At, DrawState};
pub use launch::{Buffer, Launch, Limits};
pub use memory::{AllocId, BEHIND, MemFault, Memory};
pub use race::{By, RaceCheck, WORKGROUP, WORKGROUP_ASIDE, binding_name};
pub use rng::SplitMix64;
pub use simulator::{Core, CoreCounts, Simulator, World};
pub use trace::Trace;
pub use trap::{Other, Trap, TrapKind};
pub use weak::{Agent, Late, Past};
