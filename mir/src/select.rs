//! The walk from IR to machine IR.
//!
//! Blocks are visited last to first and instructions backwards, so that every user of a value (but for loop back
//! edges) has been seen when its definition comes up: a pure instruction that nobody asked for is never emitted, and a
//! user folds a producer simply by not asking for its registers. The target implements [`Lower`]; inside it the
//! instructions of one IR instruction are emitted in forward order.

use gpucc_ir::analysis::trips;
use gpucc_ir::{Diagnostic, Function, Inst, InstData, Loc, Op, SecondaryMap, Touched, Type, Value, ValueDef};
use gpucc_regalloc::Cfg;
use std::ops::Range;

use crate::code_buffer::CodeBuffer;
use crate::func::{MEdge, MFunc};
use crate::inst::{BlockId, Class, Def, MInst, Pseudo, Regs, Target, VReg};

/// How a value is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repr {
    /// Class of each register.
    pub class: Class,
    /// How many, at least one: a vector may be one register or one per lane.
    pub count: u8,
}

/// The target's part for each piece of the IR.
pub trait Lower<T: Target> {
    /// How a value is held. Called once for each value of the function, before anything else.
    fn repr(&mut self, f: &Function, v: Value) -> Repr;

    /// Emits an instruction that is no terminator: defines [`Select::result`] from [`Select::regs`] of the operands.
    ///
    /// # Errors
    /// When the target cannot do it.
    fn inst(&mut self, cx: &mut Select<'_, T>, inst: Inst) -> Result<(), Diagnostic>;

    /// Emits a terminator and sets the edges ([`Select::jump_to`], [`Select::edge`], [`Select::set_succs`]).
    ///
    /// # Errors
    /// When the target cannot do it.
    fn terminator(&mut self, cx: &mut Select<'_, T>, inst: Inst) -> Result<(), Diagnostic>;

    /// Emits a constant into registers.
    ///
    /// # Errors
    /// When the target cannot hold it.
    fn constant(&mut self, cx: &mut Select<'_, T>, v: Value, into: &[VReg]) -> Result<(), Diagnostic>;

    /// Emits what begins the program (a `Start` with the preloaded registers in use). Called last, for the entry block;
    /// what it emits comes first.
    ///
    /// # Errors
    /// When the target cannot do it.
    fn entry(&mut self, cx: &mut Select<'_, T>) -> Result<(), Diagnostic> {
        let _ = cx;
        Ok(())
    }

    /// Emits the block's prologue, without a location, so that later passes need not move the instructions of every block. Called last
    /// for each block; what it emits comes first.
    fn block_prologue(&mut self, _cx: &mut Select<'_, T>) {}
}

struct PendingConst {
    value: Value,
    regs: Regs,
    /// Chunk before which it is emitted: that of its first use so far.
    chunk: usize,
}

/// The state of the walk.
pub struct Select<'f, T: Target> {
    /// The function that is walked.
    pub f: &'f Function,
    /// The machine function so far.
    pub mf: MFunc<T>,
    /// Location given to what is emitted.
    pub loc: Loc,
    /// The first of the registers of each value that someone asked for; the others follow it.
    regs: SecondaryMap<Value, VReg>,
    reprs: SecondaryMap<Value, Option<Repr>>,
    uses: SecondaryMap<Value, u32>,
    order: SecondaryMap<Inst, u32>,
    block_of: SecondaryMap<gpucc_ir::Block, Option<BlockId>>,
    block: gpucc_ir::Block,
    inst: Option<Inst>,
    /// The instructions of all blocks that were walked, the last block first.
    done: CodeBuffer<T>,
    /// The code of this block: the walk goes up, so that the last chunk comes first, but each chunk is in order.
    emitted: Vec<MInst<T>>,
    /// Where in it each chunk begins: what was emitted for one instruction.
    chunks: Vec<usize>,
    /// Constants of this block, to be put in front of chunks.
    fronts: Vec<MInst<T>>,
    /// The chunk and the part of `fronts`.
    front_of: Vec<(usize, Range<usize>)>,
    consts: Vec<PendingConst>,
}

/// Uses of a constant farther apart than this many IR instructions get registers of their own.
const CONST_REACH: usize = 40;

/// Room is made at once for a block of so many IR instructions at most.
const LONGEST: usize = 128;

/// The location for what is emitted for an instruction: it tells accesses of memory from others.
pub fn access_loc(data: &InstData) -> Loc {
    match (data.mem(), data.touches()) {
        (Some(m), _) if m.flags.is_shared() => data.loc.atomic(),
        (Some(_), _) | (None, Some(Touched::Image(_))) => data.loc.access(),
        _ => data.loc,
    }
}

/// Walks `f`. Machine blocks are in layout order, one for each IR block, plus what the target adds.
///
/// # Errors
/// The first thing that the target cannot do.
pub fn select<T: Target>(f: &Function, lower: &mut dyn Lower<T>) -> Result<MFunc<T>, Diagnostic> {
    let (mut mf, mut lists) = select_apart(f, lower)?;
    // From the first block on, so that their lists lie one behind the other.
    for list in &mut mf.code[..f.layout.len()] {
        *list = lists.take_last();
    }
    Ok(mf)
}

/// Like [`select`], for targets that put blocks between others: the code of the IR's blocks comes apart, to be handed out when
/// the order is known. The first block's is the last list.
///
/// # Errors
/// The first thing that the target cannot do.
pub fn select_apart<T: Target>(
    f: &Function,
    lower: &mut dyn Lower<T>,
) -> Result<(MFunc<T>, CodeBuffer<T>), Diagnostic> {
    let mut uses: SecondaryMap<Value, u32> = SecondaryMap::new();
    let mut order: SecondaryMap<Inst, u32> = SecondaryMap::new();
    uses.reserve(f.values.len());
    order.reserve(f.insts.len());
    for (n, (_, i)) in f.insts_in_order().enumerate() {
        f.insts[i].for_each_use(|v| uses[v] += 1);
        order[i] = n as u32;
    }
    let mut reprs: SecondaryMap<Value, Option<Repr>> = SecondaryMap::with_default(None);
    reprs.reserve(f.values.len());
    for &b in &f.layout {
        let mut note = |v: Value| {
            if reprs[v].is_none() {
                reprs[v] = Some(lower.repr(f, v));
            }
        };
        f.blocks[b].params.iter().for_each(|&v| note(v));
        for &i in &f.blocks[b].insts {
            f.insts[i].results.iter().for_each(&mut note);
            f.insts[i].for_each_use(&mut note);
        }
    }
    let mut mf = MFunc::new(f.name.clone());
    mf.reserve(f.layout.len());
    mf.classes.reserve(f.values.len());
    let mut block_of: SecondaryMap<gpucc_ir::Block, Option<BlockId>> = SecondaryMap::new();
    let runs = trips::runs(f);
    for &b in &f.layout {
        let new = mf.block();
        mf.at(new).runs = runs[b];
        block_of[b] = Some(new);
    }
    let lengths = || f.layout.iter().map(|&b| f.blocks[b].insts.len());
    let (count, longest) = (lengths().sum::<usize>(), lengths().max().unwrap_or(0).min(LONGEST));
    let mut cx = Select {
        f,
        mf,
        loc: Loc::UNKNOWN,
        regs: SecondaryMap::with_default(VReg::NONE),
        reprs,
        uses,
        order,
        block_of,
        block: f.entry(),
        inst: None,
        done: CodeBuffer::with_room(f.layout.len(), 2 * count),
        emitted: Vec::with_capacity(2 * longest),
        chunks: Vec::with_capacity(longest),
        fronts: Vec::new(),
        front_of: Vec::new(),
        consts: Vec::new(),
    };
    // Parameters exist whoever asks for them; `dce` removes those that turn out to be unused.
    for &b in &f.layout {
        let id = cx.block_id(b);
        let mut params = Regs::new();
        if b != f.entry() {
            for &v in &f.blocks[b].params {
                params.extend(cx.make(v));
            }
        }
        cx.mf.at(id).params = params;
    }
    for &b in f.layout.iter().rev() {
        cx.block(lower, b)?;
    }
    Ok((cx.mf, cx.done))
}

impl<'f, T: Target> Select<'f, T> {
    /// Registers that nobody has yet, one after the other.
    fn fresh(&mut self, v: Value) -> Regs {
        let Some(Repr { class, count }) = self.reprs[v] else { panic!("{v} is in no instruction of the layout") };
        (0..count).map(|_| self.mf.vreg(class)).collect()
    }

    fn make(&mut self, v: Value) -> Regs {
        let first = self.regs[v];
        if first.is_none() {
            let regs = self.fresh(v);
            self.regs[v] = regs[0];
            return regs;
        }
        let count = self.reprs[v].map_or(0, |r| r.count);
        (first.0..first.0 + u32::from(count)).map(VReg).collect()
    }

    fn block(&mut self, lower: &mut dyn Lower<T>, b: gpucc_ir::Block) -> Result<(), Diagnostic> {
        self.block = b;
        let insts = &self.f.blocks[b].insts;
        for &i in insts.iter().rev() {
            let data = &self.f.insts[i];
            self.loc = access_loc(data);
            self.inst = Some(i);
            let terminator = data.op.is_terminator();
            let asked = data.results.iter().any(|v| self.is_used(v));
            if !terminator && !asked && !self.f.has_effect(i) {
                continue;
            }
            self.chunks.push(self.emitted.len());
            if terminator {
                lower.terminator(self, i)?;
            } else {
                lower.inst(self, i)?;
            }
            self.constants(lower, false)?;
        }
        self.inst = None;
        self.constants(lower, true)?;
        if b == self.f.entry() {
            self.chunks.push(self.emitted.len());
            lower.entry(self)?;
            self.constants(lower, true)?;
        }
        self.loc = Loc::UNKNOWN;
        self.chunks.push(self.emitted.len());
        lower.block_prologue(self);
        // Of several constants in front of one chunk, the one that was emitted last comes first.
        self.front_of.sort_by_key(|f| f.0);
        for (k, start) in self.chunks.drain(..).enumerate().rev() {
            while let Some((_, part)) = self.front_of.pop_if(|f| f.0 == k) {
                let nothing = || MInst::pseudo(Pseudo::Undef);
                self.done.extend(self.fronts[part].iter_mut().map(|i| std::mem::replace(i, nothing())));
            }
            self.done.extend(self.emitted.drain(start..));
        }
        self.fronts.clear();
        self.done.close();
        Ok(())
    }

    /// Emits the constants that are due: all of them, or those whose uses are far behind.
    fn constants(&mut self, lower: &mut dyn Lower<T>, all: bool) -> Result<(), Diagnostic> {
        let now = self.chunks.len();
        let mut k = 0;
        while k < self.consts.len() {
            if !all && self.consts[k].chunk + CONST_REACH > now {
                k += 1;
                continue;
            }
            let c = self.consts.remove(k);
            let (mark, first) = (self.emitted.len(), self.fronts.len());
            lower.constant(self, c.value, &c.regs)?;
            if self.chunks.is_empty() {
                self.chunks.push(mark);
            }
            self.fronts.extend(self.emitted.drain(mark..));
            self.front_of.push((c.chunk.min(self.chunks.len() - 1), first..self.fronts.len()));
        }
        Ok(())
    }

    // ---- Questions about the IR ----

    /// Data of the instruction.
    pub fn data(&self, i: Inst) -> &'f InstData {
        &self.f.insts[i]
    }

    /// An operation of one result: its data, and the type and the registers of that.
    pub fn operation(&mut self, i: Inst) -> (&'f InstData, Type, Regs) {
        let d = self.data(i);
        (d, self.f.ty(d.result()), self.result(i, 0))
    }

    /// The instructions of the block in front of one of it.
    pub fn before(&self, i: Inst) -> &'f [Inst] {
        let insts = &self.f.blocks[self.block].insts;
        &insts[..insts.partition_point(|&j| self.order[j] < self.order[i])]
    }

    /// How often a value is used in the IR.
    pub fn uses(&self, v: Value) -> u32 {
        self.uses[v]
    }

    /// Whether someone asked for the registers of `v`.
    pub fn is_used(&self, v: Value) -> bool {
        !self.regs[v].is_none()
    }

    /// The constant bits of a scalar, or of a vector with equal lanes.
    pub fn const_bits(&self, v: Value) -> Option<u64> {
        self.f.const_bits(v)
    }

    /// The producer of `v` if the current instruction is its only user and it can be computed right here instead: a
    /// pure instruction, or a load of the same block with nothing that writes in between.
    pub fn fold(&self, v: Value) -> Option<&'f InstData> {
        (self.uses[v] == 1 && !self.is_used(v)).then(|| self.peek(v))?
    }

    /// Like [`fold`](Select::fold) with any number of users: what is folded is computed again.
    pub fn peek(&self, v: Value) -> Option<&'f InstData> {
        let f = self.f;
        let i = f.def_inst(v)?;
        let data = &f.insts[i];
        if data.op.is_speculatable() {
            return Some(data);
        }
        let at = self.inst?;
        let insts = &f.blocks[self.block].insts;
        let (from, to) = (self.order[i], self.order[at]);
        let here = insts.first().is_some_and(|&first| (self.order[first]..to).contains(&from));
        if data.op != Op::Load || f.has_effect(i) || !here {
            return None;
        }
        // Loads are few between producer and user; walk only what lies there.
        let start = insts.partition_point(|&j| self.order[j] <= from);
        let clear = insts[start..].iter().take_while(|&&j| self.order[j] < to).take(64).all(|&j| !f.has_effect(j));
        (clear && to - from <= 64).then_some(data)
    }

    /// Like [`fold`](Select::fold), only for a producer with this op.
    pub fn fold_op(&self, v: Value, op: Op) -> Option<&'f InstData> {
        self.fold(v).filter(|d| d.op == op)
    }

    // ---- Registers ----

    /// The registers of a value, one per class of [`Lower::repr`]. Asking makes its producer be emitted. Constants are emitted before their first use in the block; undef takes any bits.
    pub fn regs(&mut self, v: Value) -> Regs {
        match self.f.values[v].def {
            ValueDef::Const(_) => {
                // The chunk that is being emitted.
                let now = self.chunks.len().saturating_sub(1);
                if let Some(c) = self.consts.iter_mut().find(|c| c.value == v) {
                    c.chunk = now;
                    return c.regs.clone();
                }
                let regs: Regs = self.fresh(v);
                self.consts.push(PendingConst { value: v, regs: regs.clone(), chunk: now });
                regs
            }
            ValueDef::Undef => {
                let regs: Regs = self.fresh(v);
                let mut undef = MInst::pseudo(Pseudo::Undef);
                undef.defs = regs.iter().map(|&r| Def::reg(r)).collect();
                self.emitted.push(undef);
                regs
            }
            ValueDef::Inst(..) | ValueDef::Param(..) => self.make(v),
        }
    }

    /// The register of a value that has exactly one.
    ///
    /// # Panics
    /// When [`Lower::repr`] gives it several.
    pub fn reg(&mut self, v: Value) -> VReg {
        let regs = self.regs(v);
        assert!(regs.len() == 1, "{v} is held in {} registers", regs.len());
        regs[0]
    }

    /// The registers that the current instruction must define for its result number `n`; fresh ones that nobody reads
    /// if nobody asked.
    pub fn result(&mut self, i: Inst, n: usize) -> Regs {
        let v = self.f.insts[i].results.nth(n);
        self.make(v)
    }

    /// A fresh virtual register of a class.
    pub fn temp(&mut self, class: Class) -> VReg {
        self.mf.vreg(class)
    }

    /// Appends an instruction with the location of the IR instruction.
    pub fn emit(&mut self, mut i: MInst<T>) {
        if i.loc == Loc::UNKNOWN {
            i.loc = self.loc;
        }
        self.emitted.push(i);
    }

    // ---- Blocks and edges ----

    /// The compiler bug that an instruction is which selection does not know: what a target lacks was refused before.
    pub fn unknown(&self, i: Inst) -> Diagnostic {
        Diagnostic::internal("isel", "selection does not know this instruction")
            .note(gpucc_ir::text::inst_text(self.f, i))
    }

    /// The machine block of an IR block.
    ///
    /// # Panics
    /// When the block is not in the layout.
    pub fn block_id(&self, b: gpucc_ir::Block) -> BlockId {
        match self.block_of[b] {
            Some(id) => id,
            None => panic!("{b} is not in the layout"),
        }
    }

    /// The IR block that is being walked.
    pub fn current(&self) -> gpucc_ir::Block {
        self.block
    }

    /// The machine block that is being walked.
    pub fn current_id(&self) -> BlockId {
        self.block_id(self.block)
    }

    /// A machine edge for an IR edge, with the registers of its arguments.
    pub fn edge(&mut self, e: gpucc_ir::EdgeRef<'_>) -> MEdge {
        let mut args = Regs::new();
        for &a in e.args {
            args.extend(self.regs(a));
        }
        MEdge { to: self.block_id(e.block), args }
    }

    /// Sets the successors of the current block on one graph.
    pub fn set_succs(&mut self, cfg: Cfg, edges: impl IntoIterator<Item = MEdge>) {
        let id = self.current_id();
        let edges = edges.into_iter().collect();
        let block = self.mf.at(id);
        match cfg {
            Cfg::Logical => block.succs = edges,
            Cfg::Linear => block.linear = Some(edges),
        }
    }

    /// Emits the target's jump and sets it as only successor: all that an IR `jump` needs where the graphs are equal.
    pub fn jump_to(&mut self, t: &T, e: gpucc_ir::EdgeRef<'_>) {
        let edge = self.edge(e);
        self.emit(t.jump(edge.to));
        self.set_succs(Cfg::Logical, [edge]);
    }
}
