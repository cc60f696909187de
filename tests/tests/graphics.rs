//! The shared corpus of graphics shaders: every stage lowers, and every pass keeps the rules.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_kit::suite;
use gpucc_opt::pipeline::{Options, prepare};
use gpucc_tests::exec::{POOR, RICH};
use gpucc_tests::shared;
use rayon::prelude::*;

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
