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
    assert_eq!((Placement::run(62, 4).end(), Placement::mask(250, 0b1001).end(), Placement::NONE.end()), (66, 254, 0));
    assert_eq!((size_of::<Placement>(), Placement::NONE.len(), Placement::NONE.set().len()), (2, 0, 0));
}

/// Against a list of the units, one after the other: ranges, steps and shifts at every border of a word.
#[test]
fn sets_of_whole_words() {
    let of = |list: Vec<u16>| list.into_iter().collect::<UnitSet>();
    for from in [0, 1, 63, 64, 65, 128, 191, 192, 255, 256] {
        for to in (from..=256).step_by(7).chain([256]) {
            let s = UnitSet::range(from, to);
            assert_eq!(s, of((from..to).collect()), "{from}..{to}");
            for step in [1, 2, 3, 4] {
                assert_eq!(UnitSet::steps(from, to, step), of((from..to).step_by(step.into()).collect()));
            }
            for n in [0, 1, 31, 63, 64, 65, 200] {
                let moved = |at: fn(u16, u16) -> Option<u16>| of(s.iter().filter_map(|u| at(u, n)).collect());
                assert_eq!(s.down(n), moved(|u, n| u.checked_sub(n)), "{s:?} down {n}");
                assert_eq!(s.up(n), moved(|u, n| (u + n < 256).then_some(u + n)), "{s:?} up {n}");
            }
        }
    }
}

/// A placement beside a set and beside another, against the units of both.
#[test]
fn placements_beside_sets() {
    let s: UnitSet = [0u16, 31, 32, 62, 63, 64, 66, 127, 128, 200, 255].into_iter().collect();
    let all = || (0..256u16).flat_map(|b| [1, 2, 3, 32].map(|n| (b, n))).filter(|&(b, n)| b + n <= 256);
    for p in all().map(|(b, n)| Placement::run(b, n)).chain([Placement::mask(61, 0b1011), Placement::mask(250, 0b101)])
    {
        let has = p.units().filter(|&u| s.contains(u)).count();
        assert_eq!((s.has_any(p), s.has_all(p)), (has > 0, has == p.units().count()), "{p:?}");
        let (mut with, mut without) = (s, s);
        with.add(p);
        without.sub(p);
        assert_eq!(with, s.iter().chain(p.units()).collect());
        assert_eq!(without, s.iter().filter(|&u| !p.units().any(|v| v == u)).collect());
        for q in [Placement::run(60, 4), Placement::mask(62, 0b101), Placement::run(255, 1), Placement::NONE] {
            assert_eq!(p.overlaps(q), p.units().any(|u| q.units().any(|v| v == u)), "{p:?} {q:?}");
        }
    }
}
