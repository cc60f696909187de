//! Tests of the gain of optimisation levels when the examples run.

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

/// The estimate of time in the statistics of a shader, for a target that has one.
fn estimate(target: Target, source: &str, opt_level: u8) -> Option<u64> {
    let name = match target.family() {
        "valhall" => "cycles_64ths",
        "tesla" => "issue_clocks",
        "gcn" => "latency",
        _ => return None,
    };
    let module = exec::lower(source, "main", &[]).unwrap_or_else(|p| panic!("{p}"));
    let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
    let artifact = gpucc::compile(&module, &gpucc::Options { target, codegen }).unwrap_or_else(|d| panic!("{d}"));
    artifact.outputs()[0].stats.iter().find(|s| s.0 == name).map(|s| s.1)
}

/// A loop of this many turns that is too long to be taken apart.
fn loop_of(turns: &str) -> String {
    let step = "x = sin(x) * 3.0 + cos(x * 0.5) + exp2(x * 0.1) + log2(x + 9.0);".repeat(4);
    format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<f32>;
         @compute @workgroup_size(1) fn main() {{
             let n = u32(o[1]);
             var x = o[0];
             for (var i = 0u; i < {turns}; i++) {{ {step} }}
             o[0] = x;
         }}"
    )
}

/// Estimates weigh a loop by its turns where constants say how many there are, and by 8 elsewhere, on every family alike.
#[test]
fn estimates_weigh_loops_by_their_turns() {
    for target in exec::targets("all") {
        let time = |turns: &str| estimate(target, &loop_of(turns), 2);
        let (Some(few), Some(many), Some(unknown)) = (time("50u"), time("400u"), time("n")) else { continue };
        // Eight times the turns are nearly eight times the time: what stands before and behind the loop is little.
        assert!(many > 7 * few && many < 9 * few, "{target}: {few} and {many}");
        assert!(unknown * 5 < few && few < unknown * 8, "{target}: 8 turns by rule are {unknown}, 50 turns {few}");
    }
}

/// A loop that becomes shorter code for each turn is not said to become slower.
#[test]
fn unrolling_is_no_loss_in_estimates() {
    let source = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
         @compute @workgroup_size(1) fn main() {
             var row: array<u32, 16>;
             for (var i = 0u; i < 16u; i++) { row[i] = o[i]; }
             for (var r = 0u; r < 64u; r++) {
                 var left = o[r];
                 for (var i = 0u; i < 16u; i++) { left = min(row[i], left) + 1u; row[i] = left; }
             }
             for (var i = 0u; i < 16u; i++) { o[i] = row[i]; }
         }";
    for target in exec::targets("all") {
        if let (Some(one), Some(two)) = (estimate(target, source, 1), estimate(target, source, 2)) {
            assert!(two <= one, "{target}: {one} at -O1, {two} at -O2");
        }
    }
}
