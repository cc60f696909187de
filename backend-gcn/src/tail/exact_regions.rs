//! Disables dead lanes around externally visible effects: stores, atomics and exports.
//!
//! ```text
//! buffer_store v0, ..         s_mov_b64 saved, exec
//!                        ==>  s_and_b64 exec, exec, live
//!                             buffer_store v0, ..
//!                             s_mov_b64 exec, saved
//! ```
//!
//! Neighbours share what is around them. Where nothing behind the first export of the last block asks for other lanes, they stay off. An
//! atomic gives 0 where it did not happen.
//!
//! Needs: code as `encode` leaves it, and the registers of the live lanes. Keeps: blocks and edges.

use gpucc_gcn_machine::build::{self as form, Form};
use gpucc_gcn_machine::{Access, Format, Op, Unit, operand};
use gpucc_ir::Loc;
use gpucc_mir::Ranges;
use smallvec::smallvec;

use crate::tail::encoded::{Code, EncodedInst, mask_op, row};

/// Runs over the code; `live` is the first register of the lanes that are live, behind which is room for EXEC. Returns how many regions it
/// made.
pub fn run(code: &mut Code, live: Option<u32>, generation: u8) -> u64 {
    let Some(live) = live else { return 0 };
    let mut regions = 0;
    for block in &mut code.blocks {
        if !block.insts.iter().any(|i| i.facts.exact) {
            continue;
        }
        let exports = last_exports(&block.insts);
        let old = std::mem::take(&mut block.insts);
        let mut e = Exact { live, generation, out: Vec::with_capacity(old.len() + 4), is_open: false, is_last: false };
        for (n, i) in old.into_iter().enumerate() {
            if exports == Some(n) {
                e.only_live(i.loc);
                regions += 1;
            }
            if !i.facts.exact {
                e.push(i);
                continue;
            }
            let (loc, atomic) = (i.loc, i.facts.is_atomic.then(|| i.writes.first().copied()).flatten());
            regions += u64::from(e.begin(loc));
            e.push(i);
            e.end(loc);
            if let Some((d, _)) = atomic {
                let mut m = form::inst(row(Op::VCndmaskB32, Form::Long, false, generation)).with("vdst", d - 256);
                m.set("src0", 128);
                m.set("src1", d);
                m.set("mask", live);
                let (reads, writes): (Ranges, Ranges) = (smallvec![(d, 1), (live, 2)], smallvec![(d, 1)]);
                e.push(EncodedInst { loc, ..EncodedInst::new(m, reads, writes) });
            }
        }
        block.insts = e.out;
    }
    regions
}

/// A block in the making.
struct Exact {
    live: u32,
    generation: u8,
    out: Vec<EncodedInst>,
    /// Whether the last instruction brought back EXEC behind one of live lanes.
    is_open: bool,
    /// Whether EXEC holds live lanes alone to the end of the program.
    is_last: bool,
}

impl Exact {
    fn push(&mut self, i: EncodedInst) {
        self.is_open = false;
        self.out.push(i);
    }

    fn mask_op(&mut self, op: Op, dst: u32, a: u32, b: Option<u32>, loc: Loc) {
        let i = mask_op(op, dst, a, b, self.generation);
        self.push(EncodedInst { loc, ..i });
    }

    /// Turns off all lanes but the live ones from here on. Says whether a region begins.
    fn begin(&mut self, loc: Loc) -> bool {
        if self.is_last {
            return false;
        }
        if self.is_open {
            // Neighbours share what is around them.
            self.out.pop();
            self.is_open = false;
            return false;
        }
        self.mask_op(Op::SMovB64, self.live + 2, operand::EXEC, None, loc);
        self.mask_op(Op::SAndB64, operand::EXEC, operand::EXEC, Some(self.live), loc);
        true
    }

    /// All lanes are on again.
    fn end(&mut self, loc: Loc) {
        if !self.is_last {
            self.mask_op(Op::SMovB64, operand::EXEC, self.live + 2, None, loc);
            self.is_open = true;
        }
    }

    /// Turns off all lanes but the live ones, to the end of the program.
    fn only_live(&mut self, loc: Loc) {
        if self.is_open {
            // A store was right in front.
            self.out.pop();
            self.is_open = false;
        } else {
            self.mask_op(Op::SAndB64, operand::EXEC, operand::EXEC, Some(self.live), loc);
        }
        self.is_last = true;
    }
}

/// Where the exports of a block begin that ends the program, if nothing behind them asks for other lanes: work of a lane alone,
/// exports, and what scalar registers need.
fn last_exports(insts: &[EncodedInst]) -> Option<usize> {
    (insts.last()?.inst.op() == Op::SEndpgm).then_some(())?;
    let first = insts.iter().position(|i| i.inst.op() == Op::Exp)?;
    let alone = |i: &EncodedInst| {
        let row = i.inst.row();
        match row.attrs.unit {
            Unit::Valu | Unit::Trans | Unit::Interp => row.operand("dpp_ctrl").is_none() && !row.effects.convergent,
            Unit::Salu | Unit::Smem | Unit::Branch => !i.facts.ends_dead_wave,
            Unit::Vmem => row.attrs.format == Format::Mubuf && row.attrs.access == Access::Load,
            Unit::Export => true,
            Unit::Lds | Unit::Flat => false,
        }
    };
    insts[first..].iter().all(alone).then_some(first)
}
