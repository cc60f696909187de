//! Computes two halves at once where an instruction puts them together behind it.
//!
//! ```text
//! %2 = FmaV2f16 %0.h00, u[0].h00, 0x0.neg
//! %3 = FmaxV2f16 %0.h00, %2.h00
//! %4 = FmaV2f16 %1.h00, u[0].h00, 0x0.neg           %7 = MkvecV2i16 %0.h00, %1.h00
//! %5 = FmaxV2f16 %1.h00, %4.h00               ==>   %8 = FmaV2f16 %7, u[0].h00, 0x0.neg
//! %6 = MkvecV2i16 %3.h00, %5.h00                    %6 = FmaxV2f16 %7, %8
//! ```
//!
//! `halves` pairs instructions whose operands lie in one register already. Here the results have to: two like instructions become one
//! whose operands are put together, and so on upwards, where that is fewer instructions. Each half is computed from the same operands by
//! the same instruction as before. All of them stand in one block; what puts them together may stand in a later one, as behind the exit of a
//! loop, and its result is there from the last of them on.
//!
//! Needs: each virtual register defined once; comes behind `halves`. Keeps: blocks and edges.

use gpucc_mir::{Def, MFunc, MInst, Reg, Src, Use, VReg};
use gpucc_valhall_machine::Op;
use smallvec::SmallVec;

use crate::builders as build;
use crate::halves::{is_lone, result, swizzle};
use crate::inst::{R, SrcMods, VOp, Valhall};

type I = MInst<Valhall>;
type U = Use<Valhall>;

/// So far in front of the last pair another one may stand: what it reads lives as much longer.
const NEAR: usize = 32;

/// A half that is read, and how.
#[derive(Clone, Copy, PartialEq)]
struct Lane {
    reg: VReg,
    high: bool,
}

/// The operand of a pair of instructions.
#[derive(Clone, Copy)]
enum Operand {
    /// One for both.
    Both(U),
    /// The result of another pair, with these modifiers.
    Pair(usize, SrcMods),
    /// Two halves that must be put together, with these modifiers.
    Leaf(usize, SrcMods),
}

/// Two like instructions: where they stand, and their operands.
struct Node {
    at: [usize; 2],
    operands: SmallVec<[Operand; 3]>,
}

/// Pairs above one that is put together, the lowest first.
#[derive(Default)]
struct Plan {
    nodes: Vec<Node>,
    leaves: Vec<[Lane; 2]>,
}

/// The instructions of a block, and who defines and reads what.
struct Block<'a> {
    number: u32,
    insts: &'a [Option<I>],
    /// The first instruction that may be one of a pair.
    first: usize,
    def: &'a [(u32, u32)],
    reads: &'a [u32],
}

/// The half that an operand reads in both lanes, without its modifiers.
fn lane(u: &U) -> Option<Lane> {
    let Src::Reg(Reg::V(reg)) = u.src else { return None };
    let high = match u.mods.swizzle()? {
        0 => false,
        3 => true,
        _ => return None,
    };
    (!u.mods.not && u.part_read().is_none()).then_some(Lane { reg, high })
}

impl Block<'_> {
    /// The instruction of this block that computes a half which nobody else reads.
    fn maker(&self, l: Lane) -> Option<usize> {
        let (block, at) = self.def[l.reg.0 as usize];
        let i = self.insts.get(at as usize).filter(|_| block == self.number)?.as_ref()?;
        let alone = is_lone(i) && self.reads[l.reg.0 as usize] == 1 && result(i) == Some(l.reg);
        (alone && at as usize >= self.first).then_some(at as usize)
    }

    /// Two operands as one.
    fn operand(&self, plan: &mut Plan, x: &U, y: &U) -> Option<Operand> {
        if x == y {
            return Some(Operand::Both(*x));
        }
        if (x.mods.neg, x.mods.abs) != (y.mods.neg, y.mods.abs) {
            return None;
        }
        let (low, high) = (lane(x)?, lane(y)?);
        let mods = SrcMods { neg: x.mods.neg, abs: x.mods.abs, ..SrcMods::default() };
        if low.reg == high.reg {
            return Some(Operand::Both(Use::reg(low.reg).mods(SrcMods {
                neg: mods.neg,
                abs: mods.abs,
                ..SrcMods::swizzled(swizzle(low.high, high.high))
            })));
        }
        if let Some(n) = self.pair(plan, low, high) {
            return Some(Operand::Pair(n, mods));
        }
        let both = [low, high];
        let n = plan.leaves.iter().position(|l| *l == both).unwrap_or_else(|| {
            plan.leaves.push(both);
            plan.leaves.len() - 1
        });
        Some(Operand::Leaf(n, mods))
    }

    /// The pair of instructions that computes two halves.
    fn pair(&self, plan: &mut Plan, low: Lane, high: Lane) -> Option<usize> {
        let at = [self.maker(low)?, self.maker(high)?];
        let [a, b] = at.map(|k| self.insts[k].as_ref());
        let (a, b) = (a?, b?);
        if a.op != b.op || a.mods != b.mods || a.uses.len() != b.uses.len() {
            return None;
        }
        let (nodes, leaves) = (plan.nodes.len(), plan.leaves.len());
        let operands: Option<_> = a.uses.iter().zip(&b.uses).map(|(x, y)| self.operand(plan, x, y)).collect();
        // Each pair is one instruction less, each leaf one more, and so would be the results.
        let pays = |p: &Plan| p.leaves.len() - leaves <= p.nodes.len() - nodes + 1;
        match operands.filter(|_| pays(plan)) {
            Some(operands) => plan.nodes.push(Node { at, operands }),
            None => {
                plan.nodes.truncate(nodes);
                plan.leaves.truncate(leaves);
                return None;
            }
        }
        Some(plan.nodes.len() - 1)
    }
}

/// Returns how many instructions there are less.
pub fn run(mf: &mut MFunc<Valhall>) -> u64 {
    let is_join = |i: &I| i.target_op() == Some(VOp::Op(Op::MkvecV2i16));
    if !mf.code.iter().flatten().any(is_join) {
        return 0;
    }
    let mut reads = vec![0u32; mf.classes.len()];
    let mut def = vec![(u32::MAX, u32::MAX); mf.classes.len()];
    for (b, insts) in (0u32..).zip(&mf.code) {
        for (k, i) in (0u32..).zip(insts) {
            i.vreg_uses().for_each(|v| reads[v.0 as usize] += 1);
            i.vreg_defs().for_each(|v| def[v.0 as usize] = (b, k));
        }
    }
    for v in mf.blocks.iter().flat_map(|b| b.all_succs()).flat_map(|e| &e.args).filter(|v| !v.is_none()) {
        reads[v.0 as usize] += 1;
    }
    let mut code: Vec<Vec<Option<I>>> =
        mf.code.iter_mut().map(|insts| std::mem::take(insts).into_iter().map(Some).collect()).collect();
    // Instructions that come in the place of one, for each block.
    let mut made: Vec<Vec<(usize, Vec<I>)>> = vec![Vec::new(); code.len()];
    let mut less = 0;
    for b in 0..code.len() {
        for k in 0..code[b].len() {
            let Some(join) = code[b][k].as_ref().filter(|i| is_join(i)) else { continue };
            let (Some(d), [x, y]) = (result(join), join.uses.as_slice()) else { continue };
            let plain = |u: &U| !u.mods.neg && !u.mods.abs;
            let (Some(low), Some(high), true) = (lane(x), lane(y), plain(x) && plain(y)) else { continue };
            let [p, q] = [low, high].map(|l| def[l.reg.0 as usize]);
            // A register that an edge gives is defined by no instruction.
            let Some(insts) = code.get(p.0 as usize).filter(|_| p.0 == q.0) else { continue };
            let first = (p.1.max(q.1) as usize).saturating_sub(NEAR);
            let mut plan = Plan::default();
            let block = Block { number: p.0, insts, first, def: &def, reads: &reads };
            if block.pair(&mut plan, low, high).is_none() {
                continue;
            }
            less += (plan.nodes.len() + 1 - plan.leaves.len()) as u64;
            let Some(last) = plan.nodes.iter().flat_map(|n| n.at).max() else { continue };
            made[p.0 as usize].push((last, write(mf, &plan, insts, d)));
            code[b][k] = None;
            for at in plan.nodes.iter().flat_map(|n| n.at) {
                code[p.0 as usize][at] = None;
            }
        }
    }
    for ((insts, mut made), new) in code.into_iter().zip(made).zip(&mut mf.code) {
        made.sort_by_key(|m| m.0);
        let mut made = made.into_iter().peekable();
        for (k, i) in insts.into_iter().enumerate() {
            if let Some((_, list)) = made.next_if(|m| m.0 == k) {
                new.extend(list);
            }
            new.extend(i);
        }
    }
    less
}

/// The instructions of a plan, the last of which defines `d`.
fn write(mf: &mut MFunc<Valhall>, plan: &Plan, insts: &[Option<I>], d: VReg) -> Vec<I> {
    let mut out = Vec::new();
    let loc = plan.nodes.last().and_then(|n| insts[n.at[1]].as_ref()).map(|i| i.loc);
    let leaves: Vec<VReg> = plan
        .leaves
        .iter()
        .map(|both| {
            let reg = mf.vreg(R);
            let uses = both.map(|l| Use::reg(l.reg).mods(SrcMods::swizzled(swizzle(l.high, l.high))));
            let join = build::MkvecV2i16.on(uses).def(reg);
            out.push(match loc {
                Some(loc) => join.at(loc),
                None => join,
            });
            reg
        })
        .collect();
    let mut results = Vec::with_capacity(plan.nodes.len());
    let last = plan.nodes.len().saturating_sub(1);
    for (n, node) in plan.nodes.iter().enumerate() {
        let Some(first) = insts[node.at[1]].as_ref() else { continue };
        let reg = if n == last { d } else { mf.vreg(R) };
        let mut i = first.clone();
        i.defs = [Def::reg(reg)].into_iter().collect();
        for (u, operand) in i.uses.iter_mut().zip(&node.operands) {
            let whole = |reg: VReg, m: SrcMods| {
                Use::reg(reg).mods(SrcMods { neg: m.neg, abs: m.abs, ..SrcMods::swizzled(swizzle(false, true)) })
            };
            *u = match *operand {
                Operand::Both(u) => u,
                Operand::Pair(n, mods) => whole(results[n], mods),
                Operand::Leaf(n, mods) => whole(leaves[n], mods),
            };
        }
        results.push(reg);
        out.push(i);
    }
    out
}
