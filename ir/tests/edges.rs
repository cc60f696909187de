//! Tests of `ir/src/edges.rs`.

use gpucc_ir::edges::{Branch, Edge};
use gpucc_ir::inst::{Block, Value};

fn list(of: std::ops::Range<u32>) -> Vec<Value> {
    of.map(Value).collect()
}

#[test]
fn edges_keep_their_arguments() {
    // Beside two edges of their own, over the border where the values no longer lie in the list.
    for n in 0..4 {
        for k in 0..4 {
            let mut edges = [Edge::with(Block(7), &list(0..n)), Edge::with(Block(8), &list(10..10 + k))];
            let [then, other] = edges.clone();
            let mut b = Branch::br(then, other, Some(Block(9)));
            for (e, v) in [(1, 20), (0, 21), (0, 22), (1, 23)] {
                b.push(e, Value(v));
                edges[e].args.push(Value(v));
                assert_eq!((Some(b.then()), b.other()), (Some(edges[0].view()), Some(edges[1].view())));
            }
            b.map_edges(|e| assert!(e.args.pop().is_some()));
            b.map_targets(|t| Block(t.0 + 10));
            for e in &mut edges {
                e.args.pop();
                e.block.0 += 10;
            }
            let [then, other] = edges;
            assert_eq!(b, Branch::br(then, other, Some(Block(9))));
        }
    }
}

#[test]
#[should_panic(expected = "no edge 1")]
fn a_jump_has_no_second_edge() {
    Branch::jump(Edge::to(Block(3)), None).push(1, Value(5));
}

#[test]
fn a_jump_has_one_edge() {
    let mut b = Branch::jump(Edge::with(Block(3), &list(0..2)), None);
    b.push(0, Value(5));
    b.map_targets(|t| Block(t.0 + 1));
    assert!(b.is_jump() && b.other().is_none() && b.merge().is_none());
    b.set_merge(Some(Block(6)));
    assert_eq!(b, Branch::jump(Edge::with(Block(4), &[Value(0), Value(1), Value(5)]), Some(Block(6))));
}
