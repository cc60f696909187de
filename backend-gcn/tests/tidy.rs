//! Tests of `backend-gcn/src/tidy.rs`.

use gpucc_gcn::emit::{Item, Ways};
use gpucc_gcn::tidy::*;
use gpucc_gcn_machine::Op;
use gpucc_gcn_machine::emit::{self as form, Form};
use smallvec::smallvec;

fn of(o: Op) -> Item {
    Item::control(form::inst(form::row(o, Form::Short, false, 2).unwrap()))
}

/// `exec = s[20:21]`, a vector instruction, and a scalar one.
fn set() -> Item {
    Item { reads: smallvec![(20, 2)], writes: smallvec![EXEC], ..of(Op::SMovB64) }
}
fn vector() -> Item {
    Item { is_valu: true, writes: smallvec![(256, 1)], ..of(Op::VMovB32) }
}
fn scalar() -> Item {
    Item { writes: smallvec![(4, 1)], ..of(Op::SMovB32) }
}

fn run_all(mut blocks: Vec<Vec<Item>>, succs: &[Ways]) -> Vec<usize> {
    let effects: Vec<Effect> = blocks.iter().map(|b| effect(b)).collect();
    let wanted = wanted(&effects, succs);
    blocks.iter_mut().zip(wanted).for_each(|(b, w)| run(b, w));
    blocks.iter().map(Vec::len).collect()
}

#[test]
fn what_nobody_asks_for_goes() {
    // Before another one, and at the end; the vector instruction between keeps its own.
    assert_eq!(run_all(vec![vec![set(), scalar(), set(), vector(), set()]], &[smallvec![]]), [3]);
    // The next block sets EXEC itself.
    assert_eq!(run_all(vec![vec![set()], vec![set(), vector()]], &[smallvec![1], smallvec![]]), [0, 2]);
}

#[test]
fn what_is_asked_for_stays() {
    assert_eq!(
        run_all(vec![vec![set()], vec![scalar()], vec![vector()]], &[smallvec![1], smallvec![2], smallvec![]]),
        [1, 1, 1]
    );
    // Only the way back asks.
    let blocks = vec![vec![scalar()], vec![vector(), set()]];
    assert_eq!(run_all(blocks, &[smallvec![1], smallvec![1]]), [1, 2]);
}
