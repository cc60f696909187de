//! Atomic operations on s[] become loops around a locked word (docs/abi-tesla.md section 5).
//!
//! A lane that gets the lock computes, stores, unlocks and leaves by `break`; the others go round once more.
//! Needs: physical registers, final order of blocks. The loop is three blocks: what comes before, itself, what comes behind.

use gpucc_mir::{BlockId, Def, MBlock, MEdge, MFunc, MInst, Opcode, Target as _, Use};
use gpucc_tesla_machine::{Cond, Pred};
use smallvec::smallvec;

use crate::builders as build;
use crate::inst::{A, If, Lock, Offset, R, TOp, Tesla, When};

/// Returns how many there were.
pub fn run(mf: &mut MFunc<Tesla>, t: &Tesla) -> u64 {
    let locks = |insts: &[MInst<Tesla>]| insts.iter().filter(|i| matches!(i.target_op(), Some(TOp::Lock(_)))).count();
    let counts: Vec<usize> = mf.code.iter().map(|insts| locks(insts)).collect();
    let total: usize = counts.iter().sum();
    if total == 0 {
        return 0;
    }
    let mut next = 0;
    let first: Vec<BlockId> = counts
        .iter()
        .map(|n| {
            let new = BlockId(next);
            next += 1 + 2 * *n as u32;
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
        for i in insts {
            let Opcode::Op(TOp::Lock(lock)) = i.op else {
                now.push(i);
                continue;
            };
            let looped = BlockId(mf.blocks.len() as u32 + 1);
            let behind = BlockId(looped.0 + 1);
            now.push(build::PreBrk.on([behind.into()]).at(i.loc));
            mf.blocks.push(MBlock { succs: smallvec![MEdge::to(looped)], ..piece.clone() });
            mf.code.push(std::mem::take(&mut now));
            let succs = smallvec![MEdge::to(behind), MEdge::to(looped)];
            mf.blocks.push(MBlock { succs, params: smallvec![], ..piece.clone() });
            mf.code.push(round(&i, lock, looped, behind, t));
        }
        mf.blocks.push(MBlock { succs, linear, ..piece });
        mf.code.push(now);
    }
    total as u64
}

/// The instructions of one time round.
fn round(i: &MInst<Tesla>, lock: Lock, looped: BlockId, behind: BlockId, t: &Tesla) -> Vec<MInst<Tesla>> {
    let [old, new, flags] = [0, 1, 2].map(|k: usize| i.defs[k].phys());
    let (Some(old), Some(new), Some(flags)) = (old, new, flags) else {
        unreachable!("{i:?} before the allocation");
    };
    let of_file = |file| move |u: &&Use<Tesla>| u.phys().is_some_and(|p| p.file == file);
    let data: Vec<Use<Tesla>> = i.uses.iter().filter(of_file(R)).copied().collect();
    let address = i.uses.iter().find(of_file(A)).copied();
    let (held, offset) = (When(Pred::Less), Offset(i.mods.offset));
    let (was, flag, result) = (Use::preg(old), Use::preg(flags), Def::preg(new));
    let load = build::LdLock.with((offset,), []).args(address).def(Def::preg(old)).def(Def::preg(flags));
    let mut code = vec![load];
    let value = match lock {
        Lock::Op(op, signed) => {
            let mut own = MInst::new(TOp::M(op)).args([was, data[0], flag]).def(result);
            (own.mods.pred, own.mods.signed) = (held.0, signed);
            code.push(own);
            Use::preg(new)
        }
        Lock::Exchange => data[0],
        Lock::Cas => {
            let equal = build::Set.with((If(Cond::Equal), held), [was, data[0]]);
            code.push(equal.arg(flag).def(result));
            let picked = build::Slct.with((held,), [was, data[1], Use::preg(new)]);
            code.push(picked.arg(flag).def(Def::preg(new)));
            Use::preg(new)
        }
    };
    code.push(build::StUnlock.with((offset, held), [value]).args(address).arg(flag));
    code.push(build::Brk.with((held,), [behind.into()]).arg(flag));
    code.push(t.jump(looped));
    code.into_iter().map(|c| c.at(i.loc)).collect()
}
