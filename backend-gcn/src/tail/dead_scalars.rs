//! Drops scalar instructions, and comparisons, whose results nothing asks for: masks of lanes that leave a loop and come back with all
//! others, halves of the masks of one-sided ifs. What asked for them went after selection: empty blocks, and changes of EXEC that
//! mean nothing.
//!
//! Needs: encoded code, and changes of EXEC that nobody asks for gone. Keeps: every register, EXEC and SCC wherever what is left
//! reads them. An instruction asks for its operands only if something asks for its results, so that a mask which only adds to itself
//! in a loop goes with all that feeds it.

use gpucc_gcn_machine::{Op, rows};
use gpucc_mir::backward;

use crate::tail::dead_exec_writes::EXEC;
use crate::tail::encoded::{Code, EncodedInst};
use crate::tail::shrink_compares::{VCC, bits};

/// The bit of SCC: no register has this number.
pub(crate) const SCC: u128 = 1 << 125;

/// The registers of a pair as bits.
pub(crate) fn pair(p: (u32, u32)) -> u128 {
    bits(&smallvec::smallvec![p])
}

/// The effect of an instruction on scalar registers, EXEC and SCC.
pub(crate) struct Effect {
    pub reads: u128,
    /// All of each of these registers is written.
    pub writes: u128,
    /// Whether it does nothing else.
    pure: bool,
}

impl Effect {
    pub fn of(i: &EncodedInst) -> Effect {
        let row = i.inst.row();
        let (mut reads, mut writes) = (bits(&i.reads), bits(&i.writes));
        let mut known = true;
        for x in row.implicit {
            let which = match x.name {
                "scc" => SCC,
                "vcc" => pair(VCC),
                "exec" => pair(EXEC),
                "m0" => pair((gpucc_gcn_machine::operand::M0, 1)),
                _ => {
                    known = false;
                    continue;
                }
            };
            reads |= if x.read { which } else { 0 };
            writes |= if x.write { which } else { 0 };
        }
        let op = i.inst.op();
        let masks = matches!(
            op,
            Op::SMovB32
                | Op::SMovB64
                | Op::SAndB64
                | Op::SAndn2B64
                | Op::SOrB64
                | Op::SXorB64
                | Op::SOrn2B64
                | Op::SNotB64
        );
        let compares = i.facts.is_valu && !rows::writes_exec(row) && i.writes.iter().all(|w| w.0 < 128);
        let pure = known && (masks || compares) && !i.writes.is_empty() && writes & pair(EXEC) == 0;
        // A write that may keep a part of what was there.
        if matches!(op, Op::SCmovB32 | Op::SCmovB64 | Op::SCmovkI32) {
            reads |= bits(&i.writes);
        }
        if matches!(op, Op::SMovrelsB32 | Op::SMovrelsB64 | Op::SMovreldB32 | Op::SMovreldB64) {
            return Effect { reads: u128::MAX, writes: 0, pure: false };
        }
        Effect { reads, writes, pure }
    }

    /// The demand before the instruction, from the demand behind it.
    pub fn through(&self, live: u128) -> u128 {
        live & !self.writes | self.reads
    }

    /// The same, but none if the instruction may go.
    fn before(&self, live: u128) -> Option<u128> {
        (!self.pure || self.writes & live != 0).then(|| self.through(live))
    }
}

/// What is asked for where each block begins.
pub(crate) fn wanted(code: &Code) -> Vec<u128> {
    backward(
        code.blocks.len(),
        |b| code.succs(b),
        |live: &mut u128, next| *live |= next,
        |b, live| *live = code.blocks[b].insts.iter().rev().fold(*live, |live, i| Effect::of(i).through(live)),
    )
}

/// What is asked for behind each instruction of block `b`.
pub(crate) fn wanted_after(code: &Code, b: usize, live_in: &[u128], after: &mut Vec<u128>) {
    let mut live = code.succs(b).fold(0, |m, s| m | live_in[s]);
    let insts = &code.blocks[b].insts;
    after.clear();
    after.resize(insts.len(), 0);
    for (k, i) in insts.iter().enumerate().rev() {
        after[k] = live;
        live = Effect::of(i).through(live);
    }
}

/// Drops the instructions at the places of an ascending list.
pub(crate) fn drop_at(insts: &mut Vec<EncodedInst>, gone: &[usize]) {
    let (mut rest, mut at) = (gone.iter().peekable(), 0);
    insts.retain(|_| {
        at += 1;
        rest.next_if(|g| **g == at - 1).is_none()
    });
}

/// Runs over the code. Drops at most `fuel` instructions, and returns how many. Those that others feed go first, so that what
/// stays for want of fuel reads nothing that was never written.
pub fn run(code: &mut Code, fuel: u64) -> u64 {
    let effects: Vec<Vec<Effect>> = code.blocks.iter().map(|b| b.insts.iter().map(Effect::of).collect()).collect();
    let start = backward(
        effects.len(),
        |b| code.succs(b),
        |live: &mut u128, next| *live |= next,
        |b, live| *live = effects[b].iter().rev().fold(*live, |live, e| e.before(live).unwrap_or(live)),
    );
    let mut gone: Vec<(usize, usize)> = Vec::new();
    for (b, effects) in effects.iter().enumerate().rev() {
        let mut live = code.succs(b).fold(0, |m, s| m | start[s]);
        for (k, e) in effects.iter().enumerate().rev() {
            match e.before(live) {
                Some(l) => live = l,
                None => gone.push((b, k)),
            }
        }
    }
    if gone.len() as u64 > fuel {
        // Constants and comparisons last.
        gone.sort_by_key(|&(b, k)| effects[b][k].reads & !pair(EXEC) == 0);
        gone.truncate(fuel as usize);
    }
    gone.sort_unstable();
    for list in gone.chunk_by(|a, b| a.0 == b.0) {
        let at: Vec<usize> = list.iter().map(|g| g.1).collect();
        drop_at(&mut code.blocks[list[0].0].insts, &at);
    }
    gone.len() as u64
}
