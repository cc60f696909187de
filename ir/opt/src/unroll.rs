//! Unrolls loops whose trip count is known and small.
//!
//! ```text
//! loop i = 0.. { if i == 3 break; body }      ==>      body(0); body(1); body(2)
//! ```
//!
//! Where all copies would be too large, several iterations become one: as many as divide the count, so that only one of them
//! needs the test.
//!
//! The count is found by executing the exit condition on constants: it may depend on one loop parameter, which itself is
//! computed from itself and constants. The loop's other ways out stay: a construct around all copies ends where the loop
//! ended, and one around each copy ends where `continue` went.
//!
//! Needs: structured control flow. Keeps: nothing. Leaves alone: counts above [`TRIPS`], results above `Caps::unroll`
//! instructions (more where the loop indexes a function variable by its counter: the elements may become registers once the
//! index is known; [`INDEXED`], [`MASKED`]; more where an iteration is short, [`SHORT`], or much of it follows from the counter, [`WORTH`]; three eighths with barriers in it), exits other than to the loop's merge.

use crate::PassCx;
use gpucc_ir::analysis::{ConstructId, ConstructKind, Structure, Uses, sort_layout, trips};
use gpucc_ir::{
    Block, Builder, CsrLists, EntitySet, Function, Inst, LoopHeader, Op, Place, SecondaryMap, Value, trace,
};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

/// A few blocks of many.
type Blocks = IndexSet<Block, FxBuildHasher>;

/// The most iterations that are looked at.
pub const TRIPS: u32 = 64;

/// How much larger loops may get whose counter indexes function variables.
pub const INDEXED: u32 = 2;

/// The same for several iterations, where the index is some low bits of the counter: those are the same in each large iteration.
pub const MASKED: u32 = 8;

/// Scalar instructions of an iteration in which counter, test and jump weigh enough that [`EXTRA`] times the room is given.
pub const SHORT: u32 = 40;

/// How much larger loops of short iterations may get.
pub const EXTRA: u32 = 2;

/// Loops whose copies save one scalar instruction in so many may get larger: `Caps::unroll_more`.
pub const WORTH: u32 = 6;

/// Scalars that a loop copies from memory to memory at most, if all of its turns become copies: more are no values, and nothing else is saved.
pub const MOVED: u32 = 128;

/// Instructions of an iteration that only count: sum and test, which [`saved`] has; besides, a jump and copies.
const COUNTER: u32 = 2;
const COUNTING: u32 = 4;

/// Instructions that an access to a function variable at a variable index stands for.
const PRIVATE: u32 = 4;

/// Turns that become one, the most first: for loops that index by low bits of their counter, and for others.
const UNROLL_FACTORS: ([u32; 4], [u32; 2]) = ([16, 8, 4, 2], [4, 2]);

/// Runs the pass: innermost loops, until none is left that qualifies.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    cx.sort(f);
    // Headers of loops that have got their several iterations.
    let mut done: EntitySet<Block> = EntitySet::new();
    loop {
        trace::work(f.layout.len() as u64);
        let s = cx.structure(f);
        let mut outer: EntitySet<ConstructId> = EntitySet::new();
        for l in s.loops() {
            s.enclosing(s.constructs[l].parent).for_each(|k| {
                outer.insert(k);
            });
        }
        let mut blocks: SecondaryMap<ConstructId, Vec<Block>> = SecondaryMap::new();
        for &b in &f.layout {
            if let Some(l) = s.loop_of(b) {
                blocks[l].push(b);
            }
        }
        // All loops of a round are disjoint: what is known about one stays true while the others change, but for the
        // blocks themselves, so a loop that directly follows another one waits for the next round.
        let preds = cx.preds(f);
        let (mut planned, mut merges) = (EntitySet::<Block>::new(), EntitySet::<Block>::new());
        let mut plans = Vec::new();
        for l in s.loops().filter(|&l| !outer.contains(l) && !done.contains(s.constructs[l].header)) {
            let Some(p) = plan(f, &s, l, std::mem::take(&mut blocks[l]), &preds, cx) else { continue };
            if planned.contains(p.before) || merges.contains(p.header) || !cx.change() {
                continue;
            }
            planned.extend_from(&p.blocks);
            merges.insert(p.merge);
            plans.push(p);
        }
        if plans.is_empty() {
            return;
        }
        let uses = Uses::new(f);
        let namers = f.namers();
        for p in &plans {
            if let Some(header) = apply(f, p, &uses, &namers) {
                done.insert(header);
            }
        }
        sort_layout(f);
        cx.forget_graph();
    }
}

struct Plan {
    header: Block,
    cont: Block,
    merge: Block,
    /// The block that enters.
    before: Block,
    /// All blocks of the loop in layout order.
    blocks: Vec<Block>,
    /// The block with the counted exit, and which edge of its `br` leaves.
    exit: (Block, bool),
    /// How often the exit test says "stay".
    stays: u32,
    /// How many iterations become one; all of them if not said.
    iterations: Option<u32>,
}

fn plan(
    f: &Function,
    s: &Structure,
    l: ConstructId,
    blocks: Vec<Block>,
    preds: &CsrLists<Block, Block>,
    cx: &PassCx<'_>,
) -> Option<Plan> {
    let c = &s.constructs[l];
    let ConstructKind::Loop { cont } = c.kind else { return None };
    let (header, merge) = (c.header, c.merge);
    let inside: Blocks = blocks.iter().copied().collect();
    // In instructions of this function, and in those that a scalar target makes of them.
    let (mut size, mut scalars) = (0_u32, 0_u32);
    let (mut indexed, mut masked, mut waits) = (false, false, false);
    let mut latches = Vec::new();
    for &b in &blocks {
        size += f.blocks[b].insts.len() as u32;
        for &i in &f.blocks[b].insts {
            let d = &f.insts[i];
            scalars += d.results.first().map_or(1, |r| f.ty(r).lanes());
            if d.op == Op::Call {
                return None;
            }
            waits |= d.op == Op::Barrier;
            // An index that follows from the counter is a constant in each copy.
            if let Some(v) = d.dyn_offset()
                && d.mem().is_some_and(|m| matches!(m.place, Place::Local(_)))
                && trips::params(f, header, v, &mut Vec::new(), 8).is_some()
            {
                indexed = true;
                masked |= has_mask(f, v, 8);
            }
        }
        for t in f.succs(b) {
            if t == header {
                latches.push(b);
            } else if !inside.contains(&t) && t != merge {
                return None;
            }
        }
    }
    // Someone outside must not reach the merge: its parameters will be the loop's results.
    if preds[merge].iter().any(|p| !inside.contains(p)) {
        return None;
    }
    let [latch] = latches[..] else { return None };
    let entries: Vec<Block> = preds[header].iter().copied().filter(|p| !inside.contains(p)).collect();
    let [before] = entries[..] else { return None };
    // The counted exit is the header's or the latch's branch.
    for at in [header, latch] {
        let t = f.terminator(at);
        let Some([then, other]) = f.insts[t].as_br() else { continue };
        let leaves = match (then.block == merge, other.block == merge) {
            (true, false) => true,
            (false, true) => false,
            _ => continue,
        };
        let cond = f.insts[t].args[0];
        let Some(stays) = trips::count(f, (header, before, latch), (cond, leaves), TRIPS) else { continue };
        // A test at the top runs once more than the body, a test at the bottom as often.
        let copies = if at == header { stays } else { stays + 1 };
        let saved = saved(f, &blocks, (header, before, latch), preds);
        // Where the counter alone is saved nothing but a barrier makes copies worth so much code.
        let worth = (waits || saved > COUNTER) && saved.saturating_add(COUNTING).saturating_mul(WORTH) >= scalars;
        let room = cx.caps.unroll;
        let most = match (indexed, scalars <= SHORT) {
            _ if waits && worth => room.saturating_mul(cx.caps.unroll_more) * 3 / 8,
            _ if waits => room * 3 / 8,
            _ if worth => room.saturating_mul(cx.caps.unroll_more),
            (_, true) => room.saturating_mul(EXTRA),
            (true, false) => room.saturating_mul(INDEXED),
            (false, false) => room,
        };
        // A loop that much is saved in may grow by another factor elsewhere.
        if worth && copies.saturating_mul(size) > room * 3 / 8 {
            cx.hangs_on_target();
        }
        // So much is in memory for good.
        let most = if copies.saturating_mul(moved(f, &blocks)) > MOVED { 0 } else { most };
        let mut iterations = None;
        if copies.saturating_mul(size) > most.max(size) && copies > 1 {
            // Where no index becomes a constant only tests and jumps are saved, which is worth it for short iterations.
            let (list, most, size): (&[u32], u32, u32) = if masked {
                (&UNROLL_FACTORS.0, room.saturating_mul(MASKED), size)
            } else {
                cx.hangs_on_target();
                (&UNROLL_FACTORS.1, room / 2, if cx.caps.scalar { scalars } else { size })
            };
            let fits = |&&t: &&u32| copies.is_multiple_of(t) && t.saturating_mul(size) <= most;
            iterations = Some(*list.iter().find(fits)?);
        }
        return Some(Plan { header, cont, merge, before, blocks, exit: (at, leaves), stays, iterations });
    }
    None
}

/// Scalar instructions of an iteration that a copy does without: what follows from counters and constants; products with such, which become
/// shifts and sums; sums with such, which become part of an address or of the next copy's sum; accesses to function variables, which become values.
fn saved(
    f: &Function,
    blocks: &[Block],
    (header, before, latch): (Block, Block, Block),
    preds: &CsrLists<Block, Block>,
) -> u32 {
    let arg = |from: Block, to: Block, n: usize| {
        let edges = f.edges(from);
        let mut edges = edges.iter().filter(|e| e.block == to);
        edges.next().map(|e| e.args[n]).filter(|_| edges.next().is_none())
    };
    let counts = |n: usize, p: Value| {
        let (Some(start), Some(next)) = (arg(before, header, n), arg(latch, header, n)) else { return false };
        let mut own = Vec::new();
        f.as_const(start).is_some()
            && trips::params(f, header, next, &mut own, 24).is_some()
            && own.iter().all(|&o| o == p)
    };
    let params = f.blocks[header].params.iter().enumerate();
    let mut known: IndexSet<Value, FxBuildHasher> = params.filter(|&(n, &p)| counts(n, p)).map(|(_, &p)| p).collect();
    if known.is_empty() {
        return 0;
    }
    let mut saved = 0;
    for &b in blocks {
        // Copies of an inner loop's blocks have one way in, which may bring constants.
        if let &[from] = &preds[b][..]
            && b != header
        {
            for (n, &p) in f.blocks[b].params.iter().enumerate() {
                if arg(from, b, n).is_some_and(|a| known.contains(&a) || f.as_const(a).is_some()) {
                    known.insert(p);
                }
            }
        }
        for &i in &f.blocks[b].insts {
            let d = &f.insts[i];
            let is_known = |a: &Value| known.contains(a) || f.as_const(*a).is_some();
            let lanes = d.results.first().map_or(1, |r| f.ty(r).lanes());
            if d.op.is_speculatable() && !d.args.is_empty() && d.args.iter().all(is_known) {
                known.extend(d.results.first());
                saved += lanes;
            } else if matches!(d.op, Op::IMul | Op::IAdd) && d.args.iter().any(|a| known.contains(a)) {
                saved += lanes;
            } else if d.dyn_offset().is_some_and(|o| known.contains(&o))
                && d.mem().is_some_and(|m| matches!(m.place, Place::Local(_)))
            {
                saved += PRIVATE;
            }
        }
    }
    saved
}

/// Scalars that an iteration copies from memory to memory, if it does nothing else.
fn moved(f: &Function, blocks: &[Block]) -> u32 {
    let mut scalars = 0;
    for &i in blocks.iter().flat_map(|&b| &f.blocks[b].insts) {
        let d = &f.insts[i];
        match d.op {
            Op::Store if f.def_op(d.args[0], Op::Load).is_some() => scalars += f.ty(d.args[0]).lanes(),
            op if op == Op::Load || op.is_terminator() || op.is_speculatable() => {}
            _ => return 0,
        }
    }
    scalars
}

/// Whether a value is computed with a mask.
fn has_mask(f: &Function, v: Value, depth: u32) -> bool {
    let Some(i) = f.def_inst(v) else { return false };
    let d = &f.insts[i];
    d.op == Op::And && f.as_const(d.args[1]).is_some() || depth > 0 && d.args.iter().any(|&a| has_mask(f, a, depth - 1))
}

/// Gives the merge a parameter for each value that leaves the loop by dominance.
fn close(f: &mut Function, p: &Plan, uses: &Uses) {
    let inside: Blocks = p.blocks.iter().copied().collect();
    let mut defined: Vec<Value> = Vec::new();
    for &b in &p.blocks {
        defined.extend(&f.blocks[b].params);
        for &i in &f.blocks[b].insts {
            defined.extend(f.insts[i].results);
        }
    }
    for v in defined {
        let outside: Vec<Inst> = uses.of(v).iter().filter(|u| !inside.contains(&u.block)).map(|u| u.inst).collect();
        if outside.is_empty() {
            continue;
        }
        let ty = f.ty(v);
        let new = f.add_param(p.merge, ty);
        for &b in &p.blocks {
            let t = f.terminator(b);
            f.insts[t].map_edges(|e| {
                if e.block == p.merge {
                    e.args.push(v);
                }
            });
        }
        for i in outside {
            f.insts[i].map_uses(|x| if x == v { new } else { x });
        }
    }
}

/// The role of a copy with the counted branch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// It stays.
    Stays,
    /// It leaves.
    Leaves,
    /// It leaves, and is all there is of the copy.
    Ends,
    /// Nobody knows yet.
    Asks,
}

/// Unrolls; gives the header if the loop stays one.
fn apply(f: &mut Function, p: &Plan, uses: &Uses, namers: &CsrLists<Block, Block>) -> Option<Block> {
    close(f, p, uses);
    let at_top = p.exit.0 == p.header;
    // Copies of the whole body; with the test at the top one more, of the header alone.
    let all = if at_top { p.stays } else { p.stays + 1 };
    let full = p.iterations.unwrap_or(all);
    let types: Vec<_> = f.blocks[p.header].params.iter().map(|&v| f.ty(v)).collect();
    let mut fronts: Vec<Block> = Vec::new();
    for _ in 0..full + u32::from(at_top && p.iterations.is_none()) {
        let b = f.add_block();
        for &t in &types {
            f.add_param(b, t);
        }
        fronts.push(b);
    }
    // The construct in place of the loop: one that ends where the loop did, or the new loop's header.
    let open = f.add_block();
    let params: Vec<Value> = types.iter().map(|&t| f.add_param(open, t)).collect();
    for k in 0..full as usize {
        let (first, last) = (k == 0, k + 1 == full as usize);
        let next = fronts.get(k + 1).copied();
        if p.iterations.is_none() {
            let exit = if !last || at_top { Exit::Stays } else { Exit::Leaves };
            copy(f, p, fronts[k], next, exit, true, &p.blocks);
            continue;
        }
        let exit = if (at_top && first) || (!at_top && last) { Exit::Asks } else { Exit::Stays };
        let cont = copy(f, p, fronts[k], Some(next.unwrap_or(open)), exit, !last, &p.blocks);
        if last {
            let cont = if p.cont == p.header { open } else { cont.expect("the continue block is copied") };
            f.blocks[open].header = Some(LoopHeader { merge: p.merge, cont });
        }
    }
    if at_top && p.iterations.is_none() {
        copy(f, p, fronts[full as usize], None, Exit::Ends, true, &[p.header]);
    }
    let t = f.terminator(p.before);
    f.insts[t].map_targets(|b| if b == p.header { open } else { b });
    for &b in &namers[p.header] {
        let t = f.terminator(b);
        if f.insts[t].merge() == Some(p.header) {
            f.insts[t].set_merge(Some(open));
        }
        if let Some(h) = &mut f.blocks[b].header {
            if h.merge == p.header {
                h.merge = open;
            }
            if h.cont == p.header {
                h.cont = open;
            }
        }
    }
    f.blocks[p.header].header = None;
    if p.iterations.is_some() {
        Builder::new(f, open).jump(fronts[0], &params);
        return Some(open);
    }
    Builder::new(f, open).jump_merge(fronts[0], &params, p.merge);
    None
}

/// Copies blocks of the loop behind `front`, whose parameters stand for the header's. Back edges lead to `next`. `own`:
/// `continue` ends in this copy, not in the loop's continue part. Gives the copy of the continue block.
fn copy(
    f: &mut Function,
    p: &Plan,
    front: Block,
    next: Option<Block>,
    exit: Exit,
    own: bool,
    blocks: &[Block],
) -> Option<Block> {
    // Maps as large as the loop, not as the function.
    let mut to: IndexMap<Block, Block, FxBuildHasher> = IndexMap::default();
    let mut values: IndexMap<Value, Value, FxBuildHasher> = IndexMap::default();
    for &b in blocks {
        let n = f.add_block();
        to.insert(b, n);
        let params = f.blocks[b].params.clone();
        if b == p.header {
            for (&v, &w) in params.iter().zip(&f.blocks[front].params) {
                values.insert(v, w);
            }
        } else {
            for &v in &params {
                let ty = f.ty(v);
                let p = f.add_param(n, ty);
                values.insert(v, p);
            }
        }
    }
    let mut copies: Vec<Inst> = Vec::new();
    for &b in blocks {
        for i in f.blocks[b].insts.clone() {
            let data = f.insts[i].clone();
            let types: Vec<_> = data.results.iter().map(|r| f.ty(r)).collect();
            let n = f.push_inst(to[&b], data.clone(), &types);
            for (k, r) in data.results.iter().enumerate() {
                values.insert(r, f.insts[n].results.nth(k));
            }
            copies.push(n);
        }
    }
    for n in copies {
        let d = &mut f.insts[n];
        d.map_uses(|v| values.get(&v).copied().unwrap_or(v));
        d.map_targets(|b| {
            // Without a next copy the back edge is on the side of the counted branch that is not taken.
            if b == p.header { next.unwrap_or(p.merge) } else { to.get(&b).copied().unwrap_or(b) }
        });
        if let Some(m) = d.merge()
            && let Some(&b) = to.get(&m)
        {
            // A selection that ends where `continue` goes ends at the copy's own construct, made below.
            d.set_merge((m != p.cont || p.cont == p.header).then_some(b));
        }
    }
    for &b in blocks {
        if let Some(h) = f.blocks[b].header
            && b != p.header
        {
            let m = |x: Block| to.get(&x).copied().unwrap_or(x);
            f.blocks[m(b)].header = Some(LoopHeader { merge: m(h.merge), cont: m(h.cont) });
        }
    }
    // Decide the counted branch of this copy.
    if exit != Exit::Asks {
        let at = to[&p.exit.0];
        let t = f.terminator(at);
        let d = &mut f.insts[t];
        let Some([then, other]) = d.as_br() else { unreachable!("the exit is a branch") };
        let take_exit = exit != Exit::Stays;
        let edge = if take_exit == p.exit.1 { then } else { other };
        let merge = if exit == Exit::Ends { None } else { d.merge() };
        d.become_jump(edge.to_edge(), merge);
    }
    let body = to[&p.header];
    let mut b = Builder::new(f, front);
    match to.get(&p.cont).copied() {
        // `continue` leads to the copy's own continue part.
        Some(c) if own && exit != Exit::Ends && p.cont != p.header => b.jump_merge(body, &[], c),
        _ => b.jump(body, &[]),
    };
    to.get(&p.cont).copied()
}
