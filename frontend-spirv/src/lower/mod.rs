//! A module to IR.
//!
//! Types, constants and variables are declared in the order of the module; then each function that an entry point reaches is lowered, callees
//! first. A function that is given pointers, that reads inputs or writes outputs, or whose values are very wide is lowered in place of
//! each call.

mod arith;
mod block;
mod calls;
mod compare;
mod constant;
mod copy;
mod cx;
mod data;
mod elsewhere;
mod extended;
mod func;
mod group;
mod image;
mod integer;
mod licences;
mod memory;
mod modes;
mod order;
mod pointer;
mod stage;
mod still;
mod texels;
mod values;
mod variable;

use crate::module::{Entry, Inst, Module};
use crate::plan;
use crate::tables;
use crate::types::{Kind, Types};
use crate::value::Val;
use cx::{Lowered, ModuleCx};
use data::{Given, Global};
use func::FuncCx;
use gpucc_frontend_common::{Options, Tables, limits, named, report};
use gpucc_ir as ir;
use ir::{Diagnostic, Refusal};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// See [`crate::lower`].
///
/// # Errors
/// The error: a wrong module, or one that cannot be compiled.
pub fn lower(m: &Module, options: &Options) -> Result<ir::Module, Vec<Diagnostic>> {
    let entries = selected(m, options.entry.as_deref())?;
    let mut given: FxHashMap<u32, Given> = FxHashMap::default();
    let overrides = m.overrides();
    for (key, value) in &options.overrides {
        let at = named(&overrides, key)?;
        given.insert(m.constants[at].number, Given::Number(*value));
    }
    given.extend(options.constants.iter().map(|&(id, bits)| (id, Given::Bits(bits))));
    let by_id = m.constants.iter().filter_map(|c| given.get(&c.number).map(|x| (c.id, (c.clone(), *x))));
    let given = by_id.collect();
    let mut cx = ModuleCx {
        m,
        types: Types::new(m),
        consts: vec![None; m.head],
        globals: vec![None; m.head],
        handles: Vec::new(),
        roles: FxHashMap::default(),
        io: Vec::new(),
        out: ir::Module::new(),
        fp: licences::Licences::new(options.fp, m, &entries, is_invariant(m)),
        flushed: modes::widths(&entries, ExecutionMode::DenormFlushToZero),
        cut: modes::widths(&entries, ExecutionMode::RoundingModeRTZ),
        exact: is_invariant(m),
        accesses: FxHashMap::default(),
        formats: options.formats.clone(),
        called: FxHashSet::default(),
        io_by_id: FxHashMap::default(),
        workgroup_block: None,
        workgroup_size: None,
        asks_for_helpers: asks_for_helpers(m),
        ends_lanes: ends_lanes(m),
        asks_elsewhere: elsewhere::is_asked(m),
        has_sample_inputs: has_sample_inputs(m),
        plans: FxHashMap::default(),
        funcs: FxHashMap::default(),
        inlined: FxHashSet::default(),
        inlined_io: FxHashSet::default(),
        tables: Tables::default(),
        given,
        in_place: 0,
        instructions: 0,
        work: 0,
    };
    cx.out.options.robust = options.robust;
    cx.run(&entries)?;
    cx.out.set_source_files(&m.places.files);
    Ok(cx.out)
}

/// Whether a value is to be the same as that of other programs which compute it alike.
fn is_invariant(m: &Module) -> bool {
    m.all_decos().iter().any(|d| d.kind == Decoration::Invariant)
}

/// Whether an input may belong to a sample: the stages that list it run for each.
fn has_sample_inputs(m: &Module) -> bool {
    let of_sample = |n: u32| [BuiltIn::SampleId, BuiltIn::SamplePosition].iter().any(|&b| b as u32 == n);
    m.all_decos().iter().any(|d| match d.kind {
        Decoration::Sample => true,
        Decoration::BuiltIn => m.deco_operands(d).first().is_some_and(|&n| of_sample(n)),
        _ => false,
    })
}

/// Whether lanes are asked whether they are helpers by now.
fn asks_for_helpers(m: &Module) -> bool {
    let helper = |d: &&crate::module::Deco| {
        d.kind == Decoration::BuiltIn && m.deco_operands(d).first() == Some(&(BuiltIn::HelperInvocation as u32))
    };
    m.insts.iter().any(|i| i.op == Op::IsHelperInvocationEXT)
        || m.all_decos().iter().filter(helper).any(|d| m.has(d.target, Decoration::Volatile))
}

/// Whether lanes end, and others compute together: those that ended are none of them.
fn ends_lanes(m: &Module) -> bool {
    m.insts.iter().any(|i| matches!(i.op, Op::Kill | Op::TerminateInvocation))
        && m.insts.iter().any(|i| group::is_one(i.op))
}

/// The entry points to lower.
fn selected<'m>(m: &'m Module, wanted: Option<&str>) -> Result<Vec<&'m Entry>, Vec<Diagnostic>> {
    if m.entries.is_empty() {
        let text = "the module has no entry point";
        // Valid are those that are to be linked alone.
        return Err(vec![match m.links {
            true => Diagnostic::unsupported(ir::Refusal::NoEntryPoint, text),
            false => Diagnostic::invalid("no-entry-point", text),
        }]);
    }
    let list: Vec<&Entry> = m.entries.iter().filter(|e| wanted.is_none_or(|w| e.name == w)).collect();
    let mut seen = FxHashSet::default();
    if let Some(twice) = list.iter().find(|e| !seen.insert((&e.name, e.model as u32))) {
        let text = format!("`OpEntryPoint` at word {}: there is another `{}` of its stage", twice.at, twice.name);
        return Err(vec![Diagnostic::invalid("validation", text)]);
    }
    if list.is_empty() {
        let names = m.entries.iter().map(|n| format!("`{}`", n.name)).collect::<Vec<_>>().join(", ");
        let message = format!("there is no entry point `{}`", wanted.unwrap_or_default());
        return Err(vec![Diagnostic::invalid("no-entry-point", message).note(format!("entry points: {names}"))]);
    }
    Ok(list)
}

impl<'m> ModuleCx<'m> {
    fn run(&mut self, entries: &[&'m Entry]) -> Result<(), Vec<Diagnostic>> {
        let mut refusals = Vec::new();
        for e in entries.iter().filter(|e| e.stage.is_err()) {
            let name = format!("`OpEntryPoint {:?}`", e.model);
            let d = report::unsupported(tables::refused_stage(e.model), &name, ir::Span::UNKNOWN);
            refusals.push(d.note(format!("this is about `{}`", e.name)));
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let one = |d: Diagnostic| vec![d];
        self.check_decorations().map_err(one)?;
        let order = self.reached(entries).map_err(one)?;
        self.check_instructions(&order).map_err(one)?;
        self.declare(entries).map_err(one)?;
        self.declare_pointers().map_err(one)?;
        self.workgroup_size = self.workgroup_constant();
        for &id in &order {
            self.choose_inlined(id).map_err(one)?;
        }
        for &id in &order {
            let entry = entries.iter().any(|e| e.function == id);
            if self.inlined.contains(&id) || entry && !self.called.contains(&id) {
                continue;
            }
            match FuncCx::function(self, id) {
                Ok(lowered) => {
                    self.instructions += lowered.insts.len() as u64;
                    let func = self.out.funcs.push(lowered);
                    self.funcs.insert(id, func);
                }
                // A missing callee would only be reported again.
                Err(d) => return Err(vec![d]),
            }
        }
        for e in entries {
            let modes = match modes::float_modes(e) {
                Ok(modes) => modes,
                Err(d) => {
                    refusals.push(d);
                    continue;
                }
            };
            match FuncCx::entry_point(self, e) {
                Ok((lowered, stage)) => {
                    self.instructions += lowered.insts.len() as u64;
                    let func = self.out.funcs.push(lowered);
                    let span = self.m.def(e.function).map_or(ir::Span::UNKNOWN, |d| self.m.span(&self.m.insts[d]));
                    self.out.entries.push(ir::EntryPoint { name: e.name.clone(), stage, func, modes, span });
                }
                Err(d) => refusals.push(d),
            }
        }
        refusals.extend(self.out.entries.iter().filter_map(|e| self.reaches(e)));
        if refusals.is_empty() { Ok(()) } else { Err(refusals) }
    }

    /// A variable that an entry point reaches exists in its stage, and is one resource at each group and binding, or a texture and a sampler: no pass
    /// looks for memory that two resources share.
    fn reaches(&self, entry: &ir::EntryPoint) -> Option<Diagnostic> {
        let m = &self.out;
        let stage = entry.stage.kind();
        let mut bound: FxHashMap<(u32, u32, u8), ir::Res> = FxHashMap::default();
        let mut reached: FxHashSet<ir::Func> = FxHashSet::default();
        let mut work = vec![entry.func];
        while let Some(id) = work.pop() {
            if !reached.insert(id) {
                continue;
            }
            let f = &m.funcs[id];
            for (_, i) in f.insts_in_order() {
                let d = &f.insts[i];
                let strange = match d.attr {
                    ir::Attr::Call(callee) => {
                        work.push(callee);
                        false
                    }
                    ir::Attr::Sysval(s) => !stage.has(s),
                    ir::Attr::Barrier(b) => b.exec != ir::Scope::None && stage != ir::Stage::Compute,
                    _ => {
                        matches!(d.op, ir::Op::Demote | ir::Op::Derivative | ir::Op::Sample)
                            && stage != ir::Stage::Fragment
                    }
                };
                if strange {
                    let text = format!("a {} entry point reaches what its stage does not have", stage.name());
                    let d = Diagnostic::invalid("validation", text).at(m.span(d.loc), "this instruction");
                    return Some(d.note(format!("this is about `{}`", entry.name)));
                }
                if let Some(d) = d.resources().find_map(|r| self.alias(r, &mut bound)) {
                    return Some(d);
                }
            }
        }
        None
    }

    /// Says what is wrong with a resource at a place where another one is known, by place and whether it is a buffer, an image or a sampler.
    fn alias(&self, r: ir::Res, bound: &mut FxHashMap<(u32, u32, u8), ir::Res>) -> Option<Diagnostic> {
        let all = &self.out.resources;
        let class = |r: ir::Res| match all[r].kind {
            k if k.is_buffer() => 0,
            ir::ResourceKind::Sampler { .. } => 1,
            _ => 2,
        };
        // Several descriptors of one texture, or of one sampler, are variants of it.
        let again =
            |r: ir::Res| matches!(all[r].kind, ir::ResourceKind::Sampler { .. } | ir::ResourceKind::Texture { .. });
        let data = &all[r];
        let first = *bound.entry((data.group, data.binding, class(r))).or_insert(r);
        if first == r || again(r) && again(first) {
            return None;
        }
        let binding = ir::binding_text(data.binding);
        let name = format!("resources of different kinds at group {} binding {binding}", data.group);
        let d = report::unsupported(Refusal::BindingAliases, &name, data.span);
        Some(d.note(format!("this is about `{}` and `{}`", all[first].name, data.name)))
    }

    /// Refuses decorations and modes that mean something and cannot be kept.
    fn check_decorations(&self) -> Lowered<()> {
        for d in self.m.all_decos() {
            if let tables::Verdict::Refused(code) = tables::decoration(d.kind) {
                return Err(self.m.missing_deco(code, d));
            }
        }
        Ok(())
    }

    /// Refuses instructions that cannot be compiled: of the functions that are reached, and of what stands before all functions.
    fn check_instructions(&self, functions: &[u32]) -> Lowered<()> {
        let m = self.m;
        let check = |inst: &Inst| match tables::instruction(inst.op) {
            tables::Verdict::Refused(code) => Err(m.missing(code, inst, "")),
            _ => match tables::refused_bits(inst.op, m.operands(inst)) {
                Some((code, bits)) => Err(m.missing(code, inst, format!("with the operand bits {bits:#x}"))),
                None => Ok(()),
            },
        };
        m.insts[..m.head].iter().try_for_each(check)?;
        for id in functions {
            if let Some(f) = m.functions.get(id) {
                m.insts[f.inst..f.body.end].iter().try_for_each(check)?;
            }
        }
        Ok(())
    }

    /// The functions that the entry points reach, callees first.
    fn reached(&mut self, entries: &[&'m Entry]) -> Lowered<Vec<u32>> {
        let m = self.m;
        let mut order = Vec::new();
        // 1: on the way, 2: done.
        let mut state: FxHashMap<u32, u8> = FxHashMap::default();
        for e in entries {
            let mut stack: Vec<(u32, Vec<u32>, usize)> = Vec::new();
            let mut next = Some(e.function);
            loop {
                if let Some(id) = next.take()
                    && !state.contains_key(&id)
                {
                    let Some(f) = m.functions.get(&id) else { continue };
                    state.insert(id, 1);
                    let calls = m.insts[f.body.clone()].iter().filter(|i| i.op == Op::FunctionCall);
                    let mut callees = Vec::new();
                    for call in calls {
                        let callee = m.operands(call)[0];
                        if !m.functions.contains_key(&callee) {
                            return Err(m.wrong(call, format!("%{callee} is no function")));
                        }
                        self.called.insert(callee);
                        callees.push(callee);
                    }
                    stack.push((id, callees, 0));
                    if stack.len() as u64 > limits::CALL_DEPTH.max {
                        return Err(report::limit(&limits::CALL_DEPTH));
                    }
                }
                let Some((id, callees, k)) = stack.last_mut() else { break };
                match callees.get(*k) {
                    Some(&callee) => {
                        *k += 1;
                        if state.get(&callee) == Some(&1) {
                            let inst = &m.insts[m.functions[id].inst];
                            return Err(m.wrong(inst, "the function calls itself, through others or at once"));
                        }
                        next = Some(callee);
                    }
                    None => {
                        state.insert(*id, 2);
                        order.push(*id);
                        stack.pop();
                    }
                }
            }
        }
        for &id in &order {
            let f = &m.functions[&id];
            let plan = plan::plan(m, f)?;
            self.check_signature(&plan)?;
            self.plans.insert(id, Rc::new(plan));
        }
        Ok(order)
    }

    /// A function has the result and the parameters that its type says; that of an entry point has neither.
    fn check_signature(&self, plan: &plan::Plan) -> Lowered<()> {
        let m = self.m;
        let inst = m.insts[plan.function.inst];
        let ty = m.operands(&inst)[1];
        let Some(of) = m.def(ty).map(|d| m.insts[d]).filter(|i| i.op == Op::TypeFunction) else {
            return Err(m.wrong(&inst, format!("%{ty} is no type of functions")));
        };
        let o = m.operands(&of);
        if o[0] != inst.ty {
            return Err(m.wrong(&inst, format!("its result is %{}, that of its type %{}", inst.ty, o[0])));
        }
        let have = plan.params.iter().map(|&p| m.insts[p].ty);
        if !have.eq(o[1..].iter().copied()) {
            return Err(m.wrong(&inst, format!("its parameters are not those of its type %{ty}")));
        }
        if m.entries.iter().any(|e| e.function == inst.id) {
            let void = m.def(inst.ty).is_some_and(|d| m.insts[d].op == Op::TypeVoid);
            if !void || !plan.params.is_empty() {
                return Err(m.wrong(&inst, "an entry point has no parameters and no result"));
            }
        }
        Ok(())
    }

    /// Whether reading an input takes more than a system value, which every function has.
    fn belongs_to_stage(&self, variable: usize) -> bool {
        let io = &self.io[variable];
        match self.m.deco_number(io.id, Decoration::BuiltIn).and_then(BuiltIn::from_u32) {
            Some(BuiltIn::HelperInvocation | BuiltIn::Layer | BuiltIn::ViewportIndex) => true,
            // Where it is depends on whether the stage runs for each sample.
            Some(BuiltIn::FragCoord) => self.has_sample_inputs,
            Some(_) => false,
            None => true,
        }
    }

    /// Decides whether a function is lowered in place of its calls: the IR has no pointers and at most 255 results.
    fn choose_inlined(&mut self, id: u32) -> Lowered<()> {
        const WIDE: u64 = 64;
        let m = self.m;
        let Some(f) = m.functions.get(&id) else { return Ok(()) };
        let insts = &m.insts[f.inst..f.body.end];
        let mut inlined = false;
        for inst in insts {
            match inst.op {
                Op::FunctionParameter => {
                    let ty = self.types.of(inst.ty, inst)?;
                    inlined |= !(1..=WIDE).contains(&self.types.get(ty).leaves);
                }
                Op::Function => {
                    let ty = self.types.of(inst.ty, inst)?;
                    let void = matches!(self.types.kind(ty), Kind::Void);
                    inlined |= !void && !(1..=WIDE).contains(&self.types.get(ty).leaves);
                }
                Op::FunctionCall => inlined |= m.operands(inst).first().is_some_and(|c| self.inlined_io.contains(c)),
                // Facts about lanes belong to the entry point.
                Op::IsHelperInvocationEXT => {
                    self.inlined_io.insert(id);
                    inlined = true;
                }
                Op::DemoteToHelperInvocation | Op::Kill | Op::TerminateInvocation if self.asks_for_helpers => {
                    self.inlined_io.insert(id);
                    inlined = true;
                }
                Op::Kill | Op::TerminateInvocation if self.ends_lanes => {
                    self.inlined_io.insert(id);
                    inlined = true;
                }
                op if self.ends_lanes && group::is_one(op) => {
                    self.inlined_io.insert(id);
                    inlined = true;
                }
                _ => {
                    let io = |id: &u32| match m.def(*id).and_then(|d| self.globals.get(d)) {
                        Some(Some(Global::Output(_))) => true,
                        Some(Some(Global::Val(Val::Input(i)))) => {
                            self.asks_for_helpers || self.belongs_to_stage(i.variable)
                        }
                        _ => false,
                    };
                    if m.ids(inst).iter().any(io) {
                        self.inlined_io.insert(id);
                        inlined = true;
                    }
                }
            }
        }
        if insts
            .iter()
            .any(|i| i.op == Op::FunctionCall && m.operands(i).first().is_some_and(|c| self.inlined_io.contains(c)))
        {
            self.inlined_io.insert(id);
            inlined = true;
        }
        if inlined {
            self.inlined.insert(id);
        }
        Ok(())
    }

    /// Declares types, constants and variables in the order of the module.
    fn declare(&mut self, entries: &[&'m Entry]) -> Lowered<()> {
        let m = self.m;
        let used = self.used_variables(entries);
        for at in 0..m.head {
            let inst = &m.insts[at];
            match inst.op {
                op if op.is_type() => {
                    let consts = &self.consts;
                    let length = |id: u32| m.def(id).and_then(|d| consts.get(d)?.as_ref()?.whole());
                    self.types.declare(at, inst, length)?;
                }
                Op::Variable => {
                    if used.contains(&inst.id) {
                        self.globals[at] = Some(self.variable(inst)?);
                    }
                }
                _ => self.consts[at] = Some(Rc::new(self.constant(inst)?)),
            }
        }
        Ok(())
    }

    /// Pointer types name types that stand behind them at times: all are there now.
    fn declare_pointers(&mut self) -> Lowered<()> {
        for inst in self.m.insts[..self.m.head].iter().filter(|i| i.op == Op::TypePointer) {
            self.types.of(self.m.operands(inst)[1], inst)?;
        }
        Ok(())
    }

    /// Variables that functions which are reached name.
    fn used_variables(&mut self, entries: &[&Entry]) -> FxHashSet<u32> {
        let m = self.m;
        let mut used = FxHashSet::default();
        let bodies: Vec<_> = self.plans.values().map(|p| p.function.body.clone()).collect();
        for body in bodies {
            for inst in &m.insts[body] {
                let o = m.operands(inst);
                let chain = matches!(inst.op, Op::AccessChain | Op::InBoundsAccessChain);
                for id in m.ids(inst) {
                    if m.def(id).is_some_and(|d| d < m.head && m.insts[d].op == Op::Variable) {
                        used.insert(id);
                        let first = o.get(1).filter(|_| chain && o[0] == id).copied();
                        self.accesses.entry(id).or_default().push(first);
                    }
                }
            }
        }
        // An output that nobody writes is one all the same.
        for &id in entries.iter().flat_map(|e| &e.interface) {
            let class = m.def(id).map(|d| &m.insts[d]).filter(|i| i.op == Op::Variable).map(|i| m.operands(i)[0]);
            if class.and_then(StorageClass::from_u32) == Some(StorageClass::Output) {
                used.insert(id);
            }
        }
        used
    }
}
