//! Judges what a machine computed, twice: to the bit under its numeric profile, and against the plain oracle inside
//! WGSL's accuracy.

use std::fmt;

use gpucc_interp::{Difference, Profile, Program, Stray, Tolerance, outside_accuracy, words};
use gpucc_ir::Module;
use gpucc_sim::{Dispatch, Races, RunOptions, Trap};

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

/// What was compared, and what was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Buffers.
    pub buffers: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Whether all bytes were compared under the machine's numeric profile, to the bit.
    pub exact: bool,
    /// Words for which invocations race that were sent to one place by accesses out of bounds: left out of both
    /// comparisons.
    pub raced: usize,
    /// Words whose values an access out of bounds decides: left out of the comparison with the plain oracle, as are the
    /// following.
    pub strayed: usize,
    /// Words of which rounding decides every digit.
    pub chaotic: usize,
    /// Words that differ in a program that is too long to be run as often as a judgement takes.
    pub unsampled: usize,
}

impl Compared {
    /// Whether nothing was left out.
    pub fn is_whole(&self) -> bool {
        self.exact && [self.raced, self.strayed, self.chaotic, self.unsampled] == [0; 4]
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "compared with the oracle: {} buffers, {} bytes, ", self.buffers, self.bytes)?;
        match self.exact {
            true => write!(f, "to the bit under the machine's numeric profile and ")?,
            false => write!(f, "not under the machine's numeric profile (approximations were moved), ")?,
        }
        write!(f, "within WGSL's accuracy of the plain oracle")?;
        let reasons = [
            (self.strayed, "that accesses out of bounds decide"),
            (self.chaotic, "of which rounding decides every digit"),
            (self.unsampled, "that differ in a program too long to be sampled"),
        ];
        let mut lead = "; left out of the latter: ";
        for (n, why) in reasons.into_iter().filter(|r| r.0 > 0) {
            write!(f, "{lead}{n} words {why}")?;
            lead = ", ";
        }
        if self.raced > 0 {
            write!(f, "; left out of both: {} words that redirected accesses race for", self.raced)?;
        }
        Ok(())
    }
}

/// Where else accesses out of bounds may go, to see which words they decide.
const STRAYS: [Stray; 5] = [Stray::End, Stray::Start, Stray::Random(1), Stray::Random(2), Stray::Random(3)];

/// Orders of subgroups (a seed) and their sizes, to see which words those accesses race for: the compiled code sends them
/// to a known place, and several invocations may meet there. The size decides how many of them load a word before the
/// first of them stores to it, which no order of whole subgroups changes. 0 is the machine's own.
const ORDERS: [(u64, u32); 4] = [(1, 0), (2, 0), (3, 1), (4, 128)];

/// No byte of any buffer.
fn not_there(d: &Dispatch) -> Vec<Vec<bool>> {
    d.buffers.iter().map(|b| vec![false; b.bytes.len()]).collect()
}

/// Adds the bytes in which two dispatches differ.
fn mark(bytes: &mut [Vec<bool>], a: &Dispatch, b: &Dispatch) {
    for (marked, (a, b)) in bytes.iter_mut().zip(a.buffers.iter().zip(&b.buffers)) {
        let differ = a.bytes.iter().zip(&b.bytes).map(|(a, b)| a != b);
        marked.iter_mut().zip(differ).for_each(|(m, d)| *m |= d);
    }
}

/// Whether a word has one of these bytes.
fn among(bytes: &[Vec<bool>], d: &Difference) -> bool {
    bytes.get(d.buffer).is_some_and(|marked| marked.iter().skip(d.offset).take(d.size).any(|m| *m))
}

/// Compares the buffers that a machine left with the oracle's. `shader` is the module as the frontend made it,
/// `selected` the IR that selection read, `before` the dispatch that all start from.
///
/// Two comparisons are made. Under the machine's numeric profile the IR that selection read gives the machine's bytes, all
/// of them: an access out of bounds goes where that IR says. With a seed in `options` the machine moved its approximations
/// inside their documented errors, and no profile says where to: then this one is not made. The plain oracle runs the
/// shader as it was before any pass, and what the machine gives must lie within WGSL's accuracy of that. WGSL leaves open
/// where an access out of bounds goes, so the shader is run with several answers, and words that depend on them are left out.
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
) -> Result<Compared, Verdict> {
    // The machine has looked for races.
    let quiet = RunOptions { perturb: None, races: Races::Off, ..options.clone() };
    let run = |program: &Program, profile: &Profile| {
        let mut d = before.clone();
        let outcome = program.run(&mut d, &quiet, profile).map_err(Verdict::Trap)?;
        Ok::<_, Verdict>((outcome, d))
    };
    let mut compared = Compared {
        buffers: before.buffers.len(),
        bytes: before.buffers.iter().map(|b| b.bytes.len()).sum(),
        ..Compared::default()
    };
    let mut program = Program::new(shader, entry).map_err(Verdict::Trap)?;
    let (outcome, plain) = run(&program, &Profile::default())?;
    let mut raced: Vec<Vec<bool>> = Vec::new();
    if options.perturb.is_none() {
        let profile = crate::profile(family, generation);
        let exact = Program::new(selected, entry).map_err(Verdict::Trap)?;
        let (_, expected) = run(&exact, &profile)?;
        if outcome.strayed {
            raced = not_there(before);
            for (seed, lanes) in ORDERS {
                let other = RunOptions { perturb: Some(seed), ..quiet.clone() };
                let subgroup_size = if lanes == 0 { profile.subgroup_size } else { lanes };
                let mut d = before.clone();
                match exact.run(&mut d, &other, &Profile { subgroup_size, ..profile.clone() }) {
                    Ok(_) => mark(&mut raced, &expected, &d),
                    Err(_) => raced.iter_mut().for_each(|r| r.fill(true)),
                }
            }
        }
        // What is a float is told by the shader: late passes store several as one vector of words.
        let mut all = words(&outcome, &expected, machine);
        let differs = |d: &Difference| !among(&raced, d) && !Tolerance::EXACT.accepts(d.kind, d.oracle, d.machine);
        if let Some(d) = all.find(differs) {
            return Err(Verdict::Profile(d));
        }
        compared.raced = words(&outcome, &expected, &expected).filter(|d| among(&raced, d)).count();
        compared.exact = true;
    }
    // Bytes of each buffer that depend on where accesses out of bounds go.
    let mut open: Vec<Vec<bool>> = Vec::new();
    if outcome.strayed {
        open = not_there(before);
        for stray in STRAYS {
            program.straying(stray);
            match run(&program, &Profile::default()) {
                Ok((_, other)) => mark(&mut open, &plain, &other),
                // It may not end, or trap where others do not: then they decide everything.
                Err(_) => open.iter_mut().for_each(|o| o.fill(true)),
            }
        }
        program.straying(Stray::Nowhere);
    }
    let decided = |d: &Difference| among(&open, d) || among(&raced, d);
    if outcome.strayed {
        compared.strayed = words(&outcome, &plain, &plain).filter(|d| decided(d)).count();
    }
    let sampled = outside_accuracy(&program, before, &quiet, (&outcome, &plain), machine, decided);
    if let Some(d) = sampled.outside {
        return Err(Verdict::Accuracy(d));
    }
    (compared.chaotic, compared.unsampled) = (sampled.chaotic, sampled.unsampled);
    Ok(compared)
}
