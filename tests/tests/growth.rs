//! Ten times the operations are at most twelve times the work: steps are counted (`gpucc_ir::trace::work`) and so is the memory
//! that is allocated, since a table of the whole function made for each of its blocks is a few long steps. Neither is
//! timed, so that the test says the same on every machine. `cargo bench -p gpucc-bench -- grow` measures the time.

use gpucc::Options;
use gpucc_ir::trace;
use gpucc_tests::exec;
use gpucc_tests::scaling::SHAPES;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Operations of the smaller program: large enough that what every program costs does not show.
const SMALL: usize = 400;

#[test]
fn work_grows_with_the_program() {
    let targets = exec::targets("all");
    let mut found = Vec::new();
    // The count is that of the process: one test.
    front_end(&mut found);
    for shape in SHAPES {
        let modules = [SMALL, 10 * SMALL].map(|n| exec::lower(&shape.source(n), "main", &[]).expect("a valid shader"));
        for &target in &targets {
            let counts = modules.each_ref().map(|m| {
                let mut o = Options::new(target).opt(2);
                o.codegen.verify = false;
                let before = trace::worked();
                let region = Region::new(MEMORY);
                // A refusal for size has done the work up to it.
                let _ = gpucc::compile(m, &o);
                [trace::worked().wrapping_sub(before), region.change().bytes_allocated as u64]
            });
            for (what, [small, large]) in [("steps", counts.map(|c| c[0])), ("bytes", counts.map(|c| c[1]))] {
                println!("{:<14} {target}: {small} to {large} {what}", shape.name());
                if large > 12 * small {
                    found.push(format!("{} on {target}: {small} to {large} {what}", shape.name()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The front end, by the memory that it and naga allocate. Naga's time grows faster than that: `scaling` shows it apart, and
/// `docs/performance-measured.md` says why.
fn front_end(found: &mut Vec<String>) {
    for shape in SHAPES {
        let [small, large] = [SMALL, 10 * SMALL].map(|n| {
            let text = shape.source(n);
            let region = Region::new(MEMORY);
            exec::lower(&text, "main", &[]).expect("a valid shader");
            region.change().bytes_allocated
        });
        println!("{:<14} front end: {small} to {large} bytes", shape.name());
        if large > 12 * small {
            found.push(format!("{} in the front end: {small} to {large} bytes", shape.name()));
        }
    }
}
