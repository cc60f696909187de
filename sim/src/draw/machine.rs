//! Draws on a machine: two containers and a machine's waves as the [`Stages`] of a draw.
//!
//! [`DrawEntries`] joins the entries of both programs, [`DrawLaunch`] has their memory and places, and a [`DrawMachine`] runs waves
//! of vertices and of quads. What no family does differently is here: batches, cores, words between the stages, quads without a
//! program, what flags say of the program, and giving memory back.

use gpucc_container::{Access, Container, Entry, Resource, flags};

use super::crew::Crew;
use super::{
    DepthTest, Draw, FragmentTraits, LinkedStages, QuadIn, QuadOut, RunStages, Stages, Targets, Varyings, VertexIn,
    VertexOut, VertexTraits,
};
use crate::address::AddressSpace;
use crate::device::{Device, DrawDevice};
use crate::dispatch::{Dispatch, RunOptions, RunReport};
use crate::launch::source::DrawState;
use crate::launch::{Launch, Limits};
use crate::memory::Memory;
use crate::simulator::{Core, World};
use crate::trap::{Trap, bad_container};

/// Batches of quads that may wait for each other.
const BATCHES: usize = 64;

/// The entries of a draw, and one that has the resources of both.
pub struct DrawEntries<'a> {
    vertex: &'a Entry,
    fragment: Option<&'a Entry>,
    both: Container,
}

impl<'a> DrawEntries<'a> {
    /// The first entry of each container. `lanes` are those of a wave.
    ///
    /// # Errors
    /// A container without an entry.
    pub fn new(vertex: &'a Container, fragment: Option<&'a Container>, lanes: usize) -> Result<DrawEntries<'a>, Trap> {
        let first = |c: &'a Container| c.entries.first().ok_or_else(|| bad_container("a container without an entry"));
        let (v, f) = (first(vertex)?, fragment.map(first).transpose()?);
        // One launch has what both use: memory is theirs together.
        let mut resources: Vec<Resource> = Vec::new();
        for r in v.resources.iter().chain(f.iter().flat_map(|f| &f.resources)) {
            match resources.iter_mut().find(|o| o.is_same(r)) {
                Some(o) => {
                    o.min_size = o.min_size.max(r.min_size);
                    if o.access != r.access {
                        o.access = Access::ReadWrite;
                    }
                }
                None => resources.push(r.clone()),
            }
        }
        let mut entry = Entry { name: "draw".into(), resources, ..Entry::default() };
        entry.meta.workgroup_size = [lanes as u32, 1, 1];
        let both = Container {
            family: vertex.family.clone(),
            generation: vertex.generation.clone(),
            compiler: vertex.compiler,
            options_hash: vertex.options_hash,
            entries: vec![entry],
        };
        Ok(DrawEntries { vertex: v, fragment: f, both })
    }

    /// Checks the entries against what is bound and what a driver part described.
    ///
    /// # Errors
    /// As [`Launch::on`].
    pub fn launch<'l>(
        &'l self,
        limits: &Limits,
        draw: &Draw<'_>,
        dispatch: &Dispatch,
        device: &DrawDevice,
        options: &'l RunOptions,
    ) -> Result<DrawLaunch<'l>, Trap> {
        let common = Launch::on(limits, &self.both, None, dispatch, &device.device, options)?;
        Ok(DrawLaunch { common, vertex: self.vertex, fragment: self.fragment, state: DrawState::of(draw) })
    }
}

/// A draw whose entries were checked.
pub struct DrawLaunch<'a> {
    /// Buffers and immediate data of both programs.
    pub common: Launch<'a>,
    /// The vertex entry of the draw.
    pub vertex: &'a Entry,
    /// The fragment entry; without one depth and stencil alone are written.
    pub fragment: Option<&'a Entry>,
    /// The draw's values that preloads may ask for.
    pub state: DrawState,
}

impl DrawLaunch<'_> {
    /// Memory with buffers and what the driver part placed; the address of each buffer of the launch. What the driver part left
    /// open is placed in `space`.
    ///
    /// # Errors
    /// Places that overlap, or no room.
    pub fn memory(
        &self,
        dispatch: &Dispatch,
        device: &DrawDevice,
        space: &mut AddressSpace,
    ) -> Result<(Memory, Vec<u64>), Trap> {
        let (memory, _, buffers) = self.common.memory_in(dispatch, &device.device, space)?;
        Ok((memory, buffers))
    }

    /// Whether a program of the draw has a flag.
    fn has(&self, flag: u32) -> bool {
        self.fragment.into_iter().chain([self.vertex]).any(|e| e.meta.flags & flag != 0)
    }

    /// Properties of the fragment program that decide order and depth testing.
    fn traits(&self, depth: DepthTest) -> FragmentTraits {
        let Some(f) = self.fragment else {
            return FragmentTraits { depth: DepthTest::Reject, ..FragmentTraits::default() };
        };
        let has = |flag: u32| f.meta.flags & flag != 0;
        FragmentTraits {
            per_sample: has(flags::SAMPLE_SHADING),
            reads_targets: has(flags::READS_TARGETS),
            writes_memory: has(flags::WRITES_MEMORY),
            depth,
        }
    }
}

/// A machine that draws: what both programs share, by which any core runs their waves.
pub trait DrawMachine: Sync {
    /// Lanes of a wave, a multiple of 4.
    const LANES: usize;

    /// The state that waves on one core share, with the memory that [`DrawLaunch::memory`] gave.
    type World: World;

    /// When depth and stencil are tested, if there is a fragment program.
    fn depth(&self) -> DepthTest;

    /// Whether vertices know the number of their primitive, and how many layers they can choose among.
    fn vertex_traits(&self) -> VertexTraits {
        VertexTraits::default()
    }

    /// Where the words of a vertex lie that [`DrawMachine::vertices`] gives and [`DrawMachine::quads`] reads. Without it the family
    /// draws with both programs alone.
    fn varyings(&self) -> Varyings {
        Varyings::default()
    }

    /// Shades at most [`DrawMachine::LANES`] vertices: appends one [`VertexOut`] for each, with the words that fragments get to
    /// `words`, which is empty before.
    ///
    /// # Errors
    /// A trap of the program.
    fn vertices(
        &self,
        on: &mut Core<Self::World>,
        batch: &[VertexIn],
        words: &mut Vec<u32>,
        out: &mut Vec<VertexOut>,
    ) -> Result<(), Trap>;

    /// Shades 1 to [`DrawMachine::LANES`] / 4 quads and appends one [`QuadOut`] for each. `words` are those of the vertices.
    /// `targets` hold what earlier batches wrote.
    ///
    /// # Errors
    /// A trap of the program.
    fn quads(
        &self,
        on: &mut Core<Self::World>,
        batch: &[QuadIn<'_>],
        words: &[u32],
        targets: &Targets,
        out: &mut Vec<QuadOut>,
    ) -> Result<(), Trap>;
}

/// Declares `draw` of a machine by its limits and the lanes of a wave. The rest makes the machine and its memory, by the launch, the registers,
/// the draw, the dispatch and the device.
#[macro_export]
macro_rules! draw_entry {
    ($limits:expr, $lanes:expr, $make:expr) => {
        /// Gives the programs of a draw as stages to `run`, with what a driver part prepared. Buffers of the dispatch and residents of the
        /// device hold in the end what was written, also when the draw ends in a trap.
        ///
        /// # Errors
        /// A trap with its instruction and address, or what is wrong with containers, register words or the draw; what `run` gives.
        pub fn draw(
            (vertex, fragment): (&gpucc_container::Container, Option<&gpucc_container::Container>),
            draw: &$crate::draw::Draw<'_>,
            dispatch: &mut $crate::Dispatch,
            device: &mut $crate::DrawDevice,
            options: &$crate::RunOptions,
            run: &mut $crate::draw::RunStages<'_>,
        ) -> Result<$crate::RunReport, $crate::Trap> {
            let entries = $crate::draw::DrawEntries::new(vertex, fragment, $lanes)?;
            let launch = entries.launch(&$limits, draw, dispatch, device, options)?;
            let registers = device.registers.clone();
            let (machine, world) = $make(&launch, &registers, draw, dispatch, device)?;
            $crate::draw::draw_on(&launch, (&machine, world), dispatch, device, run)
        }
    };
}

/// Gives the waves of a machine as stages to `run`. Buffers of the dispatch and residents of the device hold in the end what was
/// written, also when the draw ends in a trap.
///
/// # Errors
/// A trap with its instruction and address.
pub fn draw_on<M: DrawMachine>(
    launch: &DrawLaunch<'_>,
    (machine, world): (&M, M::World),
    dispatch: &mut Dispatch,
    device: &mut DrawDevice,
    run: &mut RunStages<'_>,
) -> Result<RunReport, Trap> {
    let options = launch.common.options;
    let ordered = launch.has(flags::WRITES_MEMORY) || options.perturb.is_some();
    let mut runner = Runner {
        machine,
        core: Core::new(world, options),
        crew: Crew::new(if ordered { 1 } else { options.cores }),
        traits: launch.traits(machine.depth()),
        shades: launch.fragment.is_some(),
        words: Vec::new(),
    };
    let result = run(&mut runner);
    let Runner { mut core, crew, .. } = runner;
    let steps = core.counts.steps.used();
    let memory = core.world.memory();
    for b in &launch.common.buffers {
        dispatch.buffers[b.place].bytes = memory.take(b.id).into_vec();
    }
    let buffers = launch.common.buffers.len();
    for (k, r) in device.device.residents.iter_mut().enumerate() {
        r.bytes = memory.take(Device::id(buffers, k));
    }
    result?;
    Ok(RunReport { steps, ..crew.report })
}

/// A machine as the stages of a draw.
struct Runner<'m, M: DrawMachine> {
    machine: &'m M,
    core: Core<M::World>,
    crew: Crew<Core<M::World>>,
    traits: FragmentTraits,
    /// Whether there is a fragment program.
    shades: bool,
    /// Words for the fragments of the vertices of the last call.
    words: Vec<u32>,
}

impl<M: DrawMachine> LinkedStages for Runner<'_, M> {
    fn varyings(&self) -> Varyings {
        self.machine.varyings()
    }

    fn words(&mut self) -> &mut Vec<u32> {
        &mut self.words
    }
}

impl<M: DrawMachine> Stages for Runner<'_, M> {
    fn batch_quads(&self) -> usize {
        M::LANES / 4
    }

    fn batches_at_once(&self) -> usize {
        BATCHES
    }

    fn traits(&self) -> FragmentTraits {
        self.traits
    }

    fn vertex_traits(&self) -> VertexTraits {
        self.machine.vertex_traits()
    }

    fn vertices(&mut self, batch: &[VertexIn], out: &mut Vec<VertexOut>) -> Result<(), Trap> {
        let Runner { machine, core, crew, words, .. } = self;
        words.clear();
        let lists: Vec<&[VertexIn]> = batch.chunks(M::LANES).collect();
        let work = |on: &mut Core<M::World>, k: usize| {
            let (mut own, mut made) = (Vec::new(), Vec::new());
            machine.vertices(on, lists[k], &mut own, &mut made)?;
            Ok((made, own))
        };
        crew.each(core, lists.len(), work, |(made, own): (Vec<VertexOut>, Vec<u32>)| {
            let base = words.len() as u32;
            words.extend(own);
            out.extend(made.into_iter().map(|v| VertexOut { words: v.words.start + base..v.words.end + base, ..v }));
        })
    }

    fn quads(&mut self, batch: &[QuadIn<'_>], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        self.batches(&[batch], targets, out)
    }

    fn batches(&mut self, list: &[&[QuadIn<'_>]], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        let Runner { machine, core, crew, words, shades, .. } = self;
        if !*shades {
            out.extend(list.iter().copied().flatten().map(QuadOut::plain));
            return Ok(());
        }
        let work = |on: &mut Core<M::World>, k: usize| {
            let mut made = Vec::with_capacity(list[k].len());
            machine.quads(on, list[k], words, targets, &mut made)?;
            Ok(made)
        };
        crew.each(core, list.len(), work, |made| out.extend(made))
    }

    fn executed(&self) -> Option<&RunReport> {
        Some(&self.crew.report)
    }

    fn charge(&mut self, steps: u64) -> Result<(), Trap> {
        self.core.counts.steps.spend(steps)
    }
}
