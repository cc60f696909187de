//! Tests of the effects of instructions that passes see: those of its rows, and what its operands in memory add.

use gpucc_tesla::builders as build;
use gpucc_tesla::inst::{Lock, Of, TOp, Tesla, slot};
use gpucc_tesla::mir::{InstInfo, MInst, Target, Use};
use gpucc_tesla::slots::Slot;
use gpucc_tesla_machine::{Memory, SharedTy, Ty, table};

fn info(i: &MInst<Tesla>) -> InstInfo {
    Tesla::new(3, 64).sharing_from(0x40).info(i)
}

#[test]
fn rows_say_what_instructions_do() {
    for row in table().rows {
        assert_eq!(info(&MInst::new(TOp::M(row.op))).reads, row.effects.reads, "{}", row.text);
    }
    let load = info(&build::LdG.on([Use::imm(0)]));
    assert_eq!((load.reads, load.space, load.can_dce()), (true, Memory::Global as u16, true));
    let store = info(&build::StG.with((Of(Ty::U8),), [Use::imm(0), Use::imm(0)]));
    assert_eq!((store.writes, store.can_dce()), (true, false));
    assert!(info(&build::Bar.on([])).convergent);
    assert!(info(&build::Bra.on([Use::imm(0)])).terminator);
}

#[test]
fn pieces_of_the_control_stack_stay() {
    for op in [TOp::JoinAt, TOp::Join, TOp::PreBrk, TOp::LoopExit, TOp::Exit] {
        assert!(!info(&MInst::new(op)).can_dce(), "{op:?}");
    }
    let lock = info(&MInst::new(TOp::Lock(Lock::Cas)));
    assert!(lock.reads && lock.writes && !lock.can_dce());
}

/// Parameters never change; what lies behind them is workgroup memory.
#[test]
fn words_of_workgroup_memory_are_read() {
    let of = |s: Slot| info(&build::Mov.on([slot(s)]));
    for still in [Slot::Pool(1), Slot::Const(1, 4), Slot::Shared(SharedTy::U16, 0xc), Slot::Shared(SharedTy::B32, 0x3c)]
    {
        assert!(!of(still).reads, "{still:?}");
    }
    for changes in [Slot::Shared(SharedTy::B32, 0x40), Slot::SharedAt(SharedTy::B32, 0)] {
        assert_eq!((of(changes).reads, of(changes).space), (true, Memory::Shared as u16), "{changes:?}");
    }
}
