//! From container and dispatch to warps, and back.

use super::memory::{Memories, Window};
use super::program::{CLASSES, Program};
use super::step::Machine;
use super::warp::Warp;
use crate::Tesla;
use gpucc_container::{Access, Container, Entry, RaceMark, Resource, ResourceKind, Source, Stage, UNIFORM_FILE};
use gpucc_isa::Isa;
use gpucc_sim::{
    BarrierRule, Dispatch, Memory, OwnMemory, RaceCheck, Rules, RunOptions, RunReport, SplitMix64, Steps, Stop, Trap,
    TrapKind, local_id,
};

/// Where parameters begin in s[], in words.
const FIRST_PARAMETER: u16 = 5;
/// One past the last parameter word in s[].
const PARAMETERS_END: u16 = 68;
/// File of the words of c0 in launches of other compilers; those of the other spaces follow.
const FIRST_CONSTANTS: u8 = 0x90;
/// Bytes of s[] of a workgroup.
const SHARED_MAX: u32 = 16_384;
/// Local id in `$r0` (docs/abi-tesla.md section 3).
const PACKED_LOCAL_ID: u32 = 0;

fn bad(message: impl Into<String>) -> Trap {
    Trap::new(TrapKind::Container, message)
}

fn refuse(message: impl Into<String>) -> Trap {
    Trap::new(TrapKind::Dispatch, message)
}

fn pick<'a>(container: &'a Container, name: Option<&str>) -> Result<&'a Entry, Trap> {
    let names = || container.entries.iter().map(|e| e.name.as_str()).collect::<Vec<_>>().join(", ");
    match name {
        Some(n) => container.entry(n).ok_or_else(|| bad(format!("no entry point `{n}`; there are: {}", names()))),
        None => match &container.entries[..] {
            [one] => Ok(one),
            [] => Err(bad("the container has no entry points")),
            _ => Err(bad(format!("several entry points, name one of: {}", names()))),
        },
    }
}

/// Runs a dispatch of one entry point. Buffers change in place, also when the run traps.
///
/// # Errors
/// The first broken rule, with instruction and address.
pub fn run(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    if container.family != Tesla::NAME {
        return Err(bad(format!("code for {}, this machine is tesla", container.family)));
    }
    let Some(generation) = crate::generation(&container.generation) else {
        return Err(bad(format!("unknown generation {}", container.generation)));
    };
    let entry = pick(container, entry)?;
    let launch = Launch::new(entry, dispatch, options.rules)?;
    let mut memory = Memory::new();
    let mut allocs = Vec::new();
    for (i, b) in dispatch.buffers.iter_mut().enumerate() {
        let bytes = std::mem::take(&mut b.bytes);
        allocs.push(memory.alloc(format!("buffer {i} (group {} binding {})", b.group, b.binding), bytes, true));
    }
    let mut memories = Memories::new(memory);
    let rows = entry.races.as_ref().map(|r| r.iter().map(RaceMark::parts));
    *memories.races.get_mut() = RaceCheck::new(options.races, entry.code.len(), rows);
    for (n, (resource, index)) in launch.resources.iter().enumerate() {
        let writable = dispatch.buffers[*index].writable && resource.access != Access::Read;
        let window = Window { alloc: allocs[*index], writable };
        if writable {
            let size = memories.memory.len(allocs[*index]);
            let name = format!("group {} binding {}", resource.group, resource.binding);
            memories.races.get_mut().watch(allocs[*index], size, name, n as u16);
        }
        match resource.slot {
            s @ 0..=14 if resource.kind == ResourceKind::Storage => memories.global[s as usize] = Some(window),
            s @ 0..=15 => memories.constant[s as usize] = Some(allocs[*index]),
            s => memories.global[(s & 0xff) as usize] = Some(Window { writable: false, ..window }),
        }
    }
    let result = launch.run(entry, generation, &mut memories, dispatch.grid, options);
    for (b, id) in dispatch.buffers.iter_mut().zip(&allocs) {
        b.bytes = memories.memory.take(*id);
    }
    result
}

/// What the metadata says, checked.
struct Launch<'a> {
    meta: &'a gpucc_container::Meta,
    resources: Vec<(&'a Resource, usize)>,
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

impl<'a> Launch<'a> {
    fn new(entry: &'a Entry, dispatch: &Dispatch, rules: Rules) -> Result<Launch<'a>, Trap> {
        let meta = &entry.meta;
        if entry.stage != Stage::Compute {
            return Err(bad("only compute entry points can be dispatched"));
        }
        let [x, y, z] = meta.workgroup_size;
        if x == 0 || y == 0 || z == 0 || meta.invocations() > 512 || z > 64 {
            return Err(bad(format!("workgroups of {x} x {y} x {z}; at most 512 invocations and 64 in z")));
        }
        if meta.subgroup_size != 32 {
            return Err(bad(format!("subgroups of {}, a warp has 32 lanes", meta.subgroup_size)));
        }
        let registers = u32::from(meta.registers_of(0));
        if !(1..=128).contains(&registers) {
            return Err(bad(format!("{registers} registers, there are 1 to 128")));
        }
        if meta.scratch_bytes > 0x1_0000 {
            return Err(bad(format!("{} bytes of l[], at most 65536", meta.scratch_bytes)));
        }
        if let Some(big) = dispatch.grid.iter().find(|&&n| n > 65_535) {
            return Err(refuse(format!("{big} workgroups in a dimension, at most 65535")));
        }
        let word = |i: usize| meta.family_words.get(i).copied().unwrap_or(0);
        let mut l = Launch {
            meta,
            resources: Vec::new(),
            registers,
            shared_base: word(0),
            stack: match word(1) {
                0 => 8,
                n @ 1..=4096 => (n as usize).next_power_of_two().max(4),
                n => return Err(bad(format!("{n} stack entries, at most 4096"))),
            },
            window: word(2),
            local_id: false,
            constants: Vec::new(),
            parameters: Vec::new(),
        };
        if l.window > 0x100_0000 {
            return Err(bad(format!("a workgroup window of {} bytes, at most 16 MiB", l.window)));
        }
        if entry.code.len() > 0x100_0000 {
            return Err(bad("more than 16 MiB of code"));
        }
        for r in &entry.resources {
            let ok = match r.kind {
                ResourceKind::Storage => r.slot <= 14,
                // Ours leave c0 to words, c14 to data and c15 to drivers.
                ResourceKind::Uniform if rules == Rules::Hardware => r.slot <= 15 || (0x100..=0x10e).contains(&r.slot),
                ResourceKind::Uniform => (1..=13).contains(&r.slot) || (0x100..=0x10e).contains(&r.slot),
                _ => return Err(Trap::new(TrapKind::Unsupported, "textures and samplers arrive with graphics")),
            };
            if !ok || r.count > 1 {
                return Err(bad(format!("group {} binding {}: slot {:#x}", r.group, r.binding, r.slot)));
            }
            if l.window > 0 && (r.slot == 14 || r.slot == 0x10e) {
                return Err(bad("slot 14 is taken by the workgroup window"));
            }
            l.resources.push((r, dispatch.require(r.group, r.binding, u64::from(r.min_size))?));
        }
        for p in &entry.preloads {
            match (p.file, p.index, p.source) {
                (0, 0, Source::Family(PACKED_LOCAL_ID)) => l.local_id = true,
                (UNIFORM_FILE, i @ 0..=16_383, s) => l.constants.push((0, i, uniform(s, dispatch)?)),
                // The words of a driver, such as sizes of buffers in c15.
                (c @ FIRST_CONSTANTS.., i @ 0..=16_383, s) if c < FIRST_CONSTANTS + 16 && rules == Rules::Hardware => {
                    l.constants.push((c - FIRST_CONSTANTS, i, uniform(s, dispatch)?));
                }
                (0x81, i @ FIRST_PARAMETER..PARAMETERS_END, s) => l.parameters.push((i, uniform(s, dispatch)?)),
                (file, index, source) => {
                    return Err(bad(format!("preload of file {file:#x} index {index} with {source:?}")));
                }
            }
        }
        let end = l.parameters.iter().map(|p| (u32::from(p.0) + 1) * 4).max().unwrap_or(0x14);
        if l.shared_base == 0 {
            l.shared_base = end.next_multiple_of(0x40);
        }
        if l.shared_base < end || !l.shared_base.is_multiple_of(4) {
            return Err(bad(format!("workgroup memory at {:#x} overlaps what is before it", l.shared_base)));
        }
        if l.shared_base.saturating_add(meta.shared_bytes) > SHARED_MAX {
            return Err(bad(format!("{} bytes of workgroup memory do not fit s[]", meta.shared_bytes)));
        }
        Ok(l)
    }

    fn run(
        &self,
        entry: &Entry,
        generation: u8,
        memories: &mut Memories,
        grid: [u32; 3],
        options: &RunOptions,
    ) -> Result<RunReport, Trap> {
        let invocations = self.meta.invocations() as u32;
        let mut rng = options.perturb.map(|seed| SplitMix64::new(seed ^ 0x0074_6573_6c61));
        if !entry.data.is_empty() {
            if memories.constant[14].is_some() {
                return Err(bad("c14[] is a buffer, and there is a DATA section"));
            }
            memories.constant[14] = Some(memories.memory.alloc("DATA section", entry.data.clone(), false));
        }
        for c in 0..16 {
            let words = || self.constants.iter().filter(|w| w.0 == c);
            let Some(last) = words().map(|w| w.1).max() else { continue };
            if memories.constant[usize::from(c)].is_some() {
                return Err(bad(format!("c{c}[] is a buffer and has words of its own")));
            }
            let id = memories.memory.alloc_undefined(format!("c{c}"), (usize::from(last) + 1) * 4, rng.as_mut());
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
            memories.global[14] = Some(Window { alloc: id, writable: true });
            window = Some(id);
        }
        let program = Program::new(executable(&entry.code, options), generation, self.registers);
        memories.shared_base = self.shared_base;
        memories.own = OwnMemory::new([Some(shared), window].into_iter().flatten().collect());
        memories.warps = invocations.div_ceil(32);
        {
            let races = memories.races.get_mut();
            races.watch(shared, shared_size as u64, "s[]", gpucc_sim::WORKGROUP);
            if let Some(id) = window {
                races.watch(id, self.window.into(), "the workgroup window", gpucc_sim::WORKGROUP);
            }
        }
        let mut machine = Machine::new(&program, memories, Steps::new(options), rng.as_ref().map(|r| r.fork(1)));
        machine.rules = options.rules;
        let mut host =
            Host { launch: self, machine, rng, garbage: options.perturb.is_some(), grid, report: RunReport::default() };
        let result = gpucc_sim::run_grid(&mut host, grid, options.perturb, BarrierRule::STRICT);
        let Host { machine, mut report, .. } = host;
        let text = |pc: u64| program.at(pc as u32).map_or_else(|_| "nothing".into(), |c| program.text(&c.inst));
        machine.memories.races.get_mut().report(&mut report, text);
        report.barriers = result.map_err(|t| t.name_other(text))?;
        report.instructions = machine.instructions;
        report.lane_instructions = machine.lane_instructions;
        for (name, n) in CLASSES.iter().zip(machine.classes) {
            if n > 0 {
                report.add_class(name, n);
            }
        }
        Ok(report)
    }

    /// Steps that starting a workgroup is worth: a large grid of empty workgroups must end too.
    fn cost(&self, garbage: bool) -> u64 {
        let warps = self.meta.invocations().div_ceil(32);
        let registers = u64::from(self.registers) * if garbage { 32 } else { 2 };
        let shared = u64::from(self.shared_base + self.meta.shared_bytes + self.window) / 8;
        256 + shared + warps * (256 + registers + 4 * u64::from(self.meta.scratch_bytes))
    }

    /// The head of s[] (docs/abi-tesla.md section 3).
    fn header(&self, m: &mut Memories, size: [u32; 3], grid: [u32; 3], id: [u32; 3]) -> Result<(), Trap> {
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

/// The part of the code that is instructions.
fn executable<'a>(code: &'a [u8], options: &RunOptions) -> &'a [u8] {
    options.exec_size.and_then(|n| code.get(..n as usize)).unwrap_or(code)
}

/// A launch under way.
struct Host<'a, 'b> {
    launch: &'b Launch<'a>,
    machine: Machine<'b>,
    rng: Option<SplitMix64>,
    garbage: bool,
    grid: [u32; 3],
    report: RunReport,
}

impl gpucc_sim::Machine for Host<'_, '_> {
    type Subgroup = Warp;

    fn start(&mut self, slot: usize, _: u64, id: [u32; 3], warps: &mut Vec<Warp>) -> Result<(), Trap> {
        let Host { launch, machine, rng, garbage, grid, report } = self;
        let size = launch.meta.workgroup_size;
        let invocations = launch.meta.invocations() as u32;
        let linear = (u64::from(id[2]) * u64::from(grid[1]) + u64::from(id[1])) * u64::from(grid[0]) + u64::from(id[0]);
        machine.charge(launch.cost(*garbage))?;
        machine.memories.enter(slot);
        machine.memories.races.get_mut().begin(slot, id);
        machine.memories.begin_workgroup(rng.as_mut(), launch.window, linear);
        launch.header(machine.memories, size, *grid, id)?;
        warps.clear();
        warps.extend((0..machine.memories.warps).map(|w| {
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
        report.subgroups += warps.len() as u64;
        Ok(())
    }

    fn enter(&mut self, slot: usize) {
        self.machine.memories.enter(slot);
    }

    fn run(&mut self, warp: &mut Warp, turn: u32) -> Result<Stop, Trap> {
        self.machine.run(warp, turn)
    }

    fn passed_barrier(&mut self) {
        self.machine.memories.races.get_mut().barrier();
    }
}

/// Value of a uniform word.
fn uniform(source: Source, dispatch: &Dispatch) -> Result<u32, Trap> {
    match source {
        Source::Const(v) => Ok(v),
        Source::NumWorkgroups(d @ 0..=2) => Ok(dispatch.grid[usize::from(d)]),
        Source::BufferSize { group, binding } => {
            let index = dispatch.require(group, binding, 0)?;
            u32::try_from(dispatch.buffers[index].bytes.len())
                .map_err(|_| refuse(format!("buffer at group {group} binding {binding} is larger than 4 GiB")))
        }
        other => Err(bad(format!("no uniform word can hold {other:?}"))),
    }
}
