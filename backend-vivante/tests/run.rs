//! Shaders compiled, executed as bytes, compared with the oracle.

use crate::common::check;
use gpucc_sim::Dispatch;

const ALL: &[usize] = &[0, 1, 2];

fn example(name: &str) -> String {
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn vecadd() {
    let n = 100u32;
    let a: Vec<u32> = (0..n).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let b: Vec<u32> = (0..n).map(|i| i.wrapping_mul(0x85eb_ca6b) ^ 77).collect();
    let d = Dispatch::new([2, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &b).with_u32(0, 2, &vec![0; n as usize]);
    check(&example("vecadd.wgsl"), &d, ALL);
}

#[test]
fn collatz() {
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &(0..60).collect::<Vec<_>>()).with_u32(0, 1, &[0; 60]);
    check(&example("collatz.wgsl"), &d, ALL);
}

#[test]
fn matmul() {
    let a: Vec<u32> = (0..12 * 7).map(|i| i * 3 + 1).collect();
    let b: Vec<u32> = (0..7 * 9).map(|i| i * 5 + 2).collect();
    let d = Dispatch::new([2, 2, 1])
        .with_u32(0, 0, &[12, 9, 7])
        .with_u32(0, 1, &a)
        .with_u32(0, 2, &b)
        .with_u32(0, 3, &[0; 108]);
    check(&example("matmul.wgsl"), &d, ALL);
}

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
    let d = gpucc_sim::Dispatch::new([1, 1, 1]).with(0, 0, zeros.clone()).with(0, 1, zeros);
    crate::common::check(text, &d, &[0, 1, 2]);
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
