//! Makes all invocations of a workgroup reach the operations between lanes that only some of them execute.
//!
//! Where lanes meet at barriers (no `Caps::lockstep`), an operation between lanes can stand only where nobody is elsewhere. The construct
//! around one that branches decide on becomes a straight line. A variable says which block an invocation is to execute; each reaches all
//! of them, and executes that one.
//!
//! ```text
//! br c, block1, block2 merge block2        at = select c, 0, 1
//! block1:                                  own = at == 0
//!   v1 = load a                     ==>    if own { v1 = load a }
//!   v2 = ballot v0                         v2 = ballot own & v0
//!   store v2, b                            if own { store v2, b; at = 1 }
//! block2:                                  block2:
//! ```
//!
//! A loop continues as long as one invocation of the workgroup does: they vote behind its last block. Constructs without such operations
//! stay as they are, under one condition. What is only computed is computed by all around the operations, so no branch divides it. Values
//! that one part computes and another one reads go through variables, which become values again at the end.
//!
//! Where lanes run in lockstep but do not meet at the end of a construct that some of them leave for farther out (`Caps::reconverges`), the same is
//! done to what has such a construct. Lanes need not wait then: each leaves a loop when it is done.
//!
//! Needs: structured control flow, one return outside of all constructs, no `any` and no `reduce`. Keeps: structure.

use crate::{PassCx, mem2reg};
use gpucc_ir::analysis::{ConstructId, DomTree, Structure, Uniformity, sort_layout};
use gpucc_ir::{
    Attr, Block, Builder, Edge, EntitySet, Function, Init, Inst, IntCc, Local, Mem, Module, Op, Place, SecondaryMap,
    Space, Span, Type, Value, ValueDef, VarData,
};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Whether it is an operation between lanes, as they are behind `lower_subgroups`.
fn between_lanes(op: Op) -> bool {
    matches!(op, Op::LaneRead | Op::Ballot)
}

/// How many invocations of the workgroup say yes, as far as it matters: whether one does. All of them execute it.
pub(crate) type Vote<'a> = &'a dyn Fn(&mut Builder<'_>, Value) -> Value;

/// The invocations that must reach the operations together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    /// All invocations of a workgroup.
    Workgroup,
    /// Those lanes of a subgroup that execute them together; no construct that they leave for farther out parts them.
    Lanes,
}

/// A part of a region.
enum Item {
    /// One block.
    Block(Block),
    /// A block and the construct that it opens, which ends at `merge`.
    Construct { root: Block, blocks: Vec<Block>, merge: Block },
    /// A loop begins.
    Loop(ConstructId),
    /// The loop that began last and has not ended ends.
    End,
}

/// A construct that becomes a straight line.
struct Region {
    /// None if it is the whole function but its first block.
    construct: Option<ConstructId>,
    merge: Block,
    items: Vec<Item>,
}

/// Makes whole workgroups reach operations between lanes that branches guard.
pub(crate) fn run(m: &Module, f: &mut Function, cx: &mut PassCx<'_>, vote: Vote<'_>, among: Among) {
    if !f.insts_in_order().any(|(_, i)| between_lanes(f.insts[i].op)) {
        return;
    }
    sort_layout(f);
    let mut s = Structure::new(f, &DomTree::new(f));
    let regions = match regions(m, f, &s, among) {
        Some(regions) => regions,
        // Code that never ends.
        None => {
            let end = whole(f);
            s = Structure::new(f, &DomTree::new(f));
            let (ops, op_blocks) = with_ops(f, &s);
            let items = items(&s, &f.layout[1..], |k| ops.contains(k), |b| op_blocks.contains(b));
            vec![Region { construct: None, merge: end, items }]
        }
    };
    if regions.is_empty() {
        return;
    }
    let mut map = PartMap::new(f, &regions);
    map.find_crossing(f);
    let limit = f.insts.next_key();
    let mut entries: SecondaryMap<Block, Option<Block>> = SecondaryMap::with_default(None);
    for r in &regions {
        let mut line = Line::new(f, &s, &map, r, vote);
        line.run(&mut entries);
    }
    // Edges to a loop lead to its preheader now.
    for b in f.layout.clone() {
        let Some(&t) = f.blocks[b].insts.last() else { continue };
        let of = |b: Block| entries[b].unwrap_or(b);
        f.insts[t].map_targets(of);
        if let Some(merge) = f.insts[t].merge() {
            f.insts[t].set_merge(Some(of(merge)));
        }
        if let Some(h) = &mut f.blocks[b].header {
            (h.merge, h.cont) = (of(h.merge), of(h.cont));
        }
    }
    sort_layout(f);
    map.read_outside(f, limit);
    cx.forget_graph();
    mem2reg::run(f, cx);
    sort_layout(f);
}

/// Makes the first block one that only leads to the rest, and gives a block to end with.
fn whole(f: &mut Function) -> Block {
    let (entry, body) = (f.entry(), f.make_block());
    f.blocks[body].insts = std::mem::take(&mut f.blocks[entry].insts);
    f.blocks[body].header = f.blocks[entry].header.take();
    f.layout.insert(1, body);
    // An entry point has no parameters, so ways back to its start hand nothing on.
    Builder::new(f, entry).jump(body, &[]);
    for b in f.layout.clone().into_iter().skip(1) {
        let t = f.terminator(b);
        f.insts[t].map_targets(|to| if to == entry { body } else { to });
    }
    let end = f.add_block();
    Builder::new(f, end).ret(&[]);
    f.layout.pop();
    end
}

/// The constructs and the blocks with an operation.
fn with_ops(f: &Function, s: &Structure) -> (EntitySet<ConstructId>, EntitySet<Block>) {
    let (mut ops, mut blocks) = (EntitySet::new(), EntitySet::new());
    for &b in &f.layout {
        if f.blocks[b].insts.iter().any(|&i| between_lanes(f.insts[i].op)) {
            blocks.insert(b);
            s.enclosing(s.of(b)).take_while(|&c| ops.insert(c)).for_each(drop);
        }
    }
    (ops, blocks)
}

/// The outermost of the smallest constructs around operations that some invocations pass by, such that all of them come to where the
/// construct begins and where it ends, and it has no other end. None if an operation is in no such construct.
fn regions(m: &Module, f: &Function, s: &Structure, among: Among) -> Option<Vec<Region>> {
    let uniform = match among {
        Among::Workgroup => Uniformity::of_workgroups(m, f),
        Among::Lanes => Uniformity::new(m, f),
    };
    let dom = DomTree::new(f);
    let (ops, op_blocks) = with_ops(f, s);
    // Constructs that are left by another way than to their end.
    let mut leaks = EntitySet::new();
    // Those of which some lanes leave so while others continue; a loop around them may be left from anywhere.
    let mut parting: EntitySet<ConstructId> = EntitySet::new();
    // Lanes that end need not meet anybody.
    let ends = |b: Block| {
        let data = &f.blocks[b];
        data.params.is_empty() && data.insts.len() == 1 && f.insts[data.insts[0]].op == Op::Ret
    };
    for &b in &f.layout {
        let parts = uniform.divergent_block(b) || uniform.divergent_branch(f, b);
        for to in f.succs(b) {
            let apart = |c: ConstructId| {
                let around = s.enclosing(s.constructs[c].parent).find(|&p| s.is_loop(p));
                parts && !ends(to) && around.is_none_or(|l| s.constructs[l].merge != to)
            };
            // The end of one around may be a block that this one dominates, and is not inside.
            for c in s.enclosing(s.of(b)).take_while(|&c| !s.contains(c, to)) {
                if s.constructs[c].merge != to {
                    leaks.insert(c);
                    if apart(c) {
                        parting.insert(c);
                    }
                }
            }
            // The branch that opens a construct may lead out of it.
            if let Some(c) = s.opened_by(b)
                && s.constructs[c].merge != to
                && !s.contains(c, to)
                && apart(c)
            {
                parting.insert(c);
            }
        }
    }
    let fits = |c: ConstructId| {
        let k = &s.constructs[c];
        let from = if s.is_loop(c) { dom.idom(k.header) } else { Some(k.header) };
        let together = |b: Block| dom.is_reachable(b) && !uniform.divergent_block(b);
        from.is_some_and(together) && together(k.merge) && !leaks.contains(c)
    };
    if among == Among::Lanes && parting.iter().next().is_none() {
        return Some(Vec::new());
    }
    let mut found: EntitySet<ConstructId> = EntitySet::new();
    for b in op_blocks.iter().filter(|&b| uniform.divergent_block(b)) {
        found.insert(s.enclosing(s.of(b)).find(|&c| fits(c))?);
    }
    let outermost = |&c: &ConstructId| !s.enclosing(s.constructs[c].parent).any(|p| found.contains(p));
    let mut regions = Vec::new();
    let has_parting = |c: ConstructId| parting.iter().any(|k| s.enclosing(Some(k)).any(|p| p == c));
    let wanted = |&c: &ConstructId| among == Among::Workgroup || has_parting(c);
    for c in found.iter().filter(outermost).filter(wanted) {
        let k = &s.constructs[c];
        let items = items(s, &s.blocks(f, c), |k| ops.contains(k), |b| op_blocks.contains(b));
        regions.push(Region { construct: Some(c), merge: k.merge, items });
    }
    Some(regions)
}

/// The parts of blocks that lie together, in order.
fn items(
    s: &Structure,
    blocks: &[Block],
    opened: impl Fn(ConstructId) -> bool,
    has_op: impl Fn(Block) -> bool,
) -> Vec<Item> {
    let mut items = Vec::new();
    let mut loops: Vec<ConstructId> = Vec::new();
    let mut k = 0;
    while let Some(&b) = blocks.get(k) {
        while loops.last().is_some_and(|&l| !s.contains(l, b)) {
            loops.pop();
            items.push(Item::End);
        }
        let whole = match s.loop_at(b) {
            Some(l) if !opened(l) => Some(l),
            other => {
                if let Some(l) = other {
                    loops.push(l);
                    items.push(Item::Loop(l));
                }
                s.opened_by(b).filter(|&c| !opened(c) && !has_op(b))
            }
        };
        let more = whole.map_or(0, |c| blocks[k + 1..].iter().take_while(|&&x| s.contains(c, x)).count());
        items.push(match whole {
            Some(c) => {
                let blocks = blocks[k..=k + more].to_vec();
                Item::Construct { root: b, blocks, merge: s.constructs[c].merge }
            }
            None => Item::Block(b),
        });
        k += 1 + more;
    }
    items.extend(loops.iter().map(|_| Item::End));
    items
}

/// Which part of which region each instruction is in. Values are read in other parts through variables.
struct PartMap {
    insts: SecondaryMap<Inst, u32>,
    /// Part of each block whose parameters are those of a part; 0 where a part begins that is one block.
    params: SecondaryMap<Block, u32>,
    /// Blocks whose parameters go through variables: the first of each part, and where regions end.
    roots: EntitySet<Block>,
    locals: SecondaryMap<Value, Option<Local>>,
}

/// Blocks outside of all regions.
const OUTSIDE: u32 = 0;
/// Blocks of no part.
const NOWHERE: u32 = u32::MAX;

/// The instructions of a block with operations, in turns: to be executed by those that are there, and by all.
fn segments(f: &Function, block: Block) -> Vec<(bool, Vec<Inst>)> {
    let list = &f.blocks[block].insts;
    let list = &list[..list.len() - 1];
    let mut out: Vec<(bool, Vec<Inst>)> = Vec::new();
    // Between operations, what has no effect is for all.
    for part in list.chunk_by(|&a, &b| !between_lanes(f.insts[a].op) && !between_lanes(f.insts[b].op)) {
        let all = part.iter().all(|&i| is_free(f, i));
        match out.last_mut() {
            Some(last) if last.0 == all => last.1.extend(part),
            _ => out.push((all, part.to_vec())),
        }
    }
    out
}

/// Whether all may execute it, whatever its operands are.
fn is_free(f: &Function, i: Inst) -> bool {
    let d = &f.insts[i];
    let own = matches!(d.mem().map(|m| m.place), Some(Place::Local(_))) && d.op == Op::Load && d.dyn_offset().is_none();
    own || between_lanes(d.op) || d.op.is_speculatable()
}

impl PartMap {
    fn new(f: &Function, regions: &[Region]) -> PartMap {
        let mut p = PartMap {
            insts: SecondaryMap::new(),
            params: SecondaryMap::new(),
            roots: EntitySet::new(),
            locals: SecondaryMap::with_default(None),
        };
        let mut n = OUTSIDE;
        for r in regions {
            p.roots.insert(r.merge);
            for item in &r.items {
                n += 1;
                match item {
                    Item::Block(b) => {
                        p.params.set(*b, NOWHERE);
                        p.roots.insert(*b);
                        let insts = &f.blocks[*b].insts;
                        insts.iter().for_each(|&i| p.insts.set(i, n));
                        if insts.iter().any(|&i| between_lanes(f.insts[i].op)) {
                            for (_, list) in segments(f, *b) {
                                n += 1;
                                list.iter().for_each(|&i| p.insts.set(i, n));
                            }
                        }
                    }
                    Item::Construct { root, blocks, .. } => {
                        p.roots.insert(*root);
                        for &b in blocks {
                            p.params.set(b, n);
                            f.blocks[b].insts.iter().for_each(|&i| p.insts.set(i, n));
                        }
                    }
                    Item::Loop(_) | Item::End => {}
                }
            }
        }
        p
    }

    fn defined(&self, f: &Function, v: Value) -> Option<u32> {
        match f.values[v].def {
            ValueDef::Inst(i, _) => Some(self.insts[i]),
            ValueDef::Param(b, _) => Some(self.params[b]),
            ValueDef::Const(_) | ValueDef::Undef => None,
        }
    }

    /// Gives variables to the values that are read elsewhere, and to the parameters of where parts begin.
    fn find_crossing(&mut self, f: &mut Function) {
        let mut found: Vec<Value> = Vec::new();
        for (_, i) in f.insts_in_order() {
            let here = self.insts[i];
            f.insts[i].for_each_use(|v| {
                if self.defined(f, v).is_some_and(|d| d != OUTSIDE && d != here) {
                    found.push(v);
                }
            });
        }
        for &b in f.layout.iter().filter(|&&b| self.roots.contains(b)) {
            found.extend(f.blocks[b].params.iter());
        }
        for v in found {
            if self.locals[v].is_none() {
                self.locals[v] = Some(add_local(f, f.ty(v)));
            }
        }
    }

    /// Reads what regions computed where code outside needs it, of the instructions before `limit`, which are no new ones.
    fn read_outside(&self, f: &mut Function, limit: Inst) {
        for b in f.layout.clone() {
            let old = std::mem::take(&mut f.blocks[b].insts);
            let outside = |i: Inst| i < limit && self.insts[i] == OUTSIDE;
            if !old.iter().any(|&i| outside(i) && self.crosses(f, i)) {
                f.blocks[b].insts = old;
                continue;
            }
            let mut read = BTreeMap::new();
            for i in old {
                if outside(i) {
                    self.read(&mut Builder::like(f, b, i), i, OUTSIDE, &mut read);
                }
                f.blocks[b].insts.push(i);
            }
        }
    }

    fn crosses(&self, f: &Function, i: Inst) -> bool {
        let mut any = false;
        f.insts[i].for_each_use(|v| any |= self.defined(f, v).is_some_and(|d| d != OUTSIDE && d != self.insts[i]));
        any
    }

    fn load(&self, b: &mut Builder<'_>, v: Value) -> Value {
        let (local, ty) = (self.locals[v].expect("a value that crosses has a variable"), b.func.ty(v));
        b.load(ty, mem(local, ty), None)
    }

    /// Stores a value of `of` in its variable, if it has one; where not all are there, the others keep what they have.
    fn store(&self, b: &mut Builder<'_>, of: Value, value: Value, own: Option<Value>) {
        let Some(local) = self.locals[of] else { return };
        let ty = b.func.ty(of);
        let value = match own {
            Some(own) => {
                let old = b.load(ty, mem(local, ty), None);
                b.select(own, value, old)
            }
            None => value,
        };
        b.store(value, mem(local, ty), None);
    }

    /// Makes an instruction at a place read the variables of values from elsewhere; `read` holds what was read there already.
    fn read(&self, b: &mut Builder<'_>, i: Inst, here: u32, read: &mut BTreeMap<Value, Value>) {
        let mut used: Vec<Value> = Vec::new();
        b.func.insts[i].for_each_use(|v| used.push(v));
        for v in used {
            let other = self.defined(b.func, v).is_some_and(|d| d != OUTSIDE && d != here);
            if other && !read.contains_key(&v) {
                read.insert(v, self.load(b, v));
            }
        }
        b.func.insts[i].map_uses(|v| read.get(&v).copied().unwrap_or(v));
    }
}

fn add_local(f: &mut Function, ty: Type) -> Local {
    f.locals.push(VarData {
        name: "crossing".into(),
        space: Space::Function,
        size: ty.mem_bytes(),
        align: ty.scalar().mem_bytes(),
        init: Init::Zero,
        span: Span::UNKNOWN,
    })
}

fn mem(l: Local, ty: Type) -> Mem {
    Mem::new(Place::Local(l), 0, ty.scalar().mem_bytes())
}

/// A region as it is written.
struct Line<'a> {
    f: &'a mut Function,
    s: &'a Structure,
    map: &'a PartMap,
    region: &'a Region,
    vote: Vote<'a>,
    /// The number of the part that an invocation is to execute.
    at: Local,
    /// Number of the first block of each part, and of where the region ends.
    labels: SecondaryMap<Block, Option<u32>>,
    /// Where code is added.
    cur: Block,
    /// Loops that have begun: the header, the target of `continue`, the block behind.
    loops: Vec<(Block, [Block; 3])>,
}

impl<'a> Line<'a> {
    fn new(f: &'a mut Function, s: &'a Structure, map: &'a PartMap, region: &'a Region, vote: Vote<'a>) -> Line<'a> {
        let mut labels = SecondaryMap::with_default(None);
        let mut n = 0;
        for item in &region.items {
            if let Item::Block(root) | Item::Construct { root, .. } = item {
                labels.set(*root, Some(n));
                n += 1;
            }
        }
        labels.set(region.merge, Some(n));
        let at = add_local(f, Type::I32);
        let cur = region.construct.map_or(f.entry(), |c| s.constructs[c].header);
        Line { f, s, map, region, vote, at, labels, cur, loops: Vec::new() }
    }

    fn run(&mut self, entries: &mut SecondaryMap<Block, Option<Block>>) {
        let header = self.cur;
        if self.region.construct.is_some_and(|c| self.s.is_loop(c)) {
            let entry = self.f.add_block();
            entries.set(header, Some(entry));
            for p in self.f.blocks[header].params.clone().iter().copied() {
                let v = self.f.add_param(entry, self.f.ty(p));
                self.map.store(&mut Builder::new(self.f, entry), p, v, None);
            }
            self.cur = entry;
            self.go(header);
        } else {
            let t = self.f.blocks[header].insts.pop().expect("a block ends");
            self.leave(t, OUTSIDE, None);
        }
        for item in &self.region.items {
            match item {
                Item::Block(b) => self.block(*b),
                Item::Construct { root, blocks, merge } => self.construct(*root, blocks, *merge),
                Item::Loop(l) => self.begin_loop(*l),
                Item::End => self.end_loop(),
            }
        }
        let params = self.f.blocks[self.region.merge].params.clone();
        let mut b = Builder::new(self.f, self.cur);
        let args: Vec<Value> = params.iter().map(|&p| self.map.load(&mut b, p)).collect();
        b.jump(self.region.merge, &args);
    }

    /// Whether the invocation is to execute the part that begins here.
    fn own(&mut self, root: Block) -> Value {
        let label = self.f.iconst(Type::I32, self.labels[root].expect("a part has a number").into());
        let mut b = Builder::new(self.f, self.cur);
        let at = b.load(Type::I32, mem(self.at, Type::I32), None);
        b.icmp(IntCc::Eq, at, label)
    }

    /// Opens a branch for the invocations that are to execute a part: its block, and the one behind.
    fn guard(&mut self, root: Block) -> (Block, Block) {
        let own = self.own(root);
        let (body, next) = (self.f.add_block(), self.f.add_block());
        Builder::new(self.f, self.cur).br(own, Edge::to(body), Edge::to(next), Some(next));
        self.cur = body;
        (body, next)
    }

    /// Has the part that begins with a block come next, or nothing more of the region.
    fn go(&mut self, to: Block) {
        let end = self.labels[self.region.merge];
        let label = self.labels[to].or(end).expect("a region has an end");
        let label = self.f.iconst(Type::I32, label.into());
        Builder::new(self.f, self.cur).store(label, mem(self.at, Type::I32), None);
    }

    /// Moves instructions here that stood at a place.
    fn add(&mut self, list: &[Inst], own: Option<Value>) {
        let mut read = BTreeMap::new();
        // Only in a loop may who is elsewhere have been here before.
        let keep = own.filter(|_| !self.loops.is_empty());
        for &i in list {
            let mut b = Builder::like(self.f, self.cur, i);
            self.map.read(&mut b, i, self.map.insts[i], &mut read);
            if let Some(own) = own.filter(|_| b.func.insts[i].op == Op::Ballot) {
                let c = b.func.insts[i].args[0];
                let both = b.and(own, c);
                b.func.insts[i].args[0] = both;
            }
            b.func.blocks[self.cur].insts.push(i);
            for v in b.func.insts[i].results {
                self.map.store(&mut b, v, v, keep);
            }
        }
    }

    /// A part that is one block.
    fn block(&mut self, block: Block) {
        let ops = self.f.blocks[block].insts.iter().any(|&i| between_lanes(self.f.insts[i].op));
        let t = self.f.terminator(block);
        let segments = if ops { segments(self.f, block) } else { Vec::new() };
        let list = std::mem::take(&mut self.f.blocks[block].insts);
        if !ops {
            let (_, next) = self.guard(block);
            self.add(&list[..list.len() - 1], None);
            self.leave(t, self.map.insts[t], None);
            Builder::new(self.f, self.cur).jump(next, &[]);
            self.cur = next;
            return;
        }
        for (all, list) in segments {
            if all {
                let own = self.own(block);
                self.add(&list, Some(own));
            } else {
                let (_, next) = self.guard(block);
                self.add(&list, None);
                Builder::new(self.f, self.cur).jump(next, &[]);
                self.cur = next;
            }
        }
        let own = self.own(block);
        self.leave(t, self.map.insts[t], Some(own));
    }

    /// Replaces a terminator: says what comes next, and sets the parameters of that.
    fn leave(&mut self, t: Inst, here: u32, own: Option<Value>) {
        let end = self.labels[self.region.merge];
        let labels = &self.labels;
        let number = |b: Block| i64::from(labels[b].or(end).expect("a region has an end"));
        let mut b = Builder::like(self.f, self.cur, t);
        self.map.read(&mut b, t, here, &mut BTreeMap::new());
        let d = b.func.insts[t].clone();
        // Each way and its condition, of which one holds.
        let mut ways: Vec<(Option<Value>, Edge)> = d.edges().iter().map(|e| (None, e.to_edge())).collect();
        match &d.attr {
            Attr::Switch(sw) => {
                let ty = b.func.ty(d.args[0]);
                let mut some = b.func.bconst(false);
                for (way, case) in ways.iter_mut().zip(&sw.cases) {
                    let n = b.func.iconst(ty, case.0 as i64);
                    let c = b.icmp(IntCc::Eq, d.args[0], n);
                    way.0 = Some(c);
                    some = b.or(some, c);
                }
                if let Some(way) = ways.last_mut().filter(|_| !sw.cases.is_empty()) {
                    way.0 = Some(b.not(some));
                }
            }
            _ if ways.len() == 2 => {
                ways[0].0 = Some(d.args[0]);
                ways[1].0 = Some(b.not(d.args[0]));
            }
            _ => {}
        }
        let last = ways.last().map_or(self.region.merge, |w| w.1.block);
        let mut next = b.func.iconst(Type::I32, number(last));
        let mut set: BTreeMap<Value, Value> = BTreeMap::new();
        for (c, e) in &ways {
            if let Some(c) = *c
                && number(e.block) != number(last)
            {
                let n = b.func.iconst(Type::I32, number(e.block));
                next = b.select(c, n, next);
            }
            let params = b.func.blocks[e.block].params.clone();
            for (&p, &v) in params.iter().zip(&e.args) {
                let v = match *c {
                    Some(c) => {
                        let old = set.get(&p).copied().unwrap_or_else(|| self.map.load(&mut b, p));
                        b.select(c, v, old)
                    }
                    None => v,
                };
                set.insert(p, v);
            }
        }
        for (p, v) in set {
            self.map.store(&mut b, p, v, own);
        }
        if let Some(own) = own {
            let old = b.load(Type::I32, mem(self.at, Type::I32), None);
            next = b.select(own, next, old);
        }
        b.store(next, mem(self.at, Type::I32), None);
    }

    /// A part that is a construct without operations.
    fn construct(&mut self, root: Block, blocks: &[Block], merge: Block) {
        let (body, next) = self.guard(root);
        let here = self.map.params[root];
        // All that it reads of other parts, at once.
        let mut read = BTreeMap::new();
        for &x in blocks {
            for i in self.f.blocks[x].insts.clone() {
                self.map.read(&mut Builder::new(self.f, body), i, here, &mut read);
            }
        }
        let params = self.f.blocks[root].params.clone();
        let mut b = Builder::new(self.f, body);
        let args: Vec<Value> = params.iter().map(|&p| self.map.load(&mut b, p)).collect();
        b.jump(root, &args);
        // Its end.
        let stop = self.f.add_block();
        for p in self.f.blocks[merge].params.clone().iter().copied() {
            let v = self.f.add_param(stop, self.f.ty(p));
            self.map.store(&mut Builder::new(self.f, stop), p, v, None);
        }
        self.cur = stop;
        self.go(merge);
        Builder::new(self.f, stop).jump(next, &[]);
        for &x in blocks {
            self.keep_results(x);
            let t = self.f.terminator(x);
            let mut edges: SmallVec<[Edge; 2]> = self.f.insts[t].edges().iter().map(|e| e.to_edge()).collect();
            for e in &mut edges {
                if e.block == merge {
                    e.block = stop;
                } else if self.map.params[e.block] != here {
                    // A way out of a loop around, or to its next round.
                    let out = self.f.add_block();
                    for (&p, &v) in self.f.blocks[e.block].params.clone().iter().zip(&e.args) {
                        self.map.store(&mut Builder::new(self.f, out), p, v, None);
                    }
                    self.cur = out;
                    self.go(e.block);
                    Builder::new(self.f, out).jump(next, &[]);
                    *e = Edge::to(out);
                }
            }
            for (n, e) in edges.iter().enumerate() {
                self.f.insts[t].set_edge(n, e);
            }
            if self.f.insts[t].merge() == Some(merge) {
                self.f.insts[t].set_merge(Some(stop));
            }
            if let Some(h) = self.f.blocks[x].header.as_mut().filter(|h| h.merge == merge) {
                h.merge = stop;
            }
        }
        self.cur = next;
    }

    /// Stores what a block of a construct computes and others read.
    fn keep_results(&mut self, x: Block) {
        let old = std::mem::take(&mut self.f.blocks[x].insts);
        for p in self.f.blocks[x].params.clone().iter().copied() {
            self.map.store(&mut Builder::new(self.f, x), p, p, None);
        }
        for i in old {
            self.f.blocks[x].insts.push(i);
            for v in self.f.insts[i].results {
                self.map.store(&mut Builder::like(self.f, x, i), v, v, None);
            }
        }
    }

    fn begin_loop(&mut self, l: ConstructId) {
        let header = self.s.constructs[l].header;
        let [again, body, cont, behind] = std::array::from_fn(|_| self.f.add_block());
        Builder::new(self.f, self.cur).jump(again, &[]);
        let mut b = Builder::new(self.f, again);
        b.set_loop(again, behind, cont);
        b.jump(body, &[]);
        self.loops.push((header, [again, cont, behind]));
        self.cur = body;
    }

    fn end_loop(&mut self) {
        let (header, [again, cont, behind]) = self.loops.pop().expect("a loop that begins ends");
        Builder::new(self.f, self.cur).jump(cont, &[]);
        self.cur = cont;
        let own = self.own(header);
        let mut b = Builder::new(self.f, cont);
        let goes_on = (self.vote)(&mut b, own);
        b.br(goes_on, Edge::to(again), Edge::to(behind), None);
        self.cur = behind;
    }
}
