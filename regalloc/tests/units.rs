//! Tests of `regalloc/src/units.rs`.

use gpucc_regalloc::*;

#[test]
fn runs_find_starts() {
    let s = UnitSet::range(3, 9).union(&UnitSet::range(60, 70));
    assert_eq!(s.runs(4).iter().collect::<Vec<_>>(), [3, 4, 5, 60, 61, 62, 63, 64, 65, 66]);
    assert_eq!(s.runs(11).len(), 0);
    assert_eq!(UnitSet::first(256).runs(16).len(), 241);
}

#[test]
fn shifts_cross_words() {
    let s: UnitSet = [0u16, 63, 64, 130, 255].into_iter().collect();
    assert_eq!(s.up(1).iter().collect::<Vec<_>>(), [1, 64, 65, 131]);
    assert_eq!(s.down(64).iter().collect::<Vec<_>>(), [0, 66, 191]);
}

#[test]
fn placements_are_normal() {
    let p = Placement::mask(8, 0b1010);
    assert_eq!((p.base(), p.len(), p.unit(1), p.row(4), p.lanes(4)), (9, 2, 11, 2, 0b1010));
    assert_eq!(p.part(1, 1), Placement::run(11, 1));
    assert_eq!(Placement::run(40, 32).set().len(), 32);
    assert_eq!(Placement::run(250, 6).set().iter().collect::<Vec<_>>(), [250, 251, 252, 253, 254, 255]);
    assert!(Placement::run(62, 4).set().contains(65));
    assert_eq!(Placement::mask(5, 0b111), Placement::run(5, 3));
    assert!(Placement::mask(5, 0b101) < Placement::run(5, 3) && Placement::run(5, 3) < Placement::run(6, 1));
    assert_eq!((size_of::<Placement>(), Placement::NONE.len(), Placement::NONE.set().len()), (2, 0, 0));
}
