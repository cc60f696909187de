//! Masks of lanes.

use gpucc_sim::quads::Masks;
use gpucc_sim::texture::quad::{Axis, Precision};

#[test]
fn lanes() {
    let mut m = Masks { covered: 0b1111_0001, live: 0b1111_0001, whole: 0xff };
    assert_eq!(m.ended(), 0);
    m.demote(0b0011_0001);
    assert_eq!((m.live, m.ended(), m.covered), (0b1100_0000, 0x0f, 0b1111_0001));
    assert_eq!((m.live_of(0), m.live_of(1)), (0, 0b1100));
    assert_eq!(m.owes(0b0100_0000), 0b1000_0000);
    m.demote(u64::MAX);
    assert_eq!(m.ended(), 0xff);
    assert_eq!(Masks::whole_quads(0b1000_0000_0010), 0xf0f);
    assert_eq!(Masks::whole_quads(1 << 63), 0xf << 60);
}

/// Values 1, 3, 10, 20 in the second quad of a batch.
#[test]
fn derivatives() {
    let v = [0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 10.0, 20.0];
    let d = |axis, kind| {
        [4, 5, 6, 7].map(|lane| {
            let (a, b) = Masks::derivative_lanes(axis, kind, lane);
            v[b] - v[a]
        })
    };
    assert_eq!(d(Axis::X, Precision::Fine), [2.0, 2.0, 10.0, 10.0]);
    assert_eq!(d(Axis::Y, Precision::Fine), [9.0, 17.0, 9.0, 17.0]);
    assert_eq!(d(Axis::X, Precision::Coarse), [2.0; 4]);
    assert_eq!(d(Axis::Y, Precision::Coarse), [9.0; 4]);
}
