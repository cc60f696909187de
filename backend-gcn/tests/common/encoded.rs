//! Encoded code for tests of the passes on it.

use gpucc_gcn::tail::encoded::{Block, Code, EncodedInst};
use gpucc_gcn_machine::build::{self as form, Form};
use gpucc_gcn_machine::{Gcn, Op};
use gpucc_isa::Inst;
use gpucc_mir::{BlockId, Ranges};

/// An instruction without operands.
pub fn of(op: Op, form: Form) -> Inst<Gcn> {
    form::inst(form::row(op, form, false, 2).unwrap())
}

/// One that reads and writes these registers.
pub fn item(op: Op, reads: Ranges, writes: Ranges) -> EncodedInst {
    EncodedInst::new(of(op, Form::Short), reads, writes)
}

/// Vector register `n`.
pub fn v(n: u32) -> (u32, u32) {
    (256 + n, 1)
}

/// Blocks with their successors.
pub fn code(blocks: Vec<(Vec<EncodedInst>, &[u32])>) -> Code {
    let block = |(insts, succs): (Vec<EncodedInst>, &[u32])| Block {
        insts,
        succs: succs.iter().map(|&s| BlockId(s)).collect(),
        runs: 1,
    };
    Code { name: "test".into(), blocks: blocks.into_iter().map(block).collect() }
}

/// One block, behind which nothing comes.
pub fn line(insts: Vec<EncodedInst>) -> Code {
    code(vec![(insts, &[])])
}

/// Operations of the first block, each with its first result.
pub fn order(code: &Code) -> Vec<(Op, u32)> {
    code.blocks[0].insts.iter().map(|i| (i.inst.op(), i.writes.first().map_or(0, |w| w.0 & 255))).collect()
}
