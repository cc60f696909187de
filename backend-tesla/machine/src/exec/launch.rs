//! Runs a dispatch of a container as warps, and brings back what they wrote.

use super::decode::DecodedProgram;
use super::memory::{DeviceMemory, Window, WindowShape};
use super::step::Machine;
use super::subgroup::Warp;
use crate::Tesla;
use crate::abi::FamilyWords;
use gpucc_container::{Access, Container, Meta, Resource, ResourceKind, Source, UNIFORM_FILE};
use gpucc_isa::{Isa, fail_if};
use gpucc_sim::{
    At, Core, Device, Dispatch, Limits, OwnMemory, RaceCheck, Rules, RunOptions, RunReport, RunState, Simulator,
    SplitMix64, Trap, local_id, trap::bad_container,
};

/// Number of the table of texture descriptors.
pub(super) const TEXTURES: u32 = 0;
/// Number of the table of sampler descriptors.
pub(super) const SAMPLERS: u32 = 1;
/// Where parameters begin in s[], in words.
const FIRST_PARAMETER: u16 = 5;
/// One past the last parameter word in s[].
const PARAMETERS_END: u16 = 68;
/// File of the words of c0 in launches of other compilers; those of the other spaces follow.
const FIRST_CONSTANTS: u8 = 0x90;
/// Bytes of s[] of a workgroup.
const SHARED_MAX: u32 = 16_384;
pub(super) const LIMITS: Limits =
    Limits { family: Tesla::NAME, generations: Tesla::GENERATIONS, invocations: 512, workgroups: 65_535 };
/// Local id in `$r0` (docs/abi-tesla.md section 3).
const PACKED_LOCAL_ID: u32 = 0;

gpucc_sim::run_alone!(run_on);

/// As [`run`], with what a driver part placed in memory: textures, tables of their descriptors, windows.
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
    let launch = LaunchState::new(&common)?;
    let (memory, races) = common.memory_on(dispatch, device);
    let mut rng = options.perturb.map(|seed| SplitMix64::new(seed ^ 0x0074_6573_6c61));
    let mut memories = DeviceMemory::new(memory, races);
    for (address, id, size) in common.places(dispatch, device) {
        memories.space.fix(id, address, size)?;
    }
    memories.tables = [TEXTURES, SAMPLERS].map(|n| device.table(n));
    let mut memories = launch.memories(memories, rng.as_mut())?;
    if options.rules == Rules::Conventions {
        memories.bind_fence();
    }
    if let Some(rng) = rng.as_ref().filter(|_| options.weak) {
        memories.weaken(rng);
    }
    let program =
        DecodedProgram::new(common.instructions(), common.generation, common.entry.stage.bit(), launch.registers);
    let (core, inner) = (Core::new(memories, options), rng.as_ref().map(|r| r.fork(1)));
    common.run_on(Run { launch: &launch, program: &program, core, rng, inner }, dispatch, device)
}

/// Whether a resource is a texture that is a window of g[]; one that is only read is fetched as a texture.
fn is_window(r: &Resource) -> bool {
    r.kind == ResourceKind::StorageTexture && r.access != Access::Read
}

/// The metadata, checked.
struct LaunchState<'a> {
    common: &'a gpucc_sim::Launch<'a>,
    meta: &'a gpucc_container::Meta,
    registers: u32,
    shared_base: u32,
    stack: usize,
    window: u32,
    local_id: bool,
    /// Words of c[]: number of the space, place and value.
    constants: Vec<(u8, u16, u32)>,
    /// Words of s[]: place and value.
    parameters: Vec<(u16, u32)>,
}

/// That a thread can have so many bytes of l[].
pub(super) fn check_scratch(meta: &Meta) -> Result<(), Trap> {
    match meta.scratch_bytes {
        n if n > 0x1_0000 => Err(bad_container(format!("{n} bytes of l[], at most 65536"))),
        _ => Ok(()),
    }
}

impl<'a> LaunchState<'a> {
    fn new(common: &'a gpucc_sim::Launch<'a>) -> Result<LaunchState<'a>, Trap> {
        let entry = common.entry;
        let meta = &entry.meta;
        if meta.workgroup_size[2] > 64 {
            return Err(bad_container(format!("workgroups of {} in z, at most 64", meta.workgroup_size[2])));
        }
        if meta.subgroup_size != 32 {
            return Err(bad_container(format!("subgroups of {}, a warp has 32 lanes", meta.subgroup_size)));
        }
        let registers = u32::from(meta.registers_of(0));
        fail_if!(!(1..=128).contains(&registers), bad_container(format!("{registers} registers, there are 1 to 128")));
        check_scratch(meta)?;
        let words = FamilyWords::of(meta);
        let mut l = LaunchState {
            common,
            meta,
            registers,
            shared_base: words.shared_base,
            stack: match words.stack {
                0 => 8,
                n @ 1..=4096 => (n as usize).next_power_of_two().max(4),
                n => return Err(bad_container(format!("{n} stack entries, at most 4096"))),
            },
            window: words.window_bytes,
            local_id: false,
            constants: Vec::new(),
            parameters: Vec::new(),
        };
        if l.window > 0x100_0000 {
            return Err(bad_container(format!("a workgroup window of {} bytes, at most 16 MiB", l.window)));
        }
        fail_if!(entry.code.len() > 0x100_0000, bad_container("more than 16 MiB of code"));
        let hardware = common.options.rules == Rules::Hardware;
        for r in &entry.resources {
            let ok = match r.kind {
                ResourceKind::Storage => r.slot <= 14,
                ResourceKind::StorageTexture if is_window(r) => r.slot.saturating_add(r.count.max(1)) <= 15,
                ResourceKind::Texture | ResourceKind::StorageTexture => r.slot.saturating_add(r.count.max(1)) <= 16,
                ResourceKind::Sampler => r.slot.saturating_add(r.count.max(1)) <= 16,
                // Ours leave c0 to words, c14 to data and c15 to drivers.
                ResourceKind::Uniform if hardware => r.slot <= 15 || (0x100..=0x10e).contains(&r.slot),
                _ => (1..=13).contains(&r.slot) || (0x100..=0x10e).contains(&r.slot),
            };
            if !ok || r.count > 1 && r.kind.is_buffer() {
                return Err(bad_container(format!("group {} binding {}: slot {:#x}", r.group, r.binding, r.slot)));
            }
            let last = if is_window(r) { r.slot + r.count.max(1) - 1 } else { r.slot };
            if l.window > 0 && (last == 14 || r.slot == 0x10e) {
                return Err(bad_container("slot 14 is taken by the workgroup window"));
            }
        }
        for p in &entry.preloads {
            match (p.file, p.index, p.source) {
                (0, 0, Source::Family(PACKED_LOCAL_ID)) => l.local_id = true,
                (UNIFORM_FILE, i @ 0..=16_383, s) => l.constants.push((0, i, uniform(s, common)?)),
                // The words of a driver, such as sizes of buffers in c15.
                (c @ FIRST_CONSTANTS.., i @ 0..=16_383, s) if c < FIRST_CONSTANTS + 16 && hardware => {
                    l.constants.push((c - FIRST_CONSTANTS, i, uniform(s, common)?));
                }
                (0x81, i @ FIRST_PARAMETER..PARAMETERS_END, s) => l.parameters.push((i, uniform(s, common)?)),
                (file, index, source) => {
                    return Err(bad_container(format!("preload of file {file:#x} index {index} with {source:?}")));
                }
            }
        }
        let end = l.parameters.iter().map(|p| (u32::from(p.0) + 1) * 4).max().unwrap_or(0x14);
        if l.shared_base == 0 {
            l.shared_base = end.next_multiple_of(0x40);
        }
        if l.shared_base < end || !l.shared_base.is_multiple_of(4) {
            return Err(bad_container(format!("workgroup memory at {:#x} overlaps what is before it", l.shared_base)));
        }
        if l.shared_base.saturating_add(meta.shared_bytes) > SHARED_MAX {
            return Err(bad_container(format!("{} bytes of workgroup memory do not fit s[]", meta.shared_bytes)));
        }
        Ok(l)
    }

    /// The spaces, with buffers, words and workgroup memory in them.
    fn memories(&self, mut memories: DeviceMemory, mut rng: Option<&mut SplitMix64>) -> Result<DeviceMemory, Trap> {
        let entry = self.common.entry;
        for r in &entry.resources {
            if !r.kind.is_buffer() {
                if is_window(r) {
                    for element in 0..r.count.max(1) {
                        let word = |k: u16| self.common.descriptor_word(r.descriptor(element), k);
                        let words = [word(0)?, word(1)?, word(2)?, word(3)?, word(4)?];
                        let window = Window::read(words, &memories.space, true)?;
                        memories.global[(r.slot + element) as usize] = Some(window);
                    }
                }
                continue;
            }
            let b = self.common.buffer(r.group, r.binding)?;
            let writable = b.writable && r.access != Access::Read;
            let window = Window { alloc: b.id, writable, base: 0, shape: WindowShape::Whole };
            match r.slot {
                s @ 0..=14 if r.kind == ResourceKind::Storage => memories.global[s as usize] = Some(window),
                s @ 0..=15 => memories.constant[s as usize] = Some(b.id),
                s => memories.global[(s & 0xff) as usize] = Some(Window { writable: false, ..window }),
            }
        }
        if !entry.data.is_empty() {
            fail_if!(memories.constant[14].is_some(), bad_container("c14[] is a buffer, and there is a DATA section"));
            memories.constant[14] = Some(memories.memory.alloc("DATA section", entry.data.clone(), false));
        }
        for c in 0..16 {
            let words = || self.constants.iter().filter(|w| w.0 == c);
            let Some(last) = words().map(|w| w.1).max() else { continue };
            if memories.constant[usize::from(c)].is_some() {
                return Err(bad_container(format!("c{c}[] is a buffer and has words of its own")));
            }
            let id = memories.memory.alloc_undefined(format!("c{c}"), (usize::from(last) + 1) * 4, rng.as_deref_mut());
            for &(_, i, v) in words() {
                memories.memory.store_u32(id, u64::from(i) * 4, v)?;
            }
            memories.constant[usize::from(c)] = Some(id);
        }
        let shared_size = (self.shared_base + self.meta.shared_bytes) as usize;
        let shared = memories.memory.alloc_undefined("s[]", shared_size, None);
        memories.shared = Some(shared);
        let mut window = None;
        if self.window > 0 {
            let id = memories.memory.alloc_undefined("workgroup window", self.window as usize, None);
            memories.global[14] = Some(Window { alloc: id, writable: true, base: 0, shape: WindowShape::Whole });
            window = Some(id);
        }
        memories.shared_base = self.shared_base;
        memories.own = OwnMemory::new([Some(shared), window].into_iter().flatten().collect());
        memories.warps = self.meta.invocations().div_ceil(32) as u32;
        {
            let races = memories.races.get_mut();
            races.watch(shared, shared_size as u64, "s[]", gpucc_sim::WORKGROUP);
            if let Some(id) = window {
                races.watch(id, self.window.into(), "the workgroup window", gpucc_sim::WORKGROUP_ASIDE);
            }
        }
        Ok(memories)
    }

    /// Steps that starting a workgroup is worth: a large grid of empty workgroups must end too.
    fn cost(&self, garbage: bool) -> u64 {
        let warps = self.meta.invocations().div_ceil(32);
        let registers = u64::from(self.registers) * if garbage { 32 } else { 2 };
        let shared = u64::from(self.shared_base + self.meta.shared_bytes + self.window) / 8;
        256 + shared + warps * (256 + registers + 4 * u64::from(self.meta.scratch_bytes))
    }

    /// The head of s[] (docs/abi-tesla.md section 3).
    fn header(&self, m: &mut DeviceMemory, size: [u32; 3], grid: [u32; 3], id: [u32; 3]) -> Result<(), Trap> {
        let halves = [
            (0x02, size[0]),
            (0x04, size[1]),
            (0x06, size[2]),
            (0x08, grid[0]),
            (0x0a, grid[1]),
            (0x0c, id[0]),
            (0x0e, id[1]),
            (0x10, grid[2]),
            (0x12, id[2]),
        ];
        let Some(shared) = m.shared else { return Ok(()) };
        for (at, v) in halves {
            m.memory.store(shared, at, 2, u64::from(v))?;
        }
        for &(i, v) in &self.parameters {
            m.memory.store_u32(shared, u64::from(i) * 4, v)?;
        }
        Ok(())
    }
}

/// A launch under way.
struct Run<'a> {
    launch: &'a LaunchState<'a>,
    program: &'a DecodedProgram,
    core: Core<DeviceMemory>,
    /// The seed of workgroups, and that of instructions.
    rng: Option<SplitMix64>,
    inner: Option<SplitMix64>,
}

impl gpucc_sim::Machine for Run<'_> {
    type Subgroup = Warp;

    fn start(&mut self, slot: usize, _: u64, id: [u32; 3], warps: &mut Vec<Warp>) -> Result<(), Trap> {
        let Run { launch, core: Core { world: memories, counts, .. }, rng, .. } = self;
        let grid = launch.common.grid;
        let size = launch.meta.workgroup_size;
        let invocations = launch.meta.invocations() as u32;
        let linear = (u64::from(id[2]) * u64::from(grid[1]) + u64::from(id[1])) * u64::from(grid[0]) + u64::from(id[0]);
        counts.steps.spend(launch.cost(rng.is_some()))?;
        memories.enter(slot);
        memories.races.get_mut().begin(slot, id);
        memories.begin_workgroup(rng.as_mut(), launch.window, linear)?;
        launch.header(memories, size, grid, id)?;
        warps.clear();
        warps.extend((0..memories.warps).map(|w| {
            let lanes = (invocations - w * 32).min(32);
            let exists = if lanes == 32 { !0 } else { (1 << lanes) - 1 };
            let seed = rng.as_ref().map(|r| r.fork(linear * 16 + u64::from(w) + 2));
            let meta = launch.meta;
            let mut warp = Warp::new(w, exists, launch.registers as usize, meta.scratch_bytes, launch.stack, seed);
            if launch.local_id {
                let packed = std::array::from_fn(|l| {
                    let [x, y, z] = local_id(w * 32 + l as u32, size);
                    x | y << 16 | z << 26
                });
                warp.write(0, &packed, exists);
            }
            warp
        }));
        counts.report.subgroups += warps.len() as u64;
        Ok(())
    }

    fn enter(&mut self, slot: usize) {
        self.core.world.enter(slot);
    }

    fn run(&mut self, warp: &mut Warp, turn: u32) -> Result<RunState, Trap> {
        let Run { launch, program, core, inner, .. } = self;
        let state = Machine::new(program, core, inner, launch.common.options.rules).run(warp, turn);
        if matches!(state, Ok(RunState::Done)) {
            core.world.settle()?;
        }
        state
    }

    fn passed_barrier(&mut self) {
        self.core.world.races.get_mut().barrier();
    }
}

impl Simulator for Run<'_> {
    type World = DeviceMemory;

    fn core(&mut self) -> &mut Core<DeviceMemory> {
        &mut self.core
    }

    fn races(&mut self) -> &mut RaceCheck {
        self.core.world.races.get_mut()
    }

    fn twin(&self) -> Self {
        Run { core: self.core.beside(), rng: self.rng.clone(), inner: self.inner.clone(), ..*self }
    }

    fn text(&self, pc: u64) -> String {
        let program = self.program;
        program.at(pc as u32).map_or_else(|_| "nothing".into(), |c| program.text(&c.inst))
    }
}

/// Value of a uniform word.
fn uniform(source: Source, common: &gpucc_sim::Launch<'_>) -> Result<u32, Trap> {
    common.value(source, At::Dispatch, |other| Err(bad_container(format!("no uniform word can hold {other:?}"))))
}
