//! The shared corpus of compute shaders: compiled for everything, run on everything, judged by results of other programs.
//! Skipped without the shared folder.

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_ir::{Diagnostic, Refusal};
use gpucc_kit::suite;
use gpucc_sim::{RunOptions, TrapKind};
use gpucc_tests::cases::Case;
use gpucc_tests::exec::{self, On};
use gpucc_tests::predict::{self, Tally};
use gpucc_tests::shared;
use rayon::prelude::*;
use std::sync::Mutex;

fn programs() -> Vec<Case> {
    suite::cases("conformance/programs.json")
}

/// No shader breaks the compiler, on any generation; what is refused is refused for a reason that is known here.
#[test]
fn compiles_everywhere() {
    let Some(folder) = shared::find("corpus/compute") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the corpus").flatten().map(|f| f.path()).collect();
    files.sort();
    let all = exec::targets("all:all");
    let default = exec::targets("all");
    let refused = Mutex::new(Tally::default());
    let failures: Vec<String> = files
        .par_iter()
        .flat_map_iter(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let bytes = std::fs::read(path).expect("a shader");
            let mut failures = Vec::new();
            for robust in [true, false] {
                let loaded =
                    match frontend::load(&bytes, Lang::Wgsl, &FrontOptions { robust, ..FrontOptions::default() }) {
                        Ok(l) => l,
                        Err(list) => {
                            let codes: Vec<Refusal> = list.iter().filter_map(Diagnostic::refusal).collect();
                            let known = codes.len() == list.len();
                            let known = known && predict::predicted(On::Interp, &name, &codes, "");
                            refused.lock().expect("no panic").add(On::Interp, &codes, known);
                            failures.extend((!known).then(|| format!("{name}: {list:?}")));
                            continue;
                        }
                    };
                // Every generation at -O2, and each family at every level.
                let jobs = [(&all, 2), (&default, 0), (&default, 1), (&default, 3)];
                for (entry, (targets, level)) in loaded.module.entries.iter().flat_map(|e| jobs.map(|j| (e, j))) {
                    let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
                    let done = gpucc::compile_entry_for(&loaded.module, &entry.name, targets, &codegen);
                    for (&target, result) in targets.iter().zip(done) {
                        let Err(d) = result else { continue };
                        let on = exec::on(target);
                        let codes: Vec<Refusal> = d.refusal().into_iter().collect();
                        let id = format!("corpus/{name}:{}", entry.name);
                        let known = predict::predicted(on, &id, &codes, &d.message);
                        if d.refusal().is_some() {
                            refused.lock().expect("no panic").add(on, &codes, known);
                        }
                        if !known {
                            failures.push(format!(
                                "{name}:{} {target} -O{level} robust {robust}: [{}] {d}",
                                entry.name, d.code
                            ));
                        }
                    }
                }
            }
            failures
        })
        .collect();
    println!("{}", refused.into_inner().expect("no panic"));
    suite::report(&failures);
}

/// Results of independent programs, on the oracle; `backend-X/tests/suites.rs` has the machines compute them.
#[test]
fn computes_what_others_compute() {
    suite::report(&suite::run_cases(&programs(), &[On::Interp], &[0, 2], Some(0)));
}

/// Without checks of bounds the programs, which stay inside, compute the same; at the levels that the other test leaves out.
#[test]
fn trusted_code_stays_inside() {
    let targets = exec::targets("all");
    let failures: Vec<String> = programs()
        .par_iter()
        .flat_map_iter(|case| {
            let options = FrontOptions {
                entry: Some(case.entry.clone()),
                overrides: case.overrides(),
                robust: false,
                ..FrontOptions::default()
            };
            let loaded =
                frontend::load(case.wgsl.as_bytes(), Lang::Wgsl, &options).expect("a shader that others compile");
            let mut failures = Vec::new();
            // Workgroup memory is the caller's to clear then. A program that counts on its zeros reads what nobody wrote, which
            // the oracle says of it; all others give their results.
            let run = RunOptions { races: case.races(), ..RunOptions::default() };
            let strict = gpucc_interp::Options { strict: true, run, ..gpucc_interp::Options::default() };
            let mut d = case.dispatch().expect("well-formed buffers");
            match gpucc_interp::run(&loaded.module, &case.entry, &mut d, &strict) {
                Ok(_) => {}
                Err(t) if t.kind == TrapKind::UndefinedRead => return vec![],
                Err(t) => return vec![format!("oracle {}: {t}", case.id)],
            }
            for (target, opt_level) in targets.iter().flat_map(|t| [1, 3].map(|o| (*t, o))) {
                let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
                let mut d = case.dispatch().expect("well-formed buffers");
                let done = exec::run(
                    &loaded.module,
                    &case.entry,
                    exec::on(target),
                    &codegen,
                    &mut d,
                    &RunOptions { races: case.races(), ..RunOptions::default() },
                );
                let at = format!("{target} -O{opt_level} {}", case.id);
                match done {
                    Err(exec::Problem::Refused(codes, why))
                        if predict::predicted(exec::on(target), &case.id, &codes, &why) => {}
                    Err(p) => failures.push(format!("{at}: {p}")),
                    Ok(_) => failures.extend(case.checks.iter().find_map(|c| {
                        let b = d.buffer(c.group, c.binding)?;
                        c.holds(&b.bytes).err().map(|e| format!("{at}: {e}"))
                    })),
                }
            }
            failures
        })
        .collect();
    suite::report(&failures);
}
