//! Ten times the operations are at most twelve times the work: steps are counted (`gpucc_ir::trace::work`), not timed, so
//! that the test says the same on every machine. `cargo bench -p gpucc-tests -- grow` measures the time.

use gpucc::{Options, Target};
use gpucc_ir::trace;
use gpucc_tests::exec;
use gpucc_tests::scaling::SHAPES;

/// Operations of the smaller program: large enough that what every program costs does not show.
const SMALL: usize = 400;

#[test]
fn work_grows_with_the_program() {
    let targets = Target::parse_list("all").expect("all families");
    let mut found = Vec::new();
    for shape in SHAPES {
        let modules = [SMALL, 10 * SMALL].map(|n| exec::lower(&shape.source(n), "main", &[]).expect("a valid shader"));
        for &target in &targets {
            let steps = modules.each_ref().map(|m| {
                let mut o = Options::new(target).opt(2).entry("main");
                o.codegen.texts = false;
                o.codegen.verify = false;
                let before = trace::worked();
                // A refusal for size has done the work up to it.
                let _ = gpucc::compile(m, &o);
                trace::worked().wrapping_sub(before)
            });
            println!("{:<14} {target}: {} to {} steps", shape.name(), steps[0], steps[1]);
            if steps[1] > 12 * steps[0] {
                found.push(format!("{} on {target}: {} to {} steps", shape.name(), steps[0], steps[1]));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
