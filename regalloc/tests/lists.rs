//! Tests of `regalloc/src/lists.rs`.

use gpucc_regalloc::CsrLists;

#[test]
fn lists_keep_the_order_of_their_items() {
    let l = CsrLists::new(4, 0, |f| [(2, 7), (0, 1), (2, 5)].into_iter().for_each(|(k, v)| f(k, v)));
    assert_eq!(l.iter().collect::<Vec<_>>(), [&[1][..], &[], &[7, 5], &[]]);
    let mut grown = CsrLists::default();
    assert!(grown.is_empty());
    grown.push([1]);
    grown.push([]);
    grown.push([7, 5]);
    grown.push([]);
    assert_eq!(grown, l);
}
