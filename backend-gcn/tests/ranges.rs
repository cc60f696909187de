//! Tests of `backend-gcn/src/flow/ranges.rs`.

use gpucc_gcn::flow::ranges::{Loops, Peaks};

#[test]
fn peaks_answer_like_a_search() {
    let mut values: Vec<u32> = (0..37u32).map(|k| k.wrapping_mul(2_654_435_761) >> 27).collect();
    let mut p = Peaks::new(values.iter().copied());
    for round in 0..20 {
        for a in 0..=values.len() {
            for b in a..=values.len() {
                assert_eq!(p.max(a..b), values[a..b].iter().copied().max().unwrap_or(0));
                for bound in [0, 3, 11, 30, 31] {
                    let first = (a..b).find(|&k| values[k] > bound);
                    assert_eq!(p.first_above(a..b, bound), first, "{a}..{b} above {bound}");
                }
            }
        }
        values[round * 7 % 37] = round as u32;
        p.set(round * 7 % 37, round as u32);
    }
}

#[test]
fn loops_nest() {
    // 1..=5 around 2..=3 and 4..=4; 6 behind.
    let succs = [vec![1], vec![2], vec![3, 4], vec![2], vec![4, 5], vec![1, 6], vec![]];
    let l = Loops::new(&succs);
    assert_eq!(l.list, [(1, 5), (2, 3), (4, 4)]);
    assert_eq!(l.around(3).collect::<Vec<_>>(), [(2, 3), (1, 5)]);
    assert_eq!(l.left_between(3, 4), Some((2, 3)));
    assert_eq!(l.left_between(3, 6), Some((1, 5)));
    assert_eq!(l.left_between(5, 5), None);
    assert!(l.all_around(5, 3) && !l.all_around(3, 4) && l.all_around(0, 6));
}
