//! Examples of the repository compiled, executed as bytes and compared with the oracle, on every generation and level of a family.

use crate::common::{NAMES, check};
use gpucc_sim::Dispatch;

fn everywhere((wgsl, d): (&str, Dispatch)) {
    check(wgsl, &d, &Vec::from_iter(0..NAMES.len()));
}

#[test]
fn vecadd() {
    let a: Vec<u32> = (0..100u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let b: Vec<u32> = (0..100u32).map(|i| i.wrapping_mul(0x85eb_ca6b) ^ 77).collect();
    let d = Dispatch::new([2, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &b).with_u32(0, 2, &[0; 100]);
    everywhere((include_str!("../../examples/vecadd.wgsl"), d));
}

#[test]
fn collatz() {
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &(0..64).collect::<Vec<_>>()).with_u32(0, 1, &[0; 64]);
    everywhere((include_str!("../../examples/collatz.wgsl"), d));
}

/// A program with loads in a loop, and its buffers.
pub fn products() -> (&'static str, Dispatch) {
    let a: Vec<u32> = (0..12 * 7).map(|i| i * 3 + 1).collect();
    let b: Vec<u32> = (0..7 * 9).map(|i| i * 5 + 2).collect();
    let d = Dispatch::new([2, 2, 1])
        .with_u32(0, 0, &[12, 9, 7])
        .with_u32(0, 1, &a)
        .with_u32(0, 2, &b)
        .with_u32(0, 3, &[0; 108]);
    (include_str!("../../examples/matmul.wgsl"), d)
}

#[test]
fn matmul() {
    everywhere(products());
}
