//! The content of a container, independent of its bytes.

use std::borrow::Cow;

use gpucc_pipeline::{Format, Pipeline, named};
pub use gpucc_pipeline::{Interpolation, IoPlace, Sampling, Variant};

use crate::launch::LaunchStep;
use crate::source::{DescriptorKey, Source};

/// File codes from here up name uniform files (section `UNIF`); below, register files (section `PREL`).
pub const UNIFORM_FILE: u8 = 0x80;

/// Bits of [`Meta::flags`], each a fact about the code.
pub mod flags {
    /// The code has barriers.
    pub const BARRIERS: u32 = 1;
    /// The code writes memory that others see.
    pub const WRITES_MEMORY: u32 = 2;
    /// The code may discard fragments.
    pub const DISCARD: u32 = 4;
    /// Depth test may run before the code.
    pub const EARLY_DEPTH: u32 = 8;
    /// The code needs derivatives, so whole quads.
    pub const DERIVATIVES: u32 = 16;
    /// The code runs once a sample.
    pub const SAMPLE_SHADING: u32 = 32;
    /// The code writes depth.
    pub const WRITES_DEPTH: u32 = 64;
    /// The code was compiled with f32 denormals kept.
    pub const DENORM32: u32 = 128;
    /// Bounds are the caller's business (`--robust off`).
    pub const TRUSTED: u32 = 256;
    /// The code reads what a pixel of a colour target holds.
    pub const READS_TARGETS: u32 = 512;
}

/// One file: a target and its entry points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container {
    /// Family name of the target; at most 15 bytes.
    pub family: String,
    /// Generation name of the target; at most 15 bytes.
    pub generation: String,
    /// Version of the compiler: major, minor, patch.
    pub compiler: [u16; 3],
    /// Hash of input and options.
    pub options_hash: u64,
    /// Entry points, in source order.
    pub entries: Vec<Entry>,
}

impl Container {
    /// Entries of a generation, by no version and no options.
    pub fn of(family: &str, generation: &str, entries: Vec<Entry>) -> Container {
        Container { family: family.into(), generation: generation.into(), entries, ..Container::default() }
    }

    /// The entry with that name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.name == name)
    }
}

named! {
    /// Pipeline stage of an entry.
    #[derive(Default)]
    Stage {
        #[default]
        Compute "compute"   "Compute.",
        Vertex "vertex"     "Vertex.",
        Fragment "fragment" "Fragment.",
    }
}

impl Stage {
    /// Its bit in a mask of stages, as instruction tables have them: vertex 1, fragment 4, compute 8.
    pub const fn bit(self) -> u8 {
        match self {
            Stage::Vertex => 1,
            Stage::Fragment => 4,
            Stage::Compute => 8,
        }
    }
}

/// One entry point: code, counts, resources and interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Name in the source.
    pub name: String,
    /// Pipeline stage that it runs in.
    pub stage: Stage,
    /// Machine code of all programs of the entry.
    pub code: Vec<u8>,
    /// Sizes, counts and flags; the largest of several programs.
    pub meta: Meta,
    /// Resources that the code uses.
    pub resources: Vec<Resource>,
    /// The preloads before the first instruction: register files first, then uniform files. Of an entry with several
    /// programs, each has its own.
    pub preloads: Vec<Preload>,
    /// Computations of the launch, of which preloads and later ones name the results.
    pub steps: Vec<LaunchStep>,
    /// Inputs and outputs of a vertex or fragment entry.
    pub interface: Vec<InterfaceRow>,
    /// Hardware registers that the code wants set.
    pub state: Vec<StateWord>,
    /// State of the render pipeline that the code was compiled for; none of compute.
    pub pipeline: Option<Box<Pipeline>>,
    /// Programs in the code, where it is several that the hardware starts apart; none where it is one.
    pub programs: Vec<Program>,
    /// Constant bytes that the code reads.
    pub data: Vec<u8>,
    /// Optional: code address to source position.
    pub lines: Vec<LineEntry>,
    /// Optional: statistics by name.
    pub stats: Vec<(String, u64)>,
    /// Optional: names of resources, by place in `resources`.
    pub names: Vec<(u32, String)>,
    /// Optional: variables in the workgroup memory that `races` speaks of.
    pub variables: Vec<Variable>,
    /// Optional: facts of the source for who binds by name.
    pub facts: Option<Box<Facts>>,
    /// Optional: what a check for races must know of the code, sorted by address; without it there is no check.
    pub races: Option<Vec<RaceMark>>,
}

impl Entry {
    /// Its programs, each as an entry of its own: code, constant bytes, registers, preloads, and lines and race marks with addresses
    /// from the program's start. All other things are the entry's. An entry whose code is one program gives itself.
    pub fn parts(&self) -> Vec<(ProgramRole, Cow<'_, Entry>)> {
        if self.programs.is_empty() {
            return vec![(ProgramRole::Main, Cow::Borrowed(self))];
        }
        self.programs.iter().map(|p| (p.role, Cow::Owned(self.part(p)))).collect()
    }

    /// Where each value comes from that the driver loads, or computes with.
    pub fn sources(&self) -> impl Iterator<Item = Source> + '_ {
        let operands = self.steps.iter().flat_map(|s| &s.operands);
        self.preloads.iter().map(|p| &p.source).chain(operands).copied()
    }

    fn part(&self, p: &Program) -> Entry {
        let slice = |bytes: &[u8], (from, size): (u32, u32)| {
            bytes.get(from as usize..(from as usize).saturating_add(size as usize)).unwrap_or_default().to_vec()
        };
        let inside = |pc: u32| pc.checked_sub(p.offset).filter(|&at| at < p.size);
        let races = self
            .races
            .as_ref()
            .map(|all| all.iter().filter_map(|r| Some(RaceMark { pc: inside(r.pc)?, ..*r })).collect());
        Entry {
            name: self.name.clone(),
            stage: self.stage,
            code: slice(&self.code, (p.offset, p.size)),
            meta: Meta {
                registers: p.registers.clone(),
                scratch_bytes: p.scratch_bytes,
                family_words: p.family_words.clone(),
                ..self.meta
            },
            resources: self.resources.clone(),
            preloads: p.preloads.clone(),
            steps: self.steps.clone(),
            interface: self.interface.clone(),
            state: self.state.clone(),
            pipeline: self.pipeline.clone(),
            programs: Vec::new(),
            data: slice(&self.data, p.data),
            lines: self.lines.iter().filter_map(|l| Some(LineEntry { pc: inside(l.pc)?, ..*l })).collect(),
            stats: Vec::new(),
            names: self.names.clone(),
            variables: self.variables.clone(),
            facts: self.facts.clone(),
            races,
        }
    }
}

/// A variable in workgroup memory, for messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    /// Its first byte in workgroup memory.
    pub offset: u32,
    /// Number of bytes that it takes.
    pub size: u32,
    /// Name in the source.
    pub name: String,
}

/// Facts of the source that no code depends on: names, promises, and the bytes of buffers that are touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Promise about the depth that the program gives.
    pub depth: DepthLayout,
    /// Names of inputs and outputs, by place in [`Entry::interface`].
    pub slots: Vec<(u32, String)>,
    /// Members of buffers, for messages.
    pub members: Vec<Member>,
    /// Bytes of buffers that the code reads or writes: place in [`Entry::resources`], the first one, and the one behind the last;
    /// `u32::MAX` where an index decides.
    pub ranges: Vec<(u32, u32, u32)>,
    /// Values of the launch and of the rasteriser that the code reads, by name: `frag_coord`.
    pub reads: Vec<String>,
}

/// A member of a buffer, or a member of that: what has a type without members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Place of the buffer in [`Entry::resources`].
    pub resource: u32,
    /// The path in the buffer: `a`, `a.b`, `lights[].color`; empty where the buffer is no structure.
    pub name: String,
    /// The type of one element in WGSL's words.
    pub ty: String,
    /// Bytes from the start of the buffer, of the first element.
    pub offset: u32,
    /// Bytes of one element.
    pub size: u32,
    /// Elements of the outermost array that it lies in: 1 without one, 0 where the buffer decides.
    pub count: u32,
    /// Bytes from one of them to the next; 0 without an array.
    pub stride: u32,
}

named! {
    /// The job of a program of an entry point.
    #[derive(Default)]
    ProgramRole {
        #[default]
        Main "main"         "All of it.",
        Position "position" "The positions of vertices, and their clip distances.",
        Varying "varying"   "The values that go from vertices to fragments.",
    }
}

/// One of several programs of an entry point, as of vertex shaders that compute positions and varyings apart. Each is started by itself,
/// with registers and preloads of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The part of the entry that it computes.
    pub role: ProgramRole,
    /// Where it begins in the code, in bytes.
    pub offset: u32,
    /// Bytes of code from there on.
    pub size: u32,
    /// Its part of the constant bytes: the first one, and how many.
    pub data: (u32, u32),
    /// Registers claimed of each file, as in [`Meta::registers`].
    pub registers: Vec<(u8, u16)>,
    /// Bytes of scratch for one invocation.
    pub scratch_bytes: u32,
    /// Words whose meaning the family's ABI page defines.
    pub family_words: Vec<u32>,
    /// The preloads before its first instruction.
    pub preloads: Vec<Preload>,
}

named! {
    /// How the components of an output lie in words of 32 bits.
    #[derive(Default)]
    Packing {
        #[default]
        None "none"       "One in each.",
        Half16 "half16"   "Pairs of binary16.",
        Unorm16 "unorm16" "Pairs of 16-bit fractions from 0 to 1.",
        Snorm16 "snorm16" "Pairs of 16-bit fractions from -1 to 1.",
        Uint16 "uint16"   "Pairs of 16-bit unsigned integers.",
        Sint16 "sint16"   "Pairs of 16-bit signed integers.",
    }
}

named! {
    /// A promise about the depth that a fragment program gives, against the one that the fragment has.
    #[derive(Default)]
    DepthLayout {
        #[default]
        Any "any"             "None.",
        Greater "greater"     "It is as great or greater.",
        Less "less"           "It is as small or smaller.",
        Unchanged "unchanged" "It is the same.",
    }
}

/// An input or output of a vertex or fragment entry as the source has it, and where the hardware has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterfaceRow {
    /// Whether it is an output.
    pub output: bool,
    /// Location or built-in that it is.
    pub at: IoPlace,
    /// Components, a bit each.
    pub components: u8,
    /// Whether they are integers.
    pub integer: bool,
    /// How it changes between vertices, of what goes between the stages.
    pub interpolation: Interpolation,
    /// Where it is taken, of what goes between the stages.
    pub sampling: Sampling,
    /// How components lie in the words of the hardware.
    pub packing: Packing,
    /// Place of its first component: a file of the family.
    pub file: u8,
    /// Number of the register or slot in the file, counted as the family's ABI page says (`docs/abi-X.md`).
    pub index: u16,
    /// Component inside the place.
    pub lane: u8,
}

/// A hardware register that the code wants set: the bits of the mask, the others are the driver's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateWord {
    /// Register space, numbered as the family's ABI page says (`docs/abi-X.md`).
    pub space: u16,
    /// Number of the register in the space, as the family's ABI page says (`docs/abi-X.md`).
    pub register: u32,
    /// Values of the bits in `mask`.
    pub value: u32,
    /// Bits of the register that the code wants set.
    pub mask: u32,
}

/// Sizes, counts and flags of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Invocations of a workgroup in x, y and z.
    pub workgroup_size: [u32; 3],
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// Registers claimed of each file: (file code of the family, count in units of the family).
    pub registers: Vec<(u8, u16)>,
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// Bytes of scratch for one invocation.
    pub scratch_bytes: u32,
    /// Facts about the code as bits of [`flags`].
    pub flags: u32,
    /// Words whose meaning the family's ABI page defines.
    pub family_words: Vec<u32>,
}

impl Meta {
    /// Invocations of one workgroup.
    pub fn invocations(&self) -> u64 {
        self.workgroup_size.iter().fold(1, |n, &s| n.saturating_mul(u64::from(s)))
    }

    /// Registers claimed of a file; 0 when the file is not mentioned.
    pub fn registers_of(&self, file: u8) -> u16 {
        self.registers.iter().find(|r| r.0 == file).map_or(0, |r| r.1)
    }
}

named! {
    /// The kind of a resource.
    ResourceKind {
        Uniform "uniform"                "Uniform buffer.",
        Storage "storage"                "Storage buffer.",
        Texture "texture"                "Sampled texture.",
        StorageTexture "storage_texture" "Storage texture.",
        Sampler "sampler"                "Sampler.",
        Immediates "immediates"          "Immediate data (push constants), bound at [`IMMEDIATES`](crate::IMMEDIATES).",
    }
}

impl ResourceKind {
    /// Whether it is memory with an address: a buffer, or the immediate data.
    pub const fn is_buffer(self) -> bool {
        matches!(self, ResourceKind::Uniform | ResourceKind::Storage | ResourceKind::Immediates)
    }
}

named! {
    /// The code's use of a resource.
    Access {
        Read "read"            "Only reads.",
        Write "write"          "Only writes.",
        ReadWrite "read_write" "Both.",
    }
}

named! {
    /// Dimension of a texture or storage texture.
    #[derive(Default)]
    Dimension {
        D1 "1d"     "One axis.",
        #[default]
        D2 "2d"     "Two axes.",
        D3 "3d"     "Three axes.",
        Cube "cube" "Six faces.",
    }
}

named! {
    /// The type of a texture's texels in the code.
    #[derive(Default)]
    TexelClass {
        #[default]
        Float "float"       "Floats, also of normalised formats.",
        Sint "sint"         "Signed integers.",
        Uint "uint"         "Unsigned integers.",
        Depth "depth"       "Depth.",
        External "external" "An external image, bound as one plane.",
    }
}

/// The shape that the code takes a texture, storage texture or sampler for; of a buffer nothing is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Dimension of the texture; layers are counted apart.
    pub dimension: Dimension,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether a pixel has several samples.
    pub multisampled: bool,
    /// The type of texels.
    pub class: TexelClass,
    /// Format of a storage texture.
    pub format: Option<Format>,
    /// Whether a sampler compares.
    pub comparison: bool,
    /// The use of the bound resource.
    pub variant: Variant,
}

/// One resource: where it is bound, what it is, how the code uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Bind group that the source gives it.
    pub group: u32,
    /// Binding in its group; of an element of an array of buffers the high 16 bits are the element.
    pub binding: u32,
    /// The kind: buffer, texture or sampler.
    pub kind: ResourceKind,
    /// The use of it.
    pub access: Access,
    /// Slot that the code uses for it, numbered as the family's ABI page says (`docs/abi-X.md`).
    pub slot: u32,
    /// Least size of the binding in bytes.
    pub min_size: u32,
    /// Elements of a binding array, 1 for a single resource.
    pub count: u32,
    /// The shape of a texture, storage texture or sampler.
    pub shape: Shape,
}

impl Resource {
    /// A single one at a group and binding, without a least size or a shape.
    pub fn new(kind: ResourceKind, access: Access, (group, binding): (u32, u32), slot: u32) -> Resource {
        Resource { group, binding, kind, access, slot, min_size: 0, count: 1, shape: Shape::default() }
    }

    /// The descriptor of an element of a texture or sampler.
    pub fn descriptor(&self, element: u32) -> DescriptorKey {
        let sampler = self.kind == ResourceKind::Sampler;
        DescriptorKey { group: self.group, binding: self.binding, sampler, variant: self.shape.variant, element }
    }

    /// Whether two programs mean the same resource: at one binding there may be a texture and a sampler, and variants of both.
    pub fn is_same(&self, other: &Resource) -> bool {
        let key = |r: &Resource| (r.group, r.binding, r.kind, r.shape.variant);
        key(self) == key(other)
    }
}

/// One 32-bit unit that the driver loads before the first instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preload {
    /// File code of the family; from [`UNIFORM_FILE`] up it is a uniform file.
    pub file: u8,
    /// Component (or lane) inside the place.
    pub lane: u8,
    /// Number of the register or slot in the file, counted as the family's ABI page says (`docs/abi-X.md`).
    pub index: u16,
    /// Where the value comes from.
    pub source: Source,
}

/// The part of a load or store that a check for races needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceMark {
    /// Byte address in the code.
    pub pc: u32,
    /// The marks: [`RaceMark::ATOMIC`], [`RaceMark::TAIL`] or [`RaceMark::INDEX`].
    pub kind: u16,
    /// The memory: place in the resources, or [`RaceMark::WORKGROUP`].
    pub place: u16,
    /// Three numbers whose meaning `kind` says.
    pub values: [u32; 3],
}

impl RaceMark {
    /// The plain load or store is an atomic access of the source.
    pub const ATOMIC: u16 = 1;
    /// Bounds handling sends what is out of bounds to the last bytes of the buffer, this many. The second value is the length of
    /// a buffer in which the access is in bounds, 0 if that depends on a value of the run.
    pub const TAIL: u16 = 2;
    /// Bounds handling sends what is out of bounds to the last element of an array: it begins at this offset, has this stride
    /// and this index of the last element. It may be one of several such arrays in a row.
    pub const INDEX: u16 = 3;
    /// The place that is workgroup memory.
    pub const WORKGROUP: u16 = 0xffff;

    /// The mark of an atomic access at a code address.
    pub const fn atomic(pc: u32) -> RaceMark {
        RaceMark { pc, kind: RaceMark::ATOMIC, place: RaceMark::WORKGROUP, values: [0; 3] }
    }

    /// The fields as plain values, for crates that do not depend on this one.
    pub const fn parts(&self) -> (u32, u16, u16, [u32; 3]) {
        (self.pc, self.kind, self.place, self.values)
    }
}

/// A code address and the source position it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEntry {
    /// Byte address in the code; holds up to the next entry.
    pub pc: u32,
    /// Line in the source, counted from 1.
    pub line: u32,
    /// Column in the source, counted from 1.
    pub column: u32,
}
