//! A tex instruction whose level differs between the lanes of a quad is executed once for each level (`isa/graphics-tesla.md` 4.8).
//!
//! Lanes whose level equals that of the first lane branch to it together, then those with the level of the second, and so on; they
//! join behind it. A lane equals itself, so the last lane needs no question.
//! Needs: physical registers, final order of blocks, joins that are still their own instructions.

use gpucc_mir::{BlockId, Def, MBlock, MEdge, MFunc, MInst, Opcode, Use};
use gpucc_tesla_machine::Pred;
use smallvec::smallvec;

use crate::builders as build;
use crate::inst::{Mods, QuadLane, QuadOps, TOp, Tesla, When};

/// Entries of the control stack that one takes: the join, and the lanes of all levels but one.
pub const STACK: u32 = 4;

/// Every lane takes its value from that of the lane which is asked.
const SUBR: u8 = 0b01_01_01_01;

/// Returns how many there were.
pub fn run(mf: &mut MFunc<Tesla>) -> u64 {
    let levels =
        |insts: &[MInst<Tesla>]| insts.iter().filter(|i| matches!(i.target_op(), Some(TOp::EachLevel(_)))).count();
    let counts: Vec<usize> = mf.code.iter().map(|insts| levels(insts)).collect();
    let total: usize = counts.iter().sum();
    if total == 0 {
        return 0;
    }
    let mut id = mf.code.iter().flatten().map(|i| i.mods.id).max().unwrap_or(0);
    let mut next = 0;
    let first: Vec<BlockId> = counts
        .iter()
        .map(|n| {
            let new = BlockId(next);
            next += 1 + 4 * *n as u32;
            new
        })
        .collect();
    mf.retarget(|b| first[b.0 as usize]);
    let blocks = std::mem::take(&mut mf.blocks);
    let code = std::mem::take(&mut mf.code);
    mf.reserve(next as usize);
    for (block, insts) in blocks.into_iter().zip(code) {
        let MBlock { succs, linear, .. } = block.clone();
        let piece = MBlock { succs: smallvec![], linear: None, ..block };
        let mut now = Vec::new();
        for mut i in insts {
            let Opcode::Op(TOp::EachLevel(op)) = i.op else {
                now.push(i);
                continue;
            };
            id += 1;
            let (Some(level), Some(flags)) = (i.uses.pop().and_then(|u| u.phys()), i.defs.pop().and_then(|d| d.phys()))
            else {
                unreachable!("{i:?} before the allocation");
            };
            i.op = Opcode::Op(TOp::M(op));
            let at = i.loc;
            let tex = BlockId(mf.blocks.len() as u32 + 3);
            now.push(MInst::new(TOp::JoinAt).mods(Mods::id(id)).at(at));
            for lane in 0..3 {
                let own = Use::preg(level);
                let compare = build::QuadOp.with((QuadOps(SUBR), QuadLane(lane)), [own, own]);
                now.push(compare.def(Def::preg(flags)).at(at));
                let branch = build::Bra.with((When(Pred::Equal),), [tex.into()]).arg(Use::preg(flags));
                now.push(branch.at(at));
                let behind = BlockId(mf.blocks.len() as u32 + 1);
                let succs = if behind == tex {
                    smallvec![MEdge::to(tex)]
                } else {
                    smallvec![MEdge::to(tex), MEdge::to(behind)]
                };
                mf.blocks.push(MBlock { succs, ..piece.clone() });
                mf.code.push(std::mem::take(&mut now));
            }
            let join = BlockId(tex.0 + 1);
            mf.blocks.push(MBlock { succs: smallvec![MEdge::to(join)], ..piece.clone() });
            mf.code.push(vec![i]);
            now.push(MInst::new(TOp::Join).mods(Mods::id(id)).at(at));
        }
        mf.blocks.push(MBlock { succs, linear, ..piece });
        mf.code.push(now);
    }
    total as u64
}
