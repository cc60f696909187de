//! Tests of `tests/kit/src/predict.rs`.

use gpucc::Target;
use gpucc_ir::Refusal;
use gpucc_kit::predict::*;
use gpucc_tests::exec::{self, On};

fn on(t: &str) -> On {
    exec::on(Target::parse(t).expect("a target"))
}

#[test]
fn the_list_is_well_formed_and_names_what_is_documented() {
    for l in listed() {
        assert!(documented(on(l.target), l.code), "{l:?}");
    }
    assert!(parse("an id\tvalhall\tatomics\t2\t1").is_err(), "no matter of capacity");
    assert!(parse("an id\tvalhall").is_err());
}

#[test]
fn only_what_is_documented_is_predicted() {
    assert!(predicted(on("tesla:nv50"), "x", &[Refusal::Atomics], ""));
    assert!(!predicted(on("tesla:nva3"), "x", &[Refusal::Atomics], ""));
    assert!(!predicted(on("tesla:nv50"), "x", &[Refusal::Atomics, Refusal::BindGroup], ""));
    assert!(predicted(On::Interp, "x", &[Refusal::RayQueries], ""));
    assert!(!predicted(On::Interp, "x", &[Refusal::F16], ""));
    assert!(!predicted(on("vivante:gc2000"), "not listed", &[Refusal::ProgramSize], "has 512, needs 600"));
    assert!(!predicted(on("gcn"), "x", &[], ""));
    assert!(number("has 512, needs 600", "600") && !number("has 5120", "512"));
}

#[test]
fn the_table_counts_by_code() {
    let mut t = Tally::default();
    assert!(t.is_empty());
    t.add(on("gcn"), &[Refusal::F16], true);
    let mut u = t.clone();
    u.add(on("gcn"), &[Refusal::WideTypes], false);
    t.merge(u);
    let text = t.to_string();
    assert!(text.contains("refused      2  gcn:gfx8         f16"), "{text}");
    assert!(text.lines().count() == 2 && text.contains("wide-types") && text.contains("NOT PREDICTED"), "{text}");
}
