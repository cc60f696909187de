//! Work in place of wait states: where the hardware would have to be kept idle between two instructions, a vector instruction that
//! depends on nothing in between comes forward.
//!
//! Needs: the order is otherwise final, and no waits stand in it. Keeps: what each instruction reads. Looks a bounded number of
//! instructions ahead, so the whole is linear. What stands in front of a block is taken to be idle: `waits` knows better, and adds what
//! is left to add.

use crate::tail::clauses::{ordered, sets_state, stays};
use crate::tail::encoded::{Code, EncodedInst};
use crate::tail::waits::State;

/// Instructions looked at for filling a wait state.
const AHEAD: usize = 12;

/// Moves at most `fuel` vector instructions that depend on nothing in between to where wait states would be empty. Returns how many.
pub fn run(code: &mut Code, generation: u8, fuel: u64) -> u64 {
    let mut moved = 0;
    for block in &mut code.blocks {
        moved += run_block(&mut block.insts, generation, fuel - moved);
    }
    moved
}

fn run_block(block: &mut [EncodedInst], generation: u8, fuel: u64) -> u64 {
    let mut state = State::default();
    let mut moved = 0;
    for k in 0..block.len() {
        if moved < fuel
            && state.states(&block[k], generation) > 0
            && let Some(from) = filler(&block[k..], &state, generation)
        {
            block[k..=k + from].rotate_right(1);
            moved += 1;
        }
        let needs = state.needs(&block[k]);
        if needs.iter().any(Option::is_some) {
            state.wait(needs);
        }
        state.issue(&block[k], generation);
    }
    moved
}

/// The first vector instruction behind the first of `rest` that can as well be executed before it.
fn filler(rest: &[EncodedInst], state: &State, generation: u8) -> Option<usize> {
    for (n, i) in rest.iter().enumerate().take(AHEAD + 1) {
        if stays(i) || sets_state(i) {
            return None;
        }
        let free = i.facts.is_valu
            && state.states(i, generation) == 0
            && state.needs(i).iter().all(Option::is_none)
            && i.writes.iter().all(|w| w.0 >= 256);
        if n > 0 && free && !rest[..n].iter().any(|before| ordered(before, i)) {
            return Some(n);
        }
    }
    None
}
