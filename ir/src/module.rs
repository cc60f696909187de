//! Modules: functions, resources, variables, entry points, options.

use crate::declared::Declared;
use crate::entity::Arena;
use crate::float_modes::FloatModes;
use crate::function::Function;
use crate::inst::{Func, Global, Loc, Place, Res};
use crate::named::named_enum;
use crate::source::SourceFile;
use crate::span::Span;
use crate::stage::{Interface, Stage};
use crate::tex::TexDim;
use crate::types::Type;
pub use crate::variable::{Init, Space, VarData};
pub use gpucc_pipeline::Variant;
use gpucc_pipeline::{Base, Format};
use std::hash::{Hash, Hasher};

named_enum! {
    /// The type of the lanes of a texture's texels.
    TexClass {
        Float = "float"       "Floats, also of normalised formats.",
        Sint = "sint"         "Signed integers.",
        Uint = "uint"         "Unsigned integers.",
        Depth = "depth"       "Depth: lane 0 is the value, the others are 0, 0, 1.",
        External = "external" "An external image, given as one plane of `rgba8unorm`.",
    }
}

impl TexClass {
    /// The lane that shaders see.
    pub const fn lane(self) -> Type {
        match self {
            TexClass::Float | TexClass::Depth | TexClass::External => Type::F32,
            TexClass::Sint | TexClass::Uint => Type::I32,
        }
    }
}

named_enum! {
    /// The accesses of a shader to an image.
    ImageAccess {
        Read = "read"            "Load.",
        Write = "write"          "Store.",
        ReadWrite = "read_write" "Both.",
        Atomic = "atomic"        "Both, and atomics.",
    }
}

impl ImageAccess {
    /// Whether texels may be changed.
    pub const fn writes(self) -> bool {
        !matches!(self, ImageAccess::Read)
    }
}

/// The kind of a bound resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResourceKind {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer that is only read.
    StorageRead,
    /// A storage buffer that may be written.
    StorageReadWrite,
    /// Immediate data (push constants): read only, and given with the launch. The binding is [`IMMEDIATES`].
    Immediates,
    /// A sampled texture.
    Texture {
        /// The dimension.
        dim: TexDim,
        /// Whether it has layers.
        arrayed: bool,
        /// Whether a pixel has several samples.
        multisampled: bool,
        /// The type of texels.
        class: TexClass,
    },
    /// An image that is loaded and stored: one level, texels of one format.
    StorageTexture {
        /// The dimension.
        dim: TexDim,
        /// Whether it has layers.
        arrayed: bool,
        /// The format of its texels.
        format: Format,
        /// The accesses allowed to the shader.
        access: ImageAccess,
    },
    /// A sampler.
    Sampler {
        /// Whether it compares texels with a reference.
        comparison: bool,
    },
}

/// Group and binding of immediate data, which has neither: no buffer can be bound there.
pub const IMMEDIATES: (u32, u32) = (u32::MAX, 0);

/// The binding of an element of an array of buffers: each of them is a resource of its own, whose number has the element in its high half.
/// None of an array at a binding above 65,535, or of an element above that.
pub const fn element_binding(binding: u32, element: u32) -> Option<u32> {
    if binding > 0xffff || element > 0xffff { None } else { Some(binding | element << 16) }
}

/// A binding as people write it: `3`, or `3[1]` of an element of an array of buffers.
pub fn binding_text(binding: u32) -> String {
    match binding >> 16 {
        0 => binding.to_string(),
        element => format!("{}[{element}]", binding & 0xffff),
    }
}

impl ResourceKind {
    /// The name as printed.
    pub const fn name(self) -> &'static str {
        match self {
            ResourceKind::Uniform => "uniform",
            ResourceKind::StorageRead => "storage_ro",
            ResourceKind::StorageReadWrite => "storage_rw",
            ResourceKind::Immediates => "immediates",
            ResourceKind::Texture { .. } => "texture",
            ResourceKind::StorageTexture { .. } => "image",
            ResourceKind::Sampler { .. } => "sampler",
        }
    }
    /// The kind of buffer of this name.
    pub fn parse_buffer(s: &str) -> Option<ResourceKind> {
        [ResourceKind::Uniform, ResourceKind::StorageRead, ResourceKind::StorageReadWrite, ResourceKind::Immediates]
            .into_iter()
            .find(|k| k.name() == s)
    }
    /// Shape of a texture: its dimension, whether it has layers, whether a pixel has several samples, and the lane of its texels.
    pub fn texels(self) -> Option<(TexDim, bool, bool, Type)> {
        match self {
            ResourceKind::Texture { dim, arrayed, multisampled, class } => {
                Some((dim, arrayed, multisampled, class.lane()))
            }
            ResourceKind::StorageTexture { dim, arrayed, format, .. } => {
                let integer = matches!(format.base(), Base::Uint | Base::Sint | Base::Stencil);
                Some((dim, arrayed, false, if integer { Type::I32 } else { Type::F32 }))
            }
            _ => None,
        }
    }
    /// Whether it is a texture that is sampled, not loaded and stored.
    pub const fn is_sampled(self) -> bool {
        matches!(self, ResourceKind::Texture { .. })
    }
    /// Whether it is bytes with addresses.
    pub const fn is_buffer(self) -> bool {
        !matches!(
            self,
            ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. } | ResourceKind::Sampler { .. }
        )
    }
    /// Whether stores and atomics are allowed.
    pub const fn is_writable(self) -> bool {
        match self {
            ResourceKind::StorageReadWrite => true,
            ResourceKind::StorageTexture { access, .. } => access.writes(),
            _ => false,
        }
    }
    /// The address space of a buffer. Textures and samplers have no addresses; they count as what nobody writes.
    pub const fn space(self) -> Space {
        match self {
            ResourceKind::Uniform
            | ResourceKind::Immediates
            | ResourceKind::Texture { .. }
            | ResourceKind::StorageTexture { .. }
            | ResourceKind::Sampler { .. } => Space::Uniform,
            ResourceKind::StorageRead | ResourceKind::StorageReadWrite => Space::Storage,
        }
    }
}

/// A bound buffer, texture or sampler, or the immediate data of an entry point.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ResourceData {
    /// The name in the source.
    pub name: String,
    /// Bind group that the source gives it.
    pub group: u32,
    /// Binding number in the group; of an element of an array of buffers see [`element_binding`].
    pub binding: u32,
    /// The kind: buffer, texture or sampler, with what the kind asks.
    pub kind: ResourceKind,
    /// The least size the API must bind: the whole type, with one element of a runtime array.
    pub min_size: u32,
    /// The stride of the trailing runtime array; 0 if the size is fixed (then `min_size` is all the shader can name).
    pub stride: u32,
    /// Elements of an array of bindings; 1 for one resource.
    pub count: u32,
    /// The use that lowering makes of the bound resource.
    pub variant: Variant,
    /// Where in the source it is declared.
    pub span: Span,
}

/// Subgroups that a compute entry point is written for. It runs only where they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Subgroups {
    /// Lanes of each, 1 to 128.
    pub size: Option<u32>,
    /// How many a workgroup has.
    pub count: Option<u32>,
}

impl Subgroups {
    /// Nothing is asked for.
    pub const ANY: Subgroups = Subgroups { size: None, count: None };

    /// Whether subgroups of so many lanes will do, in a workgroup of so many invocations.
    pub fn take(self, lanes: u32, invocations: u32) -> bool {
        let count = invocations.div_ceil(lanes.max(1));
        self.size.is_none_or(|n| n == lanes) && self.count.is_none_or(|n| n == count)
    }
}

/// The demands of an entry point's stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StageInfo {
    /// A workgroup of invocations.
    Compute {
        /// Invocations of a workgroup, by dimension.
        workgroup_size: [u32; 3],
        /// Subgroups that it is written for.
        subgroups: Subgroups,
    },
    /// An invocation for each vertex.
    Vertex(Interface),
    /// An invocation for each pixel or sample, in quads of four.
    Fragment {
        /// Inputs and outputs.
        io: Interface,
        /// Depth and stencil are tested before the program runs.
        early_depth: bool,
    },
}

/// Hash by number: an array of numbers is hashed as the bytes of this machine.
impl Hash for StageInfo {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind().hash(state);
        match self {
            StageInfo::Compute { workgroup_size: [x, y, z], subgroups } => (x, y, z, subgroups).hash(state),
            StageInfo::Vertex(io) => io.hash(state),
            StageInfo::Fragment { io, early_depth } => (io, early_depth).hash(state),
        }
    }
}

impl StageInfo {
    /// The stage alone, without its facts.
    pub const fn kind(&self) -> Stage {
        match self {
            StageInfo::Compute { .. } => Stage::Compute,
            StageInfo::Vertex(_) => Stage::Vertex,
            StageInfo::Fragment { .. } => Stage::Fragment,
        }
    }

    /// Inputs and outputs; compute has none.
    pub const fn interface(&self) -> Option<&Interface> {
        match self {
            StageInfo::Compute { .. } => None,
            StageInfo::Vertex(io) | StageInfo::Fragment { io, .. } => Some(io),
        }
    }
}

impl EntryPoint {
    /// Invocations of a workgroup, by dimension; other stages than compute have no workgroups.
    pub const fn workgroup_size(&self) -> Option<[u32; 3]> {
        match self.stage {
            StageInfo::Compute { workgroup_size, .. } => Some(workgroup_size),
            StageInfo::Vertex(_) | StageInfo::Fragment { .. } => None,
        }
    }

    /// Subgroups that it is written for; other stages than compute ask for none.
    pub const fn subgroups(&self) -> Subgroups {
        match self.stage {
            StageInfo::Compute { subgroups, .. } => subgroups,
            StageInfo::Vertex(_) | StageInfo::Fragment { .. } => Subgroups::ANY,
        }
    }

    /// Inputs and outputs; compute has none.
    pub const fn interface(&self) -> Option<&Interface> {
        self.stage.interface()
    }

    /// The same, for change.
    pub const fn interface_mut(&mut self) -> Option<&mut Interface> {
        match &mut self.stage {
            StageInfo::Compute { .. } => None,
            StageInfo::Vertex(io) | StageInfo::Fragment { io, .. } => Some(io),
        }
    }
}

/// Invocations of a workgroup of these sizes; as many as 32 bits can count if there are more.
pub fn invocations(size: [u32; 3]) -> u32 {
    size.iter().fold(1, |n: u32, &s| n.saturating_mul(s))
}

/// A function that a launch can name. It has no parameters; its results are the outputs of its stage.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EntryPoint {
    /// The name in the source.
    pub name: String,
    /// The stage, with what it asks of an entry point.
    pub stage: StageInfo,
    /// The function that is the entry's body.
    pub func: Func,
    /// What it asks of floats.
    pub modes: FloatModes,
    /// Where in the source it is declared.
    pub span: Span,
}

/// Choices that change what code means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ModuleOptions {
    /// Bounds are clamped and workgroup memory is zeroed by us, not by the caller.
    pub robust: bool,
    /// Workgroup memory is zeroed by us although bounds are the caller's.
    pub zeroes: bool,
}

impl ModuleOptions {
    /// Whether workgroup memory is zeroed by us.
    pub fn zeroes_workgroup_memory(self) -> bool {
        self.robust || self.zeroes
    }
}

impl Default for ModuleOptions {
    fn default() -> Self {
        Self { robust: true, zeroes: false }
    }
}

/// A module: functions, resources, variables and entry points of one source.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Functions; a function calls only functions with smaller indices.
    pub funcs: Arena<Func, Function>,
    /// Resources by index, each with group and binding.
    pub resources: Arena<Res, ResourceData>,
    /// Private and workgroup variables.
    pub globals: Arena<Global, VarData>,
    /// Entry points in source order.
    pub entries: Vec<EntryPoint>,
    /// Whether bounds are clamped and workgroup memory zeroed by us.
    pub options: ModuleOptions,
    /// Names and promises of the source that no code depends on.
    pub declared: Declared,
    /// Spans by [`Loc`]; entry 0 is unknown.
    locs: Vec<Span>,
    /// Byte offsets at which the lines of the source begin; none where the source is no text.
    line_starts: Vec<u32>,
    /// Where the source is several files: the first line of each, and its name.
    files: Vec<(u32, String)>,
}

/// Hash of what the module's text says, and of the places it names.
impl Hash for Module {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.funcs, &self.resources, &self.globals).hash(state);
        (&self.entries, self.options, &self.locs).hash(state);
    }
}

impl Module {
    /// A module without functions, whose only location is the unknown one.
    pub fn new() -> Module {
        Module { locs: vec![Span::UNKNOWN], ..Module::default() }
    }

    /// The same module without its functions. Entry points keep the indices of theirs.
    pub fn without_functions(&self) -> Module {
        let Module { funcs: _, resources, globals, entries, options, declared, locs, line_starts, files } = self;
        Module {
            funcs: Arena::new(),
            resources: resources.clone(),
            globals: globals.clone(),
            entries: entries.clone(),
            options: *options,
            declared: declared.clone(),
            locs: locs.clone(),
            line_starts: line_starts.clone(),
            files: files.clone(),
        }
    }

    /// Interns a span. The same span directly again gives the same location.
    pub fn add_loc(&mut self, span: Span) -> Loc {
        if self.locs.is_empty() {
            self.locs.push(Span::UNKNOWN);
        }
        if !span.is_known() {
            return Loc::UNKNOWN;
        }
        if self.locs.last() != Some(&span) {
            self.locs.push(span);
        }
        Loc(self.locs.len() as u32 - 1)
    }

    /// The span of a location.
    pub fn span(&self, loc: Loc) -> Span {
        self.locs.get(loc.plain().0 as usize).copied().unwrap_or(Span::UNKNOWN)
    }

    /// Adds what its hash leaves out: where lines and files of the source begin.
    pub fn hash_lines<H: Hasher>(&self, state: &mut H) {
        (&self.line_starts, &self.files).hash(state);
    }

    /// Remembers where the lines of the source begin, so that locations have a line and a column.
    pub fn set_source_text(&mut self, text: &[u8]) {
        let breaks = text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at as u32 + 1);
        self.line_starts = std::iter::once(0).chain(breaks).collect();
        self.files.clear();
    }

    /// Same as [`set_source_text`](Self::set_source_text), for files whose texts follow each other with a byte between.
    pub fn set_source_files(&mut self, files: &[SourceFile]) {
        (self.line_starts, self.files) = (Vec::new(), Vec::new());
        let mut start = 0;
        for file in files {
            self.files.push((self.line_starts.len() as u32, file.name().to_string()));
            self.line_starts.extend(file.lines().iter().map(|line| start + line));
            start += file.text().len() as u32 + 1;
        }
    }

    /// Changes all spans that the module holds.
    pub fn map_spans(&mut self, mut map: impl FnMut(Span) -> Span) {
        self.locs.iter_mut().for_each(|s| *s = map(*s));
        self.resources.iter_mut().for_each(|(_, r)| r.span = map(r.span));
        self.globals.iter_mut().for_each(|(_, g)| g.span = map(g.span));
        self.entries.iter_mut().for_each(|e| e.span = map(e.span));
    }

    /// The file of a location, where the source's files have names.
    pub fn file(&self, loc: Loc) -> Option<&str> {
        let line = self.line(loc)?;
        let at = self.files.partition_point(|f| f.0 <= line).checked_sub(1)?;
        Some(&self.files[at].1)
    }

    /// The index of a location's line.
    fn line(&self, loc: Loc) -> Option<u32> {
        let span = self.span(loc);
        let line = self.line_starts.partition_point(|&start| start <= span.start);
        if span.is_known() { line.checked_sub(1).map(|l| l as u32) } else { None }
    }

    /// Line and column of a location, both from 1, columns in bytes; none if it or the source's text is unknown.
    pub fn line_column(&self, loc: Loc) -> Option<(u32, u32)> {
        let line = self.line(loc)?;
        let first = self.files.partition_point(|f| f.0 <= line).checked_sub(1).map_or(0, |at| self.files[at].0);
        Some((line - first + 1, self.span(loc).start - self.line_starts[line as usize] + 1))
    }

    /// The entry point of this name in this stage: SPIR-V lets one name stand in several.
    pub fn entry_at(&self, name: &str, stage: Stage) -> Option<&EntryPoint> {
        self.entries.iter().find(|e| e.name == name && e.stage.kind() == stage)
    }

    /// The first entry point of this name.
    pub fn entry(&self, name: &str) -> Option<&EntryPoint> {
        self.entries.iter().find(|e| e.name == name)
    }

    /// The address space of a place as used by `f`.
    pub fn space(&self, place: Place) -> Space {
        match place {
            Place::Buffer(r) => self.resources[r].kind.space(),
            Place::Global(g) => self.globals[g].space,
            Place::Local(_) => Space::Function,
            Place::Address => Space::Storage,
        }
    }

    /// Whether two places may be the same bytes: an address may lead into any storage buffer.
    pub fn overlap(&self, a: Place, b: Place) -> bool {
        let reached = |p: Place| matches!(p, Place::Buffer(_)) && self.space(p) == Space::Storage;
        match (a, b) {
            (Place::Address, p) | (p, Place::Address) => p == Place::Address || reached(p),
            _ => a == b,
        }
    }

    /// The storage buffers that a write to a place may change.
    pub fn buffers_at(&self, place: Place) -> impl Iterator<Item = Res> + '_ {
        let all = place == Place::Address;
        let one = match place {
            Place::Buffer(r) => Some(r),
            _ => None,
        };
        let every =
            self.resources.iter().filter(move |(_, r)| all && r.kind.is_buffer() && r.kind.space() == Space::Storage);
        one.into_iter().chain(every.map(|(h, _)| h))
    }

    /// The size of a place in bytes if it is known: variables, and buffers without a runtime array.
    pub fn place_size(&self, f: &Function, place: Place) -> Option<u32> {
        match place {
            Place::Buffer(r) => {
                let r = &self.resources[r];
                (r.stride == 0).then_some(r.min_size)
            }
            Place::Global(g) => Some(self.globals[g].size),
            Place::Local(l) => Some(f.locals[l].size),
            Place::Address => None,
        }
    }
}
