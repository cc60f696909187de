//! Encoded code (`mir/src/encoded.rs`) with the instructions of the tiny target: its text and its rules.

use core::fmt;

use gpucc_ir::Loc;
use gpucc_isa::{Inst, Packed, TextCx};
use gpucc_mir::{BlockId, EncodedBlock, EncodedFunc, EncodedInst, Payload, overlap};
use smallvec::smallvec;

use crate::tiny::table::{Op, Set};

/// A word about an instruction.
#[derive(Clone)]
struct Word(&'static str);

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Payload<Set> for Word {
    fn of(_: &Inst<Set>) -> Word {
        Word("")
    }

    fn falls(inst: &Packed<Set>) -> bool {
        !matches!(inst.op(), Op::Jmp | Op::End)
    }
}

type Item = EncodedInst<Set, Word>;

fn of(op: Op, label: Option<u32>) -> Item {
    Item { label: label.map(BlockId), ..Item::new(Inst::new(op as u16), smallvec![], smallvec![]) }
}

fn block(insts: Vec<Item>, succs: &[u32]) -> EncodedBlock<Set, Word> {
    EncodedBlock { insts, succs: succs.iter().map(|&s| BlockId(s)).collect(), runs: 1 }
}

fn function(blocks: Vec<EncodedBlock<Set, Word>>) -> EncodedFunc<Set, Word> {
    EncodedFunc { name: "f".into(), blocks }
}

/// A loop of one block, and the end.
fn whole() -> EncodedFunc<Set, Word> {
    let add = Item { facts: Word("slow"), loc: Loc(7), ..of(Op::Add, None) };
    let mut f = function(vec![
        block(vec![add, of(Op::Br, Some(0)), of(Op::Jmp, Some(2))], &[0, 2]),
        block(vec![], &[2]),
        block(vec![of(Op::End, None)], &[]),
    ]);
    f.blocks[0].runs = 4;
    f
}

#[test]
fn text_has_blocks_and_what_the_family_knows() {
    let wanted =
        "encoded f {\nb0 runs 4 -> b0, b2:\n  add r0 r0 r0 {slow} @7\n  br r0 b0\n  jmp b2\nb1 -> b2:\nb2:\n  end\n}\n";
    assert_eq!(whole().print(&TextCx::new(0)), wanted);
}

#[test]
fn rules_hold_and_each_breach_is_named() {
    assert_eq!(whole().verify(&TextCx::new(0)), Ok(()));
    let end = || block(vec![of(Op::End, None)], &[]);
    for (blocks, wanted) in [
        (vec![block(vec![], &[3]), end()], "b0: b3 does not exist"),
        (vec![block(vec![of(Op::Jmp, Some(1))], &[]), end()], "b0: `jmp b1`: b1 is not a successor"),
        (vec![block(vec![of(Op::Jmp, None)], &[1]), end()], "b0: `jmp 0x0`: branches to no block"),
        (vec![block(vec![of(Op::Mov, Some(1))], &[1]), end()], "b0: `mov r0 b1`: has a block but no place for it"),
        (
            vec![block(vec![of(Op::End, None), of(Op::Mov, None)], &[1]), end()],
            "b0: `mov r0 r0`: control does not get here",
        ),
        (vec![block(vec![of(Op::Mov, None)], &[]), end()], "b0: control falls through to b1, which is not a successor"),
        (vec![block(vec![], &[0])], "b0: control falls through to b1, which is not a successor"),
    ] {
        assert_eq!(function(blocks).verify(&TextCx::new(0)), Err(wanted.into()));
    }
}

#[test]
fn lists_of_registers_meet_where_one_is_in_both() {
    assert!(overlap(&[(0, 2), (8, 4)], &[(4, 1), (11, 1)]));
    assert!(!overlap(&[(0, 2), (8, 4)], &[(2, 6), (12, 1)]));
    assert!(!overlap(&[(0, 2)], &[]));
}
