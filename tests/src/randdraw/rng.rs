//! Choices of a seed.

use gpucc_sim::SplitMix64;

/// A sequence of choices.
pub(super) struct Rng(SplitMix64);

impl Rng {
    pub(super) fn new(seed: u64) -> Rng {
        // Seeds that follow each other begin with bits alike.
        let mut r = SplitMix64::new(seed ^ 0x6a09_e667_f3bc_c908);
        r.next_u64();
        Rng(r)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u64) as usize
    }

    /// A number between two, both among them.
    pub(super) fn between(&mut self, from: i64, to: i64) -> i64 {
        from + self.0.below((to - from + 1) as u64) as i64
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    pub(super) fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// Whether something of so many percent happens.
    pub(super) fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    pub(super) fn word(&mut self) -> u32 {
        self.0.next_u32()
    }
}
