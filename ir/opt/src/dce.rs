//! Removes what nobody needs: instructions without effect and used result, block parameters nobody reads together with
//! their arguments, stores to function variables that are never read.
//!
//! Needs: nothing. Keeps: block structure, dominators. Never removes volatile accesses, or loops that may not end.

use crate::PassCx;
use gpucc_ir::{Attr, Block, EntitySet, Function, Inst, Local, MemFlags, Op, Place, SecondaryMap, Value, ValueDef};

/// Removes instructions, parameters and stores that nobody needs.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    loop {
        dead_stores(f, cx);
        let (live, dead) = needed(f);
        // Whether a variable was read that may not be any more.
        let mut unread = false;
        // Whether fuel ended before all had gone.
        let mut held = false;
        for b in dead {
            let mut list = std::mem::take(&mut f.blocks[b].insts);
            list.retain(|&mut i| {
                let needed = f.insts[i].results.iter().any(|r| live.contains(r)) || f.has_effect(i);
                let gone = !needed && cx.change();
                held |= !needed && !gone;
                unread |= gone && matches!(f.insts[i].place(), Some(Place::Local(_)));
                !gone
            });
            f.blocks[b].insts = list;
        }
        drop_params(f, cx, |v| !live.contains(v));
        held |= f.layout.iter().any(|&b| b != f.entry() && f.blocks[b].params.iter().any(|&p| !live.contains(p)));
        if held {
            forget_lost(f);
        }
        if !unread {
            return;
        }
    }
}

/// What is not needed and stays may use what has gone: any value does.
fn forget_lost(f: &mut Function) {
    let mut defined = EntitySet::with_room(f.values.len());
    for &b in &f.layout {
        defined.extend_from(&f.blocks[b].params);
        f.blocks[b].insts.iter().for_each(|&i| defined.extend(f.insts[i].results));
    }
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    for v in f.values.keys().collect::<Vec<_>>() {
        if matches!(f.values[v].def, ValueDef::Inst(..) | ValueDef::Param(..)) && !defined.contains(v) {
            map[v] = Some(f.undef(f.values[v].ty));
        }
    }
    f.replace_uses(&map);
}

/// The values known to be needed, and those still to be followed.
struct Needed {
    live: EntitySet<Value>,
    /// Values whose definitions lie behind the walk.
    passed: EntitySet<Value>,
    work: Vec<Value>,
}

impl Needed {
    fn add(&mut self, v: Value) {
        if self.live.insert(v) && self.passed.contains(v) {
            self.work.push(v);
        }
    }
}

/// The values that something with an effect needs. One walk from the end finds nearly all, in the order of the memory; what
/// back edges bring in, and what is used before it in the layout, is followed afterwards. Gives the blocks with instructions that nothing
/// needs, too, in layout order.
fn needed(f: &Function) -> (EntitySet<Value>, Vec<Block>) {
    let room = f.values.len();
    let mut n = Needed { live: EntitySet::with_room(room), passed: EntitySet::with_room(room), work: Vec::new() };
    // Parameters that come earlier in the layout, and what is passed to them.
    let mut back: Vec<(Value, Value)> = Vec::new();
    // What nothing behind it needs.
    let mut idle: Vec<(Block, Inst)> = Vec::new();
    for &b in f.layout.iter().rev() {
        f.insts[f.terminator(b)].for_each_edge(|e| {
            for (&p, &v) in f.blocks[e.block].params.iter().zip(e.args) {
                if n.live.contains(p) {
                    n.add(v);
                } else if !n.passed.contains(p) {
                    back.push((p, v));
                }
            }
        });
        for &i in f.blocks[b].insts.iter().rev() {
            let d = &f.insts[i];
            if d.results.iter().any(|r| n.live.contains(r)) || f.has_effect(i) {
                d.args.iter().for_each(|&v| n.add(v));
            } else {
                idle.push((b, i));
            }
            n.passed.extend(d.results);
        }
        n.passed.extend_from(&f.blocks[b].params);
    }
    for (p, v) in back {
        if n.live.contains(p) {
            n.add(v);
        }
    }
    let mut preds = None;
    while let Some(v) = n.work.pop() {
        match f.values[v].def {
            ValueDef::Inst(i, _) => f.insts[i].args.iter().for_each(|&a| n.add(a)),
            ValueDef::Param(b, k) => {
                let mut last = None;
                for &p in &preds.get_or_insert_with(|| f.preds())[b] {
                    // One entry per edge; all edges of a source are looked at together.
                    if last.replace(p) == Some(p) {
                        continue;
                    }
                    f.insts[f.terminator(p)].for_each_edge(|e| {
                        if e.block == b {
                            n.add(e.args[k as usize]);
                        }
                    });
                }
            }
            ValueDef::Const(_) | ValueDef::Undef => {}
        }
    }
    // Last first, as the walk came to them.
    let mut dead: Vec<Block> = Vec::new();
    for (b, i) in idle.into_iter().rev() {
        if dead.last() != Some(&b) && !f.insts[i].results.iter().any(|r| n.live.contains(r)) {
            dead.push(b);
        }
    }
    (n.live, dead)
}

/// Removes the parameters for which `dead` is true (not the entry's) with the arguments of all edges.
pub(crate) fn drop_params(f: &mut Function, cx: &mut PassCx<'_>, dead: impl Fn(Value) -> bool) {
    let entry = f.entry();
    let mut drop: SecondaryMap<gpucc_ir::Block, Vec<bool>> = SecondaryMap::new();
    let mut any = false;
    for &b in &f.layout {
        if b == entry {
            continue;
        }
        if !f.blocks[b].params.iter().any(|&p| dead(p)) {
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
        if f.succs(b).iter().any(|&s| !drop[s].is_empty()) {
            f.insts[t].map_edges(|e| {
                let flags = &drop[e.block];
                if !flags.is_empty() {
                    let mut n = 0;
                    e.args.retain(|_| {
                        n += 1;
                        !flags[n - 1]
                    });
                }
            });
        }
        if !drop[b].is_empty() {
            let flags = drop[b].clone();
            f.retain_params(b, |n, _| !flags[n]);
        }
    }
}

/// Removes stores to function variables that nothing reads.
fn dead_stores(f: &mut Function, cx: &mut PassCx<'_>) {
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
        list.retain(|&mut i| {
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
pub fn drop_locals(f: &mut Function, cx: &mut PassCx<'_>) {
    if f.locals.is_empty() {
        return;
    }
    let mut used: EntitySet<Local> = EntitySet::new();
    let all: Vec<Inst> = f.insts_in_order().map(|x| x.1).collect();
    for &i in &all {
        if let Some(Place::Local(l)) = f.insts[i].place() {
            used.insert(l);
        }
    }
    if used.count() == f.locals.len() {
        return;
    }
    cx.must_change((f.locals.len() - used.count()) as u64);
    let mut to: SecondaryMap<Local, Option<Local>> = SecondaryMap::with_default(None);
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
