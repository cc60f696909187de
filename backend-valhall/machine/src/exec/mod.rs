//! The machine: executes the bytes of a compute program as the reference says, and judges them.
//!
//! `docs/abi-valhall.md` says what a launch provides and which rules are checked. A run ends in a report, or in a trap
//! that names rule, instruction and address.

mod alu;
mod decode;
mod float;
mod mem;
mod scoreboard;
mod warp;

use gpucc_container::{Access, Container, Entry, RaceMark, Resource, ResourceKind, Source, Stage, UNIFORM_FILE};
use gpucc_isa::Isa;
use gpucc_num::Mode;
use gpucc_sim::{
    AddressSpace, BarrierRule, Dispatch, Machine, Memory, OwnMemory, RaceCheck, Rules, RunOptions, RunReport,
    SplitMix64, Steps, Stop, Trap, TrapKind, local_id, run_grid,
};

use crate::build::flow;
use crate::{Class, Op, Unit, Valhall, disasm_words_line};
use decode::{DInst, Environment, Slot, merges, predecode};
use mem::{Buffer, Scratch, World};
use warp::{LANES, Warp};

/// File code of the general registers in a container.
pub const REGISTER_FILE: u8 = 0;

/// Most invocations of a workgroup.
const MOST_INVOCATIONS: u64 = 1024;

/// Most bytes of workgroup memory, as drivers for these parts offer.
const MOST_SHARED: u32 = 32 << 10;

/// Most bytes of private memory of an invocation: a bound of this machine, so that a container cannot exhaust it.
const MOST_SCRATCH: u32 = 64 << 10;

/// Highest bind group: tables are numbered from 1 up, and 60 up have other uses (section 8.3).
const MOST_GROUP: u32 = 58;

/// The table that holds the tables.
const TABLES: u32 = 62;

/// Bytes of a descriptor.
const DESCRIPTOR: usize = 32;

/// Most descriptors in a table: a bound of this machine.
const MOST_SLOTS: u32 = 1 << 16;

/// A buffer as uniform words see it.
struct Bound {
    group: u32,
    binding: u32,
    base: u64,
    size: u64,
}

fn container_trap(message: impl Into<String>) -> Trap {
    Trap::new(TrapKind::Container, message)
}

/// Runs a compute entry of `container`. Without a name it takes the only compute entry.
///
/// # Errors
/// A trap: the container or the dispatch is not complete, or the program broke a rule.
pub fn run(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    if container.family != Valhall::NAME {
        return Err(container_trap(format!(
            "container for `{}`, this machine is `{}`",
            container.family,
            Valhall::NAME
        )));
    }
    let generation = Valhall::GENERATIONS
        .iter()
        .position(|g| *g == container.generation)
        .ok_or_else(|| container_trap(format!("unknown generation `{}`", container.generation)))?;
    let entry = select(container, entry)?;
    let mut launch = Launch::new(entry, generation as u8, dispatch, options)?;
    let result = launch.run(dispatch.grid);
    launch.give_back(dispatch);
    result
}

fn select<'a>(container: &'a Container, name: Option<&str>) -> Result<&'a Entry, Trap> {
    let names = || container.entries.iter().map(|e| e.name.as_str()).collect::<Vec<_>>().join(", ");
    let entry = match name {
        Some(n) => {
            container.entry(n).ok_or_else(|| container_trap(format!("no entry `{n}`; there are: {}", names())))?
        }
        None => {
            let mut compute = container.entries.iter().filter(|e| e.stage == Stage::Compute);
            match (compute.next(), compute.next()) {
                (Some(e), None) => e,
                (None, _) => return Err(container_trap("no compute entry")),
                (Some(_), Some(_)) => return Err(container_trap(format!("several entries, name one of: {}", names()))),
            }
        }
    };
    if entry.stage != Stage::Compute {
        return Err(container_trap(format!("entry `{}` is no compute program", entry.name)));
    }
    Ok(entry)
}

/// Instructions counted by what they cost.
const CLASSES: [&str; 8] = ["fma", "cvt", "sfu", "ls", "branch", "barrier", "nop", "other"];

fn class_index(d: &DInst) -> usize {
    match (d.class, crate::ROWS[d.op as usize].facts.unit) {
        (Class::Branch, _) => 4,
        (Class::Barrier, _) => 5,
        (Class::Nop, _) => 6,
        (_, Unit::Fma) => 0,
        (_, Unit::Cvt) => 1,
        (_, Unit::Sfu) => 2,
        (_, Unit::Ls) => 3,
        _ => 7,
    }
}

/// What a warp shares with its launch while it runs.
struct Shared<'a> {
    code: &'a [Slot],
    merges: &'a [bool],
    bytes: &'a [u8],
    code_base: u64,
    generation: u8,
    rules: Rules,
    world: World,
    steps: Steps,
    report: RunReport,
    counts: [u64; CLASSES.len()],
}

struct Launch<'a> {
    entry: &'a Entry,
    code: Vec<Slot>,
    merges: Vec<bool>,
    code_base: u64,
    generation: u8,
    world: Option<World>,
    shared: Option<gpucc_sim::AllocId>,
    /// Buffers: place in the dispatch and allocation.
    bound: Vec<(usize, gpucc_sim::AllocId)>,
    mode: Mode,
    options: RunOptions,
    rng: Option<SplitMix64>,
}

impl<'a> Launch<'a> {
    fn new(entry: &'a Entry, generation: u8, dispatch: &mut Dispatch, options: &RunOptions) -> Result<Self, Trap> {
        let meta = &entry.meta;
        let invocations = meta.invocations();
        if invocations == 0 || invocations > MOST_INVOCATIONS {
            return Err(container_trap(format!(
                "workgroup of {invocations} invocations, 1 to {MOST_INVOCATIONS} are possible"
            )));
        }
        let small_file = match meta.registers_of(REGISTER_FILE) {
            32 => true,
            64 => false,
            n => {
                return Err(container_trap(format!("{n} registers a thread: the hardware has modes for 32 and 64")));
            }
        };
        if entry.code.is_empty() || !entry.code.len().is_multiple_of(8) {
            return Err(container_trap(format!("{} bytes of code are no whole instructions", entry.code.len())));
        }
        if meta.shared_bytes > MOST_SHARED || meta.scratch_bytes > MOST_SCRATCH {
            return Err(container_trap(format!(
                "{} bytes of workgroup memory and {} of private memory: at most {MOST_SHARED} and {MOST_SCRATCH} are possible",
                meta.shared_bytes, meta.scratch_bytes
            )));
        }
        let mode = match meta.family_words.first().copied().unwrap_or(0) {
            0 => Mode::IEEE,
            2 | 3 => Mode::FLUSH,
            n => return Err(Trap::new(TrapKind::Unsupported, format!("flush-to-zero mode {n} is not modelled"))),
        };
        let mut rng = options.perturb.map(SplitMix64::new);
        let mut memory = Memory::new();
        let mut space = AddressSpace::new64(options.perturb);
        // Everything that can fail comes before buffers are taken out of the dispatch.
        let mut places: Vec<usize> = Vec::new();
        for r in &entry.resources {
            if r.group > MOST_GROUP || r.slot >= 1 << 24 {
                return Err(container_trap(format!("group {} slot {} has no handle", r.group, r.slot)));
            }
            if !matches!(r.kind, ResourceKind::Uniform | ResourceKind::Storage) {
                return Err(Trap::new(TrapKind::Unsupported, "textures and samplers arrive with graphics"));
            }
            let place = dispatch.require(r.group, r.binding, u64::from(r.min_size))?;
            if places.contains(&place) {
                return Err(container_trap(format!("group {} binding {} is listed twice", r.group, r.binding)));
            }
            places.push(place);
        }
        let code_id = memory.alloc("code", entry.code.clone(), false);
        let code_base = space.place(code_id, entry.code.len() as u64, 128)?;
        let data = memory.alloc("constants", entry.data.clone(), false);
        let data_base = space.place(data, entry.data.len() as u64, 16)?;
        let shared = memory.alloc_undefined("workgroup memory", meta.shared_bytes as usize, rng.as_mut());
        let shared_base = space.place(shared, u64::from(meta.shared_bytes), 4096)?;
        let scratch = if meta.scratch_bytes > 0 {
            let stride = u64::from(meta.scratch_bytes).next_multiple_of(16);
            let size = stride * invocations.next_multiple_of(LANES as u64);
            let id = memory.alloc_undefined("private memory", size as usize, rng.as_mut());
            let base = space.place(id, size, 4096)?;
            Some(Scratch { id, base, stride, size: u64::from(meta.scratch_bytes) })
        } else {
            None
        };
        let rows = entry.races.as_ref().map(|r| r.iter().map(RaceMark::parts));
        let mut races = RaceCheck::new(options.races, entry.code.len(), rows);
        races.watch(shared, meta.shared_bytes.into(), "workgroup memory", gpucc_sim::WORKGROUP);
        let own = OwnMemory::new(core::iter::once(shared).chain(scratch.as_ref().map(|s| s.id)).collect());
        let mut launch = Launch {
            entry,
            code: Vec::new(),
            merges: Vec::new(),
            code_base,
            generation,
            world: Some(World { memory, space, buffers: Vec::new(), scratch, races, own }),
            shared: Some(shared),
            bound: Vec::new(),
            mode,
            options: options.clone(),
            rng,
        };
        // From here on buffers may have been taken out of the dispatch: they go back whatever happens.
        let uniforms = launch.bind(dispatch, &places).and_then(|a| launch.uniforms(&a, data_base, dispatch.grid));
        match uniforms {
            Ok(uniforms) => {
                let env = Environment { uniforms, shared_base, code_base, small_file };
                // Constants behind the instructions are memory only.
                let end = options.exec_size.map_or(entry.code.len(), |n| entry.code.len().min(n as usize));
                launch.code = predecode(&entry.code[..end], generation, &env);
                // Hardware lets lanes go on apart; our compiler does not.
                if options.rules == Rules::Conventions {
                    launch.merges = merges(&launch.code);
                }
                Ok(launch)
            }
            Err(e) => {
                launch.give_back(dispatch);
                Err(e)
            }
        }
    }

    /// Moves the buffers into the memory of the run and gives them addresses and handles.
    fn bind(&mut self, dispatch: &mut Dispatch, places: &[usize]) -> Result<Vec<Bound>, Trap> {
        let Some(world) = &mut self.world else { return Err(container_trap("nothing to run")) };
        let mut bound = Vec::new();
        for (n, (r, &place)) in self.entry.resources.iter().zip(places).enumerate() {
            let b = &mut dispatch.buffers[place];
            let size = b.bytes.len() as u64;
            let writable = b.writable && r.access != Access::Read && r.kind == ResourceKind::Storage;
            let name = format!("buffer {}:{}", r.group, r.binding);
            let id = world.memory.alloc(name, std::mem::take(&mut b.bytes), writable);
            self.bound.push((place, id));
            // No allocation crosses 4 GiB: one that would gets a window of its own.
            let mut base = world.space.place(id, size, 256)?;
            if base >> 32 != (base + size) >> 32 {
                base = world.space.place(id, size, 1 << 32)?;
            }
            if writable {
                world.races.watch(id, size, format!("group {} binding {}", r.group, r.binding), n as u16);
            }
            world.buffers.push(Buffer { handle: (r.group + 1) << 24 | r.slot, id, base, size });
            bound.push(Bound { group: r.group, binding: r.binding, base, size });
        }
        if self.options.rules == Rules::Hardware {
            tables(world, &self.entry.resources)?;
        }
        Ok(bound)
    }

    /// Words of the uniform file, and the check that register preloads are those that the hardware has.
    fn uniforms(&self, buffers: &[Bound], data_base: u64, grid: [u32; 3]) -> Result<[Option<u32>; 128], Trap> {
        let mut words = [None; 128];
        let find = |group: u32, binding: u32| {
            buffers.iter().find(|b| b.group == group && b.binding == binding).ok_or_else(|| {
                container_trap(format!("a uniform word names group {group} binding {binding}, which is no resource"))
            })
        };
        for p in &self.entry.preloads {
            if p.file == REGISTER_FILE {
                let known = matches!(
                    (p.index, p.source),
                    (55, Source::Family(0))
                        | (56, Source::LocalId(2))
                        | (57, Source::WorkgroupId(0))
                        | (58, Source::WorkgroupId(1))
                        | (59, Source::WorkgroupId(2))
                        | (60, Source::GlobalId(0))
                        | (61, Source::GlobalId(1))
                        | (62, Source::GlobalId(2))
                );
                if !known || p.lane != 0 {
                    return Err(container_trap(format!(
                        "the hardware does not preload r{} with {:?}",
                        p.index, p.source
                    )));
                }
                continue;
            }
            if p.file != UNIFORM_FILE || p.index >= 128 || p.lane != 0 {
                return Err(container_trap(format!("no place for a preload: file {:#x}, index {}", p.file, p.index)));
            }
            let value = match p.source {
                Source::Const(v) => v,
                Source::BufferAddressLo { group, binding } => find(group, binding)?.base as u32,
                Source::BufferAddressHi { group, binding } => (find(group, binding)?.base >> 32) as u32,
                Source::BufferSize { group, binding } => u32::try_from(find(group, binding)?.size).unwrap_or(u32::MAX),
                Source::NumWorkgroups(i @ 0..=2) => grid[usize::from(i)],
                Source::DataAddressLo => data_base as u32,
                Source::DataAddressHi => (data_base >> 32) as u32,
                other => return Err(container_trap(format!("a uniform word cannot hold {other:?}"))),
            };
            words[usize::from(p.index)] = Some(value);
        }
        Ok(words)
    }

    fn give_back(&mut self, dispatch: &mut Dispatch) {
        if let Some(world) = &mut self.world {
            for &(place, id) in &self.bound {
                dispatch.buffers[place].bytes = world.memory.take(id);
            }
        }
    }

    fn run(&mut self, grid: [u32; 3]) -> Result<RunReport, Trap> {
        let Some(world) = self.world.take() else { return Err(container_trap("nothing to run")) };
        let cx = Shared {
            code: &self.code,
            merges: &self.merges,
            bytes: &self.entry.code,
            code_base: self.code_base,
            generation: self.generation,
            rules: self.options.rules,
            world,
            steps: Steps::new(&self.options),
            report: RunReport::default(),
            counts: [0; CLASSES.len()],
        };
        let mut host = Host { launch: self, cx };
        let result = run_grid(&mut host, grid, self.options.perturb, BarrierRule::STRICT);
        let Host { cx: Shared { mut world, mut report, counts, bytes, .. }, .. } = host;
        for (name, n) in CLASSES.iter().zip(counts) {
            if n > 0 {
                report.add_class(name, n);
            }
        }
        let text = |pc: u64| text_at(bytes, self.generation, pc as usize / 8);
        world.races.report(&mut report, text);
        let result = result.map_err(|t| t.name_other(text));
        self.world = Some(world);
        report.barriers = result?;
        Ok(report)
    }

    /// The warps of one workgroup, with registers as the convention says.
    fn warps(&self, cx: &mut Shared<'_>, id: [u32; 3], number: u64) -> Vec<Warp> {
        let meta = &self.entry.meta;
        let total = meta.invocations() as u32;
        let mut rng = self.rng.as_ref().map(|r| r.fork(number));
        if let Some(shared) = self.shared {
            cx.world.memory.reset_undefined(shared, rng.as_mut());
        }
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
            let local: [[u32; 3]; LANES] = core::array::from_fn(|l| local_id(first + l as u32, meta.workgroup_size));
            let size = meta.workgroup_size;
            for p in self.entry.preloads.iter().filter(|p| p.file == REGISTER_FILE) {
                let global = |i: usize| core::array::from_fn(|l| id[i].wrapping_mul(size[i]).wrapping_add(local[l][i]));
                let (bytes, values) = match p.source {
                    Source::Family(_) => (0xF, local.map(|v| v[0] | v[1] << 16)),
                    Source::LocalId(_) => (0x3, local.map(|v| v[2])),
                    Source::WorkgroupId(i) => (0xF, [id[usize::from(i)]; LANES]),
                    Source::GlobalId(i) => (0xF, global(usize::from(i))),
                    _ => continue,
                };
                w.preload(p.index as u8, bytes, values);
            }
            warps.push(w);
        }
        warps
    }
}

/// Makes the tables of descriptors themselves readable: table 62 has one of buffers that holds them, one for each table by its number
/// (section 8.3). Ours is a convention without it: sizes come in uniform words.
fn tables(world: &mut World, resources: &[Resource]) -> Result<(), Trap> {
    let mut groups: Vec<u32> = resources.iter().map(|r| r.group).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let table = group + 1;
        let of = |b: &&Buffer| b.handle >> 24 == table;
        let slots = world.buffers.iter().filter(of).map(|b| (b.handle & 0xFF_FFFF) + 1).max().unwrap_or(0);
        if slots > MOST_SLOTS {
            return Err(container_trap(format!(
                "slot {} in group {group}: at most {MOST_SLOTS} are possible",
                slots - 1
            )));
        }
        let mut bytes = vec![0; DESCRIPTOR * slots as usize];
        for b in world.buffers.iter().filter(of) {
            let words = [9, b.size as u32, b.base as u32, (b.base >> 32) as u32];
            let at = DESCRIPTOR * (b.handle & 0xFF_FFFF) as usize;
            for (i, w) in words.iter().enumerate() {
                bytes[at + 4 * i..at + 4 * i + 4].copy_from_slice(&w.to_le_bytes());
            }
        }
        let size = bytes.len() as u64;
        let id = world.memory.alloc(format!("descriptors of group {group}"), bytes, false);
        let base = world.space.place(id, size, 64)?;
        world.buffers.push(Buffer { handle: TABLES << 24 | table, id, base, size });
    }
    Ok(())
}

/// A launch under way.
struct Host<'a, 'b> {
    launch: &'b Launch<'a>,
    cx: Shared<'b>,
}

impl Machine for Host<'_, '_> {
    type Subgroup = Warp;

    fn start(&mut self, slot: usize, number: u64, id: [u32; 3], warps: &mut Vec<Warp>) -> Result<(), Trap> {
        self.enter(slot);
        self.cx.world.races.begin(slot, id);
        *warps = self.launch.warps(&mut self.cx, id, number);
        self.cx.report.subgroups += warps.len() as u64;
        Ok(())
    }

    fn enter(&mut self, slot: usize) {
        let World { own, memory, races, .. } = &mut self.cx.world;
        own.enter(slot, memory, races);
    }

    fn run(&mut self, warp: &mut Warp, turn: u32) -> Result<Stop, Trap> {
        slice(warp, turn, &mut self.cx)
    }

    fn passed_barrier(&mut self) {
        self.cx.world.races.barrier();
    }
}

/// Runs a warp until it waits, ends, or its turn is over.
fn slice(w: &mut Warp, turn: u32, cx: &mut Shared<'_>) -> Result<Stop, Trap> {
    let mut left = turn;
    while left > 0 {
        left -= 1;
        if w.active == 0 {
            return Ok(Stop::Done);
        }
        let pc = w.pc;
        match step(w, cx) {
            Ok(None) => {}
            Ok(Some(stop)) => return Ok(stop),
            Err(e) => return Err(locate(e, pc, w, cx)),
        }
    }
    Ok(if w.active == 0 { Stop::Done } else { Stop::Yield })
}

#[cold]
fn locate(trap: Trap, pc: usize, w: &Warp, cx: &Shared<'_>) -> Trap {
    let lane = w.number * LANES as u32 + w.active.trailing_zeros().min(15);
    trap.at(8 * pc as u64, || text_at(cx.bytes, cx.generation, pc)).in_lane(lane)
}

/// The instruction with this number as text.
fn text_at(code: &[u8], generation: u8, pc: usize) -> String {
    let word = code.get(8 * pc..8 * pc + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
    match word {
        Some(v) => disasm_words_line(&format!("{v:#x}"), generation, gpucc_isa::stage::ALL)
            .unwrap_or_else(|_| format!(".word {v:#018x}")),
        None => "nothing".into(),
    }
}

fn step(w: &mut Warp, cx: &mut Shared<'_>) -> Result<Option<Stop>, Trap> {
    let code = cx.code;
    let d = match code.get(w.pc) {
        Some(Slot::Good(d)) => d,
        Some(Slot::Bad(kind, why)) => return Err(Trap::new(*kind, why.clone())),
        None => return Err(Trap::new(TrapKind::FellOffEnd, "no instruction here: the program did not end")),
    };
    let lanes = w.active.count_ones();
    cx.steps.pay(lanes)?;
    cx.report.count(lanes);
    cx.counts[class_index(d)] += 1;
    let flow = u32::from(d.flow);
    let mut stop = None;
    match d.class {
        Class::Nop => {}
        Class::Alu => alu::execute(w, d, w.pc as u64)?,
        Class::Memory => mem::by_address(w, d, &mut cx.world)?,
        Class::Buffer => mem::by_handle(w, d, &mut cx.world)?,
        Class::Branch => return branch(w, d, cx).map(|()| None),
        Class::Barrier => {
            let ours = cx.rules == Rules::Conventions;
            if ours && (w.active != w.live || w.live != w.whole) {
                return Err(Trap::new(TrapKind::Barrier, "not all lanes of the warp reach the barrier together"));
            }
            if !w.arrive()? {
                return Ok(None);
            }
            let busy = w.busy_slots();
            if busy != 0 {
                let slots: Vec<String> = (0..8).filter(|s| busy >> s & 1 != 0).map(|s| s.to_string()).collect();
                let what = format!("messages are under way on slot {} at a barrier", slots.join(", "));
                return Err(Trap::new(TrapKind::Hazard, what));
            }
            // Hardware has one barrier, wherever its instructions are.
            stop = Some(Stop::Barrier(if ours { 8 * w.pc as u64 } else { 0 }));
        }
        Class::Discard | Class::Image | Class::Varying | Class::Texture | Class::VaryingTexture | Class::Tile => {
            let name = crate::ROWS[d.op as usize].text;
            return Err(Trap::new(TrapKind::Unsupported, format!("{name} arrives with graphics")));
        }
    }
    if flow != flow::RECONVERGE && flow != flow::END {
        passes(w, w.pc + 1, cx.merges)?;
    }
    w.pc += 1;
    match flow {
        flow::NONE => {}
        1..=7 => w.wait(flow as u8),
        flow::WAIT0126 => w.wait(0b0100_0111),
        flow::WAIT => w.wait(0b1100_0111),
        flow::RECONVERGE => {
            w.reschedule();
        }
        flow::END => {
            w.end();
        }
        // `discard` ends helper invocations, of which a compute program has none.
        _ => {}
    }
    Ok(stop)
}

/// Lanes whose condition holds.
fn condition(w: &Warp, d: &DInst) -> Result<u16, Trap> {
    w.check_source(&d.src[0])?;
    if d.combine > 2 {
        return Err(Trap::new(
            TrapKind::Unsupported,
            "branch combines `and` and `lowbits`: the reference does not say what they do",
        ));
    }
    let v = w.src32(d, 0);
    let holds = |l: usize| (v[l] != 0) != d.eq;
    Ok((0..LANES).filter(|&l| w.active >> l & 1 != 0 && holds(l)).fold(0, |m, l| m | 1 << l))
}

/// Lanes of a part of the warp must not pass, without the mark, a place where others may come to (section 9.2).
#[inline]
fn passes(w: &Warp, to: usize, merges: &[bool]) -> Result<(), Trap> {
    if w.active == w.live || !merges.get(to).is_some_and(|&m| m) {
        return Ok(());
    }
    let what =
        format!("some lanes of the warp go on to {:#x}, where others may join them, without `.reconverge`", 8 * to);
    Err(Trap::new(TrapKind::Divergence, what))
}

fn branch(w: &mut Warp, d: &DInst, cx: &Shared<'_>) -> Result<(), Trap> {
    let (code_base, len) = (cx.code_base, cx.code.len());
    let taken = condition(w, d)?;
    let next = w.pc + 1;
    let mut target = [next; LANES];
    if taken != 0 {
        if d.op == Op::Branchzi {
            if !d.absolute {
                return Err(Trap::new(
                    TrapKind::Unsupported,
                    "relative BRANCHZI: the reference does not say what it does",
                ));
            }
            w.check_source(&d.src[1])?;
            let low = w.src32(d, 1);
            for l in (0..LANES).filter(|l| taken >> l & 1 != 0) {
                let address = code_base >> 32 << 32 | u64::from(low[l]);
                let offset = address.wrapping_sub(code_base);
                if !offset.is_multiple_of(8) || offset >= 8 * len as u64 {
                    let what = format!("jump to {address:#x}, outside of the program");
                    return Err(Trap::new(TrapKind::FellOffEnd, what).in_lane(w.number * LANES as u32 + l as u32));
                }
                target[l] = (offset / 8) as usize;
            }
        } else {
            let to = w.pc as i64 + 1 + d.imm;
            if to < 0 || to >= len as i64 {
                return Err(Trap::new(
                    TrapKind::FellOffEnd,
                    format!("branch to {:#x}, outside of the program", 8 * to),
                ));
            }
            for l in (0..LANES).filter(|l| taken >> l & 1 != 0) {
                target[l] = to as usize;
            }
        }
    }
    w.kill_last_uses(d)?;
    let flow = u32::from(d.flow);
    match flow {
        1..=7 => w.wait(flow as u8),
        flow::WAIT0126 => w.wait(0b0100_0111),
        flow::WAIT => w.wait(0b1100_0111),
        flow::END => {
            // Lanes that do not jump end here (section 17, end of blend shaders).
            let active = w.active;
            w.active = active & !taken;
            w.wait(!0);
            w.live &= !w.active;
            w.active = taken;
        }
        _ => {}
    }
    for l in (0..LANES).filter(|l| w.active >> l & 1 != 0) {
        w.lane_pc[l] = target[l];
    }
    if flow == flow::RECONVERGE || w.active == 0 {
        w.pick();
        return Ok(());
    }
    let mut places = (0..LANES).filter(|l| w.active >> l & 1 != 0).map(|l| w.lane_pc[l]);
    let first = places.next().unwrap_or(next);
    if places.any(|p| p != first) {
        return Err(Trap::new(TrapKind::Divergence, "lanes disagree about a branch that carries no `.reconverge`"));
    }
    passes(w, first, cx.merges)?;
    w.pc = first;
    Ok(())
}
