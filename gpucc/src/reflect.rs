//! Reflection: everything that a driver programs, as data with the names of its family.
//!
//! [`Reflection::of`] reads a container, [`Artifact::reflection`] what was just compiled. Each entry is one program or several
//! ([`Program::role`]); each program lists what is set before it starts, what it reads and gives, and what it takes of the chip. `docs/drivers.md` says
//! which field stands for which one of the structs that Mesa's drivers read.
//!
//! Names are those of the target's back end. In a build without that family, and for numbers that it does not know, the numbers stand:
//! `file 1 index 0 lane 0`.

use std::borrow::Cow;

pub use gpucc_container::{Access, DepthLayout, Interpolation, Member, Packing, Sampling};
use gpucc_container::{
    Container, Entry, InterfaceRow, IoPlace, LaunchStep, Preload, ProgramRole, Resource, ResourceKind, Shape, Source,
    Stage, UNIFORM_FILE, flags,
};
use gpucc_isa::Names;
use gpucc_pipeline::Pipeline;

use crate::{Artifact, backends, legend};

/// A container in a driver's words.
#[derive(Clone, Debug)]
pub struct Reflection {
    /// The family of the target.
    pub family: String,
    /// The generation of the target.
    pub generation: String,
    /// Version of the compiler: major, minor, patch.
    pub compiler: [u16; 3],
    /// Hash of everything that the code was made from.
    pub options_hash: u64,
    /// Programs, in the order of entries and of the programs of each.
    pub programs: Vec<Program>,
}

/// One program that the hardware starts by itself.
#[derive(Clone, Debug)]
pub struct Program {
    /// Number of its entry in the container.
    pub entry_index: usize,
    /// Name of its entry in the source.
    pub entry: String,
    /// Stage of the pipeline.
    pub stage: Stage,
    /// Its part of the entry's work.
    pub role: ProgramRole,
    /// First byte in the code of the entry, and bytes.
    pub code: (u32, u32),
    /// Bytes that the family's driver uploads for the code: padded as `docs/drivers.md` says.
    pub padded_code_bytes: u32,
    /// First byte in the constant bytes of the entry, and bytes.
    pub constant_data: (u32, u32),
    /// Registers that it claims of each file.
    pub registers: Vec<Registers>,
    /// Values that were spilled in the entry; nothing of a container without statistics.
    pub spills: Option<u64>,
    /// Spilled values that the entry loads again; nothing of a container without statistics.
    pub reloads: Option<u64>,
    /// Every number that the compiler says of the entry, by name (`gpucc stats --list` has units and meanings); none of a container without
    /// statistics.
    pub statistics: Vec<(String, u64)>,
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// Bytes of scratch of one invocation.
    pub scratch_bytes: u32,
    /// Invocations of a workgroup in x, y and z; of other stages 0 or 1 each.
    pub workgroup_size: [u32; 3],
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// Programs at once; nothing where the family has no such number.
    pub occupancy: Option<Occupancy>,
    /// Resources, immediate data not among them.
    pub bindings: Vec<Binding>,
    /// The immediate data (push constants), where the program has some.
    pub immediates: Option<Immediates>,
    /// The values that must be in place before the first instruction, register files before uniform files.
    pub preloads: Vec<Loaded>,
    /// Computations of the launch, which preloads and later ones name by number.
    pub steps: Vec<Computed>,
    /// Attributes of a vertex program, varyings of a fragment program.
    pub inputs: Vec<Slot>,
    /// Positions and varyings of a vertex program, colours, depth and mask of a fragment program.
    pub outputs: Vec<Slot>,
    /// Facts that decide fixed-function state.
    pub uses: Uses,
    /// Values of the launch and the rasteriser that the code reads, by name, where the container says so: `frag_coord`, `front_facing`. Those that
    /// lowering made are named themselves: `pixel`, `frag_z`.
    pub reads: Vec<String>,
    /// Words of the family by name, in the order of the container.
    pub words: Vec<Word>,
    /// Hardware registers that the program wants set.
    pub state: Vec<State>,
    /// The state of the render pipeline that the program was compiled for.
    pub pipeline: Option<Box<Pipeline>>,
}

/// Registers of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Number of the file.
    pub file: u8,
    /// Its name in the family.
    pub name: String,
    /// Registers, in units of the family.
    pub count: u16,
}

/// How many of a program run at once, and why no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// The thing counted: `waves` of a SIMD on GCN, `threads` that share a lane's registers on Valhall.
    pub unit: &'static str,
    /// Number of those that run at once.
    pub count: u64,
    /// The statistic that limits it, `workgroup_size`, or `none`. Containers do not say it: only what was just compiled has it.
    pub limited_by: Option<&'static str>,
}

/// A resource that the program uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Name in the source, where the container has it.
    pub name: Option<String>,
    /// Bind group in the source.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// Element of an array of buffers, each of which has a binding here; 0 of others.
    pub element: u32,
    /// The kind: buffer, texture or sampler.
    pub kind: ResourceKind,
    /// The use of it.
    pub access: Access,
    /// Elements of a binding array; 1 for a single one.
    pub count: u32,
    /// Least size of a buffer in bytes.
    pub size: u32,
    /// Slot of the family.
    pub slot: u32,
    /// The shape of a texture, storage texture or sampler.
    pub shape: Shape,
    /// Members of a buffer, where the container has them.
    pub members: Vec<Member>,
    /// Bytes of a buffer that the program touches, where the container says so.
    pub range: Option<Touched>,
}

/// Bytes of a buffer, within its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Offset of the first byte.
    pub first: u32,
    /// The one behind the last; nothing where an index decides.
    pub end: Option<u32>,
}

/// The immediate data of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Immediates {
    /// Name in the source, where the container has it.
    pub name: Option<String>,
    /// Bytes of the block.
    pub size: u32,
    /// Slot of the family.
    pub slot: u32,
    /// Numbers of the words that are preloaded by themselves, ascending.
    pub words: Vec<u32>,
    /// Whether the program reads the block in memory, through an address or a descriptor that is preloaded. On Tesla the slot names a
    /// constant space that holds it, and nothing is preloaded.
    pub in_memory: bool,
    /// Members of the block, where the container has them.
    pub members: Vec<Member>,
    /// Bytes of the block that the program reads, those that are preloaded by themselves among them.
    pub range: Option<Touched>,
}

/// A place of the hardware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the file.
    pub file: u8,
    /// Number of the register or slot.
    pub index: u16,
    /// Component inside of it.
    pub lane: u8,
    /// Its name in the family: `$r3`, `param0.x`.
    pub name: String,
}

/// A value that is in place before the first instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Where it must be.
    pub place: Place,
    /// Whether the place is in a uniform file, which a draw or dispatch fills once; other files are filled for each subgroup or invocation.
    pub is_uniform: bool,
    /// Where the value comes from.
    pub source: Source,
    /// The same in words.
    pub meaning: String,
}

/// A computation of the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computed {
    /// Operation, and where its operands come from.
    pub step: LaunchStep,
    /// The same in words.
    pub meaning: String,
}

/// An input or output, as the source and as the hardware have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Name in the source, where the container has it and the source has one.
    pub name: Option<String>,
    /// The kind, with its number.
    pub at: IoPlace,
    /// Components, a bit each.
    pub components: u8,
    /// Whether they are integers.
    pub is_integer: bool,
    /// How it changes between vertices. Only varyings of fragment programs are interpolated.
    pub interpolation: Interpolation,
    /// Where in a pixel it is taken, of varyings.
    pub sampling: Sampling,
    /// How its components lie in words.
    pub packing: Packing,
    /// Where the first component is.
    pub place: Place,
}

/// Facts about a program that decide fixed-function state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// It may discard fragments.
    pub discard: bool,
    /// It gives a depth.
    pub depth: bool,
    /// The promise about that depth.
    pub depth_layout: DepthLayout,
    /// It gives a mask of samples.
    pub sample_mask: bool,
    /// It runs once for each sample.
    pub sample_shading: bool,
    /// It demands that depth and stencil are tested before it; without that the driver decides by the other facts.
    pub early_tests: bool,
    /// It writes memory that others see.
    pub side_effects: bool,
    /// It needs whole quads, so helper invocations.
    pub helpers: bool,
    /// Whether the program has barriers.
    pub barriers: bool,
    /// It reads what pixels of colour targets hold.
    pub reads_targets: bool,
    /// It was compiled with subnormal f32 kept.
    pub keeps_denorms: bool,
    /// It was compiled on the promise that all accesses are in bounds.
    pub trusted: bool,
}

/// A word of the family in the metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its name, or its number.
    pub name: String,
    /// Value of the word.
    pub value: u32,
}

/// A hardware register that a program wants set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Space of registers, numbered by the family.
    pub space: u16,
    /// Number or address in the space.
    pub register: u32,
    /// Its name in the family's headers, or its number.
    pub name: String,
    /// Values of the bits in `mask`.
    pub value: u32,
    /// Bits that count; the others are the driver's.
    pub mask: u32,
}

impl Reflection {
    /// The facts of a container.
    pub fn of(container: &Container) -> Reflection {
        let names = names_of(&container.family);
        let entries = container.entries.iter().enumerate();
        Reflection {
            family: container.family.clone(),
            generation: container.generation.clone(),
            compiler: container.compiler,
            options_hash: container.options_hash,
            programs: entries.flat_map(|(n, e)| programs(n, e, &container.family, names.as_ref())).collect(),
        }
    }

    /// The first program of an entry.
    pub fn program(&self, entry: &str) -> Option<&Program> {
        self.programs.iter().find(|p| p.entry == entry)
    }
}

impl Artifact {
    /// The facts of the container, and what only the compiler knows: [`Occupancy::limited_by`].
    pub fn reflection(&self) -> Reflection {
        let mut all = Reflection::of(self.container());
        for p in &mut all.programs {
            let limiter = self.outputs().get(p.entry_index).map(|o| o.limiter).filter(|l| !l.is_empty());
            if let Some(o) = &mut p.occupancy {
                o.limited_by = limiter;
            }
        }
        all
    }
}

/// The names of a family, where this build has its back end.
pub fn names_of(family: &str) -> Option<Names> {
    backends().iter().find(|b| b.family() == family).map(|b| b.names())
}

/// The name of a file of registers.
pub fn file_name(names: Option<&Names>, file: u8) -> String {
    names.and_then(|n| (n.file)(file)).map_or_else(|| format!("file {file}"), String::from)
}

/// The name of a hardware register.
pub fn register_name(names: Option<&Names>, space: u16, register: u32) -> String {
    let name = names.and_then(|n| (n.register)(space, register));
    name.unwrap_or_else(|| format!("register {register:#x} of space {space}"))
}

/// The name of a word of the family of a program of such a stage.
pub fn word_name(names: Option<&Names>, number: usize, stage: Stage) -> String {
    names.and_then(|n| (n.word)(number, stage.bit())).unwrap_or_else(|| format!("word {number}"))
}

fn place(names: Option<&Names>, at: (u8, u16, u8)) -> Place {
    Place { file: at.0, index: at.1, lane: at.2, name: legend::place(names, at) }
}

/// The programs of an entry.
fn programs(entry_index: usize, e: &Entry, family: &str, names: Option<&Names>) -> Vec<Program> {
    let whole = ((0, e.code.len() as u32), (0, e.data.len() as u32));
    let places = e.programs.iter().map(|p| ((p.offset, p.size), p.data));
    let places: Vec<_> = if e.programs.is_empty() { vec![whole] } else { places.collect() };
    let parts = e.parts().into_iter().zip(places);
    parts.map(|((role, part), at)| program((entry_index, family), e, (role, part), at, names)).collect()
}

fn program(
    (entry_index, family): (usize, &str),
    e: &Entry,
    (role, part): (ProgramRole, Cow<'_, Entry>),
    (code, constant_data): ((u32, u32), (u32, u32)),
    names: Option<&Names>,
) -> Program {
    let stat = |name: &str| e.stats.iter().find(|s| s.0 == name).map(|s| s.1);
    let occupancy = ["waves", "threads"].into_iter().find_map(|unit| Some((unit, stat(unit)?)));
    let meta = &part.meta;
    let loaded = |p: &Preload| Loaded {
        place: place(names, (p.file, p.index, p.lane)),
        is_uniform: p.file >= UNIFORM_FILE,
        source: p.source,
        meaning: legend::source_text(&part, p.source, names),
    };
    let computed = |step: &LaunchStep| Computed { step: step.clone(), meaning: legend::step_text(&part, step, names) };
    let slots = |output: bool| {
        let rows = e.interface.iter().enumerate().filter(move |(_, r)| r.output == output);
        rows.map(|(n, r)| slot(e, n, r, names)).collect()
    };
    Program {
        entry_index,
        entry: e.name.clone(),
        stage: e.stage,
        role,
        code,
        padded_code_bytes: padded(family, code.1),
        constant_data,
        registers: meta
            .registers
            .iter()
            .map(|&(file, count)| Registers { file, name: file_name(names, file), count })
            .collect(),
        spills: stat("spills"),
        reloads: stat("reloads"),
        statistics: e.stats.clone(),
        shared_bytes: meta.shared_bytes,
        scratch_bytes: meta.scratch_bytes,
        workgroup_size: meta.workgroup_size,
        subgroup_size: meta.subgroup_size,
        occupancy: occupancy.map(|(unit, count)| Occupancy { unit, count, limited_by: None }),
        bindings: bindings(e),
        immediates: immediates(&part),
        preloads: part.preloads.iter().map(loaded).collect(),
        steps: part.steps.iter().map(computed).collect(),
        inputs: slots(false),
        outputs: slots(true),
        uses: uses(e),
        reads: e.facts.as_ref().map_or_else(Vec::new, |f| f.reads.clone()),
        words: meta
            .family_words
            .iter()
            .enumerate()
            .map(|(n, &value)| Word { name: word_name(names, n, e.stage), value })
            .collect(),
        state: e
            .state
            .iter()
            .map(|w| State {
                space: w.space,
                register: w.register,
                name: register_name(names, w.space, w.register),
                value: w.value,
                mask: w.mask,
            })
            .collect(),
        pipeline: e.pipeline.clone(),
    }
}

/// Bytes of code with what the family's driver puts behind it; of a family that this build lacks, the code alone.
fn padded(family: &str, code: u32) -> u32 {
    let found = backends().iter().find(|b| b.family() == family);
    found.map_or(code, |b| (b.driver_facts().padded)(code))
}

/// The name of a resource in the source.
fn name_of(e: &Entry, row: usize) -> Option<String> {
    e.names.iter().find(|n| n.0 as usize == row).map(|n| n.1.clone())
}

/// Members of a buffer.
fn members(e: &Entry, row: usize) -> Vec<Member> {
    let all = e.facts.iter().flat_map(|f| &f.members);
    all.filter(|m| m.resource as usize == row).cloned().collect()
}

/// Bytes of a buffer that the code touches.
fn range(e: &Entry, row: usize) -> Option<Touched> {
    let &(_, first, end) = e.facts.as_ref()?.ranges.iter().find(|r| r.0 as usize == row)?;
    Some(Touched { first, end: (end != u32::MAX).then_some(end) })
}

fn bindings(e: &Entry) -> Vec<Binding> {
    let rows = e.resources.iter().enumerate().filter(|(_, r)| r.kind != ResourceKind::Immediates);
    let one = |(n, r): (usize, &Resource)| {
        // Elements of arrays of buffers have rows of their own.
        let element = if r.kind.is_buffer() { r.binding >> 16 } else { 0 };
        Binding {
            name: name_of(e, n),
            group: r.group,
            binding: r.binding - (element << 16),
            element,
            kind: r.kind,
            access: r.access,
            count: r.count,
            size: r.min_size,
            slot: r.slot,
            shape: r.shape,
            members: members(e, n),
            range: range(e, n),
        }
    };
    rows.map(one).collect()
}

/// The immediate data of a program.
fn immediates(e: &Entry) -> Option<Immediates> {
    let (n, r) = e.resources.iter().enumerate().find(|(_, r)| r.kind == ResourceKind::Immediates)?;
    let at = (r.group, r.binding);
    let word = |s| if let Source::Immediate(word) = s { Some(word) } else { None };
    let mut words: Vec<u32> = e.sources().filter_map(word).collect();
    words.sort_unstable();
    words.dedup();
    let in_memory = e.sources().any(|s| match s {
        Source::BufferAddressLo { group, binding } | Source::DescriptorWord { group, binding, .. } => {
            (group, binding) == at
        }
        _ => false,
    });
    Some(Immediates {
        name: name_of(e, n),
        size: r.min_size,
        slot: r.slot,
        words,
        in_memory,
        members: members(e, n),
        range: range(e, n),
    })
}

fn slot(e: &Entry, n: usize, r: &InterfaceRow, names: Option<&Names>) -> Slot {
    let slots = e.facts.iter().flat_map(|f| &f.slots);
    Slot {
        name: slots.filter(|s| s.0 as usize == n).map(|s| s.1.clone()).next(),
        at: r.at,
        components: r.components,
        is_integer: r.integer,
        interpolation: r.interpolation,
        sampling: r.sampling,
        packing: r.packing,
        place: place(names, (r.file, r.index, r.lane)),
    }
}

fn uses(e: &Entry) -> Uses {
    let flag = |bit: u32| e.meta.flags & bit != 0;
    Uses {
        discard: flag(flags::DISCARD),
        depth: flag(flags::WRITES_DEPTH),
        depth_layout: e.facts.as_ref().map_or(DepthLayout::Any, |f| f.depth),
        sample_mask: e.interface.iter().any(|r| r.output && r.at == IoPlace::SampleMask),
        sample_shading: flag(flags::SAMPLE_SHADING),
        early_tests: flag(flags::EARLY_DEPTH),
        side_effects: flag(flags::WRITES_MEMORY),
        helpers: flag(flags::DERIVATIVES),
        barriers: flag(flags::BARRIERS),
        reads_targets: flag(flags::READS_TARGETS),
        keeps_denorms: flag(flags::DENORM32),
        trusted: flag(flags::TRUSTED),
    }
}

/// How many of each kind of thing a program uses, elements of arrays counted one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of uniform buffers.
    pub uniform_buffers: u32,
    /// Number of storage buffers.
    pub storage_buffers: u32,
    /// Number of sampled textures.
    pub textures: u32,
    /// Number of storage textures.
    pub storage_textures: u32,
    /// Number of samplers, comparing ones too.
    pub samplers: u32,
    /// Locations of vertex attributes, or of varyings that are read.
    pub inputs: u32,
    /// Locations of varyings that are given, or of colours.
    pub outputs: u32,
    /// Preloaded words of uniform files.
    pub uniform_words: u32,
}

/// The number of a location.
fn location(s: &Slot) -> Option<u8> {
    if let IoPlace::Location { number, blend_src: 0 } = s.at { Some(number) } else { None }
}

/// A bit for each location of some slots.
fn mask<'a>(slots: impl Iterator<Item = &'a Slot>) -> u64 {
    slots.filter_map(location).fold(0, |m, n| m | 1u64.checked_shl(n.into()).unwrap_or(0))
}

impl Program {
    /// The counts of what it uses.
    pub fn counts(&self) -> Counts {
        let of = |kind| self.bindings.iter().filter(|b| b.kind == kind).map(|b| b.count.max(1)).sum();
        Counts {
            uniform_buffers: of(ResourceKind::Uniform),
            storage_buffers: of(ResourceKind::Storage),
            textures: of(ResourceKind::Texture),
            storage_textures: of(ResourceKind::StorageTexture),
            samplers: of(ResourceKind::Sampler),
            inputs: self.input_mask().count_ones(),
            outputs: self.output_mask().count_ones(),
            uniform_words: self.preloads.iter().filter(|p| p.is_uniform).count() as u32,
        }
    }

    /// A bit for each location that it reads.
    pub fn input_mask(&self) -> u64 {
        mask(self.inputs.iter())
    }

    /// A bit for each location that it gives.
    pub fn output_mask(&self) -> u64 {
        mask(self.outputs.iter())
    }

    /// A bit for each location that it reads flat.
    pub fn flat_mask(&self) -> u64 {
        mask(self.inputs.iter().filter(|s| s.interpolation == Interpolation::Flat))
    }

    /// A bit for each location whose components travel as pairs of 16 bits.
    pub fn packed_mask(&self) -> u64 {
        mask(self.inputs.iter().filter(|s| s.packing != Packing::None))
    }

    /// A bit for each clip distance that it gives.
    pub fn clip_mask(&self) -> u8 {
        let number = |s: &Slot| if let IoPlace::ClipDistance(n) = s.at { Some(n) } else { None };
        self.outputs.iter().filter_map(number).fold(0, |m, n| m | 1u8.checked_shl(n.into()).unwrap_or(0))
    }

    /// A bit for each bind group that it uses.
    pub fn group_mask(&self) -> u32 {
        self.bindings.iter().fold(0, |m, b| m | 1u32.checked_shl(b.group).unwrap_or(0))
    }

    /// A bit for each slot below 64 of sampled textures that it uses, elements of arrays among them.
    pub fn texture_mask(&self) -> u64 {
        self.slot_mask(ResourceKind::Texture)
    }

    /// A bit for each slot below 64 of samplers that it uses, elements of arrays among them.
    pub fn sampler_mask(&self) -> u64 {
        self.slot_mask(ResourceKind::Sampler)
    }

    fn slot_mask(&self, kind: ResourceKind) -> u64 {
        let of = self.bindings.iter().filter(|b| b.kind == kind);
        let slots = of.flat_map(|b| (0..b.count.clamp(1, 64)).filter_map(|k| b.slot.checked_add(k)));
        slots.fold(0, |m, n| m | 1u64.checked_shl(n).unwrap_or(0))
    }

    /// Barriers of a workgroup that hardware must keep: 1 where the code has some, since all of them are one.
    pub fn barrier_count(&self) -> u32 {
        self.uses.barriers.into()
    }

    /// Whether the code reads one of the values of a launch, by name.
    pub fn reads_value(&self, name: &str) -> bool {
        self.reads.iter().any(|r| r == name)
    }

    /// Whether hardware may put workgroups together: nothing in a compute program shows where one ends.
    pub fn may_merge_workgroups(&self) -> bool {
        self.stage == Stage::Compute && !self.uses.barriers && self.shared_bytes == 0
    }
}

/// A value that goes from a vertex to a fragment program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Varying {
    /// Location of the value in both programs.
    pub location: u8,
    /// Place in the outputs of the vertex program; nothing where it does not give the location.
    pub output: Option<usize>,
    /// Place in the inputs of the fragment program; nothing where it does not read the location.
    pub input: Option<usize>,
    /// Components that are given and nobody reads, a bit each.
    pub unread: u8,
    /// Components that are read and nobody gives, a bit each.
    pub missing: u8,
}

/// The locations between two programs, upwards: each that one of them has. A vertex program that was compiled for itself may give more than is read.
pub fn varyings(vertex: &Program, fragment: &Program) -> Vec<Varying> {
    let all = vertex.output_mask() | fragment.input_mask();
    let at = |slots: &[Slot], n: u8| slots.iter().position(|s| location(s) == Some(n));
    let components =
        |slots: &[Slot], n: u8| slots.iter().filter(|s| location(s) == Some(n)).fold(0, |m, s| m | s.components);
    let one = |location: u8| {
        let (given, read) = (components(&vertex.outputs, location), components(&fragment.inputs, location));
        Varying {
            location,
            output: at(&vertex.outputs, location),
            input: at(&fragment.inputs, location),
            unread: given & !read,
            missing: read & !given,
        }
    };
    (0..64).filter(|n| all >> n & 1 != 0).map(one).collect()
}
