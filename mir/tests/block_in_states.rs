//! Tests of `mir/src/entries.rs`.

use gpucc_mir::*;

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
    let mut e: BlockInStates<Set> = BlockInStates::new(3);
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
    // A function without blocks is no fault.
    let _ = BlockInStates::<Set>::new(0);
}
