//! A branch on a condition that a branch above it has decided goes the way that was taken there.
//!
//! ```text
//! block0: br icmp.ne v0, 0, block1, block4      block0: br icmp.ne v0, 0, block1, block4
//! block1: br icmp.ne v0, 0, block2, block3  ==> block1: br true, block2, block3
//! ```
//!
//! Loops whose test moved to their end have such a branch in front of them, inside of an `if` that asks the same. Conditions are equal
//! if they are one value, or compare the same operands in the same way or in the opposite one.
//!
//! Needs: nothing. Keeps: the graph; `simplify-cfg` drops the way that nobody goes. Looks at a bounded number of branches with equal
//! conditions.

use crate::PassCx;
use gpucc_ir::{Attr, Block, Function, Op, Value};

/// Branches with one condition that a branch is compared with.
const MOST: usize = 8;

/// What a condition asks: how, with which promises, of what. Equal questions have equal answers.
type Question = (u8, u8, u8, Value, Value);

/// The question of a condition, and whether the condition holds where the answer is no.
fn question(f: &Function, v: Value) -> (Question, bool) {
    let plain = ((0, 0, 0, v, v), false);
    let Some(d) = f.def_inst(v).map(|i| &f.insts[i]) else { return plain };
    let [a, b] = d.args[..] else { return plain };
    let swap = a > b;
    let (kind, cc, negated) = match d.attr {
        Attr::IntCc(c) if d.op == Op::ICmp => {
            let c = if swap { c.swapped() } else { c };
            (1, c as u8, c.negated() as u8)
        }
        Attr::FloatCc(c) if d.op == Op::FCmp => {
            let c = if swap { c.swapped() } else { c };
            (2, c as u8, c.negated() as u8)
        }
        _ => return plain,
    };
    ((kind, cc.min(negated), d.fp.0, a.min(b), a.max(b)), negated < cc)
}

/// A branch with two ways on a condition that is no constant.
struct Branch {
    question: Question,
    opposite: bool,
    block: Block,
}

fn branches(f: &Function) -> Vec<Branch> {
    let mut out: Vec<Branch> = Vec::new();
    for &block in &f.layout {
        let d = &f.insts[f.terminator(block)];
        if let Attr::Branch(b) = &d.attr
            && b.other().is_some()
            && f.const_bits(d.args[0]).is_none()
        {
            let (question, opposite) = question(f, d.args[0]);
            out.push(Branch { question, opposite, block });
        }
    }
    out.sort_by_key(|b| b.question);
    out
}

/// Decides branches that others have decided.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let list = branches(f);
    if list.windows(2).all(|w| w[0].question != w[1].question) {
        return;
    }
    let (dom, preds) = (cx.dom(f), cx.preds(f));
    for equal in list.chunk_by(|a, b| a.question == b.question) {
        for b in equal {
            let above = |a: &Branch| {
                let Attr::Branch(ways) = &f.insts[f.terminator(a.block)].attr else { return None };
                let leads = |to: Block| preds[to][..] == [a.block] && dom.dominates(to, b.block);
                let (then, other) = (ways.then().block, ways.other()?.block);
                let yes = if leads(then) {
                    true
                } else if leads(other) {
                    false
                } else {
                    return None;
                };
                Some(yes != (a.opposite != b.opposite))
            };
            let known = equal.iter().take(MOST).filter(|a| a.block != b.block).find_map(above);
            if let Some(yes) = known
                && cx.change()
            {
                let v = f.bconst(yes);
                let t = f.terminator(b.block);
                f.insts[t].args[0] = v;
            }
        }
    }
}
