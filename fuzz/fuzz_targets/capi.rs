//! Calls the functions of the C library as C does, with whatever bytes.
#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_mutator!(|data: &mut [u8], size: usize, max: usize, seed: u32| {
    gpucc_fuzz::mutate::words(data, size, max, seed)
});
fuzz_target!(|data: &[u8]| gpucc_fuzz::border::call(data));
