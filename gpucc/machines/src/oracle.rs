//! Judges what a machine computed, twice: to the bit under its numeric profile, and against the plain oracle inside
//! WGSL's accuracy.

use std::fmt;

use gpucc_interp::{Difference, Profile, Program, Tolerance, compare, outside_accuracy};
use gpucc_ir::Module;
use gpucc_sim::{Dispatch, RunOptions, Trap};

/// What the oracle has to say.
#[derive(Debug)]
pub enum Verdict {
    /// The machine does not compute what the IR says under its numeric profile.
    Profile(Difference),
    /// The result is outside of what WGSL allows of the plain oracle's.
    Accuracy(Difference),
    /// The oracle itself traps.
    Trap(Trap),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Profile(d) => write!(f, "differs from the oracle under the machine's numeric profile: {d}"),
            Verdict::Accuracy(d) => write!(f, "differs from the plain oracle beyond WGSL's accuracy: {d}"),
            Verdict::Trap(t) => write!(f, "the oracle traps: {t}"),
        }
    }
}

/// Compares the buffers that a machine left with the oracle's. `shader` is the module as the frontend made it,
/// `selected` the IR that selection read, `before` the dispatch that all start from.
///
/// With a seed in `options` the machine moved its approximations inside their documented errors: no profile says where
/// to, so only the second comparison is made. Where the shader reaches beyond its buffers nothing is compared, and the
/// answer is `false`: WGSL leaves open which place such an access gets to, and families differ.
///
/// # Errors
/// The first difference, or a trap of the oracle.
pub fn judge(
    (shader, selected): (&Module, &Module),
    entry: &str,
    (family, generation): (&str, usize),
    before: &Dispatch,
    machine: &Dispatch,
    options: &RunOptions,
) -> Result<bool, Verdict> {
    let quiet = RunOptions { perturb: None, ..options.clone() };
    let run = |program: &Program, profile: &Profile| {
        let mut d = before.clone();
        let outcome = program.run(&mut d, &quiet, profile).map_err(Verdict::Trap)?;
        Ok::<_, Verdict>((outcome, d))
    };
    let program = Program::new(shader, entry).map_err(Verdict::Trap)?;
    let (outcome, plain) = run(&program, &Profile::default())?;
    if outcome.strayed {
        return Ok(false);
    }
    if options.perturb.is_none() {
        let profile = crate::profile(family, generation);
        let exact = Program::new(selected, entry).map_err(Verdict::Trap)?;
        let (_, expected) = run(&exact, &profile)?;
        // What is a float is told by the shader: late passes store several as one vector of words.
        if let Some(d) = compare(&outcome, &expected, machine, Tolerance::EXACT) {
            return Err(Verdict::Profile(d));
        }
    }
    match outside_accuracy(&program, before, &quiet, (&outcome, &plain), machine) {
        Some(d) => Err(Verdict::Accuracy(d)),
        None => Ok(true),
    }
}
