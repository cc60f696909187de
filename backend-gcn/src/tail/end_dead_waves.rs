//! Ends a wave behind a discard that left no lane live, where enough would follow: a branch to a block that exports nothing.
//!
//! ```text
//! s_andn2_b64 live, live, s[2:3]      s_andn2_b64 live, live, s[2:3]
//!                                ==>  s_cbranch_scc0 end
//! ..                                  ..
//! s_endpgm                            s_endpgm
//!                                     end: s_mov_b64 exec, 0; exp null done vm; s_endpgm
//! ```
//!
//! Needs: code as `encode` leaves it: SCC says behind a discard whether a lane is left. Keeps: the blocks that are there; adds one at the
//! end, and edges to it.

use gpucc_gcn_machine::build::{self as form, Form};
use gpucc_gcn_machine::{Op, operand};
use gpucc_mir::BlockId;
use smallvec::{SmallVec, smallvec};

use crate::tail::encoded::{Block, Code, EncodedInst, row};

/// Runs over the code. Returns how many discards may end the wave.
pub fn run(code: &mut Code, generation: u8) -> u64 {
    let end = BlockId(code.blocks.len() as u32);
    let mut branches = 0;
    for block in &mut code.blocks {
        if !block.insts.iter().any(|i| i.facts.ends_dead_wave) {
            continue;
        }
        let old = std::mem::take(&mut block.insts);
        let mut new = Vec::with_capacity(old.len() + 1);
        for i in old {
            let (ends, loc) = (i.facts.ends_dead_wave && i.facts.is_far, i.loc);
            new.push(i);
            if ends {
                let branch = form::inst(row(Op::SCbranchScc0, Form::Short, false, generation));
                let branch = EncodedInst::new(branch, smallvec![], smallvec![]);
                new.push(EncodedInst { loc, label: Some(end), ..branch });
                branches += 1;
                if !block.succs.contains(&end) {
                    block.succs.push(end);
                }
            }
        }
        block.insts = new;
    }
    if branches > 0 {
        code.blocks.push(Block { insts: without_lanes(generation), succs: SmallVec::new(), runs: 1 });
    }
    branches
}

/// The end of a wave whose lanes were all discarded: no pixel is covered.
fn without_lanes(generation: u8) -> Vec<EncodedInst> {
    let inst = |op| form::inst(row(op, Form::Short, false, generation));
    let none = inst(Op::SMovB64).with("sdst", operand::EXEC).with("src0", 128);
    let export = inst(Op::Exp).with("tgt", 9).with("done", 1).with("vm", 1);
    vec![
        EncodedInst::new(none, smallvec![], smallvec![(operand::EXEC, 2)]),
        EncodedInst::new(export, smallvec![], smallvec![]),
        EncodedInst::new(inst(Op::SEndpgm), smallvec![], smallvec![]),
    ]
}
