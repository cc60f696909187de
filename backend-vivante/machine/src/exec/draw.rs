//! Draws: a vertex and a fragment program as the stages of [`gpucc_sim::draw`] (`docs/abi-vivante.md` 11).
//!
//! State words say where attributes, varyings, outputs and colours lie; what they name and no program wrote traps. Lanes of a batch
//! run together, in whole quads, and killed ones continue as helpers.

use gpucc_container::{Entry, IoPlace, Stage, UNIFORM_FILE, flags};
use gpucc_isa::fail_if;
use gpucc_sim::draw::{
    DepthTest, Divisor, Draw, DrawLaunch, DrawMachine, QuadIn, QuadOut, SLOT_WORDS, Targets, Varyings, VertexIn,
    VertexOut, Where, from_negative, push_slot,
};
use gpucc_sim::texture::Texel;
use gpucc_sim::{
    AddressSpace, At, Dispatch, DrawDevice, DrawState, OwnMemory, RaceCheck, Registers, RunState, Trap,
    trap::{bad_container, undefined},
};

use super::attribute::Attribute;
use super::decode::DecodedProgram;
use super::launch::{LANES, LIMITS, LaunchState, Run, UNIT_TABLE, constants, pieces, texture_units, uniform_words};
use super::memory::DeviceMemory;
use super::registers::{Varying, VertexWords, Wanted, Words, fragment_words, reg, varyings};
use super::subgroup::{Group, Mask};
use crate::abi::{FILE_TEMP, FILE_UNIFORM};
use crate::validate::{INSTRUCTIONS, TEMPS, UNIFORMS};
use crate::{GC2000, GC7000};

/// The vertex or the fragment program of a draw.
struct StageProgram<'a> {
    launch: LaunchState,
    entry: &'a Entry,
}

/// The common state of both programs of a draw.
struct Machine<'a> {
    vertex: StageProgram<'a>,
    fragment: Option<StageProgram<'a>>,
    attributes: Vec<Attribute>,
    /// The register with the numbers of vertex and instance.
    ids: Option<usize>,
    /// Temporaries of position and varyings.
    outputs: Vec<usize>,
    /// The temporary with the size of a point, and half the width of one where there is none.
    size: (Option<usize>, f32),
    /// The varyings.
    varyings: Vec<Varying>,
    /// Temporaries of colours, by hardware's number.
    colours: Vec<usize>,
    /// The target of each of them.
    places: Vec<Place>,
    /// Whether triangles whose corners go clockwise are front-facing.
    clockwise: bool,
    first_instance: u32,
}

/// The type of a colour of hardware: components of a target.
#[derive(Clone, Copy)]
struct Place {
    target: usize,
    first: usize,
    count: usize,
    /// Whether blue is first in memory.
    is_bgra: bool,
    /// Alpha counts beside what is stored.
    alpha: bool,
}

impl Place {
    /// The output mode of the target (1.4): floats, whole words, or integers of a size and a sign.
    fn mode(&self, draw: &Draw<'_>, halti5: bool) -> u32 {
        use gpucc_sim::texture::Format::*;
        let Some(Some(t)) = draw.merger.targets.get(self.target) else { return 0 };
        match t.format {
            R32Float | R32Uint | R32Sint | Rg32Float | Rg32Uint | Rg32Sint | Rgba32Float | Rgba32Uint | Rgba32Sint => 2,
            Rgb10a2Uint => 1,
            R8Uint | Rg8Uint | Rgba8Uint => [1, 3][usize::from(halti5)],
            R16Uint | Rg16Uint | Rgba16Uint => [1, 4][usize::from(halti5)],
            R8Sint | Rg8Sint | Rgba8Sint => [1, 5][usize::from(halti5)],
            R16Sint | Rg16Sint | Rgba16Sint => [1, 6][usize::from(halti5)],
            _ => 0,
        }
    }
}

/// Values that the words of targets must have; colours of some formats are limited to 0 to 1 before they are blended.
fn wants(places: &[Place], draw: &Draw<'_>, halti5: bool) -> Vec<Wanted> {
    let format = |p: &Place| draw.merger.targets.get(p.target).copied().flatten().map(|t| t.format);
    let limited = |p: &Place| format(p).and_then(|f| f.normalised()) == Some((0.0, 1.0));
    places.iter().map(|p| Wanted { mode: p.mode(draw, halti5), saturates: limited(p) }).collect()
}

gpucc_sim::draw_entry!(LIMITS, LANES, Machine::new);

impl<'a> StageProgram<'a> {
    fn new(
        common: &gpucc_sim::Launch<'_>,
        entry: &'a Entry,
        (words, temps): (&Words<'_>, u32),
        state: &DrawState,
        (dispatch, space): (&Dispatch, &DeviceMemory),
        tables: &[(u32, u64)],
    ) -> Result<StageProgram<'a>, Trap> {
        let generation = common.generation;
        let temps_in = words.get(temps);
        let temps = usize::from(entry.meta.registers_of(FILE_TEMP));
        if temps > TEMPS as usize || temps_in as usize != temps {
            return Err(bad_container(format!(
                "{temps} temporaries, the state words say {temps_in}, the chip has {TEMPS}"
            )));
        }
        let uniform_count = usize::from(entry.meta.registers_of(FILE_UNIFORM));
        if uniform_count > UNIFORMS[generation as usize] as usize {
            return Err(bad_container(format!("{uniform_count} uniform registers do not fit the chip")));
        }
        fail_if!(entry.meta.shared_bytes > 0, bad_container("vertex and fragment programs have no workgroup memory"));
        let program = DecodedProgram::new(&entry.code, (generation, entry.stage.bit()), temps, uniform_count)?;
        if program.insts.len() > INSTRUCTIONS[generation as usize] as usize {
            return Err(bad_container(format!("{} instructions do not fit the chip", program.insts.len())));
        }
        if let Some(p) = entry.preloads.iter().find(|p| p.file == FILE_TEMP || p.file > UNIFORM_FILE) {
            return Err(bad_container(format!("no place {} of file {} is loaded in this stage", p.index, p.file)));
        }
        let (uniforms, defined) = uniform_words(common, entry, At::Draw(state), dispatch, space, uniform_count)?;
        let table = tables.iter().find(|t| t.0 == UNIT_TABLE).map_or(0, |t| t.1);
        let units = texture_units(entry, generation, space, table as u32)?;
        let fragment = entry.stage == Stage::Fragment;
        let seed = common.options.perturb;
        Ok(StageProgram {
            launch: LaunchState { program, uniforms, defined, temps, generation, fragment, units, seed },
            entry,
        })
    }
}

impl<'a> Machine<'a> {
    fn new(
        launch: &'a DrawLaunch<'a>,
        registers: &Registers,
        draw: &Draw<'_>,
        dispatch: &Dispatch,
        device: &DrawDevice,
    ) -> Result<(Machine<'a>, DeviceMemory), Trap> {
        let (words, common) = (Words(registers), &launch.common);
        let options = common.options;
        let mut addresses = AddressSpace::new32(options.perturb);
        let (mut memory, _) = launch.memory(dispatch, device, &mut addresses)?;
        let of_vertex = constants(launch.vertex, &mut memory, &mut addresses)?;
        let of_fragment = launch.fragment.map(|f| constants(f, &mut memory, &mut addresses)).transpose()?.flatten();
        let seed = options.perturb;
        let own_of_vertex = pieces(launch.vertex, &mut memory, &mut addresses, seed)?;
        let own_of_fragment = match launch.fragment {
            Some(f) => pieces(f, &mut memory, &mut addresses, seed)?,
            None => None,
        };
        let mut space = DeviceMemory {
            memory,
            addresses,
            data: of_vertex,
            shared: None,
            shared_is_local: false,
            scratch: own_of_vertex,
            races: RaceCheck::default(),
            own: OwnMemory::new(Vec::new()),
            indices: Vec::new(),
        };
        let (state, [of_v, of_f]) = (&launch.state, &device.tables);
        let own = (dispatch, &space);
        let vertex = StageProgram::new(common, launch.vertex, (&words, reg::VS_TEMPS), state, own, of_v)?;
        space.data = of_fragment;
        space.scratch = own_of_fragment;
        let own = (dispatch, &space);
        let fragment = launch
            .fragment
            .map(|f| StageProgram::new(common, f, (&words, reg::PS_TEMPS), state, own, of_f))
            .transpose()?;
        let halti5 = common.generation == GC7000;
        let VertexWords { inputs, ids, outputs, size } = VertexWords::read(&words, halti5)?;
        let mut attributes = Vec::new();
        for (n, &register) in (0..).zip(&inputs) {
            attributes.push(Attribute::read(registers, common.generation, n, register)?);
        }
        let known = |t: &usize| *t < vertex.launch.temps;
        if outputs.is_empty() || !outputs.iter().chain(&size).chain(&ids).all(known) {
            return Err(bad_container("the maps of the vertex program name temporaries that it does not have"));
        }
        if attributes.iter().any(|a| a.register >= vertex.launch.temps) {
            return Err(bad_container("an attribute goes to a temporary that the vertex program does not have"));
        }
        let varyings = varyings(&words, halti5)?;
        if fragment.is_some() && outputs.len() != varyings.len() + 1 {
            return Err(bad_container(format!("{} outputs for {} varyings", outputs.len(), varyings.len())));
        }
        let places = places(draw);
        let mut colours = Vec::new();
        if let Some(f) = &fragment {
            let temps = f.launch.temps;
            // The position, the varyings, and one of unknown contents where pixels have samples.
            let inputs = varyings.len() + 1 + usize::from(draw.raster.samples > 1);
            if inputs > temps.max(1) {
                return Err(bad_container(format!("{inputs} inputs of a fragment program with {temps} temporaries")));
            }
            colours = fragment_words(&words, inputs, &wants(&places, draw, halti5))?;
            if let Some(t) = colours.iter().find(|t| **t >= temps) {
                return Err(bad_container(format!("a target has t{t}, which the program does not have")));
            }
        }
        let machine = Machine {
            vertex,
            fragment,
            attributes,
            ids,
            outputs,
            size: (size, f32::from_bits(words.get(reg::POINT_SIZE))),
            varyings,
            colours,
            places,
            clockwise: draw.raster.front_face == gpucc_sim::draw::FrontFace::Cw,
            first_instance: launch.state.first[1],
        };
        machine.early_depth(words.get(reg::RA_EARLY_DEPTH), common.generation)?;
        Ok((machine, space))
    }

    /// RA_EARLY_DEPTH against what the program does to depth (1.4).
    fn early_depth(&self, word: u32, generation: u8) -> Result<(), Trap> {
        let Some(f) = &self.fragment else { return Ok(()) };
        let early = generation != GC2000 && self.depth() != DepthTest::Late;
        let late_write = generation == GC7000 && (!early || f.entry.meta.flags & flags::DISCARD != 0);
        let want = 0x30 | u32::from(early) | if late_write { 0x1100_0000 } else { 0 };
        fail_if!(word != want, bad_container(format!("RA_EARLY_DEPTH {word:#x} for a program that wants {want:#x}")));
        Ok(())
    }

    /// Runs lanes of a program to its end.
    fn shade(&self, stage: &StageProgram<'_>, core: &mut Run, group: &mut Group) -> Result<(), Trap> {
        let turn = core.counts.steps.slice();
        while group.run(&stage.launch, core, turn)? != RunState::Done {}
        Ok(())
    }

    fn group(&self, stage: &StageProgram<'_>, core: &mut Run, mask: Mask) -> Group {
        let mut group = Group::new(0, stage.launch.temps);
        let mut garbage = core.begin();
        group.start_lanes(&stage.launch, mask, garbage.as_mut());
        group
    }
}

/// Targets without holes; one of 128 bits is two.
fn places(draw: &Draw<'_>) -> Vec<Place> {
    use gpucc_sim::texture::Format;
    let mut list = Vec::new();
    for (k, t) in draw.merger.targets.iter().enumerate() {
        let Some(t) = t else { continue };
        if t.format.bytes() == 16 {
            list.extend([0, 2].map(|first| Place { target: k, first, count: 2, is_bgra: false, alpha: false }));
        } else {
            let is_bgra = matches!(t.format, Format::Rgba8Unorm | Format::Rgba8UnormSrgb);
            let alpha = t.reads_source_alpha() || k == 0 && draw.merger.alpha_to_coverage;
            let count = t.format.components() as usize;
            list.push(Place { target: k, first: 0, count, is_bgra, alpha });
        }
    }
    list
}

impl DrawMachine for Machine<'_> {
    const LANES: usize = LANES;
    type World = DeviceMemory;

    fn depth(&self) -> DepthTest {
        let has = |flag: u32| self.fragment.as_ref().is_some_and(|f| f.entry.meta.flags & flag != 0);
        match () {
            () if has(flags::EARLY_DEPTH) => DepthTest::Early,
            () if has(flags::WRITES_DEPTH | flags::WRITES_MEMORY) => DepthTest::Late,
            () => DepthTest::Reject,
        }
    }

    fn varyings(&self) -> Varyings {
        let mut all = Varyings::of_slots(self.outputs.len() as u32 - 1);
        // By the fragment program's order where there is one.
        let by_fragment = self.fragment.as_ref().map(|f| f.entry);
        for row in by_fragment.map_or(&self.vertex.entry.interface, |f| &f.interface) {
            let IoPlace::Location { number, .. } = row.at else { continue };
            let at = match by_fragment {
                Some(_) if !row.output => Some(usize::from(row.index) - 1),
                None if row.output => self.outputs.iter().skip(1).position(|&t| t == usize::from(row.index)),
                _ => None,
            };
            if let Some(at) = at {
                all.put(number, at as u32);
            }
        }
        all
    }

    fn vertices(
        &self,
        core: &mut Run,
        batch: &[VertexIn],
        words: &mut Vec<u32>,
        out: &mut Vec<VertexOut>,
    ) -> Result<(), Trap> {
        let mask = ((1u64 << batch.len()) - 1) as Mask;
        let mut group = self.group(&self.vertex, core, mask);
        for a in &self.attributes {
            for (lane, v) in batch.iter().enumerate() {
                let value = a.fetch(&core.world, v.vertex, v.instance, self.first_instance)?;
                for (c, word) in value.into_iter().enumerate() {
                    group.put(a.register, c, lane, word);
                }
            }
        }
        if let Some(register) = self.ids {
            for (lane, v) in batch.iter().enumerate() {
                group.put(register, 0, lane, v.vertex);
                group.put(register, 1, lane, v.instance.wrapping_sub(self.first_instance));
            }
        }
        self.shade(&self.vertex, core, &mut group)?;
        for lane in 0..batch.len() {
            let mut position = [0.0; 4];
            for (c, p) in position.iter_mut().enumerate() {
                *p = f32::from_bits(group.output(self.outputs[0], c, lane)?);
            }
            let from = words.len() as u32;
            for &t in &self.outputs[1..] {
                push_slot(words, [0, 1, 2, 3].map(|c| group.output(t, c, lane).ok()));
            }
            let position = from_negative(position);
            let point_size = match self.size {
                (Some(t), _) => Some(f32::from_bits(group.output(t, 0, lane)?)),
                (None, half) => (half > 0.0).then_some(2.0 * half),
            };
            out.push(VertexOut { position, point_size, words: from..words.len() as u32, ..VertexOut::default() });
        }
        Ok(())
    }

    fn quads(
        &self,
        core: &mut Run,
        batch: &[QuadIn<'_>],
        words: &[u32],
        _: &Targets,
        out: &mut Vec<QuadOut>,
    ) -> Result<(), Trap> {
        let Some(fragment) = &self.fragment else { return Err(bad_container("there is no fragment program")) };
        let whole = ((1u64 << (4 * batch.len())) - 1) as Mask;
        let mut group = self.group(fragment, core, whole);
        let covered = batch.iter().enumerate().fold(0, |m, (k, q)| m | Mask::from(q.covered()) << (4 * k));
        group.begin_fragments(covered);
        for lane in 0..4 * batch.len() {
            let (q, l) = (&batch[lane / 4], lane % 4);
            for (c, v) in q.position(l).into_iter().enumerate() {
                group.put(0, c, lane, v.to_bits());
            }
            let clockwise = q.primitive.front == self.clockwise;
            group.put_internal(lane, if clockwise { 1f32 } else { 0.0 }.to_bits());
            for (n, &Varying { components, mode, of_point }) in self.varyings.iter().enumerate() {
                for c in 0..components {
                    if let Some(k) = of_point[c] {
                        let (x, y) = q.point(l, Where::Center);
                        group.put(n + 1, c, lane, q.setup.point_coord(x, y)[k].to_bits());
                        continue;
                    }
                    let missing = core::cell::Cell::new(false);
                    let value = q.input(l, mode, Where::Center, Divisor::Place, |vertex| {
                        let at = q.primitive.words[vertex].start as usize + SLOT_WORDS as usize * n;
                        missing.set(missing.get() || words[at] >> c & 1 == 0);
                        words[at + 1 + c]
                    });
                    if missing.get() {
                        let what = format!("component {c} of varying {n} was not written by the vertex program");
                        return Err(undefined(what));
                    }
                    group.put(n + 1, c, lane, value);
                }
            }
        }
        self.shade(fragment, core, &mut group)?;
        let live = group.live();
        let writes_depth = fragment.entry.meta.flags & flags::WRITES_DEPTH != 0;
        for (q, lanes) in QuadOut::lanes(QuadOut::batch(out, batch.len(), live.into())) {
            q.open = group.open() >> lanes[0] & 15 != 0;
            q.depth = writes_depth.then(Default::default);
            for (l, lane) in lanes.into_iter().enumerate().filter(|(_, lane)| live >> lane & 1 == 1) {
                for (&t, p) in self.colours.iter().zip(&self.places) {
                    let texel: &mut Texel = &mut q.colour[p.target][l];
                    for c in 0..p.count {
                        let from = if p.is_bgra && c < 3 { 2 - c } else { c };
                        texel[p.first + c] = group.output(t, from, lane)?;
                    }
                    if p.first == 0 && p.count < 4 {
                        texel[3] = if p.alpha { group.output(t, 3, lane)? } else { 1f32.to_bits() };
                    }
                }
                if let Some(depth) = &mut q.depth {
                    depth[l] = f32::from_bits(group.output(0, 2, lane)?);
                }
            }
        }
        Ok(())
    }
}
