//! The last passes one by one: code without one of them does the same, and each has something to do.

use crate::common::{compile, module, options, oracle, run};
use gpucc_driver::CodegenOptions;
use gpucc_sim::Dispatch;

/// Loops in loops that lanes leave at different times, messages of all kinds, blocks that only jump.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
var<workgroup> sum: atomic<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var x = a[i];
    var n = 0u;
    while (x != 1u && n < 40u) {
        if ((x & 1u) == 1u) { x = x * 3u + 1u; } else { x = x / 2u; }
        var k = x & 7u;
        loop { if (k > 9u) { break; } k += 2u; o[i] += a[k]; }
        n = n + 1u;
    }
    atomicAdd(&sum, n);
    workgroupBarrier();
    o[i] += n * 3u + atomicLoad(&sum) + a[(i ^ 5u) % 64u] * a[(i + 7u) % 64u];
}";

#[test]
fn each_can_be_left_out() {
    let m = module(SHADER);
    let a: Vec<u32> = (0..64).map(|i| i % 23 + 1).collect();
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &[0; 64]);
    let want = oracle(&m, &d);
    for pass in ["thread-jumps", "invert-branches", "assign-slots"] {
        let mut other = 0;
        for level in [0, 2] {
            let whole = compile(&m, 1, &options(level));
            let o = CodegenOptions { skip_passes: vec![pass.into()], ..options(level) };
            let without = compile(&m, 1, &o);
            for out in [&whole, &without] {
                let got = run(out, 1, &d, Some(3)).unwrap_or_else(|t| panic!("-O{level} without {pass}: {t}"));
                assert_eq!(got.buffers[1].bytes, want.buffers[1].bytes, "-O{level} without {pass}");
            }
            other += usize::from(whole.entry.code != without.entry.code);
        }
        assert!(other > 0, "{pass} changes nothing");
    }
}
