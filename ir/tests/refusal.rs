//! Tests of `ir/src/refusal.rs`.

use gpucc_ir::refusal::*;

#[test]
fn names_are_unique_and_parse() {
    for &r in Refusal::ALL {
        assert_eq!(Refusal::parse(r.name()), Some(r));
        assert!(r.name().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{r}");
        assert!(!r.what().is_empty() && r.everywhere() != Some(""));
    }
    assert_eq!(Refusal::parse("Atomics"), None);
}

#[test]
fn a_lack_holds_on_its_generations() {
    const LIST: &[Unsupported] = &[
        Unsupported::all(Refusal::Atomics, "none before b").on(&["a"]),
        Unsupported::all(Refusal::WorkgroupSize, "at most 8").most(8),
    ];
    assert!(Unsupported::find(LIST, "a", Refusal::Atomics).is_some());
    assert!(Unsupported::find(LIST, "b", Refusal::Atomics).is_none());
    assert_eq!(Unsupported::find(LIST, "b", Refusal::WorkgroupSize).and_then(|l| l.most), Some(8));
}
