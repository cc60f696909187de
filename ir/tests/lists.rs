//! Tests of `ir/src/lists.rs`.

use gpucc_ir::EntitySet;
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

#[test]
fn lists_below_a_known_key_are_the_same() {
    let pairs = [(Block(3), 'a'), (Block(1), 'b'), (Block(3), 'c'), (Block(0), 'd'), (Block(1), 'e')];
    let (l, same) = (CsrLists::within(5, &pairs), CsrLists::new(&pairs));
    (0..6).for_each(|k| assert_eq!(l[Block(k)], same[Block(k)], "block {k}"));
}

#[test]
fn lists_grow_item_by_item() {
    let mut l: CsrLists<Block, u8> = CsrLists::with_room(2, 3);
    l.end();
    [5, 6].into_iter().for_each(|v| l.add(v));
    l.end();
    assert_eq!((&l[Block(0)], &l[Block(1)]), (&[][..], &[5, 6][..]));
}

#[test]
fn members_are_added_but_those_of_another_set() {
    let set = |l: &[u32]| l.iter().map(|&k| Block(k)).collect::<EntitySet<Block>>();
    let mut s = set(&[1, 70]);
    assert!(s.union_without(&set(&[2, 3, 200]), &set(&[3, 70])));
    assert_eq!(s.iter().collect::<Vec<_>>(), [1, 2, 70, 200].map(Block));
    assert!(!s.union_without(&set(&[1, 2, 5]), &set(&[5])));
}
