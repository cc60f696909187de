//! The program's first instructions: the lanes that are live, whole quads, M0, and loads of what the program needs everywhere.
//!
//! Needs: the layout of launch registers. Keeps: everything behind; adds to the start of the first block.

use gpucc_gcn_machine::build::{self as form, Form};
use gpucc_gcn_machine::{Op, operand};
use smallvec::smallvec;

use crate::interface::launch_registers::LaunchRegisters;
use crate::tail::encoded::{Code, EncodedInst, mask_op, row};

/// Runs over the code. Returns how many instructions it put there.
pub fn run(code: &mut Code, fixed: &LaunchRegisters, generation: u8) -> u64 {
    let first = instructions(fixed, generation);
    let n = first.len() as u64;
    if let Some(block) = code.blocks.first_mut() {
        block.insts.splice(0..0, first);
    }
    n
}

fn instructions(fixed: &LaunchRegisters, generation: u8) -> Vec<EncodedInst> {
    let mut out = Vec::new();
    if let Some(live) = fixed.live {
        out.push(mask_op(Op::SMovB64, live, operand::EXEC, None, generation));
    }
    if fixed.quads {
        out.push(mask_op(Op::SWqmB64, operand::EXEC, operand::EXEC, None, generation));
    }
    let m0 = |from: u32| {
        form::inst(row(Op::SMovB32, Form::Short, false, generation)).with("sdst", operand::M0).with("src0", from)
    };
    if let Some(r) = fixed.prim_mask.filter(|_| fixed.interpolates) {
        out.push(EncodedInst::new(m0(r), smallvec![(r, 1)], smallvec![(operand::M0, 1)]));
    }
    // The registers follow each other: loads as wide as their alignment allows.
    let mut word = 0;
    let total: u32 = fixed.loads.iter().map(|l| l.1).sum();
    while word < total {
        let reg = fixed.loads[0].0 + word;
        let (n, op) = [(16, Op::SLoadDwordx16), (8, Op::SLoadDwordx8), (4, Op::SLoadDwordx4), (2, Op::SLoadDwordx2)]
            .into_iter()
            .find(|&(n, _)| n <= total - word && reg.is_multiple_of(n.min(4)))
            .unwrap_or((1, Op::SLoadDword));
        let mut m = form::inst(row(op, Form::Short, false, generation));
        let sdst = if m.row().operand("sdst").is_some() { "sdst" } else { "sdata" };
        m.set(sdst, reg);
        m.set("sbase", 0);
        m.set("offset", if generation == 2 { word * 4 } else { word });
        out.push(EncodedInst::new(m, smallvec![(0, 2)], smallvec![(reg, n)]));
        word += n;
    }
    if fixed.uses_lds {
        out.push(EncodedInst::new(m0(193), smallvec![], smallvec![(operand::M0, 1)]));
    }
    out
}
