//! The shared corpus of compute shaders: compiled for everything, run on everything, judged by results of other programs.
//! Skipped without the shared folder.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Options, Target};
use gpucc_ir::{Diagnostic, Refusal};
use gpucc_sim::{RunOptions, TrapKind};
use gpucc_tests::cases::{Case, CaseFile, Verdict};
use gpucc_tests::exec::{self, On};
use gpucc_tests::predict::{self, Tally};
use gpucc_tests::shared;
use rayon::prelude::*;
use std::sync::Mutex;

fn programs() -> Vec<Case> {
    let Some(path) = shared::find("conformance/programs.json") else { return Vec::new() };
    let bytes = std::fs::read(path).expect("the cases");
    serde_json::from_slice::<CaseFile>(&bytes).expect("the format of cases").cases
}

fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// No shader breaks the compiler, on any generation; what is refused is refused for a reason that is known here.
#[test]
fn compiles_everywhere() {
    let Some(folder) = shared::find("corpus/compute") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the corpus").flatten().map(|f| f.path()).collect();
    files.sort();
    let all = Target::parse_list("all:all").expect("all targets");
    let default = Target::parse_list("all").expect("all families");
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
                let jobs = all.iter().map(|t| (*t, 2)).chain(default.iter().flat_map(|t| [0, 1, 3].map(|o| (*t, o))));
                for (target, level) in jobs {
                    for entry in &loaded.module.entries {
                        let o = Options::new(target).opt(level);
                        let Err(d) = gpucc::compile_entry(&loaded.module, &entry.name, &o) else { continue };
                        let on = On::Machine(target);
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
    report(&failures);
}

/// Results of independent programs, on the oracle and on the default generation of each family.
#[test]
fn computes_what_others_compute() {
    let mut places = vec![On::Interp];
    places.extend(Target::parse_list("all").expect("all families").into_iter().map(On::Machine));
    let failures: Vec<String> = programs()
        .par_iter()
        .flat_map_iter(|case| {
            let mut failures = Vec::new();
            for (on, opt_level) in places.iter().flat_map(|on| [0, 2].map(|o| (*on, o))) {
                let verdict = case.judge(on, &CodegenOptions { opt_level, ..CodegenOptions::default() }, Some(0));
                let why = match verdict {
                    Verdict::Passed => continue,
                    Verdict::Refused(codes, why) if predict::predicted(on, &case.id, &codes, &why) => continue,
                    Verdict::Refused(codes, why) => exec::Problem::Refused(codes, why).to_string(),
                    Verdict::Failed(why) => why,
                };
                failures.push(format!("{on} -O{opt_level} {}: {why}", case.id));
            }
            failures
        })
        .collect();
    report(&failures);
}

/// Without checks of bounds the programs, which stay inside, compute the same; at the levels that the other test leaves out.
#[test]
fn trusted_code_stays_inside() {
    let targets = Target::parse_list("all").expect("all families");
    let failures: Vec<String> = programs()
        .par_iter()
        .flat_map_iter(|case| {
            let options = FrontOptions { entry: Some(case.entry.clone()), overrides: case.overrides(), robust: false };
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
                    On::Machine(target),
                    &codegen,
                    &mut d,
                    &RunOptions { races: case.races(), ..RunOptions::default() },
                );
                let at = format!("{target} -O{opt_level} {}", case.id);
                match done {
                    Err(exec::Problem::Refused(codes, why))
                        if predict::predicted(On::Machine(target), &case.id, &codes, &why) => {}
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
    report(&failures);
}
