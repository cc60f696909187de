//! Blocks in the order of the structure: each construct's blocks stand together, the continue construct behind the body, the merge block
//! behind both.
//!
//! SPIR-V asks only that a block stands behind those that dominate it: spirv-opt writes the merge block of a loop in front of the loop's
//! body. The steps after this one, and naga, follow constructs from the header to the merge block as they stand.

use super::binary::Inst;
use rspirv::dr::Operand;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// A block of one function.
struct Block {
    /// Its instructions.
    insts: std::ops::Range<usize>,
    /// Merge block, continue target, then what the terminator names, from the last as they stand to the first.
    next: Vec<usize>,
}

/// Puts the blocks of all functions in order. What nothing leads to goes, and with it what phis take from there.
pub fn in_order(body: Vec<Inst>) -> Vec<Inst> {
    let mut out = Vec::with_capacity(body.len());
    let mut function = Vec::new();
    for inst in body {
        let ends = inst.op() == Op::FunctionEnd;
        function.push(inst);
        if ends {
            of_function(&mut function, &mut out);
        }
    }
    out.append(&mut function);
    out
}

fn of_function(function: &mut Vec<Inst>, out: &mut Vec<Inst>) {
    let Some(blocks) = list(function) else {
        out.append(function);
        return;
    };
    let order = structured(&blocks);
    if order.iter().enumerate().all(|(n, &block)| n == block) && order.len() == blocks.len() {
        out.append(function);
        return;
    }
    let mut dropped: Vec<u32> = Vec::new();
    if order.len() < blocks.len() {
        let mut left = vec![false; blocks.len()];
        order.iter().for_each(|&b| left[b] = true);
        let label = |b: &Block| function[b.insts.start].inst.result_id;
        dropped = blocks.iter().zip(left).filter(|(_, left)| !left).filter_map(|(b, _)| label(b)).collect();
        dropped.sort_unstable();
    }
    let first = blocks[0].insts.start;
    let end = blocks[blocks.len() - 1].insts.end;
    let mut insts: Vec<Option<Inst>> = function.drain(..).map(Some).collect();
    out.extend(insts[..first].iter_mut().filter_map(Option::take));
    for block in order {
        for mut inst in insts[blocks[block].insts.clone()].iter_mut().filter_map(Option::take) {
            if inst.op() == Op::Phi && !dropped.is_empty() {
                without(&mut inst, &dropped);
            }
            out.push(inst);
        }
    }
    out.extend(insts[end..].iter_mut().filter_map(Option::take));
}

/// Takes from a phi what comes from some blocks.
fn without(phi: &mut Inst, dropped: &[u32]) {
    let gone = |pair: &[Operand]| {
        pair.get(1).and_then(Operand::id_ref_any).is_some_and(|from| dropped.binary_search(&from).is_ok())
    };
    let pairs = phi.inst.operands.chunks(2).filter(|pair| !gone(pair));
    phi.inst.operands = pairs.flatten().cloned().collect();
}

/// The blocks of a function as they stand; none of a function without any, or that names a block that it has not.
fn list(function: &[Inst]) -> Option<Vec<Block>> {
    let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
    for inst in function.iter().filter(|i| i.op() == Op::Label) {
        numbers.insert(inst.inst.result_id?, numbers.len());
    }
    let mut blocks: Vec<Block> = Vec::with_capacity(numbers.len());
    let mut ends = true;
    let number = |inst: &Inst, n: usize| inst.id(n).and_then(|l| numbers.get(&l).copied());
    let mut header: [Option<usize>; 2] = [None; 2];
    for (at, inst) in function.iter().enumerate() {
        match inst.op() {
            Op::Label => {
                // A block without a terminator is refused later.
                if !std::mem::replace(&mut ends, false) {
                    return None;
                }
                header = [None; 2];
                blocks.push(Block { insts: at..at + 1, next: Vec::new() });
                continue;
            }
            Op::SelectionMerge => header = [Some(number(inst, 0)?), None],
            Op::LoopMerge => header = [Some(number(inst, 0)?), Some(number(inst, 1)?)],
            _ => {}
        }
        if !rspirv::grammar::reflect::is_block_terminator(inst.op()) {
            continue;
        }
        let block = blocks.last_mut().filter(|_| !ends)?;
        ends = true;
        block.insts.end = at + 1;
        block.next.extend(header.into_iter().flatten());
        let targets = match inst.op() {
            Op::Branch => 0..1,
            Op::BranchConditional => 1..3,
            Op::Switch => 1..inst.inst.operands.len(),
            _ => continue,
        };
        let first = block.next.len();
        for n in targets.filter(|&n| inst.id(n).is_some()) {
            block.next.push(number(inst, n)?);
        }
        // What stands first stays first.
        block.next[first..].sort_unstable_by(|a, b| b.cmp(a));
    }
    // An id twice is refused later, too.
    (ends && !blocks.is_empty() && blocks.len() == numbers.len()).then_some(blocks)
}

/// The reverse of the order in which a walk in depth is done with the blocks. It begins with the merge block, so this comes behind all that
/// does not pass through it.
fn structured(blocks: &[Block]) -> Vec<usize> {
    let mut seen = vec![false; blocks.len()];
    let mut order = Vec::with_capacity(blocks.len());
    let mut open = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, at)) = open.last_mut() {
        match blocks[*block].next.get(*at) {
            Some(&next) => {
                *at += 1;
                if !std::mem::replace(&mut seen[next], true) {
                    open.push((next, 0));
                }
            }
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}
