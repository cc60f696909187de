//! Makes warps with their first registers of a container and a dispatch (`docs/abi-valhall.md`).

use gpucc_container::{Container, Meta, Preload, Resource, ResourceKind, Source, Stage, UNIFORM_FILE};
use gpucc_isa::Isa;
use gpucc_num::Mode;
use gpucc_sim::{
    AddressSpace, At, Core, Device, Dispatch, Limits, Machine, Memory, OwnMemory, RaceCheck, Rules, RunOptions,
    RunReport, RunState, Simulator, SplitMix64, Trap, local_id,
    trap::{bad_container, unsupported},
};

use super::decode::{Environment, merges, predecode};
use super::descriptor::DESCRIPTOR;
use super::memory::{DeviceMemory, Scratch};
use super::stage::StageContext;
use super::step::{Program, Unit, slice, text_at};
use super::subgroup::{LANES, Warp};
use super::tables::{MOST_TABLES, TABLE, Tables, buffer_descriptor, table_entry};
use crate::{Valhall, abi};

/// File code of the general registers in a container.
pub const REGISTER_FILE: u8 = abi::FILE_REGISTER;

pub(super) const LIMITS: Limits =
    Limits { family: Valhall::NAME, generations: Valhall::GENERATIONS, invocations: 1024, workgroups: u32::MAX };

/// Most bytes of workgroup memory, as drivers for these parts offer.
const MOST_SHARED: u32 = 32 << 10;

/// Most bytes of private memory of an invocation: a bound of this machine, so that a container cannot exhaust it.
pub(super) const MOST_SCRATCH: u32 = 64 << 10;

/// Highest bind group: tables are numbered from 1 up, and 60 up have other uses (section 8.3).
pub const MOST_GROUP: u32 = MOST_TABLES - 2;

/// Most descriptors in a table: a bound of this machine.
const MOST_SLOTS: u32 = 1 << 16;

gpucc_sim::run_alone!(run_on);

/// As [`run`], with what a driver part placed in memory: textures, tables of descriptors. Without tables of it the launch makes
/// those of the buffers.
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
    let (launch, core) = LaunchState::new(&common, dispatch, device)?;
    common.run_on(Run { launch: &launch, core }, dispatch, device)
}

/// The state that is the same for all workgroups.
struct LaunchState<'a> {
    common: &'a gpucc_sim::Launch<'a>,
    program: Program,
    shared: gpucc_sim::AllocId,
    mode: Mode,
}

impl<'a> LaunchState<'a> {
    fn new(common: &'a gpucc_sim::Launch<'a>, dispatch: &Dispatch, device: &Device) -> Result<(Self, Unit), Trap> {
        let gpucc_sim::Launch { entry, options, generation, .. } = *common;
        let meta = &entry.meta;
        let small_file = small_file(meta)?;
        if entry.code.is_empty() || !entry.code.len().is_multiple_of(8) {
            return Err(bad_container(format!("{} bytes of code are no whole instructions", entry.code.len())));
        }
        if meta.shared_bytes > MOST_SHARED || meta.scratch_bytes > MOST_SCRATCH {
            return Err(bad_container(format!(
                "{} bytes of workgroup memory and {} of private memory: at most {MOST_SHARED} and {MOST_SCRATCH} are possible",
                meta.shared_bytes, meta.scratch_bytes
            )));
        }
        let mode = mode(meta)?;
        let mut rng = options.perturb.map(SplitMix64::new);
        let (mut memory, mut races) = common.memory_on(dispatch, device);
        let mut space = AddressSpace::new64(options.perturb);
        check_resources(&entry.resources)?;
        for (address, id, size) in common.places(dispatch, device) {
            space.fix(id, address, size)?;
        }
        let code_id = memory.alloc("code", entry.code.clone(), false);
        let code_base = space.place(code_id, entry.code.len() as u64, 128)?;
        let data = memory.alloc("constants", entry.data.clone(), false);
        let data_base = space.place(data, entry.data.len() as u64, 16)?;
        let shared = memory.alloc_undefined("workgroup memory", meta.shared_bytes as usize, rng.as_mut());
        let shared_base = space.place(shared, u64::from(meta.shared_bytes), 4096)?;
        let scratch = if meta.scratch_bytes > 0 {
            let stride = u64::from(meta.scratch_bytes).next_multiple_of(16);
            let size = stride * meta.invocations().next_multiple_of(LANES as u64);
            let id = memory.alloc_undefined("private memory", size as usize, rng.as_mut());
            let base = space.place(id, size, 4096)?;
            Some(Scratch { id, base, stride, size: u64::from(meta.scratch_bytes) })
        } else {
            None
        };
        races.watch(shared, meta.shared_bytes.into(), "workgroup memory", gpucc_sim::WORKGROUP);
        let own = OwnMemory::new(core::iter::once(shared).chain(scratch.as_ref().map(|s| s.id)).collect());
        let bases = bases(common, &mut space)?;
        let pointer = match device.table(TABLES_OF) {
            Some(pointer) => pointer,
            None => tables(common, &bases, &mut memory, &mut space)?,
        };
        let tables = Tables::new(pointer, generation);
        let past = options.perturb.filter(|_| options.weak).map(|_| gpucc_sim::Past::default());
        let world = DeviceMemory { scratch, races, own, past, ..DeviceMemory::new(memory, space, tables) };
        let uniforms = uniforms(common, &entry.preloads, (Stage::Compute, At::Dispatch), (&bases, data_base))?;
        let env = Environment { uniforms, shared_base, code_base, small_file, tables: pointer, blend: None };
        // Constants behind the instructions are memory only.
        let code = predecode(common.instructions(), generation, common.entry.stage.bit(), &env);
        // Hardware lets lanes continue apart; our compiler does not.
        let merges = if options.rules == Rules::Conventions { merges(&code) } else { Vec::new() };
        let rules = options.rules;
        let program = Program { code, merges, bytes: entry.code.clone(), code_base, generation, rules, first: 0 };
        let mut core = Core::new(world, options);
        // Some of its numbers are memory already.
        core.seed = rng;
        Ok((LaunchState { common, program, shared, mode }, core))
    }

    /// The warps of one workgroup, with registers as the convention says.
    ///
    /// # Errors
    /// A preload without a value.
    fn warps(&self, cx: &mut Unit, id: [u32; 3], number: u64) -> Result<Vec<Warp>, Trap> {
        let meta = &self.common.entry.meta;
        let total = meta.invocations() as u32;
        let mut rng = cx.seed.as_ref().map(|r| r.fork(number));
        cx.world.memory.reset_undefined(self.shared, rng.as_mut());
        if let Some(s) = &cx.world.scratch {
            cx.world.memory.reset_undefined(s.id, rng.as_mut());
        }
        let mut warps = Vec::new();
        for number in 0..total.div_ceil(LANES as u32) {
            let first = number * LANES as u32;
            let live = (0..LANES as u32).filter(|l| first + l < total).fold(0u16, |m, l| m | 1 << l);
            let thread_base = match &cx.world.scratch {
                Some(s) => core::array::from_fn(|l| s.base + s.stride * (u64::from(first) + l as u64)),
                // Nothing lies there: an access traps.
                None => [0; LANES],
            };
            let mut w = Warp::new(number, live, thread_base, self.mode, rng.as_mut());
            w.agent = cx.world.agent(rng.as_ref());
            let local: [[u32; 3]; LANES] = core::array::from_fn(|l| local_id(first + l as u32, meta.workgroup_size));
            for p in self.common.entry.preloads.iter().filter(|p| p.file == REGISTER_FILE) {
                let bytes = match p.source {
                    Source::LocalId(_) => 0x3,
                    _ => 0xF,
                };
                let mut values = [0; LANES];
                for (l, value) in values.iter_mut().enumerate() {
                    let at = At::Invocation(id, first + l as u32);
                    *value = self.common.value(p.source, at, |_| Ok(local[l][0] | local[l][1] << 16))?;
                }
                w.preload(p.index as u8, bytes, values);
            }
            warps.push(w);
        }
        Ok(warps)
    }
}

/// The group under which a driver part names the table of tables.
pub(super) const TABLES_OF: u32 = 0;

/// Resources have handles, each its own.
fn check_resources(resources: &[Resource]) -> Result<(), Trap> {
    for (n, r) in resources.iter().enumerate().filter(|(_, r)| r.kind != ResourceKind::Immediates) {
        // Immediate data has an address and no handle.
        if r.group > MOST_GROUP || r.slot >= 1 << 24 {
            return Err(bad_container(format!("group {} slot {} has no handle", r.group, r.slot)));
        }
        let end = |r: &Resource| r.slot.saturating_add(r.count.max(1));
        if resources[..n].iter().any(|o| o.group == r.group && o.slot < end(r) && r.slot < end(o)) {
            return Err(bad_container(format!("group {} slot {} is listed twice", r.group, r.slot)));
        }
    }
    Ok(())
}

/// Addresses of the buffers, by their allocation: those that a driver part chose, or new ones.
fn bases(common: &gpucc_sim::Launch<'_>, space: &mut AddressSpace) -> Result<Vec<u64>, Trap> {
    let mut bases = Vec::new();
    for b in &common.buffers {
        bases.push(match space.base_of(b.id) {
            Some(base) => base,
            None => {
                // No allocation crosses 4 GiB: one that would gets a window of its own.
                let base = space.place(b.id, b.size, 256)?;
                if base >> 32 == (base + b.size) >> 32 { base } else { space.place(b.id, b.size, 1 << 32)? }
            }
        });
    }
    Ok(bases)
}

/// Whether a thread has 32 registers.
pub(super) fn small_file(meta: &Meta) -> Result<bool, Trap> {
    match meta.registers_of(REGISTER_FILE) {
        32 => Ok(true),
        64 => Ok(false),
        n => Err(bad_container(format!("{n} registers a thread: the hardware has modes for 32 and 64"))),
    }
}

/// How floats are computed.
pub(super) fn mode(meta: &Meta) -> Result<Mode, Trap> {
    match abi::FamilyWords::of(meta).flush {
        0 => Ok(Mode::IEEE),
        2 | 3 => Ok(Mode::FLUSH),
        n => Err(unsupported(format!("flush-to-zero mode {n} is not modelled"))),
    }
}

/// Whether the hardware loads a register of programs of a stage so.
fn is_preload(stage: Stage, index: u16, source: Source) -> bool {
    match stage {
        Stage::Compute => matches!(
            (index, source),
            (55, Source::Family(abi::LOCAL_ID))
                | (56, Source::LocalId(2))
                | (57, Source::WorkgroupId(0))
                | (58, Source::WorkgroupId(1))
                | (59, Source::WorkgroupId(2))
                | (60, Source::GlobalId(0))
                | (61, Source::GlobalId(1))
                | (62, Source::GlobalId(2))
        ),
        Stage::Vertex => matches!(
            (index, source),
            (59, Source::Family(abi::RECORD)) | (60, Source::Family(abi::VERTEX)) | (61, Source::InstanceIndex)
        ),
        Stage::Fragment => matches!(
            (index, source),
            (57, Source::Family(abi::PRIMITIVE))
                | (58, Source::Family(abi::FACING))
                | (59, Source::Family(abi::PIXEL))
                | (60, Source::Family(abi::COVERAGE))
                | (61, Source::Family(abi::SAMPLE))
                | (62, Source::Family(abi::LAYER))
        ),
    }
}

/// Words of the uniform file, and the check that register preloads are those that the hardware has.
pub(super) fn uniforms(
    common: &gpucc_sim::Launch<'_>,
    preloads: &[Preload],
    (stage, at): (Stage, At<'_>),
    (bases, data_base): (&[u64], u64),
) -> Result<[Option<u32>; 128], Trap> {
    let mut words = [None; 128];
    let address = |group, binding| Ok::<u64, Trap>(bases[common.buffer(group, binding)?.id.0 as usize]);
    for p in preloads {
        if p.file == REGISTER_FILE {
            if !is_preload(stage, p.index, p.source) || p.lane != 0 {
                return Err(bad_container(format!("the hardware does not preload r{} with {:?}", p.index, p.source)));
            }
            continue;
        }
        if p.file != UNIFORM_FILE || p.index >= 128 || p.lane != 0 {
            return Err(bad_container(format!("no place for a preload: file {:#x}, index {}", p.file, p.index)));
        }
        let value = common.value(p.source, at, |source| {
            Ok(match source {
                Source::BufferAddressLo { group, binding } => address(group, binding)? as u32,
                Source::BufferAddressHi { group, binding } => (address(group, binding)? >> 32) as u32,
                Source::DataAddressLo => data_base as u32,
                Source::DataAddressHi => (data_base >> 32) as u32,
                other => return Err(bad_container(format!("a uniform word cannot hold {other:?}"))),
            })
        })?;
        words[usize::from(p.index)] = Some(value);
    }
    Ok(words)
}

/// Writes the tables of a launch that no driver part prepared: a descriptor for each buffer. Gives the pointer to the table of tables.
fn tables(
    common: &gpucc_sim::Launch<'_>,
    bases: &[u64],
    memory: &mut Memory,
    space: &mut AddressSpace,
) -> Result<u64, Trap> {
    let all = || common.entry.resources.iter().filter(|r| r.kind.is_buffer() && r.kind != ResourceKind::Immediates);
    let count = all().map(|r| r.group + 2).max().unwrap_or(0);
    let mut directory = vec![0; TABLE as usize * count as usize];
    let mut groups: Vec<u32> = all().map(|r| r.group).collect();
    groups.sort_unstable();
    groups.dedup();
    let mut put = |name: String, bytes: Vec<u8>| {
        let size = bytes.len() as u64;
        let id = memory.alloc(name, bytes, false);
        space.place(id, size, 64)
    };
    for group in groups {
        let slots = all().filter(|r| r.group == group).map(|r| r.slot + 1).max().unwrap_or(0);
        if slots > MOST_SLOTS {
            let slot = slots - 1;
            return Err(bad_container(format!("slot {slot} in group {group}: at most {MOST_SLOTS} are possible")));
        }
        let mut bytes = vec![0; DESCRIPTOR as usize * slots as usize];
        for r in all().filter(|r| r.group == group) {
            let b = common.buffer(r.group, r.binding)?;
            let at = DESCRIPTOR as usize * r.slot as usize;
            bytes[at..at + DESCRIPTOR as usize].copy_from_slice(&buffer_descriptor(bases[b.id.0 as usize], b.size));
        }
        let size = bytes.len() as u64;
        let address = put(format!("descriptors of group {group}"), bytes)?;
        let at = (TABLE as u32 * (group + 1)) as usize;
        directory[at..at + TABLE as usize].copy_from_slice(&table_entry(address, size));
    }
    Ok(put("table of tables".into(), directory)? | u64::from(count))
}

/// A launch under way.
struct Run<'a> {
    launch: &'a LaunchState<'a>,
    core: Unit,
}

impl Machine for Run<'_> {
    type Subgroup = Warp;

    fn start(&mut self, slot: usize, number: u64, id: [u32; 3], warps: &mut Vec<Warp>) -> Result<(), Trap> {
        self.enter(slot);
        self.core.world.races.begin(slot, id);
        *warps = self.launch.warps(&mut self.core, id, number)?;
        self.core.counts.report.subgroups += warps.len() as u64;
        Ok(())
    }

    fn enter(&mut self, slot: usize) {
        let DeviceMemory { own, memory, races, .. } = &mut self.core.world;
        own.enter(slot, memory, races);
    }

    fn run(&mut self, warp: &mut Warp, time_slice: u32) -> Result<RunState, Trap> {
        slice(warp, time_slice, &self.launch.program, &mut self.core, &mut StageContext::Compute)
    }

    fn passed_barrier(&mut self) {
        self.core.world.races.barrier();
    }
}

impl Simulator for Run<'_> {
    type World = DeviceMemory;

    fn core(&mut self) -> &mut Unit {
        &mut self.core
    }

    fn races(&mut self) -> &mut RaceCheck {
        &mut self.core.world.races
    }

    fn twin(&self) -> Self {
        Run { launch: self.launch, core: self.core.beside() }
    }

    fn text(&self, pc: u64) -> String {
        text_at(&self.launch.program, pc as usize / 8)
    }
}
