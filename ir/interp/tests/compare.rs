//! Tests of `ir/interp/src/compare.rs`.

use gpucc_interp::Outcome;
use gpucc_interp::compare::*;
use gpucc_sim::Dispatch;

#[test]
fn floats_by_tolerance_and_integers_by_bits() {
    let one = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[1, 0x3f80_0000, 0x8000_0000]);
    let two = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[1, 0x3f80_0002, 0]);
    let mut kinds = vec![Kind::F32; 12];
    kinds[..4].fill(Kind::Exact);
    let outcome = Outcome { kinds: vec![kinds], ..Outcome::default() };
    let d = compare(&outcome, &one, &two, Tolerance::EXACT).unwrap();
    assert_eq!((d.offset, d.kind), (4, Kind::F32));
    assert!(d.to_string().contains("oracle 1.0 (0x3f800000), machine 1.0000002"), "{d}");
    assert_eq!(compare(&outcome, &one, &two, Tolerance { ulp: 2, abs: 0.0 }), None);
    assert_eq!(compare(&outcome, &one, &two, Tolerance { ulp: 0, abs: 1e-3 }), None);
    let exact = Outcome { kinds: vec![vec![Kind::Exact; 12]], ..Outcome::default() };
    assert_eq!(compare(&exact, &one, &two, Tolerance { ulp: 9, abs: 9.0 }).unwrap().offset, 4);
}
