//! Tests of `ir/src/trace.rs`.

use gpucc_ir::trace::*;

#[test]
fn times_what_is_entered_while_watched() {
    enter("before", "main");
    let watch = Watch::start();
    enter("isel", "main");
    std::thread::sleep(std::time::Duration::from_millis(2));
    enter("emission", "main");
    let steps = watch.done();
    assert_eq!(steps.iter().map(|s| s.pass).collect::<Vec<_>>(), ["isel", "emission"]);
    assert!(steps[0].nanos >= 2_000_000 && steps.iter().all(|s| s.work.is_none()), "{steps:?}");
    enter("after", "main");
    assert!(!watched());
    current();
}

#[test]
fn names_what_was_entered_last() {
    assert_eq!(current(), None);
    enter("dce", "main");
    at("v3 = iadd v1, v2");
    assert_eq!(current().as_deref(), Some("pass `dce`, function `main`, at `v3 = iadd v1, v2`"));
    assert_eq!(current(), None);
}
