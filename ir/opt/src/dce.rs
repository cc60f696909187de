//! Removes what nobody needs: instructions without effect and used result, block parameters nobody reads together with
//! their arguments, stores to function variables that are never read.
//!
//! Needs: nothing. Keeps: block structure, dominators. Never removes volatile accesses, or loops that may not end.

use crate::Cx;
use gpucc_ir::{Attr, EntitySet, Function, Inst, Local, MemFlags, Op, Place, SideMap, Value, ValueDef};

/// Runs the pass.
pub fn run(f: &mut Function, cx: &mut Cx<'_>) {
    dead_stores(f, cx);
    let mut live: EntitySet<Value> = EntitySet::with_room(f.values.len());
    let mut work: Vec<Value> = Vec::new();
    // For each block: the incoming arguments per parameter, followed only once the parameter is known to be needed.
    let preds = f.preds();
    for (_, i) in f.insts_in_order() {
        if f.has_effect(i) {
            work.extend(f.insts[i].args.iter());
        }
    }
    // In the order of the code, which is that of the memory.
    work.reverse();
    while let Some(v) = work.pop() {
        if !live.insert(v) {
            continue;
        }
        match f.values[v].def {
            ValueDef::Inst(i, _) => work.extend(f.insts[i].args.iter()),
            ValueDef::Param(b, n) => {
                let mut last = None;
                for &p in &preds[b] {
                    // One entry per edge; all edges of a source are looked at together.
                    if last == Some(p) {
                        continue;
                    }
                    last = Some(p);
                    for e in f.edges(p) {
                        if e.block == b {
                            work.push(e.args[n as usize]);
                        }
                    }
                }
            }
            ValueDef::Const(_) | ValueDef::Undef => {}
        }
    }
    for b in f.layout.clone() {
        let mut list = std::mem::take(&mut f.blocks[b].insts);
        list.retain(|&i| {
            let needed = f.has_effect(i) || f.insts[i].results.iter().any(|&r| live.contains(r));
            needed || !cx.change()
        });
        f.blocks[b].insts = list;
    }
    drop_params(f, cx, |v| !live.contains(v));
}

/// Removes the parameters for which `dead` is true (not the entry's) with the arguments of all edges.
pub(crate) fn drop_params(f: &mut Function, cx: &mut Cx<'_>, dead: impl Fn(Value) -> bool) {
    let entry = f.entry();
    let mut drop: SideMap<gpucc_ir::Block, Vec<bool>> = SideMap::new();
    let mut any = false;
    for &b in &f.layout {
        if b == entry {
            continue;
        }
        let flags: Vec<bool> = f.blocks[b].params.iter().map(|&p| dead(p) && cx.change()).collect();
        if flags.iter().any(|&d| d) {
            any = true;
            drop[b] = flags;
        }
    }
    if !any {
        return;
    }
    for b in f.layout.clone() {
        let t = f.terminator(b);
        for e in f.insts[t].edges_mut() {
            let flags = &drop[e.block];
            if !flags.is_empty() {
                let mut n = 0;
                e.args.retain(|_| {
                    n += 1;
                    !flags[n - 1]
                });
            }
        }
        if !drop[b].is_empty() {
            let flags = drop[b].clone();
            f.retain_params(b, |n, _| !flags[n]);
        }
    }
}

/// Removes stores to function variables that nothing reads.
fn dead_stores(f: &mut Function, cx: &mut Cx<'_>) {
    if f.locals.is_empty() {
        return;
    }
    let mut read: EntitySet<Local> = EntitySet::new();
    let local = |p: Place| match p {
        Place::Local(l) => Some(l),
        _ => None,
    };
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        if let Some(m) = d.mem()
            && let Some(l) = local(m.place)
            && (d.op != Op::Store || m.flags.has(MemFlags::VOLATILE))
        {
            read.insert(l);
        }
    }
    for b in f.layout.clone() {
        let mut list = std::mem::take(&mut f.blocks[b].insts);
        list.retain(|&i| {
            let l = match &f.insts[i].attr {
                Attr::Mem(m) => local(m.place),
                Attr::Place(p) => local(*p),
                _ => None,
            };
            !l.is_some_and(|l| !read.contains(l) && cx.change())
        });
        f.blocks[b].insts = list;
    }
}

/// Removes function variables that nothing touches, and numbers the others anew.
pub fn drop_locals(f: &mut Function, cx: &mut Cx<'_>) {
    let mut used: EntitySet<Local> = EntitySet::new();
    let place = |f: &Function, i: Inst| match &f.insts[i].attr {
        Attr::Mem(m) | Attr::Atomic(_, m) => Some(m.place),
        Attr::Place(p) => Some(*p),
        _ => None,
    };
    let all: Vec<Inst> = f.insts_in_order().map(|x| x.1).collect();
    for &i in &all {
        if let Some(Place::Local(l)) = place(f, i) {
            used.insert(l);
        }
    }
    if used.count() == f.locals.len() {
        return;
    }
    cx.must_change((f.locals.len() - used.count()) as u64);
    let mut to: SideMap<Local, Option<Local>> = SideMap::with_default(None);
    let mut locals = gpucc_ir::Arena::new();
    for l in used.iter() {
        to[l] = Some(locals.push(f.locals[l].clone()));
    }
    f.locals = locals;
    for i in all {
        match &mut f.insts[i].attr {
            Attr::Mem(m) | Attr::Atomic(_, m) => {
                if let Place::Local(l) = &mut m.place {
                    *l = to[*l].expect("a variable in use");
                }
            }
            Attr::Place(Place::Local(l)) => *l = to[*l].expect("a variable in use"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::testing::{opt, unchanged};

    #[test]
    fn removes_dead_values_parameters_and_cycles() {
        let t = opt(
            run,
            "func0 \"f\" {\n  local0 \"x\" size 4 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32 = iadd v0, 1:i32\n\
             store v1, local0[0] align 4\n  jump block1(0:i32, v1)\nblock1(v2: i32, v3: i32) loop merge block3 continue block2:\n\
             v4: b1 = icmp.ult v2, v0\n  br v4, block2, block3\nblock2:\n  v5: i32 = iadd v2, 1:i32\n  v6: i32 = iadd v3, v3\n\
             jump block1(v5, v6)\nblock3:\n  ret\n}",
        );
        assert_eq!(
            t,
            "func0 \"f\" {\n  local0 \"x\" size 4 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
             block1(v1: i32) loop merge block3 continue block2:\n  v2: b1 = icmp.ult v1, v0\n  br v2, block2, block3\n\
             block2:\n  v3: i32 = iadd v1, 1:i32\n  jump block1(v3)\nblock3:\n  ret\n}\n"
        );
    }

    #[test]
    fn unused_variables_go() {
        let t = opt(
            super::drop_locals,
            "func0 \"f\" {\n  local0 \"x\" size 4 align 4\n  local1 \"y\" size 8 align 4\nblock0:\n  store 1:i32, local1[4] align 4\n  ret\n}",
        );
        assert_eq!(
            t,
            "func0 \"f\" {\n  local0 \"y\" size 8 align 4\nblock0:\n  store 1:i32, local0[4] align 4\n  ret\n}\n"
        );
    }

    #[test]
    fn keeps_effects() {
        unchanged(
            run,
            "func0 \"f\" {\n  local0 \"x\" size 4 align 4\nblock0:\n  v0: i32 = load res1[0] align 4 {volatile}\n\
             v1: i32 = atomic.add 1:i32, res1[0] align 4\n  store 1:i32, local0[0] align 4\n  v2: i32 = load local0[0] align 4\n\
             store v2, res1[0] align 4\n  barrier workgroup workgroup\n  ret\n}",
        );
    }
}
