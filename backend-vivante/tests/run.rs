//! Shaders compiled, executed as bytes, compared with the oracle.

use crate::common::check;
use gpucc_sim::Dispatch;

/// More steps than the machine runs at a time lie between the first and the last arrival at a barrier.
#[test]
fn some_are_late_at_a_barrier() {
    let text = "
        var<workgroup> w: array<u32, 16>;
        @group(0) @binding(0) var<storage, read> a: array<u32, 16>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32, 16>;
        @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
            var n = i;
            if (i & 1u) == 1u { for (var k = 0u; k < 3000u + a[0]; k++) { n = n * 5u + k; } }
            w[i] = n;
            workgroupBarrier();
            let m = w[15u - i];
            workgroupBarrier();
            w[i] = m + 1u;
            workgroupBarrier();
            b[i] = w[(i + 3u) & 15u];
        }";
    let zeros = vec![0; 64];
    let d = Dispatch::new([1, 1, 1]).with(0, 0, zeros.clone()).with(0, 1, zeros);
    check(text, &d, &[0, 1, 2]);
}

/// An element of an array is an operand like any other: what reads it keeps its effect, also if nobody asks for its result.
#[test]
fn atomics_of_array_elements_stay() {
    let source = "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;
        @group(0) @binding(1) var<storage, read_write> at: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            var list: array<u32, 6>;
            for (var k = 0u; k < 6u; k++) { list[at[k + 4u]] = k * 1000u + i; }
            list[at[i]] += 7u;
            atomicMax(&a[0], list[5]);
            atomicAdd(&a[1], list[2]);
        }";
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[1, 2]).with_u32(0, 1, &[0, 2, 5, 1, 3, 2, 1, 0, 5, 4]);
    check(source, &d, &[1, 2]);
}
