//! Tests of `mir/src/backward.rs`.

use gpucc_mir::*;

/// Bits that a block reads before it writes them are live at its start.
fn live(code: &[(u8, u8)], succs: &[&[usize]]) -> Vec<u8> {
    backward(code.len(), |b| succs[b].iter().copied(), |a: &mut u8, b| *a |= b, |b, s| *s = code[b].0 | *s & !code[b].1)
}

#[test]
fn reaches_up_through_a_loop() {
    // 0 -> 1 -> 2 -> 1 | 3: what 1 reads is live in 2, what 3 reads is live up to where it is written. Nothing leads to 0.
    let code = [(0, 4), (1, 0), (0, 2), (6, 0)];
    assert_eq!(live(&code, &[&[1], &[2], &[1, 3], &[]]), [0, 5, 5, 6]);
}

#[test]
fn successors_that_are_none_count_for_nothing() {
    assert_eq!(live(&[(0, 0), (1, 0)], &[&[1], &[7]]), [0, 1]);
    assert!(live(&[], &[]).is_empty());
}
