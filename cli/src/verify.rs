//! `--verify`: what was compiled runs on its machine on seeded inputs, and the oracle judges the result.

use gpucc::{Artifact, Target};
use gpucc_container::{Entry, Stage};
use gpucc_interp::{Profile, Program};
use gpucc_ir::{Module, Op, Place};
use gpucc_machines::Verdict;
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions, Trap, TrapKind};

use crate::Failure;

/// Steps of one run: a program that takes longer is not compared.
const STEPS: u64 = 20_000_000;
/// Elements of a runtime array.
const ELEMENTS: u32 = 256;
/// Largest buffer.
const MOST_BYTES: u64 = 1 << 20;

/// What a buffer holds at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Words {
    /// Small integers: indices, counts, sizes.
    Counts,
    /// Floats from 0.5 to 2.
    Floats,
    /// Anything.
    Bits,
}

/// The next number of a sequence (splitmix64).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn bytes(size: usize, words: Words, state: &mut u64) -> Vec<u8> {
    let word = |r: u32| match words {
        Words::Counts => r % 16,
        Words::Floats => (0.5 + 1.5 * (r >> 8) as f32 / (1 << 24) as f32).to_bits(),
        Words::Bits => r,
    };
    let mut out: Vec<u8> = (0..size.div_ceil(4)).flat_map(|_| word(next(state) as u32).to_le_bytes()).collect();
    out.truncate(size);
    out
}

/// A dispatch with every buffer of the module.
fn dispatch(module: &Module, entry: &str, words: Words, seed: u64) -> Dispatch {
    let size = module.entry(entry).map_or([1; 3], |e| e.workgroup_size);
    let mut d = Dispatch::new([2, if size[1] > 1 { 2 } else { 1 }, if size[2] > 1 { 2 } else { 1 }]);
    let mut state = seed;
    for (_, r) in module.resources.iter() {
        let more = u64::from(r.stride) * u64::from(ELEMENTS - 1);
        let size = (u64::from(r.min_size) + more).min(MOST_BYTES.max(u64::from(r.min_size)));
        let bytes = bytes(size as usize, words, &mut state);
        d.buffers.push(BoundBuffer { group: r.group, binding: r.binding, bytes, writable: true });
    }
    d
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
    words: Words,
    options: &RunOptions,
) -> Result<Outcome, String> {
    let out = &artifact.outputs()[entry];
    let name = out.entry.name.as_str();
    let before = dispatch(module, name, words, 1);
    let not = |t: &Trap| Outcome::NotCompared(format!("the oracle traps: {t}"));
    // What has no result in the oracle, or another one in another order, has none that a machine could miss.
    let program = match Program::new(module, name) {
        Ok(p) => p,
        Err(t) => return Ok(not(&t)),
    };
    let mut results: Vec<Dispatch> = Vec::new();
    for perturb in [None, Some(1), Some(2)] {
        let mut d = before.clone();
        if let Err(t) = program.run(&mut d, &RunOptions { perturb, ..options.clone() }, &Profile::default()) {
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
    let place = (target.family(), target.generation_index());
    match gpucc_machines::judge((module, &out.ir), name, place, &before, &machine, options) {
        Ok(compared) if compared.strayed > 0 => Ok(Outcome::NotCompared("it reaches beyond its buffers".into())),
        Ok(_) => Ok(Outcome::Agrees),
        Err(Verdict::Trap(t)) => Ok(not(&t)),
        Err(_) if words != Words::Floats && loads_floats(module) => {
            Ok(Outcome::NotCompared("denormals and NaNs leave the result open".into()))
        }
        Err(Verdict::Accuracy(d)) if sensitive(&program, &before, &place, options) => {
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
    match (run(&Profile::default()), run(&gpucc_machines::profile(place.0, place.1))) {
        (Ok((outcome, plain)), Ok((_, own))) => {
            gpucc_interp::outside_accuracy(program, before, options, (&outcome, &plain), &own, |_| false)
                .outside
                .is_some()
        }
        _ => true,
    }
}

/// Runs every entry point of an artifact on seeded inputs. `warn` hears why one was not compared.
///
/// # Errors
/// A difference: a compiler bug.
pub fn main(module: &Module, artifact: &Artifact, target: Target, warn: impl Fn(String)) -> Result<(), Failure> {
    for (i, out) in artifact.outputs().iter().enumerate() {
        let Entry { name, stage: Stage::Compute, .. } = &out.entry else { continue };
        let (mut why, mut compared) = (Vec::new(), 0);
        let runs = [(Words::Counts, None), (Words::Floats, None), (Words::Bits, None), (Words::Counts, Some(7))];
        for (words, perturb) in runs {
            let options = RunOptions { perturb, step_limit: STEPS, ..RunOptions::default() };
            match one(module, (artifact, i, target), words, &options) {
                Ok(Outcome::Agrees) => compared += 1,
                Ok(Outcome::NotCompared(text)) if why.contains(&text) => {}
                Ok(Outcome::NotCompared(text)) => why.push(text),
                Err(text) => {
                    let text =
                        format!("{target}: `{name}` on seeded inputs ({words:?}, --perturb {perturb:?}): {text}");
                    return Err(Failure::Bug(text));
                }
            }
        }
        // Inputs that leave the result open are no matter where others do not.
        if compared == 0 {
            why.into_iter().for_each(|w| warn(format!("`{name}`: not compared: {w}")));
        }
    }
    Ok(())
}
