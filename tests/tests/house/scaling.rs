//! Tests of `tests/src/scaling.rs`.

use gpucc_tests::scaling::SHAPES;

#[test]
fn every_shape_lowers() {
    for s in SHAPES {
        if let Err(e) = gpucc_tests::exec::lower(&s.source(1000), "main", &[]) {
            panic!("{}: {e}", s.name());
        }
    }
}
