//! Copies on edges: constants are made where they are passed, and edges that pass the same are one.
//!
//! ```text
//! b1: v = 2; ..                          b1: ..
//!     branch.eq x, 1, e1                      branch.eq x, 1, e1
//!     branch.eq x, 7, e2          ==>         branch.eq x, 7, e1
//! e1: jump b9(v)                         e1: v' = 2; jump b9(v')
//! e2: jump b9(v)
//! ```
//!
//! A switch with many values has many such edges. Needs: virtual registers, no critical edges. Keeps: the absence of critical edges.

use gpucc_mir::{BlockId, Def, MFunc, MInst, Opcode, Pseudo, Reg, Src, VReg};

use crate::inst::Vivante;

/// Runs the pass; gives the number of blocks that disappeared.
pub fn run(mf: &mut MFunc<Vivante>, t: &Vivante) -> usize {
    constants(mf);
    let removed = duplicates(mf);
    gpucc_mir::dce(mf, t);
    removed
}

/// Whether an instruction makes a register out of an immediate or a uniform.
fn is_constant(i: &MInst<Vivante>) -> bool {
    i.is(Pseudo::Copy)
        && i.defs.len() == 1
        && i.defs[0].fixed().is_none()
        && matches!(i.uses.as_slice(), [u] if matches!(u.src, Src::Imm(_) | Src::Uniform(_)))
}

/// Makes the constants that a block with one successor passes on in that block.
fn constants(mf: &mut MFunc<Vivante>) {
    let mut made: Vec<Option<(usize, MInst<Vivante>)>> = vec![None; mf.classes.len()];
    for (b, insts) in mf.code.iter().enumerate() {
        for i in insts.iter().filter(|i| is_constant(i)) {
            if let Some(v) = i.defs[0].vreg() {
                made[v.0 as usize] = Some((b, i.clone()));
            }
        }
    }
    for b in 0..mf.blocks.len() {
        if mf.blocks[b].succs.len() != 1 || mf.code[b].is_empty() {
            continue;
        }
        for k in 0..mf.blocks[b].succs[0].args.len() {
            let a = mf.blocks[b].succs[0].args[k];
            if a.is_none() {
                continue;
            }
            let Some((home, i)) = &made[a.0 as usize] else { continue };
            if *home == b {
                continue;
            }
            let mut again = i.clone();
            let new = mf.vreg(mf.class(a));
            again.defs[0] = Def::reg(new);
            let at = mf.code[b].len() - 1;
            again.loc = mf.code[b][at].loc;
            mf.code[b].insert(at, again);
            mf.blocks[b].succs[0].args[k] = new;
        }
    }
}

/// The values that an edge passes: registers, and constants made on it.
type Passed = Vec<Argument>;

#[derive(PartialEq)]
enum Argument {
    Reg(VReg),
    Made(Box<MInst<Vivante>>),
}

/// The target of a block that does nothing else.
fn passes(mf: &MFunc<Vivante>, b: usize) -> Option<Passed> {
    let block = &mf.blocks[b];
    let (jump, body) = mf.code[b].split_last()?;
    let plain = block.params.is_empty()
        && block.succs.len() == 1
        && jump.labels().count() == 1
        && jump.uses.len() == 1
        && body.iter().all(is_constant);
    if !plain {
        return None;
    }
    let args = block.succs[0].args.iter().map(|&a| match body.iter().find(|i| i.defs[0].vreg() == Some(a)) {
        Some(i) => {
            let mut i = i.clone();
            i.defs[0].reg = Reg::V(VReg(0));
            Argument::Made(Box::new(i))
        }
        None => Argument::Reg(a),
    });
    Some(args.collect())
}

/// Makes one of the blocks that pass the same from one block to another.
fn duplicates(mf: &mut MFunc<Vivante>) -> usize {
    let n = mf.blocks.len();
    let mut preds = vec![0u32; n];
    for b in &mf.blocks {
        b.succs.iter().for_each(|e| preds[e.to.0 as usize] += 1);
    }
    let mut changed = false;
    for p in 0..n {
        if mf.blocks[p].succs.len() < 2 {
            continue;
        }
        let mut kept: Vec<(BlockId, BlockId, Passed)> = Vec::new();
        let mut k = 0;
        while k < mf.blocks[p].succs.len() {
            let e = mf.blocks[p].succs[k].to;
            k += 1;
            if preds[e.0 as usize] != 1 {
                continue;
            }
            let Some(what) = passes(mf, e.0 as usize) else { continue };
            let to = mf.blocks[e.0 as usize].succs[0].to;
            // A long list of different edges is not worth a search of its square.
            let Some(first) = kept.iter().rev().take(64).find(|x| x.1 == to && x.2 == what).map(|x| x.0) else {
                kept.push((e, to, what));
                continue;
            };
            k -= 1;
            mf.blocks[p].succs.remove(k);
            for u in mf.code[p].iter_mut().flat_map(|i| i.uses.iter_mut()) {
                if u.src == Src::Label(e) {
                    u.src = Src::Label(first);
                }
            }
            changed = true;
        }
        // Tests right before the last jump that lead where it leads do nothing.
        while let [.., test, jump] = mf.code[p].as_slice()
            && matches!(test.op, Opcode::Op(_))
            && test.defs.is_empty()
            && test.labels().count() == 1
            && test.labels().eq(jump.labels())
        {
            let at = mf.code[p].len() - 2;
            mf.code[p].remove(at);
        }
    }
    if changed { gpucc_mir::remove_unreachable(mf) } else { 0 }
}
