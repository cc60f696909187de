//! Tests of `ir/src/types.rs`.

use gpucc_ir::types::*;

#[test]
fn names_round_trip() {
    for s in Scalar::ALL {
        for n in 1..=4 {
            let t = Type::new(s, n);
            assert_eq!((t.scalar(), t.lanes()), (s, n));
            assert_eq!(Type::parse(&t.to_string()), Some(t));
        }
    }
    assert_eq!(Type::parse("i32x5"), None);
    assert_eq!(Type::parse("i32x1"), None);
    assert_eq!(Type::parse("u32"), None);
}
