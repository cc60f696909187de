//! Turns small diamonds, and switches that only choose values, into selects.
//!
//! ```text
//! br c, block1, block2 merge block3      v5 = ..     (both arms)
//! block1: v5 = ..; jump block3(v5)  ==>  v6 = select c, v5, v0
//! block2: jump block3(v0)                jump block3(v6)
//! ```
//!
//! A switch whose edges all lead to one place compares once for each case and selects once for each value that differs,
//! where that is no more than `CHOICES` times `Caps::if_convert`: a switch costs a comparison and a branch for each case
//! anyway.
//!
//! Needs: structured control flow. Keeps: dominators of surviving blocks. Moves only what may be speculated, nothing
//! convergent, of memory only loads that are known to lie in bounds of what nobody writes, and no more than
//! `Caps::if_convert` (loads, divisions and special functions count as several).

use crate::PassCx;
use crate::readonly::is_value;
use gpucc_ir::analysis::sort_layout;
use gpucc_ir::{
    Attr, Block, Builder, Edge, EdgeRef, EntitySet, Function, Inst, MemFlags, Op, OpAttrs, Res, Space, Value,
};

/// How much more a switch may cost than a diamond.
const CHOICES: u32 = 4;

/// Runs the pass; inner diamonds first, so that outer ones may follow.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let preds = cx.preds(f);
    let fixed = cx.readonly(f);
    let before = cx.changes();
    for b in f.layout.clone().into_iter().rev() {
        let t = f.terminator(b);
        if f.insts[t].op == Op::Switch {
            choose(f, cx, b, t);
            continue;
        }
        let d = &f.insts[t];
        let Some([then, other]) = d.as_br() else { continue };
        let (merge, cond) = (d.merge(), d.args[0]);
        // An arm is the join itself or a block of its own that does nothing but lead there.
        let arm = |e: EdgeRef<'_>| -> Option<(Option<Block>, Edge)> {
            let x = e.block;
            let plain = preds[x].len() == 1 && f.blocks[x].header.is_none() && f.blocks[x].params.is_empty();
            if !plain {
                return Some((None, e.to_edge()));
            }
            match f.insts[f.terminator(x)].as_jump() {
                Some((edge, None)) => Some((Some(x), edge.to_edge())),
                _ => None,
            }
        };
        let (Some((arm1, e1)), Some((arm2, e2))) = (arm(then), arm(other)) else { continue };
        let join = e1.block;
        if join != e2.block || join == b || (arm1.is_none() && arm2.is_none() && e1 == e2) {
            continue;
        }
        // Without a merge the arms are exits: both may still leave to one place with different values.
        if f.blocks[join].header.is_some() && merge != Some(join) {
            continue;
        }
        let mut cost = 0;
        let mut body: Vec<Inst> = Vec::new();
        for x in [arm1, arm2].into_iter().flatten() {
            let insts = &f.blocks[x].insts;
            for &i in &insts[..insts.len() - 1] {
                cost += weight(f, i, &fixed, cx);
                body.push(i);
            }
        }
        cost += e1.args.iter().zip(&e2.args).filter(|(a, b)| a != b).count() as u32;
        if cost > cx.caps.if_convert || !cx.change() {
            continue;
        }
        f.blocks[b].insts.pop();
        f.blocks[b].insts.extend(body);
        for x in [arm1, arm2].into_iter().flatten() {
            let last = f.blocks[x].insts.pop().expect("an arm has a terminator");
            f.blocks[x].insts.clear();
            f.blocks[x].insts.push(last);
        }
        let mut bld = Builder::like(f, b, t);
        let args: Vec<Value> =
            e1.args.iter().zip(&e2.args).map(|(&x, &y)| if x == y { x } else { bld.select(cond, x, y) }).collect();
        match merge {
            Some(m) => bld.jump_merge(join, &args, m),
            None => bld.jump(join, &args),
        };
        // The arms have no way in any more: give them a harmless end until the layout drops them.
        for x in [arm1, arm2].into_iter().flatten() {
            f.blocks[x].insts.clear();
            Builder::new(f, x).unreachable();
        }
    }
    if cx.changes() != before {
        sort_layout(f);
    }
}

/// A switch whose edges all lead to one block becomes selects.
fn choose(f: &mut Function, cx: &mut PassCx<'_>, b: Block, t: Inst) {
    let Attr::Switch(s) = f.insts[t].attr.clone() else { return };
    let (join, value) = (s.default.block, f.insts[t].args[0]);
    let merge = f.insts[t].merge();
    if s.cases.iter().any(|c| c.1.block != join) || (f.blocks[join].header.is_some() && merge != Some(join)) {
        return;
    }
    // Cases with equal arguments share a condition; those of the default need none.
    let mut groups: Vec<(Edge, Vec<u64>)> = Vec::new();
    for (k, e) in s.cases.iter().filter(|c| c.1 != s.default) {
        match groups.iter_mut().find(|g| g.0 == *e) {
            Some(g) => g.1.push(*k),
            None => groups.push((e.clone(), vec![*k])),
        }
        if groups.len() > 64 {
            return;
        }
    }
    let differ = |e: &Edge| e.args.iter().zip(&s.default.args).filter(|(a, b)| a != b).count();
    let compares: usize = groups.iter().map(|g| 2 * g.1.len() - 1).sum();
    let selects: usize = groups.iter().map(|g| differ(&g.0)).sum();
    if (compares + selects) as u32 > CHOICES * cx.caps.if_convert || !cx.change() {
        return;
    }
    f.blocks[b].insts.pop();
    let mut bld = Builder::like(f, b, t);
    let ty = bld.func.ty(value);
    let mut args = s.default.args.clone();
    for (e, cases) in groups {
        let mut hit: Option<Value> = None;
        for k in cases {
            let k = bld.func.iconst(ty, k as i64);
            let c = bld.icmp(gpucc_ir::IntCc::Eq, value, k);
            hit = Some(hit.map_or(c, |h| bld.or(h, c)));
        }
        let Some(hit) = hit else { continue };
        for (n, &v) in e.args.iter().enumerate() {
            if v != s.default.args[n] {
                args[n] = bld.select(hit, v, args[n]);
            }
        }
    }
    match merge {
        Some(m) => bld.jump_merge(join, &args, m),
        None => bld.jump(join, &args),
    };
}

/// The cost of executing an instruction in vain; more than any limit if it must not be.
fn weight(f: &Function, i: Inst, fixed: &EntitySet<Res>, cx: &PassCx<'_>) -> u32 {
    let op = f.insts[i].op;
    match op {
        Op::Load if is_value(f, i, fixed) => match f.insts[i].mem() {
            Some(m) if m.flags.has(MemFlags::IN_BOUNDS) => match cx.module.space(m.place) {
                Space::Uniform => 1,
                _ => 4,
            },
            _ => 1 << 16,
        },
        _ if !op.has(OpAttrs::speculatable) => 1 << 16,
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem => 16,
        // A fetch in vain costs bandwidth, too.
        Op::Tex => 16,
        Op::TexQuery => 4,
        Op::FRem | Op::FDiv => 4,
        Op::Extract | Op::Compose | Op::Splat | Op::Shuffle | Op::Bitcast => 0,
        _ if op.has(OpAttrs::inexact) => 4,
        _ => 1,
    }
}
