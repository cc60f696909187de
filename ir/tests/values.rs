//! Tests of `ir/src/values.rs`.

use gpucc_ir::inst::{InstData, Value};
use gpucc_ir::values::Values;

#[test]
fn is_a_list() {
    // Beside a vector, over the border between the two kinds of list in both directions.
    let (mut list, mut want) = (Values::new(), Vec::new());
    for n in 0..6 {
        list.push(Value(n));
        want.push(Value(n));
        assert_eq!(*list, *want);
        assert_eq!(list, Values::from_slice(&want));
        assert_eq!(list, want.iter().copied().collect());
    }
    list.retain(|v| v.0 % 2 == 1);
    assert_eq!(*list, [Value(1), Value(3), Value(5)]);
    assert_eq!(list.remove(0), Value(1));
    assert_eq!(*list, [Value(3), Value(5)]);
    assert_eq!(list, Values::from_slice(&[Value(3), Value(5)]), "however it came about");
    list[1] = Value(7);
    assert_eq!((list.pop(), list.pop(), list.pop()), (Some(Value(7)), Some(Value(3)), None));
    assert!(list.is_empty());
}

#[test]
fn instructions_stay_small() {
    assert_eq!(size_of::<Values>(), 16);
    assert!(size_of::<InstData>() <= 64, "{} bytes", size_of::<InstData>());
}
