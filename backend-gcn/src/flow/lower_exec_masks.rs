//! Puts the plan of `flow` into code: EXEC, the masks of waiting lanes, branches, and the graph of the wave.
//!
//! Needs: one machine block per block of the plan, in its order, each ending in `Leave`. Leaves: real branches, `linear`
//! edges on every block, masks as ordinary values.

use gpucc_gcn_machine::Op;
use gpucc_mir::{
    BlockId, Cfg, CodeBuffer, Def, MEdge, MEdges, MFunc, MInst, PReg, Pseudo, Target, Use, VReg, construct_ssa,
};
use smallvec::{SmallVec, smallvec};

use crate::builders as build;
use crate::flow::edges::BlockInsertions;
use crate::flow::{EdgeKind, Plan, PlanEdge, Waiting, WaveExit};
use crate::inst::{Cond, FILE_S, GOp, Gcn, MI, S2, exec, op};

/// EXEC as a definition.
fn exec_def() -> Def {
    Def::preg(PReg::new(FILE_S, 126, 2))
}

/// Where a block leads.
type Succs = SmallVec<[BlockId; 2]>;

struct Lowering<'a> {
    mf: &'a mut MFunc<Gcn>,
    plan: &'a Plan,
    /// The mask of each block in which lanes wait, and the saved EXEC of each block that is asked for it.
    waits: Vec<VReg>,
    saved: Vec<VReg>,
    /// Where the wave arrives at each block of the plan.
    entries: Vec<BlockId>,
    /// Successors of each machine block on the graph of the wave.
    succs: Vec<Succs>,
    /// The instructions of the blocks, in the order of the code.
    lists: CodeBuffer<Gcn>,
    /// Blocks that end the wave: they come last.
    endings: Vec<BlockId>,
}

/// Lowers all of `mf`, whose blocks are those of the plan. Gives the number of blocks of the wave's graph.
pub fn lower(mf: &mut MFunc<Gcn>, plan: &Plan, t: &Gcn) -> u64 {
    let n = plan.blocks.len();
    let selected = std::mem::take(&mut mf.code);
    mf.code.resize_with(n, Vec::new);
    let mut vars = Vec::new();
    let mut var = |mf: &mut MFunc<Gcn>, wanted: bool| {
        if !wanted {
            return VReg::NONE;
        }
        let v = mf.vreg(S2);
        vars.push(v);
        v
    };
    let waits: Vec<VReg> = plan.blocks.iter().map(|b| var(mf, b.waiting == Waiting::Collected)).collect();
    let saved: Vec<VReg> = plan.blocks.iter().map(|b| var(mf, b.saves)).collect();
    let mut entries: Vec<BlockId> = (0..n as u32).map(BlockId).collect();
    let mut order: Vec<BlockId> = Vec::new();
    mf.reserve(waits.iter().filter(|v| !v.is_none()).count());
    for (p, b) in plan.blocks.iter().enumerate() {
        if b.waiting == Waiting::Collected {
            entries[p] = mf.block();
            mf.at(entries[p]).runs = mf.blocks[p].runs;
            order.push(entries[p]);
        }
        order.push(BlockId(p as u32));
    }
    let succs = vec![Succs::new(); mf.blocks.len()];
    let lists = CodeBuffer::new(2 * n);
    let mut l = Lowering { mf, plan, waits, saved, entries, succs, lists, endings: Vec::new() };
    for (p, code) in selected.into_iter().take(n).enumerate() {
        l.begin(p);
        l.lists.extend(code);
        l.end(p);
        l.lists.close();
    }
    for &b in &l.endings {
        l.lists.push(MInst::new(GOp::End));
        l.lists.close();
        order.push(b);
    }
    let Lowering { succs, lists, .. } = l;
    graph(mf, t, succs, order, lists);
    construct_ssa(mf, t, &vars);
    mf.blocks.len() as u64
}

impl Lowering<'_> {
    /// A block that ends the wave; its code comes at the end.
    fn ending(&mut self) -> BlockId {
        let b = self.mf.block();
        self.succs.push(Succs::new());
        self.endings.push(b);
        b
    }

    /// Ends the code of `b`, the list that is being written.
    fn branch(&mut self, b: BlockId, cond: Cond, args: MI, to: [BlockId; 2]) {
        let mut i = args;
        i.op = gpucc_mir::Opcode::Op(GOp::Branch(cond));
        self.lists.push(i.arg(to[0]).arg(to[1]));
        self.succs[b.0 as usize] = Succs::from_slice(&to);
    }

    /// The same, where there is one way.
    fn jump(&mut self, b: BlockId, to: BlockId) {
        self.lists.push(MInst::new(GOp::Jump).arg(to));
        self.succs[b.0 as usize] = smallvec![to];
    }

    /// The head of a block in which lanes wait.
    fn begin(&mut self, p: usize) {
        let b = &self.plan.blocks[p];
        match b.waiting {
            Waiting::Nobody => {}
            Waiting::Saved(d) => {
                let back = build::SMovB64.on([self.saved[d].into()]).def(exec_def());
                self.lists.extend([back, MInst::pseudo(Pseudo::LogicalStart)]);
            }
            Waiting::Collected => {
                let (at, mask, skip_to) = (self.entries[p], self.waits[p], b.skip_to);
                let take = if b.arrives {
                    build::SOrB64.on([exec(), mask.into()]).def(exec_def())
                } else {
                    build::SMovB64.on([mask.into()]).def(exec_def())
                };
                self.lists.push(take);
                let none = match skip_to {
                    Some(w) => self.entries[w],
                    None => self.ending(),
                };
                self.branch(at, Cond::Active, MInst::new(GOp::End), [BlockId(p as u32), none]);
                self.lists.close();
            }
        }
    }

    /// The end of a block.
    fn end(&mut self, p: usize) {
        let here = BlockId(p as u32);
        let plan = &self.plan.blocks[p];
        let Some(leave) = self.lists.pop() else { return };
        let loc = leave.loc;
        let from = self.lists.open().len();
        self.lists.push(MInst::pseudo(Pseudo::LogicalEnd));
        for &x in &plan.clear {
            self.lists.push(build::SMovB64.on([Use::imm(0)]).def(self.waits[x]));
        }
        let mask = leave.uses.first().copied();
        let waits = |e: &PlanEdge| e.how == EdgeKind::Park;
        let lanes = || op(Op::SAndB64).def(exec_def()).arg(exec());
        match (plan.edges.as_slice(), mask) {
            ([t, e], Some(m)) if waits(t) || waits(e) => {
                self.wait(t, Some((Op::SAndB64, m)));
                self.wait(e, Some((Op::SAndn2B64, m)));
                match (waits(t), waits(e)) {
                    (false, _) if plan.saves => {
                        let i = build::SAndSaveexecB64.on([m]).def(self.saved[p]).def(exec_def());
                        self.lists.push(i);
                    }
                    (false, _) => self.lists.push(lanes().arg(m)),
                    (true, other) => {
                        if plan.saves {
                            self.lists.push(build::SMovB64.on([exec()]).def(self.saved[p]));
                        }
                        if !other {
                            let i = build::SAndn2B64.on([exec(), m]).def(exec_def());
                            self.lists.push(i);
                        }
                    }
                }
            }
            (edges, _) => {
                if plan.saves {
                    self.lists.push(build::SMovB64.on([exec()]).def(self.saved[p]));
                }
                if let [e] = edges {
                    self.wait(e, None);
                }
            }
        }
        match self.plan.out(p) {
            WaveExit::End => self.lists.push(MInst::new(GOp::End)),
            WaveExit::One(w) => {
                // All of them wait: EXEC is to be empty where others are added to it.
                let gone = plan.edges.iter().all(waits);
                let target = &self.plan.blocks[w];
                if gone && target.arrives && target.waiting == Waiting::Collected {
                    self.lists.push(build::SMovB64.on([Use::imm(0)]).def(exec_def()));
                }
                self.jump(here, self.entries[w]);
            }
            WaveExit::Cond(t, e) => {
                let cond = match leave.op {
                    gpucc_mir::Opcode::Op(GOp::Leave(Some(cmp))) => Cond::Scalar(cmp),
                    _ => Cond::Lanes,
                };
                let to = [self.entries[t], self.entries[e]];
                let mut args = leave;
                args.uses.truncate(if cond == Cond::Lanes { 1 } else { 2 });
                self.branch(here, cond, args, to);
            }
            WaveExit::Active(to, Some(w)) => {
                let to = [self.entries[to], self.entries[w]];
                self.branch(here, Cond::Active, MInst::new(GOp::End), to);
            }
            WaveExit::Active(to, None) if to <= p => {
                let to = [self.entries[to], self.ending()];
                self.branch(here, Cond::Active, MInst::new(GOp::End), to);
            }
            WaveExit::Active(to, None) => self.jump(here, self.entries[to]),
        }
        if self.lists.open().len() == from + 2 {
            // The end of the block ends its logical part as well.
            let last = self.lists.pop();
            self.lists.pop();
            self.lists.extend(last);
        }
        for i in &mut self.lists.open()[from..] {
            i.loc = loc;
        }
    }

    /// The active lanes, or those of them that a mask chooses, wait at the target of an edge.
    fn wait(&mut self, edge: &PlanEdge, chosen: Option<(Op, crate::inst::U)>) {
        if edge.how != EdgeKind::Park || self.plan.blocks[edge.to].waiting != Waiting::Collected {
            return;
        }
        let r = self.waits[edge.to];
        let these = match (chosen, edge.first) {
            (None, true) => return self.lists.push(build::SMovB64.on([exec()]).def(r)),
            (None, false) => exec(),
            (Some((o, m)), true) => return self.lists.push(op(o).def(r).arg(exec()).arg(m)),
            (Some((o, m)), false) => {
                let some = self.mf.vreg(S2);
                self.lists.push(op(o).def(some).arg(exec()).arg(m));
                some.into()
            }
        };
        self.lists.push(build::SOrB64.on([r.into(), these]).def(r));
    }
}

/// Sets the edges of the wave, gives critical ones blocks of their own, and orders the blocks, whose code is in `lists`.
fn graph(mf: &mut MFunc<Gcn>, t: &Gcn, mut succs: Vec<Succs>, order: Vec<BlockId>, lists: CodeBuffer<Gcn>) {
    let mut preds = vec![0u32; succs.len()];
    succs.iter().flatten().for_each(|b| preds[b.0 as usize] += 1);
    let mut place = vec![0; succs.len()];
    for (k, b) in order.iter().enumerate() {
        place[b.0 as usize] = k;
    }
    let mut added = BlockInsertions::new(order.len());
    let critical = |list: &Succs, to: BlockId| list.len() > 1 && preds[to.0 as usize] > 1;
    mf.reserve(succs.iter().map(|list| list.iter().filter(|&&to| critical(list, to)).count()).sum());
    // Arguments travel on the last edge of the way.
    let mut via: Vec<Option<usize>> = vec![None; succs.len()];
    for b in 0..succs.len() {
        for k in 0..succs[b].len() {
            let to = succs[b][k];
            if !critical(&succs[b], to) {
                continue;
            }
            let new = mf.block();
            mf.at(new).runs = mf.blocks[b].runs.min(mf.blocks[to.0 as usize].runs);
            via.push(Some(b));
            succs.push(smallvec![to]);
            succs[b][k] = new;
            added.add(place[b], place[to.0 as usize], new);
        }
    }
    let order = added.into_order(order);
    // From here on blocks have their new numbers, and all of them are visited in order.
    let new_of = mf.reorder(&order);
    let linear =
        |mf: &MFunc<Gcn>, v: VReg| t.files()[t.classes()[mf.class(v).0 as usize].file as usize].cfg == Cfg::Linear;
    let mut lists = lists.in_order();
    for (b, old) in order.iter().enumerate() {
        let source = via[old.0 as usize].map_or(b, |s| new_of[s].0 as usize);
        let edges = succs[old.0 as usize].iter().map(|&to| {
            let to = new_of[to.0 as usize];
            let params = &mf.blocks[to.0 as usize].params;
            // A parameter on this graph belongs to a block that lanes reach just as the wave does.
            let logical = mf.blocks[source].succs.iter().find(|e| e.to == to);
            let arg = |k: usize| logical.filter(|_| linear(mf, params[k])).map_or(VReg::NONE, |e| e.args[k]);
            MEdge { to, args: (0..params.len()).map(arg).collect() }
        });
        let edges: MEdges = edges.collect();
        let insts = if via[old.0 as usize].is_some() {
            edges.iter().map(|e| t.jump(e.to)).collect()
        } else {
            let mut insts = lists.next().unwrap_or_default();
            let labels = insts.last_mut().into_iter().flat_map(|i| &mut i.uses);
            let labels = labels.filter(|u| matches!(u.src, gpucc_mir::Src::Label(_)));
            labels.zip(&edges).for_each(|(u, e)| u.src = gpucc_mir::Src::Label(e.to));
            insts
        };
        mf.code[b] = insts;
        mf.blocks[b].linear = Some(edges);
    }
    for b in 0..mf.blocks.len() {
        let mut edges = std::mem::take(&mut mf.blocks[b].succs);
        for e in &mut edges {
            for k in 0..e.args.len() {
                if linear(mf, mf.blocks[e.to.0 as usize].params[k]) {
                    e.args[k] = VReg::NONE;
                }
            }
        }
        mf.blocks[b].succs = edges;
    }
}
