//! Questions about ranges of positions, each answered in logarithmic time.

use std::ops::Range;

/// A number for each position, with the greatest of any range: a tree of maxima.
pub struct Peaks {
    /// Leaves; a power of two.
    width: usize,
    /// Node `k` has the children `2k` and `2k + 1`; leaves begin at `width`.
    tree: Vec<u32>,
}

impl Peaks {
    /// The numbers of positions from 0 on.
    pub fn new(values: impl ExactSizeIterator<Item = u32>) -> Peaks {
        let width = values.len().next_power_of_two();
        let mut tree = vec![0; 2 * width];
        for (leaf, v) in tree[width..].iter_mut().zip(values) {
            *leaf = v;
        }
        for k in (1..width).rev() {
            tree[k] = tree[2 * k].max(tree[2 * k + 1]);
        }
        Peaks { width, tree }
    }

    /// Changes the number at a position.
    pub fn set(&mut self, at: usize, value: u32) {
        let mut k = self.width + at;
        self.tree[k] = value;
        while k > 1 {
            k /= 2;
            self.tree[k] = self.tree[2 * k].max(self.tree[2 * k + 1]);
        }
    }

    /// The greatest number of a range, 0 if it is empty.
    pub fn max(&self, range: Range<usize>) -> u32 {
        let (mut a, mut b) = (self.width + range.start, self.width + range.end.max(range.start));
        let mut max = 0;
        while a < b {
            if a % 2 == 1 {
                max = max.max(self.tree[a]);
                a += 1;
            }
            if b % 2 == 1 {
                b -= 1;
                max = max.max(self.tree[b]);
            }
            (a, b) = (a / 2, b / 2);
        }
        max
    }

    /// The first position of a range with a number above `bound`.
    pub fn first_above(&self, range: Range<usize>, bound: u32) -> Option<usize> {
        if range.start >= range.end.min(self.width) {
            return None;
        }
        // Up while everything to the right of the start within this subtree is too small, then down.
        let mut k = self.width + range.start;
        while self.tree[k] <= bound {
            // The next subtree to the right; behind the last one there is none.
            while k % 2 == 1 {
                k /= 2;
            }
            if k == 0 {
                return None;
            }
            k += 1;
        }
        while k < self.width {
            k *= 2;
            if self.tree[k] <= bound {
                k += 1;
            }
        }
        Some(k - self.width).filter(|at| *at < range.end)
    }
}

/// Loops as ranges of positions, both ends included, one inside the other or apart.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// The ranges, outer before inner.
    pub list: Vec<(usize, usize)>,
    /// The loop around each loop.
    parent: Vec<Option<usize>>,
    /// The innermost loop at each position.
    innermost: Vec<Option<usize>>,
}

impl Loops {
    /// Loops of a function whose blocks have these successors by position.
    pub fn new<L: AsRef<[usize]>>(succs: &[L]) -> Loops {
        let n = succs.len();
        let mut end: Vec<Option<usize>> = vec![None; n];
        for (k, list) in succs.iter().enumerate() {
            for &s in list.as_ref().iter().filter(|&&s| s <= k) {
                end[s] = Some(k);
            }
        }
        let mut x = Loops { list: Vec::new(), parent: Vec::new(), innermost: Vec::with_capacity(n) };
        let mut open: Vec<usize> = Vec::new();
        for (p, end) in end.into_iter().enumerate() {
            while open.last().is_some_and(|&l| x.list[l].1 < p) {
                open.pop();
            }
            if let Some(end) = end {
                debug_assert!(open.last().is_none_or(|&l| end <= x.list[l].1), "loops at {p} overlap");
                x.parent.push(open.last().copied());
                open.push(x.list.len());
                x.list.push((p, end));
            }
            x.innermost.push(open.last().copied());
        }
        x
    }

    /// The loops around a position, inner first.
    pub fn around(&self, p: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        std::iter::successors(self.innermost[p], |&l| self.parent[l]).map(|l| self.list[l])
    }

    /// The outermost loop that is around `p` and not around the later position `x`.
    pub fn left_between(&self, p: usize, x: usize) -> Option<(usize, usize)> {
        self.around(p).take_while(|l| l.1 < x).last()
    }

    /// Whether every loop around `p` is around `x` as well.
    pub fn all_around(&self, p: usize, x: usize) -> bool {
        self.around(p).next().is_none_or(|l| l.0 <= x && x <= l.1)
    }
}
