//! What optimisation is worth when the examples run.

use gpucc::{CodegenOptions, Target};
use gpucc_ir::Module;
use gpucc_kit::suite;
use gpucc_sim::RunOptions;
use gpucc_tests::examples::Example;
use gpucc_tests::exec;
use rayon::prelude::*;

/// Instructions that the machine of a target executes for each example.
fn executed(examples: &[(Example, Module)], target: Target, opt_level: u8) -> Vec<u64> {
    let run = |(e, module): &(Example, Module)| {
        let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
        let mut d = e.dispatch();
        let r = exec::run(module, e.entry, exec::on(target), &codegen, &mut d, &RunOptions::default());
        r.unwrap_or_else(|p| panic!("{} on {target} -O{opt_level}: {p}", e.file)).instructions
    };
    examples.par_iter().map(run).collect()
}

/// The default level executes at most 60 % of the instructions of level 0, on each family and over all.
#[test]
fn the_default_level_saves_two_fifths() {
    let examples = suite::examples();
    let mut all = (0, 0);
    for target in exec::targets("all") {
        let (none, default) = (executed(&examples, target, 0), executed(&examples, target, 2));
        for (((e, _), n), d) in examples.iter().zip(&none).zip(&default) {
            eprintln!("{target} {}: {n} at -O0, {d} at -O2", e.file);
        }
        let (none, default): (u64, u64) = (none.iter().sum(), default.iter().sum());
        eprintln!("{target}: {none} at -O0, {default} at -O2");
        assert!(default * 10 <= none * 6, "{target}: {default} of {none} instructions are left");
        all = (all.0 + none, all.1 + default);
    }
    assert!(all.1 * 10 <= all.0 * 6, "{} of {} instructions are left", all.1, all.0);
}
