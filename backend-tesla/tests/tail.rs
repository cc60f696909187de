//! The last passes one by one: code without one of them does the same, and each has something to do.

use crate::common::{NAMES, compile, module, options, run};
use gpucc_driver::CodegenOptions;
use gpucc_sim::Dispatch;

/// Joins, loops that lanes leave at different times, atomics on workgroup memory, constants and an end behind arithmetic.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
var<workgroup> least: atomic<u32>;
var<workgroup> sum: atomic<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    if (i == 0u) { atomicStore(&least, 0xffffffffu); }
    workgroupBarrier();
    var x = a[i];
    var n = 0u;
    while (x != 1u && n < 40u) {
        if ((x & 1u) == 1u) { x = x * 3u + 1u; } else { x = x / 2u; }
        n = n + 1u;
    }
    atomicMin(&least, n + 5u);
    atomicAdd(&sum, n);
    workgroupBarrier();
    let far = (i ^ 5u) + ((n * 7u) ^ 3u) + atomicLoad(&least);
    o[i] = far * 3u + atomicLoad(&sum);
}";

fn bytes(o: &CodegenOptions, generation: usize) -> (usize, Vec<u32>) {
    let a: Vec<u32> = (0..64).map(|i| i % 23 + 1).collect();
    let out = compile(&module(SHADER), generation, o);
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &[0; 64]);
    let got = run(&out, generation, &d, Some(3)).unwrap_or_else(|t| panic!("{}: {t}", NAMES[generation]));
    (out.entry.code.len(), got.words(0, 1).expect("the output"))
}

/// The values that the shader computes.
fn wanted() -> Vec<u32> {
    let steps = |i: u32| {
        let (mut x, mut n) = (i % 23 + 1, 0);
        while x != 1 && n < 40 {
            x = if x & 1 == 1 { x * 3 + 1 } else { x / 2 };
            n += 1;
        }
        n
    };
    let n: Vec<u32> = (0..64).map(steps).collect();
    let (least, sum) = (n.iter().min().map_or(0, |m| m + 5), n.iter().sum::<u32>());
    (0..64).map(|i| ((i ^ 5) + ((n[i as usize] * 7) ^ 3) + least) * 3 + sum).collect()
}

#[test]
fn each_can_be_left_out() {
    for pass in ["invert-branches", "carry-joins", "pair-short", "carry-exits"] {
        let mut shorter = 0;
        // Before nv84 there are no atomics.
        for (generation, name) in NAMES.iter().enumerate().skip(1) {
            for level in [0, 2] {
                let whole = bytes(&options(level), generation);
                assert_eq!(whole.1, wanted(), "{name} -O{level}");
                let o = CodegenOptions { skip_passes: vec![pass.into()], ..options(level) };
                let without = bytes(&o, generation);
                assert_eq!(without.1, wanted(), "{name} -O{level} without {pass}");
                shorter += usize::from(whole.0 < without.0);
            }
        }
        assert!(shorter > 0, "{pass} makes nothing shorter");
    }
}
