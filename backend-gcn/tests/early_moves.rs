//! Tests of `backend-gcn/src/tail/early_moves.rs`.

use gpucc_gcn::tail::dead_exec_writes::EXEC;
use gpucc_gcn::tail::early_moves::run;
use gpucc_gcn::tail::encoded::EncodedInst;
use gpucc_gcn_machine::Op;
use gpucc_mir::BlockId;
use smallvec::smallvec;

use crate::common::encoded::{code, item, v};

fn set(from: u32) -> EncodedInst {
    item(Op::SMovB64, smallvec![(from, 2)], smallvec![EXEC])
}
fn put(to: u32) -> EncodedInst {
    item(Op::VMovB32, smallvec![(8, 1)], smallvec![v(to)])
}
fn skip(to: u32) -> EncodedInst {
    EncodedInst { label: Some(BlockId(to)), ..item(Op::SCbranchExecz, smallvec![], smallvec![]) }
}

/// A branch whose first arm is `arm` and whose second one moves into registers: the operations of each block.
fn ops(arm: Vec<EncodedInst>, moves: Vec<EncodedInst>, fuel: u64) -> Vec<Vec<Op>> {
    let head = vec![
        item(Op::SAndn2B64, smallvec![EXEC, (20, 2)], smallvec![(22, 2)]),
        item(Op::SAndSaveexecB64, smallvec![(20, 2), EXEC], smallvec![(24, 2), EXEC]),
        skip(2),
    ];
    let mut c = code(vec![
        (head, &[1, 2]),
        (arm, &[2]),
        (vec![set(22), skip(4)], &[3, 4]),
        (moves, &[4]),
        (vec![set(24), put(9)], &[]),
    ]);
    run(&mut c, fuel);
    c.blocks.iter().map(|b| b.insts.iter().map(|i| i.inst.op()).collect()).collect()
}

/// Whether the second arm has gone.
fn moved(arm: Vec<EncodedInst>, moves: Vec<EncodedInst>) -> bool {
    ops(arm, moves, u64::MAX)[3].is_empty()
}

fn load(to: u32, address: u32) -> EncodedInst {
    item(Op::BufferLoadDwordx2, smallvec![v(address), (0, 4)], smallvec![(256 + to, 2)])
}

#[test]
fn moves_go_in_front_of_the_branch() {
    use Op::*;
    assert_eq!(
        ops(vec![load(1, 5)], vec![put(1), put(2)], u64::MAX),
        [
            vec![SAndn2B64, VMovB32, VMovB32, SAndSaveexecB64, SCbranchExecz],
            vec![BufferLoadDwordx2],
            vec![],
            vec![],
            vec![SMovB64, VMovB32],
        ]
    );
}

#[test]
fn what_the_other_arm_needs_stays() {
    // It reads the register before it writes it, reads it in writing, writes half of it, or never writes it.
    assert!(!moved(vec![load(1, 2)], vec![put(2)]));
    assert!(!moved(vec![item(Op::VAddF32, smallvec![v(1), v(1)], smallvec![v(1)])], vec![put(1)]));
    assert!(!moved(vec![load(1, 5)], vec![put(3)]));
    assert!(!moved(vec![load(1, 5)], vec![put(1), put(3)]));
    // It changes EXEC itself, so that a lane may pass the write by.
    assert!(!moved(vec![set(30), load(1, 5)], vec![put(1)]));
    // The second arm does more.
    assert!(!moved(vec![load(1, 5)], vec![put(1), item(Op::VAddF32, smallvec![v(1), v(1)], smallvec![v(1)])]));
    assert!(moved(vec![load(1, 5)], vec![put(1)]));
}

#[test]
fn stops_without_fuel() {
    assert!(!ops(vec![load(1, 5)], vec![put(1)], 0)[3].is_empty());
}
