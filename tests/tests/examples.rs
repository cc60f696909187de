//! Every example on the interpreter and on every machine, at every level, against results computed here in Rust.

use gpucc::{CodegenOptions, Options, Target};
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions};
use gpucc_tests::examples::{Example, all};
use gpucc_tests::exec::{self, On};
use gpucc_tests::shared::workspace;
use rayon::prelude::*;

fn source(e: &Example) -> String {
    std::fs::read_to_string(workspace().join("examples").join(e.file)).expect("an example of the repository")
}

fn dispatch(e: &Example) -> Dispatch {
    let mut d = Dispatch::new(e.grid);
    for (group, binding, bytes, writable) in &e.buffers {
        d.buffers.push(BoundBuffer { group: *group, binding: *binding, bytes: bytes.clone(), writable: *writable });
    }
    d
}

fn check(e: &Example, d: &Dispatch, what: &str) -> Result<(), String> {
    for x in &e.expected {
        let buffer = d.buffer(x.group, x.binding).ok_or("no such buffer")?;
        x.words.check(&buffer.bytes).map_err(|m| format!("{} {what}: {m}", e.file))?;
    }
    Ok(())
}

fn run(e: &Example, on: On, codegen: &CodegenOptions, options: &RunOptions) -> Result<(), String> {
    let what = format!("on {on} -O{}", codegen.opt_level);
    let module = exec::lower(&source(e), e.entry, &[]).map_err(|p| format!("{} {what}: {p}", e.file))?;
    let mut d = dispatch(e);
    exec::run(&module, e.entry, on, codegen, &mut d, options).map_err(|p| format!("{} {what}: {p}", e.file))?;
    check(e, &d, &what)
}

fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn level(opt_level: u8) -> CodegenOptions {
    CodegenOptions { opt_level, verify: true, ..CodegenOptions::default() }
}

/// Examples times variants, side by side on all cores; what failed in the order of the list.
fn each<V: Sync>(variants: &[V], f: impl Fn(&Example, &V) -> Result<(), String> + Sync) -> Vec<String> {
    let examples = all();
    let jobs: Vec<(&Example, &V)> = variants.iter().flat_map(|v| examples.iter().map(move |e| (e, v))).collect();
    jobs.par_iter().filter_map(|(e, v)| f(e, v).err()).collect()
}

#[test]
fn on_the_interpreter() {
    report(&each(&[None, Some(1), Some(2)], |e, seed| {
        let options = RunOptions { perturb: *seed, ..RunOptions::default() };
        run(e, On::Interp, &level(0), &options)
    }));
}

/// The default generation refuses no example and computes each one, at every level.
fn default_generation(family: &str) {
    let target = Target::parse(family).expect("a family");
    report(&each(&[0, 1, 2, 3], |e, opt| run(e, On::Machine(target), &level(*opt), &RunOptions::default())));
}

#[test]
fn on_valhall() {
    default_generation("valhall");
}

#[test]
fn on_tesla() {
    default_generation("tesla");
}

#[test]
fn on_gcn() {
    default_generation("gcn");
}

#[test]
fn on_vivante() {
    default_generation("vivante");
}

/// What other generations lack: the example, the generation, and the words of the refusal. docs/support.md gives the sections of the
/// references.
const REFUSED: &[(&str, &str, &str)] =
    &[("histogram.wgsl", "tesla:nv50", "atomic operations"), ("histogram.wgsl", "vivante:gc2000", "atomic operations")];

/// Each generation computes every example at every level, or refuses what it is known to lack.
#[test]
fn on_every_generation() {
    let targets = Target::parse_list("all:all").expect("all targets");
    let variants: Vec<(Target, u8)> = targets.iter().flat_map(|t| (0..=3).map(move |opt| (*t, opt))).collect();
    report(&each(&variants, |e, (target, opt)| {
        let lacks = REFUSED.iter().find(|r| r.0 == e.file && r.1 == target.to_string());
        match (run(e, On::Machine(*target), &level(*opt), &RunOptions::default()), lacks) {
            (Err(m), Some((.., words))) if m.contains("refused") && m.contains(words) => Ok(()),
            (Ok(()), Some(_)) => Err(format!("{} on {target}: runs, but is listed as refused", e.file)),
            (result, _) => result,
        }
    }));
}

/// Bit for bit what the oracle computes with the machine's own arithmetic, beyond the tolerance that the profile still
/// grants. Contraction is the compiler's choice, so that this holds at the level that does not contract.
#[test]
fn as_the_oracle_with_the_profile() {
    let targets = Target::parse_list("all:all").expect("all targets");
    report(&each(&targets, |e, target| {
        if REFUSED.iter().any(|r| r.0 == e.file && r.1 == target.to_string()) {
            return Ok(());
        }
        let module = exec::lower(&source(e), e.entry, &[]).map_err(|p| p.to_string())?;
        let profile = gpucc_machines::profile(target.family(), target.generation_index());
        let mut expected = dispatch(e);
        let outcome = gpucc_interp::Program::new(&module, e.entry)
            .and_then(|p| p.run(&mut expected, &RunOptions::default(), &profile))
            .map_err(|t| format!("{} on the oracle: {t}", e.file))?;
        let mut got = dispatch(e);
        exec::run(&module, e.entry, On::Machine(*target), &level(2), &mut got, &RunOptions::default())
            .map_err(|p| format!("{} on {target}: {p}", e.file))?;
        match gpucc_interp::compare(&outcome, &expected, &got, profile.tolerance) {
            Some(d) => Err(format!("{} on {target}: {d}", e.file)),
            None => Ok(()),
        }
    }));
}

/// Garbage in registers and memory, orders and approximations by seed: nothing changes.
#[test]
fn perturbed() {
    let targets = Target::parse_list("all").expect("all families");
    let variants: Vec<(Target, u64)> = targets.iter().flat_map(|t| (0..20).map(move |seed| (*t, seed))).collect();
    report(&each(&variants, |e, (target, seed)| {
        let options = RunOptions { perturb: Some(*seed), ..RunOptions::default() };
        run(e, On::Machine(*target), &level(2), &options).map_err(|m| format!("{m} (seed {seed})"))
    }));
}

/// Allocator stress switches change registers and copies, never results.
#[test]
fn under_allocator_stress() {
    let targets = Target::parse_list("all").expect("all families");
    let variants: Vec<(Target, u8, usize)> =
        targets.iter().flat_map(|t| (0..=3).flat_map(move |opt| (0..4).map(move |which| (*t, opt, which)))).collect();
    report(&each(&variants, |e, (target, opt, which)| {
        let options = CodegenOptions {
            tight: *which == 0,
            fragment: *which == 1 || *which == 3,
            spill_all: *which >= 2,
            ..level(*opt)
        };
        run(e, On::Machine(*target), &options, &RunOptions::default()).map_err(|m| format!("{m} (stress {which})"))
    }));
}

/// The same input gives the same bytes, whatever ran before and on however many threads.
#[test]
fn deterministic() {
    let compile = |target: Target, e: &Example| {
        let module = exec::lower(&source(e), e.entry, &[]).expect("an example lowers");
        gpucc::compile(&module, &Options::new(target)).map(|a| a.bytes()).map_err(|d| d.to_string())
    };
    for target in Target::parse_list("all:all").expect("all targets") {
        let one: Vec<_> = all().iter().map(|e| compile(target, e)).collect();
        let mut other: Vec<_> = std::thread::scope(|s| {
            let jobs: Vec<_> = all().into_iter().rev().map(|e| s.spawn(move || compile(target, &e))).collect();
            jobs.into_iter().map(|j| j.join().expect("a compilation does not panic")).collect()
        });
        other.reverse();
        assert_eq!(one, other, "{target}");
    }
}
