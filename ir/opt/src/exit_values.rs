//! A select by what each way into a block decides becomes a parameter of the block.
//!
//! ```text
//! block1: jump block3(true)                     block1: jump block3(v1)
//! block2: jump block3(false)               ==>  block2: jump block3(v2)
//! block3(v0): v3 = select v0, v1, v2            block3(v3):
//! ```
//!
//! Flags of an early return or a `break` go this way: each exit brings its value along instead of a flag that says which.
//!
//! Needs: nothing. Keeps: the CFG. Leaves alone: parameters that something else reads, or that some edge gives no constant
//! for; operands of the select that its own block computes; vectors of conditions.

use crate::PassCx;
use gpucc_ir::analysis::Uses;
use gpucc_ir::{Block, Function, Inst, Op, SecondaryMap, Value, ValueDef};

/// Replaces selects that the way into a block decides by parameters.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let flags: Vec<(Block, usize)> = f
        .layout
        .iter()
        .skip(1)
        .flat_map(|&b| f.blocks[b].params.iter().enumerate().map(move |(k, &v)| (b, k, v)))
        .filter(|&(_, _, v)| f.ty(v).is_bool() && !f.ty(v).is_vector())
        .map(|(b, k, _)| (b, k))
        .collect();
    if flags.is_empty() {
        return;
    }
    let uses = Uses::new(f);
    let preds = cx.preds(f);
    let home = f.inst_blocks();
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    for (b, k) in flags {
        let flag = f.blocks[b].params[k];
        let decided = f.edges_to(b, &preds[b]).all(|(_, e)| f.const_bits(e.args[k]).is_some());
        let users = uses.of(flag);
        let plain = |i: Inst| {
            let d = &f.insts[i];
            let outside = |v: Value| match f.values[v].def {
                ValueDef::Inst(j, _) => home[j] != Some(b),
                _ => true,
            };
            d.op == Op::Select && d.args[0] == flag && d.args[1..].iter().all(|&v| v != flag && outside(v))
        };
        if !decided || users.len() != 1 || users[0].block != b || !plain(users[0].inst) || !cx.change() {
            continue;
        }
        let d = f.insts[users[0].inst].clone();
        let ty = f.ty(d.result());
        let new = f.add_param(b, ty);
        map[d.result()] = Some(new);
        f.blocks[b].insts.retain(|&mut i| i != users[0].inst);
        let params = f.blocks[b].params.clone();
        let mut from = preds[b].to_vec();
        from.sort_unstable();
        from.dedup();
        for p in from {
            let t = f.terminator(p);
            let mut args = Vec::new();
            for e in f.insts[t].edges().iter().filter(|e| e.block == b) {
                let chosen = if f.const_bits(e.args[k]) == Some(0) { d.args[2] } else { d.args[1] };
                args.push(params.iter().position(|&q| q == chosen).map_or(chosen, |n| e.args[n]));
            }
            let mut args = args.into_iter();
            f.insts[t].map_edges(|e| {
                if e.block == b {
                    e.args.extend(args.next());
                }
            });
        }
    }
    f.replace_uses(&map);
}
