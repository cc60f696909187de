//! Tests of `ir/interp/src/alu.rs`.

use gpucc_interp::alu::*;
use gpucc_ir::Scalar;

/// The limits that WGSL states.
#[test]
fn ranges_that_both_types_hold() {
    assert_eq!(shared_range(Scalar::F32, 32, true), (-2147483648.0, 2147483520.0));
    assert_eq!(shared_range(Scalar::F32, 32, false), (0.0, 4294967040.0));
    assert_eq!(shared_range(Scalar::F16, 32, true), (-65504.0, 65504.0));
    assert_eq!(shared_range(Scalar::F16, 32, false), (0.0, 65504.0));
    assert_eq!(shared_range(Scalar::F32, 64, true).1, 9223371487098961920.0);
    assert_eq!(shared_range(Scalar::F32, 64, false).1, 18446742974197923840.0);
    assert_eq!(shared_range(Scalar::F64, 32, true), (-2147483648.0, 2147483647.0));
    assert_eq!(shared_range(Scalar::F64, 32, false), (0.0, 4294967295.0));
    assert_eq!(shared_range(Scalar::F32, 8, true), (-128.0, 127.0));
    assert_eq!(shared_range(Scalar::F16, 16, true).1, 32752.0);
}
