//! Floats of 64 bits on nva0, which alone has them: at edge values at -O0 and -O2, and in random programs.

#[path = "../../tests/support/doubles.rs"]
mod support;

use gpucc_kit::exec::{Device, On};
use gpucc_kit::randprog::{Failure, Program};
use gpucc_kit::suite::{random_count, report};

use crate::common::{BACKEND, MACHINE, options};

#[test]
fn each_operation_at_edge_values() {
    support::each_operation(2..3);
}

/// The family's suites run its default generation, which has none.
#[test]
fn random_programs() {
    let on = On::Machine(Device::new(&BACKEND, MACHINE, 2));
    let mut failures = Vec::new();
    for seed in 1000..1000 + random_count().div_ceil(4) {
        let program = Program::doubles(seed).unwrap_or_else(|e| panic!("{e}"));
        for level in [(seed % 2) as u8, 2 + (seed / 2 % 2) as u8] {
            if let Err(Failure::Wrong(why) | Failure::Refused(_, _, why)) = program.check(on, &options(level)) {
                failures.push(why);
            }
        }
    }
    report(&failures);
}
