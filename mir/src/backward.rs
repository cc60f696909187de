//! Backward dataflow over blocks.

/// Solves `start[b] = step(b, join of start[s] over the successors s of b)` from `S::default()` up, until nothing changes; gives
/// `start`.
///
/// Blocks are walked from the last to the first, and again only while a start changed that an edge goes back to: walking up, only
/// what goes back up has not been seen yet. Where edges go forward alone one walk is all.
///
/// `step` must be monotone, `join` commutative and idempotent; both write into what they are given, so that nothing is allocated
/// for a block.
pub fn backward<S, I>(
    n: usize,
    succs: impl Fn(usize) -> I,
    mut join: impl FnMut(&mut S, &S),
    mut step: impl FnMut(usize, &mut S),
) -> Vec<S>
where
    S: Clone + Default + PartialEq,
    I: IntoIterator<Item = usize>,
{
    let mut start = vec![S::default(); n];
    let mut back = vec![false; n];
    for b in 0..n {
        succs(b).into_iter().filter(|&s| s <= b).for_each(|s| back[s] = true);
    }
    let mut again = true;
    while again {
        again = false;
        for b in (0..n).rev() {
            let mut now = S::default();
            succs(b).into_iter().filter_map(|s| start.get(s)).for_each(|s| join(&mut now, s));
            step(b, &mut now);
            again |= back[b] && start[b] != now;
            start[b] = now;
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits that a block reads before it writes them are live at its start.
    fn live(code: &[(u8, u8)], succs: &[&[usize]]) -> Vec<u8> {
        backward(
            code.len(),
            |b| succs[b].iter().copied(),
            |a: &mut u8, b| *a |= b,
            |b, s| *s = code[b].0 | *s & !code[b].1,
        )
    }

    #[test]
    fn reaches_up_through_a_loop() {
        // 0 -> 1 -> 2 -> 1 | 3: what 1 reads is live in 2, what 3 reads is live up to where it is written.
        let code = [(0, 4), (1, 0), (0, 2), (6, 0)];
        assert_eq!(live(&code, &[&[1], &[2], &[1, 3], &[]]), [1, 5, 5, 6]);
    }

    #[test]
    fn successors_that_are_none_count_for_nothing() {
        assert_eq!(live(&[(1, 0)], &[&[7]]), [1]);
        assert!(live(&[], &[]).is_empty());
    }
}
