//! Tests of `sim/src/rng.rs`.

use gpucc_sim::rng::*;

#[test]
fn first_outputs_of_seed_1234567() {
    // Published test values of the reference C program (prng.di.unimi.it/splitmix64.c), seed 1234567.
    let mut g = SplitMix64::new(1_234_567);
    assert_eq!(g.next_u64(), 6_457_827_717_110_365_317);
    assert_eq!(g.next_u64(), 3_203_168_211_198_807_973);
    assert_eq!(g.next_u64(), 9_817_491_932_198_370_423);
}

#[test]
fn below_stays_below() {
    let mut g = SplitMix64::new(1);
    assert!((0..1000).all(|_| g.below(7) < 7));
    assert_eq!(g.below(0), 0);
}
