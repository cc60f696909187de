//! The object-safe face of a backend: what the facade, the command line and the tests see.

use crate::line_costs::LineCosts;
use crate::statistics::Statistic;
use gpucc_container::{
    self as container, Access, Dimension, Entry, IMMEDIATES, Resource, ResourceKind, Shape, TexelClass, flags,
};
use gpucc_ir::trace::PassTime;
use gpucc_ir::{
    Diagnostic, Function, Interface, IoAt, Module, Op, Res, Stage, StageInfo, TexClass, TexDim, Unsupported,
};
use gpucc_isa::Notes;
use gpucc_opt::{BindingFacts, Caps, Early, EarlyFacts, PipelineContext, Report};
use gpucc_pipeline::{
    Base, DepthStencil, Format, Pipeline, Target, Topology, VertexAttribute, VertexBuffer, VertexFormat,
};

/// Options of code generation that every family understands. Plain data; part of what decides the output bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodegenOptions {
    /// Optimisation level, 0 to 3.
    pub opt_level: u8,
    /// Verify after every pass, and check every allocation and what is emitted, also in release builds.
    pub verify: bool,
    /// Allocator stress: spill everything that can be spilled.
    pub spill_all: bool,
    /// Allocator stress: limit every file to the least that the program needs.
    pub tight: bool,
    /// Allocator stress: place values where they fragment the file most.
    pub fragment: bool,
    /// Dump the IR or the machine code after these passes (names), or `all`.
    pub dump_after: Vec<String>,
    /// Measure the time of each pass.
    pub time_passes: bool,
    /// Add up costs by source line ([`Output::lines`]).
    pub by_line: bool,
    /// Make the texts of the IR and the machine IR. This costs time, so it is off unless asked for.
    pub texts: bool,
    /// The module is as the target-independent passes leave one: none of them runs. For tests of what follows them.
    pub prepared: bool,
    /// Passes to leave out (names), for measuring what they are worth. Only passes that may be left out are.
    pub skip_passes: Vec<String>,
    /// Stop improving the code after so many changes, on the IR and then by machine passes. Mandatory passes always run.
    /// For finding the change that breaks a program.
    pub fuel: u64,
    /// The render pipeline around a vertex or fragment entry; of an entry that has none a default one is made
    /// ([`default_pipeline`]).
    pub context: Option<Box<PipelineContext>>,
    /// The bound resources of entries of every stage.
    pub bound: BindingFacts,
    /// The state of the pipeline of entries without a `context`: the other stage is looked up in the module
    /// ([`context_in`]).
    pub pipeline: Option<Box<Pipeline>>,
    /// Only changes of this pass count, and only it stops.
    pub fuel_of: Option<String>,
    /// Print the code after each machine pass and continue with what the parser reads. For tests: it changes nothing.
    pub reparse: bool,
}

/// The options that can change bytes: hashed whole, and by derive, so that no field is forgotten.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Choices<'a> {
    opt_level: u8,
    spill_all: bool,
    tight: bool,
    fragment: bool,
    prepared: bool,
    skip_passes: &'a [String],
    fuel: u64,
    fuel_of: Option<&'a str>,
    context: Option<&'a PipelineContext>,
    bound: &'a BindingFacts,
    pipeline: Option<&'a Pipeline>,
}

impl CodegenOptions {
    /// The ones that can change bytes.
    pub fn choices(&self) -> Choices<'_> {
        // A new field has to be named here: as a choice, or as one that only watches.
        let CodegenOptions {
            opt_level,
            verify: _,
            spill_all,
            tight,
            fragment,
            dump_after: _,
            time_passes: _,
            by_line: _,
            texts: _,
            prepared,
            skip_passes,
            fuel,
            context,
            bound,
            pipeline,
            fuel_of,
            reparse: _,
        } = self;
        Choices {
            opt_level: *opt_level,
            spill_all: *spill_all,
            tight: *tight,
            fragment: *fragment,
            prepared: *prepared,
            skip_passes,
            fuel: *fuel,
            fuel_of: fuel_of.as_deref(),
            context: context.as_deref(),
            bound,
            pipeline: pipeline.as_deref(),
        }
    }
}

impl Default for CodegenOptions {
    fn default() -> Self {
        CodegenOptions {
            opt_level: 2,
            verify: false,
            spill_all: false,
            tight: false,
            fragment: false,
            dump_after: Vec::new(),
            time_passes: false,
            by_line: false,
            texts: false,
            prepared: false,
            skip_passes: Vec::new(),
            fuel: u64::MAX,
            context: None,
            bound: BindingFacts::UNKNOWN,
            pipeline: None,
            fuel_of: None,
            reparse: false,
        }
    }
}

/// The surroundings of an entry that is compiled alone: an rgba8unorm target for each colour, a depth24plus one where a depth is given, one sample, triangles, and one
/// vertex buffer with the attributes packed in the order of locations, their components 32 bits each. Textures are taken to have no texels
/// of 128 bits.
pub fn default_pipeline(stage: &StageInfo) -> PipelineContext {
    let mut p = Pipeline::default();
    let mut other = None;
    match stage {
        StageInfo::Vertex(io) => {
            // Who gives points a size draws some.
            if io.outputs.iter().any(|s| s.at == IoAt::PointSize) {
                p.topology = Topology::PointList;
            }
            let at = |s: &gpucc_ir::IoSlot| match s.at {
                IoAt::Location { number, .. } => Some((u32::from(number), s.ty)),
                _ => None,
            };
            let mut list: Vec<_> = io.inputs.iter().filter_map(at).collect();
            list.sort_by_key(|a| a.0);
            let mut buffer = VertexBuffer::default();
            for (location, ty) in list {
                use VertexFormat as F;
                let (floats, integers) = (
                    [F::Float32, F::Float32x2, F::Float32x3, F::Float32x4],
                    [F::Uint32, F::Uint32x2, F::Uint32x3, F::Uint32x4],
                );
                let format = if ty.is_float() { floats } else { integers }[ty.lanes() as usize - 1];
                buffer.attributes.push(VertexAttribute { location, format, offset: buffer.stride });
                buffer.stride += u64::from(4 * ty.lanes());
            }
            if !buffer.attributes.is_empty() {
                p.vertex.push(Some(buffer));
            }
            // All that is given is read.
            let travels = |s: &&gpucc_ir::IoSlot| matches!(s.at, IoAt::Location { .. });
            let inputs = io.outputs.iter().filter(travels).cloned().collect();
            let io = Interface { inputs, ..Interface::default() };
            other = Some(StageInfo::Fragment { io, early_depth: false });
        }
        StageInfo::Fragment { io, .. } => {
            for s in &io.outputs {
                let IoAt::Location { number, .. } = s.at else { continue };
                let number = usize::from(number);
                if p.targets.len() <= number {
                    p.targets.resize(number + 1, None);
                }
                let format = if s.ty.is_float() { Format::Rgba8Unorm } else { Format::Rgba32Uint };
                p.targets[number] = Some(Target::new(format));
            }
            // Who gives a stencil value or a depth has where to test it.
            if io.outputs.iter().any(|s| s.at == IoAt::FragStencil) {
                p.depth = Some(DepthStencil { depth_write: true, ..DepthStencil::new(Format::Depth24PlusStencil8) });
            } else if io.outputs.iter().any(|s| s.at == IoAt::FragDepth) {
                p.depth = Some(DepthStencil { depth_write: true, ..DepthStencil::new(Format::Depth24Plus) });
            }
        }
        StageInfo::Compute { .. } => {}
    }
    PipelineContext { pipeline: p, other }
}

/// The context of an entry of a module in a pipeline: the other stage is the only entry of that stage, if there is one alone, with what it
/// reads. Of a vertex entry for which there is none everything is read.
pub fn context_in(module: &Module, stage: &StageInfo, pipeline: &Pipeline) -> PipelineContext {
    let wanted = match stage.kind() {
        Stage::Vertex => Stage::Fragment,
        _ => Stage::Vertex,
    };
    let mut others = module.entries.iter().filter(|e| e.stage.kind() == wanted);
    let other = match (others.next(), others.next()) {
        (Some(one), None) => Some(gpucc_opt::stage_as_read(module, one)),
        _ => default_pipeline(stage).other,
    };
    PipelineContext { pipeline: pipeline.clone(), other }
}

/// The output of a backend for one entry point.
#[derive(Clone, Debug)]
pub struct Output {
    /// Code, metadata and reflection, ready for the container.
    pub entry: Entry,
    /// The IR after the target-independent passes, as text; empty if not asked for.
    pub gir: String,
    /// The IR that selection read: what the machine computes, op for op, so what its numeric profile speaks of.
    pub ir: Module,
    /// The machine IR before emission, as text; empty if not asked for.
    pub mir: String,
    /// Statistics by name, in the family's order; `instructions` and `bytes` are always there.
    pub stats: Vec<(String, u64)>,
    /// `(pass, text)` for each dump that was asked for.
    pub dumps: Vec<(String, String)>,
    /// Times, when asked for, in the order of execution.
    pub times: Vec<PassTime>,
    /// What limits how many programs run at once: a statistic, `workgroup_size` or `none`. Empty where the family has no such number.
    pub limiter: &'static str,
    /// Amounts by which numbers must be smaller for more of them; of several programs those of the one that is limited.
    pub more: Vec<crate::Occupancy>,
    /// Costs by source line, when asked for.
    pub lines: LineCosts,
}

/// The output of the target-independent passes for one entry point, by the capabilities of targets; and what their first part leaves, which
/// asks for fewer of them.
#[derive(Debug)]
pub struct SharedPasses {
    keep: bool,
    begun: Vec<(Caps, Early)>,
    done: Vec<(Caps, Module, Report)>,
}

impl SharedPasses {
    /// Results are kept for the targets that follow.
    pub fn new() -> SharedPasses {
        SharedPasses { keep: true, begun: Vec::new(), done: Vec::new() }
    }

    /// Nothing is kept: for one target.
    pub fn none() -> SharedPasses {
        SharedPasses { keep: false, begun: Vec::new(), done: Vec::new() }
    }

    /// The module of an entry point for these capabilities, made where it is not there yet.
    pub(crate) fn prepare(
        &mut self,
        m: &Module,
        entry: &str,
        caps: &Caps,
        seen: &Caps,
        o: &gpucc_opt::Options,
    ) -> Result<(Module, Report), Diagnostic> {
        if let Some((_, module, report)) = self.done.iter().find(|d| d.0 == *seen) {
            return Ok((module.clone(), report.clone()));
        }
        let asked = caps.early(m);
        let shared = asked.shared();
        let serves = |b: &&(Caps, Early)| b.0 == asked || !b.1.hangs_on_target() && b.0.shared() == shared;
        let (early, facts) = match self.begun.iter().find(serves) {
            Some((_, early)) => (early.clone(), EarlyFacts::default()),
            None => {
                let (early, facts) = gpucc_opt::begin(m, entry, &asked, o)?;
                if self.keep {
                    self.begun.push((asked, early.clone()));
                }
                (early, facts)
            }
        };
        let (module, report) = gpucc_opt::go_on(early, facts, caps, o)?;
        if self.keep {
            self.done.push((*seen, module.clone(), report.clone()));
        }
        Ok((module, report))
    }
}

impl Default for SharedPasses {
    fn default() -> Self {
        SharedPasses::new()
    }
}

/// The container's rows about the resources of an entry point.
#[derive(Clone, Debug, Default)]
pub struct Reflection {
    /// The resources, in the order of the module's resources.
    pub resources: Vec<Resource>,
    /// Their names in the source.
    pub names: Vec<(u32, String)>,
    /// `WRITES_MEMORY` and `BARRIERS`, where they hold.
    pub flags: u32,
}

// Tables and containers number stages alike.
const _: () = {
    use container::Stage as S;
    use gpucc_isa::stage::{CS, FS, VS};
    assert!(S::Compute.bit() == CS && S::Vertex.bit() == VS && S::Fragment.bit() == FS);
};

/// A stage as the container names it.
pub const fn stage_of(stage: Stage) -> container::Stage {
    match stage {
        Stage::Compute => container::Stage::Compute,
        Stage::Vertex => container::Stage::Vertex,
        Stage::Fragment => container::Stage::Fragment,
    }
}

// The container's rows take group and binding from the IR.
const _: () = assert!(gpucc_ir::IMMEDIATES.0 == IMMEDIATES.0 && gpucc_ir::IMMEDIATES.1 == IMMEDIATES.1);

/// The shape that the code takes a texture, storage texture or sampler for.
fn shape(kind: gpucc_ir::ResourceKind) -> Shape {
    use gpucc_ir::ResourceKind as Kind;
    let dimension = |dim| match dim {
        TexDim::D1 => Dimension::D1,
        TexDim::D2 => Dimension::D2,
        TexDim::D3 => Dimension::D3,
        TexDim::Cube => Dimension::Cube,
    };
    let class = |c| match c {
        TexClass::Float => TexelClass::Float,
        TexClass::Sint => TexelClass::Sint,
        TexClass::Uint => TexelClass::Uint,
        TexClass::Depth => TexelClass::Depth,
        TexClass::External => TexelClass::External,
    };
    match kind {
        Kind::Texture { dim, arrayed, multisampled, class: c } => {
            Shape { dimension: dimension(dim), arrayed, multisampled, class: class(c), ..Shape::default() }
        }
        Kind::StorageTexture { dim, arrayed, format, .. } => Shape {
            dimension: dimension(dim),
            arrayed,
            class: match format.base() {
                Base::Sint => TexelClass::Sint,
                Base::Uint => TexelClass::Uint,
                _ => TexelClass::Float,
            },
            format: Some(format),
            ..Shape::default()
        },
        Kind::Sampler { comparison } => Shape { comparison, ..Shape::default() },
        Kind::Uniform | Kind::StorageRead | Kind::StorageReadWrite | Kind::Immediates => Shape::default(),
    }
}

/// Describes the resources of the function. `slot(res, used, index)` returns the hardware slot, or `None` to omit the resource;
/// `index` counts those listed so far.
pub fn reflect(m: &Module, f: &Function, slot: impl Fn(Res, bool, u32) -> Option<u32>) -> Reflection {
    let mut out = Reflection::default();
    // Named, read as an image, written.
    let mut touched = vec![(false, false, false); m.resources.len()];
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        if d.op == Op::Barrier {
            out.flags |= flags::BARRIERS;
        }
        for r in d.resources() {
            let t = &mut touched[r.0 as usize];
            t.0 = true;
            t.1 |= matches!(d.op, Op::ImageLoad | Op::ImageAtomic);
            t.2 |= matches!(d.op, Op::Store | Op::Atomic | Op::CmpXchg | Op::ImageStore | Op::ImageAtomic);
        }
    }
    for (r, data) in m.resources.iter() {
        let (used, loaded, written) = touched[r.0 as usize];
        let index = out.resources.len() as u32;
        let Some(slot) = slot(r, used, index) else { continue };
        if written {
            out.flags |= flags::WRITES_MEMORY;
        }
        out.names.push((index, data.name.clone()));
        out.resources.push(Resource {
            group: data.group,
            binding: data.binding,
            kind: match data.kind {
                gpucc_ir::ResourceKind::Uniform => ResourceKind::Uniform,
                gpucc_ir::ResourceKind::Immediates => ResourceKind::Immediates,
                gpucc_ir::ResourceKind::StorageRead | gpucc_ir::ResourceKind::StorageReadWrite => ResourceKind::Storage,
                gpucc_ir::ResourceKind::Texture { .. } => ResourceKind::Texture,
                gpucc_ir::ResourceKind::StorageTexture { .. } => ResourceKind::StorageTexture,
                gpucc_ir::ResourceKind::Sampler { .. } => ResourceKind::Sampler,
            },
            access: match (data.kind, written) {
                (gpucc_ir::ResourceKind::StorageTexture { .. }, true) if !loaded => Access::Write,
                (_, true) => Access::ReadWrite,
                _ => Access::Read,
            },
            slot,
            min_size: data.min_size,
            count: data.count,
            shape: Shape { variant: data.variant, ..shape(data.kind) },
        });
    }
    out
}

/// One family of GPUs.
pub trait Backend: Sync {
    /// Family name as in targets.
    fn family(&self) -> &'static str;

    /// Generations that code can be made for, oldest first.
    fn generations(&self) -> &'static [&'static str];

    /// Index of the generation that a bare family name means.
    fn default_generation(&self) -> usize;

    /// The refusals of its generations, whatever the shader's size: what `docs/support.md` and the test runners predict.
    fn unsupported(&self) -> &'static [Unsupported];

    /// The numbers that it reports of entry points, in the order of pages.
    fn statistics(&self) -> &'static [Statistic];

    /// The facts of the target-independent passes about programs of a stage, in the first strategy.
    fn caps(&self, generation: usize, stage: Stage) -> Caps;

    /// Names of all passes, on the IR and on machine code.
    fn passes(&self) -> Vec<&'static str>;

    /// Compiles the entry point called `entry` of a verified module as the frontend made it.
    ///
    /// # Errors
    /// Class `Unsupported` when this generation cannot do what the shader needs (code, target and span; one of [`Backend::unsupported`]),
    /// `Internal` for a compiler bug. A panic is a compiler bug too; the facade catches it.
    fn compile(
        &self,
        module: &Module,
        entry: &str,
        generation: usize,
        options: &CodegenOptions,
    ) -> Result<Output, Diagnostic> {
        self.compile_sharing(module, entry, generation, options, &mut SharedPasses::none())
    }

    /// As [`Backend::compile`], for one of several targets: what the target-independent passes made for another with the same
    /// capabilities is taken as it is. `shared` belongs to this module, entry point and options.
    ///
    /// # Errors
    /// As [`Backend::compile`].
    fn compile_sharing(
        &self,
        module: &Module,
        entry: &str,
        generation: usize,
        options: &CodegenOptions,
        shared: &mut SharedPasses,
    ) -> Result<Output, Diagnostic>;

    /// The names of the places and sources in its containers.
    fn names(&self) -> gpucc_isa::Names;

    /// What its driver must know of all programs.
    fn driver_facts(&self) -> crate::DriverFacts;

    /// How ELF files of a generation look; nothing where none is defined.
    fn code_object(&self, generation: usize) -> Option<crate::CodeObject>;

    /// Disassembles code of this family and a stage, as `-S` shows it, with what is to be said besides.
    fn program_text(&self, code: &[u8], generation: usize, stage: container::Stage, notes: &Notes<'_>) -> String;

    /// The listing of one entry point alone, of each of its programs.
    fn listing(&self, output: &Output, generation: usize) -> String {
        let parts = output.entry.parts();
        let mut text = String::new();
        for (k, (role, e)) in parts.iter().enumerate() {
            let (name, labels) = match parts.len() {
                1 => (e.name.clone(), String::new()),
                _ => (format!("{} ({})", e.name, role.name()), format!("e{k}_")),
            };
            let notes = Notes { program: Some(&name), labels: &labels, ..Notes::default() };
            text += &self.program_text(&e.code, generation, e.stage, &notes);
        }
        text
    }
}
