//! The machine draws: positions, what goes to fragments, and fragments, one invocation after the other. Descriptors lie in memory.

use std::borrow::Cow;

use gpucc_container::{Container, Entry, IoPlace, ProgramRole, Stage};
use gpucc_sim::draw::{
    DepthTest, Divisor, Draw, DrawEntries, DrawMachine, Mode, QuadIn, QuadOut, RunStages, Targets, VertexIn, VertexOut,
    Where, draw_on,
};
use gpucc_sim::texture::{
    Codec, Coords, Dim, Filter, Format, Lod, MemoryTexels, Request, Sampler, TexelAt, View, Wrap,
};
use gpucc_sim::{
    AddressSpace, Core, Dispatch, DrawDevice, Limits, Memory, Registers, RunOptions, RunReport, Trap, TrapKind, World,
};

use super::machine::invocation;

/// The contents of an output that the program did not write.
const POISON: u32 = 0x7fc0_dead;
/// Words of all outputs of a program.
const OUTPUTS: usize = 32;

/// The common state of both programs.
struct Machine<'a> {
    parts: Vec<(ProgramRole, Cow<'a, Entry>)>,
    fragment: Option<&'a Entry>,
    registers: Registers,
}

/// The memory of a core.
#[derive(Clone)]
struct Placed {
    memory: Memory,
    space: AddressSpace,
}

impl World for Placed {
    const CLASSES: &'static [&'static str] = &[];

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }
}

impl Placed {
    fn word(&self, address: u32) -> Result<u32, Trap> {
        let (id, at) = self.space.resolve(address.into(), 4)?;
        Ok(self.memory.load_u32(id, at)?)
    }

    fn texel(&self, [address, size]: [u32; 2], [x, y, level]: [f32; 3]) -> Result<[u32; 4], Trap> {
        let (w, h) = (size & 0xffff, size >> 16);
        let place = |at: TexelAt| u64::from(address + 4 * (at.y * w + at.x));
        let load = |address: u64, _| self.word(address as u32).map(u64::from);
        let decode = |raw: u128| Format::Rgba8Unorm.decode(&(raw as u32).to_le_bytes());
        let texels = &MemoryTexels::new(place, 4, load, decode);
        let (dim, size) = (Dim::D2, [w, h, 1]);
        let view = View { dim, size, levels: 1, layers: 1, samples: 1, integer: false, fixed_depth: false, texels };
        let (mag, min) = (Filter::Linear, Filter::Linear);
        let sampler = Sampler { wrap: [Wrap::Repeat; 3], mag, min, ..Sampler::default() };
        Request { lod: Lod::Level(level), ..Request::new(Coords::Normalised([x, y, 0.0])) }.run(&view, &sampler)
    }
}

impl Machine<'_> {
    fn pair(&self, space: u16, n: u32) -> [u32; 2] {
        [2 * n, 2 * n + 1].map(|r| self.registers.get(space, r))
    }

    /// Runs a program. Outputs that it does not write are poison.
    fn run(&self, core: &mut Core<Placed>, e: &Entry, inputs: &[u32]) -> Result<[u32; OUTPUTS], Trap> {
        core.counts.steps.charge(1)?;
        let space = u16::from(e.stage == Stage::Fragment);
        let texel = |n, at| core.world.texel(self.pair(space, n), at).map_err(|t| t.to_string());
        let out = invocation(&e.code, (e.stage.bit(), [0; 3], inputs), (&mut Dispatch::default(), &texel));
        let out = out.map_err(|e| Trap::new(TrapKind::UndefinedRead, e))?;
        Ok(std::array::from_fn(|k| out.get(k).copied().flatten().unwrap_or(POISON)))
    }
}

/// Gives the programs of a draw as stages to `run`, with what a driver part prepared.
pub fn draw(
    (vertex, fragment): (&Container, Option<&Container>),
    draw: &Draw<'_>,
    dispatch: &mut Dispatch,
    device: &mut DrawDevice,
    options: &RunOptions,
    run: &mut RunStages<'_>,
) -> Result<RunReport, Trap> {
    let entries = DrawEntries::new(vertex, fragment, Machine::LANES)?;
    let limits = Limits { family: "tiny", generations: &["one"], invocations: 4, workgroups: 1 };
    let launch = entries.launch(&limits, draw, dispatch, device, options)?;
    let mut space = AddressSpace::new32(options.perturb);
    let (memory, _) = launch.memory(dispatch, device, &mut space)?;
    let registers = device.registers.clone();
    let machine = Machine { parts: launch.vertex.parts(), fragment: launch.fragment, registers };
    draw_on(&launch, (&machine, Placed { memory, space }), dispatch, device, run)
}

impl DrawMachine for Machine<'_> {
    const LANES: usize = 4;
    type World = Placed;

    fn depth(&self) -> DepthTest {
        DepthTest::Reject
    }

    fn vertices(
        &self,
        core: &mut Core<Placed>,
        batch: &[VertexIn],
        words: &mut Vec<u32>,
        out: &mut Vec<VertexOut>,
    ) -> Result<(), Trap> {
        for v in batch {
            let (from, mut position) = (words.len() as u32, [0.0; 4]);
            for (role, e) in &self.parts {
                let mut inputs = Vec::new();
                for n in (0..).take(e.interface.iter().filter(|r| !r.output).count()) {
                    let [address, stride] = self.pair(2, n);
                    for k in 0..4 {
                        inputs.push(core.world.word(address + v.vertex * stride + 4 * k)?);
                    }
                }
                let made = self.run(core, e, &inputs)?;
                match role {
                    ProgramRole::Position => position = [0, 1, 2, 3].map(|k| f32::from_bits(made[k])),
                    _ => words.extend(made),
                }
            }
            out.push(VertexOut { position, words: from..words.len() as u32, ..VertexOut::default() });
        }
        Ok(())
    }

    fn quads(
        &self,
        core: &mut Core<Placed>,
        batch: &[QuadIn<'_>],
        words: &[u32],
        _: &Targets,
        out: &mut Vec<QuadOut>,
    ) -> Result<(), Trap> {
        let Some(f) = self.fragment else { return Ok(()) };
        for q in batch {
            let mut made = QuadOut::plain(q);
            for lane in (0..4).filter(|l| q.covered() >> l & 1 == 1) {
                let mut inputs = Vec::new();
                for link in self.registers.iter().filter(|r| r.0 == 3).map(|r| r.2) {
                    let mode = if link >> 8 == 1 { Mode::Flat } else { Mode::Perspective };
                    inputs.extend([0, 1, 2, 3].map(|k| {
                        let at = |v: usize| q.primitive.words[v].start + 4 * (link & 0xff) + k;
                        q.input(lane, mode, Where::Center, Divisor::Place, |v| words[at(v) as usize])
                    }));
                }
                let outputs = self.run(core, f, &inputs)?;
                for r in f.interface.iter().filter(|r| r.output) {
                    let IoPlace::Location { number, .. } = r.at else { continue };
                    let at = 4 * usize::from(r.index);
                    made.colour[usize::from(number)][lane].copy_from_slice(&outputs[at..at + 4]);
                }
            }
            out.push(made);
        }
        Ok(())
    }
}
