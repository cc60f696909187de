//! Runs compiled code on its machine on seeded inputs and compares with the oracle: `--verify` of the command, of random programs and of the
//! fuzz targets.

mod draw;
mod outcome;
mod pointers;
mod seeds;
mod steps;

use std::fmt;

use gpucc::{Artifact, Target};
use gpucc_container::{Entry, Stage};
use gpucc_interp::{Absent, OracleProgram, Profile};
use gpucc_ir::{Module, Op, Place, ResourceData};
use gpucc_machines::{Comparison, Count, Verdict, comparison};
use gpucc_sim::{Dispatch, Races, RunOptions, Trap, TrapKind};

pub use crate::outcome::Reason;
use crate::outcome::{Outcome, Part, hides};
use crate::seeds::another;
pub use crate::seeds::{InputOverrides, Words, describe, dispatch, kinds};

/// Steps of one run: a program that takes longer is not compared.
const STEPS: u64 = 20_000_000;

/// More seeds that are tried for a stage that draws nothing: a position outside of the picture, or a pixel that is discarded, shows nothing.
const TRIES: u64 = 120;

/// Most bytes of all buffers of a module together. A run holds them about ten times.
const MOST_BYTES: u64 = 1 << 24;

/// A run that was not compared.
#[derive(Clone, Debug)]
pub struct Skipped {
    /// The reason by its kind, for counts.
    pub reason: Reason,
    /// The reason in words, with the trap or the difference.
    pub text: String,
    /// Grid and buffers, as [`describe`] prints them.
    pub inputs: String,
}

/// An entry point of which no run was compared.
#[derive(Clone, Debug)]
pub struct NotCompared {
    /// Name of the entry point.
    pub entry: String,
    /// Each reason once, in the order of the runs.
    pub why: Vec<Skipped>,
}

impl fmt::Display for NotCompared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: not compared: ", self.entry)?;
        for (i, w) in self.why.iter().enumerate() {
            write!(f, "{}{} ({})", if i > 0 { "; " } else { "" }, w.text, w.inputs)?;
        }
        Ok(())
    }
}

/// What was compared of an entry point.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Name of the entry point.
    pub entry: String,
    /// Runs, bytes and pixels that were compared, and what was left out.
    pub comparison: Comparison,
    /// Each reason of runs that were left out once, in the order of the runs.
    pub why: Vec<Skipped>,
    /// Seeds that were tried beyond the usual ones, for a stage that draws nothing.
    pub tries: u64,
}

impl Verified {
    fn new(entry: &str, part: Part, runs: u64, left: &[(Reason, u64)], why: Vec<Skipped>) -> Verified {
        let mut covered = vec![Count(runs, "run")];
        covered.extend((part.pixels > 0).then_some(Count(part.pixels, "pixel")));
        covered.extend((part.bytes > 0 || part.pixels == 0).then_some(Count(part.bytes, "byte")));
        let mut skipped: Vec<_> = left.iter().map(|(r, n)| (Count(*n, "run"), format!("({r})"))).collect();
        skipped.push((
            Count(part.without, "value"),
            "that order, lanes that have ended, NaN or places out of bounds decide".into(),
        ));
        let comparison = Comparison {
            covered,
            how: "under the machine's numeric profile, and with the source".into(),
            values: part.values,
            without: part.without,
            left: skipped,
            partly: Vec::new(),
            nothing: "no run could be compared",
        };
        Verified { entry: entry.into(), comparison, why, tries: 0 }
    }

    /// The entry as one that was not compared, if it was not.
    pub fn not_compared(&self) -> Option<NotCompared> {
        self.comparison.not_compared()?;
        Some(NotCompared { entry: self.entry.clone(), why: self.why.clone() })
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.entry, self.comparison)
    }
}

/// A result that differs from the oracle's: a compiler bug, in a sentence.
#[derive(Clone, Debug)]
pub struct Difference(pub String);

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a module loads floats from buffers: integers of a few bits are denormals to it, any bits perhaps NaNs, of which
/// WGSL leaves more open than the oracle can tell.
fn loads_floats(module: &Module) -> bool {
    let mut insts = module.funcs.iter().flat_map(|(_, f)| f.insts_in_order().map(move |(_, i)| (f, i)));
    insts.any(|(f, i)| {
        let load = f.insts[i].op == Op::Load && matches!(f.insts[i].place(), Some(Place::Buffer(_)));
        load && f.result_ty(i).is_some_and(|t| t.is_float())
    })
}

/// One run and its comparison.
fn one(
    module: &Module,
    (artifact, entry, target): (&Artifact, usize, Target),
    (words, before): (Words, &Dispatch),
    options: &RunOptions,
) -> Result<Outcome, String> {
    let out = &artifact.outputs()[entry];
    let name = out.entry.name.as_str();
    let place = (target.family(), target.generation_index());
    let subgroup_size = gpucc_machines::profile(place.0, place.1).subgroup_size;
    let plain = Profile { subgroup_size, ..Profile::default() };
    let not = |t: &Trap| Outcome::NotCompared(Reason::Oracle(t.kind), format!("the oracle traps: {t}"));
    // A value without a result in the oracle, or with another one in another order, has none that a machine could miss.
    let program = match OracleProgram::new(module, name) {
        Ok(p) => p.with_wide_indices(),
        Err(t) => return Ok(not(&t)),
    };
    let mut results: Vec<Dispatch> = Vec::new();
    for perturb in [None, Some(1), Some(2)] {
        let mut d = before.clone();
        if let Err(t) = program.run(&mut d, &RunOptions { perturb, ..options.clone() }, &plain) {
            return Ok(not(&t));
        }
        if results.last().is_some_and(|r| r.buffers.iter().zip(&d.buffers).any(|(a, b)| a.bytes != b.bytes)) {
            return Ok(Outcome::not(Reason::Order));
        }
        results.push(d);
    }
    let mut machine = before.clone();
    if let Err(t) = gpucc_machines::run(artifact.container(), Some(name), &mut machine, options) {
        return match t.kind {
            _ if hides(&t, module) => Ok(Outcome::NotCompared(Reason::Machine(t.kind), t.to_string())),
            // Bytes that nobody wrote, those that an access out of bounds gets and absent lanes hold anything, also an index that breaks a
            // promise.
            _ => reads_undefined(module, name, before, (options, &plain))
                .or_else(|| gpucc_machines::stray_trap(module, name, before, options, subgroup_size))
                .map(|t| not(&t))
                .ok_or_else(|| t.to_string()),
        };
    }
    match gpucc_machines::judge((module, &out.ir), name, place, before, &machine, options) {
        Ok(compared) if compared.is_nothing() => Ok(Outcome::not(match () {
            () if compared.strayed > 0 => Reason::Strayed,
            () if compared.ordered > 0 => Reason::Order,
            () if compared.absent > 0 => Reason::Absent,
            () => Reason::NanBits,
        })),
        Ok(compared) => {
            let texels = images(&out.ir, name, (target, before, &machine), options)?;
            let part = Part {
                bytes: compared.bytes as u64 + texels,
                pixels: 0,
                // Texels of storage textures are compared whole.
                values: compared.changed as u64 + texels / 4,
                without: compared.unseen as u64,
            };
            Ok(match part {
                Part { bytes: 0, .. } => Outcome::not(Reason::Unwritten),
                Part { values, without, .. } if without * 10 > values => Outcome::not(Reason::Open),
                part => Outcome::Agrees(part),
            })
        }
        Err(Verdict::Trap(t)) => Ok(not(&t)),
        Err(_) if words == Words::Bits && loads_floats(module) => Ok(Outcome::not(Reason::Denormals)),
        // The same of what sends the program another way.
        Err(_) if let Some(t) = reads_undefined(module, name, before, (options, &plain)) => Ok(not(&t)),
        Err(Verdict::Accuracy(d)) if sensitive(&program, before, &place, options) => {
            Ok(Outcome::NotCompared(Reason::Sensitive, format!("{}: {d}", Reason::Sensitive)))
        }
        Err(v) => Err(v.to_string()),
    }
}

/// The trap of a program that reads bytes that nobody wrote.
fn reads_undefined(
    module: &Module,
    name: &str,
    before: &Dispatch,
    (options, profile): (&RunOptions, &Profile),
) -> Option<Trap> {
    let options = RunOptions { perturb: None, ..options.clone() };
    let program = OracleProgram::new(module, name).ok()?.with_wide_indices().strict();
    program.run(&mut before.clone(), &options, profile).err()
}

/// Compares what a machine left in textures with what the IR that selection read leaves there, under the machine's profile. Gives the
/// bytes of those that the program writes.
fn images(
    selected: &Module,
    name: &str,
    (target, before, machine): (Target, &Dispatch, &Dispatch),
    options: &RunOptions,
) -> Result<u64, String> {
    // With a seed no profile says where approximations go.
    if machine.images.is_empty() || options.perturb.is_some() {
        return Ok(0);
    }
    let program = OracleProgram::new(selected, name).map_err(|t| t.to_string())?;
    let mut expected = before.clone();
    let profile = gpucc_machines::profile(target.family(), target.generation_index());
    let ran = program.run(&mut expected, options, &profile);
    let outcome = ran.map_err(|t| format!("the oracle traps: {t}"))?;
    let differs = machine.images.iter().zip(&expected.images).any(|(g, w)| g.bytes != w.bytes);
    // Results that depend on lanes that do not take part are open.
    let open = |absent| {
        let mut d = before.clone();
        program.run(&mut d, options, &Profile { absent, ..profile.clone() }).ok().map(|_| d.images)
    };
    let open: Vec<_> = Absent::ALL.into_iter().filter(|_| differs && outcome.absent).filter_map(open).collect();
    for (k, (got, want)) in machine.images.iter().zip(&expected.images).enumerate() {
        let open = |at: usize| open.iter().any(|o| o[k].bytes.get(at) != want.bytes.get(at));
        let mut bytes = got.bytes.iter().zip(&want.bytes).enumerate();
        if let Some((at, _)) = bytes.find(|&(at, (g, w))| g != w && !open(at)) {
            let place = machine.textures.iter().find(|t| t.image == k).map_or((0, 0), |t| (t.group, t.binding));
            let (group, binding) = place;
            return Err(format!(
                "the texture at group {group} binding {binding} differs from the oracle's under the machine's numeric profile at byte {at}"
            ));
        }
    }
    let places: Vec<(u32, u32)> = comparison::written(selected, name)
        .into_iter()
        .map(|r| (selected.resources[r].group, selected.resources[r].binding))
        .collect();
    let is_output = |k: usize| machine.textures.iter().any(|t| t.image == k && places.contains(&(t.group, t.binding)));
    let outputs = machine.images.iter().enumerate().filter(|(k, _)| is_output(*k));
    Ok(outputs.map(|(_, i)| i.bytes.len() as u64).sum())
}

/// Whether the shader as it was read, with the arithmetic of the machine, already differs from the plain oracle by more than
/// WGSL's accuracy: then that is no fault of compilation.
fn sensitive(program: &OracleProgram, before: &Dispatch, place: &(&str, usize), options: &RunOptions) -> bool {
    if options.perturb.is_some() {
        return true;
    }
    let run = |profile: &Profile| {
        let mut d = before.clone();
        program.run(&mut d, options, profile).map(|o| (o, d))
    };
    let own = gpucc_machines::profile(place.0, place.1);
    let lanes = own.subgroup_size;
    match (run(&Profile { subgroup_size: lanes, ..Profile::default() }), run(&own)) {
        (Ok((outcome, plain)), Ok((_, own))) => {
            gpucc_interp::outside_accuracy(program, before, (options, lanes), (&outcome, &plain), &own, |_| false)
                .outside
                .is_some()
        }
        _ => true,
    }
}

/// Runs every compute entry of an artifact on seeded inputs, or on those that were given, and draws with every vertex and fragment
/// entry. Gives the entries of which no run was compared.
///
/// # Errors
/// A difference.
pub fn verify(
    module: &Module,
    artifact: &Artifact,
    target: Target,
    given: &InputOverrides,
) -> Result<Vec<NotCompared>, Difference> {
    verify_within(module, artifact, target, given, STEPS)
}

/// [`verify`] with a limit of steps for each run.
///
/// # Errors
/// A difference.
pub fn verify_within(
    module: &Module,
    artifact: &Artifact,
    target: Target,
    given: &InputOverrides,
    steps: u64,
) -> Result<Vec<NotCompared>, Difference> {
    let all = verify_entries(module, artifact, target, given, steps)?;
    Ok(all.iter().filter_map(Verified::not_compared).collect())
}

/// Steps of each run of [`verify`].
pub const RUN_STEPS: u64 = STEPS;

/// What [`verify_within`] does, and what was compared of each entry point.
///
/// # Errors
/// A difference.
pub fn verify_entries(
    module: &Module,
    artifact: &Artifact,
    target: Target,
    given: &InputOverrides,
    steps: u64,
) -> Result<Vec<Verified>, Difference> {
    let bytes: u64 = module.resources.values().map(|r| u64::from(r.min_size)).sum();
    let one = |(i, out): (usize, &gpucc::Output)| {
        let Entry { name, stage, .. } = &out.entry;
        if bytes > MOST_BYTES {
            let (text, inputs) =
                (Reason::Large.to_string(), format!("at least {bytes} bytes, at most {MOST_BYTES} are run"));
            let why = vec![Skipped { reason: Reason::Large, text, inputs }];
            return Ok(Verified::new(name, Part::default(), 0, &[], why));
        }
        let what = (artifact, i, target);
        match stage {
            Stage::Compute => dispatched(module, what, given, steps),
            _ => drawn(module, what, given, steps),
        }
        .map(|v| with_kinds(v, module))
    };
    artifact.outputs().iter().enumerate().map(one).collect()
}

/// The reason in words of the source, where nothing was compared because no inputs fit textures that share a binding.
fn with_kinds(mut v: Verified, module: &Module) -> Verified {
    let is_unbound = |w: &Skipped| w.reason == Reason::Oracle(TrapKind::Dispatch);
    let kind = |r: &ResourceData| r.kind.texels().map(|(dim, arrayed, multisampled, _)| (dim, arrayed, multisampled));
    let mut pairs = module.resources.values().flat_map(|a| module.resources.values().map(move |b| (a, b)));
    let shared = pairs.find(|(a, b)| {
        let [a_kind, b_kind] = [kind(a), kind(b)];
        (a.group, a.binding) == (b.group, b.binding) && a_kind.is_some() && b_kind.is_some() && a_kind != b_kind
    });
    if let (Some(w), Some((a, b)), 0) = (v.why.iter_mut().find(|w| is_unbound(w)), shared, v.comparison.values) {
        let place = format!("group {}, binding {}", a.group, a.binding);
        w.reason = Reason::Kinds;
        w.text = format!("{} (`{}` and `{}` at {place}): an element is bound as one of them", w.reason, a.name, b.name);
    }
    v
}

/// The runs of an entry point so far.
#[derive(Default)]
struct Runs {
    part: Part,
    compared: u64,
    left: Vec<(Reason, u64)>,
    why: Vec<Skipped>,
    tries: u64,
}

impl Runs {
    /// Counts a run.
    fn add(&mut self, outcome: Outcome, inputs: impl FnOnce() -> String) {
        match outcome {
            Outcome::Agrees(part) => {
                self.part.add(part);
                self.compared += 1;
            }
            Outcome::NotCompared(reason, text) => {
                match self.left.iter_mut().find(|l| l.0 == reason) {
                    Some(l) => l.1 += 1,
                    None => self.left.push((reason, 1)),
                }
                if !self.why.iter().any(|w| w.text == text) {
                    self.why.push(Skipped { reason, text, inputs: inputs() });
                }
            }
        }
    }

    fn verified(self, entry: &str) -> Verified {
        Verified { tries: self.tries, ..Verified::new(entry, self.part, self.compared, &self.left, self.why) }
    }
}

/// Runs one compute entry.
fn dispatched(
    module: &Module,
    (artifact, entry, target): (&Artifact, usize, Target),
    given: &InputOverrides,
    steps: u64,
) -> Result<Verified, Difference> {
    let name = &artifact.outputs()[entry].entry.name;
    // One workgroup where several race or go beyond the buffers, if nothing else could be compared.
    let single = InputOverrides { grid: given.grid.or(Some([1; 3])), ..given.clone() };
    let list = [
        (Words::Counts, None, given),
        (Words::Numbers, None, given),
        (Words::Floats, None, given),
        (Words::Bits, None, given),
        (Words::Counts, Some(7), given),
        (Words::Counts, None, &single),
        (Words::Numbers, None, &single),
        (Words::Zeros, None, &single),
    ];
    let mut runs = Runs::default();
    for (words, perturb, given) in list {
        // Inputs that leave the result open are no matter where others do not.
        if runs.compared > 0 && std::ptr::eq(given, &raw const single) {
            break;
        }
        let before = dispatch(module, name, target.family(), given, words);
        let options = RunOptions { perturb, step_limit: steps, ..RunOptions::default() };
        match one(module, (artifact, entry, target), (words, &before), &options) {
            Ok(outcome) => runs.add(outcome, || describe(&before)),
            Err(text) => {
                let seed = perturb.map_or(String::new(), |s| format!(", --perturb {s}"));
                let inputs = describe(&before);
                return Err(Difference(format!(
                    "{target}: `{name}` on seeded inputs ({inputs}{seed}): {text}; please report this with the shader"
                )));
            }
        }
    }
    Ok(runs.verified(name))
}

/// Draws with one vertex or fragment entry.
fn drawn(
    module: &Module,
    (artifact, entry, target): (&Artifact, usize, Target),
    given: &InputOverrides,
    steps: u64,
) -> Result<Verified, Difference> {
    let name = &artifact.outputs()[entry].entry.name;
    let all = match draw::Stages::all(module, (artifact, entry, target), given.pipeline.as_ref()) {
        Ok(all) => all,
        Err(text) => {
            let text = format!("{}: {text}", Reason::NoDraw);
            let why = vec![Skipped { reason: Reason::NoDraw, text, inputs: "none".into() }];
            return Ok(Verified::new(name, Part::default(), 0, &[], why));
        }
    };
    let mut sum = Runs::default();
    let usual = [Words::Matrices, Words::Counts, Words::Floats, Words::Numbers];
    for stages in all {
        let mut runs = Runs::default();
        // Steps that all tries to draw something may take together.
        let mut left = steps;
        for attempt in 0..usual.len() as u64 + TRIES {
            let n = attempt as usize;
            let (words, before) = match usual.get(n) {
                Some(&words) => ((words, 0), dispatch(module, name, target.family(), given, words)),
                // Seeds are chosen until something lies inside the picture.
                None if runs.compared > 0 || runs.why.iter().any(|w| w.reason != Reason::Nothing) => break,
                None => {
                    let words = if n.is_multiple_of(2) { Words::Wide } else { Words::Counts };
                    ((words, attempt), another(module, name, target.family(), given, attempt))
                }
            };
            let limit = if attempt < usual.len() as u64 { steps } else { left };
            let options = RunOptions { step_limit: limit, races: Races::Off, ..RunOptions::default() };
            if attempt >= usual.len() as u64 {
                runs.tries += 1;
                // A try that draws nothing on the oracle is one run, not five.
                let (draws, used) = stages.draws(words, &before, &options);
                left = left.saturating_sub(used);
                if !draws && left > 0 {
                    continue;
                }
                if !draws {
                    break;
                }
            }
            let inputs = || format!("{}; {}", stages.describe(), describe(&before));
            match stages.one(words, &before, &RunOptions { step_limit: steps, ..options }) {
                Ok(outcome) => runs.add(outcome, inputs),
                Err(text) => {
                    let seed = if attempt < usual.len() as u64 { String::new() } else { format!(", try {attempt}") };
                    return Err(Difference(format!(
                        "{target}: `{name}` on seeded inputs ({}{seed}): {text}; please report this with the shader",
                        inputs()
                    )));
                }
            }
        }
        if runs.compared == 0 {
            return Ok(runs.verified(name));
        }
        sum.part.add(runs.part);
        sum.compared += runs.compared;
        sum.tries += runs.tries;
        for (reason, n) in runs.left {
            match sum.left.iter_mut().find(|l| l.0 == reason) {
                Some(l) => l.1 += n,
                None => sum.left.push((reason, n)),
            }
        }
    }
    Ok(sum.verified(name))
}
