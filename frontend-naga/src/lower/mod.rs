//! A validated naga module to IR.
//!
//! Only what the selected entry points reach is lowered, callees first. Functions with pointer or very wide
//! parameters are not lowered on their own but in place of each call.

mod arith;
mod constant;
mod copy;
mod expr;
mod func;
mod math;
mod memory;
mod stage;
mod still;
mod stmt;
mod subgroup;
mod texture;
mod types;
mod value;

use std::borrow::Cow;

use crate::{EntryInfo, Lang, Options, Parsed, halves, report};
use func::FuncCx;
use gpucc_frontend_common::{Lowered, Shapes, Tables, access_flags, named, place, resource};
use gpucc_ir as ir;
use indexmap::IndexSet;
use ir::{Diagnostic, Refusal, Span};
use naga::{AddressSpace, Handle};
use rustc_hash::FxBuildHasher;
use types::{Ty, Types};
use value::{Ptr, Val};

type Refusals = Vec<Diagnostic>;

/// Makes IR of a parsed module; see [`crate::lower`].
pub fn lower(parsed: &Parsed, options: &Options) -> Result<ir::Module, Refusals> {
    if parsed.edits.is_empty() {
        return lower_module(parsed, options);
    }
    let edits = &parsed.edits;
    let explained = |list: Refusals| list.into_iter().map(|d| edits.explain(d)).collect::<Vec<_>>();
    let mut module = lower_module(parsed, options).map_err(explained)?;
    module.map_spans(|span| edits.span(span));
    Ok(module)
}

fn lower_module(parsed: &Parsed, options: &Options) -> Result<ir::Module, Refusals> {
    let (module, info) = resolve(parsed, options)?;
    // The same code in two programs gives the same: how products and sums are fused depends on what stands around them.
    let only = options.entry.as_deref();
    let exact = module.entry_points.iter().any(|e| only.is_none_or(|name| e.name == name) && is_invariant(&module, e));
    let fp = if exact { options.fp.and(ir::FpFlags(!ir::FpFlags::CONTRACT.0)) } else { options.fp };
    let mut cx = ModuleCx {
        parsed,
        only,
        source: &module,
        info: &info,
        typed: parsed.types.as_ref(),
        types: Types::new(&module),
        fp,
        exact,
        out: ir::Module::new(),
        globals: vec![None; module.global_variables.len()],
        funcs: vec![None; module.functions.len()],
        tables: Tables::default(),
        inlined: 0,
        instructions: 0,
    };
    cx.out.options.robust = options.robust;
    cx.run()?;
    Ok(cx.out)
}

/// Describes an entry point.
pub fn entry_info(parsed: &Parsed, entry: &naga::EntryPoint) -> EntryInfo {
    EntryInfo { name: entry.name.clone(), stage: stage(entry.stage), span: parsed.entry_span(&entry.name) }
}

fn stage(stage: naga::ShaderStage) -> Result<ir::Stage, &'static str> {
    match stage {
        naga::ShaderStage::Compute => Ok(ir::Stage::Compute),
        naga::ShaderStage::Vertex => Ok(ir::Stage::Vertex),
        naga::ShaderStage::Fragment => Ok(ir::Stage::Fragment),
        naga::ShaderStage::Task => Err("task"),
        naga::ShaderStage::Mesh => Err("mesh"),
        _ => Err("ray tracing"),
    }
}

/// The refusal of another stage.
fn refused_stage(stage: naga::ShaderStage) -> Refusal {
    match stage {
        naga::ShaderStage::Task => Refusal::TaskShaders,
        naga::ShaderStage::Mesh => Refusal::MeshShaders,
        _ => Refusal::RayTracing,
    }
}

/// Refuses a module without entry points, which may be valid; the lack of one that is wanted is the user's error.
fn selected(names: &[&str], wanted: Option<&str>) -> Result<(), Refusals> {
    if names.is_empty() {
        return Err(vec![Diagnostic::unsupported(Refusal::NoEntryPoint, "the module has no entry point")]);
    }
    match wanted {
        Some(wanted) if !names.contains(&wanted) => {
            let list = names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
            let message = format!("there is no entry point `{wanted}`");
            Err(vec![Diagnostic::invalid("no-entry-point", message).note(format!("entry points: {list}"))])
        }
        _ => Ok(()),
    }
}

/// The module, with overrides replaced by their values. Where there are none, naga would copy and validate it again for each entry point.
fn resolve<'m>(
    parsed: &'m Parsed,
    options: &Options,
) -> Result<(Cow<'m, naga::Module>, Cow<'m, naga::valid::ModuleInfo>), Refusals> {
    let entries = &parsed.module.entry_points;
    let wanted = options.entry.as_deref();
    selected(&entries.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), wanted)?;
    let selected = wanted.and_then(|name| entries.iter().find(|e| e.name == name)).map(|e| (e.stage, e.name.as_str()));
    let constants = override_values(parsed, options)?;
    if parsed.module.overrides.is_empty() {
        return Ok((Cow::Borrowed(&parsed.module), Cow::Borrowed(&parsed.info)));
    }
    naga::back::pipeline_constants::process_overrides(&parsed.module, &parsed.info, selected, &constants)
        .map_err(|error| vec![override_error(&parsed.module, &error)])
}

/// The values keyed as naga wants them: by decimal id where the override has one, else by name.
pub fn override_values(parsed: &Parsed, options: &Options) -> Result<naga::back::PipelineConstants, Refusals> {
    let mut constants = naga::back::PipelineConstants::default();
    let overrides = parsed.overrides();
    for (key, value) in &options.overrides {
        let found = &overrides[named(&overrides, key)?];
        let naga_key = found.id.map_or_else(|| found.name.clone().unwrap_or_default(), |id| id.to_string());
        constants.insert(naga_key, *value);
    }
    for (id, bits) in &options.constants {
        let known = parsed.module.overrides.iter().find(|(_, o)| o.id.is_some_and(|own| u32::from(own) == *id));
        if let Some((_, o)) = known
            && let Some(value) = number(&parsed.module.types[o.ty].inner, *bits)
        {
            constants.insert(id.to_string(), value);
        }
    }
    Ok(constants)
}

/// The number that the bits of a scalar are.
fn number(ty: &naga::TypeInner, bits: u64) -> Option<f64> {
    use naga::ScalarKind as K;
    let naga::TypeInner::Scalar(scalar) = *ty else { return None };
    Some(match (scalar.kind, scalar.width) {
        (K::Bool, _) => f64::from(u8::from(bits != 0)),
        (K::Sint, 4) => f64::from((bits as u32).cast_signed()),
        (K::Uint, 4) => f64::from(bits as u32),
        (K::Float, 2) => gpucc_num::convert::f16_to_f64(bits as u16),
        (K::Float, 4) => f64::from(f32::from_bits(bits as u32)),
        (K::Float, 8) => f64::from_bits(bits),
        (K::Sint, 8) => bits.cast_signed() as f64,
        (K::Uint, 8) => bits as f64,
        _ => return None,
    })
}

fn override_error(module: &naga::Module, error: &naga::back::pipeline_constants::PipelineConstantError) -> Diagnostic {
    use naga::back::pipeline_constants::PipelineConstantError as E;
    match error {
        E::MissingValue(key) => {
            let named =
                |o: &naga::Override| o.name.as_deref() == Some(key) || o.id.is_some_and(|id| id.to_string() == *key);
            let at = module.overrides.iter().find(|(_, o)| named(o)).map(|(h, _)| module.overrides.get_span(h));
            Diagnostic::invalid("override", format!("the override `{key}` has no default and was given no value"))
                .at(at.map_or(Span::UNKNOWN, report::span), "declared here")
        }
        E::ValidationError(error) => report::validation(error),
        error => Diagnostic::invalid("override", error.to_string()),
    }
}

/// Whether an entry point's position is to be the same as that of other entry points which compute it alike.
fn is_invariant(module: &naga::Module, entry: &naga::EntryPoint) -> bool {
    let invariant = |b: &Option<naga::Binding>| {
        matches!(b, Some(naga::Binding::BuiltIn(naga::BuiltIn::Position { invariant: true })))
    };
    entry.function.result.as_ref().is_some_and(|result| {
        invariant(&result.binding)
            || match &module.types[result.ty].inner {
                naga::TypeInner::Struct { members, .. } => members.iter().any(|m| invariant(&m.binding)),
                _ => false,
            }
    })
}

/// A module-scope variable as lowered.
#[derive(Debug, Clone)]
pub struct GlobalRef {
    /// A pointer to its beginning, or the handle that it is.
    pub val: Val,
}

/// The state of lowering one module.
pub struct ModuleCx<'m> {
    parsed: &'m Parsed,
    /// The entry point that is lowered, if not all are.
    only: Option<&'m str>,
    source: &'m naga::Module,
    info: &'m naga::valid::ModuleInfo,
    /// Types of expressions, where those of `info` are of the module's shadow.
    pub typed: Option<&'m crate::shadow::Types>,
    types: Types<'m>,
    fp: ir::FpFlags,
    /// Whether nothing is contracted.
    pub exact: bool,
    out: ir::Module,
    globals: Vec<Option<GlobalRef>>,
    /// Functions lowered on their own.
    funcs: Vec<Option<ir::Func>>,
    /// Constant tables by content: arrays that are indexed at run time.
    tables: Tables,
    /// Statements lowered in place of calls so far.
    inlined: u64,
    /// Instructions of the functions that are finished.
    instructions: u64,
}

impl<'m> ModuleCx<'m> {
    /// Whether the source is WGSL.
    pub fn is_wgsl(&self) -> bool {
        self.parsed.lang == Lang::Wgsl
    }

    /// The entry points that are lowered, with their numbers.
    fn entries(&self) -> impl Iterator<Item = (usize, &'m naga::EntryPoint)> + use<'m> {
        let only = self.only;
        let all = self.source.entry_points.iter().enumerate();
        all.filter(move |(_, e)| only.is_none_or(|name| e.name == name))
    }

    fn run(&mut self) -> Result<(), Refusals> {
        let source = self.source;
        let mut refusals = Vec::new();
        for (_, entry) in self.entries() {
            let feature = match stage(entry.stage) {
                Ok(_) => continue,
                Err(other) => format!("the {other} stage (entry point `{}`)", entry.name),
            };
            let code = refused_stage(entry.stage);
            refusals.push(report::unsupported(code, &feature, self.parsed.entry_span(&entry.name)));
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let reached = self.reached();
        self.declare_globals(&reached)?;
        for (handle, function) in source.functions.iter() {
            if !reached.functions.contains(&handle) || self.is_inlined(function) {
                continue;
            }
            match FuncCx::function(self, handle) {
                Ok(lowered) => {
                    self.instructions += lowered.insts.len() as u64;
                    self.funcs[handle.index()] = Some(self.out.funcs.push(lowered));
                }
                Err(refusal) => refusals.push(refusal),
            }
        }
        // A missing callee would only be reported again.
        if !refusals.is_empty() {
            return Err(refusals);
        }
        for (index, entry) in self.entries() {
            match FuncCx::entry_point(self, index) {
                Ok((lowered, stage)) => {
                    self.instructions += lowered.insts.len() as u64;
                    let func = self.out.funcs.push(lowered);
                    self.out.entries.push(ir::EntryPoint {
                        name: entry.name.clone(),
                        stage: stage.info(entry),
                        func,
                        modes: ir::FloatModes::ANY,
                        span: self.parsed.entry_span(&entry.name),
                    });
                }
                Err(refusal) => refusals.push(refusal),
            }
        }
        if refusals.is_empty() { Ok(()) } else { Err(refusals) }
    }

    /// The bindings that the entry points use, through calls.
    fn reached(&self) -> Reached {
        let mut reached = Reached::default();
        for (_, entry) in self.entries() {
            reached.function(&entry.function);
        }
        // Callees have smaller handles, so one backward walk reaches everything.
        let handles: Vec<_> = self.source.functions.iter().map(|(h, _)| h).collect();
        for &handle in handles.iter().rev() {
            if reached.functions.contains(&handle) {
                reached.function(&self.source.functions[handle]);
            }
        }
        reached
    }

    /// Whether a function is lowered in place of its calls: the IR has no pointers and at most 255 results.
    fn is_inlined(&self, function: &naga::Function) -> bool {
        if halves::is_cast(function) {
            return true;
        }
        const WIDE: u64 = 64;
        let leaves = |ty: Handle<naga::Type>| self.types.of(ty).map(|ty| self.types.leaves(ty));
        let sizes = function.arguments.iter().map(|a| a.ty).chain(function.result.iter().map(|r| r.ty)).map(leaves);
        // A type without leaves (a pointer, a texture) has no place in a parameter list.
        sizes.into_iter().any(|n| !matches!(n, Ok(n) if n <= WIDE))
    }

    fn declare_globals(&mut self, reached: &Reached) -> Result<(), Refusals> {
        let mut refusals = Vec::new();
        for (handle, _) in self.source.global_variables.iter() {
            if !reached.globals.contains(&handle) {
                continue;
            }
            let span = report::span(self.source.global_variables.get_span(handle));
            match self.declare_global(handle, reached, span) {
                Ok(made) => self.globals[handle.index()] = Some(made),
                Err(refusal) => refusals.push(refusal),
            }
        }
        if refusals.is_empty() { Ok(()) } else { Err(refusals) }
    }

    fn declare_global(
        &mut self,
        handle: Handle<naga::GlobalVariable>,
        reached: &Reached,
        span: Span,
    ) -> Lowered<GlobalRef> {
        let global = &self.source.global_variables[handle];
        let name = global.name.clone().unwrap_or_default();
        let (space, kind) = match global.space {
            AddressSpace::Private => (ir::Space::Private, None),
            AddressSpace::WorkGroup => (ir::Space::Workgroup, None),
            AddressSpace::Uniform => (ir::Space::Uniform, Some(ir::ResourceKind::Uniform)),
            AddressSpace::Storage { .. } if self.views(handle, reached)?.any(|g| is_written(&g.space)) => {
                (ir::Space::Storage, Some(ir::ResourceKind::StorageReadWrite))
            }
            AddressSpace::Storage { .. } => (ir::Space::Storage, Some(ir::ResourceKind::StorageRead)),
            AddressSpace::Handle => return self.declare_handle(handle, reached, span),
            AddressSpace::Immediate => (ir::Space::Uniform, Some(ir::ResourceKind::Immediates)),
            AddressSpace::TaskPayload => {
                return Err(report::unsupported(Refusal::TaskShaders, "payloads of task entry points", span));
            }
            AddressSpace::RayPayload | AddressSpace::IncomingRayPayload => {
                return Err(report::unsupported(Refusal::RayTracing, "payloads of rays", span));
            }
            AddressSpace::Function => return Err(report::contradiction("a global variable of a function", span)),
        };
        let ty = self.types.of(global.ty).map_err(|gap| gap.at(span))?;
        let place = match kind {
            Some(kind) => {
                let at = match global.binding {
                    _ if kind == ir::ResourceKind::Immediates => ir::IMMEDIATES,
                    Some(b) => place((b.group, b.binding), span)?,
                    None if self.parsed.lang == crate::Lang::Spirv => {
                        let message = format!("the buffer `{name}` has no `DescriptorSet` and `Binding`");
                        return Err(Diagnostic::invalid("validation", message).at(span, "this buffer"));
                    }
                    None => return Err(report::contradiction("a buffer without a binding", span)),
                };
                let min_size = self.binding_size(ty);
                if kind == ir::ResourceKind::Immediates
                    && matches!(self.parsed.lang, crate::Lang::Glsl(_))
                    && !self.types.is_std430(global.ty)
                {
                    let what = "push constants of GLSL text that are not laid out as std430";
                    return Err(report::unsupported(Refusal::GlslPushConstants, what, span));
                }
                let stride = self.runtime_stride(ty);
                let data = resource(name, at, kind, 1, span);
                ir::Place::Buffer(self.resource(ir::ResourceData { min_size, stride, ..data }))
            }
            None => {
                let init = match global.init {
                    None => ir::Init::Zero,
                    Some(init) => ir::Init::Bytes(self.constant_bytes(init, ty, span)?),
                };
                ir::Place::Global(self.out.globals.push(self.variable(name, space, ty, init, span)?))
            }
        };
        let declared = |d| global.memory_decorations.contains(d);
        let mut flags =
            access_flags(declared(naga::MemoryDecorations::COHERENT), declared(naga::MemoryDecorations::VOLATILE));
        if kind.is_some_and(|kind| !kind.is_writable()) {
            flags = flags.with(ir::MemFlags::READONLY);
        }
        // The API aligns what it binds to 16 bytes at least; variables have the alignment they ask for.
        let align = if kind.is_some() { 16 } else { self.types.layout(ty, false).align };
        let ptr = Ptr { host: kind.is_some(), flags, ..Ptr::new(place, ty, align) };
        Ok(GlobalRef { val: Val::Ptr(ptr.into()) })
    }

    /// Declares a texture, an image or a sampler, or an array of them.
    fn declare_handle(
        &mut self,
        handle: Handle<naga::GlobalVariable>,
        reached: &Reached,
        span: Span,
    ) -> Lowered<GlobalRef> {
        let global = &self.source.global_variables[handle];
        let name = global.name.clone().unwrap_or_default();
        let mut inner = &self.source.types[global.ty].inner;
        let mut count = 1;
        if let naga::TypeInner::BindingArray { base, size } = inner {
            inner = &self.source.types[*base].inner;
            count = match size.resolve(self.source.to_ctx()) {
                Ok(naga::proc::IndexableLength::Known(n)) => n,
                _ => return Err(report::unsupported(Refusal::BindingArrays, "binding arrays without a size", span)),
            };
        }
        let kind = match texture::resource_kind(inner) {
            Some(kind) => kind.map_err(|gap| gap.at(span))?,
            None => {
                let gap = self.types.of(global.ty).err();
                return Err(gap.unwrap_or(types::Gap(None, "a handle to what is none")).at(span));
            }
        };
        let Some(at) = &global.binding else {
            if self.parsed.lang == crate::Lang::Spirv {
                let message = format!("`{name}` has no `DescriptorSet` and `Binding`");
                return Err(Diagnostic::invalid("validation", message).at(span, "this variable"));
            }
            return Err(report::contradiction("a texture or sampler without a binding", span));
        };
        if self.parsed.lang == crate::Lang::Spirv && self.is_written_elsewhere(handle, kind, reached) {
            let what = "a storage image at the binding of another image";
            return Err(report::unsupported(Refusal::Spirv, what, span).note(format!("this is about `{name}`")));
        }
        let res = self.resource(resource(name, (at.group, at.binding), kind, count, span));
        Ok(GlobalRef { val: Val::Handle(texture::Binding { res, index: None }) })
    }

    /// Whether an entry point has two images at one binding of which one is for storage and the other is of another kind: what is stored
    /// to one would not be seen through the other.
    fn is_written_elsewhere(
        &self,
        handle: Handle<naga::GlobalVariable>,
        kind: ir::ResourceKind,
        reached: &Reached,
    ) -> bool {
        let global = &self.source.global_variables[handle];
        let storage = |k: ir::ResourceKind| matches!(k, ir::ResourceKind::StorageTexture { .. });
        let other_kind = |other: Handle<naga::GlobalVariable>| {
            let o = &self.source.global_variables[other];
            let same_place = other != handle && o.binding == global.binding && o.space == AddressSpace::Handle;
            let found = texture::resource_kind(&self.source.types[o.ty].inner).and_then(Result::ok);
            same_place && found.is_some_and(|k| k != kind && (storage(k) || storage(kind)))
        };
        reached.globals.iter().copied().filter(|&other| other_kind(other)).any(|other| {
            self.entries().any(|(e, _)| {
                let used = self.info.get_entry_point(e);
                !used[handle].is_empty() && !used[other].is_empty()
            })
        })
    }

    /// The variables that are views of the same buffer, this among them: SPIR-V may bind several to one place.
    fn views<'a>(
        &'a self,
        handle: Handle<naga::GlobalVariable>,
        reached: &'a Reached,
    ) -> Lowered<impl Iterator<Item = &'a naga::GlobalVariable>> {
        let global = &self.source.global_variables[handle];
        let view = move |&&other: &&Handle<naga::GlobalVariable>| {
            let o = &self.source.global_variables[other];
            other == handle
                || self.parsed.lang == crate::Lang::Spirv && o.binding.is_some() && o.binding == global.binding
        };
        for &other in reached.globals.iter().filter(view) {
            let o = &self.source.global_variables[other];
            let both = self.entries().any(|(e, _)| {
                let used = self.info.get_entry_point(e);
                !used[handle].is_empty() && !used[other].is_empty()
            });
            if both && std::mem::discriminant(&o.space) != std::mem::discriminant(&global.space) {
                let message = "variables of different kinds have the same `DescriptorSet` and `Binding`";
                let span = report::span(self.source.global_variables.get_span(other));
                return Err(Diagnostic::invalid("validation", message).at(span, "one of them"));
            }
        }
        Ok(reached.globals.iter().filter(view).map(|&h| &self.source.global_variables[h]))
    }

    /// A resource, or the one of which it is another view: two names of the same memory would let accesses change places.
    fn resource(&mut self, data: ir::ResourceData) -> ir::Res {
        let same = |r: &ir::ResourceData| {
            (r.group, r.binding, r.kind) == (data.group, data.binding, data.kind)
                && r.kind != ir::ResourceKind::Immediates
        };
        let known = self.out.resources.iter().find(|(_, r)| same(r)).map(|(h, _)| h);
        match known.filter(|_| self.parsed.lang == crate::Lang::Spirv) {
            Some(known) => {
                let r = &mut self.out.resources[known];
                r.min_size = r.min_size.max(data.min_size);
                r.stride = r.stride.max(data.stride);
                known
            }
            None => self.out.resources.push(data),
        }
    }

    /// The least size of a binding. WGSL counts the padding behind the last member, Vulkan does not.
    fn binding_size(&self, ty: Ty) -> u32 {
        match self.parsed.lang {
            crate::Lang::Wgsl => self.types.layout(ty, true).size,
            crate::Lang::Spirv | crate::Lang::Glsl(_) => self.types.extent(ty),
        }
    }

    /// A variable of our own layout, within the limit for one.
    fn variable(&self, name: String, space: ir::Space, ty: Ty, init: ir::Init, span: Span) -> Lowered<ir::VarData> {
        let layout = self.types.layout(ty, false);
        let limit = crate::limits::VARIABLE_BYTES;
        if u64::from(layout.size) > limit.max {
            return Err(report::limit(&limit).at(span, "this variable"));
        }
        Ok(ir::VarData { name, space, size: layout.size, align: layout.align, init, span })
    }

    /// The stride of the runtime-sized array that a buffer is or ends with; 0 if there is none.
    fn runtime_stride(&self, ty: Ty) -> u32 {
        match ty {
            Ty::Array(h) if self.types.facts(h).count.is_none() => self.types.facts(h).host.stride,
            Ty::Struct(_) => {
                let last = self.types.parts(ty).wrapping_sub(1);
                self.types.part(ty, last).map_or(0, |part| self.runtime_stride(part))
            }
            _ => 0,
        }
    }
}

fn is_written(space: &AddressSpace) -> bool {
    matches!(space, AddressSpace::Storage { access } if access.contains(naga::StorageAccess::STORE))
}

/// Functions and globals that lowered code names.
#[derive(Default)]
struct Reached {
    functions: IndexSet<Handle<naga::Function>, FxBuildHasher>,
    globals: IndexSet<Handle<naga::GlobalVariable>, FxBuildHasher>,
}

impl Reached {
    fn function(&mut self, function: &naga::Function) {
        for (_, expression) in function.expressions.iter() {
            if let naga::Expression::GlobalVariable(global) = *expression {
                self.globals.insert(global);
            }
        }
        self.block(&function.body);
    }

    fn block(&mut self, block: &naga::Block) {
        use naga::Statement as S;
        for statement in block.iter() {
            match statement {
                S::Call { function, .. } => {
                    self.functions.insert(*function);
                }
                S::Block(b) => self.block(b),
                S::If { accept, reject, .. } => {
                    self.block(accept);
                    self.block(reject);
                }
                S::Switch { cases, .. } => cases.iter().for_each(|c| self.block(&c.body)),
                S::Loop { body, continuing, .. } => {
                    self.block(body);
                    self.block(continuing);
                }
                _ => {}
            }
        }
    }
}
