//! SSA register allocation over shapes, with an independent checker. Knows no ISA and no IR.
//!
//! A [`Problem`] describes register files ([`RegFile`]: units, rows, budget, which control-flow graph), values with
//! [`Shape`]s (which answer where a value may lie), blocks with parameters and two successor lists, and instructions
//! whose [`Operand`]s may be fixed, tied or written early. [`allocate`] answers with the place of every operand, the
//! parallel copies to insert and what is free around them; [`sequence`] turns a parallel copy into moves and swaps.
//!
//! Steps: [`verify()`], [`Liveness`], [`colour()`] in block order with coalescing wishes, parallel copies where fragmented
//! and on edges, and [`check()`], which knows nothing of the steps before.
//! [`plan_spills`] comes before, where memory or another file can take values: the caller turns its plan into instructions.
//!
//! All steps are linear in the size of the problem and of its live-in lists.

mod check;
mod check_spills;
mod colour;
mod hint;
mod lists;
mod live;
mod moves;
mod pack;
mod problem;
mod spill;
mod spill_plan;
mod units;
mod verify;
mod webs;

pub use check::check;
pub use check_spills::check_spills;
pub use colour::{Allocation, At, Move, ParallelCopy, colour};
pub use lists::CsrLists;
pub use live::{Liveness, Peak};
pub use moves::{MoveCaps, Step, Units, sequence};
pub use problem::{
    Block, BlockId, Cfg, Constraint, Edge, Error, FileId, Hint, Inst, InstId, Operand, OutOfRegisters, Problem,
    RegFile, Role, Shape, Slot, SpillCode, Value, ValueInfo, Where,
};
pub use spill::{least_stores, plan_spills, weights};
pub use spill_plan::{EdgeCode, EdgeOp, ReloadAt, SpillKind, SpillPlan, Web};
pub use units::{MAX_UNITS, Placement, UnitSet};
pub use verify::verify;

/// Switches of the allocator: checks and stress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Run the checker; a finding is a panic that names it. On by default wherever debug assertions are.
    pub check: bool,
    /// Stress: choose places as badly as possible.
    pub fragment: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { check: cfg!(debug_assertions), fragment: false }
    }
}

/// Verifies, computes liveness, colours and checks.
///
/// # Errors
/// When registers run out or the problem breaks its own rules.
///
/// # Panics
/// When the checker finds the answer wrong: a bug of this crate.
pub fn allocate(p: &Problem, options: Options) -> Result<Allocation, Error> {
    verify(p)?;
    let live = Liveness::compute(p)?;
    let a = colour(p, &live, options.fragment)?;
    if options.check
        && let Err(e) = check(p, &a)
    {
        panic!("register allocation is wrong: {e}");
    }
    Ok(a)
}
