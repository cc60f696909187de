//! Tests of `ir/src/lists.rs`.

use gpucc_ir::inst::Block;
use gpucc_ir::lists::CsrLists;

#[test]
fn lists_keep_the_order_of_their_pairs() {
    let pairs = [(3, 'a'), (0, 'b'), (3, 'c'), (1, 'd'), (3, 'e')].map(|(k, v)| (Block(k), v));
    let l = CsrLists::new(&pairs);
    let all: Vec<&[char]> = (0..6).map(|b| &l[Block(b)]).collect();
    assert_eq!(all, [&['b'][..], &['d'], &[], &['a', 'c', 'e'], &[], &[]]);
    assert!(CsrLists::<Block, char>::new(&[])[Block(0)].is_empty());
}

#[test]
fn lists_in_the_order_of_keys() {
    let mut l: CsrLists<Block, u8> = CsrLists::default();
    l.push([1, 2]);
    l.push([]);
    l.push([3]);
    let all: Vec<&[u8]> = (0..4).map(|b| &l[Block(b)]).collect();
    assert_eq!(all, [&[1, 2][..], &[], &[3], &[]]);
}
