//! What a walk over the graph knows where blocks begin.

use std::num::NonZeroU32;

/// A state of the machine that meets others where ways join. The default one is idle: nothing is outstanding.
pub trait State: Default {
    /// Whether nothing is outstanding.
    fn is_idle(&self) -> bool;

    /// Takes in what is outstanding on another way; whether that is news.
    fn join(&mut self, other: &Self) -> bool;
}

/// The states in which blocks begin. In most places nothing is outstanding, and a state is larger than a block: those blocks
/// share one.
#[derive(Debug)]
pub struct Entries<S> {
    /// Which state each block begins with, plus one, if a way to it was found.
    at: Vec<Option<NonZeroU32>>,
    /// The first is the idle one.
    states: Vec<S>,
}

impl<S: State> Entries<S> {
    const IDLE: NonZeroU32 = NonZeroU32::MIN;

    /// For `n` blocks, of which the first begins idle and no other was reached yet.
    pub fn new(n: usize) -> Self {
        let mut at = vec![None; n];
        at.iter_mut().take(1).for_each(|e| *e = Some(Self::IDLE));
        Entries { at, states: vec![S::default()] }
    }

    /// The state that `b` begins with, if it was reached.
    pub fn get(&self, b: usize) -> Option<&S> {
        self.at[b].map(|n| &self.states[n.get() as usize - 1])
    }

    /// Whether a way to `b` was found.
    pub fn is_reached(&self, b: usize) -> bool {
        self.at[b].is_some()
    }

    /// A way to `b` with this state; whether that is news.
    pub fn join(&mut self, b: usize, state: &S) -> bool {
        match self.at[b] {
            Some(n) if n != Self::IDLE => self.states[n.get() as usize - 1].join(state),
            before if state.is_idle() => {
                self.at[b] = Some(Self::IDLE);
                before.is_none()
            }
            _ => {
                let mut new = S::default();
                new.join(state);
                self.states.push(new);
                self.at[b] = NonZeroU32::new(self.states.len() as u32);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A set of numbers below 8.
    #[derive(Default)]
    struct Set(u8);

    impl State for Set {
        fn is_idle(&self) -> bool {
            self.0 == 0
        }
        fn join(&mut self, other: &Set) -> bool {
            let before = self.0;
            self.0 |= other.0;
            before != self.0
        }
    }

    #[test]
    fn ways_add_up_and_only_news_counts() {
        let mut e: Entries<Set> = Entries::new(3);
        assert_eq!((e.get(0).map(|s| s.0), e.is_reached(1)), (Some(0), false));
        assert!(e.join(1, &Set(0)), "the first way");
        assert!(!e.join(1, &Set(0)));
        assert!(e.join(1, &Set(2)) && e.join(1, &Set(4)));
        assert!(!e.join(1, &Set(6)) && !e.join(1, &Set(0)));
        assert!(e.join(2, &Set(1)));
        let all = [0, 1, 2].map(|b| e.get(b).map(|s| s.0));
        assert_eq!(all, [Some(0), Some(6), Some(1)]);
    }

    #[test]
    fn no_blocks() {
        assert!(Entries::<Set>::new(0).at.is_empty());
    }
}
