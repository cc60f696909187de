//! Machine IR, generic over a target.
//!
//! A backend declares a [`Target`] (register files, classes, opcodes with effects, how to move), walks the IR into an
//! [`MFunc`] with [`select`] and its own [`Lower`], and runs the shared passes: [`copy_prop`], [`dce`],
//! [`MFunc::split_critical_edges`], [`allocate`]. `docs/adding-a-backend.md` is the tour.

mod alloc;
mod backward;
mod block_in_states;
mod builder;
mod code_buffer;
mod critical;
mod encoded;
mod fields;
mod func;
mod inst;
mod late;
mod layout;
mod live_units;
mod local_cse;
mod opt;
mod parse;
mod place;
mod print;
mod problem;
mod repeated_moves;
mod sched;
mod select;
mod settle_moves;
mod spill;
mod split_runs;
mod ssa;
mod verify;

pub use alloc::{AllocError, AllocOptions, OutOfRegisters, Pressure, allocate, allocate_if, has_critical_edge};
pub use backward::backward;
pub use block_in_states::{BlockInStates, State};
pub use builder::{Builder, Modifier, Modifiers, same_name};
pub use code_buffer::CodeBuffer;
pub use encoded::{EncodedBlock, EncodedFunc, EncodedInst, Payload, Ranges, overlap};
pub use fields::Fields;
pub use func::{MBlock, MEdge, MEdges, MFunc, is_terminator, labels, labels_mut};
pub use gpucc_isa::ModValue;
pub use gpucc_regalloc::{Cfg, FileId, MoveCaps, Placement, RegFile, Shape, UnitSet, Where};
pub use inst::{
    BlockId, Class, ClassInfo, CopyCx, Def, InstInfo, MInst, MoveSide, Opcode, PReg, Pseudo, Reg, Regs, Reuse, SpillCx,
    SpillSlot, SpillTo, Src, Target, Use, VReg,
};
pub use late::fold_moves;
pub use layout::{drop_fallthrough, drop_jump, invert_branches, redirect, relabel, remove_unreachable, thread_jumps};
pub use live_units::live_units;
pub use local_cse::local_cse;
pub use opt::{copy_prop, dce};
pub use parse::{ParseError, parse};
pub use place::{Island, Piece, Placed, Reach, place};
pub use print::{print, print_inst, reg_name};
pub use problem::AllocStats;
pub use repeated_moves::repeated_moves;
pub use sched::{Schedule, schedule_after, schedule_before};
pub use select::{Lower, Repr, Select, access_loc, select, select_apart};
pub use settle_moves::settle_moves;
pub use split_runs::SplitRuns;
pub use ssa::construct as construct_ssa;
pub use verify::{Form, check_count, verify};
