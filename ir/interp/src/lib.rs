//! Reference interpreter of the IR: the oracle.
//!
//! [`OracleProgram::new`] translates an entry point and what it calls into dense arrays; [`OracleProgram::run`] executes it for a
//! whole grid in lockstep subgroups with reconvergence at merge blocks, so that barriers (and later subgroup
//! operations) mean something; [`draw()`] runs the entries of a vertex and a fragment stage. It runs any valid module: with calls and variables as the frontend made it, or lowered
//! for a target. A [`Profile`] makes it compute as a given machine does; [`compare`] judges a machine's buffers.
//!
//! Each lane has the block it wants to run next. The one that comes first in structured order runs, for all lanes that
//! want it: every block of a construct lies before the construct's merge, and every block of a loop's body before its
//! continue part, so lanes wait at a merge until all others have come or have left for somewhere further out.
//!
//! It is strict: barriers that not everybody reaches, misaligned and (unless the module is robust) out-of-bounds
//! accesses are traps that name the instruction; reads of bytes that were never written are noted, or traps, too.

#[doc(hidden)]
pub mod accuracy;
#[doc(hidden)]
pub mod alu;
#[doc(hidden)]
pub mod compare;
mod cores;
mod exec;
mod fixed;
pub mod formulas;
mod interpolate;
mod memory;
mod oob;
mod profile;
mod program;
mod quads;
mod stage_program;
mod stages;
mod subgroup;
mod texture;
mod translate;

pub use accuracy::{Sampled, moved, outside_accuracy};
pub use compare::{Difference, Kind, Outcome, Tolerance, compare, words};
pub use interpolate::{InterpModel, Rules};
pub use oob::OobAccess;
pub use profile::{Absent, FmaModel, Free, MachineMath, Profile, asked};
pub use program::OracleProgram;
pub use stages::{Pair, draw, opaque, stages};

use gpucc_ir::Module;
use gpucc_sim::{Dispatch, RunOptions, RunReport, Trap};

/// How the oracle runs.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Step limit and seed.
    pub run: RunOptions,
    /// The numeric profile: plain, or that of a machine.
    pub profile: Profile,
    /// Reads of bytes that were never written are traps, not notes.
    pub strict: bool,
}

/// Runs an entry point on the buffers of `dispatch`, in place.
///
/// # Errors
/// There is no such entry, a buffer is missing, or the program broke a rule.
pub fn run(module: &Module, entry: &str, dispatch: &mut Dispatch, options: &Options) -> Result<RunReport, Trap> {
    Ok(oracle(module, entry, dispatch, options)?.report)
}

/// As [`run`], and keeps what [`compare()`] needs.
///
/// # Errors
/// As [`run`].
pub fn oracle(module: &Module, entry: &str, dispatch: &mut Dispatch, options: &Options) -> Result<Outcome, Trap> {
    let program = OracleProgram::new(module, entry)?;
    let program = if options.strict { program.strict() } else { program };
    program.run(dispatch, &options.run, &options.profile)
}
