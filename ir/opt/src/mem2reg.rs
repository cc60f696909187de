//! Turns function variables into values.
//!
//! A variable is cut into *slots*: runs of bytes that accesses with constant offsets touch together. A slot of up to four
//! lanes of one kind becomes a vector value (a component store is an `insert`, a component load an `extract`); a longer
//! run becomes one value per lane. So structs and arrays come apart and vectors stay whole.
//!
//! ```text
//! store v1, local0[16]  ..  v2 = load local0[16]      ==>      uses of v2 read v1, or a block parameter
//! ```
//!
//! Needs: nothing. Keeps: blocks and their order, dominators. Leaves alone: variables with
//! an access at a dynamic offset, volatile or atomic accesses, slots whose accesses overlap in lanes of different width.

use crate::PassCx;
use gpucc_ir::analysis::{DomTree, Structure};
use gpucc_ir::{
    Attr, Block, Builder, Const, CsrLists, EntitySet, Function, Init, Inst, Local, Op, Place, Scalar, SecondaryMap,
    Type, Value, trace,
};
use smallvec::SmallVec;

/// A value-to-be: some lanes of a variable.
#[derive(Clone, Copy, Debug)]
struct Slot {
    ty: Type,
    /// First byte in the variable.
    start: u32,
}

/// The treatment of an instruction. Small, since there is one for each.
#[derive(Clone, Copy, Default, Debug)]
enum Action {
    /// It stays.
    #[default]
    None,
    /// Loads all of a slot.
    Load(u32),
    /// Stores to all of it.
    Store(u32),
    /// Loads or stores lanes of one or more: those of this [`Plan::parts`].
    Parts(u32),
    /// Sets slots to constants: those of this [`Plan::inits`].
    Init(u32),
    /// Nothing is left of it.
    Gone,
}

/// The treatment of a function.
#[derive(Default)]
struct Plan {
    slots: Vec<Slot>,
    actions: SecondaryMap<Inst, Action>,
    /// Pairs of (slot, lane), in the order of the lanes that are loaded or stored.
    parts: Vec<SmallVec<[(u32, u32); 4]>>,
    inits: Vec<Vec<(u32, Const)>>,
    /// Slots that get their first value where a block begins.
    late: SecondaryMap<Block, Vec<(u32, First)>>,
}

/// The first value of a slot.
#[derive(Clone)]
enum First {
    Const(Const),
    /// The value that this store stores.
    Stored(Inst),
}

/// Replaces function variables by values where places are known.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if f.locals.is_empty() {
        return;
    }
    let (dom, preds) = (cx.dom(f), cx.preds(f));
    let plan = plan(f, &dom, cx);
    if !plan.slots.is_empty() {
        rewrite(f, &dom, &preds, &plan);
    }
}

#[derive(Clone)]
struct Access {
    block: Block,
    inst: Inst,
    start: u32,
    ty: Type,
    load: bool,
}

/// Blocks in which a variable gets its first value, in the order of the layout.
pub fn first_value_blocks(f: &Function, cx: &mut PassCx<'_>) -> Vec<Block> {
    let plan = plan(f, &DomTree::new(f), cx);
    f.layout.iter().copied().filter(|&b| !plan.late[b].is_empty()).collect()
}

fn plan(f: &Function, dom: &DomTree, cx: &mut PassCx<'_>) -> Plan {
    let mut accesses: SecondaryMap<Local, Vec<Access>> = SecondaryMap::with_default(Vec::new());
    let mut inits: SecondaryMap<Local, Vec<(Block, Inst)>> = SecondaryMap::with_default(Vec::new());
    let mut bad: EntitySet<Local> = EntitySet::new();
    for (block, i) in f.insts_in_order() {
        let d = &f.insts[i];
        match (&d.attr, d.op) {
            (Attr::Place(Place::Local(l)), _) => inits[*l].push((block, i)),
            (Attr::Mem(m) | Attr::Atomic(_, m), op) => {
                let Place::Local(l) = m.place else { continue };
                let ty = match op {
                    Op::Load => f.ty(d.result()),
                    Op::Store => f.ty(d.args[0]),
                    _ => Type::I32,
                };
                if !matches!(op, Op::Load | Op::Store) || d.dyn_offset().is_some() || !m.flags.is_plain() {
                    bad.insert(l);
                }
                accesses[l].push(Access { block, inst: i, start: m.offset, ty, load: op == Op::Load });
            }
            _ => {}
        }
    }
    let mut plan = Plan::default();
    let mut structure = None;
    for l in f.locals.keys() {
        if bad.contains(l) || accesses[l].is_empty() && inits[l].is_empty() {
            continue;
        }
        let Some(mine) = cut(&accesses[l]) else { continue };
        if !cx.change() {
            break;
        }
        let base = plan.slots.len() as u32;
        plan.slots.extend(&mine);
        // Slots are sorted by their start: find the one that holds a byte.
        let lane_of = |byte: u32| {
            let k = mine.partition_point(|s| s.start <= byte) - 1;
            (base + k as u32, (byte - mine[k].start) / mine[k].ty.scalar().mem_bytes())
        };
        for a in &accesses[l] {
            let (slot, lane) = lane_of(a.start);
            let lanes = a.ty.lanes();
            plan.actions[a.inst] = if lane == 0 && lanes == mine[(slot - base) as usize].ty.lanes() {
                if a.load { Action::Load(slot) } else { Action::Store(slot) }
            } else {
                let w = a.ty.scalar().mem_bytes();
                plan.parts.push((0..lanes).map(|k| lane_of(a.start + k * w)).collect());
                Action::Parts(plan.parts.len() as u32 - 1)
            };
        }
        let consts: Vec<(u32, Const)> =
            (base..).zip(&mine).map(|(k, s)| (k, initial(&f.locals[l].init, s.ty, s.start))).collect();
        if let &[(home, i)] = &inits[l][..] {
            let s = structure.get_or_insert_with(|| cx.structure(f));
            if let Some(b) = first_needed(dom, s, home, &accesses[l]) {
                plan.late[b].extend(consts.into_iter().map(|(s, c)| (s, First::Const(c))));
                plan.actions[i] = Action::Gone;
                continue;
            }
        }
        // The same for a variable whose initialiser came as a store.
        if let (true, [slot], [first, rest @ ..]) = (inits[l].is_empty(), &mine[..], &accesses[l][..])
            && !first.load
            && first.ty == slot.ty
        {
            let s = structure.get_or_insert_with(|| cx.structure(f));
            if let Some(b) = first_needed(dom, s, first.block, rest) {
                plan.late[b].push((base, First::Stored(first.inst)));
                plan.actions[first.inst] = Action::Gone;
            }
        }
        for &(_, i) in &inits[l] {
            plan.actions[i] = Action::Init(plan.inits.len() as u32);
        }
        if !inits[l].is_empty() {
            plan.inits.push(consts);
        }
    }
    plan
}

/// Where a variable that is initialised in `home` may get its first value instead: the last block that all other accesses
/// lie behind and that is executed no more often. Frontends initialise all variables at the very beginning, and a search for
/// where each is live would walk over all the code in between.
fn first_needed(dom: &DomTree, s: &Structure, home: Block, accesses: &[Access]) -> Option<Block> {
    let mut at = accesses.first()?.block;
    for a in accesses {
        if !dom.dominates(home, a.block) {
            return None;
        }
        if !dom.dominates(at, a.block) {
            at = dom.common(at, a.block);
        }
    }
    while let Some(l) = s.loop_of(at)
        && s.loop_of(home) != Some(l)
    {
        at = dom.idom(s.constructs[l].header)?;
    }
    (at != home).then_some(at)
}

/// Cuts the bytes of a variable into slots; `None` if some accesses do not fit together.
fn cut(accesses: &[Access]) -> Option<Vec<Slot>> {
    let mut order: Vec<&Access> = accesses.iter().collect();
    order.sort_by_key(|a| (a.start, std::cmp::Reverse(a.ty.mem_bytes())));
    let mut slots = Vec::new();
    let mut k = 0;
    while k < order.len() {
        let start = order[k].start;
        let kind = order[k].ty.scalar();
        let width = kind.mem_bytes();
        let mut end = start;
        let first = k;
        while k < order.len() && (order[k].start < end || k == first) {
            let a = order[k];
            // Lanes of other kinds are converted by bitcast; booleans have no bits to cast.
            let mixed = a.ty.scalar() != kind && (a.ty.is_bool() || kind == Scalar::B1);
            if a.ty.scalar().mem_bytes() != width || !(a.start - start).is_multiple_of(width) || mixed {
                return None;
            }
            end = end.max(a.start + a.ty.mem_bytes());
            k += 1;
        }
        let lanes = (end - start) / width;
        if lanes <= 4 {
            slots.push(Slot { ty: Type::new(kind, lanes), start });
        } else {
            slots.extend((0..lanes).map(|n| Slot { ty: Type::new(kind, 1), start: start + n * width }));
        }
    }
    Some(slots)
}

/// The contents of a variable with this initialiser at byte `start`, as a value of type `ty` that is not boolean.
pub(crate) fn initial(init: &Init, ty: Type, start: u32) -> Const {
    let w = ty.scalar().mem_bytes();
    let lane = |n: u32| match init {
        Init::Zero => 0,
        Init::Bytes(b) => (0..w).fold(0_u64, |v, k| {
            let byte = b.get((start + n * w + k) as usize).copied().unwrap_or(0);
            v | u64::from(byte) << (8 * k)
        }),
    };
    let bits: Vec<u64> = (0..ty.lanes()).map(lane).collect();
    Const::new(ty, &bits)
}

/// Where each slot needs a block parameter: on the iterated dominance frontier of its stores, where it is live.
fn place_params(
    f: &Function,
    dom: &DomTree,
    preds: &CsrLists<Block, Block>,
    plan: &Plan,
) -> SecondaryMap<Block, SmallVec<[u32; 4]>> {
    let Plan { slots, actions, late, .. } = plan;
    // Facts per block and slot: stored to, read before being stored to. Lists in the order of the walk, so that what is
    // known of this block is last.
    let mut stores: Vec<Vec<Block>> = vec![Vec::new(); slots.len()];
    let mut reads: Vec<Vec<Block>> = vec![Vec::new(); slots.len()];
    let add = |list: &mut Vec<Block>, b: Block| {
        if list.last() != Some(&b) {
            list.push(b);
        }
    };
    let mut reads_and_stores = |b: Block, s: u32, read: bool, store: bool| {
        let s = s as usize;
        if read && stores[s].last() != Some(&b) {
            add(&mut reads[s], b);
        }
        if store {
            add(&mut stores[s], b);
        }
    };
    for &b in dom.rpo() {
        for &(s, _) in &late[b] {
            reads_and_stores(b, s, false, true);
        }
        for &i in &f.blocks[b].insts {
            match actions[i] {
                Action::Load(s) => reads_and_stores(b, s, true, false),
                Action::Store(s) => reads_and_stores(b, s, false, true),
                Action::Parts(k) => {
                    let l = &plan.parts[k as usize];
                    let load = f.insts[i].op == Op::Load;
                    for &(s, _) in l {
                        // A store to some lanes keeps the others, so it reads too.
                        let whole = l.iter().filter(|x| x.0 == s).count() == slots[s as usize].ty.lanes() as usize;
                        reads_and_stores(b, s, load || !whole, !load);
                    }
                }
                Action::Init(k) => {
                    plan.inits[k as usize].iter().for_each(|&(s, _)| reads_and_stores(b, s, false, true));
                }
                Action::None | Action::Gone => {}
            }
        }
    }
    // Dominance frontiers, as lists.
    let mut frontier: SecondaryMap<Block, SmallVec<[Block; 4]>> = SecondaryMap::new();
    for &b in dom.rpo() {
        if preds[b].len() < 2 {
            continue;
        }
        for &p in &preds[b] {
            if !dom.is_reachable(p) {
                continue;
            }
            let mut r = p;
            while Some(r) != dom.idom(b) {
                if frontier[r].last() != Some(&b) {
                    frontier[r].push(b);
                }
                match dom.idom(r) {
                    Some(n) => r = n,
                    None => break,
                }
            }
        }
    }
    let mut params: SecondaryMap<Block, SmallVec<[u32; 4]>> = SecondaryMap::new();
    let mut steps = 0;
    // The slot for which a block was last found stored to, live, in need of a parameter.
    let mut stored: SecondaryMap<Block, usize> = SecondaryMap::with_default(usize::MAX);
    let mut live: SecondaryMap<Block, usize> = SecondaryMap::with_default(usize::MAX);
    let mut has: SecondaryMap<Block, usize> = SecondaryMap::with_default(usize::MAX);
    for s in 0..slots.len() {
        for &b in &stores[s] {
            stored[b] = s;
        }
        // Live-in blocks: walk back from reads until a store.
        let mut work = std::mem::take(&mut reads[s]);
        while let Some(b) = work.pop() {
            steps += 1;
            if live[b] != s {
                live[b] = s;
                work.extend(preds[b].iter().filter(|&&p| stored[p] != s));
            }
        }
        let mut work = std::mem::take(&mut stores[s]);
        while let Some(b) = work.pop() {
            for &d in &frontier[b] {
                if live[d] == s && has[d] != s {
                    has[d] = s;
                    params[d].push(s as u32);
                    work.push(d);
                }
            }
        }
    }
    trace::work(steps);
    params
}

fn cast(b: &mut Builder<'_>, v: Value, to: Type) -> Value {
    if b.func.ty(v) == to { v } else { b.bitcast(v, to) }
}

fn rewrite(f: &mut Function, dom: &DomTree, preds: &CsrLists<Block, Block>, plan: &Plan) {
    let Plan { slots, actions, late, .. } = plan;
    let params = place_params(f, dom, preds, plan);
    let mut now: Vec<Option<Value>> = vec![None; slots.len()];
    for &b in dom.rpo() {
        for &s in &params[b] {
            f.add_param(b, slots[s as usize].ty);
        }
    }
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    map.reserve(f.values.len());
    // A walk over the dominator tree; `undo` restores the slots' values when a subtree is left.
    enum Step {
        Enter(Block),
        Leave(usize),
    }
    let mut undo: Vec<(u32, Option<Value>)> = Vec::new();
    let mut work = vec![Step::Enter(f.entry())];
    let mut old = Vec::new();
    while let Some(step) = work.pop() {
        let b = match step {
            Step::Leave(n) => {
                for (s, v) in undo.drain(n..).rev() {
                    now[s as usize] = v;
                }
                continue;
            }
            Step::Enter(b) => b,
        };
        work.push(Step::Leave(undo.len()));
        work.extend(dom.children(b).rev().map(Step::Enter));
        // The new parameters are the last.
        let data = &f.blocks[b];
        for (&s, &p) in params[b].iter().rev().zip(data.params.iter().rev()) {
            undo.push((s, now[s as usize].replace(p)));
        }
        for (s, first) in &late[b] {
            let v = match first {
                First::Const(c) => f.constant(c.clone()),
                // Visited already, since it dominates this block.
                First::Stored(i) => f.insts[*i].args[0],
            };
            undo.push((*s, now[*s as usize].replace(v)));
        }
        f.take_insts(b, &mut old);
        for &i in &old {
            f.replace_uses_of(i, &map);
            match actions[i] {
                Action::None => f.blocks[b].insts.push(i),
                Action::Load(s) => {
                    let r = f.insts[i].result();
                    let (v, ty) = (current(f, slots, &now, s), f.ty(r));
                    map[r] = Some(cast(&mut Builder::like(f, b, i), v, ty));
                }
                Action::Store(s) => {
                    let v = f.insts[i].args[0];
                    let v = cast(&mut Builder::like(f, b, i), v, slots[s as usize].ty);
                    undo.push((s, now[s as usize].replace(v)));
                }
                Action::Parts(k) if f.insts[i].op == Op::Load => {
                    let r = f.insts[i].result();
                    map[r] = Some(read(f, b, i, slots, &now, &plan.parts[k as usize]));
                }
                Action::Parts(k) => write(f, b, i, slots, &mut now, &plan.parts[k as usize], &mut undo),
                Action::Init(k) => {
                    for (s, c) in &plan.inits[k as usize] {
                        let v = f.constant(c.clone());
                        undo.push((*s, now[*s as usize].replace(v)));
                    }
                }
                Action::Gone => {}
            }
        }
        let t = f.terminator(b);
        let targets = f.succs(b);
        for (n, &to) in targets.iter().enumerate() {
            for &s in &params[to] {
                let v = current(f, slots, &now, s);
                f.insts[t].push_edge_arg(n, v);
            }
        }
    }
}

fn current(f: &mut Function, slots: &[Slot], now: &[Option<Value>], s: u32) -> Value {
    match now[s as usize] {
        Some(v) => v,
        None => f.undef(slots[s as usize].ty),
    }
}

/// Loads lanes of one slot or several.
fn read(f: &mut Function, block: Block, i: Inst, slots: &[Slot], now: &[Option<Value>], lanes: &[(u32, u32)]) -> Value {
    let ty = f.ty(f.insts[i].result());
    let first = lanes[0].0;
    if lanes.iter().all(|l| l.0 == first) {
        // Part of a vector: lanes are consecutive.
        let v = current(f, slots, now, first);
        let mut b = Builder::like(f, block, i);
        let v = cast(&mut b, v, ty.with_lanes(slots[first as usize].ty.lanes()));
        let pick: Vec<u8> = lanes.iter().map(|l| l.1 as u8).collect();
        return b.swizzle(v, &pick);
    }
    let mut b = Builder::like(f, block, i);
    let mut parts = Vec::new();
    for &(s, lane) in lanes {
        let v = current(b.func, slots, now, s);
        let v = b.extract(v, lane);
        parts.push(cast(&mut b, v, ty.lane()));
    }
    b.compose(&parts)
}

/// Stores to lanes of one slot or several.
fn write(
    f: &mut Function,
    block: Block,
    i: Inst,
    slots: &[Slot],
    now: &mut [Option<Value>],
    lanes: &[(u32, u32)],
    undo: &mut Vec<(u32, Option<Value>)>,
) {
    let value = f.insts[i].args[0];
    for (k, &(s, lane)) in lanes.iter().enumerate() {
        let st = slots[s as usize].ty;
        let base = current(f, slots, now, s);
        let mut b = Builder::like(f, block, i);
        let part = b.extract(value, k as u32);
        let part = cast(&mut b, part, st.lane());
        let v = b.insert(base, part, lane);
        undo.push((s, now[s as usize].replace(v)));
    }
}
