//! Tests of `ir/src/ops.rs`.

use gpucc_ir::ops::*;

#[test]
fn names_are_unique_and_parse() {
    for &o in Op::ALL {
        assert_eq!(Op::parse(o.name()), Some(o));
        assert!(!o.info().meaning.is_empty());
        let a = o.info().attrs;
        assert!(!(a.has(OpAttrs::speculatable) && a.has(OpAttrs::writes)), "{o}");
        assert!(!(a.has(OpAttrs::speculatable) && a.has(OpAttrs::terminator)), "{o}");
    }
}
