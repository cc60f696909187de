//! Every example on the interpreter and on every machine, at every level, against results computed here in Rust.

use gpucc::{CodegenOptions, Options, Target};
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions};
use gpucc_tests::examples::{Example, all};
use gpucc_tests::exec::{self, On, Problem};
use gpucc_tests::shared::workspace;

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

#[test]
fn on_the_interpreter() {
    let mut failures = Vec::new();
    for e in all() {
        for seed in [None, Some(1), Some(2)] {
            let options = RunOptions { perturb: seed, ..RunOptions::default() };
            failures.extend(run(&e, On::Interp, &level(0), &options).err());
        }
    }
    report(&failures);
}

/// The default generation refuses no example and computes each one, at every level.
fn default_generation(family: &str) {
    let target = Target::parse(family).expect("a family");
    let mut failures = Vec::new();
    for e in all() {
        for opt in 0..=3 {
            failures.extend(run(&e, On::Machine(target), &level(opt), &RunOptions::default()).err());
        }
    }
    report(&failures);
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

/// Other generations may refuse what they lack (listed in docs/support.md), but never compute something else.
#[test]
fn on_every_generation() {
    let mut failures = Vec::new();
    for target in Target::parse_list("all:all").expect("all targets") {
        for e in all() {
            let module = exec::lower(&source(&e), e.entry, &[]).expect("an example lowers");
            let mut d = dispatch(&e);
            match exec::run(&module, e.entry, On::Machine(target), &level(2), &mut d, &RunOptions::default()) {
                Ok(_) => failures.extend(check(&e, &d, &format!("on {target}")).err()),
                Err(Problem::Refused(why)) => eprintln!("{target} refuses {}: {why}", e.file),
                Err(p) => failures.push(format!("{} on {target}: {p}", e.file)),
            }
        }
    }
    report(&failures);
}

/// Garbage in registers and memory, orders and approximations by seed: nothing changes.
#[test]
fn perturbed() {
    let mut failures = Vec::new();
    for target in Target::parse_list("all").expect("all families") {
        for e in all() {
            for seed in 0..5 {
                let options = RunOptions { perturb: Some(seed), ..RunOptions::default() };
                failures.extend(run(&e, On::Machine(target), &level(2), &options).err());
            }
        }
    }
    report(&failures);
}

/// Allocator stress switches change registers and copies, never results.
#[test]
fn under_allocator_stress() {
    let mut failures = Vec::new();
    for target in Target::parse_list("all").expect("all families") {
        for e in all() {
            for which in 0..2 {
                let options = CodegenOptions { tight: which == 0, fragment: which == 1, ..level(2) };
                failures.extend(
                    run(&e, On::Machine(target), &options, &RunOptions::default())
                        .err()
                        .map(|m| format!("{m} (stress {which})")),
                );
            }
        }
    }
    report(&failures);
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
