//! The shared corpus of graphics shaders: every stage lowers, and every pass keeps the rules.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_kit::suite;
use gpucc_opt::passes::{Options, prepare};
use gpucc_tests::exec::{POOR, RICH};
use gpucc_tests::shared;
use rayon::prelude::*;

/// `--verify` of every shader on machines that draw: no difference, and almost everything is compared.
#[test]
fn verify_draws_with_every_stage() {
    let Some(folder) = shared::find("corpus/graphics") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the corpus").flatten().map(|f| f.path()).collect();
    files.sort();
    let targets = crate::draws::drawing::drawing("all:all");
    let held = |t: &gpucc::Target| crate::draws::drawing::row(*t).is_some_and(|d| d.held.verify);
    let targets: Vec<_> = targets.into_iter().filter(held).collect();
    let jobs: Vec<_> = files.into_iter().enumerate().collect();
    let done: Vec<(usize, Vec<String>, Option<String>)> = jobs
        .par_iter()
        .filter_map(|(n, path)| {
            // A generation and a level each.
            let (target, level) = (*targets.get(n % targets.len().max(1))?, [2, 0, 1, 3][n % 4]);
            let bytes = std::fs::read(path).expect("a shader");
            let module = frontend::load(&bytes, Lang::Wgsl, &FrontOptions::default()).ok()?.module;
            let artifact = gpucc::compile(&module, &gpucc::Options::new(target).opt(level)).ok()?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Some(match gpucc_verify::verify(&module, &artifact, target, &gpucc_verify::InputOverrides::default()) {
                Ok(left) => (
                    artifact.outputs().len(),
                    left.iter().map(|l| format!("{name} -O{level} on {target}: {l}")).collect(),
                    None,
                ),
                Err(d) => (artifact.outputs().len(), Vec::new(), Some(format!("{name} -O{level}: {d}"))),
            })
        })
        .collect();
    let failures: Vec<String> = done.iter().filter_map(|d| d.2.clone()).collect();
    suite::report(&failures);
    let (all, left) = (done.iter().map(|d| d.0).sum::<usize>(), done.iter().flat_map(|d| &d.1).collect::<Vec<_>>());
    assert!(
        50 * left.len() < all && left.iter().all(|l| l.contains("nothing is drawn")),
        "{} of {all} entries were not compared: {left:#?}",
        left.len()
    );
}

/// All entries of all shaders, at all levels, for a target that has everything and one that lacks most.
#[test]
fn every_pass_keeps_the_rules() {
    let Some(folder) = shared::find("corpus/graphics") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the corpus").flatten().map(|f| f.path()).collect();
    files.sort();
    let failures: Vec<String> = files
        .par_iter()
        .flat_map_iter(|path| {
            let bytes = std::fs::read(path).expect("a shader");
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let loaded = match frontend::load(&bytes, Lang::Wgsl, &FrontOptions::default()) {
                Ok(l) => l,
                Err(list) => return vec![format!("{name}: {}", list[0])],
            };
            let mut failures = Vec::new();
            for (e, level) in loaded.module.entries.iter().flat_map(|e| (0..=3).map(move |l| (e, l))) {
                for (caps, what) in [(&RICH, "rich"), (&POOR, "poor")] {
                    let options = Options { level, verify: true, ..Options::default() };
                    let done = prepare(&loaded.module, &e.name, caps, &options);
                    failures.extend(done.err().map(|d| format!("{name}:{} -O{level}, {what}: {d}", e.name)));
                }
            }
            failures
        })
        .collect();
    suite::report(&failures);
}
