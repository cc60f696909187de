//! Moves the test of a loop from its head to its end, so that an iteration executes one branch and no jump.
//!
//! ```text
//! block1(i) loop: br i < n, block2, block3         br 0 < n, block1(0), block3 merge block3
//! block2: body; jump block1(i + 1)            ==>  block1(i) loop: body; br i + 1 < n, block1(i + 1), block4
//! block3:                                          block4: jump block3
//! ```
//!
//! Instructions of the test are copied in front of the loop and behind the body; values of the test that the body reads become
//! parameters of the header. Where the first test is known to hold, nothing stands in front of the loop. The rest of the
//! header stays at the top of the body.
//!
//! Needs: structured control flow, values that a loop's header computes. Keeps: who executes what, how often and in which order,
//! but for values of the header that only the body reads. Leaves alone: headers that do more than compute and load, anything
//! convergent in them, tests that cost more than [`COST`], loops that may be skipped and give more than [`MAX_CARRIED`] values,
//! loops with several ways back or ways out that do not lead to the loop's merge, loops that lanes leave at different times
//! where `Caps::rotate_divergent` says so, and loops around `ROUNDS` others. Inner loops first.

use crate::PassCx;
use gpucc_ir::analysis::{ConstructId, ConstructKind, Structure, Uniformity, Uses, sort_layout};
use gpucc_ir::{
    Block, Builder, Const, CsrLists, Edge, Function, Inst, InstData, LoopHeader, Op, OpAttrs, SecondaryMap, Value,
    eval, trace,
};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// The limit of the copied instructions, in simple instructions.
pub const COST: u32 = 8;

/// Values that a test in front of a loop may have to bring behind it: each is a copy more on that way.
pub const MAX_CARRIED: usize = 16;

/// How often the whole function is looked at: the depth of loops that is worth it, and once more for neighbours.
const ROUNDS: u32 = 16;

/// The value that each copied one stands for.
type Map = IndexMap<Value, Value, FxBuildHasher>;

/// Runs the pass: all loops of one depth at a time, since they are disjoint.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    // Tests of constants are decided here, as arithmetic is everywhere.
    if !cx.modes().is_plain() {
        return;
    }
    cx.sort(f);
    let mut depth = u32::MAX;
    let mut uniformity: Option<Uniformity> = None;
    for _ in 0..ROUNDS {
        // No loop lies outside the outermost.
        if depth <= 1 {
            return;
        }
        trace::work(f.layout.len() as u64);
        let s = cx.structure(f);
        let of = |l: ConstructId| s.constructs[l].loop_depth;
        let Some(deepest) = s.loops().map(of).filter(|&d| d < depth).max() else { return };
        depth = deepest;
        let mut blocks: SecondaryMap<ConstructId, Vec<Block>> = SecondaryMap::new();
        for &b in &f.layout {
            let at = s.enclosing(s.of(b)).filter(|&k| s.is_loop(k)).find(|&l| of(l) <= depth);
            if let Some(l) = at.filter(|&l| of(l) == depth) {
                blocks[l].push(b);
            }
        }
        let preds = cx.preds(f);
        let loops: Vec<ConstructId> = s.loops().filter(|&l| of(l) == depth).collect();
        let mut plans = Vec::new();
        for l in loops {
            let Some(p) = plan(f, &s, l, std::mem::take(&mut blocks[l]), &preds) else { continue };
            if !cx.caps.rotate_divergent {
                // Headers keep what they are while other loops change.
                let u = uniformity.get_or_insert_with(|| Uniformity::within(cx.module, f, &cx.dom(f)));
                if u.is_divergent(p.branch(f).0) {
                    continue;
                }
            }
            plans.push(p);
        }
        if plans.is_empty() {
            continue;
        }
        let uses = Uses::new(f);
        let namers = f.namers();
        // One loop's merge may be where another one begins or repeats: such neighbours are looked at again.
        let mut touched: IndexSet<Block, FxBuildHasher> = IndexSet::default();
        let mut again = false;
        for p in &plans {
            let own = [p.header, p.latch, p.merge].into_iter().chain(p.entries.iter().copied());
            let own: SmallVec<[Block; 6]> = own.collect();
            if own.iter().any(|b| touched.contains(b)) {
                again = true;
            } else if let Some(test) = test(f, p, &uses)
                && cx.change()
            {
                touched.extend(own);
                apply(f, p, &test, &uses, &namers[p.header]);
            }
        }
        sort_layout(f);
        cx.forget_graph();
        depth += u32::from(again && !touched.is_empty());
    }
}

/// A loop that could be turned.
struct Plan {
    header: Block,
    merge: Block,
    latch: Block,
    /// Blocks outside that lead in.
    entries: SmallVec<[Block; 2]>,
    /// All blocks of the loop.
    blocks: IndexSet<Block, FxBuildHasher>,
    /// Whether the loop is left where the condition holds.
    leaves: bool,
    /// Whether there are other ways out.
    others: bool,
}

impl Plan {
    /// The condition, and the edges that stay and that leave. Other loops' changes may give them new values.
    fn branch(&self, f: &Function) -> (Value, Edge, Edge) {
        let d = &f.insts[f.terminator(self.header)];
        let Some([then, other]) = d.as_br() else { unreachable!("the header ends in a branch") };
        let (stay, leave) = if self.leaves { (other, then) } else { (then, other) };
        (d.args[0], stay.to_edge(), leave.to_edge())
    }
}

fn plan(
    f: &Function,
    s: &Structure,
    l: ConstructId,
    blocks: Vec<Block>,
    preds: &CsrLists<Block, Block>,
) -> Option<Plan> {
    let c = &s.constructs[l];
    let ConstructKind::Loop { .. } = c.kind else { return None };
    let (header, merge) = (c.header, c.merge);
    let t = f.terminator(header);
    let [then, other] = f.insts[t].as_br()?;
    let (leaves, stay) = match (then.block == merge, other.block == merge) {
        (true, false) => (true, other.block),
        (false, true) => (false, then.block),
        _ => return None,
    };
    if stay == header || f.blocks[merge].header.is_some() {
        return None;
    }
    let blocks: IndexSet<Block, FxBuildHasher> = blocks.into_iter().collect();
    let mut latches: SmallVec<[Block; 2]> = SmallVec::new();
    for &b in &blocks {
        for to in f.succs(b) {
            if to == header {
                latches.push(b);
            } else if !blocks.contains(&to) && to != merge {
                return None;
            }
        }
    }
    if preds[merge].iter().any(|p| !blocks.contains(p)) {
        return None;
    }
    let [latch] = latches[..] else { return None };
    if !matches!(f.insts[f.terminator(latch)].as_jump(), Some((_, None))) {
        return None;
    }
    let entries = preds[header].iter().copied().filter(|p| !blocks.contains(p)).collect();
    let others = preds[merge].len() > 1;
    Some(Plan { header, merge, latch, entries, blocks, leaves, others })
}

/// The registers that have to be copied.
struct Test {
    /// Instructions of the header that the test and what leaves with it need, in order.
    insts: IndexSet<Inst, FxBuildHasher>,
    /// Their results that the loop reads elsewhere: parameters of the header from now on.
    carried: Vec<Value>,
    /// Values of the header that are read behind the loop: parameters of the merge from now on.
    closed: Vec<Value>,
    /// Whether the first test is known to stay.
    stays: bool,
}

fn test(f: &Function, p: &Plan, uses: &Uses) -> Option<Test> {
    let body = &f.blocks[p.header].insts;
    let (&t, body) = body.split_last()?;
    let mut closed = Vec::new();
    let outside = |v: Value| uses.of(v).iter().any(|u| !p.blocks.contains(&u.block));
    closed.extend(f.blocks[p.header].params.iter().copied().filter(|&v| outside(v)));
    for &i in body {
        let d = &f.insts[i];
        let load = d.op == Op::Load && d.mem().is_some_and(|m| m.flags.is_plain());
        if d.op.has(OpAttrs::convergent) || !(d.op.is_speculatable() || load) {
            return None;
        }
        closed.extend(d.results.iter().filter(|&v| outside(v)));
    }
    let mut needed: IndexSet<Value, FxBuildHasher> = closed.iter().copied().collect();
    let (cond, stay, leave) = p.branch(f);
    needed.insert(cond);
    needed.extend(leave.args.iter().copied());
    let mut insts: Vec<Inst> = Vec::new();
    let mut cost = 0;
    for &i in body.iter().rev() {
        let d = &f.insts[i];
        if d.results.iter().any(|r| needed.contains(&r)) {
            d.for_each_use(|v| {
                needed.insert(v);
            });
            cost += match d.op {
                Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::FRem | Op::FDiv => COST + 1,
                Op::Extract | Op::Compose | Op::Splat | Op::Shuffle | Op::Bitcast => 0,
                Op::Load => 2,
                op if op.has(OpAttrs::inexact) => 4,
                _ => 1,
            };
            insts.push(i);
        }
    }
    if cost > COST {
        return None;
    }
    let insts: IndexSet<Inst, FxBuildHasher> = insts.into_iter().rev().collect();
    let mut carried = Vec::new();
    for &i in &insts {
        for r in f.insts[i].results {
            let read = |u: &gpucc_ir::analysis::Use| match u.inst == t {
                true => stay.args.contains(&r),
                false => p.blocks.contains(&u.block) && !insts.contains(&u.inst),
            };
            // Those that leave early take it along.
            if uses.of(r).iter().any(read) || p.others && closed.contains(&r) {
                carried.push(r);
            }
        }
    }
    let stays = first(f, p, cond, &insts) == Some(!p.leaves);
    if !stays && closed.len() + leave.args.len() > MAX_CARRIED {
        return None;
    }
    Some(Test { insts, carried, closed, stays })
}

/// The first value of the condition, if that is known.
fn first(f: &Function, p: &Plan, cond: Value, insts: &IndexSet<Inst, FxBuildHasher>) -> Option<bool> {
    let [before] = p.entries[..] else { return None };
    let edges = f.edges(before);
    let mut to = edges.iter().filter(|e| e.block == p.header);
    let (Some(edge), None) = (to.next(), to.next()) else { return None };
    let mut known: IndexMap<Value, Const, FxBuildHasher> = IndexMap::default();
    for (&v, &a) in f.blocks[p.header].params.iter().zip(edge.args) {
        if let Some(c) = f.as_const(a) {
            known.insert(v, c.clone());
        }
    }
    for &i in insts {
        let d = &f.insts[i];
        let args: Option<Vec<&Const>> = d.args.iter().map(|&a| f.as_const(a).or_else(|| known.get(&a))).collect();
        if let (Some(args), Some(r)) = (args, d.results.single())
            && d.op.is_speculatable()
            && let Some(c) = eval::apply(d.op, &d.attr, f.ty(r), &args)
        {
            known.insert(r, c);
        }
    }
    let c = f.as_const(cond).or_else(|| known.get(&cond))?;
    Some(c.bits[0] != 0)
}

/// Copies of instructions, with what they read replaced; adds to the map what they compute.
fn copy(f: &mut Function, insts: &IndexSet<Inst, FxBuildHasher>, map: &mut Map) -> Vec<Inst> {
    let mut out = Vec::with_capacity(insts.len());
    for &i in insts {
        let mut data: InstData = f.insts[i].clone();
        data.map_uses(|v| map.get(&v).copied().unwrap_or(v));
        let types: SmallVec<[_; 2]> = data.results.iter().map(|r| f.ty(r)).collect();
        let old = data.results;
        let constants: Option<Vec<&Const>> = data.args.iter().map(|&a| f.as_const(a)).collect();
        if let (Some(args), Some(r)) = (constants, old.single())
            && data.op.is_speculatable()
            && let Some(c) = eval::apply(data.op, &data.attr, types[0], &args)
        {
            let c = f.constant(c);
            map.insert(r, c);
            continue;
        }
        let n = f.make_inst(data, &types);
        for (k, r) in old.iter().enumerate() {
            map.insert(r, f.insts[n].results.nth(k));
        }
        out.push(n);
    }
    out
}

fn apply(f: &mut Function, p: &Plan, test: &Test, uses: &Uses, namers: &[Block]) {
    let read = |map: &Map, v: Value| map.get(&v).copied().unwrap_or(v);
    let t = f.terminator(p.header);
    let loc = f.insts[t].loc;
    let (cond, stay, leave) = p.branch(f);
    // In front of the loop: the first test.
    let front = f.add_block();
    let params = f.blocks[p.header].params.clone();
    let mut map: Map = Map::default();
    for &v in &params {
        let ty = f.ty(v);
        let new = f.add_param(front, ty);
        map.insert(v, new);
    }
    if let [before] = p.entries[..]
        && f.edges(before).iter().filter(|e| e.block == p.header).count() == 1
    {
        // One way in: its values are known by their names.
        let args = f.edges(before).iter().find(|e| e.block == p.header).map(|e| e.args.to_vec()).unwrap_or_default();
        f.retain_params(front, |_, _| false);
        for (&v, &a) in params.iter().zip(&args) {
            map.insert(v, a);
        }
    }
    let bare = f.blocks[front].params.is_empty();
    let insts = copy(f, &test.insts, &mut map);
    f.blocks[front].insts = insts.into();
    let mut enter = Edge { block: p.header, args: params.iter().map(|&v| read(&map, v)).collect() };
    enter.args.extend(test.carried.iter().map(|&v| read(&map, v)));
    let mut skip = Edge { block: p.merge, args: leave.args.iter().map(|&v| read(&map, v)).collect() };
    skip.args.extend(test.closed.iter().map(|&v| read(&map, v)));
    let first = read(&map, cond);
    for &b in &p.entries {
        let t = f.terminator(b);
        f.insts[t].map_edges(|e| {
            if e.block == p.header {
                e.block = front;
                if bare {
                    e.args.clear();
                }
            }
        });
    }
    for &b in namers.iter().filter(|b| !p.blocks.contains(*b)) {
        let t = f.terminator(b);
        if f.insts[t].merge() == Some(p.header) {
            f.insts[t].set_merge(Some(front));
        }
        if let Some(h) = &mut f.blocks[b].header {
            if h.merge == p.header {
                h.merge = front;
            }
            if h.cont == p.header {
                h.cont = front;
            }
        }
    }
    // Values that the body reads come with the iteration.
    let mut carry: Map = Map::default();
    for &v in &test.carried {
        let ty = f.ty(v);
        let new = f.add_param(p.header, ty);
        carry.insert(v, new);
        for u in uses.of(v) {
            if p.blocks.contains(&u.block) && !test.insts.contains(&u.inst) && u.inst != t {
                f.insts[u.inst].map_uses(|x| if x == v { new } else { x });
            }
        }
    }
    // The merge's parameters for what is read behind the loop.
    let mut exit = p.merge;
    if !test.stays {
        exit = f.add_block();
        for &v in &f.blocks[p.merge].params.clone() {
            let ty = f.ty(v);
            f.add_param(exit, ty);
        }
    }
    for &v in &test.closed {
        let ty = f.ty(v);
        let new = f.add_param(p.merge, ty);
        if exit != p.merge {
            f.add_param(exit, ty);
        }
        for u in uses.of(v).iter().filter(|u| !p.blocks.contains(&u.block)) {
            f.insts[u.inst].map_uses(|x| if x == v { new } else { x });
        }
    }
    // The header falls through to the body.
    f.blocks[p.header].insts.retain(|i| !test.insts.contains(i));
    let merge = f.insts[t].merge();
    let args = stay.args.iter().map(|&v| read(&carry, v)).collect();
    f.insts[t].become_jump(Edge { block: stay.block, args }, merge);
    // Other ways out.
    for &b in &p.blocks {
        let t = f.terminator(b);
        if f.succs(b).contains(&p.merge) {
            f.insts[t].map_edges(|e| {
                if e.block == p.merge {
                    e.block = exit;
                    e.args.extend(test.closed.iter().map(|&v| read(&carry, v)));
                }
            });
        }
    }
    // Behind the body: the test of the next iteration.
    let back = f.terminator(p.latch);
    let mut again = f.insts[back].edges()[0].to_edge();
    let mut map: Map = params.iter().copied().zip(again.args.iter().copied()).collect();
    f.blocks[p.latch].insts.pop();
    let insts = copy(f, &test.insts, &mut map);
    f.blocks[p.latch].insts.extend(insts);
    again.args.extend(test.carried.iter().map(|&v| read(&map, v)));
    let mut out = Edge { block: exit, args: leave.args.iter().map(|&v| read(&map, v)).collect() };
    out.args.extend(test.closed.iter().map(|&v| read(&map, v)));
    let cond = read(&map, cond);
    let (then, other) = if p.leaves { (out, again) } else { (again, out) };
    let mut b = Builder::new(f, p.latch);
    b.loc = loc;
    b.br(cond, then, other, None);
    // The ways into and out of the loop as a whole.
    let mut b = Builder::new(f, front);
    b.loc = loc;
    if test.stays {
        b.jump(enter.block, &enter.args);
        return;
    }
    let way_in = b.add_block();
    b.br(
        first,
        if p.leaves { skip.clone() } else { Edge::to(way_in) },
        if p.leaves { Edge::to(way_in) } else { skip },
        Some(p.merge),
    );
    b.switch_to(way_in);
    b.jump(enter.block, &enter.args);
    b.switch_to(exit);
    let args = b.func.blocks[exit].params.clone();
    b.jump(p.merge, &args);
    let h: &mut Option<LoopHeader> = &mut f.blocks[p.header].header;
    if let Some(h) = h {
        h.merge = exit;
    }
}
