//! Floats of 64 bits at edge values, on nva0, which alone has them, at -O0 and -O2.

#[path = "../../tests/support/doubles.rs"]
mod support;

#[test]
fn each_operation_at_edge_values() {
    support::each_operation(2..3);
}
