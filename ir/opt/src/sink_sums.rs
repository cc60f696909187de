//! A sum with what only one way gives is made on that way.
//!
//! ```text
//! b1: v2 = ..                              b1: v2 = ..
//!     jump b3(v2)                              v4 = fadd v0, v2
//! b2: jump b3(0)                 ==>           jump b3(v4)
//! b3(v3):                                  b2: jump b3(v0)
//!     v4 = fadd v0, v3                     b3(v4):
//! ```
//!
//! Lights that do not reach are such: the zero takes an instruction and a jump around it, the sum another one. Products with 1 and bit
//! operations alike. Where one edge gives something else than the neutral element, and its block leads nowhere else; the other operand is
//! known on all ways. `x + 0` is `x` but for the sign of a zero.
//!
//! Needs: any IR. Keeps: blocks and their edges. No way executes more than before.

use crate::PassCx;
use std::rc::Rc;

use gpucc_ir::analysis::{DomTree, Uses};
use gpucc_ir::{Block, CsrLists, Edge, FpFlags, Function, Inst, InstData, Op, Scalar, SecondaryMap, Value, ValueDef};

/// Facts about the function, from before the first change: blocks and edges stay, and what is moved is not looked at again.
struct Facts {
    dom: Rc<DomTree>,
    uses: Rc<Uses>,
    preds: Rc<CsrLists<Block, Block>>,
    home: SecondaryMap<Inst, Option<Block>>,
    /// The parameter that takes the place of the result of an operation.
    moved: SecondaryMap<Value, Option<Value>>,
}

/// Moves sums to the one way that brings more than a neutral element.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let preds = cx.preds(f);
    // Where a constant comes in: mostly none does.
    let constant = |b: Block| f.edges_to(b, &preds[b]).any(|(_, e)| e.args.iter().any(|&a| f.const_bits(a).is_some()));
    let plain = |&b: &Block| {
        preds[b].len() > 1 && f.blocks[b].header.is_none() && !f.blocks[b].params.is_empty() && constant(b)
    };
    let joins: Vec<Block> = f.layout.iter().copied().filter(plain).collect();
    // What is neutral gives no zero in place of a denormal.
    if joins.is_empty() || !cx.modes().is_plain() {
        return;
    }
    let moved = SecondaryMap::with_default(None);
    let mut facts = Facts { dom: cx.dom(f), uses: cx.uses(f), preds, home: f.inst_blocks(), moved };
    for b in joins {
        for k in 0..f.blocks[b].params.len() {
            sink(f, cx, &mut facts, b, k);
        }
    }
    if cx.changes() > 0 {
        f.replace_uses(&facts.moved);
    }
}

/// Moves the operation that reads a parameter of a block into the way that gives it.
fn sink(f: &mut Function, cx: &mut PassCx<'_>, facts: &mut Facts, b: Block, k: usize) -> Option<()> {
    let p = f.blocks[b].params[k];
    let [u] = facts.uses.of(p) else { return None };
    let d = f.insts[u.inst].clone();
    let result = d.results.first()?;
    if u.block != b || d.args.len() != 2 || facts.moved[result].is_some() {
        return None;
    }
    let at = d.args.iter().position(|&a| a == p)?;
    let other = d.args[1 - at];
    let param = f.blocks[b].params.iter().position(|&q| q == other);
    let home = match f.values[other].def {
        ValueDef::Param(x, _) => Some(x),
        ValueDef::Inst(i, _) => facts.home[i],
        ValueDef::Const(_) => Some(f.entry()),
        _ => None,
    }?;
    if param.is_none() && (home == b || !facts.dom.dominates(home, b)) {
        return None;
    }
    let mut from: Vec<Block> = facts.preds[b].to_vec();
    from.dedup();
    let mut edges: Vec<(Block, usize, Vec<Value>)> = Vec::new();
    for x in from {
        let all = f.edges(x);
        edges.extend(all.iter().enumerate().filter(|(_, e)| e.block == b).map(|(n, e)| (x, n, e.args.to_vec())));
    }
    // One of them gives something.
    let mut gives = (0..edges.len()).filter(|&n| !is_neutral(f, &d, at, edges[n].2[k]));
    let (Some(way), None) = (gives.next(), gives.next()) else { return None };
    drop(gives);
    if f.succs(edges[way].0).len() != 1 || !cx.change() {
        return None;
    }
    for (n, (block, edge, mut args)) in edges.into_iter().enumerate() {
        let rest = param.map_or(other, |q| args[q]);
        args[k] = if n == way { operation(f, block, &d, at, args[k], rest) } else { rest };
        let t = f.terminator(block);
        f.insts[t].set_edge(edge, &Edge::with(b, &args));
    }
    facts.moved.set(result, Some(p));
    f.blocks[b].insts.retain(|x| *x != u.inst);
    Some(())
}

/// The operation on what a way gives, at its end.
fn operation(f: &mut Function, b: Block, like: &InstData, at: usize, v: Value, other: Value) -> Value {
    let mut args = [other; 2];
    args[at] = v;
    let ty = f.ty(like.result());
    let i: Inst = f.make_inst(InstData::new(like.op, &args, like.attr.clone()).at(like.loc).fp(like.fp), &[ty]);
    let end = f.blocks[b].insts.len() - 1;
    f.blocks[b].insts.insert(end, i);
    f.insts[i].result()
}

/// Whether an operation with this as its operand of that number is the other operand.
fn is_neutral(f: &Function, d: &InstData, at: usize, v: Value) -> bool {
    let Some(bits) = f.const_bits(v) else { return false };
    let (minus, one) = match f.ty(v).scalar() {
        Scalar::F32 => (1 << 31, u64::from(1f32.to_bits())),
        _ => (0, 1),
    };
    match d.op {
        Op::FAdd => bits == minus || (bits == 0 && d.fp.has(FpFlags::NSZ)),
        Op::FSub => at == 1 && (bits == 0 || (bits == minus && d.fp.has(FpFlags::NSZ))),
        Op::FMul => bits == one,
        Op::IAdd | Op::Or | Op::Xor => bits == 0,
        Op::ISub => at == 1 && bits == 0,
        Op::IMul => bits == 1,
        Op::And => bits == f.ty(v).scalar().mask(),
        _ => false,
    }
}
