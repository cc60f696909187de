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
pub use live::Liveness;
pub use moves::{MoveCaps, Step, Units, sequence};
pub use problem::{
    Block, BlockId, Cfg, Constraint, Edge, Error, FileId, Hint, Inst, InstId, Operand, OutOfRegisters, Problem,
    RegFile, Role, Shape, Slot, SpillCode, Value, ValueInfo, Where,
};
pub use spill::{plan_spills, weights};
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

/// A point where a file is in highest demand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Peak {
    /// Units live at once.
    pub units: u32,
    /// The block of the peak.
    pub block: BlockId,
    /// The instruction; `None` at the end of the block.
    pub inst: Option<InstId>,
}

/// Where each file is in highest demand.
pub fn peaks(p: &Problem, live: &Liveness) -> Vec<Peak> {
    let mut peaks = vec![Peak::default(); p.files.len()];
    walk_pressure(p, live, |block, inst, now| {
        for (peak, &units) in peaks.iter_mut().zip(now) {
            if units > peak.units {
                *peak = Peak { units, block, inst };
            }
        }
    });
    peaks
}

/// Highest demand of each block, per file.
pub(crate) fn block_pressure(p: &Problem, live: &Liveness) -> Vec<Vec<u32>> {
    let mut peaks = vec![vec![0; p.files.len()]; p.blocks.len()];
    walk_pressure(p, live, |block, _, now| {
        for (peak, &units) in peaks[block as usize].iter_mut().zip(now) {
            *peak = units.max(*peak);
        }
    });
    peaks
}

/// Calls `f` with the units in use per file at the end of each block and at the two moments of each instruction.
fn walk_pressure(p: &Problem, live: &Liveness, mut f: impl FnMut(BlockId, Option<InstId>, &[u32])) {
    let mut live_at = vec![u32::MAX; p.value_count()];
    let units = |v: Value| (p.file(v) as usize, p.shape(v).units as u32);
    let mut now = vec![0u32; p.files.len()];
    for b in 0..p.blocks.len() as BlockId {
        now.fill(0);
        live.for_live_out(p, b, |v| {
            if live_at[v.0 as usize] != b {
                live_at[v.0 as usize] = b;
                now[units(v).0] += units(v).1;
            }
        });
        f(b, None, &now);
        for i in p.blocks[b as usize].insts.clone().rev() {
            let ops = p.operands(i);
            for o in ops.iter().filter(|o| o.role != Role::Use) {
                if live_at[o.value.0 as usize] != b {
                    now[units(o.value).0] += units(o.value).1;
                }
                live_at[o.value.0 as usize] = u32::MAX;
            }
            f(b, Some(i), &now);
            for o in ops.iter().filter(|o| o.role == Role::Def) {
                now[units(o.value).0] -= units(o.value).1;
            }
            for o in ops.iter().filter(|o| o.role == Role::Use) {
                if live_at[o.value.0 as usize] != b {
                    live_at[o.value.0 as usize] = b;
                    now[units(o.value).0] += units(o.value).1;
                }
            }
            f(b, Some(i), &now);
            for o in ops.iter().filter(|o| o.role == Role::EarlyDef) {
                now[units(o.value).0] -= units(o.value).1;
            }
        }
    }
}
