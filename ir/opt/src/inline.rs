//! Puts every callee into its caller, so that an entry point is one function.
//!
//! Always done: the IR has no calling convention below this point. There is no recursion, since a function calls only
//! earlier ones. Convergent operations keep their conditions, since the callee's whole graph stands where the call stood
//! and has one way out (`returns` runs on each callee first). Private module variables become function variables.
//!
//! Needs: calls lead to earlier functions. Establishes: `NoCalls`, `SingleReturn`. Keeps: nothing.
//! Refuses programs that grow beyond [`LIMIT`] instructions.

use crate::{Caps, PassCx, returns};
use gpucc_ir::analysis::{is_sorted, sort_layout};
use gpucc_ir::{
    Attr, Block, Builder, Diagnostic, Edge, Entity, Func, Function, Global, Inst, InstData, Local, Module, Op, Place,
    Refusal, SecondaryMap, Space, Value,
};
use smallvec::SmallVec;
use std::borrow::Cow;

/// The most instructions that a flattened entry point may have.
pub const LIMIT: u64 = 1_000_000;

/// The entry point `func` without calls, its layout sorted.
///
/// # Errors
/// `Unsupported` if the result would be larger than [`LIMIT`].
pub fn flatten(m: &Module, func: Func) -> Result<Function, Diagnostic> {
    // Only what the entry reaches: how many instructions each function has, and whom it calls.
    let mut reached: SecondaryMap<Func, Option<(u64, Vec<Func>)>> = SecondaryMap::with_default(None);
    let mut work = vec![func];
    while let Some(k) = work.pop() {
        if reached[k].is_some() {
            continue;
        }
        let f = &m.funcs[k];
        let mut callees = Vec::new();
        let mut own = 0;
        for (_, i) in f.insts_in_order() {
            match f.insts[i].attr {
                Attr::Call(c) => callees.push(c),
                _ => own += 1,
            }
        }
        work.extend_from_slice(&callees);
        reached[k] = Some((own, callees));
    }
    // How large it gets is known before anything is copied.
    let mut size: SecondaryMap<Func, u64> = SecondaryMap::new();
    let mut calls: SecondaryMap<Func, bool> = SecondaryMap::new();
    // Calls that are still to be replaced.
    let mut left: SecondaryMap<Func, usize> = SecondaryMap::new();
    for k in m.funcs.keys() {
        let Some((own, callees)) = &reached[k] else { continue };
        calls[k] = !callees.is_empty();
        callees.iter().for_each(|&c| left[c] += 1);
        size[k] = callees.iter().fold(*own, |n, &c| n.saturating_add(size[c]));
        if size[k] > LIMIT {
            return Err(Diagnostic::unsupported(
                Refusal::ProgramSize,
                format!("the program has more than {LIMIT} instructions once its functions are put into each other"),
            )
            .note("every call is replaced by the function's body, since shaders have no call stack on these targets"));
        }
    }
    let mut flat: SecondaryMap<Func, Option<Callee<'_>>> = SecondaryMap::with_default(None);
    for k in m.funcs.keys() {
        if reached[k].is_none() {
            continue;
        }
        // Most callees are copied as they are, with their calls, which are replaced in the copy: functions that call each other in a row
        // are copied once each.
        let f = &m.funcs[k];
        if k != func && is_sorted(f) && returns::is_done(f) {
            debug_assert!(!sort_layout(&mut f.clone()), "the layout is sorted");
            flat[k] = Some(Callee { body: Cow::Borrowed(f), calls: calls[k] });
            continue;
        }
        let mut f = f.clone();
        f.insts.reserve((size[k] as usize).saturating_sub(f.insts.len()));
        f.values.reserve((size[k] as usize).saturating_sub(f.insts.len()));
        inline_calls(&mut f, &flat);
        sort_layout(&mut f);
        let mut cx = PassCx::new(m, &Caps::FULL);
        returns::run(&mut f, &mut cx);
        if cx.changes() > 0 {
            sort_layout(&mut f);
        }
        flat[k] = Some(Callee { body: Cow::Owned(f), calls: false });
        // Functions without calls are as large as all that they called: none stays that nobody calls any more.
        let mut done = vec![k];
        while let Some(k) = done.pop() {
            for &c in reached[k].iter().flat_map(|r| &r.1) {
                left[c] -= 1;
                if left[c] == 0 && flat[c].take().is_some_and(|f| f.calls) {
                    done.push(c);
                }
            }
        }
    }
    let mut f = flat[func].take().expect("the entry was flattened").body.into_owned();
    // Passes add some: the first of them is no reason to move all.
    f.insts.reserve(f.insts.len() / 4);
    f.values.reserve(f.values.len() / 4);
    localise_privates(m, &mut f);
    Ok(f)
}

/// A function to put in place of calls.
#[derive(Clone)]
struct Callee<'a> {
    /// Its layout is sorted, its one return at the end.
    body: Cow<'a, Function>,
    /// Whether it has calls.
    calls: bool,
}

fn inline_calls(f: &mut Function, flat: &SecondaryMap<Func, Option<Callee<'_>>>) {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let mut work: Vec<Block> = f.layout.clone();
    let mut any = false;
    work.reverse();
    while let Some(b) = work.pop() {
        let Some(at) = f.blocks[b].insts.iter().rposition(|&i| f.insts[i].op == Op::Call) else { continue };
        any = true;
        let i = f.blocks[b].insts[at];
        let Attr::Call(callee) = f.insts[i].attr else { unreachable!("a call has its attribute") };
        let callee = flat[callee].as_ref().expect("callees come first");
        let rest = f.blocks[b].insts.drain(at + 1..).collect();
        f.blocks[b].insts.pop();
        let after = f.add_block();
        f.blocks[after].insts = rest;
        let copied = f.layout.len();
        copy_body(f, &callee.body, b, after, i, &mut map);
        // The last call first, so that what follows a call is moved once; the calls of what was copied before that.
        work.push(b);
        if callee.calls {
            work.extend(f.layout[copied..].iter().rev());
        }
    }
    if any {
        f.replace_uses(&map);
    }
}

/// Copies the callee's body between `before` and `after`; results of the call are mapped to what is returned.
fn copy_body(
    f: &mut Function,
    callee: &Function,
    before: Block,
    after: Block,
    call: Inst,
    map: &mut SecondaryMap<Value, Option<Value>>,
) {
    let (args, results, call_loc) = (f.insts[call].args.clone(), f.insts[call].results, f.insts[call].loc);
    let locals: Vec<Local> = callee.locals.values().map(|l| f.locals.push(l.clone())).collect();
    let mut blocks: SecondaryMap<Block, Block> = SecondaryMap::with_default(Block(u32::MAX));
    let mut values: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    blocks.reserve(callee.blocks.len());
    values.reserve(callee.values.len());
    let entry = callee.entry();
    for &b in &callee.layout {
        let n = f.add_block();
        blocks[b] = n;
        if b == entry {
            for (&p, &a) in callee.blocks[b].params.iter().zip(&args) {
                values[p] = Some(a);
            }
        } else {
            for &p in &callee.blocks[b].params {
                values[p] = Some(f.add_param(n, callee.ty(p)));
            }
        }
    }
    // Terminators lie together, since walks over the graph read nothing else.
    let first = f.insts.next_key();
    for _ in &callee.layout {
        f.make_inst(InstData::new(Op::Unreachable, &[], Attr::None), &[]);
    }
    let local = |p: &mut Place| {
        if let Place::Local(l) = p {
            *l = locals[l.0 as usize];
        }
    };
    for (k, &b) in callee.layout.iter().enumerate() {
        for &i in &callee.blocks[b].insts {
            let mut d = callee.insts[i].clone();
            if d.loc.0 == 0 {
                d.loc = call_loc;
            }
            // Definitions come first in a sorted layout; constants belong to their function.
            d.map_uses(|v| match values[v] {
                Some(v) => v,
                None => {
                    let n = match callee.as_const(v) {
                        Some(c) => f.constant(c.clone()),
                        None => {
                            assert!(callee.is_undef(v), "{v} is read before it is defined");
                            f.undef(callee.ty(v))
                        }
                    };
                    values[v] = Some(n);
                    n
                }
            });
            match &mut d.attr {
                Attr::Mem(m) | Attr::Atomic(_, m) => local(&mut m.place),
                Attr::Place(p) => local(p),
                _ => {}
            }
            if !d.op.is_terminator() {
                let types: SmallVec<[_; 2]> = d.results.iter().map(|r| callee.ty(r)).collect();
                let old = d.results;
                let n = f.push_inst(blocks[b], d, &types);
                for (r, n) in old.iter().zip(f.insts[n].results) {
                    values[r] = Some(n);
                }
                continue;
            }
            d.map_targets(|b| blocks[b]);
            if let Some(m) = d.merge() {
                d.set_merge(Some(blocks[m]));
            }
            if d.op == Op::Ret {
                for (r, &v) in results.iter().zip(&d.args) {
                    map[r] = Some(v);
                }
                d.become_jump(Edge::to(after), None);
            }
            let n = Inst::new(first.index() + k);
            f.insts[n] = d;
            f.blocks[blocks[b]].insts.push(n);
        }
    }
    for &b in &callee.layout {
        if let Some(h) = callee.blocks[b].header {
            f.blocks[blocks[b]].header = Some(gpucc_ir::LoopHeader { merge: blocks[h.merge], cont: blocks[h.cont] });
        }
    }
    // A callee that never returns leaves the call's results without a value; nothing behind it is reached.
    for r in results {
        if map[r].is_none() {
            let ty = f.ty(r);
            map[r] = Some(f.undef(ty));
        }
    }
    Builder::new(f, before).jump(blocks[entry], &[]);
}

/// Private variables belong to the invocation, and after inlining the function is the invocation.
fn localise_privates(m: &Module, f: &mut Function) {
    if m.globals.values().all(|g| g.space != Space::Private) {
        return;
    }
    let mut to: SecondaryMap<Global, Option<Local>> = SecondaryMap::with_default(None);
    let mut inits: Vec<Local> = Vec::new();
    for (_, i) in f.insts_in_order().collect::<Vec<_>>() {
        let Some(Place::Global(g)) = f.insts[i].place() else { continue };
        if m.globals[g].space != Space::Private {
            continue;
        }
        let l = match to[g] {
            Some(l) => l,
            None => {
                let l = f.locals.push(gpucc_ir::VarData { space: Space::Function, ..m.globals[g].clone() });
                to[g] = Some(l);
                inits.push(l);
                l
            }
        };
        match &mut f.insts[i].attr {
            Attr::Mem(m) | Attr::Atomic(_, m) => m.place = Place::Local(l),
            Attr::Place(p) => *p = Place::Local(l),
            _ => {}
        }
    }
    let entry = f.entry();
    for (n, l) in inits.into_iter().enumerate() {
        Builder::before(f, entry, n).var_init(Place::Local(l));
    }
}
