//! Tests of `ir/src/results.rs`.

use gpucc_ir::inst::Value;
use gpucc_ir::results::Results;

#[test]
fn values_one_after_the_other() {
    let r = Results::new(Value(7), 3);
    assert_eq!(r.iter().collect::<Vec<_>>(), [Value(7), Value(8), Value(9)]);
    assert_eq!((r.len(), r.iter().len(), r.first(), r.nth(2)), (3, 3, Some(Value(7)), Value(9)));
    assert_eq!((r.single(), Results::new(Value(7), 1).single()), (None, Some(Value(7))));
    assert_eq!(format!("{r:?}"), "[v7, v8, v9]");
    assert!(Results::NONE.is_empty() && Results::NONE.first().is_none() && Results::NONE.iter().next().is_none());
}

#[test]
#[should_panic(expected = "result 3 of 3")]
fn there_are_no_others() {
    Results::new(Value(7), 3).nth(3);
}
