//! Memory of their own for the invocations of vertex and fragment programs: nothing tells threads of draws apart, so each takes a piece
//! that nobody has, and gives it back where it ends.
//!
//! ```text
//! entry: ..                              entry: ticket = atomic_add(counter, 4)
//!        v = load [own + 16]                    jump take(ticket)
//!        end                    ==>      take(t): at = t & (4 * SLOTS - 4)
//!                                               taken = atomic_xchg(locks[at], 1)
//!                                               branch.nz taken, take(t + 4)
//!                                        rest:  own = pieces + at / 4 * size
//!                                               v = load [own + 16]
//!                                               atomic_xchg(locks[at], 0)
//!                                               end
//! ```
//!
//! There are more pieces than threads in flight (reference 13: 1,024 on these chips, of four pixels each), so one is always free, and
//! nobody waits for a thread that stands still. Helpers of quads have pieces as well: neighbours read what they compute.
//! Needs: virtual registers; the register of the address has no definition yet. Keeps: an order in which blocks come behind a predecessor.

use gpucc_mir::{BlockId, Def, MEdge, MFunc, MInst, Opcode, Pseudo, Use, VReg};
use gpucc_vivante_machine as machine;
use machine::abi::{DRAW_HEADER, DRAW_SLOTS};
use machine::{Cond, Type};
use smallvec::smallvec;

use crate::builders as build;
use crate::inst::{If, Own, SPILL_BASE, SrcMods, Ty, VOp, Vivante, row};
use crate::uniforms::{Table, Word, uniform};

/// Gives `own` the address of a piece of so many bytes; without a number the file says it, as spilling decides, and the address is kept for that.
pub fn run(mf: &mut MFunc<Vivante>, uniforms: &mut Table, own: VReg, bytes: Option<u32>) {
    let mut word = |w: Word| uniform(uniforms.slot(smallvec![w])).mods(SrcMods::broadcast(0));
    let base = word(Word::Scratch);
    let stride = bytes.is_none().then(|| word(Word::Stride));
    let [ticket, t, at, taken, next] = [(); 5].map(|()| mf.vreg(row(1)));
    release(mf, base, at);
    let (take, rest) = (mf.block(), mf.block());
    let is_start = |i: &MInst<Vivante>| i.op == Opcode::Pseudo(Pseudo::Start);
    let first = mf.code[0].iter().rposition(is_start).map_or(0, |k| k + 1);
    let code = mf.code[0].split_off(first);
    let succs = std::mem::replace(&mut mf.blocks[0].succs, smallvec![MEdge { to: take, args: smallvec![ticket] }]);
    let int = (Ty(Type::S32),);
    let bits = (Ty(Type::U32),);
    let whole = (Ty(Type::U32), Own(true));
    let counter = Use::imm(4 * DRAW_SLOTS);
    mf.code[0].push(build::AtomicAdd.with(whole, [base, counter, Use::imm(4)]).def(ticket));
    mf.code[0].push(build::Branch.on([take.into()]));

    mf.at(take).params = smallvec![t];
    mf.at(take).succs = smallvec![MEdge { to: take, args: smallvec![next] }, MEdge::to(rest)];
    mf.list(take).extend([
        build::And.with(bits, [t.into(), Use::imm(4 * (DRAW_SLOTS - 1))]).def(at),
        build::AtomicXchg.with(whole, [base, at.into(), Use::imm(1)]).def(taken),
        build::Add.with(int, [t.into(), Use::imm(4)]).def(next),
        build::BranchUnary.with((Ty(Type::U32), If(Cond::Nz)), [taken.into(), take.into()]),
        build::Branch.on([rest.into()]),
    ]);

    let pieces = mf.vreg(row(1));
    let mut list = Vec::new();
    match (bytes, stride) {
        (Some(bytes), _) => {
            list.push(build::Imadlo0.with(int, [at.into(), Use::imm(bytes / 4), base]).def(pieces));
        }
        (None, stride) => {
            let index = mf.vreg(row(1));
            list.push(build::Rshift.with(bits, [at.into(), Use::imm(2)]).def(index));
            // Two uniforms: `single-uniform` moves one of them.
            list.push(build::Imadlo0.with(int, [index.into(), stride.unwrap_or(base), base]).def(pieces));
        }
    }
    list.push(build::Add.with(int, [pieces.into(), Use::imm(DRAW_HEADER)]).def(own));
    if bytes.is_none() {
        list.push(build::Mov.on([Use::reg(own)]).def(Def::preg(SPILL_BASE)));
    }
    list.extend(code);
    let runs = mf.blocks[0].runs;
    mf.at(rest).runs = runs;
    mf.at(rest).succs = succs;
    *mf.list(rest) = list;
    let n = mf.blocks.len() as u32;
    let order: Vec<BlockId> = [0, take.0, rest.0].into_iter().chain(1..n - 2).map(BlockId).collect();
    mf.reorder(&order);
}

/// Gives the piece back where the program ends.
fn release(mf: &mut MFunc<Vivante>, base: Use<Vivante>, at: VReg) {
    for b in 0..mf.code.len() {
        if mf.code[b].last().and_then(MInst::target_op) != Some(VOp::End) {
            continue;
        }
        let unread = mf.vreg(row(1));
        let free = build::AtomicXchg.with((Ty(Type::U32), Own(true)), [base, at.into(), Use::imm(0)]).def(unread);
        let end = mf.code[b].len() - 1;
        mf.code[b].splice(end..end, [MInst::new(VOp::Fence), free]);
    }
}
