//! The states of a walk over the graph at the beginning of blocks.

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
pub struct BlockInStates<S> {
    /// Which state each block begins with, plus one, if a way to it was found.
    at: Vec<Option<NonZeroU32>>,
    /// The first is the idle one.
    states: Vec<S>,
}

impl<S: State> BlockInStates<S> {
    const IDLE: NonZeroU32 = NonZeroU32::MIN;

    /// States of `n` blocks, of which the first begins idle and no other was reached yet.
    pub fn new(n: usize) -> Self {
        let mut at = vec![None; n];
        at.iter_mut().take(1).for_each(|e| *e = Some(Self::IDLE));
        BlockInStates { at, states: vec![S::default()] }
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
