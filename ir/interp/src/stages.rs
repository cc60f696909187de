//! Draws: the programs of a vertex and a fragment entry as the stages of [`gpucc_sim::draw`].
//!
//! Both programs share what is bound: bytes and textures move to the one that runs and back, so each sees what the other wrote.
//! Vertices and quads run in batches of 64 lanes. Inputs are worked out before a batch starts, outputs are read when it ended.

use crate::cores::Cores;
use crate::profile::Profile;
use crate::program::OracleProgram;
use crate::quads::{LANES, sysval_row};
use crate::stage_program::{StageProgram, Store};
use gpucc_ir::{Form, IoAt, Mode, Position, Stage, StageInfo, Sysval, Where};
use gpucc_num::pack;
use gpucc_pipeline::Target;
use gpucc_sim::draw::{
    self, DepthTest, Draw, FragmentTraits, Handed, LinkedStages, QuadIn, QuadOut, RunStages, Stages, Targets, Varyings,
    VertexData, VertexIn, VertexOut, VertexTraits, attributes, from_negative, from_screen,
};
use gpucc_sim::quads::Masks;
use gpucc_sim::texture::Base;
use gpucc_sim::{
    Dispatch, RunOptions, RunReport, StepBudget, Trap,
    trap::{bad_dispatch, unsupported},
};

/// The programs of a draw.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Program of the vertex entry.
    pub vertex: &'a OracleProgram,
    /// Program of the fragment entry; without one depth and stencil alone are written.
    pub fragment: Option<&'a OracleProgram>,
}

/// Draws on `targets`. `bindings` has the buffers, textures and samplers of both stages; buffers
/// and textures are changed in place, also when the draw ends in a trap. Its grid does not count.
///
/// # Errors
/// Something is not bound or does not fit, or the first rule that a program broke.
pub fn draw(
    pair: Pair<'_>,
    draw: &Draw<'_>,
    vertex_buffers: &[Option<VertexData<'_>>],
    bindings: &mut Dispatch,
    targets: &mut Targets,
    options: &RunOptions,
    profile: &Profile,
) -> Result<RunReport, Trap> {
    let lowered = opaque(draw, pair.fragment);
    stages(pair, draw, vertex_buffers, bindings, (options, profile), &mut |stages| {
        draw::draw(&lowered, stages, targets)
    })
}

/// Makes stages of the programs of a draw and gives them to `run`. `bindings` are changed as [`draw()`] says.
///
/// # Errors
/// As [`draw()`], and what `run` gives.
pub fn stages(
    pair: Pair<'_>,
    draw: &Draw<'_>,
    vertex_buffers: &[Option<VertexData<'_>>],
    bindings: &mut Dispatch,
    (options, profile): (&RunOptions, &Profile),
    run: &mut RunStages<'_>,
) -> Result<RunReport, Trap> {
    let mut runner = Runner::new(pair, draw, vertex_buffers, bindings, options, profile)?;
    let v = &draw.vertices;
    runner.first = [if v.indices.is_some() { v.base as u32 } else { v.first }, v.first_instance];
    runner.store.take(bindings);
    let result = run(&mut runner);
    runner.store.give_back(bindings);
    result?;
    let mut report = RunReport { steps: runner.steps.used(), ..RunReport::default() };
    for cores in [Some(runner.vertex), runner.fragment].into_iter().flatten() {
        report.add(cores.report());
    }
    Ok(report)
}

/// The draw without the blending that code of the fragment program does.
pub fn opaque<'d>(draw: &Draw<'d>, fragment: Option<&OracleProgram>) -> Draw<'d> {
    let mut draw = draw.clone();
    let Some(fragment) = fragment else { return draw };
    let (compact, outputs) = (fragment.has_compact_targets(), fragment.slots().1);
    for slot in outputs.iter().filter(|o| o.blended) {
        if let IoAt::Location { number, .. } = slot.at
            && let Some(k) = place_of(compact, number, &draw.merger.targets)
            && let Some(Some(target)) = draw.merger.targets.get_mut(k)
        {
            target.blend = None;
        }
    }
    draw
}

/// The place among the targets of a pipeline of an output's location.
fn place_of(compact: bool, number: u8, targets: &[Option<Target>]) -> Option<usize> {
    if compact {
        return (0..targets.len()).filter(|&k| targets[k].is_some()).nth(usize::from(number));
    }
    Some(usize::from(number))
}

impl OracleProgram {
    /// The properties of a fragment entry that the loop of a draw needs.
    fn traits(&self) -> FragmentTraits {
        let StageInfo::Fragment { io, early_depth } = &self.stage else { return FragmentTraits::default() };
        let at_sample = io.inputs.iter().any(|i| i.interp.at == Where::Sample);
        let of_sample = self.sysvals.iter().any(|s| matches!(s, Sysval::SampleIndex | Sysval::SamplePosition));
        let writes_depth = io.outputs.iter().any(|o| matches!(o.at, IoAt::FragDepth | IoAt::FragStencil));
        FragmentTraits {
            per_sample: !self.loaded.is_empty() || at_sample || of_sample,
            reads_targets: !self.loaded.is_empty(),
            writes_memory: self.writes_memory,
            depth: match (early_depth, writes_depth || self.writes_memory) {
                (true, _) => DepthTest::Early,
                (_, true) => DepthTest::Late,
                _ => DepthTest::Reject,
            },
        }
    }

    /// Whether buffers or images are written.
    pub fn writes_memory(&self) -> bool {
        self.writes_memory
    }

    /// Whether locations of colours have no holes.
    fn has_compact_targets(&self) -> bool {
        matches!(&self.stage, StageInfo::Fragment { io, .. } if io.compact_targets)
    }
}

/// An attribute of a vertex: row of its first component, components, place in the list of all attributes.
struct Attribute {
    row: u32,
    lanes: u32,
    from: usize,
}

/// An input of a fragment: row of its first component, components, first word among those of a vertex.
struct Varying {
    row: u32,
    lanes: u32,
    from: u32,
    mode: Mode,
    at: draw::Where,
    /// Where no vertex gives it.
    from_setup: Option<FromSetup>,
}

/// An input that follows from where a fragment lies in its primitive.
#[derive(Clone, Copy)]
enum FromSetup {
    /// The place in a point.
    PointCoord,
    /// The shares of the second and third vertex.
    Barycentric,
}

struct Runner<'a, 'd> {
    vertex: Cores<'a>,
    fragment: Option<Cores<'a>>,
    store: Store,
    steps: StepBudget,
    buffers: &'d [Option<VertexData<'d>>],
    attributes: Vec<Attribute>,
    varyings: Vec<Varying>,
    position: Position,
    traits: FragmentTraits,
    /// The viewport as [`gpucc_sim::raster::Viewport::on_screen`] gives it.
    viewport: [[f32; 3]; 2],
    /// Place among the targets of each one that the fragment program loads, and the row of its first component.
    loaded: Vec<(usize, u32)>,
    /// Place among the targets of each colour, by its location.
    places: Vec<Option<usize>>,
    /// Base vertex and first instance.
    first: [u32; 2],
    /// Words for the fragments of the vertices of the last call.
    words: Vec<u32>,
}

impl<'a, 'd> Runner<'a, 'd> {
    fn new(
        pair: Pair<'a>,
        draw: &Draw<'_>,
        buffers: &'d [Option<VertexData<'d>>],
        bindings: &Dispatch,
        options: &RunOptions,
        profile: &'a Profile,
    ) -> Result<Self, Trap> {
        let mut vertex = StageProgram::new(pair.vertex, Stage::Vertex, bindings, options, profile)?;
        let mut fragment = match pair.fragment {
            Some(p) => Some(StageProgram::new(p, Stage::Fragment, bindings, options, profile)?),
            None => None,
        };
        let position = match &pair.vertex.stage {
            StageInfo::Vertex(io) => io.position,
            _ => Position::Clip,
        };
        let viewport = draw.raster.viewport.on_screen();
        for (value, words) in [(Sysval::ViewportScale, viewport[0]), (Sysval::ViewportOffset, viewport[1])] {
            vertex.set_all(value, &words);
        }
        if let Some(f) = &mut fragment {
            f.set_all(Sysval::BlendConstant, &draw.merger.constant);
        }
        let compact = pair.fragment.is_some_and(OracleProgram::has_compact_targets);
        let places: Vec<_> = (0..8).map(|n| place_of(compact, n, &draw.merger.targets)).collect();
        let place = |location: u8| places.get(usize::from(location)).copied().flatten();
        let loaded = pair.fragment.map_or(&[][..], |f| &f.loaded);
        let loaded = loaded.iter().filter_map(|&(n, row)| Some((place(n)?, row))).collect();
        let (_, outputs) = pair.vertex.slots();
        if !outputs.iter().any(|o| o.at == IoAt::Position && o.ty.lanes() == 4) {
            return Err(bad_dispatch(format!("`{}` gives no position", pair.vertex.name())));
        }
        let traits = match pair.fragment {
            Some(p) => p.traits(),
            None => FragmentTraits { depth: DepthTest::Reject, ..FragmentTraits::default() },
        };
        Ok(Runner {
            attributes: plan_attributes(pair.vertex, buffers)?,
            varyings: pair.fragment.map_or(Ok(Vec::new()), |f| plan_varyings(pair.vertex, f))?,
            vertex: Cores::new(vertex, pair.vertex, options),
            fragment: fragment.zip(pair.fragment).map(|(stage, program)| Cores::new(stage, program, options)),
            store: Store::default(),
            steps: StepBudget::new(options),
            buffers,
            position,
            traits,
            viewport,
            loaded,
            places,
            first: [0; 2],
            words: Vec::new(),
        })
    }
}

/// Where each input of a vertex entry comes from.
fn plan_attributes(program: &OracleProgram, buffers: &[Option<VertexData<'_>>]) -> Result<Vec<Attribute>, Trap> {
    let all: Vec<_> = buffers.iter().flatten().flat_map(|b| &b.layout.attributes).collect();
    let mut list = Vec::new();
    for (slot, &row) in program.slots().0.iter().zip(&program.input_rows) {
        let IoAt::Location { number, .. } = slot.at else {
            return Err(unsupported(format!("{} as an input of a vertex", slot.at)));
        };
        let Some(from) = all.iter().position(|a| a.location == u32::from(number)) else {
            return Err(bad_dispatch(format!("no attribute has location {number} (`{}`)", slot.name)));
        };
        let float = all[from].format.base() == Base::Float;
        if float != slot.ty.is_float() {
            let sort = if float { "floats" } else { "integers" };
            return Err(bad_dispatch(format!("the attribute of location {number} (`{}`) has {sort}", slot.name)));
        }
        list.push(Attribute { row, lanes: slot.ty.lanes(), from });
    }
    Ok(list)
}

/// Where each input of a fragment entry comes from.
fn plan_varyings(vertex: &OracleProgram, fragment: &OracleProgram) -> Result<Vec<Varying>, Trap> {
    let mut list = Vec::new();
    for (slot, &row) in fragment.slots().0.iter().zip(&fragment.input_rows) {
        if slot.at == IoAt::PointCoord {
            let (mode, at) = (Mode::Linear, draw::Where::Sample);
            list.push(Varying { row, lanes: 2, from: 0, mode, at, from_setup: Some(FromSetup::PointCoord) });
            continue;
        }
        if slot.at == IoAt::Barycentric {
            let (mode, at, from_setup) = (slot.interp.mode, slot.interp.at, Some(FromSetup::Barycentric));
            list.push(Varying { row, lanes: slot.ty.lanes(), from: 0, mode, at, from_setup });
            continue;
        }
        if !travels(slot.at) {
            return Err(unsupported(format!("{} as an input of a fragment", slot.at)));
        }
        let mut from = 0;
        let given = vertex.slots().1.iter().filter(|o| travels(o.at)).find(|o| {
            let found = o.at == slot.at;
            from += if found { 0 } else { o.ty.lanes() };
            found
        });
        let Some(given) = given else {
            return Err(bad_dispatch(format!("`{}` gives nothing at {} (`{}`)", vertex.name(), slot.at, slot.name)));
        };
        if given.ty.scalar() != slot.ty.scalar() || given.ty.lanes() < slot.ty.lanes() {
            let said = format!("{} (`{}`) is {}, `{}` gives {}", slot.at, slot.name, slot.ty, vertex.name(), given.ty);
            return Err(bad_dispatch(said));
        }
        let smooth = slot.ty.is_float() || slot.interp.mode.is_constant();
        let mode = if smooth { slot.interp.mode } else { Mode::Flat };
        list.push(Varying { row, lanes: slot.ty.lanes(), from, mode, at: slot.interp.at, from_setup: None });
    }
    Ok(list)
}

/// Whether what a vertex gives there comes to fragments as it is: by a location, or as a number that lowering hands on.
fn travels(at: IoAt) -> bool {
    matches!(at, IoAt::Location { .. } | IoAt::PrimitiveIndex | IoAt::VertexNumber)
}

impl LinkedStages for Runner<'_, '_> {
    fn varyings(&self) -> Varyings {
        let mut v = Varyings::default();
        for slot in self.vertex.main.program.slots().1.iter().filter(|s| travels(s.at)) {
            let first = v.blank.len() as u32;
            match slot.at {
                IoAt::Location { number, .. } => {
                    v.places.extend((0..slot.ty.lanes()).map(|k| (number, k as u8, first + k)));
                }
                IoAt::PrimitiveIndex => v.numbers.push((Handed::PrimitiveIndex, first)),
                _ => v.numbers.push((Handed::VertexNumber, first)),
            }
            v.blank.extend((0..slot.ty.lanes()).map(|_| 0));
        }
        v
    }

    fn words(&mut self) -> &mut Vec<u32> {
        &mut self.words
    }
}

impl Stages for Runner<'_, '_> {
    fn batch_quads(&self) -> usize {
        self.fragment.as_ref().map_or(LANES as usize, |f| f.main.lanes()) / 4
    }

    fn batches_at_once(&self) -> usize {
        64
    }

    fn traits(&self) -> FragmentTraits {
        self.traits
    }

    fn vertex_traits(&self) -> VertexTraits {
        let numbers_primitives = self.vertex.main.program.sysvals.contains(&Sysval::RawPrimitiveIndex);
        VertexTraits { numbers_primitives, ..VertexTraits::default() }
    }

    fn vertices(&mut self, batch: &[VertexIn], out: &mut Vec<VertexOut>) -> Result<(), Trap> {
        self.words.clear();
        let Runner { vertex, store, steps, buffers, attributes: plan, position, words, first, viewport, .. } = self;
        let lists: Vec<&[VertexIn]> = batch.chunks(vertex.main.lanes()).collect();
        let work = |stage: &mut StageProgram<'_>, k: usize| {
            let mut values = Vec::new();
            for (lane, &v) in lists[k].iter().enumerate() {
                values.clear();
                attributes(buffers, v, &mut values);
                for a in plan.iter() {
                    (0..a.lanes).for_each(|k| stage.run.batch.set(a.row + k, lane, values[a.from].1[k as usize]));
                }
                let numbers = [
                    (Sysval::VertexIndex, v.vertex),
                    (Sysval::InstanceIndex, v.instance),
                    (Sysval::RawVertexIndex, v.vertex.wrapping_sub(first[0])),
                    (Sysval::RawInstanceIndex, v.instance.wrapping_sub(first[1])),
                    (Sysval::RawPrimitiveIndex, v.primitive),
                    (Sysval::FirstVertex, first[0]),
                    (Sysval::FirstInstance, first[1]),
                ];
                for (row, value) in numbers.map(|(s, value)| (sysval_row(s), value)) {
                    row.into_iter().for_each(|row| stage.run.batch.set(row, lane, value));
                }
            }
            stage.run.run_batch(&mut stage.group, lists[k].len() as u32)?;
            let mut own = Vec::new();
            let made = (0..lists[k].len()).map(|lane| vertex_out(stage, (*position, viewport), &mut own, lane));
            Ok((made.collect::<Vec<_>>(), own))
        };
        vertex.each(store, steps, lists.len(), work, |(made, own)| {
            let base = words.len() as u32;
            words.extend(own);
            out.extend(made.into_iter().map(|v| VertexOut { words: v.words.start + base..v.words.end + base, ..v }));
        })
    }

    fn quads(&mut self, batch: &[QuadIn<'_>], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        self.batches(&[batch], targets, out)
    }

    fn batches(&mut self, list: &[&[QuadIn<'_>]], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        let Runner { fragment, store, steps, varyings, words, loaded, places, .. } = self;
        let Some(cores) = fragment else {
            out.extend(list.iter().copied().flatten().map(QuadOut::plain));
            return Ok(());
        };
        let work = |stage: &mut StageProgram<'_>, k: usize| {
            let batch = list[k];
            stage.run.batch.masks = Some(Masks::of(batch));
            stage.run.batch.open = 0;
            for (k, quad) in batch.iter().enumerate() {
                (0..4).for_each(|lane| fill(stage, quad, varyings, words, (k, lane)));
                for &(place, row) in loaded.iter() {
                    (0..4).for_each(|lane| load_target(stage, quad, (targets, place), row, (k, lane)));
                }
            }
            stage.run.run_batch(&mut stage.group, 4 * batch.len() as u32)?;
            Ok((0..batch.len()).map(|k| quad_out(stage, places, k)).collect::<Vec<_>>())
        };
        cores.each(store, steps, list.len(), work, |made| out.extend(made))
    }

    fn executed(&self) -> Option<&RunReport> {
        self.fragment.as_ref().map(Cores::executed)
    }

    fn charge(&mut self, steps: u64) -> Result<(), Trap> {
        self.steps.spend(steps)
    }
}

/// The vertex program's result in a lane.
fn vertex_out(
    stage: &StageProgram<'_>,
    (position, viewport): (Position, &[[f32; 3]; 2]),
    words: &mut Vec<u32>,
    lane: usize,
) -> VertexOut {
    let from = words.len() as u32;
    let mut v = VertexOut::default();
    for (slot, &(at, n)) in stage.program.slots().1.iter().zip(&stage.program.outputs) {
        match slot.at {
            IoAt::Position => v.position = stage.words((at, n), lane, 0).map(f32::from_bits),
            IoAt::ClipDistance(k) => {
                if let Some(distance) = v.clip.get_mut(usize::from(k)) {
                    *distance = f32::from_bits(stage.word(at, lane));
                }
            }
            IoAt::CullDistance(k) => {
                if let Some(distance) = v.cull.get_mut(usize::from(k)) {
                    *distance = f32::from_bits(stage.word(at, lane));
                }
            }
            IoAt::PointSize => v.point_size = Some(f32::from_bits(stage.word(at, lane))),
            IoAt::Layer => v.layer = stage.word(at, lane),
            IoAt::ViewportIndex => v.viewport = stage.word(at, lane),
            _ => words.extend((0..n).map(|k| stage.word(at + k, lane))),
        }
    }
    match position {
        Position::Clip => {}
        Position::ClipNegative => v.position = from_negative(v.position),
        Position::Window => v.position = from_screen(v.position, viewport),
    }
    v.words = from..words.len() as u32;
    v
}

/// Gives a lane of a quad what a target holds there: zeros outside.
fn load_target(
    stage: &mut StageProgram<'_>,
    quad: &QuadIn<'_>,
    (targets, place): (&Targets, usize),
    row: u32,
    (k, lane): (usize, usize),
) {
    let targets = targets.layer(quad.primitive.layer);
    let surface = targets.and_then(|t| t.colour.get(place)).and_then(Option::as_ref);
    let texel = surface.map_or([0; 4], |s| s.texel(quad.pixel(lane), quad.sample.unwrap_or(0).into()));
    for (n, word) in (0..).zip(texel) {
        stage.run.batch.set(row + n, 4 * k + lane, word);
    }
}

/// Gives a lane of a quad what it reads.
fn fill(
    stage: &mut StageProgram<'_>,
    quad: &QuadIn<'_>,
    varyings: &[Varying],
    words: &[u32],
    (k, lane): (usize, usize),
) {
    let at = 4 * k + lane;
    let p = quad.primitive;
    let model = stage.run.profile.interp();
    for &value in &stage.program.sysvals {
        let Some(row) = sysval_row(value) else { continue };
        match value {
            Sysval::FragCoord => {
                let [x, y, z, inv_w] = quad.position(lane);
                for (row, v) in (row..).zip([x, y, z, model.inverse_w(inv_w)]) {
                    stage.run.batch.set(row, at, v.to_bits());
                }
            }
            Sysval::Pixel => {
                let [x, y] = quad.pixel(lane);
                stage.run.batch.set(row, at, x);
                stage.run.batch.set(row + 1, at, y);
            }
            Sysval::FragZ => stage.run.batch.set(row, at, quad.position(lane)[2].to_bits()),
            Sysval::FragInvW => {
                let center = quad.weights(lane, draw::Where::Center).inv_w as f32;
                stage.run.batch.set(row, at, model.inverse_w(center).to_bits());
            }
            Sysval::FrontFacing => stage.run.batch.set(row, at, p.front.into()),
            Sysval::SampleIndex => stage.run.batch.set(row, at, quad.sample.unwrap_or(0).into()),
            Sysval::SampleCount => stage.run.batch.set(row, at, quad.samples),
            Sysval::SampleMask => stage.run.batch.set(row, at, quad.mask(lane)),
            Sysval::PrimitiveIndex => stage.run.batch.set(row, at, p.index),
            Sysval::Layer => stage.run.batch.set(row, at, p.layer),
            Sysval::ViewportIndex => stage.run.batch.set(row, at, p.viewport),
            Sysval::SamplePosition => {
                for (row, v) in (row..).zip(quad.sample_position()) {
                    stage.run.batch.set(row, at, v.to_bits());
                }
            }
            Sysval::PointCoord => {
                for (row, v) in (row..).zip(quad.point_coord(lane)) {
                    stage.run.batch.set(row, at, v.to_bits());
                }
            }
            _ => {}
        }
    }
    // By mode and place; inputs of one kind share them.
    let mut known: [[Option<[f64; 4]>; 3]; 3] = [[None; 3]; 3];
    for v in varyings {
        if let Some(from) = v.from_setup {
            let parts = match from {
                FromSetup::PointCoord => quad.point_coord(lane),
                FromSetup::Barycentric => quad.barycentric(lane, v.mode == Mode::Linear, v.at),
            };
            for (row, x) in (v.row..v.row + v.lanes).zip(parts) {
                stage.run.batch.set(row, at, x.to_bits());
            }
            continue;
        }
        let word = |vertex: usize, k: u32| words[(p.words[vertex].start + v.from + k) as usize];
        let mode = match v.mode {
            Mode::Flat | Mode::Vertex0 | Mode::Vertex1 | Mode::Vertex2 => {
                let vertex = p.from_provoking(v.mode.vertex().unwrap_or(0));
                (0..v.lanes).for_each(|k| stage.run.batch.set(v.row + k, at, word(vertex, k)));
                continue;
            }
            Mode::Perspective => 0,
            Mode::Linear => 1,
            Mode::OverW => 2,
        };
        let weights = *known[mode][v.at as usize].get_or_insert_with(|| model.weights(quad, lane, v.mode, v.at));
        for k in 0..v.lanes {
            let values = [0, 1, 2].map(|vertex| f32::from_bits(word(vertex, k)));
            stage.run.batch.set(v.row + k, at, model.value(p, weights, values).to_bits());
        }
    }
}

/// A colour whose lanes are in the halves of `n` words.
fn unpacked(words: [u32; 4], (form, n): (Form, u32), one: u32) -> [u32; 4] {
    std::array::from_fn(|k| {
        if k >= 2 * n as usize {
            return if k == 3 { one } else { 0 };
        }
        let (word, high) = (words[k / 2], k % 2);
        let half = word >> (16 * high) & 0xffff;
        match form {
            Form::Plain => word,
            Form::Half16 => pack::unpack2x16float(word)[high].to_bits(),
            Form::Unorm16 => pack::unpack2x16unorm(word)[high].to_bits(),
            Form::Snorm16 => pack::unpack2x16snorm(word)[high].to_bits(),
            Form::Uint16 => half,
            Form::Sint16 => half as u16 as i16 as u32,
        }
    })
}

/// The fragment program's result for a quad.
fn quad_out(stage: &StageProgram<'_>, places: &[Option<usize>], k: usize) -> QuadOut {
    let batch = &stage.run.batch;
    let live = batch.masks.map_or(0, |m| m.live_of(k));
    let mut out = QuadOut { live, open: batch.open >> k & 1 != 0, ..QuadOut::default() };
    for (slot, &(at, n)) in stage.program.slots().1.iter().zip(&stage.program.outputs) {
        let integer = if slot.form == Form::Plain { !slot.ty.is_float() } else { slot.form.is_integer() };
        let one = if integer { 1 } else { 1f32.to_bits() };
        let lanes = [0, 1, 2, 3].map(|lane| match slot.form {
            Form::Plain => stage.words((at, n), 4 * k + lane, one),
            form => unpacked(stage.words((at, n), 4 * k + lane, 0), (form, n), one),
        });
        match slot.at {
            IoAt::Location { blend_src: 1, .. } => out.second = lanes,
            IoAt::Location { number, .. } => {
                let place = places.get(usize::from(number)).copied().flatten();
                if let Some(colour) = place.and_then(|p| out.colour.get_mut(p)) {
                    *colour = lanes;
                }
            }
            IoAt::FragDepth => out.depth = Some(lanes.map(|v| f32::from_bits(v[0]))),
            IoAt::FragStencil => out.stencil = Some(lanes.map(|v| v[0])),
            IoAt::SampleMask => out.mask = Some(lanes.map(|v| v[0])),
            IoAt::Position
            | IoAt::Barycentric
            | IoAt::PrimitiveIndex
            | IoAt::VertexNumber
            | IoAt::ClipDistance(_)
            | IoAt::CullDistance(_)
            | IoAt::PointSize
            | IoAt::PointCoord
            | IoAt::Layer
            | IoAt::ViewportIndex => {}
        }
    }
    out
}
