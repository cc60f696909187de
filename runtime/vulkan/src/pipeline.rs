//! Pipelines: shaders compiled for the chip of their device when they are made.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Instant;

use ash::vk;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::pipeline::Link;
use gpucc::{Class, Diagnostic, Module, Severity, Target};
use gpucc_device::{Lowering, Place};
use gpucc_ir::analysis::StageUse;
use gpucc_ir::{Mode, Place as Memory, Stage, StageInfo, Sysval, Where};
use gpucc_opt::PipelineContext;
use gpucc_pipeline as fixed;

pub use gpucc_device::{Code, Used};

use crate::cache::Cache;
use crate::convert::state;
use crate::fail::{Done, Fail};
use crate::given::Given;
use crate::handles::handles;
use crate::samplers::{self, Special};
use crate::settings::Chip;

/// Elements of an array of images or samplers, far more than limits allow a stage.
const MOST_ELEMENTS: u32 = 4096;

/// A shader module: SPIR-V as it was given.
#[derive(Debug)]
pub struct Shader {
    /// The words of the module, in SPIR-V.
    pub code: Arc<Vec<u8>>,
}

/// A stage of a pipeline.
#[derive(Clone, Debug)]
pub struct Source {
    /// The words of the module, in SPIR-V.
    pub code: Arc<Vec<u8>>,
    /// Name of the entry point.
    pub entry: String,
    /// Specialisation constants by id, as the bits of their type.
    pub constants: Vec<(u32, u64)>,
    /// Lanes of subgroups that are asked for.
    pub subgroup_size: Option<u32>,
    /// Samplers whose coordinates are written in code.
    pub samplers: Vec<Special>,
}

/// A compiled entry point.
#[derive(Debug)]
pub struct Program {
    /// The shader and entry point that it was made of.
    pub source: Source,
    /// The shader as it was read.
    pub module: Module,
    /// Resources that it uses, by group and binding.
    pub used: Vec<Used>,
    /// Code for the interpreter or a machine.
    pub code: Code,
    /// How the code was had.
    pub had: Had,
    /// The render pipeline that it was compiled for.
    context: Context,
    /// The IR that selection read, of code that a cache had: made where it is asked for.
    selected: OnceLock<Result<Box<Module>, String>>,
    /// The cache of its pipeline, for code that is compiled later.
    cache: Weak<Cache>,
    /// Samplers by whose samples at level 0 an offset moves, where the chip does not add it: groups and bindings.
    pub moving: Vec<(u32, u32)>,
    /// Whether it reaches memory by addresses.
    pub reaches: bool,
    /// Pipelines for samplers whose coordinates are written in code, at the first program of a pipeline.
    variants: Mutex<BTreeMap<Vec<Special>, Arc<Pipeline>>>,
    /// And those for numbers of the fixed function that commands set, with what they were compiled with.
    lates: Mutex<Vec<(fixed::Pipeline, Arc<Pipeline>)>>,
}

/// How the code of a program was had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Had {
    /// Whether a cache had it.
    pub kept: bool,
    /// Nanoseconds that it took.
    pub nanoseconds: u64,
}

/// What pipelines may be made with.
#[derive(Clone, Debug, Default)]
pub struct With {
    /// The cache that has code and gets it.
    pub cache: Option<Arc<Cache>>,
    /// Whether nothing may be compiled.
    pub kept_only: bool,
}

impl Program {
    /// The IR that selection read for a target. Code from a cache came without it: the compiler makes it again, and the same code with it.
    ///
    /// # Errors
    /// The code is not what the compiler makes now, or the oracle's own.
    pub fn selected(&self, target: Target) -> Result<&Module, String> {
        let Code::Machine { container, ir } = &self.code else { return Err("code of the oracle".into()) };
        if let Some(ir) = ir {
            return Ok(ir);
        }
        let again = || {
            let stage = self.module.entries.iter().find(|e| e.name == self.source.entry).map(|e| e.stage.kind());
            let stage = stage.ok_or("no such entry point")?;
            let context = self.context.clone();
            let shader =
                gpucc_device::Shader { context, ..gpucc_device::Shader::new(&self.module, &self.source.entry, stage) };
            match Code::new(&shader, Place::Target(target, level())).map_err(|d| d.to_string())? {
                Code::Machine { container: own, ir: Some(ir) } if own == *container => Ok(ir),
                _ => Err("the code from the pipeline cache is not what the compiler makes".to_owned()),
            }
        };
        self.selected.get_or_init(again).as_deref().map_err(Clone::clone)
    }
}

/// State that is part of a pipeline unless it is dynamic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dynamic {
    /// Constant of blending, if it is set.
    pub constant: Option<[f32; 4]>,
    /// Stencil references of front and back faces.
    pub reference: Option<[u32; 2]>,
    /// Stencil masks that are read with, likewise.
    pub read_mask: Option<[u32; 2]>,
    /// Stencil masks that are written with.
    pub write_mask: Option<[u32; 2]>,
    /// Depth bias: constant, slope, clamp.
    pub bias: Option<[f32; 3]>,
}

/// The fixed function of a render pipeline.
#[derive(Clone, Debug)]
pub struct Render {
    /// All that is compiled in.
    pub state: fixed::Pipeline,
    /// Values that are not dynamic.
    pub values: Dynamic,
    /// Viewports, unless they are dynamic.
    pub viewports: Option<Vec<vk::Viewport>>,
    /// Scissors, unless they are dynamic.
    pub scissors: Option<Vec<vk::Rect2D>>,
    /// Whether the fragment stage runs for each sample, whatever it reads.
    pub per_sample: bool,
    /// Whether nothing is rasterised: no primitive faces either way, or it is switched off.
    pub discards: bool,
    /// Whether the depth is biased.
    pub biased: bool,
    /// Whether the largest index ends a strip.
    pub restart: bool,
    /// Whether triangles are a fan.
    pub fan: bool,
    /// The numbers that it was given, for those that commands set.
    pub given: Given,
    /// The states that commands set, of those that shaders may be compiled with.
    pub late: Vec<vk::DynamicState>,
}

impl Render {
    /// Puts numbers into the fixed function.
    ///
    /// # Errors
    /// A number that Vulkan does not have, or what no device here has.
    pub fn put(&mut self, given: &Given) -> Done {
        use fixed::{Compare, CullMode, StencilFace, Topology};
        self.fan = given.topology == vk::PrimitiveTopology::TRIANGLE_FAN;
        self.state.topology = if self.fan { Topology::TriangleList } else { state::topology(given.topology)? };
        let cull = state::cull(given.cull);
        self.state.cull = cull.unwrap_or(CullMode::None);
        self.state.front_face = state::front_face(given.front);
        let triangles = matches!(self.state.topology, Topology::TriangleList | Topology::TriangleStrip);
        self.discards = given.discards || cull.is_none() && triangles;
        (self.biased, self.restart) = (given.biased, given.restart);
        let Some(d) = self.state.depth.as_mut() else { return Ok(()) };
        (d.depth_compare, d.depth_write) = match given.depth_test {
            true => (state::compare(given.depth_compare)?, given.depth_write),
            false => (Compare::Always, false),
        };
        (d.front, d.back) = match given.stencil_test {
            true => (state::stencil(&given.stencil[0])?, state::stencil(&given.stencil[1])?),
            false => (StencilFace::default(), StencilFace::default()),
        };
        Ok(())
    }
}

/// A pipeline, ready to run.
#[derive(Debug)]
pub enum Pipeline {
    /// The program of a compute entry point.
    Compute(Box<Program>),
    /// The programs of a vertex and perhaps a fragment entry point.
    Render(Box<Program>, Option<Box<Program>>, Box<Render>),
}

handles! {
    vk::PipelineCache => Cache, "pipeline cache";
    vk::ShaderModule => Shader, "shader module";
    vk::Pipeline => Pipeline, "pipeline";
}

/// The failure that diagnostics are. What the compiler cannot do for this chip is a feature that the device does not have; a wrong module and
/// a fault of the compiler are not.
fn failures(source: &Source, list: &[Diagnostic]) -> Fail {
    let text: Vec<String> = list.iter().map(ToString::to_string).collect();
    let text = format!("`{}`: {}", source.entry, text.join("; "));
    let has = |class| list.iter().any(|d| d.severity == Severity::Error && d.class == class);
    if has(Class::Internal) {
        Fail::bug(text)
    } else if has(Class::Invalid) {
        Fail::shader(text)
    } else {
        Fail::lacks(text)
    }
}

/// The render pipeline around an entry point.
type Context = Option<Box<PipelineContext>>;

fn failed(source: &Source, d: &Diagnostic) -> Fail {
    failures(source, std::slice::from_ref(d))
}

fn load(source: &Source) -> Done<Module> {
    let front = FrontOptions {
        entry: Some(source.entry.clone()),
        constants: source.constants.clone(),
        subgroup_size: source.subgroup_size,
        ..FrontOptions::default()
    };
    let loaded = frontend::load(&source.code, Lang::Spirv, &front);
    let mut module = loaded.map(|l| l.module).map_err(|list| failures(source, &list))?;
    // Each element is bound and perhaps gone through, even where a set leaves it open.
    if let Some(r) = module.resources.values().find(|r| r.count > MOST_ELEMENTS) {
        let place = (r.group, r.binding, r.count);
        let text = format!("set {} binding {} is an array of {}, at most {MOST_ELEMENTS}", place.0, place.1, place.2);
        return Err(Fail::lacks(format!("`{}`: {text}", source.entry)));
    }
    if !source.samplers.is_empty() {
        samplers::rewrite(&mut module, &source.samplers);
    }
    Ok(module)
}

/// The level that shaders are compiled at.
fn level() -> u8 {
    gpucc::CodegenOptions::default().opt_level
}

/// Compiles an entry point for a chip, or finds its code in the cache.
fn code(chip: Chip, source: &Source, module: &Module, stage: Stage, (context, with): (Context, &With)) -> Done<Made> {
    let start = Instant::now();
    let shader =
        gpucc_device::Shader { context: context.clone(), ..gpucc_device::Shader::new(module, &source.entry, stage) };
    let compile = |place| Code::new(&shader, place).map_err(|d| failed(source, &d));
    let (code, kept) = match chip {
        // The interpreter runs modules as they are: nothing is compiled.
        Chip::Interp => (compile(Place::Oracle(Lowering::Source))?, false),
        Chip::Target(target) => {
            let place = (target, level());
            let cache = with.cache.as_deref();
            match cache.and_then(|cache| Code::kept(&shader, place, cache)) {
                Some(code) => (code, true),
                None if with.kept_only => {
                    let text = format!("`{}` would have to be compiled", source.entry);
                    return Err(Fail::new(vk::Result::PIPELINE_COMPILE_REQUIRED, text));
                }
                None => {
                    let code = compile(Place::Target(place.0, place.1))?;
                    if let Some(cache) = cache {
                        code.keep(&shader, place, cache);
                    }
                    (code, false)
                }
            }
        }
    };
    let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let cache = with.cache.as_ref().map_or_else(Weak::new, Arc::downgrade);
    Ok(Made { code, had: Had { kept, nanoseconds }, context, cache })
}

/// Code, how it was had, and what it was compiled with.
struct Made {
    code: Code,
    had: Had,
    context: Context,
    cache: Weak<Cache>,
}

/// Makes a fragment entry run for each sample, as sample shading asks: its inputs are taken at the sample. An entry without such inputs gives the
/// same for all samples, unless something else tells them apart.
fn for_each_sample(module: &mut Module, source: &Source) -> Done {
    let mut smooth = false;
    let mut stage = None;
    for e in module.entries.iter_mut().filter(|e| e.name == source.entry) {
        if let StageInfo::Fragment { io, .. } = &mut e.stage {
            for slot in io.inputs.iter_mut().filter(|s| s.interp.mode != Mode::Flat) {
                slot.interp.at = Where::Sample;
                smooth = true;
            }
            stage = Some(e.stage.clone());
        }
    }
    let Some(stage) = stage.filter(|_| !smooth) else { return Ok(()) };
    // The module has one entry, so all of its functions are that one's.
    let used: Vec<StageUse> = module.funcs.values().map(|f| StageUse::new(module, f, &stage)).collect();
    let at_pixels = used.iter().any(|u| u.writes_memory || u.reads(Sysval::FragCoord) || u.reads(Sysval::SampleMask));
    match used.iter().any(|u| u.per_sample) || !at_pixels {
        true => Ok(()),
        false => Err(Fail::lacks(format!(
            "`{}`: sampleShadingEnable of a fragment shader without inputs that are interpolated is not there",
            source.entry
        ))),
    }
}

fn program(chip: Chip, source: Source, module: Module, stage: Stage, made: Made) -> Box<Program> {
    let Made { code, had, context, cache } = made;
    let moving = match chip {
        Chip::Target(t) if !t.caps(Stage::Fragment).sampler.offset => samplers::moving(&module),
        _ => Vec::new(),
    };
    let by_address =
        |f: &gpucc_ir::Function| f.insts_in_order().any(|(_, i)| f.insts[i].place() == Some(Memory::Address));
    let reaches = module.funcs.values().any(by_address);
    let used = Used::of_entry(&module, &source.entry, stage);
    Box::new(Program {
        used,
        source,
        module,
        code,
        had,
        context,
        selected: OnceLock::new(),
        cache,
        moving,
        reaches,
        variants: Mutex::default(),
        lates: Mutex::default(),
    })
}

/// A pipeline before its shaders are compiled.
#[derive(Clone, Debug)]
pub enum Plan {
    /// The source of a compute stage.
    Compute(Source),
    /// The sources of a vertex and perhaps a fragment stage.
    Render(Source, Option<Source>, Box<Render>),
}

/// A plan, and what it may be made with.
pub type Order = (Done<Plan>, With);

/// Pipelines that are kept of one with a fixed function that commands set.
const MOST_LATES: usize = 64;

/// Stack of a thread that compiles.
const STACK: usize = 64 << 20;

impl Plan {
    /// Compiles it.
    ///
    /// # Errors
    /// The chip or the compiler refuses a shader, or a shader is wrong; the sentence says why.
    pub fn compile(self, chip: Chip, with: &With) -> Done<Pipeline> {
        match self {
            Plan::Compute(source) => Pipeline::compute(chip, source, with),
            Plan::Render(vertex, fragment, render) => Pipeline::render(chip, (vertex, fragment), *render, with),
        }
    }

    /// Compiles several on all cores; the order stays.
    pub fn compile_all(chip: Chip, plans: Vec<Order>) -> Vec<Done<Pipeline>> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from).min(plans.len());
        let panicked = |panic: Box<dyn std::any::Any + Send>| {
            Err(Fail::bug(format!("a bug of the compiler: {}", crate::log::panic_text(&*panic))))
        };
        let guarded = |(plan, with): Order| {
            let compile = || plan?.compile(chip, &with);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(compile)).unwrap_or_else(panicked)
        };
        let plans: Vec<Mutex<Option<Order>>> = plans.into_iter().map(|p| Mutex::new(Some(p))).collect();
        let made: Vec<OnceLock<Done<Pipeline>>> = plans.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || loop {
            let at = next.fetch_add(1, Ordering::SeqCst);
            let (Some(plan), Some(out)) = (plans.get(at), made.get(at)) else { break };
            if let Some(plan) = plan.lock().unwrap_or_else(PoisonError::into_inner).take() {
                // Each place is taken once.
                let _ = out.set(guarded(plan));
            }
        };
        std::thread::scope(|s| {
            // An application may call from a thread with a small stack.
            for _ in 0..cores {
                let thread = std::thread::Builder::new().name("gpucc compile".into()).stack_size(STACK);
                if thread.spawn_scoped(s, work).is_err() {
                    break;
                }
            }
        });
        // Where no thread could be had the caller does the work.
        work();
        let none = || Err(Fail::bug("a pipeline that nobody compiled"));
        made.into_iter().map(|m| m.into_inner().unwrap_or_else(none)).collect()
    }
}

impl Pipeline {
    /// Compiles a compute pipeline.
    ///
    /// # Errors
    /// The chip or the compiler refuses the shader; the sentence says why.
    pub fn compute(chip: Chip, source: Source, with: &With) -> Done<Pipeline> {
        let module = load(&source)?;
        let stage = Stage::Compute;
        let code = code(chip, &source, &module, stage, (None, with))?;
        Ok(Pipeline::Compute(program(chip, source, module, stage, code)))
    }

    /// Compiles a render pipeline.
    ///
    /// # Errors
    /// As [`Pipeline::compute`]; stages that do not fit each other or the state.
    pub fn render(
        chip: Chip,
        (vertex, fragment): (Source, Option<Source>),
        render: Render,
        with: &With,
    ) -> Done<Pipeline> {
        let module = load(&vertex)?;
        let mut other = fragment.as_ref().map(load).transpose()?;
        if let (true, Some(module), Some(source)) = (render.per_sample, &mut other, &fragment) {
            for_each_sample(module, source)?;
        }
        let names = (&module, vertex.entry.as_str());
        let second = other.as_ref().zip(fragment.as_ref()).map(|(m, s)| (m, s.entry.as_str()));
        let linked = render.state.link_entries(names, second).map_err(|d| failed(&vertex, &d))?;
        // The oracle runs modules as they are.
        let contexts = match chip {
            Chip::Interp => (None, None),
            Chip::Target(target) => {
                let options = gpucc::Options::new(target);
                let f = linked.fragment_options(&options).and_then(|o| o.codegen.context);
                (linked.vertex_options(&options).codegen.context, f)
            }
        };
        let v = code(chip, &vertex, &module, Stage::Vertex, (contexts.0, with))?;
        let f = other.as_ref().zip(fragment.as_ref());
        let f = f.map(|(m, s)| code(chip, s, m, Stage::Fragment, (contexts.1, with))).transpose()?;
        drop(linked);
        let f = fragment.zip(other).zip(f).map(|((s, m), code)| program(chip, s, m, Stage::Fragment, code));
        Ok(Pipeline::Render(program(chip, vertex, module, Stage::Vertex, v), f, Box::new(render)))
    }

    /// The same pipeline with the coordinates of samples by some samplers in code. It is compiled once.
    ///
    /// # Errors
    /// As [`Pipeline::render`].
    pub fn variant(&self, chip: Chip, samplers: Vec<Special>) -> Done<Arc<Pipeline>> {
        let (Pipeline::Compute(first) | Pipeline::Render(first, ..)) = self;
        let mut all = first.variants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(&samplers) {
            return Ok(known.clone());
        }
        let new = |p: &Program| Source { samplers: samplers.clone(), ..p.source.clone() };
        let with = self.later();
        let made = match self {
            Pipeline::Compute(p) => Pipeline::compute(chip, new(p), &with)?,
            Pipeline::Render(v, f, r) => Pipeline::render(chip, (new(v), f.as_deref().map(new)), (**r).clone(), &with)?,
        };
        Ok(all.entry(samplers).or_insert(Arc::new(made)).clone())
    }

    /// The same pipeline with another fixed function. It is compiled once for what shaders are compiled with.
    ///
    /// # Errors
    /// As [`Pipeline::render`].
    pub fn late(self: &Arc<Pipeline>, chip: Chip, render: &Render) -> Done<Arc<Pipeline>> {
        let Pipeline::Render(v, f, own) = &**self else { return Ok(self.clone()) };
        if own.state == render.state {
            return Ok(self.clone());
        }
        let mut all = v.lates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = all.iter().find(|k| k.0 == render.state) {
            return Ok(known.clone());
        }
        let fragment = f.as_ref().map(|f| f.source.clone());
        let sources = (v.source.clone(), fragment);
        let made = Arc::new(Pipeline::render(chip, sources, render.clone(), &self.later())?);
        if all.len() >= MOST_LATES {
            all.remove(0);
        }
        all.push((render.state.clone(), made.clone()));
        Ok(made)
    }

    /// What is compiled later is made with: the cache of the pipeline, if that is still there.
    fn later(&self) -> With {
        let (Pipeline::Compute(first) | Pipeline::Render(first, ..)) = self;
        With { cache: first.cache.upgrade(), kept_only: false }
    }

    /// The programs of its stages.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        let (first, second) = match self {
            Pipeline::Compute(p) => (p, None),
            Pipeline::Render(v, f, _) => (v, f.as_deref()),
        };
        std::iter::once(&**first).chain(second)
    }

    /// Whether it is for dispatches.
    pub fn is_compute(&self) -> bool {
        matches!(self, Pipeline::Compute(_))
    }
}
