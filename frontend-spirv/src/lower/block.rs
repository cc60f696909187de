//! Blocks: phis, branches, loops, and returns of functions that are lowered in place of calls.

use super::cx::Lowered;
use super::func::{Activation, Exit, FuncCx};
use crate::plan::{Merge, Plan};
use crate::types::Kind;
use crate::value::{Ptr, Val};
use gpucc_frontend_common::{Memory, limits, report};
use gpucc_ir as ir;
use ir::{Edge, Type};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl FuncCx<'_, '_> {
    /// Lowers a function from the present place.
    pub fn body(&mut self, plan: &Rc<Plan>, args: Vec<Val>, exit: Exit) -> Lowered<()> {
        let base = plan.function.inst;
        self.m.count((plan.function.body.end - base) as u64 / 4)?;
        let mut vals = vec![None; plan.function.body.end - base];
        for (&param, arg) in plan.params.iter().zip(args) {
            vals[param - base] = Some((arg, 0));
        }
        self.active.push(Activation {
            plan: plan.clone(),
            vals,
            blocks: vec![None; plan.blocks.len()],
            at: 0,
            exit,
            end: None,
            carried: FxHashMap::default(),
            latches: FxHashMap::default(),
        });
        if matches!(self.current().exit, Exit::Leave(_)) {
            for &id in &plan.carried {
                self.current().carried.insert(id, Vec::new());
            }
        }
        for &b in &plan.order {
            self.block(plan, b)?;
        }
        Ok(())
    }

    fn block(&mut self, plan: &Rc<Plan>, b: usize) -> Lowered<()> {
        let start = if b == 0 { self.code.block } else { self.ir_block(plan, b)? };
        if b != 0 {
            self.code.start(start);
        }
        self.current().at = b;
        self.after_loop(plan, b)?;
        let block = &plan.blocks[b];
        if block.is_loop {
            self.open_loop(plan, b, start)?;
        }
        let m = self.m.m;
        let mut body = block.body.clone();
        while let Some(at) = body.next() {
            let inst = m.insts[at];
            if self.m.instructions + self.code.f.insts.len() as u64 > limits::INSTRUCTIONS.max {
                return Err(report::limit(&limits::INSTRUCTIONS).at(self.span(), "here the limit is passed"));
            }
            if self.active.len() > 1 {
                self.m.in_place += 1;
                if self.m.in_place > limits::INLINED.max {
                    return Err(report::limit(&limits::INLINED).at(self.span(), "this function"));
                }
            }
            self.inst = Some(inst);
            self.place(&inst);
            if inst.op == Op::Phi {
                self.phi(plan, at, b)?;
            } else if let Some(behind) = self.comparisons(at, body.end)? {
                body.start = behind;
            } else {
                self.instruction(at, &inst)?;
            }
        }
        let term = m.insts[block.term];
        self.inst = Some(term);
        self.place(&term);
        self.terminator(plan, b)
    }

    fn place(&mut self, inst: &crate::module::Inst) {
        let span = self.m.m.span(inst);
        if span.is_known() {
            self.code.loc = self.m.out.add_loc(span);
        }
    }

    /// The IR block of a block, with a parameter for each leaf of its phis.
    fn ir_block(&mut self, plan: &Rc<Plan>, b: usize) -> Lowered<ir::Block> {
        if let Some(made) = self.current().blocks[b] {
            return Ok(made);
        }
        let made = self.code.f.make_block();
        self.current().blocks[b] = Some(made);
        if plan.blocks[b].preds.len() < 2 {
            return Ok(made);
        }
        for at in plan.blocks[b].body.clone() {
            let inst = self.m.m.insts[at];
            if inst.op != Op::Phi {
                break;
            }
            let ty = self.m.types.of(inst.ty, &inst)?;
            // Of a pointer the offset alone is known to differ.
            if matches!(self.m.types.kind(ty), Kind::Pointer(..)) && self.m.types.leaf(ty).is_none() {
                self.code.f.add_param(made, Type::I32);
                continue;
            }
            if self.m.types.get(ty).leaves == 0 {
                self.inst = Some(inst);
                return self.missing(ir::Refusal::Spirv, "of images or samplers");
            }
            let leaves: Vec<ir::Value> =
                self.leaf_types(ty)?.into_iter().map(|ty| self.code.f.add_param(made, ty)).collect();
            self.m.count(leaves.len() as u64)?;
            let val = self.unflatten(ty, &mut leaves.into_iter())?;
            self.define_at(at, val, b);
        }
        Ok(made)
    }

    /// Remembers the result of an instruction.
    pub fn define_at(&mut self, at: usize, val: Val, b: usize) {
        let active = self.current();
        let base = active.plan.function.inst;
        active.vals[at - base] = Some((val, b as u32));
    }

    /// A phi whose block is lowered now.
    fn phi(&mut self, plan: &Rc<Plan>, at: usize, b: usize) -> Lowered<()> {
        let preds = &plan.blocks[b].preds;
        if let [from] = preds.as_slice() {
            // It stands in the phi's place: behind a loop that a return leaves, what the loop made is kept in variables.
            let val = self.phi_arg(plan, at, *from, b)?;
            self.define_at(at, val, b);
        } else if preds.len() > 1 {
            // Every way here gives a value; the ways back do when they are lowered.
            for &from in preds.iter().filter(|&&p| plan.blocks[p].order < plan.blocks[b].order) {
                if !plan.phis.contains_key(&(at, from)) {
                    return self.wrong(format!("it has no value for %{}", plan.blocks[from].label));
                }
            }
        }
        let inst = self.m.m.insts[at];
        if let Some((val, _)) = self.current().vals[at - plan.function.inst].clone() {
            self.save_carried(inst.id, &val);
        }
        Ok(())
    }

    /// The value that a phi takes from a block, as it is in the block `place`.
    fn phi_arg(&mut self, plan: &Rc<Plan>, at: usize, from: usize, place: usize) -> Lowered<Val> {
        let inst = self.m.m.insts[at];
        let Some(&id) = plan.phis.get(&(at, from)) else {
            self.inst = Some(inst);
            return self.wrong(format!("it has no value for %{}", plan.blocks[from].label));
        };
        let before = (self.inst.replace(inst), self.current().at);
        self.current().at = place;
        let ty = self.ty_of(id)?;
        if self.m.types.find(inst.ty) != Some(ty) {
            return self.wrong(format!("%{id} has another type than it"));
        }
        let val = self.val(id)?;
        self.inst = before.0;
        self.current().at = before.1;
        Ok(val)
    }

    /// An edge from the present block.
    fn edge(&mut self, plan: &Rc<Plan>, from: usize, to: usize) -> Lowered<Edge> {
        let block = self.ir_block(plan, to)?;
        let mut args = Vec::new();
        if plan.blocks[to].preds.len() > 1 {
            let mut n = 0;
            for at in plan.blocks[to].body.clone() {
                let inst = self.m.m.insts[at];
                if inst.op != Op::Phi {
                    break;
                }
                let val = self.phi_arg(plan, at, from, from)?;
                if let Val::Ptr(ptr) = &val
                    && ptr.base.is_none()
                {
                    let param = self.code.f.blocks[block].params[n];
                    args.push(self.pointer_arg(at, to, ptr, param)?);
                } else {
                    self.flatten(&val, &mut args)?;
                }
                n = args.len();
            }
            self.m.count(args.len() as u64)?;
        }
        Ok(Edge::with(block, &args))
    }

    /// The offset of a pointer that a phi takes. The first one says what the phi points into.
    fn pointer_arg(&mut self, at: usize, to: usize, ptr: &Rc<Ptr>, param: ir::Value) -> Lowered<ir::Value> {
        let base = self.current().plan.function.inst;
        let known = match &self.current().vals[at - base] {
            Some((Val::Ptr(known), _)) => Some(known.clone()),
            _ => None,
        };
        let inst = self.m.m.insts[at];
        match known {
            Some(known) if !known.is_beside(ptr) => {
                self.inst = Some(inst);
                return self.missing(ir::Refusal::Spirv, "of pointers into several variables");
            }
            Some(_) => {}
            None => {
                let val = self.moved(ptr, param);
                self.define_at(at, val, to);
            }
        }
        self.whole_offset(ptr)
    }

    /// A loop: its merge and its continue target.
    fn open_loop(&mut self, plan: &Rc<Plan>, b: usize, start: ir::Block) -> Lowered<()> {
        let Merge::Loop(merge, cont) = plan.blocks[b].merge else { return self.broken("a loop without a merge") };
        let here = self.code.block;
        let merge_block = self.ir_block(plan, merge)?;
        if plan.blocks[merge].order == u32::MAX {
            // Nothing gets there but a return from the loop; the IR wants to see it all the same.
            self.code.start(merge_block);
            match self.after_return(plan, b)? {
                Some(target) => self.jump_with_zeros(target),
                None => {
                    self.b().unreachable();
                }
            }
            self.code.block = here;
        }
        let cont_block = if cont == b { self.latch(b, start) } else { self.ir_block(plan, cont)? };
        self.b().set_loop(start, merge_block, cont_block);
        Ok(())
    }

    /// A header that is its own continue target gets one of its own, which the ways back go through.
    fn latch(&mut self, b: usize, start: ir::Block) -> ir::Block {
        let here = self.code.block;
        let latch = self.code.f.make_block();
        let types: Vec<Type> = self.code.f.blocks[start].params.iter().map(|&p| self.code.f.ty(p)).collect();
        let params: Vec<ir::Value> = types.into_iter().map(|ty| self.code.f.add_param(latch, ty)).collect();
        self.code.start(latch);
        self.b().jump(start, &params);
        self.code.block = here;
        self.current().latches.insert(b, latch);
        latch
    }

    /// Where a return of a function in place of a call continues behind this loop.
    fn after_return(&mut self, plan: &Rc<Plan>, header: usize) -> Lowered<Option<ir::Block>> {
        let Exit::Leave(left) = self.current().exit.clone() else { return Ok(None) };
        if !plan.blocks[header].returns {
            return Ok(None);
        }
        match plan.blocks[header].outer {
            Some(outer) => self.loop_merge(plan, outer).map(Some),
            None => Ok(Some(left.merge)),
        }
    }

    fn loop_merge(&mut self, plan: &Rc<Plan>, header: usize) -> Lowered<ir::Block> {
        match plan.blocks[header].merge {
            Merge::Loop(merge, _) => self.ir_block(plan, merge),
            _ => self.broken("a loop without a merge"),
        }
    }

    /// Goes to a block where what it takes does not matter.
    fn jump_with_zeros(&mut self, to: ir::Block) {
        let edge = self.zero_edge(to);
        self.b().jump(to, &edge.args);
    }

    fn zero_edge(&mut self, to: ir::Block) -> Edge {
        let types: Vec<Type> = self.code.f.blocks[to].params.iter().map(|&p| self.code.f.ty(p)).collect();
        let args: Vec<ir::Value> = types.into_iter().map(|ty| self.code.f.zero(ty)).collect();
        Edge::with(to, &args)
    }

    /// Continues a return at the merge of a loop that a return may have left.
    fn after_loop(&mut self, plan: &Rc<Plan>, b: usize) -> Lowered<()> {
        let Exit::Leave(left) = self.current().exit.clone() else { return Ok(()) };
        let Some(flag) = left.returned.filter(|_| plan.blocks[b].ends_loop) else { return Ok(()) };
        let of = |h: &&usize| {
            let block = &plan.blocks[**h];
            block.is_loop && block.returns && matches!(block.merge, Merge::Loop(merge, _) if merge == b)
        };
        let Some(&header) = plan.order.iter().find(of) else { return Ok(()) };
        if plan.blocks[b].is_loop {
            return self.missing(ir::Refusal::Spirv, "of a loop behind a loop that a function returns from");
        }
        let Some(target) = self.after_return(plan, header)? else { return Ok(()) };
        let returned = self.kept(flag, Type::B1);
        let next = self.code.f.make_block();
        let out = self.zero_edge(target);
        self.b().br(returned, out, Edge::to(next), None);
        self.code.start(next);
        Ok(())
    }

    /// Opens the constructs that end at the blocks that the plan names; the innermost is for the terminator itself.
    fn opens(&mut self, plan: &Rc<Plan>, b: usize) -> Lowered<Option<ir::Block>> {
        let opens = plan.blocks[b].opens.clone();
        let Some((&inner, outer)) = opens.split_last() else { return Ok(None) };
        for &end in outer {
            let merge = self.ir_block(plan, end)?;
            let next = self.code.f.make_block();
            self.b().jump_merge(next, &[], merge);
            self.code.start(next);
        }
        self.ir_block(plan, inner).map(Some)
    }

    /// An edge, or that to the latch of a header that is its own continue target.
    fn edge_or_latch(&mut self, plan: &Rc<Plan>, from: usize, to: usize) -> Lowered<Edge> {
        let mut edge = self.edge(plan, from, to)?;
        if plan.blocks[to].order <= plan.blocks[from].order
            && let Some(&latch) = self.current().latches.get(&to)
        {
            edge.block = latch;
        }
        Ok(edge)
    }

    fn terminator(&mut self, plan: &Rc<Plan>, b: usize) -> Lowered<()> {
        let m = self.m.m;
        let inst = m.insts[plan.blocks[b].term];
        let o = m.operands(&inst);
        let succs = plan.blocks[b].succs.clone();
        match inst.op {
            Op::Branch => {
                let merge = self.opens(plan, b)?;
                let edge = self.edge_or_latch(plan, b, succs[0])?;
                match merge {
                    Some(merge) => self.b().jump_merge(edge.block, &edge.args, merge),
                    None => self.b().jump(edge.block, &edge.args),
                };
                Ok(())
            }
            Op::BranchConditional => {
                let condition = self.typed(o[0], Type::B1)?;
                let merge = self.opens(plan, b)?;
                let yes = self.edge_or_latch(plan, b, succs[0])?;
                let no = self.edge_or_latch(plan, b, succs[1])?;
                self.b().br(condition, yes, no, merge);
                Ok(())
            }
            Op::Switch => self.switch(plan, b),
            Op::Return => {
                let ret = m.insts[plan.function.inst].ty;
                if !self.m.types.find(ret).is_some_and(|ty| matches!(self.m.types.kind(ty), Kind::Void)) {
                    return self.wrong("it gives nothing, and the function has a result");
                }
                self.leave(plan, b, Val::Void)
            }
            Op::ReturnValue => {
                let val = self.val(o[0])?;
                let ret = m.insts[plan.function.inst].ty;
                if matches!(val, Val::Void) || self.m.types.find(ret) != Some(self.ty_of(o[0])?) {
                    return self.wrong(format!("%{} has another type than the function", o[0]));
                }
                self.leave(plan, b, val)
            }
            Op::Kill | Op::TerminateInvocation => self.kill(plan, b),
            Op::Unreachable => {
                if let (Exit::Return, true) = (self.current().exit.clone(), self.active.len() == 1) {
                    return self.return_zero();
                }
                self.b().unreachable();
                Ok(())
            }
            _ => self.missing(crate::tables::refusal_of(inst.op), ""),
        }
    }

    fn switch(&mut self, plan: &Rc<Plan>, b: usize) -> Lowered<()> {
        let m = self.m.m;
        let inst = m.insts[plan.blocks[b].term];
        let o = m.operands(&inst);
        let succs = plan.blocks[b].succs.clone();
        let selector = self.one(o[0])?;
        let ty = self.code.f.ty(selector);
        if !ty.is_int() || ty.is_vector() {
            return self.wrong(format!("%{} is no integer", o[0]));
        }
        let merge = self.opens(plan, b)?;
        let default = self.edge_or_latch(plan, b, succs[0])?;
        let words = if ty.bits() == 64 { 2 } else { 1 };
        let mut cases = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for (case, &to) in o[2..].chunks_exact(words + 1).zip(&succs[1..]) {
            let value = case[..words].iter().rev().fold(0u64, |n, &w| n << 32 | u64::from(w)) & ty.scalar().mask();
            if !seen.insert(value) {
                return self.wrong(format!("the case {value} stands twice in it"));
            }
            // Values that do the same as the default need no case.
            if to != succs[0] {
                cases.push((value, self.edge_or_latch(plan, b, to)?));
            }
        }
        match (cases.is_empty(), merge) {
            (true, Some(merge)) => self.b().jump_merge(default.block, &default.args, merge),
            (true, None) => self.b().jump(default.block, &default.args),
            _ => self.b().switch(selector, cases, default, merge),
        };
        Ok(())
    }

    /// A return.
    fn leave(&mut self, plan: &Rc<Plan>, b: usize, val: Val) -> Lowered<()> {
        match self.current().exit.clone() {
            Exit::Return => {
                let mut leaves = Vec::new();
                if self.stage.is_some() {
                    leaves = self.outputs()?;
                } else if !matches!(val, Val::Void) {
                    self.flatten(&val, &mut leaves)?;
                }
                if !self.code.f.ret.iter().copied().eq(leaves.iter().map(|&v| self.code.f.ty(v))) {
                    return self.wrong("it gives other than the function returns");
                }
                self.b().ret(&leaves);
            }
            Exit::Follow => {
                let block = self.code.block;
                self.current().end = Some((block, val));
            }
            Exit::Leave(left) => {
                let mut leaves = Vec::new();
                if let Some(whole) = &left.whole {
                    self.store(whole, &val)?;
                } else if !matches!(val, Val::Void) {
                    self.flatten(&val, &mut leaves)?;
                }
                if leaves.len() != left.result.len() {
                    return self.wrong("it gives other than the function returns");
                }
                for (&local, leaf) in left.result.iter().zip(leaves) {
                    self.keep(local, leaf);
                }
                self.leave_call(plan, b, &left)?;
            }
        }
        Ok(())
    }

    /// Goes to the code behind the call.
    fn leave_call(&mut self, plan: &Rc<Plan>, b: usize, left: &Rc<super::func::Left>) -> Lowered<()> {
        match (plan.blocks[b].in_loop, left.returned) {
            (Some(header), Some(flag)) => {
                let yes = self.code.f.bconst(true);
                self.keep(flag, yes);
                let merge = self.loop_merge(plan, header)?;
                self.jump_with_zeros(merge);
            }
            _ => {
                self.b().jump(left.merge, &[]);
            }
        }
        Ok(())
    }

    fn return_zero(&mut self) -> Lowered<()> {
        let leaves = match self.stage.is_some() {
            true => self.outputs()?,
            false => {
                let types = self.code.f.ret.clone();
                types.into_iter().map(|ty| self.code.f.zero(ty)).collect()
            }
        };
        self.b().ret(&leaves);
        Ok(())
    }

    /// `OpKill`: the lane becomes a helper. It continues behind the branch that it stands in, where what is made on the other ways is not used;
    /// else it returns.
    fn kill(&mut self, plan: &Rc<Plan>, b: usize) -> Lowered<()> {
        self.demote_all()?;
        if let Some(local) = self.stage.as_ref().and_then(|s| s.ended) {
            let always = self.code.f.bconst(true);
            self.keep(local, always);
        }
        if let Some(merge) = plan.behind_kill(b) {
            let to = self.ir_block(plan, merge)?;
            self.jump_with_zeros(to);
            return Ok(());
        }
        match self.current().exit.clone() {
            Exit::Return => self.return_zero(),
            Exit::Follow => {
                let inst = self.m.m.insts[plan.function.inst];
                let ret = self.m.types.of(inst.ty, &inst)?;
                let val = if matches!(self.m.types.kind(ret), Kind::Void) { Val::Void } else { self.zero(ret)? };
                self.leave(plan, b, val)
            }
            Exit::Leave(left) => {
                let types: Vec<_> = left.result.clone();
                for local in types {
                    self.b().var_init(ir::Place::Local(local));
                }
                if let Some(whole) = &left.whole {
                    self.b().var_init(whole.place);
                }
                self.leave_call(plan, b, &left)
            }
        }
    }

    /// Keeps a result that is used behind the loop that makes it.
    pub fn save_carried(&mut self, id: u32, val: &Val) {
        if !self.current().carried.contains_key(&id) {
            return;
        }
        let mut locals = Vec::new();
        self.map_values(val, &mut |cx, v| {
            let ty = cx.code.f.ty(v);
            let local = cx.leaf_variable(ty);
            if cx.code.f.as_const(v).is_none() {
                cx.keep(local, v);
            }
            locals.push(local);
            v
        });
        self.current().carried.insert(id, locals);
    }

    /// Such a result where it is used.
    pub fn carried(&mut self, id: u32, val: Val, from: usize, at: usize) -> Lowered<Val> {
        let active = self.current();
        let plan = active.plan.clone();
        let inner = plan.loops_of(from).find(|&l| plan.blocks[l].returns);
        if inner.is_none_or(|l| plan.is_in(at, l)) {
            return Ok(val);
        }
        let locals = active.carried.get(&id).cloned().unwrap_or_default();
        let mut next = locals.into_iter();
        Ok(self.map_values(&val, &mut |cx, v| match next.next() {
            Some(local) if cx.code.f.as_const(v).is_none() => {
                let ty = cx.code.f.ty(v);
                cx.kept(local, ty)
            }
            _ => v,
        }))
    }
}
