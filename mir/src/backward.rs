//! Backward dataflow over blocks.

/// Solves `start[b] = step(b, join of start[s] over the successors s of b)` from `S::default()` up, until nothing changes; gives
/// `start`. Of a block that no edge leads to it stays `S::default()`, for what lives is asked in front of a block by those that lead to it.
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
    let (mut asked, mut back) = (vec![false; n], vec![false; n]);
    for b in 0..n {
        for s in succs(b) {
            if let Some(asked) = asked.get_mut(s) {
                *asked = true;
                back[s] |= s <= b;
            }
        }
    }
    let mut again = true;
    while again {
        again = false;
        for b in (0..n).rev().filter(|&b| asked[b]) {
            let mut now = S::default();
            succs(b).into_iter().filter_map(|s| start.get(s)).for_each(|s| join(&mut now, s));
            step(b, &mut now);
            again |= back[b] && start[b] != now;
            start[b] = now;
        }
    }
    start
}
