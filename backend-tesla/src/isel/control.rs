//! Terminators: branches by flags, the entries and exits of loops.

use gpucc_ir::{Attr, Block, Diagnostic, EdgeRef, Inst, Op as Ir};
use gpucc_mir::{BlockId, CodeBuffer, MEdge, MFunc, MInst, Pseudo, Regs, Src, Target as _, VReg};
use gpucc_regalloc::Cfg;
use gpucc_tesla_machine as machine;
use machine::{Op, Pred};
use smallvec::smallvec;

use super::{Extra, Isel, IselCx, U};
use crate::builders as build;
use crate::flow::Push;
use crate::inst::{Divergent, Half, Id, Mods, R32, R64, TOp, Tesla, When};
use crate::slots::{HALF_REACH, REACH, Slot};

/// A conditional branch.
fn branch(c: VReg, pred: Pred, to: BlockId, divergent: bool, id: u16) -> MInst<Tesla> {
    build::Bra.with((When(pred), Divergent(divergent), Id(id)), [to.into()]).arg(c)
}

impl Isel<'_> {
    /// A block with its own copies of another one's parameters that jumps to it.
    fn in_front_of(&mut self, cx: &mut IselCx<'_>, target: BlockId, insts: Vec<MInst<Tesla>>) -> BlockId {
        let new = cx.mf.block();
        let from = cx.block_id(cx.current());
        let runs = cx.mf.at(from).runs;
        let params = cx.mf.at(target).params.clone();
        let mut fresh = Regs::new();
        for &p in &params {
            let class = cx.mf.class(p);
            fresh.push(cx.mf.vreg(class));
        }
        let list = cx.mf.list(new);
        *list = insts;
        list.push(self.t.jump(target));
        let b = cx.mf.at(new);
        b.params = fresh.clone();
        b.runs = runs;
        b.succs = smallvec![MEdge { to: target, args: fresh }];
        new
    }

    /// The machine edge of an IR edge: through the block on the way into a loop, on its back edge or on that of a `break`. The
    /// only edge of its block needs none for its `break`.
    fn lower_edge(&mut self, cx: &mut IselCx<'_>, e: EdgeRef<'_>, only: bool) -> MEdge {
        let from = cx.current();
        let to = e.block;
        let breaks = self.plan.breaks(from, to);
        // Values that lanes take along as they break are written on the way, so that those that stay need not write them again.
        let mut moves: Vec<MInst<Tesla>> = Vec::new();
        let mut edge = if breaks {
            let mut args = Regs::new();
            for &v in e.args {
                let bits = Self::bits(cx, v).filter(|_| cx.f.as_const(v).is_some() && !cx.f.ty(v).is_vector());
                match bits.filter(|&b| b == 0 || self.pool.find(b).is_some() || self.pool.has_room()) {
                    Some(b) => {
                        let d = cx.temp(R32);
                        moves.push(super::copy(d, self.literal(b)));
                        args.push(d);
                    }
                    None => args.extend_from_slice(&cx.regs(v)),
                }
            }
            MEdge { to: cx.block_id(to), args }
        } else {
            cx.edge(e)
        };
        let target = edge.to;
        let is_header = cx.f.blocks[to].header.is_some();
        let back = is_header && cx.block_id(from) >= target;
        if back {
            if self.plan.latch[to] != 0 {
                let latch = match self.latches[to] {
                    Some(l) => l,
                    None => {
                        let join = MInst::new(TOp::Join).mods(Mods::id(self.plan.latch[to]));
                        let l = self.in_front_of(cx, target, vec![join]);
                        self.extra.push(Extra { block: l, before: false, of: cx.block_id(from) });
                        self.latches[to] = Some(l);
                        l
                    }
                };
                edge.to = latch;
            }
            return edge;
        }
        if self.has_preheader(to, cx.f) {
            let p = match self.preheaders[to] {
                Some(p) => p,
                None => {
                    let mut insts: Vec<MInst<Tesla>> = self.exit_marks(to).collect();
                    if self.plan.join[to] != 0 {
                        insts.push(MInst::new(TOp::Join).mods(Mods::id(self.plan.join[to])));
                    }
                    if self.plan.exit[to] != 0 {
                        insts.push(MInst::new(TOp::PreBrk).mods(Mods::id(self.plan.exit[to])));
                    }
                    let p = self.in_front_of(cx, target, insts);
                    self.extra.push(Extra { block: p, before: true, of: target });
                    self.preheaders[to] = Some(p);
                    p
                }
            };
            edge.to = p;
        }
        if breaks && only {
            moves.into_iter().for_each(|m| cx.emit(m));
        } else if breaks {
            // Copies for the merge block stand before the `break`.
            let block = cx.mf.block();
            cx.mf.at(block).runs = cx.mf.at(edge.to).runs;
            let list = cx.mf.list(block);
            *list = moves;
            list.push(build::Brk.on([edge.to.into()]));
            cx.mf.at(block).succs.push(edge);
            self.extra.push(Extra { block, before: true, of: cx.block_id(to) });
            return MEdge::to(block);
        }
        edge
    }

    pub(super) fn control(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let from = cx.current();
        match &d.attr {
            Attr::Branch(b) => {
                let t = self.lower_edge(cx, b.then(), b.other().is_none());
                let Some(other) = b.other() else {
                    self.push_entries(cx, from);
                    let breaks = self.plan.breaks(from, b.then().block);
                    cx.emit(if breaks { build::Brk.on([t.to.into()]) } else { self.t.jump(t.to) });
                    cx.set_succs(Cfg::Logical, [t]);
                    return Ok(());
                };
                let o = self.lower_edge(cx, other, false);
                let (c, pred) = self.condition(cx, d.args[0], false);
                self.push_entries(cx, from);
                cx.emit(branch(c, pred, t.to, self.plan.divergent[from], self.plan.absorber[from]));
                cx.emit(self.t.jump(o.to));
                cx.set_succs(Cfg::Logical, [t, o]);
            }
            _ => {
                // `ret` and `unreachable` have no edges.
                debug_assert!(matches!(d.op, Ir::Ret | Ir::Unreachable));
                let args: Vec<gpucc_ir::Value> = d.args.iter().copied().collect();
                let end = self.results(cx, &args);
                cx.emit(end);
                cx.set_succs(Cfg::Logical, []);
            }
        }
        Ok(())
    }

    fn push_entries(&self, cx: &mut IselCx<'_>, b: Block) {
        for &push in &self.plan.pushes[b] {
            cx.emit(match push {
                Push::Join(id) => MInst::new(TOp::JoinAt).mods(Mods::id(id)),
                Push::Break(id) => MInst::new(TOp::PreBrk).mods(Mods::id(id)),
            });
        }
    }

    /// Gives undefined values of a block a value, since reading a register that was never written is an error, and loads words
    /// of c0 that no operand reaches. `out` is empty before and afterwards.
    fn legal_operands(mf: &mut MFunc<Tesla>, b: usize, out: &mut Vec<MInst<Tesla>>) {
        let far = |u: &U| match u.src {
            Src::Uniform(n) => {
                let reach = if u.mods.half == Half::Whole { REACH } else { HALF_REACH };
                matches!(Slot::unpack(n), Slot::Pool(k) if k as usize >= reach)
            }
            _ => false,
        };
        let fine = |i: &MInst<Tesla>| !i.is(Pseudo::Undef) && !i.uses.iter().any(far);
        if mf.code[b].iter().all(fine) {
            return;
        }
        let mut insts = std::mem::take(&mut mf.code[b]);
        for mut i in insts.drain(..) {
            if i.is(Pseudo::Undef) {
                for d in i.vreg_defs() {
                    if mf.class(d) == R64 {
                        let words = [mf.vreg(R32), mf.vreg(R32)];
                        out.extend(words.map(|w| MInst::copy(w, U::imm(0)).at(i.loc)));
                        out.push(MInst::collect(d, words.map(U::reg)).at(i.loc));
                    } else {
                        out.push(MInst::copy(d, U::imm(0)).at(i.loc));
                    }
                }
                continue;
            }
            if i.target_op() != Some(TOp::M(Op::LdC)) {
                for u in i.uses.iter_mut().filter(|u| far(u)) {
                    let t = mf.vreg(R32);
                    out.push(build::LdC.on([U::new(u.src)]).def(t).at(i.loc));
                    u.src = U::reg(t).src;
                }
            }
            out.push(i);
        }
        insts.append(out);
        mf.code[b] = insts;
    }

    /// A form with an immediate cannot carry the join before it: its literal comes from c0 then.
    fn carry_join(&mut self, insts: &mut [MInst<Tesla>]) {
        let Some(first) = insts.iter_mut().find(|i| !matches!(i.target_op(), Some(TOp::Join | TOp::LoopExit))) else {
            return;
        };
        let plain = matches!(first.target_op(), Some(TOp::M(Op::Add | Op::And | Op::Or | Op::Xor)));
        let other = first.uses.first().is_some_and(|u| u.vreg().is_some());
        if let (true, true, Some(Src::Imm(b))) = (plain, other, first.uses.get(1).map(|u| u.src))
            && (self.pool.find(b).is_some() || self.pool.has_room())
        {
            first.uses[1].src = self.literal(b).src;
        }
    }

    /// The marks of the loops that are left at a block.
    fn exit_marks(&self, b: Block) -> impl Iterator<Item = MInst<Tesla>> + '_ {
        self.plan.exits_here[b].iter().map(|&id| MInst::new(TOp::LoopExit).mods(Mods::id(id)))
    }

    /// Whether a block is entered through one in front of it, where its marks are then.
    fn has_preheader(&self, b: Block, f: &gpucc_ir::Function) -> bool {
        f.blocks[b].header.is_some() && (self.plan.exit[b] != 0 || self.plan.join[b] != 0)
    }

    /// Joins and marks of loop exits at the start of the current block.
    pub(super) fn start_marks(&mut self, cx: &mut IselCx<'_>) {
        let b = cx.current();
        if !self.has_preheader(b, cx.f) {
            self.exit_marks(b).for_each(|m| cx.emit(m));
        }
        if self.plan.join[b] != 0 && cx.f.blocks[b].header.is_none() {
            cx.emit(MInst::new(TOp::Join).mods(Mods::id(self.plan.join[b])));
        }
    }

    /// Puts the added blocks into their places, hands the code out, and makes what joins stand before fit to carry
    /// them. Critical edges have blocks then.
    pub fn finish(&mut self, f: &gpucc_ir::Function, mf: &mut MFunc<Tesla>, lists: CodeBuffer<Tesla>, t: &Tesla) {
        let total = mf.blocks.len();
        let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); total];
        let mut after: Vec<Vec<BlockId>> = vec![Vec::new(); total];
        for e in &self.extra {
            let list = if e.before { &mut before } else { &mut after };
            list[e.of.0 as usize].push(e.block);
        }
        let mut order = Vec::with_capacity(total);
        let mut stack: Vec<(BlockId, bool)> = Vec::new();
        for n in (0..f.layout.len() as u32).rev() {
            stack.push((BlockId(n), false));
        }
        while let Some((b, ready)) = stack.pop() {
            if ready {
                order.push(b);
                continue;
            }
            let k = b.0 as usize;
            // In reverse: what comes last is pushed first.
            stack.extend(after[k].iter().rev().map(|&x| (x, false)));
            stack.push((b, true));
            stack.extend(before[k].iter().rev().map(|&x| (x, false)));
        }
        let mut scratch = Vec::new();
        lists.distribute(mf, &order, t, |mf, new, old| {
            Self::legal_operands(mf, new.0 as usize, &mut scratch);
            let selected = f.layout.get(old.0 as usize);
            if selected.is_some_and(|&b| self.plan.join[b] != 0 && f.blocks[b].header.is_none()) {
                self.carry_join(mf.list(new));
            }
        });
    }
}
