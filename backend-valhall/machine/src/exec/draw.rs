//! Draws: programs of vertices and of fragments as the stages of [`gpucc_sim::draw`] (`docs/abi-valhall.md`, section 13).
//!
//! A vertex entry has a program of positions and one of varyings. Each stores to the record of a vertex, whose address LEA_BUF_IMM gives.

use gpucc_container::{Entry, InterfaceRow, IoPlace, Preload, ProgramRole, Source, flags};
use gpucc_isa::fail_if;
use gpucc_num::Mode;
use gpucc_num::convert::f16_to_f32;
use gpucc_sim::draw::{
    DepthTest, Draw, DrawLaunch, DrawMachine, QuadIn, QuadOut, Targets, Varyings, VertexIn, VertexOut, VertexTraits,
    from_screen, push_slot,
};
use gpucc_sim::quads::Masks;
use gpucc_sim::{
    AddressSpace, AllocId, At, Dispatch, DrawDevice, DrawState, Memory, Registers, Rules, RunState, Trap,
    trap::{bad_container, undefined},
};

use super::decode::{Environment, merges, predecode};
use super::descriptor::{Blending, ProgramSetup};
use super::launch::{LIMITS, MOST_SCRATCH, REGISTER_FILE, TABLES_OF, mode, small_file, uniforms};
use super::memory::{DeviceMemory, Scratch};
use super::stage::{EXTENSION_BYTES, Fragment, Records, StageContext};
use super::step::{Program, Unit, slice};
use super::subgroup::{LANES, Warp};
use super::tables::{Tables, words};
use crate::abi;

/// Bytes of a position.
const POSITION: u64 = 16;
/// Register of the command stream: address of the blend descriptors, and in its low four bits how many there are.
const BLEND: u32 = 50;
/// Space of the registers of the command stream.
const SPACE: u16 = 0;

/// A vertex or fragment program of a draw.
struct StageProgram {
    program: Program,
    preloads: Vec<Preload>,
    scratch: Option<Scratch>,
    mode: Mode,
    /// Place of its tables in those of a worker.
    tables: usize,
    /// Whether whole quads run.
    helpers: bool,
}

/// The state of the programs of a draw.
struct Machine {
    position: StageProgram,
    varying: Option<StageProgram>,
    fragment: Option<StageProgram>,
    state: DrawState,
    blend: [Blending; 8],
    /// Slots of a record.
    slots: u32,
    /// Locations that vertices give, and their slots.
    places: Vec<(u8, u32)>,
    positions: (AllocId, u64),
    records: (AllocId, u64),
    /// The extensions of positions, if vertices say how large points are or choose layers.
    extensions: Option<(AllocId, u64)>,
    /// Whether vertices say how large points are.
    sized: bool,
    /// Whether vertices choose layers.
    layered: bool,
    /// The size of points whose vertices do not say it.
    size: f32,
    /// Whether whole quads run.
    quads: bool,
    flags: u32,
    writes_mask: bool,
    writes_stencil: bool,
}

gpucc_sim::draw_entry!(LIMITS, LANES, Machine::new);

/// The state that is the same for all programs of a draw while they are placed.
struct Placing<'a> {
    launch: &'a DrawLaunch<'a>,
    memory: Memory,
    space: AddressSpace,
    buffers: Vec<u64>,
    pointers: [u64; 2],
    blend: [Blending; 8],
    registers: &'a Registers,
}

impl Placing<'_> {
    /// State from the program descriptor; the container has the same.
    fn setup(&self, entry: &Entry, pointer: u32) -> Result<ProgramSetup, Trap> {
        let word = |k| self.registers.get(abi::PROGRAM_SPACE, abi::program_word(pointer, k));
        let setup = ProgramSetup::read([word(0), word(1)], pointer == abi::FRAGMENT_PROGRAM)?;
        if setup.small_file != small_file(&entry.meta)? {
            return Err(bad_container("the program descriptor has another number of registers"));
        }
        if setup.flush != abi::FamilyWords::of(&entry.meta).flush {
            return Err(bad_container("the program descriptor has another mode of subnormals"));
        }
        let loaded = entry.preloads.iter().filter(|p| p.file == REGISTER_FILE);
        for p in loaded {
            let bit = p.index.checked_sub(abi::FIRST_PRELOAD).and_then(|n| 1u16.checked_shl(n.into())).unwrap_or(0);
            if setup.preload & bit == 0 {
                return Err(bad_container(format!("the program descriptor does not ask for r{}", p.index)));
            }
        }
        Ok(setup)
    }

    fn stage(&mut self, (entry, first): (&Entry, u32), tables: usize, pointer: u32) -> Result<StageProgram, Trap> {
        let setup = self.setup(entry, pointer)?;
        let common = &self.launch.common;
        if entry.code.is_empty() || !entry.code.len().is_multiple_of(8) {
            return Err(bad_container(format!("{} bytes of code are no whole instructions", entry.code.len())));
        }
        let code = self.memory.alloc("code", entry.code.clone(), false);
        let code_base = self.space.place(code, entry.code.len() as u64, 128)?;
        let data = self.memory.alloc("constants", entry.data.clone(), false);
        let data_base = self.space.place(data, entry.data.len() as u64, 16)?;
        let scratch = match entry.meta.scratch_bytes {
            0 => None,
            n if n > MOST_SCRATCH => {
                let what = format!("{n} bytes of private memory in a draw: at most {MOST_SCRATCH} are possible");
                return Err(bad_container(what));
            }
            n => {
                let stride = u64::from(n).next_multiple_of(16);
                let bytes = stride * LANES as u64;
                let id = self.memory.alloc_undefined("private memory", bytes as usize, None);
                Some(Scratch { id, base: self.space.place(id, bytes, 4096)?, stride, size: n.into() })
            }
        };
        let at = At::Draw(&self.launch.state);
        let uniforms = uniforms(common, &entry.preloads, (entry.stage, at), (&self.buffers, data_base))?;
        let is_fragment = entry.stage == gpucc_container::Stage::Fragment;
        let env = Environment {
            uniforms,
            shared_base: 0,
            code_base,
            small_file: setup.small_file,
            tables: self.pointers[tables],
            blend: is_fragment.then(|| self.blend.map(|b| b.internal)),
        };
        let decoded = predecode(&entry.code, common.generation, entry.stage.bit(), &env);
        let ours = common.options.rules == Rules::Conventions;
        let merges = if ours { merges(&decoded) } else { Vec::new() };
        let (generation, rules, bytes) = (common.generation, common.options.rules, entry.code.clone());
        let program = Program { code: decoded, merges, bytes, code_base, generation, rules, first: first.into() };
        let preloads = entry.preloads.iter().filter(|p| p.file == REGISTER_FILE).copied().collect();
        Ok(StageProgram { program, preloads, scratch, mode: mode(&entry.meta)?, tables, helpers: setup.helpers })
    }
}

/// The blend descriptors that a register points to.
fn blend_descriptors(pointer: u64, (memory, space): (&Memory, &AddressSpace)) -> Result<[Blending; 8], Trap> {
    let mut all = [Blending::default(); 8];
    let count = (pointer & 15) as usize;
    fail_if!(count > all.len(), bad_container(format!("{count} blend descriptors")));
    for (n, b) in (0u64..).zip(all.iter_mut().take(count)) {
        *b = Blending::read(words((memory, space), (pointer & !15) + 16 * n)?)?;
    }
    Ok(all)
}

impl Machine {
    fn new(
        launch: &DrawLaunch<'_>,
        registers: &Registers,
        _: &Draw<'_>,
        dispatch: &Dispatch,
        device: &DrawDevice,
    ) -> Result<(Machine, DeviceMemory), Trap> {
        let common = &launch.common;
        let options = common.options;
        let mut space = AddressSpace::new64(options.perturb);
        let (memory, buffers) = launch.memory(dispatch, device, &mut space)?;
        let pointer = |k: usize| device.tables[k].iter().find(|t| t.0 == TABLES_OF).map_or(0, |t| t.1);
        let pointers = [pointer(0), pointer(1)];
        let register = |n: u32| u64::from(registers.get(SPACE, n));
        let blend = blend_descriptors(register(BLEND + 1) << 32 | register(BLEND), (&memory, &space))?;
        let mut p = Placing { launch, memory, space, buffers, pointers, blend, registers };
        let (mut position, mut varying) = (None, None);
        let firsts = launch.vertex.programs.iter().map(|p| p.offset).chain([0]);
        for ((role, entry), first) in launch.vertex.parts().into_iter().zip(firsts) {
            let is_varying = role == ProgramRole::Varying;
            let stage =
                p.stage((&entry, first), 0, if is_varying { abi::VARYING_PROGRAM } else { abi::POSITION_PROGRAM })?;
            *if is_varying { &mut varying } else { &mut position } = Some(stage);
        }
        let position = position.ok_or_else(|| bad_container("a vertex entry without a program of positions"))?;
        let fragment = launch.fragment.map(|f| p.stage((f, 0), 1, abi::FRAGMENT_PROGRAM)).transpose()?;
        let rows = || launch.vertex.interface.iter().filter(|r| r.output && r.file == abi::FILE_VARYING);
        let place = |r: &InterfaceRow| match r.at {
            IoPlace::Location { number, .. } => Some((number, r.index.into())),
            _ => None,
        };
        let places = rows().filter_map(place).collect();
        let slots = rows().map(|r| u32::from(r.index) + 1).max().unwrap_or(0);
        let mut lay = |name: &str, stride: u64| -> Result<(AllocId, u64), Trap> {
            let bytes = stride * LANES as u64;
            let id = p.memory.alloc_undefined(name, bytes as usize, None);
            Ok((id, p.space.place(id, bytes, 4096)?))
        };
        let positions = lay("positions", POSITION)?;
        let records = lay("varyings", u64::from(slots * abi::SLOT))?;
        let flags = registers.get(SPACE, abi::PRIMITIVE_FLAGS);
        let (sizes, layered) = (flags >> 11 & 3, flags & abi::LAYERED != 0);
        let sized = sizes == 2;
        let record = if sized || layered { 2 } else { 0 };
        let extended = if common.generation == crate::V9 { record } else { flags >> 22 & 3 };
        if flags & !(0x00c0_1800 | abi::LAYERED) != 0 || sizes & 1 != 0 || extended != record {
            return Err(bad_container(format!("flags of primitives {flags:#x}")));
        }
        let extensions = if sized || layered { Some(lay("extensions of records", EXTENSION_BYTES)?) } else { None };
        let size = f32::from_bits(registers.get(SPACE, abi::PRIMITIVE_SIZE));
        let Placing { memory, space, .. } = p;
        let tables = pointers.map(|pointer| Tables::new(pointer, common.generation));
        let of_stages = tables.to_vec();
        let world = DeviceMemory { of_stages, ..DeviceMemory::new(memory, space, tables[0].clone()) };
        let flags = launch.fragment.map_or(0, |f| f.meta.flags);
        let quads = fragment.as_ref().is_some_and(|f| f.helpers);
        if quads != (flags & flags::DERIVATIVES != 0) {
            return Err(bad_container("the program descriptor and the entry disagree about helpers"));
        }
        let gives = |at: IoPlace| launch.fragment.is_some_and(|f| f.interface.iter().any(|r| r.output && r.at == at));
        let machine = Machine {
            position,
            varying,
            fragment,
            state: launch.state,
            blend,
            slots,
            places,
            positions,
            records,
            extensions,
            sized,
            layered,
            size,
            quads,
            flags,
            writes_mask: gives(IoPlace::SampleMask),
            writes_stencil: gives(IoPlace::FragStencil),
        };
        Ok((machine, world))
    }

    /// Runs a warp of a program.
    fn run(
        stage: &StageProgram,
        unit: &mut Unit,
        (live, helpers, has_quads): (u16, u16, bool),
        context: &mut StageContext<'_>,
        lane: &dyn Fn(Source, usize) -> u32,
    ) -> Result<Warp, Trap> {
        let mut rng = unit.begin();
        let world = &mut unit.world;
        world.scratch = stage.scratch;
        let thread_base = match &stage.scratch {
            Some(s) => {
                world.memory.reset_undefined(s.id, rng.as_mut());
                core::array::from_fn(|l| s.base + s.stride * l as u64)
            }
            None => [0; LANES],
        };
        std::mem::swap(&mut world.tables, &mut world.of_stages[stage.tables]);
        let mut w = Warp::new(0, live, thread_base, stage.mode, rng.as_mut());
        w.helpers = helpers;
        w.has_quads = has_quads;
        for p in &stage.preloads {
            let mut values = [0; LANES];
            for l in (0..LANES).filter(|l| live >> l & 1 == 1) {
                values[l] = lane(p.source, l);
            }
            w.preload(p.index as u8, 0xF, values);
        }
        let turn = unit.counts.steps.slice();
        let result = loop {
            match slice(&mut w, turn, &stage.program, unit, context) {
                Ok(RunState::Done) => break Ok(()),
                Ok(RunState::Barrier(_)) => break Err(bad_container("a barrier in a draw")),
                Ok(_) => {}
                Err(t) => break Err(t),
            }
        };
        let world = &mut unit.world;
        std::mem::swap(&mut world.tables, &mut world.of_stages[stage.tables]);
        result.map(|()| w)
    }

    /// The program's facts about its quads.
    fn merge(&self, f: &Fragment<'_>, helpers: u16, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        let covered = Masks::of(f.batch).covered as u16;
        let live = covered & !helpers;
        let owes = |lanes: u16, what: &str| match lanes {
            0 => Ok(()),
            l => Err(undefined(format!("a pixel that lives {what}")).in_lane(l.trailing_zeros())),
        };
        owes(live & !f.tested, "did not come to ATEST")?;
        let depth = self.flags & flags::WRITES_DEPTH != 0;
        for (k, declared, what) in [(0, depth, "depth"), (1, self.writes_stencil, "stencil value")] {
            if declared {
                owes(live & !f.emitted[k], &format!("emitted no {what}"))?;
            } else if f.emitted[k] != 0 {
                return Err(bad_container(format!("a {what} that the entry does not declare")));
            }
        }
        for b in self.blend.iter().filter(|b| b.on) {
            let given = f.given[usize::from(b.target) & 7];
            // A target that the program does not write keeps what it holds.
            if given != 0 {
                owes(live & !given, "gave no colour")?;
            }
        }
        for (q, lanes) in QuadOut::lanes(QuadOut::batch(out, f.batch.len(), live.into())) {
            q.colour.iter_mut().zip(&f.colour).for_each(|(to, from)| *to = lanes.map(|l| from[l]));
            q.depth = depth.then(|| lanes.map(|l| f.depth[l]));
            q.stencil = self.writes_stencil.then(|| lanes.map(|l| f.stencil[l]));
            q.mask = self.writes_mask.then(|| lanes.map(|l| f.coverage[l]));
        }
        Ok(())
    }
}

impl DrawMachine for Machine {
    const LANES: usize = LANES;
    type World = DeviceMemory;

    fn depth(&self) -> DepthTest {
        match self.flags {
            f if f & flags::EARLY_DEPTH != 0 => DepthTest::Early,
            _ if self.writes_stencil => DepthTest::Late,
            f if f & (flags::WRITES_DEPTH | flags::WRITES_MEMORY) != 0 => DepthTest::Late,
            _ => DepthTest::Reject,
        }
    }

    fn vertex_traits(&self) -> VertexTraits {
        let most_layers = if self.layered { abi::MOST_LAYERS } else { u32::MAX };
        VertexTraits { most_layers, ..VertexTraits::default() }
    }

    fn varyings(&self) -> Varyings {
        let mut all = Varyings::of_slots(self.slots);
        self.places.iter().for_each(|&(number, slot)| all.put(number, slot));
        all
    }

    fn vertices(
        &self,
        unit: &mut Unit,
        batch: &[VertexIn],
        words: &mut Vec<u32>,
        out: &mut Vec<VertexOut>,
    ) -> Result<(), Trap> {
        let live = if batch.len() == LANES { !0 } else { (1 << batch.len()) - 1 };
        let lane = |s: Source, l: usize| match s {
            Source::Family(abi::RECORD) => abi::RECORD_STEP * l as u32,
            Source::InstanceIndex => batch[l].instance.wrapping_sub(self.state.first[1]),
            _ => batch[l].vertex,
        };
        let count = batch.len() as u32;
        let records = |(_, base): (AllocId, u64), stride: u64| Records { base, stride, count, extensions: None };
        let memory = &mut unit.world.memory;
        memory.reset_undefined(self.positions.0, None);
        memory.reset_undefined(self.records.0, None);
        if let Some((id, _)) = self.extensions {
            memory.reset_undefined(id, None);
        }
        let extensions = self.extensions.map(|e| e.1);
        let mut context = StageContext::Vertex(Records { extensions, ..records(self.positions, POSITION) });
        Machine::run(&self.position, unit, (live, 0, false), &mut context, &lane)?;
        let stride = u64::from(self.slots * abi::SLOT);
        if let Some(varying) = &self.varying {
            let mut context = StageContext::Vertex(records(self.records, stride));
            Machine::run(varying, unit, (live, 0, false), &mut context, &lane)?;
        }
        let memory = &unit.world.memory;
        for l in 0..batch.len() as u64 {
            let mut position = [0.0; 4];
            for (k, p) in (0u64..).zip(&mut position) {
                let word = memory.load_u32(self.positions.0, POSITION * l + 4 * k);
                *p = f32::from_bits(word.map_err(|e| Trap::from(e).in_lane(l as u32))?);
            }
            let from = words.len() as u32;
            for slot in 0..u64::from(self.slots) {
                let all = [0, 4, 8, 12].map(|b| memory.load_u32(self.records.0, stride * l + 16 * slot + b).ok());
                push_slot(words, all);
            }
            let position = from_screen(position, &self.state.viewport);
            let extension = |there: bool, byte: u32, bytes: u32| match self.extensions.filter(|_| there) {
                Some((id, _)) => {
                    let value = memory.load(id, EXTENSION_BYTES * l + u64::from(byte), bytes);
                    value.map(Some).map_err(|e| Trap::from(e).in_lane(l as u32))
                }
                None => Ok(None),
            };
            let size = extension(self.sized, 0, 2)?.map(|half| f16_to_f32(half as u16));
            let point_size = size.or((self.size > 0.0).then_some(self.size));
            let layer = extension(self.layered, abi::EXTENSION_LAYER, 1)?.unwrap_or_default() as u32;
            let words = from..words.len() as u32;
            out.push(VertexOut { position, point_size, layer, words, ..VertexOut::default() });
        }
        Ok(())
    }

    fn quads(
        &self,
        unit: &mut Unit,
        batch: &[QuadIn<'_>],
        words: &[u32],
        targets: &Targets,
        out: &mut Vec<QuadOut>,
    ) -> Result<(), Trap> {
        let Some(stage) = &self.fragment else { return Err(bad_container("there is no fragment program")) };
        let Masks { covered, whole, .. } = Masks::of(batch);
        let (covered, whole) = (covered as u16, whole as u16);
        let live = if self.quads { whole } else { covered };
        let lane = |s: Source, l: usize| {
            let (q, l) = (&batch[l / 4], l % 4);
            match s {
                Source::Family(abi::PRIMITIVE) => q.primitive.index,
                Source::Family(abi::FACING) => u32::from(!q.primitive.front),
                Source::Family(abi::PIXEL) => {
                    let [x, y] = q.pixel(l);
                    x & 0xffff | y << 16
                }
                Source::Family(abi::COVERAGE) => q.coverage[l],
                Source::Family(abi::LAYER) => q.primitive.layer,
                // Bits above the number of the sample are anything.
                _ => q.mask(l) & 0xffff | u32::from(q.sample.unwrap_or(0)) << 16 | 0x5a60_0000 & !0x1f_ffff,
            }
        };
        let mut context = StageContext::Fragment(Box::new(Fragment::new(batch, words, targets, &self.blend)));
        let w = Machine::run(stage, unit, (live, live & !covered, self.quads), &mut context, &lane)?;
        let StageContext::Fragment(f) = context else { return Ok(()) };
        self.merge(&f, w.helpers, out)
    }
}
