//! Inputs and outputs of stages.
//!
//! An input is read where it is loaded: a system value, or a slot of the interface. An output is a variable of the entry's function, which
//! returns what is in it. Variables that share a location are components of one slot.

use super::cx::{Lowered, ModuleCx};
use super::data::{At, Global, IoVar, OutLeaf, Stage, Tree};
use super::func::FuncCx;
use crate::module::{Entry, Inst};
use crate::types::{Kind, Ty};
use crate::value::{InputPtr, Val};
use gpucc_frontend_common::{Memory, report};
use gpucc_ir as ir;
use indexmap::IndexMap;
use ir::{Diagnostic, Interface, Interp, IoAt, IoSlot, Refusal, Scalar, Span, StageInfo, Sysval, Type, Value};
use rspirv::spirv::{BuiltIn, Decoration as D, ExecutionMode, Op};
use std::rc::Rc;

/// Scalars of a variable: four times 256 locations.
const MOST_SCALARS: u64 = 1024;

/// The key of an input: its location, and the vertex where it is that of one.
fn input_key(location: u8, at: At) -> u32 {
    u32::from(location) | at.vertex.map_or(0, |k| (k + 1) << 8)
}

/// The type in which a leaf travels between stages.
fn word(leaf: Type) -> Type {
    match leaf.scalar() {
        Scalar::F16 => leaf.with_scalar(Scalar::F32),
        Scalar::I8 | Scalar::I16 => leaf.with_scalar(Scalar::I32),
        _ => leaf,
    }
}

impl ModuleCx<'_> {
    /// Declares an input or an output.
    pub fn io_variable(&mut self, inst: &Inst, input: bool, ty: Ty, init: Option<u32>) -> Lowered<Global> {
        let m = self.m;
        let empty = matches!(self.types.kind(ty), Kind::Struct(members) if members.is_empty());
        if self.types.holds_pointer(ty) || self.types.get(ty).runtime || self.types.get(ty).leaves == 0 && !empty {
            return Err(m.wrong(inst, "it cannot be of this type"));
        }
        let init = match init {
            Some(id) => Some(self.tree(id, inst)?),
            None => None,
        };
        let built_in = |k: &Kind| match k {
            Kind::Struct(members) => members.iter().all(|m| m.built_in.is_some()),
            _ => false,
        };
        let by_location = !m.has(inst.id, D::BuiltIn) && !built_in(self.types.kind(ty));
        let number = self.io.len();
        self.io_by_id.insert(inst.id, number);
        let (name, span) = (m.name(inst.id).unwrap_or_default(), m.span(inst));
        self.io.push(IoVar { id: inst.id, name, ty, input, by_location, init, span });
        Ok(if input {
            Global::Val(Val::Input(Rc::new(InputPtr { variable: number, path: Vec::new(), ty })))
        } else {
            Global::Output(number)
        })
    }

    /// The decorations of a variable, or of a member.
    fn at(&self, mut at: At, has: impl Fn(D) -> bool, number: impl Fn(D) -> Option<u32>) -> At {
        at.flat |= has(D::Flat);
        at.linear |= has(D::NoPerspective);
        at.centroid |= has(D::Centroid);
        at.sample |= has(D::Sample);
        if let Some(n) = number(D::Location) {
            (at.location, at.component) = (Some(n), 0);
        }
        at.component = number(D::Component).unwrap_or(at.component);
        at.blend_src = number(D::Index).unwrap_or(at.blend_src);
        at
    }

    fn variable_at(&self, variable: usize) -> Lowered<At> {
        let io = &self.io[variable];
        let m = self.m;
        let mut at = self.at(At::default(), |d| m.has(io.id, d), |d| m.deco_number(io.id, d));
        at.per_vertex = m.has(io.id, D::PerVertexKHR);
        if let Kind::Array(of, ..) = self.types.kind(io.ty)
            && let Kind::Struct(members) = self.types.kind(*of)
        {
            let block = self.types.get(*of).id;
            let marked = |k: usize| m.member_deco(block, k as u32, D::PerVertexKHR).is_some();
            at.per_vertex |= (0..members.len()).any(marked);
        }
        if let Some(n) = m.deco_number(io.id, D::BuiltIn) {
            let known = BuiltIn::from_u32(n);
            at.built_in = Some(known.ok_or_else(|| {
                report::unsupported(Refusal::StageInputs, &format!("the built-in value {n}"), io.span)
            })?);
        }
        Ok(at)
    }

    /// Locations that a type takes.
    fn locations(&mut self, ty: Ty) -> u32 {
        match self.types.kind(ty).clone() {
            Kind::Matrix(column, n) => n.saturating_mul(self.locations(column)),
            Kind::Array(of, n, _) => n.saturating_mul(self.locations(of)),
            Kind::Struct(members) => members.iter().fold(0, |n: u32, m| n.saturating_add(self.locations(m.ty))),
            Kind::Vector(..) => match self.types.leaf(ty) {
                Some(leaf) if leaf.total_bits() > 128 => 2,
                _ => 1,
            },
            _ => 1,
        }
    }

    /// Where part `k` of a type is, of one that is at `at`.
    fn part_at(&mut self, at: At, ty: Ty, k: u32) -> At {
        let m = self.m;
        match self.types.kind(ty).clone() {
            Kind::Struct(members) => {
                let id = self.types.get(ty).id;
                let mut part = at;
                let before = members[..k as usize].iter().map(|m| m.ty).collect::<Vec<_>>();
                // A member without a location follows the one before it.
                let mut next = at.location;
                for (n, ty) in before.into_iter().enumerate() {
                    let own = m.member_number(id, n as u32, D::Location).or(next);
                    next = own.map(|own| own.saturating_add(self.locations(ty)));
                }
                (part.location, part.component) = (next, 0);
                part = self.at(part, |d| m.member_deco(id, k, d).is_some(), |d| m.member_number(id, k, d));
                part.built_in = members[k as usize].built_in.or(part.built_in);
                part
            }
            // Of one location the value of each vertex.
            Kind::Array(..) if at.per_vertex && at.vertex.is_none() => At { vertex: Some(k), ..at },
            Kind::Array(of, ..) => {
                let step = self.locations(of).saturating_mul(k);
                At { location: at.location.map(|l| l.saturating_add(step)), element: k, ..at }
            }
            Kind::Matrix(column, _) => {
                let step = self.locations(column).saturating_mul(k);
                At { location: at.location.map(|l| l.saturating_add(step)), ..at }
            }
            _ => at,
        }
    }

    /// The members of an output that any instruction names; none where one names the whole.
    fn accessed(&self, variable: usize) -> Option<Vec<u32>> {
        let accesses = self.accesses.get(&self.io[variable].id);
        let member = |first: &Option<u32>| {
            let d = self.m.def((*first)?)?;
            self.consts.get(d)?.as_ref()?.whole().map(|n| n as u32)
        };
        accesses.into_iter().flatten().map(member).collect()
    }
}

/// The visitor of each scalar and vector of an interface: where it is, its type, and the parts that lead there.
type EachLeaf<'f, 'a, 'm> = &'f mut dyn FnMut(&mut FuncCx<'a, 'm>, At, Type, Ty, &[u32]) -> Lowered<()>;

impl<'a, 'm> FuncCx<'a, 'm> {
    /// Calls `f` for every scalar and vector of a variable of the interface.
    fn each_leaf(&mut self, variable: usize, only: Option<&[u32]>, f: EachLeaf<'_, 'a, 'm>) -> Lowered<()> {
        let at = self.m.variable_at(variable)?;
        let ty = self.m.io[variable].ty;
        if self.m.types.get(ty).scalars > MOST_SCALARS {
            return self.unsupported("inputs and outputs of so many components", variable, at);
        }
        let mut path = Vec::new();
        self.leaves_below(at, ty, only, &mut path, f)
    }

    fn leaves_below(
        &mut self,
        at: At,
        ty: Ty,
        only: Option<&[u32]>,
        path: &mut Vec<u32>,
        f: EachLeaf<'_, 'a, 'm>,
    ) -> Lowered<()> {
        if let Some(leaf) = self.m.types.leaf(ty) {
            return f(self, at, leaf, ty, path);
        }
        for k in 0..self.m.types.parts(ty) {
            let Some(part) = self.m.types.part(ty, k) else { return self.broken("a part without a type") };
            let below = self.m.part_at(at, ty, k);
            // Distances that nobody writes are those of a block that is there as a whole.
            let optional =
                matches!(below.built_in, Some(BuiltIn::PointSize | BuiltIn::ClipDistance | BuiltIn::CullDistance));
            let block = matches!(self.m.types.kind(ty), Kind::Struct(_));
            if optional && block && only.is_some_and(|list| !list.contains(&k)) {
                continue;
            }
            path.push(k);
            self.leaves_below(below, part, None, path, f)?;
            path.pop();
        }
        Ok(())
    }

    /// Lays out the interface and makes the variables of outputs.
    pub fn begin_stage(&mut self, entry: &Entry) -> Lowered<()> {
        let Ok(kind) = entry.stage else { return self.broken("an entry of another stage") };
        self.stage = Some(Stage {
            kind,
            io: Interface::default(),
            inputs: IndexMap::new(),
            leaves: Vec::new(),
            locals: IndexMap::new(),
            foreign: IndexMap::new(),
            slopes: Vec::new(),
            inverse: None,
            elsewhere: None,
            demoted: None,
            ended: None,
            per_sample: false,
        });
        if kind == ir::Stage::Fragment && self.m.asks_for_helpers {
            let local = self.leaf_variable(Type::B1);
            self.b().var_init(ir::Place::Local(local));
            self.stage_mut().demoted = Some(local);
        }
        if kind == ir::Stage::Fragment && self.m.ends_lanes {
            let local = self.leaf_variable(Type::B1);
            self.b().var_init(ir::Place::Local(local));
            self.stage_mut().ended = Some(local);
        }
        let mut seen = rustc_hash::FxHashSet::default();
        for &id in &entry.interface {
            let Some(&variable) = self.m.io_by_id.get(&id).filter(|_| seen.insert(id)) else { continue };
            let io = self.m.io[variable].clone();
            if io.input {
                let at = self.m.variable_at(variable)?;
                let of_sample = matches!(at.built_in, Some(BuiltIn::SampleId | BuiltIn::SamplePosition));
                self.stage_mut().per_sample |= kind == ir::Stage::Fragment && (at.sample || of_sample);
                if io.by_location {
                    self.each_leaf(variable, None, &mut |cx, at, leaf, _, _| {
                        cx.stage_mut().per_sample |= kind == ir::Stage::Fragment && at.sample;
                        cx.input_slot(variable, at, leaf)
                    })?;
                }
            } else {
                self.output_variable(variable, &io)?;
            }
        }
        if kind == ir::Stage::Fragment && self.m.asks_elsewhere {
            self.take_slopes();
        }
        let given = |s: &Stage| s.io.outputs.iter().any(|o| o.at == IoAt::Position);
        if kind == ir::Stage::Vertex && !self.stage.as_ref().is_some_and(given) {
            self.stage_mut().io.outputs.push(IoSlot::new(IoAt::Position, Type::F32.with_lanes(4)));
        }
        let io = &self.stage.as_ref().map(|s| s.io.clone()).unwrap_or_default();
        self.code.f.ret = io.outputs.iter().map(|s| s.ty).collect();
        Ok(())
    }

    fn stage_mut(&mut self) -> &mut Stage {
        self.stage.as_mut().expect("interfaces belong to entry points")
    }

    fn unsupported<T>(&self, what: &str, variable: usize, at: At) -> Lowered<T> {
        let d = report::unsupported(Refusal::StageInputs, what, self.m.io[variable].span);
        Err(d.note(self.shown(variable, at)))
    }

    /// Subject of a message: a variable, its location or built-in.
    fn shown(&self, variable: usize, at: At) -> String {
        let io = &self.m.io[variable];
        let what = if io.input { "input" } else { "output" };
        let name = if io.name.is_empty() { String::new() } else { format!(" `{}`", io.name) };
        let place = match (at.built_in, at.location) {
            (Some(built_in), _) => format!(", {built_in:?}"),
            (None, Some(n)) => format!(", location {n}"),
            (None, None) => String::new(),
        };
        format!("this is about the {what}{name}{place}")
    }

    /// The location of a part, as a number that fits the interface.
    fn location(&self, variable: usize, at: At) -> Lowered<u8> {
        let io = &self.m.io[variable];
        match at.location.map(u8::try_from) {
            Some(Ok(n)) => Ok(n),
            Some(Err(_)) => self.unsupported("locations above 255", variable, at),
            None => {
                let what = if io.input { "input" } else { "output" };
                let text = format!("the {what} `{}` has neither a location nor a built-in value", io.name);
                Err(Diagnostic::invalid("validation", text).at(io.span, ""))
            }
        }
    }

    fn input_slot(&mut self, variable: usize, at: At, leaf: Type) -> Lowered<()> {
        if at.built_in.is_some() {
            return Ok(());
        }
        let io = self.m.io[variable].clone();
        let kind = self.stage_mut().kind;
        if kind == ir::Stage::Compute {
            return self.unsupported("inputs of compute by location", variable, at);
        }
        let location = self.location(variable, at)?;
        let ty = self.slot_type(leaf, at, variable)?;
        let interp = if kind == ir::Stage::Fragment { at.interp(leaf) } else { Interp::default() };
        let slot = IoSlot { name: io.name, interp, span: io.span, ..IoSlot::new(IoAt::location(location), ty) };
        let stage = self.stage_mut();
        let key = input_key(location, at);
        match stage.inputs.get(&key) {
            Some(&n) => {
                let known = &mut stage.io.inputs[n];
                if known.ty.lane() != ty.lane() {
                    return self.unsupported("inputs of one location with components of different types", variable, at);
                }
                known.ty = known.ty.with_lanes(known.ty.lanes().max(ty.lanes()));
            }
            None => {
                stage.inputs.insert(key, stage.io.inputs.len());
                stage.io.inputs.push(slot);
            }
        }
        Ok(())
    }

    /// The type of a slot that has a leaf in it.
    fn slot_type(&self, leaf: Type, at: At, variable: usize) -> Lowered<Type> {
        let (ty, span) = (word(leaf), self.m.io[variable].span);
        if ty.is_bool() || ty.bits() != 32 {
            let d = report::unsupported(Refusal::WideTypes, "inputs and outputs of 64 bits or of booleans", span);
            return Err(d.note(self.shown(variable, at)));
        }
        let lanes = at.component + ty.lanes();
        if lanes > 4 {
            let text = format!("components {} to {} of a location", at.component, lanes - 1);
            return Err(Diagnostic::invalid("validation", text).at(span, ""));
        }
        Ok(ty.with_lanes(lanes))
    }

    /// The variable of an output, and the slots of its leaves.
    fn output_variable(&mut self, variable: usize, io: &IoVar) -> Lowered<()> {
        let accessed = self.m.accessed(variable);
        self.each_leaf(variable, accessed.as_deref(), &mut |cx, at, leaf, ty, path| {
            cx.output_leaf(variable, at, leaf, ty, path)
        })?;
        let bytes = match &io.init {
            Some(tree) => {
                let Some(d) = self.m.m.def(io.id) else { return self.broken("a variable without an id") };
                let inst = self.m.m.insts[d];
                ir::Init::Bytes(self.m.bytes(tree, io.ty, &inst)?)
            }
            None => ir::Init::Zero,
        };
        let data = self.m.own_variable(io.name.clone(), ir::Space::Function, io.ty, bytes, io.span)?;
        let local = self.code.f.locals.push(data);
        self.b().var_init(ir::Place::Local(local));
        let ptr = self.local_ptr(local, io.ty);
        self.stage_mut().locals.insert(variable, ptr);
        Ok(())
    }

    fn output_leaf(&mut self, variable: usize, at: At, leaf: Type, ty: Ty, path: &[u32]) -> Lowered<()> {
        let (name, span) = (self.m.io[variable].name.clone(), self.m.io[variable].span);
        let kind = self.stage_mut().kind;
        let own = match at.built_in {
            Some(
                BuiltIn::Position
                | BuiltIn::ClipDistance
                | BuiltIn::CullDistance
                | BuiltIn::PointSize
                | BuiltIn::Layer
                | BuiltIn::ViewportIndex,
            ) => kind == ir::Stage::Vertex,
            Some(BuiltIn::FragDepth | BuiltIn::FragStencilRefEXT | BuiltIn::SampleMask) => kind == ir::Stage::Fragment,
            _ => true,
        };
        if let Some(built_in) = at.built_in.filter(|_| !own) {
            self.stage_mut().foreign.insert(variable, built_in);
            return Ok(());
        }
        let place = match at.built_in {
            None if kind == ir::Stage::Compute => return self.unsupported("outputs of compute", variable, at),
            None => {
                let number = self.location(variable, at)?;
                if kind == ir::Stage::Fragment && number >= ir::COLOUR_TARGETS {
                    return self.unsupported("more than 8 colour targets", variable, at);
                }
                IoAt::Location { number, blend_src: at.blend_src.min(255) as u8 }
            }
            Some(BuiltIn::Position) => IoAt::Position,
            Some(BuiltIn::FragDepth) => IoAt::FragDepth,
            Some(BuiltIn::FragStencilRefEXT) => IoAt::FragStencil,
            Some(BuiltIn::SampleMask) if at.element == 0 => IoAt::SampleMask,
            Some(BuiltIn::ClipDistance) => IoAt::ClipDistance(at.element.min(255) as u8),
            Some(BuiltIn::CullDistance) => IoAt::CullDistance(at.element.min(255) as u8),
            Some(BuiltIn::PointSize) => IoAt::PointSize,
            Some(BuiltIn::Layer) => IoAt::Layer,
            Some(BuiltIn::ViewportIndex) => IoAt::ViewportIndex,
            // There are 32 samples at most.
            Some(BuiltIn::SampleMask) => return Ok(()),
            Some(other) => {
                let code = crate::tables::refused_built_in(other);
                return Err(report::unsupported(code, &format!("the built-in output {other:?}"), span));
            }
        };
        let by_location = at.built_in.is_none();
        let component = if by_location { at.component } else { 0 };
        let slot_ty = self.slot_type(leaf, At { component, ..at }, variable)?;
        let interp = if by_location && kind == ir::Stage::Vertex { at.interp(leaf) } else { Interp::default() };
        let signed = self.m.types.is_signed(ty);
        let stage = self.stage_mut();
        let slot = match stage.io.outputs.iter().position(|s| s.at == place) {
            Some(n) => {
                let known = &mut stage.io.outputs[n];
                if known.ty.lane() != slot_ty.lane() {
                    return self.unsupported(
                        "outputs of one location with components of different types",
                        variable,
                        at,
                    );
                }
                known.ty = known.ty.with_lanes(known.ty.lanes().max(slot_ty.lanes()));
                n
            }
            None => {
                let name = if by_location { name } else { String::new() };
                stage.io.outputs.push(IoSlot { name, interp, span, ..IoSlot::new(place, slot_ty) });
                stage.io.outputs.len() - 1
            }
        };
        stage.leaves.push(OutLeaf { variable, path: path.to_vec(), slot, first: component, signed });
        Ok(())
    }

    /// A pointer to an output.
    pub fn output(&mut self, variable: usize) -> Lowered<Val> {
        if let Some(stage) = &self.stage
            && let Some(built_in) = stage.foreign.get(&variable)
        {
            return self.wrong(format!("{} entry points give no {built_in:?}", stage.kind));
        }
        match self.stage.as_ref().and_then(|s| s.locals.get(&variable)) {
            Some(ptr) => Ok(Val::Ptr(ptr.clone().into())),
            None => self.wrong("an output that the entry point does not list"),
        }
    }

    /// The contents of the outputs, a value for each slot.
    pub fn outputs(&mut self) -> Lowered<Vec<Value>> {
        let Some(stage) = &self.stage else { return self.broken("outputs of no entry point") };
        let (slots, leaves) = (stage.io.outputs.clone(), stage.leaves.clone());
        let mut lanes: Vec<Vec<Option<Value>>> = slots.iter().map(|s| vec![None; s.ty.lanes() as usize]).collect();
        for leaf in &leaves {
            let mut ptr = self.stage_mut().locals[&leaf.variable].clone();
            for &k in &leaf.path {
                ptr = self.part_ptr(&ptr, k)?;
            }
            let val = self.load(&ptr)?;
            let value = self.single(&val)?;
            let to = slots[leaf.slot].ty.with_lanes(self.code.f.ty(value).lanes());
            let value = self.widened(value, to, leaf.signed);
            let n = to.lanes() as usize;
            if n == lanes[leaf.slot].len() && leaf.first == 0 && lanes[leaf.slot].iter().all(Option::is_none) {
                lanes[leaf.slot] = vec![Some(value); n];
                continue;
            }
            // Of two that overlap the later one counts.
            let ty = slots[leaf.slot].ty;
            if let Some(whole) = lanes[leaf.slot][0].filter(|&v| ty.is_vector() && self.code.f.ty(v) == ty) {
                lanes[leaf.slot] = (0..ty.lanes()).map(|k| Some(self.code.extract(whole, k))).collect();
            }
            for k in 0..n {
                let lane = if n == 1 { value } else { self.code.extract(value, k as u32) };
                lanes[leaf.slot][leaf.first as usize + k] = Some(lane);
            }
        }
        let mut values = Vec::new();
        for (slot, list) in slots.iter().zip(lanes) {
            if slot.at == IoAt::Position && list.iter().all(Option::is_none) {
                // A position that no variable is has no value: outside, so that nothing is drawn.
                let nowhere = [2.0, 2.0, 2.0, 1.0].map(|c| self.code.f.fconst(Type::F32, c));
                values.push(self.code.compose(&nowhere));
                continue;
            }
            if let Some(whole) = list[0].filter(|&v| self.code.f.ty(v) == slot.ty) {
                values.push(whole);
                continue;
            }
            let zero = self.code.f.zero(slot.ty.lane());
            let list: Vec<Value> = list.into_iter().map(|v| v.unwrap_or(zero)).collect();
            values.push(self.code.compose(&list));
        }
        Ok(values)
    }

    fn widened(&mut self, value: Value, to: Type, signed: bool) -> Value {
        let from = self.code.f.ty(value);
        match from == to {
            true => value,
            false if from.is_float() => self.b().f2f(value, to),
            false => self.code.resize(value, to.scalar(), signed),
        }
    }

    /// A part of an input.
    pub fn input(&mut self, variable: usize, path: &[u32]) -> Lowered<Val> {
        let mut at = self.m.variable_at(variable)?;
        let mut ty = self.m.io[variable].ty;
        for &k in path {
            if let Some(leaf) = self.m.types.leaf(ty) {
                let v = self.input_leaf(variable, at, leaf)?;
                return self.part(&Val::One(v), k.min(leaf.lanes() - 1));
            }
            let Some(part) = self.m.types.part(ty, k) else {
                return self.wrong("it asks for a part that is not there");
            };
            (at, ty) = (self.m.part_at(at, ty, k), part);
        }
        self.input_below(variable, at, ty)
    }

    fn input_below(&mut self, variable: usize, at: At, ty: Ty) -> Lowered<Val> {
        if let Some(leaf) = self.m.types.leaf(ty) {
            return self.input_leaf(variable, at, leaf).map(Val::One);
        }
        if self.m.types.get(ty).scalars > MOST_SCALARS {
            return self.unsupported("inputs and outputs of so many components", variable, at);
        }
        let mut parts = Vec::new();
        for k in 0..self.m.types.parts(ty) {
            let Some(part) = self.m.types.part(ty, k) else { return self.broken("a part without a type") };
            let below = self.m.part_at(at, ty, k);
            parts.push(self.input_below(variable, below, part)?);
        }
        Ok(Val::parts(parts))
    }

    fn input_leaf(&mut self, variable: usize, at: At, leaf: Type) -> Lowered<Value> {
        if let Some(built_in) = at.built_in {
            return self.built_in(variable, built_in, at.element, leaf);
        }
        let location = self.location(variable, at)?;
        let Some(stage) = &self.stage else { return self.broken("an input outside of an entry point") };
        let Some(&n) = stage.inputs.get(&input_key(location, at)) else {
            return self.wrong("an input that the entry point does not list");
        };
        let ty = stage.io.inputs[n].ty;
        let w = word(leaf);
        // One that is not listed may share the location of one that is.
        if w.lane() != ty.lane() || at.component + w.lanes() > ty.lanes() {
            return self.wrong("an input that the entry point does not list");
        }
        let whole = self.whole_input(n, ty)?;
        let value = if at.component == 0 && w == ty {
            whole
        } else {
            let lanes: Vec<Value> = (0..w.lanes()).map(|k| self.code.extract(whole, at.component + k)).collect();
            self.code.compose(&lanes)
        };
        Ok(match w == leaf {
            true => value,
            false if leaf.is_float() => self.b().f2f(value, leaf),
            false => self.b().trunc(value, leaf),
        })
    }

    fn built_in(&mut self, variable: usize, built_in: BuiltIn, element: u32, leaf: Type) -> Lowered<Value> {
        let fragment = self.stage.as_ref().is_some_and(Stage::is_fragment);
        if fragment && built_in == BuiltIn::ClipDistance {
            return self.clip_distance(variable, element, leaf);
        }
        if fragment && matches!(built_in, BuiltIn::BaryCoordKHR | BuiltIn::BaryCoordNoPerspKHR) {
            return self.barycentric(variable, built_in == BuiltIn::BaryCoordNoPerspKHR, leaf);
        }
        if let Some((compare, ends)) = lane_mask(built_in) {
            if leaf != Type::I32.with_lanes(4) {
                let text = format!("{built_in:?} is a vector of four words, not {leaf}");
                return Err(Diagnostic::invalid("validation", text).at(self.m.io[variable].span, ""));
            }
            let mask = self.code.lanes_that(compare);
            return Ok(if ends { self.code.real_lanes(mask) } else { mask });
        }
        let sysval = match built_in {
            BuiltIn::GlobalInvocationId => Sysval::GlobalInvocationId,
            BuiltIn::LocalInvocationId => Sysval::LocalInvocationId,
            BuiltIn::LocalInvocationIndex => Sysval::LocalInvocationIndex,
            BuiltIn::WorkgroupId => Sysval::WorkgroupId,
            BuiltIn::NumWorkgroups => Sysval::NumWorkgroups,
            BuiltIn::SubgroupSize => Sysval::SubgroupSize,
            BuiltIn::SubgroupLocalInvocationId => Sysval::SubgroupInvocationId,
            BuiltIn::SubgroupId => Sysval::SubgroupId,
            BuiltIn::NumSubgroups => Sysval::NumSubgroups,
            BuiltIn::VertexIndex => Sysval::VertexIndex,
            BuiltIn::InstanceIndex => Sysval::InstanceIndex,
            BuiltIn::BaseVertex => Sysval::FirstVertex,
            BuiltIn::BaseInstance => Sysval::FirstInstance,
            BuiltIn::FragCoord => Sysval::FragCoord,
            BuiltIn::FrontFacing => Sysval::FrontFacing,
            BuiltIn::SampleId => Sysval::SampleIndex,
            BuiltIn::SamplePosition => Sysval::SamplePosition,
            BuiltIn::PointCoord => Sysval::PointCoord,
            BuiltIn::SampleMask if element > 0 => return Ok(self.code.f.zero(leaf)),
            BuiltIn::SampleMask => Sysval::SampleMask,
            BuiltIn::PrimitiveId => Sysval::PrimitiveIndex,
            // There is one device, and one view; a call is one draw.
            BuiltIn::DeviceIndex | BuiltIn::ViewIndex | BuiltIn::DrawIndex => return Ok(self.code.f.zero(leaf)),
            BuiltIn::Layer if fragment => Sysval::Layer,
            BuiltIn::ViewportIndex if fragment => Sysval::ViewportIndex,
            BuiltIn::HelperInvocation => {
                let volatile = self.m.m.has(self.m.io[variable].id, D::Volatile);
                return self.is_helper(volatile);
            }
            other => {
                let span = self.m.io[variable].span;
                let code = crate::tables::refused_built_in(other);
                return Err(report::unsupported(code, &format!("the built-in input {other:?}"), span));
            }
        };
        if self.stage.as_ref().is_some_and(|s| !s.kind.has(sysval)) {
            return self.wrong(format!("the stage has no {built_in:?}"));
        }
        if sysval.ty() != leaf {
            let text = format!("{built_in:?} is {}, not {leaf}", sysval.ty());
            return Err(Diagnostic::invalid("validation", text).at(self.m.io[variable].span, ""));
        }
        let value = self.b().sysval(sysval);
        let per_sample = self.stage.as_ref().is_some_and(|s| s.per_sample);
        Ok(if sysval == Sysval::FragCoord && per_sample {
            gpucc_frontend_common::at_sample(&mut self.b(), value)
        } else {
            value
        })
    }

    /// A clip distance, as it lies between the vertices.
    fn clip_distance(&mut self, variable: usize, element: u32, leaf: Type) -> Lowered<Value> {
        let at = self.m.variable_at(variable)?;
        if leaf != Type::F32 || element > 7 {
            return self.wrong("a clip distance is one of eight floats");
        }
        let place = IoAt::ClipDistance(element as u8);
        let interp = at.interp(leaf);
        let inputs = &mut self.stage_mut().io.inputs;
        let n = inputs.iter().position(|s| s.at == place).unwrap_or_else(|| {
            inputs.push(IoSlot { interp, ..IoSlot::new(place, leaf) });
            inputs.len() - 1
        });
        Ok(self.b().input(n as u16, leaf))
    }

    /// The shares of the three vertices.
    fn barycentric(&mut self, variable: usize, linear: bool, leaf: Type) -> Lowered<Value> {
        if leaf != Type::F32.with_lanes(3) {
            return self.wrong("barycentrics are a vector of three floats");
        }
        let at = self.m.variable_at(variable)?;
        let interp = At { linear: linear || at.linear, ..at }.interp(leaf);
        let Some(stage) = &mut self.stage else { return self.broken("barycentrics outside of an entry point") };
        Ok(self.code.barycentric(&mut stage.io, interp))
    }

    /// The modes of an entry point.
    pub fn end_stage(&mut self, entry: &Entry) -> Lowered<StageInfo> {
        let Some(stage) = &self.stage else { return self.broken("an entry point without a stage") };
        let (kind, mut io) = (stage.kind, stage.io.clone());
        let mut early_depth = false;
        let mut size = [1; 3];
        let mut subgroups = ir::Subgroups::ANY;
        for (mode, operands) in &entry.modes {
            match (mode, operands.as_slice()) {
                (ExecutionMode::LocalSize, &[x, y, z]) => size = [x, y, z],
                (ExecutionMode::LocalSizeId, &[x, y, z]) => {
                    for (to, id) in size.iter_mut().zip([x, y, z]) {
                        *to = self.number(id)? as u32;
                    }
                }
                (ExecutionMode::SubgroupSize, &[n]) => subgroups.size = Some(n),
                (ExecutionMode::SubgroupsPerWorkgroup, &[n]) => subgroups.count = Some(n),
                (ExecutionMode::SubgroupsPerWorkgroupId, &[id]) => {
                    subgroups.count = Some(self.number(id)?.try_into().unwrap_or(u32::MAX));
                }
                (ExecutionMode::EarlyFragmentTests, _) => early_depth = true,
                (mode, _) => {
                    if let Some(code) = crate::tables::refused_mode(*mode) {
                        let name = format!("`OpExecutionMode {mode:?}`");
                        return Err(report::unsupported(code, &name, Span::UNKNOWN));
                    }
                }
            }
        }
        if let Some(own) = self.m.workgroup_size {
            size = own;
        }
        if kind == ir::Stage::Compute && size.contains(&0) {
            return Err(Diagnostic::invalid("validation", format!("the workgroup size {size:?} has a zero in it")));
        }
        if subgroups.size == Some(0) || subgroups.count == Some(0) {
            return Err(Diagnostic::invalid("validation", "it asks for subgroups without lanes, or for none"));
        }
        if let Some(n) = subgroups.size.filter(|&n| u64::from(n) > ir::MAX_LANES) {
            let name = format!("`OpExecutionMode SubgroupSize {n}`");
            return Err(report::unsupported(ir::Refusal::SubgroupSize, &name, Span::UNKNOWN));
        }
        io.outputs.iter_mut().for_each(|s| s.blended = false);
        Ok(match kind {
            ir::Stage::Vertex => StageInfo::Vertex(io),
            ir::Stage::Fragment => StageInfo::Fragment { io, early_depth },
            ir::Stage::Compute => StageInfo::Compute { workgroup_size: size, subgroups },
        })
    }

    /// The lane becomes a helper and continues.
    pub fn demote_all(&mut self) -> Lowered<()> {
        if self.stage.as_ref().is_some_and(|s| s.kind != ir::Stage::Fragment) {
            return self.wrong("fragments alone can be discarded");
        }
        let always = self.code.f.bconst(true);
        if let Some(local) = self.stage.as_ref().and_then(|s| s.demoted) {
            self.keep(local, always);
        }
        self.b().demote(always);
        Ok(())
    }

    /// Whether the lane is a helper: no sample of its pixel is covered. One that was demoted counts where `now` is asked.
    pub fn is_helper(&mut self, now: bool) -> Lowered<Value> {
        let Some(stage) = &self.stage else { return self.broken("a helper outside of an entry point") };
        if !stage.is_fragment() {
            return self.wrong("fragments alone have helpers");
        }
        let demoted = stage.demoted.filter(|_| now);
        let mask = self.b().sysval(Sysval::SampleMask);
        let zero = self.code.f.iconst(Type::I32, 0);
        let outside = self.b().icmp(ir::IntCc::Eq, mask, zero);
        let Some(local) = demoted else { return Ok(outside) };
        let demoted = self.kept(local, Type::B1);
        Ok(self.b().or(outside, demoted))
    }

    /// Derivatives; none of what is something else.
    pub fn derivative(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        use ir::Axis::{X, Y};
        let (axis, fine) = match inst.op {
            // Without a control both are allowed; the finer one is what neighbours see.
            Op::DPdx | Op::DPdxFine => (Some(X), true),
            Op::DPdxCoarse => (Some(X), false),
            Op::DPdy | Op::DPdyFine => (Some(Y), true),
            Op::DPdyCoarse => (Some(Y), false),
            Op::Fwidth | Op::FwidthFine => (None, true),
            Op::FwidthCoarse => (None, false),
            _ => return Ok(None),
        };
        // Vertices have no neighbours; invocations of a workgroup may have been given some.
        match self.stage.as_ref().map(|s| s.kind) {
            Some(ir::Stage::Compute) => return self.missing(Refusal::Spirv, "in a compute entry point"),
            Some(ir::Stage::Vertex) => return self.wrong("fragments alone have derivatives"),
            _ => {}
        }
        let o = self.m.m.operands(inst);
        let ty = self.result_leaf(inst)?;
        let v = self.typed(o[0], ty)?;
        if !ty.is_float() {
            return self.wrong("its operand is no float");
        }
        Ok(Some(Val::One(self.code.derivative(v, axis, fine))))
    }
}

impl ModuleCx<'_> {
    /// The constant that is the workgroup size, where the module has one.
    pub fn workgroup_constant(&self) -> Option<[u32; 3]> {
        let decos = self.m.all_decos().iter().filter(|d| d.kind == D::BuiltIn);
        let size = decos.filter(|d| self.m.deco_operands(d).first() == Some(&(BuiltIn::WorkgroupSize as u32)));
        for d in size {
            let tree = self.m.def(d.target).and_then(|at| self.consts.get(at)?.clone());
            if let Some(Tree::Leaf(c)) = tree.as_deref()
                && c.bits.len() == 3
            {
                return Some([c.bits[0] as u32, c.bits[1] as u32, c.bits[2] as u32]);
            }
        }
        None
    }

    /// Same as [`Self::sized`], for variables of functions.
    pub fn function_sized(&self, ty: Ty, inst: &Inst) -> Lowered<()> {
        self.sized(ty, inst)
    }
}

/// How the lanes of a mask compare with the own one, and whether the mask ends with the subgroup.
fn lane_mask(built_in: BuiltIn) -> Option<(ir::IntCc, bool)> {
    Some(match built_in {
        BuiltIn::SubgroupEqMask => (ir::IntCc::Eq, false),
        BuiltIn::SubgroupLtMask => (ir::IntCc::Ult, false),
        BuiltIn::SubgroupLeMask => (ir::IntCc::Ule, false),
        BuiltIn::SubgroupGeMask => (ir::IntCc::Uge, true),
        BuiltIn::SubgroupGtMask => (ir::IntCc::Ugt, true),
        _ => return None,
    })
}
