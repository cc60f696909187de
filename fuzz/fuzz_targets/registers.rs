//! Allocates registers for a problem made of the input, and checks the answer.
#![no_main]
use libfuzzer_sys::fuzz_target;

#[path = "../../regalloc/tests/problems.rs"]
mod problems;

fuzz_target!(|data: &[u8]| problems::registers(data));
