//! One IR function: values by id, the SPIR-V function that is being lowered and those lowered in place of calls.

use super::cx::{Lowered, ModuleCx};
use super::data::{Global, Stage};
use super::licences::Licences;
use crate::module::{Entry, Inst};
use crate::plan::Plan;
use crate::types::{Kind, Ty};
use crate::value::{Buffers, Choice, Handle, InputPtr, Ptr, Val};
use gpucc_frontend_common::{Code, Memory, report};
use gpucc_ir as ir;
use ir::{Diagnostic, Refusal, Type, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A SPIR-V function that is being lowered: the IR function's own, or one in place of a call.
pub struct Activation {
    pub plan: Rc<Plan>,
    /// Results by instruction, counted from the function's, and the blocks that make them.
    pub vals: Vec<Option<(Val, u32)>>,
    /// IR blocks by block.
    pub blocks: Vec<Option<ir::Block>>,
    /// The block that is being lowered.
    pub at: usize,
    /// The effect of a return.
    pub exit: Exit,
    /// The result of a return that ends nothing, and where the code after the call begins.
    pub end: Option<(ir::Block, Val)>,
    /// Results that are carried over the end of a loop in variables.
    pub carried: FxHashMap<u32, Vec<ir::Local>>,
    /// The continue targets of headers that are their own.
    pub latches: FxHashMap<usize, ir::Block>,
}

/// The effect of a return.
#[derive(Clone)]
pub enum Exit {
    /// It returns from the IR function.
    Return,
    /// There is one alone: the code after the call follows it.
    Follow,
    /// It leaves the construct that stands for the call.
    Leave(Rc<Left>),
}

/// The end of a function that is lowered in place of a call.
pub struct Left {
    /// Where the code after the call begins.
    pub merge: ir::Block,
    /// The leaves of the result.
    pub result: Vec<ir::Local>,
    /// Where a large aggregate is kept that is the result.
    pub whole: Option<Ptr>,
    /// Set before leaving a loop that a return stands in; the code after the loop asks it.
    pub returned: Option<ir::Local>,
}

/// The state of lowering one IR function.
pub struct FuncCx<'a, 'm> {
    pub m: &'a mut ModuleCx<'m>,
    /// The function with the place where code is built.
    pub code: Code,
    pub active: Vec<Activation>,
    /// Constants that were used.
    constants: FxHashMap<usize, Val>,
    /// Interface of the entry point; `None` of other functions.
    pub stage: Option<Stage>,
    /// The instruction that is being lowered.
    pub inst: Option<Inst>,
    /// IR instructions at the last look at the limit.
    pub licences: Licences,
    /// Whether what is lowered is evaluated here, which keeps denormals and rounds to nearest.
    pub folds: bool,
}

impl std::ops::Deref for FuncCx<'_, '_> {
    type Target = Code;
    fn deref(&self) -> &Code {
        &self.code
    }
}

impl std::ops::DerefMut for FuncCx<'_, '_> {
    fn deref_mut(&mut self) -> &mut Code {
        &mut self.code
    }
}

impl<'a, 'm> FuncCx<'a, 'm> {
    fn new(m: &'a mut ModuleCx<'m>, name: String) -> Self {
        ir::trace::enter("lower", &name);
        let fp = m.fp;
        let mut code = Code::new(name, fp.of(0));
        code.exact = m.exact;
        let constants = FxHashMap::default();
        FuncCx { m, code, active: Vec::new(), constants, stage: None, inst: None, licences: fp, folds: false }
    }

    /// A function of no name, for operations on constants.
    pub fn scratch(m: &'a mut ModuleCx<'m>) -> Self {
        let fp = m.fp;
        let code = Code::new("", fp.of(0));
        let constants = FxHashMap::default();
        FuncCx { m, code, active: Vec::new(), constants, stage: None, inst: None, licences: fp, folds: true }
    }

    /// Lowers a function of the module.
    pub fn function(m: &'a mut ModuleCx<'m>, id: u32) -> Lowered<ir::Function> {
        let name = m.m.name(id).unwrap_or_else(|| format!("function{id}"));
        let mut cx = FuncCx::new(m, name);
        let Some(plan) = cx.m.plan(id) else { return cx.broken("a function without a plan") };
        let inst = cx.m.m.insts[plan.function.inst];
        let ret = cx.m.types.of(inst.ty, &inst)?;
        if !matches!(cx.m.types.kind(ret), Kind::Void) {
            cx.code.f.ret = cx.leaf_types(ret)?.into();
        }
        let mut args = Vec::new();
        for &param in &plan.params {
            let inst = cx.m.m.insts[param];
            let ty = cx.m.types.of(inst.ty, &inst)?;
            let entry = cx.code.f.entry();
            let leaves: Vec<Value> = cx.leaf_types(ty)?.into_iter().map(|ty| cx.code.f.add_param(entry, ty)).collect();
            args.push(cx.unflatten(ty, &mut leaves.into_iter())?);
        }
        cx.body(&plan, args, Exit::Return)?;
        cx.finish()
    }

    /// Lowers an entry point.
    pub fn entry_point(m: &'a mut ModuleCx<'m>, entry: &Entry) -> Lowered<(ir::Function, ir::StageInfo)> {
        let mut cx = FuncCx::new(m, entry.name.clone());
        let Some(plan) = cx.m.plan(entry.function) else { return cx.broken("an entry without a plan") };
        cx.begin_stage(entry)?;
        cx.body(&plan, Vec::new(), Exit::Return)?;
        let info = cx.end_stage(entry)?;
        Ok((cx.finish()?, info))
    }

    /// Puts the layout in order and looks at the structure once more: what the planner accepts may still leave a loop sideways.
    fn finish(mut self) -> Lowered<ir::Function> {
        self.prune();
        let m = &self.m.out;
        if let Err(found) = ir::verify::verify_function(m, &self.code.f) {
            let first = &found[0];
            let text = format!("the function `{}` has no structured control flow: {}", self.code.f.name, first.message);
            return Err(match first.rule {
                "structure" => Diagnostic::invalid("validation", text),
                _ => Diagnostic::internal("lower", format!("lowering: {first}")),
            });
        }
        let order = ir::analysis::structured_order(&self.code.f);
        self.code.f.layout = order;
        Ok(self.code.f)
    }

    /// Drops blocks that nothing reaches; those that the head of a loop names end nowhere.
    fn prune(&mut self) {
        let f = &mut self.code.f;
        let mut reached: ir::EntitySet<ir::Block> = ir::EntitySet::new();
        let mut stack = vec![f.entry()];
        while let Some(b) = stack.pop() {
            if reached.insert(b) {
                stack.extend(f.succs(b));
            }
        }
        let mut kept = reached.clone();
        for &b in &f.layout {
            if let Some(h) = f.blocks[b].header.filter(|_| reached.contains(b)) {
                kept.insert(h.merge);
                kept.insert(h.cont);
            }
        }
        let layout = f.layout.clone();
        for &b in layout.iter().filter(|b| reached.contains(**b)) {
            let t = f.terminator(b);
            if f.insts[t].merge().is_some_and(|m| !reached.contains(m)) {
                f.insts[t].set_merge(None);
            }
        }
        for &b in layout.iter().filter(|b| kept.contains(**b) && !reached.contains(**b)) {
            f.blocks[b].insts.clear();
            f.blocks[b].header = None;
            ir::Builder::new(f, b).unreachable();
        }
        f.layout.retain(|b| kept.contains(*b));
    }

    /// The function that is being lowered now.
    pub fn current(&mut self) -> &mut Activation {
        self.active.last_mut().expect("a function is active while blocks are lowered")
    }

    /// The present instruction breaks a rule of SPIR-V.
    pub fn wrong<T>(&self, what: impl std::fmt::Display) -> Lowered<T> {
        match &self.inst {
            Some(inst) => Err(self.m.m.wrong(inst, what)),
            None => Err(Diagnostic::invalid("validation", what.to_string())),
        }
    }

    /// The present instruction cannot be compiled.
    pub fn missing<T>(&self, code: Refusal, what: impl std::fmt::Display) -> Lowered<T> {
        match &self.inst {
            Some(inst) => Err(self.m.m.missing(code, inst, what)),
            None => Err(report::unsupported(code, &what.to_string(), self.span())),
        }
    }

    /// The type of an id's value.
    pub fn ty_of(&self, id: u32) -> Lowered<Ty> {
        match self.m.m.def(id).map(|d| self.m.m.insts[d].ty).and_then(|t| self.m.types.find(t)) {
            Some(ty) => Ok(ty),
            None => self.wrong(format!("%{id} is no value")),
        }
    }

    /// The value of an id.
    pub fn val(&mut self, id: u32) -> Lowered<Val> {
        let Some(d) = self.m.m.def(id) else { return self.wrong(format!("%{id} is not defined")) };
        if d < self.m.m.head {
            return self.module_val(id, d);
        }
        let Some(active) = self.active.last() else {
            return self.wrong(format!("%{id} is no constant"));
        };
        let base = active.plan.function.inst;
        match d.checked_sub(base).and_then(|k| active.vals.get(k)) {
            Some(Some((val, b))) if active.plan.dominates(*b as usize, active.at) => {
                let val = val.clone();
                let (from, at) = (*b as usize, active.at);
                if from != at && active.carried.contains_key(&id) {
                    return self.carried(id, val, from, at);
                }
                Ok(val)
            }
            Some(_) => self.wrong(format!("%{id} is not defined on every path to it")),
            None => self.wrong(format!("%{id} is a result of another function")),
        }
    }

    /// The value of an id that stands before all functions.
    fn module_val(&mut self, id: u32, d: usize) -> Lowered<Val> {
        match &self.m.globals[d] {
            Some(Global::Val(val)) => return Ok(val.clone()),
            Some(Global::Output(n)) => {
                let n = *n;
                return self.output(n);
            }
            None => {}
        }
        if let Some(val) = self.constants.get(&d) {
            return Ok(val.clone());
        }
        let Some(tree) = self.m.consts[d].clone() else { return self.wrong(format!("%{id} is no value")) };
        let val = self.tree_value(&tree)?;
        self.constants.insert(d, val.clone());
        Ok(val)
    }

    /// The value of an id that is one scalar or vector.
    pub fn one(&mut self, id: u32) -> Lowered<Value> {
        match self.val(id)? {
            Val::One(v) => Ok(v),
            Val::Ptr(ptr) if ptr.base.is_some() => Ok(self.address(&ptr)),
            _ => self.wrong(format!("%{id} is no scalar or vector")),
        }
    }

    /// The value of an id that is a scalar or vector of this type.
    pub fn typed(&mut self, id: u32, ty: Type) -> Lowered<Value> {
        let v = self.one(id)?;
        if self.code.f.ty(v) != ty {
            return self.wrong(format!("%{id} is {}, not {ty}", self.code.f.ty(v)));
        }
        Ok(v)
    }

    /// The value of an id that is a pointer to memory.
    pub fn pointer(&mut self, id: u32) -> Lowered<Ptr> {
        match self.pointed(id)? {
            Val::Ptr(ptr) => Ok((*ptr).clone()),
            _ => self.wrong(format!("%{id} is no pointer to memory")),
        }
    }

    /// A constant whole number, as scopes and the like are.
    pub fn number(&mut self, id: u32) -> Lowered<u64> {
        let v = self.one(id)?;
        match self.code.f.const_bits(v) {
            Some(bits) => Ok(bits),
            None => self.wrong(format!("%{id} is no constant")),
        }
    }

    /// `f` of every IR value in a value.
    pub fn map_values(&mut self, val: &Val, f: &mut dyn FnMut(&mut Self, Value) -> Value) -> Val {
        match val {
            Val::One(v) => Val::One(f(self, *v)),
            Val::Parts(parts) => Val::parts(parts.iter().map(|p| self.map_values(p, f)).collect()),
            Val::Ptr(p) | Val::InMemory(p) => {
                let base = p.base.map(|v| f(self, v));
                let dynamic = p.dynamic.map(|v| f(self, v));
                let choice =
                    p.choice.as_ref().map(|c| Rc::new(Choice { index: f(self, c.index), places: c.places.clone() }));
                let p = Rc::new(Ptr { base, dynamic, choice, ..(**p).clone() });
                if matches!(val, Val::Ptr(_)) { Val::Ptr(p) } else { Val::InMemory(p) }
            }
            Val::Input(p) => {
                let path = p.path.iter().map(|&(ty, i)| match i {
                    crate::value::Index::Dynamic(v) => (ty, crate::value::Index::Dynamic(f(self, v))),
                    at => (ty, at),
                });
                let path = path.collect();
                Val::Input(Rc::new(InputPtr { path, ..(**p).clone() }))
            }
            Val::Handle(h) => Val::Handle(Handle { index: h.index.map(|v| f(self, v)), ..*h }),
            Val::Sampled(a, b) => {
                let mut one = |h: &Handle| Handle { index: h.index.map(|v| f(self, v)), ..*h };
                Val::Sampled(one(a), one(b))
            }
            Val::Texel(t) => {
                let given = t.given.iter().map(|&(a, v)| (a, f(self, v))).collect();
                let mut image = t.image;
                image.index = image.index.map(|v| f(self, v));
                Val::Texel(Rc::new(crate::value::Texel { image, desc: t.desc, given }))
            }
            Val::Buffers(b) => Val::Buffers(Rc::new(Buffers { index: b.index.map(|v| f(self, v)), ..(**b).clone() })),
            Val::Cell(_) | Val::Void => val.clone(),
        }
    }
}
