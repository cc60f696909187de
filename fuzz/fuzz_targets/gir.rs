//! Loads, compiles, runs and judges.
#![no_main]
use gpucc::frontend::Lang;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_mutator!(|data: &mut [u8], size: usize, max: usize, seed: u32| {
    gpucc_fuzz::mutate::text(data, size, max, seed)
});
fuzz_target!(|data: &[u8]| gpucc_fuzz::shader(data, Lang::Gir));
