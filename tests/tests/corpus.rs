//! The shared corpus of compute shaders: compiled for everything, run on everything, judged by results of other programs.
//! Skipped without the shared folder.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Options, Target};
use gpucc_ir::Class;
use gpucc_sim::RunOptions;
use gpucc_tests::cases::{Case, CaseFile, Verdict};
use gpucc_tests::exec::{self, On};
use gpucc_tests::shared;
use rayon::prelude::*;

/// Why a target may refuse a shader of the corpus, by code of the message; docs/support.md says more.
const HONEST: &[&str] =
    &["not-lowered", "atomics", "type", "out-of-registers", "program-size", "workgroup-memory", "workgroup-size"];

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
                            let textures =
                                list.iter().all(|d| d.class == Class::Unsupported && d.code == "not-lowered");
                            failures.extend((!textures).then(|| format!("{name}: {list:?}")));
                            continue;
                        }
                    };
                // Every generation at -O2, and each family at every level.
                let jobs = all.iter().map(|t| (*t, 2)).chain(default.iter().flat_map(|t| [0, 1, 3].map(|o| (*t, o))));
                for (target, level) in jobs {
                    for entry in &loaded.module.entries {
                        let o = Options::new(target).opt(level);
                        let Err(d) = gpucc::compile_entry(&loaded.module, &entry.name, &o) else { continue };
                        let f16 = name.ends_with("_f16");
                        if d.class != Class::Unsupported || !(f16 || HONEST.contains(&d.code)) {
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
                    // Half floats.
                    Verdict::Skipped(_) if case.requires.iter().any(|r| r == "f16") && on != On::Interp => continue,
                    Verdict::Skipped(why) | Verdict::Failed(why) => why,
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
        .filter(|c| !c.requires.iter().any(|r| r == "f16"))
        .flat_map_iter(|case| {
            let options = FrontOptions { entry: Some(case.entry.clone()), overrides: case.overrides(), robust: false };
            let loaded =
                frontend::load(case.wgsl.as_bytes(), Lang::Wgsl, &options).expect("a shader that others compile");
            let mut failures = Vec::new();
            // Workgroup memory is the caller's to clear then, so a program that counts on zeros may differ.
            let shares = case.wgsl.contains("var<workgroup>");
            for (target, opt_level) in targets.iter().flat_map(|t| [1, 3].map(|o| (*t, o))) {
                let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
                let mut d = case.dispatch().expect("well-formed buffers");
                let done = exec::run(
                    &loaded.module,
                    &case.entry,
                    On::Machine(target),
                    &codegen,
                    &mut d,
                    &RunOptions::default(),
                );
                let at = format!("{target} -O{opt_level} {}", case.id);
                match done {
                    Err(exec::Problem::Refused(_)) => {}
                    Err(exec::Problem::Trap(_)) if shares => {}
                    Err(p) => failures.push(format!("{at}: {p}")),
                    Ok(_) if shares => {}
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
