//! Makes groups of invocations with their first registers of a container and a dispatch (`docs/abi-vivante.md`).

use gpucc_container::{Container, Entry, Source, Stage, UNIFORM_FILE};
use gpucc_isa::{Isa, fail_if};
use gpucc_sim::{
    AddressSpace, AllocId, At, Core, Device, Dispatch, Limits, Machine, Memory, OwnMemory, RaceCheck, RunOptions,
    RunReport, RunState, Simulator, SplitMix64, Trap,
    trap::{bad_container, bad_dispatch},
};

use super::decode::DecodedProgram;
use super::memory::{self, DeviceMemory};
use super::sampler::{UNIT_WORDS, Unit};
use super::steps;
use super::subgroup::Group;
use crate::abi::{
    DRAW_HEADER, DRAW_SLOTS, FILE_TEMP, FILE_UNIFORM, FILE_UNIT, FamilyWords, MAX_INVOCATIONS, MOST_DRAW_SCRATCH,
    MOST_SCRATCH, MOST_SHARED, shared_mode,
};
use crate::validate::{INSTRUCTIONS, LOCAL_BYTES, TEMPS, UNIFORMS};
use crate::{GC2000, GC7000, Vivante};

/// Texture units that instructions can name.
pub(crate) const UNITS: usize = 32;

/// Invocations that are executed together: a property of this simulator alone, nothing of it shows.
pub const LANES: usize = 16;

pub(crate) const LIMITS: Limits = Limits {
    family: Vivante::NAME,
    generations: Vivante::GENERATIONS,
    invocations: MAX_INVOCATIONS,
    workgroups: 0xffff,
};

/// The registers that lanes read and never write.
pub(crate) struct LaunchState {
    pub program: DecodedProgram,
    /// Values of uniform words, and which of them the container defines.
    pub uniforms: Vec<u32>,
    pub defined: Vec<bool>,
    pub temps: usize,
    pub generation: u8,
    /// Whether it is a fragment program.
    pub fragment: bool,
    /// Texture units that are set up, by number.
    pub units: Vec<Option<Unit>>,
    pub seed: Option<u64>,
}

/// A shader core.
pub(crate) type Run = Core<DeviceMemory>;

gpucc_sim::run_alone!(run_on);

/// As [`run`], with what a driver part prepared.
///
/// # Errors
/// As [`run`].
pub fn run_on(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    device: &mut Device,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let common = gpucc_sim::Launch::on(&LIMITS, container, entry, dispatch, device, options)?;
    let gpucc_sim::Launch { entry, generation, .. } = common;
    let meta = &entry.meta;
    let local = FamilyWords::of(meta).shared_mode == shared_mode::LOCAL;
    if local && meta.shared_bytes > LOCAL_BYTES[generation as usize] {
        return Err(bad_container(format!("{} bytes of LOCAL storage do not fit the chip", meta.shared_bytes)));
    }
    if meta.shared_bytes > MOST_SHARED || meta.scratch_bytes > MOST_SCRATCH {
        return Err(bad_container(format!(
            "{} bytes of workgroup memory and {} of scratch: at most {MOST_SHARED} and {MOST_SCRATCH} are possible",
            meta.shared_bytes, meta.scratch_bytes
        )));
    }
    let temps = usize::from(meta.registers_of(FILE_TEMP));
    let uniform_count = usize::from(meta.registers_of(FILE_UNIFORM));
    fail_if!(temps > TEMPS as usize, bad_container(format!("{temps} temporaries, the chip has {TEMPS}")));
    if uniform_count > UNIFORMS[generation as usize] as usize {
        return Err(bad_container(format!(
            "{uniform_count} uniform registers, the chip has {}",
            UNIFORMS[generation as usize]
        )));
    }
    let program = DecodedProgram::new(&entry.code, (generation, entry.stage.bit()), temps, uniform_count)?;
    if program.insts.len() > INSTRUCTIONS[generation as usize] as usize {
        return Err(bad_container(format!("{} instructions do not fit the chip", program.insts.len())));
    }

    let space = memory_of(&common, dispatch, device)?;
    let (uniforms, defined) = uniform_words(&common, entry, At::Dispatch, dispatch, &space, uniform_count)?;
    let ids = id_preloads(entry)?;
    let table = device.table(UNIT_TABLE).unwrap_or(0);
    let units = texture_units(entry, generation, &space, table as u32)?;
    let launch =
        LaunchState { program, uniforms, defined, temps, generation, fragment: false, units, seed: options.perturb };
    let run = Core::new(space, options);
    let mut dispatched = Dispatched {
        launch: &launch,
        run,
        garbage: options.perturb.map(|s| SplitMix64::new(s ^ 0x7669_7661)),
        ids,
        common: &common,
        total: meta.invocations() as u32,
        grid: dispatch.grid,
    };
    dispatched.run.world.begin(dispatched.garbage.as_mut());
    common.run_on(dispatched, dispatch, device)
}

/// A launch under way.
struct Dispatched<'a> {
    launch: &'a LaunchState,
    run: Run,
    garbage: Option<SplitMix64>,
    ids: Vec<(u16, u8, Source)>,
    common: &'a gpucc_sim::Launch<'a>,
    /// Invocations of a workgroup.
    total: u32,
    grid: [u32; 3],
}

impl Machine for Dispatched<'_> {
    type Subgroup = Group;

    fn start(&mut self, slot: usize, _: u64, id: [u32; 3], groups: &mut Vec<Group>) -> Result<(), Trap> {
        self.run.world.start(slot, id, self.grid, self.garbage.as_mut());
        if groups.is_empty() {
            let firsts = (0..self.total).step_by(LANES);
            groups.extend(firsts.map(|first| Group::new(first, self.launch.temps)));
        }
        for g in groups.iter_mut() {
            g.start(self.launch, self.total, self.garbage.as_mut());
            for (reg, lane, source) in &self.ids {
                g.preload(*reg, *lane, |index| self.common.value(*source, At::Invocation(id, index), |_| Ok(0)))?;
            }
        }
        self.run.counts.report.subgroups += groups.len() as u64;
        Ok(())
    }

    fn enter(&mut self, slot: usize) {
        self.run.world.enter(slot);
    }

    fn run(&mut self, group: &mut Group, time_slice: u32) -> Result<RunState, Trap> {
        group.run(self.launch, &mut self.run, time_slice)
    }

    fn passed_barrier(&mut self) {
        self.run.world.races.barrier();
    }
}

impl Simulator for Dispatched<'_> {
    type World = DeviceMemory;

    fn core(&mut self) -> &mut Run {
        &mut self.run
    }

    fn races(&mut self) -> &mut RaceCheck {
        &mut self.run.world.races
    }

    fn twin(&self) -> Self {
        Dispatched { run: self.run.beside(), garbage: self.garbage.clone(), ids: self.ids.clone(), ..*self }
    }

    fn text(&self, pc: u64) -> String {
        self.launch.program.text(pc as u32 / crate::BYTES as u32)
    }
}

/// Places buffers, workgroup memory, scratch and constants at addresses.
fn memory_of(common: &gpucc_sim::Launch<'_>, dispatch: &Dispatch, device: &Device) -> Result<DeviceMemory, Trap> {
    let mut addresses = AddressSpace::new32(common.options.perturb);
    let (mut memory, mut races, _) = common.memory_in(dispatch, device, &mut addresses)?;
    let entry = common.entry;
    let data = constants(entry, &mut memory, &mut addresses)?;
    let groups = dispatch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
    let meta = &entry.meta;
    let local = FamilyWords::of(meta).shared_mode == shared_mode::LOCAL;
    let mut slice = |name: &str, bytes: u64, everywhere: bool| -> Result<Option<memory::Slice>, Trap> {
        if bytes == 0 {
            return Ok(None);
        }
        // The address space is asked before memory is taken.
        let base = if everywhere {
            let id = AllocId(memory.count() as u32);
            let full = || {
                let message =
                    format!("{bytes} bytes of {name} for each of {groups} workgroups do not fit the address space");
                bad_dispatch(message)
            };
            let whole = bytes.checked_mul(groups.max(1)).ok_or_else(full)?;
            addresses.place(id, whole, 256).map_err(|_| full())?
        } else {
            0
        };
        let id = memory.alloc_undefined(name, bytes as usize, None);
        Ok(Some(memory::Slice { id, base, bytes, start: 0 }))
    };
    let shared = slice("workgroup memory", u64::from(meta.shared_bytes), !local)?;
    let scratch = slice("scratch", u64::from(meta.scratch_bytes) * meta.invocations(), true)?;
    if let Some(s) = &shared {
        races.watch(s.id, s.bytes, "workgroup memory", gpucc_sim::WORKGROUP);
    }
    let own = OwnMemory::new([&shared, &scratch].into_iter().flatten().map(|s| s.id).collect());
    let indices = Vec::new();
    Ok(DeviceMemory { memory, addresses, data, shared, shared_is_local: local, scratch, races, own, indices })
}

/// Places the memory of the invocations of a stage of a draw, if they have some: nobody has a piece yet.
pub(crate) fn pieces(
    entry: &Entry,
    memory: &mut Memory,
    addresses: &mut AddressSpace,
    seed: Option<u64>,
) -> Result<Option<memory::Slice>, Trap> {
    let each = entry.meta.scratch_bytes;
    if each == 0 {
        return Ok(None);
    }
    if each > MOST_DRAW_SCRATCH {
        let what = format!("{each} bytes of scratch in a draw: at most {MOST_DRAW_SCRATCH} are possible");
        return Err(bad_container(what));
    }
    let bytes = u64::from(DRAW_HEADER) + u64::from(DRAW_SLOTS) * u64::from(each);
    let id = memory.alloc_undefined("memory of invocations", bytes as usize, seed.map(SplitMix64::new).as_mut());
    memory.store_bytes(id, 0, &[0; DRAW_HEADER as usize])?;
    let base = addresses.place(id, bytes, 256)?;
    Ok(Some(memory::Slice { id, base, bytes, start: 0 }))
}

/// Places the constant bytes of a program, if it has some.
pub(crate) fn constants(
    entry: &Entry,
    memory: &mut Memory,
    addresses: &mut AddressSpace,
) -> Result<Option<AllocId>, Trap> {
    if entry.data.is_empty() {
        return Ok(None);
    }
    let id = memory.alloc("constants", entry.data.clone(), false);
    addresses.place(id, entry.data.len() as u64, 256)?;
    Ok(Some(id))
}

pub(crate) fn uniform_words(
    common: &gpucc_sim::Launch<'_>,
    entry: &Entry,
    at_launch: At<'_>,
    dispatch: &Dispatch,
    space: &DeviceMemory,
    count: usize,
) -> Result<(Vec<u32>, Vec<bool>), Trap> {
    let mut words = vec![0; count * 4];
    let mut defined = vec![false; count * 4];
    let value = |done: &[u32], source| {
        common.value(source, at_launch, |source| own_word(common, dispatch, space, done, source))
    };
    let done = steps::results(&entry.steps, value)?;
    for p in entry.preloads.iter().filter(|p| p.file >= UNIFORM_FILE) {
        let at = usize::from(p.index) * 4 + usize::from(p.lane);
        if p.file != FILE_UNIFORM || p.lane > 3 || at >= words.len() {
            return Err(bad_container(format!("preload of u{}, component {}, beyond the uniforms", p.index, p.lane)));
        }
        words[at] = value(&done, p.source)?;
        defined[at] = true;
    }
    Ok((words, defined))
}

/// A word of the family's own; `done` are the results of steps.
fn own_word(
    common: &gpucc_sim::Launch<'_>,
    dispatch: &Dispatch,
    space: &DeviceMemory,
    done: &[u32],
    source: Source,
) -> Result<u32, Trap> {
    Ok(match source {
        Source::BufferAddressLo { group, binding } => {
            space.addresses.base_of(common.buffer(group, binding)?.id).unwrap_or(0) as u32
        }
        Source::DescriptorWord { group, binding, word } => {
            let b = common.buffer(group, binding)?;
            if b.writable {
                return Err(bad_container(format!(
                    "word {word} of group {group} binding {binding} could change in the run"
                )));
            }
            let at = usize::from(word) * 4;
            let b = dispatch.buffers[b.place].bytes.get(at..at + 4).ok_or_else(|| {
                let what = format!("group {group} binding {binding} is too short: word {word} is missing");
                bad_dispatch(what)
            })?;
            u32::from_le_bytes([b[0], b[1], b[2], b[3]])
        }
        Source::Step(n) => {
            let found = done.get(n as usize).copied();
            found.ok_or_else(|| bad_container(format!("step {n} of the launch is not done yet")))?
        }
        Source::SharedBase => space.shared.as_ref().map_or(0, |s| s.base as u32),
        Source::ScratchBase => space.scratch.as_ref().map_or(0, |s| s.base as u32),
        Source::DataAddressLo => space.data.and_then(|id| space.addresses.base_of(id)).unwrap_or(0) as u32,
        other => return Err(bad_container(format!("a uniform cannot hold {other:?}"))),
    })
}

/// The number under which the driver part gives the table of texture units.
pub(crate) const UNIT_TABLE: u32 = 0;

/// The texture units that the container names, as they are set up in memory.
pub(crate) fn texture_units(
    entry: &Entry,
    generation: u8,
    space: &DeviceMemory,
    table: u32,
) -> Result<Vec<Option<Unit>>, Trap> {
    let mut units: Vec<Option<Unit>> = vec![None; UNITS];
    let most = UNITS_OF[generation as usize];
    for p in entry.preloads.iter().filter(|p| p.file == FILE_UNIT) {
        let at = usize::from(p.index);
        if p.lane > 1 || at >= UNITS {
            return Err(bad_container(format!("preload of texture unit {at}, word {}, from {:?}", p.lane, p.source)));
        }
        let (first, count) = most[usize::from(entry.stage == Stage::Vertex)];
        if !(first..first + count).contains(&at) {
            return Err(bad_container(format!(
                "texture unit {at} is not one of this stage's, {first} to {}",
                first + count - 1
            )));
        }
        if units[at].is_some() {
            continue;
        }
        let words: [u32; UNIT_WORDS] = space.words(table.wrapping_add((at * 4 * UNIT_WORDS) as u32))?;
        units[at] = Some(if generation == GC7000 {
            Unit::from_descriptor(words, space.words(words[0])?)?
        } else {
            Unit::from_state(words, generation != GC2000)?
        });
    }
    Ok(units)
}

/// First unit and number of them, of fragment and compute programs and of vertex programs.
const UNITS_OF: [[(usize, usize); 2]; 3] = [[(0, 8), (8, 4)], [(0, 16), (16, 16)], [(0, 16), (16, 16)]];

/// The id vectors that the thread walker writes: t0 and t1, one of its six pairs (10.5).
fn id_preloads(entry: &Entry) -> Result<Vec<(u16, u8, Source)>, Trap> {
    let mut kinds: [Option<u8>; 2] = [None; 2];
    let mut out = Vec::new();
    for p in entry.preloads.iter().filter(|p| p.file < UNIFORM_FILE && p.file != FILE_UNIT) {
        let (kind, dim) = match p.source {
            Source::LocalId(d) => (0, d),
            Source::WorkgroupId(d) => (1, d),
            Source::GlobalId(d) => (2, d),
            other => return Err(bad_container(format!("the thread walker cannot preload {other:?}"))),
        };
        if p.file != FILE_TEMP || p.index > 1 || dim > 2 || u16::from(p.lane) != dim {
            return Err(bad_container(format!(
                "the thread walker writes t0.xyz and t1.xyz, not t{} component {}",
                p.index, p.lane
            )));
        }
        let known = kinds[usize::from(p.index)].get_or_insert(kind);
        fail_if!(*known != kind, bad_container(format!("t{} cannot hold parts of two id vectors", p.index)));
        if p.index >= entry.meta.registers_of(FILE_TEMP) {
            return Err(bad_container(format!("t{} is preloaded but not claimed", p.index)));
        }
        out.push((p.index, p.lane, p.source));
    }
    if kinds[0].is_some() && kinds[0] == kinds[1] {
        return Err(bad_container("t0 and t1 hold the same id vector: the thread walker has no such order"));
    }
    Ok(out)
}
