//! `--verify`: what was compiled runs on its machine on seeded inputs, and the oracle judges the result.

use gpucc::{Artifact, Target};
use gpucc_container::{Entry, Stage};
use gpucc_interp::{Profile, Program};
use gpucc_ir::{Module, Op, Place};
use gpucc_machines::Verdict;
use gpucc_sim::{Dispatch, RunOptions, Trap, TrapKind};

use crate::Failure;
use crate::seeds::{self, Given, Words};

/// Steps of one run: a program that takes longer is not compared.
const STEPS: u64 = 20_000_000;
/// Whether a module loads floats from buffers: integers of a few bits are denormals to it, any bits perhaps NaNs, of which
/// WGSL leaves more open than the oracle can tell.
fn loads_floats(module: &Module) -> bool {
    let mut insts = module.funcs.iter().flat_map(|(_, f)| f.insts_in_order().map(move |(_, i)| (f, i)));
    insts.any(|(f, i)| {
        let load = f.insts[i].op == Op::Load && matches!(f.insts[i].place(), Some(Place::Buffer(_)));
        load && f.result_ty(i).is_some_and(|t| t.is_float())
    })
}

/// How one comparison ended.
enum Outcome {
    Agrees,
    /// The shader, on these inputs, has no one result.
    NotCompared(String),
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
    let not = |t: &Trap| Outcome::NotCompared(format!("the oracle traps: {t}"));
    // What has no result in the oracle, or another one in another order, has none that a machine could miss.
    let program = match Program::new(module, name) {
        Ok(p) => p,
        Err(t) => return Ok(not(&t)),
    };
    let mut results: Vec<Dispatch> = Vec::new();
    for perturb in [None, Some(1), Some(2)] {
        let mut d = before.clone();
        if let Err(t) = program.run(&mut d, &RunOptions { perturb, ..options.clone() }, &plain) {
            return Ok(not(&t));
        }
        if results.last().is_some_and(|r| r.buffers.iter().zip(&d.buffers).any(|(a, b)| a.bytes != b.bytes)) {
            return Ok(Outcome::NotCompared("the result depends on the order of invocations".into()));
        }
        results.push(d);
    }
    let mut machine = before.clone();
    if let Err(t) = gpucc_machines::run(artifact.container(), Some(name), &mut machine, options) {
        let trusted = !module.options.robust && t.kind == TrapKind::OutOfBounds;
        return match t.kind {
            TrapKind::StepLimit
            | TrapKind::UndefinedRead
            | TrapKind::Race
            | TrapKind::Unsupported
            | TrapKind::Dispatch => Ok(Outcome::NotCompared(t.to_string())),
            _ if trusted => Ok(Outcome::NotCompared(t.to_string())),
            _ => Err(t.to_string()),
        };
    }
    match gpucc_machines::judge((module, &out.ir), name, place, before, &machine, options) {
        Ok(compared) if compared.is_nothing() => Ok(Outcome::NotCompared(match () {
            () if compared.strayed > 0 => "accesses beyond the buffers decide every result".into(),
            () if compared.ordered > 0 => "the order of invocations decides every result".into(),
            () => "bits of NaN decide every result".into(),
        })),
        Ok(_) => Ok(Outcome::Agrees),
        Err(Verdict::Trap(t)) => Ok(not(&t)),
        Err(_) if words == Words::Bits && loads_floats(module) => {
            Ok(Outcome::NotCompared("denormals and NaNs leave the result open".into()))
        }
        Err(Verdict::Accuracy(d)) if sensitive(&program, before, &place, options) => {
            Ok(Outcome::NotCompared(format!("the result changes with the last bits of approximations: {d}")))
        }
        Err(v) => Err(v.to_string()),
    }
}

/// Whether the shader as it was read, with the arithmetic of the machine, already differs from the plain oracle by more than
/// WGSL's accuracy: then that is no fault of compilation.
fn sensitive(program: &Program, before: &Dispatch, place: &(&str, usize), options: &RunOptions) -> bool {
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

/// Runs every entry point of an artifact on seeded inputs, or on those that were given. `warn` hears why one was not compared.
/// Gives whether all were.
///
/// # Errors
/// A difference: a compiler bug.
pub fn main(
    module: &Module,
    artifact: &Artifact,
    target: Target,
    given: &Given,
    warn: impl Fn(String),
) -> Result<bool, Failure> {
    let mut all = true;
    for (i, out) in artifact.outputs().iter().enumerate() {
        let Entry { name, stage: Stage::Compute, .. } = &out.entry else { continue };
        let (mut why, mut compared): (Vec<(String, String)>, u32) = (Vec::new(), 0);
        // One workgroup where several race or go beyond the buffers, if nothing else could be compared.
        let single = Given { grid: given.grid.or(Some([1; 3])), ..given.clone() };
        let runs = [
            (Words::Counts, None, given),
            (Words::Numbers, None, given),
            (Words::Floats, None, given),
            (Words::Bits, None, given),
            (Words::Counts, Some(7), given),
            (Words::Counts, None, &single),
            (Words::Numbers, None, &single),
            (Words::Zeros, None, &single),
        ];
        for (words, perturb, given) in runs {
            if compared > 0 && std::ptr::eq(given, &raw const single) {
                break;
            }
            let before = seeds::dispatch(module, name, given, words);
            let options = RunOptions { perturb, step_limit: STEPS, ..RunOptions::default() };
            match one(module, (artifact, i, target), (words, &before), &options) {
                Ok(Outcome::Agrees) => compared += 1,
                Ok(Outcome::NotCompared(text)) if why.iter().any(|w| w.0 == text) => {}
                Ok(Outcome::NotCompared(text)) => why.push((text, seeds::describe(&before))),
                Err(text) => {
                    let seed = perturb.map_or(String::new(), |s| format!(", --perturb {s}"));
                    let inputs = seeds::describe(&before);
                    let text = format!(
                        "{target}: `{name}` on seeded inputs ({inputs}{seed}): {text}; please report this with the shader"
                    );
                    return Err(Failure::Bug(text));
                }
            }
        }
        // Inputs that leave the result open are no matter where others do not.
        if compared == 0 {
            all = false;
            let reasons: Vec<String> = why.iter().map(|(w, d)| format!("{w} ({d})")).collect();
            warn(format!("`{name}`: not compared: {}", reasons.join("; ")));
        }
    }
    Ok(all)
}
