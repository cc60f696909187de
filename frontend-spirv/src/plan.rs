//! The blocks of a function as the IR wants them: which are reached, in which order, which are loops, and where constructs end that
//! the module does not name.
//!
//! The IR's rule is that an edge enters a block that its source dominates, or leaves constructs. SPIR-V has two more kinds of edges:
//! a case of a switch that falls through to the next one, and the arms of a loop's own branch that come together in the loop. Both lead to a block
//! with several ways in that ends no construct. Such a *join* becomes the end of a construct around the branch of the block that
//! dominates it:
//!
//! ```text
//!   switch (a: 1 -> A, 2 -> B), A falls into B    ==>    { { switch (1 -> A, 2 -> leave to B) ... A: leave to B } B: ... }
//! ```

use crate::module::{Function, Inst, Module};
use gpucc_ir::analysis::DomTree;
use gpucc_ir::{Block as Id, CsrLists, Diagnostic, Entity};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The instructions before the terminator of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// Nothing.
    None,
    /// `OpSelectionMerge`.
    Selection(usize),
    /// `OpLoopMerge`: merge and continue target.
    Loop(usize, usize),
}

/// A block of a function, with its part in constructs.
#[derive(Debug, Clone)]
pub struct Block {
    /// Id of the block's label.
    pub label: u32,
    /// Instructions behind the label, up to the merge or the terminator.
    pub body: std::ops::Range<usize>,
    /// Index of its terminator.
    pub term: usize,
    /// The merge instruction of the construct that it opens.
    pub merge: Merge,
    /// Where it leads, with repetitions.
    pub succs: SmallVec<[usize; 2]>,
    /// Reached blocks that lead here, each once.
    pub preds: Vec<usize>,
    /// Its place in the order; `u32::MAX` if it is not reached.
    pub order: u32,
    /// Whether it is the header of a loop that comes back.
    pub is_loop: bool,
    /// The header of the innermost loop that it lies in, its own if it is one.
    pub in_loop: Option<usize>,
    /// Ends of constructs that its terminator opens, the outermost first.
    pub opens: SmallVec<[usize; 2]>,
    /// Header of the loop around it, for the header of a loop.
    pub outer: Option<usize>,
    /// The header of the construct whose merge it is.
    closes: Option<usize>,
    /// Whether it is the merge of a loop.
    pub ends_loop: bool,
    /// Whether it is the header of a loop that a return stands in.
    pub returns: bool,
}

/// Blocks of a function, in the order in which they are lowered.
#[derive(Debug)]
pub struct Plan {
    /// The function whose blocks they are.
    pub function: Function,
    /// Parameters: indices of instructions.
    pub params: Vec<usize>,
    /// Blocks in the order of the module.
    pub blocks: Vec<Block>,
    /// Reached blocks, a block behind those that dominate it.
    pub order: Vec<usize>,
    tree: DomTree,
    /// Values that phis take: by the phi's instruction and the block that leads there.
    pub phis: FxHashMap<(usize, usize), u32>,
    /// Indices of the blocks that return.
    pub returns: Vec<usize>,
    /// Whether a return stands in a loop.
    pub returns_in_loop: bool,
    /// Results that are used outside of a loop with a return that they are made in.
    pub carried: Vec<u32>,
}

struct Planner<'m> {
    m: &'m Module,
    blocks: Vec<Block>,
    by_label: FxHashMap<u32, usize>,
}

/// Steps from block to block that the search for dominators may take: a few seconds.
const MOST_STEPS: u64 = 1 << 28;

type Found<T> = Result<T, Diagnostic>;

/// Plans a function.
///
/// # Errors
/// Blocks that are none, and control flow that is not structured.
pub fn plan(m: &Module, function: &Function) -> Found<Plan> {
    let mut p = Planner { m, blocks: Vec::new(), by_label: FxHashMap::default() };
    let params = p.split(function)?;
    let phis = p.link()?;
    let tree = p.dominators()?;
    let order: Vec<usize> = tree.rpo().iter().map(|b| b.index()).collect();
    p.check_edges(&order, &tree)?;
    p.loops(&order, &tree)?;
    p.constructs(&order, &tree)?;
    let mut plan = Plan {
        function: function.clone(),
        params,
        blocks: p.blocks,
        order,
        tree,
        phis,
        returns: Vec::new(),
        returns_in_loop: false,
        carried: Vec::new(),
    };
    plan.find_returns(m);
    Ok(plan)
}

impl Planner<'_> {
    fn inst(&self, at: usize) -> &Inst {
        &self.m.insts[at]
    }

    /// Takes the function apart into blocks; gives its parameters.
    fn split(&mut self, function: &Function) -> Found<Vec<usize>> {
        let m = self.m;
        let mut params = Vec::new();
        let mut open: Option<(u32, usize)> = None;
        let mut merge: Option<usize> = None;
        for at in function.body.clone() {
            let inst = *self.inst(at);
            match (inst.op, open) {
                (Op::FunctionParameter, None) if self.blocks.is_empty() => params.push(at),
                (Op::Label, None) => {
                    open = Some((inst.id, at + 1));
                    self.by_label.insert(inst.id, self.blocks.len());
                }
                (Op::Label, Some(_)) => return Err(m.wrong(&inst, "the block before it has no end")),
                (_, None) => return Err(m.wrong(&inst, "it stands in no block")),
                (Op::FunctionParameter, Some(_)) => return Err(m.wrong(&inst, "it stands in a block")),
                (Op::SelectionMerge | Op::LoopMerge, Some(_)) if merge.is_none() => merge = Some(at),
                (op, Some((label, from))) if rspirv::grammar::reflect::is_block_terminator(op) => {
                    let body = from..merge.unwrap_or(at);
                    // Which merge it is is known when all labels are.
                    self.blocks.push(Block {
                        label,
                        body,
                        term: at,
                        merge: Merge::None,
                        succs: SmallVec::new(),
                        preds: Vec::new(),
                        order: u32::MAX,
                        is_loop: false,
                        in_loop: None,
                        opens: SmallVec::new(),
                        outer: None,
                        closes: None,
                        ends_loop: false,
                        returns: false,
                    });
                    (open, merge) = (None, None);
                }
                _ if merge.is_some() => return Err(m.wrong(&inst, "it stands between a merge and a branch")),
                _ => {}
            }
        }
        if open.is_some() || self.blocks.is_empty() {
            let inst = self.inst(function.inst);
            let text = if open.is_some() { "its last block has no end" } else { "it has no body" };
            return Err(m.wrong(inst, text));
        }
        Ok(params)
    }

    fn block(&self, label: u32, inst: &Inst) -> Found<usize> {
        match self.by_label.get(&label) {
            Some(0) => Err(self.m.wrong(inst, "it leads to the first block")),
            Some(&b) => Ok(b),
            None => Err(self.m.wrong(inst, format!("%{label} is no label of this function"))),
        }
    }

    /// Edges, merges, and the values of phis.
    fn link(&mut self) -> Found<FxHashMap<(usize, usize), u32>> {
        let m = self.m;
        let mut phis = FxHashMap::default();
        for b in 0..self.blocks.len() {
            let Block { term, body, .. } = self.blocks[b].clone();
            let inst = *self.inst(term);
            let o = m.operands(&inst);
            let labels: Vec<u32> = match inst.op {
                Op::Branch => vec![o[0]],
                Op::BranchConditional => vec![o[1], o[2]],
                Op::Switch => {
                    let mut list = vec![o[1]];
                    let width = self.switch_words(&inst)?;
                    if !(o.len() - 2).is_multiple_of(width + 1) {
                        return Err(m.wrong(&inst, "its cases are cut off"));
                    }
                    list.extend(o[2..].chunks_exact(width + 1).map(|c| c[width]));
                    list
                }
                _ => Vec::new(),
            };
            for label in labels {
                let to = self.block(label, &inst)?;
                self.blocks[b].succs.push(to);
            }
            if body.end < term {
                let merge = *self.inst(body.end);
                let o = m.operands(&merge);
                self.blocks[b].merge = match merge.op {
                    Op::SelectionMerge => Merge::Selection(self.block(o[0], &merge)?),
                    _ => Merge::Loop(self.block(o[0], &merge)?, self.block_or_first(o[1], &merge)?),
                };
                if matches!(self.blocks[b].merge, Merge::Selection(t) | Merge::Loop(t, _) if t == b) {
                    return Err(m.wrong(&merge, "a block is its own merge"));
                }
            }
            let mut head = true;
            for at in body {
                let inst = *self.inst(at);
                if inst.op != Op::Phi {
                    head = false;
                    continue;
                }
                if !head || b == 0 {
                    return Err(m.wrong(&inst, "it stands behind other instructions, or in the first block"));
                }
                let o = m.operands(&inst);
                for pair in o.chunks_exact(2) {
                    let from = self.by_label.get(&pair[1]).copied();
                    let from =
                        from.ok_or_else(|| m.wrong(&inst, format!("%{} is no label of this function", pair[1])))?;
                    if phis.insert((at, from), pair[0]).is_some() {
                        return Err(m.wrong(&inst, format!("%{} stands twice in it", pair[1])));
                    }
                }
            }
        }
        Ok(phis)
    }

    fn block_or_first(&self, label: u32, inst: &Inst) -> Found<usize> {
        match self.by_label.get(&label) {
            Some(&b) => Ok(b),
            None => self.block(label, inst),
        }
    }

    /// Words of a case's value.
    fn switch_words(&self, inst: &Inst) -> Found<usize> {
        let selector = self.m.operands(inst)[0];
        let ty = self.m.def(selector).map_or(0, |d| self.m.insts[d].ty);
        match self.m.def(ty).map(|d| &self.m.insts[d]) {
            Some(t) if t.op == Op::TypeInt => Ok(if self.m.operands(t)[0] > 32 { 2 } else { 1 }),
            _ => Err(self.m.wrong(inst, format!("%{selector} is no integer"))),
        }
    }

    /// The dominators of reached blocks, their places in the order, and the predecessors among them.
    fn dominators(&mut self) -> Found<DomTree> {
        let edges: Vec<(Id, Id)> = (0..self.blocks.len())
            .flat_map(|b| self.blocks[b].succs.iter().map(move |&s| (Id::new(b), Id::new(s))))
            .collect();
        let tree = DomTree::within(self.blocks.len(), Id::new(0), &CsrLists::new(&edges), MOST_STEPS);
        let tree = tree.ok_or_else(|| gpucc_frontend_common::report::limit(&gpucc_frontend_common::limits::BLOCKS))?;
        for (k, b) in (0..).zip(tree.rpo()) {
            self.blocks[b.index()].order = k;
        }
        for b in tree.rpo().iter().map(|b| b.index()) {
            for k in 0..self.blocks[b].succs.len() {
                let to = self.blocks[b].succs[k];
                if self.blocks[to].preds.last() != Some(&b) {
                    self.blocks[to].preds.push(b);
                }
            }
        }
        Ok(tree)
    }

    /// Every way back leads to the header of a loop, from its continue target.
    fn check_edges(&mut self, order: &[usize], tree: &DomTree) -> Found<()> {
        for &b in order {
            for k in 0..self.blocks[b].succs.len() {
                let to = self.blocks[b].succs[k];
                if self.blocks[to].order > self.blocks[b].order {
                    continue;
                }
                let term = self.inst(self.blocks[b].term);
                let Merge::Loop(_, cont) = self.blocks[to].merge else {
                    return Err(self.m.wrong(term, "it leads back to a block that is no header of a loop"));
                };
                if !dominates(tree, to, b) {
                    return Err(self.m.wrong(term, "it leads into a loop past its header"));
                }
                if !self.is_reached(cont) || !dominates(tree, cont, b) {
                    return Err(self
                        .m
                        .wrong(term, "it leads back to a header from outside of the loop's continue target"));
                }
                self.blocks[to].is_loop = true;
            }
        }
        Ok(())
    }

    fn is_reached(&self, b: usize) -> bool {
        self.blocks[b].order != u32::MAX
    }

    /// The loop of every block.
    fn loops(&mut self, order: &[usize], tree: &DomTree) -> Found<()> {
        for &b in order {
            let mut at = if b == 0 { None } else { self.blocks[idom(tree, b)].in_loop };
            // A merge lies outside of its loop.
            let mut c = at;
            while let Some(header) = c {
                let outer = self.blocks[header].outer;
                if matches!(self.blocks[header].merge, Merge::Loop(merge, _) if merge == b) {
                    at = outer;
                    break;
                }
                c = outer;
            }
            if let (true, Merge::Loop(_, cont)) = (self.blocks[b].is_loop, self.blocks[b].merge) {
                if !dominates(tree, b, cont) {
                    let merge = self.inst(self.blocks[b].body.end);
                    return Err(self.m.wrong(merge, "the continue target lies outside of the loop"));
                }
                self.blocks[b].outer = at;
                at = Some(b);
            }
            self.blocks[b].in_loop = at;
        }
        Ok(())
    }

    /// Which terminator opens which constructs.
    fn constructs(&mut self, order: &[usize], tree: &DomTree) -> Found<()> {
        let mut ends: Vec<bool> = vec![false; self.blocks.len()];
        for &b in order {
            if let (true, Merge::Loop(_, cont)) = (self.blocks[b].is_loop, self.blocks[b].merge) {
                ends[cont] = true;
            }
        }
        for &b in order {
            let (Merge::Selection(to) | Merge::Loop(to, _)) = self.blocks[b].merge else { continue };
            if !self.is_reached(to) {
                continue;
            }
            let inst = *self.inst(self.blocks[b].body.end);
            if !dominates(tree, b, to) {
                return Err(self.m.wrong(&inst, "the merge is reached past its header"));
            }
            if self.blocks[to].closes.replace(b).is_some() {
                return Err(self.m.wrong(&inst, "the merge is that of another construct, too"));
            }
            if self.blocks[b].is_loop {
                ends[to] = true;
                self.blocks[to].ends_loop = true;
                continue;
            }
            // An exit to the continue target or the merge of a loop needs no construct of its own.
            let known = self.blocks[b].in_loop.is_some_and(|l| match self.blocks[l].merge {
                Merge::Loop(merge, cont) => to == merge || to == cont,
                _ => false,
            });
            if !known {
                ends[to] = true;
                self.blocks[b].opens.push(to);
            }
        }
        for &b in order.iter().rev() {
            let ways = self.blocks[b].preds.iter().filter(|&&p| !dominates(tree, b, p)).count();
            if ways > 1 && !ends[b] {
                self.blocks[idom(tree, b)].opens.push(b);
            }
        }
        Ok(())
    }
}

fn dominates(tree: &DomTree, a: usize, b: usize) -> bool {
    tree.dominates(Id::new(a), Id::new(b))
}

/// The immediate dominator of a reached block; itself of the first block.
fn idom(tree: &DomTree, b: usize) -> usize {
    tree.idom(Id::new(b)).map_or(b, |d| d.index())
}

impl Plan {
    /// Whether a block dominates another, or is it. Blocks that are not reached dominate nothing.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        dominates(&self.tree, a, b)
    }

    /// The loops around a block, from the inside out.
    pub fn loops_of(&self, b: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.blocks[b].in_loop, |&l| self.blocks[l].outer)
    }

    /// Whether a block lies in a loop.
    pub fn is_in(&self, b: usize, header: usize) -> bool {
        let depth = |l: usize| self.blocks[l].order;
        let mut loops = self.loops_of(b).take_while(|&l| depth(l) >= depth(header));
        loops.any(|l| l == header)
    }

    /// Where a lane continues as a helper that `b` kills: behind the branch that `b` stands in, so that its neighbours have derivatives. It
    /// returns where there is no such place, and from loops, which might not end without it.
    pub fn behind_kill(&self, b: usize) -> Option<usize> {
        let mut at = b;
        while at != 0 && self.blocks[b].in_loop.is_none() {
            // Constructs between the header and the merge of another one have ended, though their headers may dominate the merge.
            if let Some(header) = self.blocks[at].closes {
                at = header;
                continue;
            }
            let header = idom(&self.tree, at);
            if let Merge::Selection(merge) = self.blocks[header].merge
                && self.blocks[merge].order != u32::MAX
            {
                let here = self.blocks[header].in_loop.is_none() && self.blocks[merge].in_loop.is_none();
                let idom = idom(&self.tree, merge);
                return Some(merge).filter(|_| here && idom != merge && self.dominates(idom, b));
            }
            at = header;
        }
        None
    }

    fn find_returns(&mut self, m: &Module) {
        for k in 0..self.order.len() {
            let b = self.order[k];
            let returns = match m.insts[self.blocks[b].term].op {
                Op::Return | Op::ReturnValue => true,
                Op::Kill | Op::TerminateInvocation => self.behind_kill(b).is_none(),
                _ => false,
            };
            if !returns {
                continue;
            }
            self.returns.push(b);
            let mut at = self.blocks[b].in_loop;
            // The loops around one that is known are known, too.
            while let Some(l) = at.filter(|&l| !self.blocks[l].returns) {
                self.blocks[l].returns = true;
                at = self.blocks[l].outer;
            }
            self.returns_in_loop |= self.blocks[b].in_loop.is_some();
        }
        if self.returns_in_loop {
            self.find_carried(m);
        }
    }

    /// A return from a loop goes through the merge of the loop, where what the loop made may be missing then.
    fn find_carried(&mut self, m: &Module) {
        let mut made: FxHashMap<u32, usize> = FxHashMap::default();
        // The loops around a loop with a return have one, too: the innermost such loop of a block is the one to stay in.
        let inner = |plan: &Plan, b: usize| plan.loops_of(b).find(|&l| plan.blocks[l].returns);
        for &b in &self.order {
            if inner(self, b).is_some() {
                for at in self.blocks[b].body.clone() {
                    if m.insts[at].id != 0 {
                        made.insert(m.insts[at].id, b);
                    }
                }
            }
        }
        let mut carried: Vec<u32> = Vec::new();
        let mut used = |plan: &Plan, id: u32, b: usize| {
            if let Some(&from) = made.get(&id)
                && from != b
                && inner(plan, from).is_some_and(|l| !plan.is_in(b, l))
            {
                carried.push(id);
            }
        };
        for &b in &self.order {
            let block = &self.blocks[b];
            for at in block.body.clone().chain([block.term]) {
                let inst = &m.insts[at];
                if inst.op == Op::Phi {
                    continue;
                }
                for id in m.ids(inst) {
                    used(self, id, b);
                }
            }
        }
        for &b in &self.order {
            for at in self.blocks[b].body.clone().take_while(|&at| m.insts[at].op == Op::Phi) {
                // Where one way leads there alone, its value is the phi's own, and is taken in the phi's block.
                let one = self.blocks[b].preds.len() == 1;
                for &from in &self.blocks[b].preds {
                    if let Some(&id) = self.phis.get(&(at, from)) {
                        used(self, id, if one { b } else { from });
                    }
                }
            }
        }
        carried.sort_unstable();
        carried.dedup();
        self.carried = carried;
    }
}
