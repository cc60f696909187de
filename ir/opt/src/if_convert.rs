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

use crate::Cx;
use crate::gvn::is_value;
use gpucc_ir::analysis::sort_layout;
use gpucc_ir::{
    Attr, Block, Builder, Edge, EdgeRef, EntitySet, Function, Inst, MemFlags, Op, OpAttrs, Res, Space, Value,
};

/// How much more a switch may cost than a diamond.
const CHOICES: u32 = 4;

/// Runs the pass; inner diamonds first, so that outer ones may follow.
pub fn run(f: &mut Function, cx: &mut Cx<'_>) {
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
fn choose(f: &mut Function, cx: &mut Cx<'_>, b: Block, t: Inst) {
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

/// What executing an instruction in vain costs; more than any limit if it must not be.
fn weight(f: &Function, i: Inst, fixed: &EntitySet<Res>, cx: &Cx<'_>) -> u32 {
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
        Op::FRem | Op::FDiv => 4,
        Op::Extract | Op::Compose | Op::Splat | Op::Shuffle | Op::Bitcast => 0,
        _ if op.has(OpAttrs::inexact) => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::testing::{opt, unchanged};

    #[test]
    fn a_diamond_becomes_a_select() {
        let t = opt(
            run,
            "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.ult v0, 5:i32\n\
             br v1, block1, block2 merge block3\nblock1:\n  v2: i32 = iadd v0, 1:i32\n  jump block3(v2, 0:i32)\n\
             block2:\n  v3: i32 = isub v0, 1:i32\n  jump block3(v3, 0:i32)\nblock3(v4: i32, v5: i32):\n  v6: i32 = iadd v4, v5\n\
             store v6, res1[0] align 4\n  ret\n}",
        );
        assert!(t.contains("v4: i32 = select v1, v2, v3\n  jump block1(v4, 0:i32) merge block1"), "{t}");
    }

    #[test]
    fn exits_with_different_values_leave_together() {
        let t = opt(
            run,
            "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.ult v0, 5:i32\n  jump block1 merge block4\n\
             block1:\n  v2: b1 = icmp.ult v0, 9:i32\n  br v2, block2, block3 merge block3\nblock2:\n\
             br v1, block4(1:i32), block4(2:i32)\nblock3:\n  jump block4(3:i32)\nblock4(v9: i32):\n  store v9, res1[0] align 4\n  ret\n}",
        );
        assert!(t.contains("select v1, 1:i32, 2:i32"), "{t}");
    }

    const SWITCH: &str = "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n\
        switch v0, 1: block1(7:i32, v0), 5: block1(7:i32, v0), 6: block1(9:i32, v0), 8: block1(3:i32, v0), default: block1(3:i32, v0) merge block1\n\
        block1(v1: i32, v2: i32):\n  v3: i32 = iadd v1, v2\n  store v3, res1[0] align 4\n  ret\n}";

    #[test]
    fn a_switch_that_chooses_a_value_becomes_selects() {
        let t = opt(run, SWITCH);
        assert!(!t.contains("switch") && !t.contains("8:i32"), "{t}");
        assert_eq!((t.matches("icmp.eq").count(), t.matches("select").count()), (3, 2), "{t}");
    }

    #[test]
    fn a_switch_with_work_in_it_stays() {
        unchanged(
            run,
            "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n\
             switch v0, 1: block1, 5: block2(4:i32), default: block2(3:i32) merge block2\n\
             block1:\n  store v0, res1[4] align 4\n  jump block2(1:i32)\n\
             block2(v1: i32):\n  store v1, res1[0] align 4\n  ret\n}",
        );
    }

    #[test]
    fn memory_and_large_arms_stay() {
        unchanged(
            run,
            "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.ult v0, 5:i32\n\
             br v1, block1, block2(0:i32) merge block2\nblock1:\n  v2: i32 = load res0[0 + v0] align 4\n  jump block2(v2)\n\
             block2(v3: i32):\n  br v1, block3, block4(0:i32) merge block4\nblock3:\n  v4: i32 = udiv v3, v0\n  jump block4(v4)\n\
             block4(v5: i32):\n  store v5, res1[0] align 4\n  ret\n}",
        );
    }
}
