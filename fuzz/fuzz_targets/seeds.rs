//! No target: fills `corpus/TARGET` and ends. It is built as the targets are, so that nothing is built twice.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    init: {
        gpucc_fuzz::seeds::fill(std::path::Path::new(env!("CARGO_MANIFEST_DIR")));
        std::process::exit(0)
    },
    |_data: &[u8]| {}
);
