//! Short forms of comparisons and of sums whose carry is asked for: a lane mask that lives within one block goes through VCC, which 32-bit
//! encodings imply.
//!
//! Needs: finished order, nothing that reads VCC. Keeps: what is computed. A mask moves if what makes it has a short form,
//! all its uses can name VCC, and nothing writes VCC in between. Looks a bounded number of instructions ahead.

use gpucc_gcn_machine::build::{self as form, Form};
use gpucc_gcn_machine::{Format, Gcn as Isa, Kind, Op, Unit, operand, rows};
use gpucc_isa::Inst;
use gpucc_mir::{Ranges, backward};
use smallvec::smallvec;

use crate::forms::mask_source;
use crate::tail::encoded::{Code, EncodedInst};

/// The registers of VCC.
pub const VCC: (u32, u32) = (operand::VCC, 2);

/// Instructions between a comparison and the last use of its mask.
const REACH: usize = 64;

/// Scalar registers as bits; vector registers are none.
pub(crate) fn bits(ranges: &Ranges) -> u128 {
    ranges
        .iter()
        .filter(|r| r.0 < 128)
        .fold(0, |m, &(a, n)| (0..n).fold(m, |m, k| m | 1u128.checked_shl(a + k).unwrap_or(0)))
}

/// The comparison with its operands the other way round.
fn swapped(o: Op) -> Option<Op> {
    const PAIRS: [(Op, Op); 8] = [
        (Op::VCmpLtI32, Op::VCmpGtI32),
        (Op::VCmpLeI32, Op::VCmpGeI32),
        (Op::VCmpLtU32, Op::VCmpGtU32),
        (Op::VCmpLeU32, Op::VCmpGeU32),
        (Op::VCmpLtF32, Op::VCmpGtF32),
        (Op::VCmpLeF32, Op::VCmpGeF32),
        (Op::VCmpNltF32, Op::VCmpNgtF32),
        (Op::VCmpNleF32, Op::VCmpNgeF32),
    ];
    const SAME: [Op; 8] = [
        Op::VCmpEqU32,
        Op::VCmpNeU32,
        Op::VCmpEqF32,
        Op::VCmpLgF32,
        Op::VCmpNeqF32,
        Op::VCmpNlgF32,
        Op::VCmpOF32,
        Op::VCmpUF32,
    ];
    let other = PAIRS.iter().find_map(|&(a, b)| (a == o).then_some(b).or((b == o).then_some(a)));
    other.or(SAME.contains(&o).then_some(o))
}

/// The comparison in its short form.
fn short_compare(i: &Inst<Isa>, generation: u8) -> Option<Inst<Isa>> {
    let compares = i.row().attrs.format == Format::Vop3a && i.row().operand("sdst").is_some();
    if !compares || rows::writes_exec(i.row()) || i.get("clamp").unwrap_or(0) != 0 {
        return None;
    }
    let (a, b) = (i.get("src0")?, i.get("src1")?);
    let (o, a, b) = if b >= 256 { (i.op(), a, b) } else { (swapped(i.op())?, b, a) };
    // Signs are beyond the numbers of registers.
    if a >= 512 || !(256..512).contains(&b) {
        return None;
    }
    let new = form::inst(form::row(o, Form::Short, false, generation)?).with("src0", a).with("src1", b - 256);
    (new.row().bytes == 4 && form::check(&new, generation).is_ok()).then_some(new)
}

/// A sum or difference in its short form, whose carry is in VCC.
fn short_sum(i: &Inst<Isa>, generation: u8) -> Option<Inst<Isa>> {
    let other = match i.op() {
        Op::VAddU32 | Op::VAddI32 => i.op(),
        Op::VSubU32 => Op::VSubrevU32,
        Op::VSubI32 => Op::VSubrevI32,
        _ => return None,
    };
    if i.get("clamp").unwrap_or(0) != 0 {
        return None;
    }
    let (a, b) = (i.get("src0")?, i.get("src1")?);
    let (o, a, b) = if b >= 256 { (i.op(), a, b) } else { (other, b, a) };
    if a >= 512 || !(256..512).contains(&b) {
        return None;
    }
    let new = form::inst(form::row(o, Form::Short, false, generation)?).with("vdst", i.get("vdst")?);
    let new = new.with("src0", a).with("src1", b - 256);
    (new.row().bytes == 4 && form::check(&new, generation).is_ok()).then_some(new)
}

/// A use of the mask in the pair from `pair` on, with VCC instead.
fn renamed(i: &Inst<Isa>, pair: u32, generation: u8) -> Option<Inst<Isa>> {
    let mut new = *i;
    if mask_source(i.op()).is_some() {
        let (a, b) = (i.get("src0")?, i.get("src1")?);
        // The short form of a sum leaves its carry in VCC as well.
        let carry = i.get("sdst").is_none_or(|d| d == operand::VCC) && i.get("clamp").unwrap_or(0) == 0;
        if let (true, true, true, Some(row)) =
            (carry, a < 512, (256..512).contains(&b), form::row(i.op(), Form::Short, false, generation))
        {
            let short = form::inst(row).with("vdst", i.get("vdst")?).with("src0", a).with("src1", b - 256);
            if short.row().bytes == 4 && form::check(&short, generation).is_ok() {
                return Some(short);
            }
        }
        new.set("mask", operand::VCC);
    } else if i.row().attrs.unit == Unit::Salu
        && i.row().operands.iter().any(|s| matches!(s.kind, Kind::SReg(2) | Kind::SSrc(2)))
    {
        for name in ["src0", "src1"] {
            if new.get(name) == Some(pair) {
                new.set(name, operand::VCC);
            }
        }
    } else {
        return None;
    }
    form::check(&new, generation).is_ok().then_some(new)
}

/// The role of a block in this pass.
#[derive(Clone, Copy)]
struct Effect {
    /// The scalar registers that it asks for before it sets them.
    asked: u128,
    /// Those that it sets.
    set: u128,
    /// Whether a vector instruction makes a mask, which could move.
    makes_masks: bool,
}

/// The pair of scalar registers in which an instruction leaves a mask.
fn mask_made(i: &EncodedInst) -> Option<u32> {
    match i.writes[..] {
        [(pair, 2)] | [(256.., 1), (pair, 2)] if i.facts.is_valu && pair < 104 => Some(pair),
        _ => None,
    }
}

/// The effect of a block.
fn effect(block: &[EncodedInst]) -> Effect {
    let none = Effect { asked: 0, set: 0, makes_masks: false };
    block.iter().rev().fold(none, |e, i| {
        let w = bits(&i.writes);
        let makes_masks = e.makes_masks || mask_made(i).is_some();
        Effect { asked: e.asked & !w | bits(&i.reads), set: e.set | w, makes_masks }
    })
}

/// Runs over the code. Moves at most `fuel` masks, and returns how many.
pub fn run(code: &mut Code, generation: u8, fuel: u64) -> u64 {
    let effects: Vec<Effect> = code.blocks.iter().map(|b| effect(&b.insts)).collect();
    // Scalar registers that are asked for at the start of each block.
    let live_in = backward(
        effects.len(),
        |b| code.succs(b),
        |live: &mut u128, next| *live |= next,
        |b, live| *live = effects[b].asked | *live & !effects[b].set,
    );
    let mut moved = 0;
    let mut after: Vec<u128> = Vec::new();
    for b in (0..effects.len()).filter(|&b| effects[b].makes_masks) {
        let mut live = code.succs(b).fold(0, |m, s| m | live_in[s]);
        let block = &mut code.blocks[b].insts;
        after.clear();
        after.resize(block.len(), 0);
        for (k, i) in block.iter().enumerate().rev() {
            after[k] = live;
            live = live & !bits(&i.writes) | bits(&i.reads);
        }
        // VCC holds a mask up to here.
        let mut busy = 0;
        for k in 0..block.len() {
            if k < busy || moved == fuel {
                continue;
            }
            let Some(pair) = mask_made(&block[k]) else { continue };
            if let Some(last) = try_move(block, k, pair, &after, generation) {
                busy = last;
                moved += 1;
            }
        }
    }
    moved
}

/// Moves the mask that the instruction at `k` makes to VCC. Returns the place of its last use.
fn try_move(block: &mut [EncodedInst], k: usize, pair: u32, after: &[u128], generation: u8) -> Option<usize> {
    let made = block[k].inst.unpack();
    let short =
        if block[k].writes.len() == 1 { short_compare(&made, generation) } else { short_sum(&made, generation) }?;
    let mask = bits(&smallvec![(pair, 2)]);
    let vcc = bits(&smallvec![VCC]);
    let mut uses: Vec<(usize, Inst<Isa>)> = Vec::new();
    for j in k + 1..block.len().min(k + REACH) {
        let i = &block[j];
        if bits(&i.reads) & mask != 0 {
            if i.reads.iter().any(|r| bits(&smallvec![*r]) & mask != 0 && *r != (pair, 2)) {
                return None;
            }
            uses.push((j, renamed(&i.inst.unpack(), pair, generation)?));
            if after[j] & mask == 0 || bits(&i.writes) & mask == mask {
                for (at, inst) in uses {
                    block[at].inst = inst.into();
                    block[at].reads.iter_mut().filter(|r| **r == (pair, 2)).for_each(|r| *r = VCC);
                }
                block[k].inst = short.into();
                block[k].writes.iter_mut().filter(|w| **w == (pair, 2)).for_each(|w| *w = VCC);
                return Some(j);
            }
        }
        if bits(&i.writes) & (mask | vcc) != 0 {
            return None;
        }
    }
    None
}
