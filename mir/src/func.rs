//! Machine functions: blocks with parameters and two successor lists.

use gpucc_regalloc::Cfg;

use smallvec::SmallVec;

use crate::inst::{BlockId, Class, MInst, Regs, Src, Target, VReg};

/// An edge with one argument per parameter of its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MEdge {
    /// Block that the edge leads to.
    pub to: BlockId,
    /// Arguments; [`VReg::NONE`] for parameters of files that live on the other graph.
    pub args: Regs,
}

impl MEdge {
    /// An edge without arguments.
    pub fn to(to: BlockId) -> MEdge {
        MEdge { to, args: Regs::new() }
    }
}

/// The edges that leave a block on one graph, in order.
///
/// Up to two lie in the block: walks over the graph then read memory in one direction, which the machine fetches ahead of them.
/// A list of its own for each block lies anywhere, and each is waited for.
pub type MEdges = SmallVec<[MEdge; 2]>;

/// A block of the graph. Its instructions lie elsewhere ([`MFunc::code`]): walks over the graph do not read them, and walks over
/// the code read nothing else.
#[derive(Clone, Default, Debug)]
pub struct MBlock {
    /// Parameters; each incoming edge gives a register for each.
    pub params: Regs,
    /// Successors on the logical graph.
    pub succs: MEdges,
    /// Successors on the linear graph, where that differs from the logical one.
    pub linear: Option<MEdges>,
    /// How often it runs if every condition lets it (`gpucc_ir::analysis::trips`): for estimates. At least 1.
    pub runs: u64,
}

impl MBlock {
    /// Successors on one graph.
    pub fn succs(&self, cfg: Cfg) -> &[MEdge] {
        match (cfg, &self.linear) {
            (Cfg::Linear, Some(l)) => l,
            _ => &self.succs,
        }
    }

    /// All edges: the logical ones and, where they differ, the linear ones.
    pub fn all_succs(&self) -> impl Iterator<Item = &MEdge> {
        self.succs.iter().chain(self.linear.iter().flatten())
    }

    /// The successors on both graphs, to be changed.
    pub fn all_succs_mut(&mut self) -> impl Iterator<Item = &mut MEdge> {
        self.succs.iter_mut().chain(self.linear.iter_mut().flatten())
    }
}

/// The blocks that instructions name, in order. Branches may stand within a block too: what follows is for those that stay.
pub fn labels_mut<T: Target>(insts: &mut [MInst<T>]) -> impl Iterator<Item = &mut BlockId> {
    insts.iter_mut().flat_map(|i| i.uses.iter_mut()).filter_map(|u| match &mut u.src {
        Src::Label(l) => Some(l),
        _ => None,
    })
}

/// The same, to look at.
pub fn labels<T: Target>(insts: &[MInst<T>]) -> impl Iterator<Item = BlockId> {
    insts.iter().flat_map(MInst::labels)
}

/// A machine function. Block order is emission order; block 0 is the entry.
pub struct MFunc<T: Target> {
    /// Name of the function, for dumps.
    pub name: String,
    /// Blocks. Every block but the entry comes after one of its predecessors, on each graph that reaches it.
    pub blocks: Vec<MBlock>,
    /// The instructions of each block. They end in terminators that name every successor by label, also the one that will come next.
    pub code: Vec<Vec<MInst<T>>>,
    /// Class of each virtual register.
    pub classes: Vec<Class>,
}

impl<T: Target> Clone for MFunc<T> {
    fn clone(&self) -> Self {
        MFunc {
            name: self.name.clone(),
            blocks: self.blocks.clone(),
            code: self.code.clone(),
            classes: self.classes.clone(),
        }
    }
}

impl<T: Target> MFunc<T> {
    /// A function without blocks.
    pub fn new(name: impl Into<String>) -> Self {
        MFunc { name: name.into(), blocks: Vec::new(), code: Vec::new(), classes: Vec::new() }
    }

    /// A new virtual register.
    pub fn vreg(&mut self, class: Class) -> VReg {
        self.classes.push(class);
        VReg(self.classes.len() as u32 - 1)
    }

    /// Class of a virtual register.
    pub fn class(&self, v: VReg) -> Class {
        self.classes[v.0 as usize]
    }

    /// Room for so many blocks more, and a few besides: who adds some to many had better not move them all.
    pub fn reserve(&mut self, blocks: usize) {
        let blocks = blocks + blocks / 16;
        self.blocks.reserve_exact(blocks);
        self.code.reserve_exact(blocks);
    }

    /// A new block at the end.
    pub fn block(&mut self) -> BlockId {
        self.blocks.push(MBlock { runs: 1, ..MBlock::default() });
        self.code.push(Vec::new());
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// The block with this number, to be changed.
    pub fn at(&mut self, b: BlockId) -> &mut MBlock {
        &mut self.blocks[b.0 as usize]
    }

    /// The instructions of the block.
    pub fn list(&mut self, b: BlockId) -> &mut Vec<MInst<T>> {
        &mut self.code[b.0 as usize]
    }

    /// Numbers of the blocks, in order of emission.
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<T> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// Index of the first terminator of a block (the number of instructions if it has none).
    pub fn first_terminator(&self, t: &T, b: BlockId) -> usize {
        let insts = &self.code[b.0 as usize];
        let n = insts.iter().rev().take_while(|i| is_terminator(t, i)).count();
        insts.len() - n
    }

    /// Replaces every virtual register that is read, by instructions and on edges.
    pub fn map_uses(&mut self, f: impl Fn(VReg) -> VReg) {
        self.code.iter_mut().flatten().for_each(|i| i.map_uses(&f));
        for block in &mut self.blocks {
            for a in block.all_succs_mut().flat_map(|e| e.args.iter_mut()).filter(|a| !a.is_none()) {
                *a = f(*a);
            }
        }
    }

    /// Number of instructions in all blocks.
    pub fn inst_count(&self) -> usize {
        self.code.iter().map(Vec::len).sum()
    }

    /// Puts the blocks into another order; `order[new] = old` must name every block once, the entry first. Gives the new number
    /// of each block.
    ///
    /// # Panics
    /// When it does not.
    pub fn reorder(&mut self, order: &[BlockId]) -> Vec<BlockId> {
        assert_eq!(order.len(), self.blocks.len());
        let mut new_of = vec![BlockId(u32::MAX); order.len()];
        for (new, old) in order.iter().enumerate() {
            assert_eq!(new_of[old.0 as usize], BlockId(u32::MAX), "{old:?} twice");
            new_of[old.0 as usize] = BlockId(new as u32);
        }
        // Along each cycle: the item at a place moves to where the next one comes from.
        let mut todo: Vec<u32> = order.iter().map(|o| o.0).collect();
        for start in 0..todo.len() {
            let mut at = start;
            while todo[at] as usize != start {
                let from = std::mem::replace(&mut todo[at], at as u32) as usize;
                self.blocks.swap(at, from);
                self.code.swap(at, from);
                at = from;
            }
            todo[at] = at as u32;
        }
        self.retarget(|b| new_of[b.0 as usize]);
        new_of
    }

    /// Gives every edge and label another target. Loop depths and the order of blocks stay.
    pub fn retarget(&mut self, f: impl Fn(BlockId) -> BlockId) {
        for e in self.blocks.iter_mut().flat_map(MBlock::all_succs_mut) {
            e.to = f(e.to);
        }
        self.code.iter_mut().flat_map(|l| labels_mut(l)).for_each(|l| *l = f(*l));
    }

    /// Puts blocks into reverse post-order of the logical graph, unless they are in a fit order already; blocks that
    /// nothing reaches are removed. Not for targets whose graphs differ. Returns whether blocks were moved or removed.
    pub fn sort_blocks(&mut self) -> bool {
        let n = self.blocks.len();
        let mut seen = vec![false; n];
        let mut post = Vec::with_capacity(n);
        let mut stack = vec![(0usize, 0usize)];
        if n > 0 {
            seen[0] = true;
        }
        while let Some((b, k)) = stack.pop() {
            // Later successors first, so that earlier ones come earlier in the reverse.
            let succs = &self.blocks[b].succs;
            if k < succs.len() {
                stack.push((b, k + 1));
                let to = succs[succs.len() - 1 - k].to.0 as usize;
                if !seen[to] {
                    seen[to] = true;
                    stack.push((to, 0));
                }
            } else {
                post.push(b);
            }
        }
        let mut has_earlier = vec![false; n];
        for (b, block) in self.blocks.iter().enumerate() {
            for e in &block.succs {
                has_earlier[e.to.0 as usize] |= b < e.to.0 as usize;
            }
        }
        if post.len() == n && (1..n).all(|b| has_earlier[b]) {
            return false;
        }
        let mut new_of = vec![u32::MAX; n];
        let (mut blocks, mut code) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (new, &old) in post.iter().rev().enumerate() {
            new_of[old] = new as u32;
            blocks.push(std::mem::take(&mut self.blocks[old]));
            code.push(std::mem::take(&mut self.code[old]));
        }
        (self.blocks, self.code) = (blocks, code);
        self.retarget(|b| BlockId(new_of[b.0 as usize]));
        true
    }
}

/// Whether an instruction ends its block.
pub fn is_terminator<T: Target>(t: &T, i: &MInst<T>) -> bool {
    i.target_op().is_some() && t.info(i).terminator
}
