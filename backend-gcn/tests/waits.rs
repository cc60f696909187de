//! Tests of `backend-gcn/src/tail/waits.rs`.

use gpucc_gcn::tail::encoded::{Code, EncodedInst};
use gpucc_gcn::tail::waits::run;
use gpucc_gcn_machine::Op;
use gpucc_gcn_machine::build::{self as form, Form};
use smallvec::smallvec;

use crate::common::encoded::{code, item, line, of, v};

fn mov(to: u32, from: u32) -> EncodedInst {
    item(Op::VMovB32, smallvec![v(from)], smallvec![v(to)])
}

fn load(to: u32) -> EncodedInst {
    item(Op::BufferLoadDword, smallvec![v(10), (4, 4)], smallvec![v(to)])
}

fn store() -> EncodedInst {
    item(Op::BufferStoreDwordx4, smallvec![(256, 4), v(9), (4, 4)], smallvec![])
}

/// The planted fault: where, which operation, and its number.
fn added(mut code: Code, generation: u8) -> Vec<(usize, Op, u32)> {
    let count = run(&mut code, generation);
    let all = code.blocks.iter().flat_map(|b| &b.insts).enumerate();
    let new = all.filter(|(_, i)| matches!(i.inst.op(), Op::SWaitcnt | Op::SNop));
    let list: Vec<_> = new.map(|(k, i)| (k, i.inst.op(), i.inst.get("imm").unwrap())).collect();
    assert_eq!(list.len() as u64, count);
    list
}

fn vm(n: u32) -> u32 {
    form::waitcnt(n, 7, 15)
}

#[test]
fn a_result_is_waited_for_and_younger_ones_are_not() {
    let b = line(vec![load(0), load(1), mov(5, 0), mov(6, 1)]);
    assert_eq!(added(b, 2), [(2, Op::SWaitcnt, vm(1)), (4, Op::SWaitcnt, vm(0))]);
    // Where ways meet, the one with fewer operations in between counts.
    let b = code(vec![(vec![load(0)], &[1, 2][..]), (vec![load(1)], &[2]), (vec![mov(5, 0)], &[])]);
    assert_eq!(added(b, 2), [(2, Op::SWaitcnt, vm(0))]);
    // A loop waits for what the iteration before began.
    let b = code(vec![(vec![], &[1][..]), (vec![mov(5, 0), load(0)], &[1])]);
    assert_eq!(added(b, 2), [(0, Op::SWaitcnt, vm(0))]);
}

#[test]
fn what_is_complete_or_of_no_interest_takes_no_wait() {
    assert_eq!(added(line(vec![load(0), mov(5, 2), load(1)]), 2), []);
    // The address was read when the instruction was issued; a load comes back behind the one before it.
    assert_eq!(added(line(vec![load(0), mov(10, 2)]), 2), []);
    assert_eq!(added(line(vec![load(0), load(0)]), 2), []);
    // One wait is enough.
    assert_eq!(added(line(vec![load(0), mov(5, 0), mov(6, 0)]), 2).len(), 1);
}

#[test]
fn hazards_take_wait_states_where_the_chip_has_them() {
    // Data of a wide store is overwritten right behind it; gfx6 waits until it is read.
    let b = || line(vec![store(), mov(0, 20)]);
    assert_eq!(added(b(), 2), [(1, Op::SNop, 0)]);
    assert_eq!(added(b(), 0), [(1, Op::SWaitcnt, form::waitcnt(15, 0, 15))]);
    assert_eq!(added(line(vec![store(), mov(20, 21), mov(0, 20)]), 2), []);
    // Lanes of the quad in a register that was just written.
    let swizzle = || {
        let inst = of(Op::VMovB32, Form::Dpp).with("vdst", 1).with("src0", 0);
        EncodedInst::new(inst, smallvec![v(0)], smallvec![v(1)])
    };
    assert_eq!(added(line(vec![mov(0, 20), swizzle()]), 2), [(1, Op::SNop, 1)]);
    assert_eq!(added(line(vec![mov(3, 20), mov(4, 20), swizzle()]), 2), []);
    // The number of a lane that the vector unit wrote, on every chip; not one that the scalar unit wrote.
    let first = || item(Op::VReadfirstlaneB32, smallvec![v(0)], smallvec![(7, 1)]);
    let scalar = || item(Op::SMovB32, smallvec![(8, 1)], smallvec![(7, 1)]);
    let read = || item(Op::VReadlaneB32, smallvec![v(2), (7, 1)], smallvec![(6, 1)]);
    for generation in 0..3 {
        assert_eq!(added(line(vec![first(), read()]), generation), [(1, Op::SNop, 3)]);
        assert_eq!(added(line(vec![first(), mov(3, 20), read()]), generation), [(2, Op::SNop, 2)]);
        assert_eq!(added(line(vec![first(), scalar(), read()]), generation), []);
    }
}

/// A wait that stands for memory order alone goes, and leaves what it takes.
#[test]
fn a_fence_becomes_what_is_outstanding() {
    let fence = || {
        let mut i = item(Op::SWaitcnt, smallvec![], smallvec![]);
        i.facts.barrier = true;
        i
    };
    let mut b = line(vec![fence(), mov(5, 2)]);
    assert_eq!(run(&mut b, 2), 0);
    assert_eq!(b.blocks[0].insts.len(), 1);
    assert_eq!(added(line(vec![store(), fence()]), 2), [(1, Op::SWaitcnt, vm(0))]);
}
