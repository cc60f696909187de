//! Tests of `backend-gcn/src/clauses.rs`.

use gpucc_gcn_machine::{Access, Counter, Op, Unit, emit as form, table};
use smallvec::smallvec;

use gpucc_gcn::clauses::{fill, gather};
use gpucc_gcn::emit::{Item, Ranges};

fn item(op: Op, counter: Counter, reads: Ranges, writes: Ranges) -> Item {
    let row = form::row(op, form::Form::Short, false, 2).unwrap();
    let facts = table::of(op).unwrap().facts;
    let is_valu = matches!(facts.unit, Unit::Valu | Unit::Trans);
    let is_store = facts.access == Access::Store;
    Item { counter, reads, writes, is_valu, is_store, ..Item::control(form::inst(row)) }
}

fn v(n: u32) -> (u32, u32) {
    (256 + n, 1)
}

fn mov(to: u32, from: u32) -> Item {
    item(Op::VMovB32, Counter::None, smallvec![v(from)], smallvec![v(to)])
}

fn load(to: u32, at: u32) -> Item {
    item(Op::BufferLoadDword, Counter::Vm, smallvec![v(at), (4, 4)], smallvec![v(to)])
}

fn store() -> Item {
    item(Op::BufferStoreDwordx4, Counter::Vm, smallvec![(256, 4), v(9), (4, 4)], smallvec![])
}

fn order(block: &[Item]) -> Vec<(Op, u32)> {
    block.iter().map(|i| (i.inst.op(), i.writes.first().map_or(0, |w| w.0 & 255))).collect()
}

#[test]
fn loads_wait_for_the_next_one() {
    let mut b = vec![load(1, 10), mov(11, 20), load(2, 11), mov(5, 1)];
    gather(&mut b);
    let l = Op::BufferLoadDword;
    assert_eq!(order(&b), [(Op::VMovB32, 11), (l, 1), (l, 2), (Op::VMovB32, 5)]);
}

#[test]
fn loads_stay_where_something_depends_on_them() {
    // A use of the result; a store of the same kind of memory; an address that is overwritten.
    for between in [mov(11, 1), store(), mov(10, 20)] {
        let mut b = vec![load(1, 10), between, load(2, 12)];
        let before = order(&b);
        gather(&mut b);
        assert_eq!(order(&b), before);
    }
}

#[test]
fn a_wait_state_is_filled_with_work() {
    let mut b = vec![store(), mov(0, 20), mov(1, 20), mov(30, 21)];
    assert_eq!(fill(&mut b, 2), 1);
    assert_eq!(order(&b)[1..], [(Op::VMovB32, 30), (Op::VMovB32, 0), (Op::VMovB32, 1)]);
}

#[test]
fn a_wait_state_stays_empty_if_all_work_depends() {
    // What overwrites the data too, what reads a result, and what overwrites a source.
    for other in [mov(2, 21), mov(30, 0), mov(20, 21)] {
        let mut b = vec![store(), mov(0, 20), other];
        assert_eq!(fill(&mut b, 2), 0);
    }
    // gfx6 has no such hazard.
    assert_eq!(fill(&mut [store(), mov(0, 20), mov(30, 21)], 0), 0);
}
