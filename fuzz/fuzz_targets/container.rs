//! Reads, writes and runs what may be damaged.
#![no_main]
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_mutator!(|data: &mut [u8], size: usize, max: usize, seed: u32| {
    gpucc_fuzz::mutate::words(data, size, max, seed)
});
fuzz_target!(|data: &[u8]| gpucc_fuzz::container(data));
