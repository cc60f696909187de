//! Tests of `mir/src/alloc.rs`.

use gpucc_ir::{Class, Loc, text::parse_module};
use gpucc_mir::{AllocError, OutOfRegisters};

#[test]
fn a_refusal_names_figures_and_place() {
    let m =
        parse_module("entry \"main\" compute func0 size 1,1,1 @5..9\nfunc0 \"main\" {\nblock0:\n  ret @20..23\n}\n");
    let m = m.unwrap_or_else(|e| panic!("{e}"));
    let refused = |loc| {
        let o = OutOfRegisters { file: "r", demand: 70, limit: 64, loc, inst: "op r1".into() };
        let d = AllocError::OutOfRegisters(o).refusal(&m, |o| (format!("x has {}", o.limit), "less".into()));
        assert!(d.class == Class::Unsupported && d.message == "x has 64, this needs 70 at once", "{d}");
        d.labels[0].span
    };
    let f = m.funcs.values().next().expect("one function");
    let (_, ret) = f.insts_in_order().next().expect("one instruction");
    assert_eq!((refused(f.insts[ret].loc).start, refused(Loc::UNKNOWN).start), (20, 5));
    assert_eq!(AllocError::Invalid("why".into()).refusal(&m, |_| unreachable!()).class, Class::Internal);
}
