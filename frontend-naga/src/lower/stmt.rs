//! Statements and control flow. naga's tree is structured already; what is added are the merge blocks.

use super::Lowered;
use super::func::{Breakable, Exit, FuncCx, OpenLoop, Outcome};
use super::value::Val;
use crate::{limits, report};
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{Block, Edge, Refusal, Scope};
use naga::{Statement, SwitchValue};

impl<'m> FuncCx<'_, 'm> {
    /// Lowers a block of statements; what follows a `return`, `break`, `continue` is dropped.
    pub fn statements(&mut self, block: &'m naga::Block) -> Lowered<()> {
        for (k, (statement, span)) in block.span_iter().enumerate() {
            if !self.live {
                break;
            }
            let span = report::span(*span);
            if span.is_known() {
                self.loc = self.m.out.add_loc(span);
            }
            if self.m.instructions + self.f.insts.len() as u64 > limits::INSTRUCTIONS.max {
                return Err(report::limit(&limits::INSTRUCTIONS).at(span, "here the limit is passed"));
            }
            if self.active.len() > 1 {
                self.m.inlined += 1;
                if self.m.inlined > limits::INLINED.max {
                    return Err(report::limit(&limits::INLINED).at(span, "this function"));
                }
            }
            self.statement(statement, &block[k + 1..])?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'m Statement, rest: &'m [Statement]) -> Lowered<()> {
        match *statement {
            Statement::Emit(ref range) => {
                let loc = self.loc;
                for handle in range.clone() {
                    let span = report::span(self.current().function.expressions.get_span(handle));
                    if span.is_known() {
                        self.loc = self.m.out.add_loc(span);
                    }
                    // naga lets ranges cover expressions that need no emit.
                    let value = self.emit(handle, rest)?;
                    self.define(handle, value);
                }
                self.loc = loc;
                Ok(())
            }
            Statement::Block(ref block) => self.statements(block),
            Statement::If { condition, ref accept, ref reject } => {
                let condition = self.one(condition)?;
                self.branch(condition, accept, reject)
            }
            Statement::Switch { selector, ref cases } => {
                let selector = self.one(selector)?;
                self.switch(selector, cases)
            }
            Statement::Loop { ref body, ref continuing, break_if } => self.repeat(body, continuing, break_if),
            Statement::Break => {
                let Some(target) = self.break_target() else { return self.broken("a break outside of a loop") };
                self.b().jump(target, &[]);
                self.live = false;
                Ok(())
            }
            Statement::Continue => {
                let Some(target) = self.continue_target() else { return self.broken("a continue outside of a loop") };
                self.b().jump(target, &[]);
                self.live = false;
                Ok(())
            }
            Statement::Return { value } => self.leave(value),
            Statement::Kill => {
                self.kill();
                Ok(())
            }
            Statement::ControlBarrier(flags) => self.barrier(flags, true),
            Statement::MemoryBarrier(flags) => self.barrier(flags, false),
            Statement::Store { pointer, value } => {
                let value = self.value(value)?;
                let pointer = self.pointer(pointer)?;
                self.store(&pointer, &value)
            }
            Statement::Atomic { pointer, ref fun, value, result } => self.atomic(pointer, fun, value, result),
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let pointer = self.pointer(pointer)?;
                let flags = naga::Barrier::WORK_GROUP;
                self.barrier(flags, true)?;
                let value = match self.is_long(pointer.ty) {
                    true => self.kept_copy(&pointer)?,
                    false => self.load_with(&pointer, ir::MemFlags::UNIFORM)?,
                };
                self.barrier(flags, true)?;
                self.define(result, value);
                Ok(())
            }
            Statement::Call { function, ref arguments, result } => self.call(function, arguments, result),
            Statement::ImageStore { image, coordinate, array_index, value } => {
                self.image_store(image, coordinate, array_index, value)
            }
            Statement::ImageAtomic { image, coordinate, array_index, ref fun, value } => {
                self.image_atomic(image, coordinate, array_index, fun, value)
            }
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => {
                self.unsupported(Refusal::RayQueries, "ray queries")
            }
            Statement::SubgroupBallot { result, predicate } => self.ballot(result, predicate),
            Statement::SubgroupGather { mode, argument, result } => self.gather(result, mode, argument),
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                self.collective(result, op, collective_op, argument)
            }
            Statement::CooperativeStore { .. } => {
                self.unsupported(Refusal::CooperativeMatrices, "cooperative matrices")
            }
        }
    }

    fn barrier(&mut self, flags: naga::Barrier, waits: bool) -> Lowered<()> {
        let workgroup = flags.contains(naga::Barrier::WORK_GROUP);
        let storage = flags.contains(naga::Barrier::STORAGE);
        let texture = flags.contains(naga::Barrier::TEXTURE);
        let exec = match (waits, flags == naga::Barrier::SUB_GROUP) {
            (false, _) => Scope::None,
            (true, true) => Scope::Subgroup,
            (true, false) => Scope::Workgroup,
        };
        // Where nothing more is known, what only orders memory orders it for everybody.
        let device = !waits && (storage || texture);
        let barrier = ir::Barrier { device, workgroup, storage, texture, ..ir::Barrier::wait(exec) };
        if waits || barrier.orders() {
            self.b().barrier(barrier);
        }
        Ok(())
    }

    /// Where `break` goes now; counts it.
    fn break_target(&mut self) -> Option<Block> {
        match self.breakables.last_mut()? {
            Breakable::Switch { merge, hits } => {
                *hits += 1;
                Some(*merge)
            }
            Breakable::Loop => {
                let open = self.loops.last_mut()?;
                open.merge_hits += 1;
                Some(open.merge)
            }
        }
    }

    /// Where `continue` goes now; counts it.
    fn continue_target(&mut self) -> Option<Block> {
        let open = self.loops.last_mut()?;
        open.cont_hits += 1;
        Some(open.cont)
    }

    /// The target of an arm that does nothing but leave, so that the branch itself can go there.
    fn exit_of(&mut self, arm: &naga::Block) -> Option<Block> {
        match arm.first() {
            Some(Statement::Break) => self.break_target(),
            Some(Statement::Continue) => self.continue_target(),
            _ => None,
        }
    }

    fn branch(&mut self, condition: ir::Value, accept: &'m naga::Block, reject: &'m naga::Block) -> Lowered<()> {
        let (accept_exit, reject_exit) = (self.exit_of(accept), self.exit_of(reject));
        match (accept_exit, reject_exit) {
            (Some(yes), Some(no)) => {
                self.b().br(condition, Edge::to(yes), Edge::to(no), None);
                self.live = false;
                return Ok(());
            }
            (Some(yes), None) => {
                let next = self.f.make_block();
                self.b().br(condition, Edge::to(yes), Edge::to(next), None);
                self.start(next);
                return self.statements(reject);
            }
            (None, Some(no)) => {
                let next = self.f.make_block();
                self.b().br(condition, Edge::to(next), Edge::to(no), None);
                self.start(next);
                return self.statements(accept);
            }
            (None, None) => {}
        }
        let merge = self.f.make_block();
        let arm = |cx: &mut Self, block: &naga::Block| if block.is_empty() { merge } else { cx.f.make_block() };
        let (yes, no) = (arm(self, accept), arm(self, reject));
        let split = self.b().br(condition, Edge::to(yes), Edge::to(no), Some(merge));
        let mut reached = yes == merge || no == merge;
        for (entry, statements) in [(yes, accept), (no, reject)] {
            if entry == merge {
                continue;
            }
            self.start(entry);
            self.statements(statements)?;
            if self.live {
                self.b().jump(merge, &[]);
                reached = true;
            }
        }
        self.finish(split, merge, reached);
        Ok(())
    }

    /// Continues at the merge of a selection, if anything gets there.
    fn finish(&mut self, opener: ir::Inst, merge: Block, reached: bool) {
        if reached {
            self.start(merge);
        } else {
            self.f.insts[opener].set_merge(None);
            self.live = false;
        }
    }

    fn switch(&mut self, selector: ir::Value, cases: &'m [naga::SwitchCase]) -> Lowered<()> {
        // Cases that share a body: all empty ones before it that fall through into it.
        struct Group {
            block: Block,
            first: usize,
        }
        let merge = self.f.make_block();
        let mut edges = Vec::new();
        let mut default = Edge::to(merge);
        let mut groups: Vec<Group> = Vec::new();
        let mut open = None;
        for (index, case) in cases.iter().enumerate() {
            let block = *open.get_or_insert_with(|| self.f.make_block());
            match case.value {
                SwitchValue::I32(v) => edges.push((u64::from(v as u32), Edge::to(block))),
                SwitchValue::U32(v) => edges.push((v.into(), Edge::to(block))),
                SwitchValue::Default => default = Edge::to(block),
            }
            if !(case.body.is_empty() && case.fall_through) {
                groups.push(Group { block, first: index });
                open = None;
            }
        }
        // Values that do the same as the default need no case.
        let target = default.block;
        edges.retain(|(_, edge)| edge.block != target);
        let opener = if edges.is_empty() {
            self.b().jump_merge(target, &[], merge)
        } else {
            self.b().switch(selector, edges, default, Some(merge))
        };
        let mut hits = u32::from(target == merge);
        for group in groups {
            self.start(group.block);
            self.breakables.push(Breakable::Switch { merge, hits: 0 });
            // A body that falls through is followed by a copy of the next one: arms of the IR's switch are disjoint.
            for (copies, case) in cases[group.first..].iter().enumerate() {
                if copies > 0 {
                    self.m.inlined += case.body.len() as u64 + 1;
                    if self.m.inlined > limits::INLINED.max {
                        return Err(report::limit(&limits::INLINED).at(self.span(), "this switch falls through"));
                    }
                }
                self.statements(&case.body)?;
                if !case.fall_through || !self.live {
                    break;
                }
            }
            if let Some(Breakable::Switch { hits: breaks, .. }) = self.breakables.pop() {
                hits += breaks;
            }
            if self.live {
                self.b().jump(merge, &[]);
                hits += 1;
            }
        }
        self.finish(opener, merge, hits > 0);
        Ok(())
    }

    fn repeat(
        &mut self,
        body: &'m naga::Block,
        continuing: &'m naga::Block,
        break_if: Option<naga::Handle<naga::Expression>>,
    ) -> Lowered<()> {
        let (header, cont, merge) = (self.f.make_block(), self.f.make_block(), self.f.make_block());
        let entering = self.b().jump(header, &[]);
        self.start(header);
        self.b().set_loop(header, merge, cont);
        self.loops.push(OpenLoop {
            continuing,
            merge,
            cont,
            merge_hits: 0,
            cont_hits: 0,
            late: Vec::new(),
            returns: false,
        });
        self.breakables.push(Breakable::Loop);
        self.statements(body)?;
        if self.live {
            self.continue_target();
            self.b().jump(cont, &[]);
        }
        let open = self.loops.last_mut().expect("pushed above");
        let late = std::mem::take(&mut open.late);
        let again = open.cont_hits > 0;
        // A value defined in the continuing block is there where it is used.
        open.cont_hits = 0;
        if again {
            self.start(cont);
            for handle in late {
                self.undefine(handle);
            }
            self.statements(continuing)?;
            match break_if {
                _ if !self.live => {}
                Some(condition) => {
                    let condition = self.one(condition)?;
                    self.loops.last_mut().expect("pushed above").merge_hits += 1;
                    self.b().br(condition, Edge::to(merge), Edge::to(header), None);
                }
                None => {
                    self.b().jump(header, &[]);
                }
            }
        }
        self.breakables.pop();
        let open = self.loops.pop().expect("pushed above");
        if !again {
            // Nothing comes back: this is a construct to break out of, no loop.
            self.f.blocks[header].header = None;
            let merge = (open.merge_hits > 0).then_some(merge);
            self.f.insts[entering].set_merge(merge);
        }
        if open.merge_hits == 0 {
            if again {
                self.start(merge);
                self.b().unreachable();
            }
            self.live = false;
            return Ok(());
        }
        self.start(merge);
        if open.returns {
            self.return_on()?;
        }
        Ok(())
    }

    /// Continues a return behind a loop that a `return` of an inlined function may have left.
    fn return_on(&mut self) -> Lowered<()> {
        let outer = self.current().outer_loops;
        let nested = self.loops.len() > outer;
        let Some(exit) = &mut self.current().exit else { return self.broken("no call to leave") };
        let Some(flag) = exit.returned else { return self.broken("a return without its flag") };
        if !nested {
            exit.hits += 1;
        }
        let out = exit.merge;
        let returned = self.kept(flag, ir::Type::B1);
        let target = if nested { self.leave_loop() } else { out };
        let next = self.f.make_block();
        self.b().br(returned, Edge::to(target), Edge::to(next), None);
        self.start(next);
        Ok(())
    }

    /// The merge of the innermost loop, as the way out for a `return` of an inlined function.
    fn leave_loop(&mut self) -> Block {
        let open = self.loops.last_mut().expect("only called inside a loop");
        open.merge_hits += 1;
        open.returns = true;
        open.merge
    }

    fn leave(&mut self, value: Option<naga::Handle<naga::Expression>>) -> Lowered<()> {
        let mut leaves = Vec::new();
        let is_whole = matches!(self.current().exit, Some(Exit { result: Outcome::Whole { .. }, .. }));
        if let Some(value) = value {
            let value = self.value(value)?;
            if is_whole {
                self.keep_result(&value)?;
            } else {
                self.flatten(&value, &mut leaves)?;
            }
        }
        if self.current().exit.is_none() {
            let leaves = self.outputs(&leaves)?;
            self.b().ret(&leaves);
            self.live = false;
            return Ok(());
        }
        let outer = self.current().outer_loops;
        let results = match self.current().exit.as_ref().map(|exit| &exit.result) {
            Some(Outcome::Leaves(locals)) => locals.clone(),
            _ => Vec::new(),
        };
        for (local, leaf) in results.into_iter().zip(leaves) {
            self.keep(local, leaf);
        }
        if self.loops.len() == outer {
            return self.leave_inlined();
        }
        let Some(flag) = self.current().exit.as_ref().and_then(|exit| exit.returned) else {
            return self.broken("a return without its flag");
        };
        let yes = self.f.bconst(true);
        self.keep(flag, yes);
        let target = self.leave_loop();
        self.b().jump(target, &[]);
        self.live = false;
        Ok(())
    }

    /// Whether a block returns from inside a loop.
    pub fn returns_from_loop(block: &naga::Block, in_loop: bool) -> bool {
        block.iter().any(|statement| match statement {
            Statement::Return { .. } => in_loop,
            Statement::Block(b) => Self::returns_from_loop(b, in_loop),
            Statement::If { accept, reject, .. } => {
                Self::returns_from_loop(accept, in_loop) || Self::returns_from_loop(reject, in_loop)
            }
            Statement::Switch { cases, .. } => cases.iter().any(|c| Self::returns_from_loop(&c.body, in_loop)),
            Statement::Loop { body, .. } => Self::returns_from_loop(body, true),
            _ => false,
        })
    }

    /// The value that a statement defines, for those that define one.
    pub fn define_result(&mut self, result: Option<naga::Handle<naga::Expression>>, value: Val) {
        if let Some(handle) = result {
            self.define(handle, value);
        }
    }
}
