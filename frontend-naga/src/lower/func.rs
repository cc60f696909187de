//! One IR function: parameters, variables, calls, and the values of naga's expressions.

use super::stage::Stage;
use super::texture::Binding;
use super::types::{self, Ty};
use super::value::{Ptr, Val};
use super::{Lowered, ModuleCx};
use crate::{halves, limits, report};
use gpucc_frontend_common::{Code, Memory, Shapes};
use gpucc_ir as ir;
use indexmap::IndexMap;
use ir::{Block, Refusal, Span, Type, Value};
use naga::{Expression, Handle};
use rustc_hash::FxBuildHasher;

/// A naga function that is being lowered: the IR function's own, or one lowered in place of a call.
pub struct Activation<'m> {
    pub function: &'m naga::Function,
    pub known: Known<'m>,
    /// Values by expression handle.
    values: Vec<Option<Val>>,
    args: Vec<Val>,
    locals: Vec<ir::Local>,
    /// The first variable that was made for it.
    pub first_local: usize,
    /// Where `return` goes; `None` is the IR function's own `ret`.
    pub exit: Option<Exit>,
    /// How many loops of the whole IR function were open at the call.
    pub outer_loops: usize,
    /// Constants copied from the module, by handle. Per activation only for simplicity: they are interned.
    constants: IndexMap<Handle<naga::Constant>, Val, FxBuildHasher>,
}

/// The facts about a function's expressions.
#[derive(Clone, Copy)]
pub struct Known<'m> {
    /// The validator's facts about the function.
    pub info: &'m naga::valid::FunctionInfo,
    /// Their types, where the validator saw a shadow of the module.
    types: Option<&'m naga::front::Typifier>,
}

/// The end of a function that is lowered in place of a call.
pub struct Exit {
    /// Where the code after the call begins.
    pub merge: Block,
    /// How many jumps there are to it.
    pub hits: u32,
    /// The result that the returns give.
    pub result: Outcome,
    /// Set before leaving a loop that a `return` stands in; the code after the loop asks it.
    pub returned: Option<ir::Local>,
}

/// Where the result of a function that is lowered in place of a call is kept.
pub enum Outcome {
    /// A variable for each leaf.
    Leaves(Vec<ir::Local>),
    /// A large aggregate: a variable for all of it, or where the only `return` found it.
    Whole {
        /// Its type.
        ty: Ty,
        /// It is returned at one place.
        once: bool,
        /// The value, once a `return` gave it.
        value: Option<Val>,
    },
}

/// A loop that is open.
pub struct OpenLoop<'m> {
    /// What runs between two turns.
    pub continuing: &'m naga::Block,
    pub merge: Block,
    pub cont: Block,
    pub merge_hits: u32,
    pub cont_hits: u32,
    /// Expressions evaluated after the first `continue`: not there on every way to the continuing block.
    pub late: Vec<Handle<Expression>>,
    /// A `return` of an inlined function leaves through the merge.
    pub returns: bool,
}

/// The construct that `break` leaves.
pub enum Breakable {
    /// The innermost loop.
    Loop,
    /// A switch with this merge block, and how often it was left.
    Switch { merge: Block, hits: u32 },
}

/// The state of lowering one IR function.
pub struct FuncCx<'a, 'm> {
    pub m: &'a mut ModuleCx<'m>,
    /// The function with the place where code is built.
    pub code: Code,
    pub active: Vec<Activation<'m>>,
    pub loops: Vec<OpenLoop<'m>>,
    pub breakables: Vec<Breakable>,
    /// The output that each leaf of the result is, for a vertex or fragment entry.
    pub outputs: Option<Vec<usize>>,
    /// The output that is the size of a point.
    pub point_size: Option<usize>,
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
        let mut code = Code::new(name, m.fp);
        code.exact = m.exact;
        FuncCx {
            m,
            code,
            active: Vec::new(),
            loops: Vec::new(),
            breakables: Vec::new(),
            outputs: None,
            point_size: None,
        }
    }

    /// Lowers a function of the module.
    pub fn function(m: &'a mut ModuleCx<'m>, handle: Handle<naga::Function>) -> Lowered<ir::Function> {
        let function = &m.source.functions[handle];
        let known = Known { info: &m.info[handle], types: m.typed.and_then(|t| t.function(handle)) };
        let name = function.name.clone().unwrap_or_else(|| format!("function{}", handle.index()));
        let mut cx = FuncCx::new(m, name);
        let mut args = Vec::new();
        for argument in &function.arguments {
            let ty = cx.ty(argument.ty, Span::UNKNOWN)?;
            args.push(cx.parameter(ty)?);
        }
        if let Some(result) = &function.result {
            let ty = cx.ty(result.ty, Span::UNKNOWN)?;
            cx.f.ret = cx.leaf_types(ty)?.into();
        }
        cx.body(function, known, args)
    }

    /// Lowers an entry point of the module.
    pub fn entry_point(m: &'a mut ModuleCx<'m>, index: usize) -> Lowered<(ir::Function, Stage)> {
        let entry = &m.source.entry_points[index];
        let known = Known { info: m.info.get_entry_point(index), types: m.typed.and_then(|t| t.entry(index)) };
        let mut cx = FuncCx::new(m, entry.name.clone());
        let mut stage = Stage::new(entry, &cx.m.source.types);
        let mut args = Vec::new();
        for argument in &entry.function.arguments {
            args.push(cx.entry_argument(argument, &mut stage)?);
        }
        if let Some(result) = &entry.function.result {
            cx.declare_outputs(result, &mut stage)?;
            cx.outputs = Some(stage.outputs.clone());
        }
        Ok((cx.body(&entry.function, known, args)?, stage))
    }

    fn parameter(&mut self, ty: Ty) -> Lowered<Val> {
        let entry = self.f.entry();
        let types = self.leaf_types(ty)?;
        let leaves: Vec<Value> = types.into_iter().map(|ty| self.f.add_param(entry, ty)).collect();
        self.unflatten(ty, &mut leaves.into_iter())
    }

    fn body(mut self, function: &'m naga::Function, known: Known<'m>, args: Vec<Val>) -> Lowered<ir::Function> {
        // Most expressions become one instruction with one value.
        self.f.insts.reserve(function.expressions.len());
        self.f.values.reserve(function.expressions.len());
        self.activate(function, known, args, None)?;
        self.statements(&function.body)?;
        self.fall_off()?;
        Ok(self.code.f)
    }

    /// Makes `function` the one whose expressions are evaluated, and its variables.
    fn activate(
        &mut self,
        function: &'m naga::Function,
        known: Known<'m>,
        args: Vec<Val>,
        exit: Option<Exit>,
    ) -> Lowered<()> {
        let outer_loops = self.loops.len();
        self.active.push(Activation {
            function,
            known,
            values: vec![None; function.expressions.len()],
            args,
            locals: Vec::new(),
            first_local: self.f.locals.len(),
            exit,
            outer_loops,
            constants: IndexMap::default(),
        });
        for (handle, variable) in function.local_variables.iter() {
            let span = report::span(function.local_variables.get_span(handle));
            self.loc = self.m.out.add_loc(span);
            let ty = self.ty(variable.ty, span)?;
            let init = match variable.init {
                None => None,
                Some(init) => Some(self.value(init)?),
            };
            let name = variable.name.clone().unwrap_or_default();
            // A large constant initialiser is an image; a small one is cheaper to see through as stores.
            let image = match &init {
                Some(value) if self.m.types.leaves(ty) > 16 => self.memory_image(value, ty),
                _ => None,
            };
            let stores = image.is_none() && init.is_some();
            let bytes = image.map_or(ir::Init::Zero, ir::Init::Bytes);
            let data = self.m.variable(name, ir::Space::Function, ty, bytes, span)?;
            let local = self.f.locals.push(data);
            self.current().locals.push(local);
            match init {
                Some(value) if stores => {
                    let ptr = self.local_ptr(local, ty);
                    self.store(&ptr, &value)?;
                }
                _ => {
                    self.b().var_init(ir::Place::Local(local));
                }
            }
        }
        Ok(())
    }

    /// The outcome where control leaves the end of a function's body.
    fn fall_off(&mut self) -> Lowered<()> {
        if !self.live {
            return Ok(());
        }
        // Only reachable if no value is returned, or after a `discard` that is the last statement: then any value will do.
        let types = self.f.ret.clone();
        let values: Vec<Value> = types.into_iter().map(|ty| self.f.zero(ty)).collect();
        self.b().ret(&values);
        self.live = false;
        Ok(())
    }

    /// The function whose expressions are evaluated now.
    pub fn current(&mut self) -> &mut Activation<'m> {
        self.active.last_mut().expect("a function is active while statements are lowered")
    }

    /// A refusal at the present place.
    pub fn unsupported<T>(&self, code: Refusal, feature: &str) -> Lowered<T> {
        Err(report::unsupported(code, feature, self.span()))
    }

    /// The shape behind a type handle.
    pub fn ty(&self, handle: Handle<naga::Type>, span: Span) -> Lowered<Ty> {
        self.m.types.of(handle).map_err(|gap| gap.at(span))
    }

    /// The shape of an expression's value.
    pub fn expr_ty(&self, handle: Handle<Expression>) -> Lowered<Ty> {
        let active = self.active.last().expect("a function is active while expressions are lowered");
        let resolution = match active.known.types {
            Some(types) => &types[handle],
            None => &active.known.info[handle].ty,
        };
        let ty = match *resolution {
            naga::proc::TypeResolution::Handle(h) => self.m.types.of(h),
            naga::proc::TypeResolution::Value(ref inner) => self.m.types.of_inner(inner, None),
        };
        ty.map_err(|gap| gap.at(self.span()))
    }

    /// Remembers the value of an expression.
    pub fn define(&mut self, handle: Handle<Expression>, value: Val) {
        let outer = self.current().outer_loops;
        if self.loops.len() > outer
            && let Some(open) = self.loops.last_mut()
            && open.cont_hits > 0
        {
            open.late.push(handle);
        }
        self.current().values[handle.index()] = Some(value);
    }

    /// Replaces a value that is not there on every way by one of the same shape that is anywhere.
    pub fn undefine(&mut self, handle: Handle<Expression>) {
        fn blur(cx: &mut FuncCx, value: &Val) -> Val {
            match value {
                Val::One(v) => {
                    let ty = cx.f.ty(*v);
                    if cx.f.as_const(*v).is_some() { value.clone() } else { Val::One(cx.f.zero(ty)) }
                }
                Val::Parts(parts) => Val::parts(parts.iter().map(|p| blur(cx, p)).collect()),
                Val::Ptr(p) => Val::Ptr(Ptr { dynamic: None, reach: Some(0), ..(**p).clone() }.into()),
                Val::InMemory(p) => Val::InMemory(Ptr { dynamic: None, reach: Some(0), ..(**p).clone() }.into()),
                Val::Handle(b) => {
                    let index = b.index.map(|_| cx.f.iconst(Type::I32, 0));
                    Val::Handle(Binding { index, ..*b })
                }
            }
        }
        if let Some(value) = self.current().values[handle.index()].clone() {
            let blurred = blur(self, &value);
            self.current().values[handle.index()] = Some(blurred);
        }
    }

    /// The value of an expression: as computed by its `Emit` or statement, or of one that needs neither.
    pub fn value(&mut self, handle: Handle<Expression>) -> Lowered<Val> {
        if let Some(value) = &self.current().values[handle.index()] {
            return Ok(value.clone());
        }
        let value = match self.current().function.expressions[handle] {
            Expression::FunctionArgument(n) => match self.current().args.get(n as usize) {
                Some(value) => value.clone(),
                None => return self.broken("an argument without a value"),
            },
            Expression::GlobalVariable(global) => match &self.m.globals[global.index()] {
                Some(global) => global.val.clone(),
                None => return self.broken("a global that was not declared"),
            },
            Expression::LocalVariable(variable) => {
                let ty = self.current().function.local_variables[variable].ty;
                let ty = self.ty(ty, self.span())?;
                match self.current().locals.get(variable.index()).copied() {
                    Some(local) => Val::Ptr(self.local_ptr(local, ty).into()),
                    None => return self.broken("a variable that was not declared"),
                }
            }
            Expression::Constant(constant) => {
                if let Some(value) = self.current().constants.get(&constant) {
                    value.clone()
                } else {
                    let tree = self.m.constant_tree(self.m.source.constants[constant].init, self.span())?;
                    let value = self.tree_value(&tree)?;
                    self.current().constants.insert(constant, value.clone());
                    value
                }
            }
            // Literals, zero values, and constructors of constants that no `Emit` covers.
            _ => self.evaluate(handle)?,
        };
        self.current().values[handle.index()] = Some(value.clone());
        Ok(value)
    }

    /// The value of an expression that is one scalar or vector.
    pub fn one(&mut self, handle: Handle<Expression>) -> Lowered<Value> {
        let value = self.value(handle)?;
        self.single(&value)
    }

    /// Lowers a `Call` statement: the callee in place of it.
    pub fn call(
        &mut self,
        callee: Handle<naga::Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
    ) -> Lowered<()> {
        let source = self.m.source;
        let function = &source.functions[callee];
        let mut args = Vec::new();
        for &argument in arguments {
            args.push(self.value(argument)?);
        }
        let result_ty = match &function.result {
            Some(result) => Some(self.ty(result.ty, self.span())?),
            None => None,
        };
        let value = match self.m.funcs[callee.index()] {
            None if halves::is_cast(function) => Some(self.cast(&args, result_ty)?),
            Some(func) => {
                let mut leaves = Vec::new();
                for arg in &args {
                    self.flatten(arg, &mut leaves)?;
                }
                let results = self.m.out.funcs[func].ret.clone();
                let inst = self.b().call(func, &leaves, &results);
                let values = self.f.insts[inst].results;
                match result_ty {
                    Some(ty) => Some(self.unflatten(ty, &mut values.iter())?),
                    None => None,
                }
            }
            None => self.inline(callee, args, result_ty)?,
        };
        if let (Some(handle), Some(value)) = (result, value) {
            self.define(handle, value);
        }
        Ok(())
    }

    /// The bits of a value as another type.
    fn cast(&mut self, args: &[Val], result: Option<Ty>) -> Lowered<Val> {
        let (Some(value), Some(to)) = (args.first(), result.and_then(types::leaf)) else {
            return self.broken("a cast without a value or a type");
        };
        let value = self.single(value)?;
        let from = self.f.ty(value);
        if from.is_bool() || from.total_bits() != to.total_bits() {
            return self.broken("a cast to other bits");
        }
        Ok(Val::One(if from == to { value } else { self.bitcast(value, to) }))
    }

    /// Lowers a function in place of a call of it.
    fn inline(
        &mut self,
        callee: Handle<naga::Function>,
        args: Vec<Val>,
        result_ty: Option<Ty>,
    ) -> Lowered<Option<Val>> {
        let function: &'m naga::Function = &self.m.source.functions[callee];
        let known = Known { info: &self.m.info[callee], types: self.m.typed.and_then(|t| t.function(callee)) };
        if self.active.len() as u64 > limits::CALL_DEPTH.max {
            return Err(report::limit(&limits::CALL_DEPTH).at(self.span(), "this call"));
        }
        let loc = self.loc;
        let mut result = Vec::new();
        let whole = result_ty.filter(|&ty| self.is_long(ty));
        if let Some(ty) = result_ty.filter(|_| whole.is_none()) {
            self.check_size(ty)?;
            for leaf in self.leaf_types(ty)? {
                result.push(self.leaf_variable(leaf));
            }
        }
        let merge = self.f.make_block();
        let body = self.f.make_block();
        let open = self.b().jump_merge(body, &[], merge);
        self.start(body);
        let result_locals = result.clone();
        let result = match whole {
            Some(ty) => Outcome::Whole { ty, once: Self::returns(&function.body) == 1, value: None },
            None => Outcome::Leaves(result),
        };
        // Breaks of the caller do not reach into the callee.
        let breakables = std::mem::take(&mut self.breakables);
        let returned = if Self::returns_from_loop(&function.body, false) {
            let flag = self.leaf_variable(Type::B1);
            self.b().var_init(ir::Place::Local(flag));
            Some(flag)
        } else {
            None
        };
        self.activate(function, known, args, Some(Exit { merge, hits: 0, result, returned }))?;
        self.statements(&function.body)?;
        if self.live {
            self.leave_inlined()?;
        }
        self.breakables = breakables;
        let done = self.active.pop().expect("activated above");
        self.loc = loc;
        let hits = done.exit.as_ref().map_or(0, |exit| exit.hits);
        if hits == 0 {
            // Nothing after the call runs.
            self.f.insts[open].set_merge(None);
            self.live = false;
        } else {
            self.start(merge);
        }
        let Some(ty) = result_ty else { return Ok(None) };
        if let Some(Exit { result: Outcome::Whole { value, .. }, .. }) = done.exit {
            return match value {
                Some(value) => Ok(Some(value)),
                None => self.kept_whole(ty).map(Some),
            };
        }
        if !self.live {
            return self.zero(ty).map(Some);
        }
        let mut leaves = Vec::new();
        for (local, leaf) in result_locals.into_iter().zip(self.leaf_types(ty)?) {
            leaves.push(self.kept(local, leaf));
        }
        self.unflatten(ty, &mut leaves.into_iter()).map(Some)
    }

    /// Jumps to the code after the call that the present function is lowered in place of.
    pub fn leave_inlined(&mut self) -> Lowered<()> {
        let Some(exit) = &mut self.current().exit else { return self.broken("no call to leave") };
        exit.hits += 1;
        let merge = exit.merge;
        self.b().jump(merge, &[]);
        self.live = false;
        Ok(())
    }
}
