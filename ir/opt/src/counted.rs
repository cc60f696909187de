//! Loops that count from zero to a constant, and offsets that grow with the counter.

use gpucc_ir::{Attr, Block, Edge, EntitySet, Function, Inst, IntCc, Op, Type, Value};
use smallvec::SmallVec;

/// Sums, products and shifts that one offset may be made of.
const DEPTH: u32 = 8;

/// Blocks of such a loop.
const BLOCKS: usize = 6;

/// `counter * scale + base + constant`, modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Affine {
    /// What the counter is multiplied by.
    pub scale: u32,
    /// What does not change in the loop.
    pub base: Option<Value>,
    /// Constant bytes on top.
    pub constant: u32,
}

/// A loop that counts from zero to a constant, through blocks that follow one another.
#[derive(Debug)]
pub struct Counted {
    /// The block that enters it.
    pub before: Block,
    /// Its blocks, the header first.
    pub blocks: SmallVec<[Block; 4]>,
    /// The edge by which it is left.
    pub exit: Edge,
    /// The header's one parameter, which counts.
    pub counter: Value,
    /// The step, and how many.
    pub turns: (u32, u32),
}

/// The loop with this header, if it is such a one.
pub fn counted(f: &Function, header: Block, preds: &[Block]) -> Option<Counted> {
    let merge = f.blocks[header].header?.merge;
    let &[counter] = &f.blocks[header].params[..] else { return None };
    let [then, other] = f.insts[f.terminator(header)].as_br()?;
    let (stays, leaves, below) =
        if then.block == merge { (other, then, IntCc::Uge) } else { (then, other, IntCc::Ult) };
    if leaves.block != merge || stays.block == merge || !stays.args.is_empty() {
        return None;
    }
    let mut blocks: SmallVec<[Block; 4]> = SmallVec::from_slice(&[header]);
    let mut b = stays.block;
    let next = loop {
        blocks.push(b);
        let (edge, _) = f.insts[f.terminator(b)].as_jump()?;
        if edge.block == header {
            break edge.args[0];
        }
        if blocks.len() == BLOCKS || !edge.args.is_empty() {
            return None;
        }
        b = edge.block;
    };
    let before = match *preds {
        [x, y] if y == b && x != b => x,
        [x, y] if x == b && y != b => y,
        _ => return None,
    };
    // A construct that is opened in front of the loop and ends where it does would be empty without it.
    if f.insts[f.terminator(before)].as_jump().is_some_and(|(_, outer)| outer == Some(merge)) {
        return None;
    }
    let turns = turns(f, before, header, (counter, next), below)?;
    Some(Counted { before, blocks, exit: leaves.to_edge(), counter, turns })
}

/// The turns of a loop, if its counter goes from zero to below a constant: the step, and how many.
fn turns(
    f: &Function,
    before: Block,
    header: Block,
    (counter, next): (Value, Value),
    below: IntCc,
) -> Option<(u32, u32)> {
    let edges = f.edges(before);
    let edge = edges.iter().find(|e| e.block == header)?;
    let constant = |v: Value| f.const_bits(v).and_then(|c| u32::try_from(c).ok());
    constant(*edge.args.first()?).filter(|&first| first == 0)?;
    let sum = f.def_op(next, Op::IAdd).filter(|d| d.args[0] == counter)?;
    let step = constant(sum.args[1]).filter(|&s| s > 0)?;
    let test = f.def_op(f.insts[f.terminator(header)].args[0], Op::ICmp)?;
    if test.attr != Attr::IntCc(below) || test.args[0] != counter || f.ty(counter) != Type::I32 {
        return None;
    }
    let n = constant(test.args[1]).filter(|&end| end > 0)?.div_ceil(step);
    // The counter does not wrap.
    (u64::from(n) * u64::from(step) < 1 << 32).then_some((step, n))
}

/// An offset as a multiple of the counter, which is `most` at most, and what does not change in the loop.
pub fn affine(f: &Function, v: Value, counter: Value, most: u32, inside: &EntitySet<Inst>) -> Option<Affine> {
    within(f, v, (counter, most), inside, DEPTH)
}

fn within(
    f: &Function,
    v: Value,
    (counter, most): (Value, u32),
    inside: &EntitySet<Inst>,
    depth: u32,
) -> Option<Affine> {
    let constant = |v: Value| f.const_bits(v).and_then(|c| u32::try_from(c).ok());
    if v == counter {
        return Some(Affine { scale: 1, base: None, constant: 0 });
    }
    if let Some(constant) = constant(v) {
        return Some(Affine { scale: 0, base: None, constant });
    }
    let Some(i) = f.def_inst(v).filter(|&i| inside.contains(i)) else {
        return Some(Affine { scale: 0, base: Some(v), constant: 0 });
    };
    let depth = depth.checked_sub(1)?;
    let d = &f.insts[i];
    let of = |v: Value| within(f, v, (counter, most), inside, depth);
    let times = |a: Affine, n: u32| {
        let fits = a.base.is_none() && u64::from(a.scale) * u64::from(n) * u64::from(most) < 1 << 32;
        Some(Affine { scale: a.scale.checked_mul(n)?, base: None, constant: a.constant.checked_mul(n)? })
            .filter(|_| fits)
    };
    match d.op {
        Op::IAdd => {
            let (a, b) = (of(d.args[0])?, of(d.args[1])?);
            if a.base.is_some() && b.base.is_some() {
                return None;
            }
            Some(Affine {
                scale: a.scale.checked_add(b.scale)?,
                base: a.base.or(b.base),
                constant: a.constant.checked_add(b.constant)?,
            })
        }
        Op::IMul => times(of(d.args[0])?, constant(d.args[1])?),
        Op::Shl => times(of(d.args[0])?, 1_u32.checked_shl(constant(d.args[1])?)?),
        // A bound that is never reached.
        Op::UMin => {
            let a = of(d.args[0]).filter(|a| a.base.is_none())?;
            let last = u64::from(a.scale) * u64::from(most) + u64::from(a.constant);
            (last <= constant(d.args[1])?.into()).then_some(a)
        }
        _ => None,
    }
}
