//! Makes the one return of a function stand outside of all constructs.
//!
//! Returns outside of loops jump to one block at the end, which a construct around the whole body makes a legal target.
//! A return inside of a loop stores its values, sets a flag and leaves the loop; behind the loop the flag is asked.
//!
//! ```text
//! loop { .. return x .. } rest      ==>     flag = false; loop { .. value = x; flag = true; break .. }
//!                                           if flag { goto end } rest; end: return value
//! ```
//!
//! Needs: structured control flow. Establishes: `SingleReturn`. Keeps: nothing. Run `mem2reg` afterwards: flag and values
//! are function variables. Values that lived across a changed loop are kept in variables too.

use crate::PassCx;
use gpucc_ir::analysis::{ConstructId, DomTree, Structure, sort_layout};
use gpucc_ir::{
    Block, Builder, Edge, Function, Init, Inst, Local, Mem, Op, Place, SecondaryMap, Space, Span, Type, Value,
    ValueDef, VarData,
};

fn add_local(f: &mut Function, name: &str, ty: Type) -> Local {
    let (size, align) = (ty.mem_bytes(), ty.scalar().mem_bytes());
    f.locals.push(VarData {
        name: name.into(),
        space: Space::Function,
        size,
        align,
        init: Init::Zero,
        span: Span::UNKNOWN,
    })
}

fn mem(l: Local, ty: Type) -> Mem {
    Mem::new(Place::Local(l), 0, ty.scalar().mem_bytes())
}

/// Whether there is nothing to do for a function whose layout is sorted.
pub(crate) fn is_done(f: &Function) -> bool {
    at_the_end(f, &rets(f)).is_none()
}

/// The constructs, unless the returns are one at most, and that is in none of them.
fn at_the_end(f: &Function, rets: &[(Block, Inst)]) -> Option<Structure> {
    let structure = || Structure::new(f, &DomTree::new(f));
    match rets {
        [] => None,
        // The layout has the blocks of a construct in front of its merge.
        [(b, _)] if f.layout.last() == Some(b) => {
            debug_assert!(structure().of(*b).is_none(), "the last block is in a construct");
            None
        }
        [(b, _)] => Some(structure()).filter(|s| s.of(*b).is_some()),
        _ => Some(structure()),
    }
}

fn rets(f: &Function) -> Vec<(Block, Inst)> {
    let last = f.layout.iter().map(|&b| (b, f.terminator(b)));
    last.filter(|&(_, i)| f.insts[i].op == Op::Ret).collect()
}

/// Runs the pass on a function whose layout is sorted; it need not be afterwards, if that changed something.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let rets = rets(f);
    let Some(s) = at_the_end(f, &rets) else { return };
    cx.must_change(1);
    // The loops that a return leaves.
    let mut left: Vec<ConstructId> = Vec::new();
    for &(b, _) in &rets {
        left.extend(s.enclosing(s.of(b)).filter(|&k| s.is_loop(k)));
    }
    left.sort_unstable();
    left.dedup();
    if !left.is_empty() {
        demote_crossing(f, &s, &left);
    }
    let types = f.ret.clone();
    let flag = add_local(f, "returned", Type::B1);
    let values: Vec<Local> = types.iter().map(|&t| add_local(f, "result", t)).collect();

    // The end, and the construct around everything. The entry keeps its parameters only.
    let end = f.add_block();
    let params: Vec<Value> = types.iter().map(|&t| f.add_param(end, t)).collect();
    Builder::new(f, end).ret(&params);
    let entry = f.entry();
    let body = f.make_block();
    f.blocks[body].insts = std::mem::take(&mut f.blocks[entry].insts);
    f.blocks[body].header = f.blocks[entry].header.take();
    f.layout.insert(1, body);
    let same = |b: Block| if b == entry { body } else { b };
    let mut b = Builder::new(f, entry);
    if !left.is_empty() {
        let no = b.func.bconst(false);
        b.store(no, mem(flag, Type::B1), None);
    }
    b.jump_merge(body, &[], end);

    // Each left loop gets a new merge block that asks the flag, from the outside in: an inner one leads to the outer one.
    let mut new_merge: SecondaryMap<ConstructId, Option<Block>> = SecondaryMap::with_default(None);
    for &l in &left {
        let old = s.constructs[l].merge;
        let header = same(s.constructs[l].header);
        let check = f.add_block();
        let types: Vec<Type> = f.blocks[old].params.iter().map(|&p| f.ty(p)).collect();
        let params: Vec<Value> = types.iter().map(|&t| f.add_param(check, t)).collect();
        for from in f.layout.clone() {
            let inside = s.contains(l, if from == body { entry } else { from });
            if from == entry || from == end || !inside {
                continue;
            }
            let t = f.terminator(from);
            f.insts[t].map_targets(|b| if b == old { check } else { b });
        }
        if let Some(h) = &mut f.blocks[header].header {
            h.merge = check;
        }
        new_merge[l] = Some(check);
        let outer = s.enclosing(s.constructs[l].parent).find(|&k| s.is_loop(k));
        let mut b = Builder::new(f, check);
        let c = b.load(Type::B1, mem(flag, Type::B1), None);
        let leave = match outer {
            Some(o) => {
                let m = new_merge[o].expect("outer loops come first");
                let undef: Vec<Value> =
                    b.func.blocks[m].params.clone().iter().map(|&p| b.func.undef(b.func.ty(p))).collect();
                Edge::with(m, &undef)
            }
            None => {
                let v: Vec<Value> =
                    values.iter().zip(&f_ret(b.func)).map(|(&l, &t)| b.load(t, mem(l, t), None)).collect();
                Edge::with(end, &v)
            }
        };
        b.br(c, leave, Edge::with(old, &params), None);
    }

    for (block, i) in rets {
        let at = same(block);
        let args = f.insts[i].args.clone();
        f.blocks[at].insts.pop();
        let inner = s.enclosing(s.of(block)).find(|&k| s.is_loop(k));
        let mut b = Builder::like(f, at, i);
        match inner {
            None => {
                b.jump(end, &args);
            }
            Some(l) => {
                for ((&v, &local), &t) in args.iter().zip(&values).zip(&types) {
                    b.store(v, mem(local, t), None);
                }
                let yes = b.func.bconst(true);
                b.store(yes, mem(flag, Type::B1), None);
                let m = new_merge[l].expect("every left loop has one");
                let undef: Vec<Value> =
                    b.func.blocks[m].params.clone().iter().map(|&p| b.func.undef(b.func.ty(p))).collect();
                b.jump(m, &undef);
            }
        }
    }
    sort_layout(f);
}

fn f_ret(f: &Function) -> Vec<Type> {
    f.ret.to_vec()
}

/// Values that are defined in one of the loops and used outside of it no longer dominate their uses once the loop has
/// another way out: they go through variables.
fn demote_crossing(f: &mut Function, s: &Structure, loops: &[ConstructId]) {
    let place = f.inst_blocks();
    let def_block = |f: &Function, v: Value| match f.values[v].def {
        ValueDef::Inst(i, _) => place[i],
        ValueDef::Param(b, _) => Some(b),
        ValueDef::Const(_) | ValueDef::Undef => None,
    };
    let mut locals: SecondaryMap<Value, Option<Local>> = SecondaryMap::with_default(None);
    let mut crossing: Vec<Value> = Vec::new();
    for b in f.layout.clone() {
        for i in f.blocks[b].insts.clone() {
            let mut used = Vec::new();
            f.insts[i].for_each_use(|v| used.push(v));
            for v in used {
                let Some(d) = def_block(f, v) else { continue };
                if locals[v].is_none() && loops.iter().any(|&l| s.contains(l, d) && !s.contains(l, b)) {
                    let ty = f.ty(v);
                    locals[v] = Some(add_local(f, "crossing", ty));
                    crossing.push(v);
                }
            }
        }
    }
    if crossing.is_empty() {
        return;
    }
    for b in f.layout.clone() {
        let mut out = smallvec::SmallVec::new();
        let old = std::mem::take(&mut f.blocks[b].insts);
        for &v in &f.blocks[b].params.clone() {
            if let Some(l) = locals[v] {
                let ty = f.ty(v);
                Builder::new(f, b).store(v, mem(l, ty), None);
            }
        }
        out.append(&mut f.blocks[b].insts);
        for i in old {
            let mut used = Vec::new();
            f.insts[i].for_each_use(|v| used.push(v));
            let mut swap: Vec<(Value, Value)> = Vec::new();
            for v in used {
                let Some(l) = locals[v] else { continue };
                let d = def_block(f, v).expect("a crossing value has a block");
                if loops.iter().any(|&k| s.contains(k, d) && !s.contains(k, b)) && !swap.iter().any(|w| w.0 == v) {
                    let ty = f.ty(v);
                    let n = Builder::new(f, b).load(ty, mem(l, ty), None);
                    swap.push((v, n));
                }
            }
            out.append(&mut f.blocks[b].insts);
            f.insts[i].map_uses(|v| swap.iter().find(|w| w.0 == v).map_or(v, |w| w.1));
            let results = f.insts[i].results;
            out.push(i);
            for v in results {
                if let Some(l) = locals[v] {
                    let ty = f.ty(v);
                    Builder::new(f, b).store(v, mem(l, ty), None);
                }
            }
            out.append(&mut f.blocks[b].insts);
        }
        f.blocks[b].insts = out;
    }
}
