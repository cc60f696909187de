//! Vertex and fragment entries, drawn as `gpucc render` draws: with seeded inputs, in the pipeline they were compiled for, beside a stage
//! made for the occasion.
//!
//! Behind a vertex entry stands a fragment program that shows its outputs and the position, each in a target of words; in front of
//! a fragment entry a vertex program that passes attributes on. So what is compared is the entry alone.

use gpucc::{Artifact, CodegenOptions, Options, PipelineContext, Target};
use gpucc_container::Container;
use gpucc_interp::{Free, OracleProgram, Pair, Profile};
use gpucc_ir::{
    Builder, EntryPoint, FloatModes, Function, Interface, IoAt, IoSlot, Mode, Module, Scalar, Span, Stage, StageInfo,
    Sysval, Type,
};
use gpucc_pipeline::{Base, Code, DepthStencil, Format, Layout, Pipeline, Target as Colour, Topology};
use gpucc_sim::draw::{Draw, Merger, Raster, Surface, Targets, VertexData, Vertices};
use gpucc_sim::raster::Viewport;
use gpucc_sim::texture::Codec;
use gpucc_sim::{Dispatch, RunOptions, SplitMix64, Trap};

use crate::outcome::{Outcome, Part, Reason, hides};
use crate::seeds::{Words, wide};

/// Columns and rows of the targets.
const SIZE: [u32; 2] = [24, 20];
/// Vertices of a draw, and instances.
const VERTICES: u32 = 24;
const INSTANCES: u32 = 2;
/// Part of the pixels that may differ from the source in any way: where a condition, or an edge, is decided by the last bits.
const SHARE: f64 = 0.002;
/// Runs of the source with its operations moved inside WGSL's accuracy, and how far beyond them a result may lie.
const SAMPLES: u64 = 8;
const SLACK: f64 = 4.0;

/// The contents of the words of vertex buffers, and on which try.
pub(crate) type Seed = (Words, u64);

/// Two programs of a draw.
pub(crate) struct Stages<'a> {
    /// The module that was compiled, its artifact, and the number of the entry.
    module: &'a Module,
    artifact: &'a Artifact,
    entry: usize,
    target: Target,
    /// The other stage.
    other: Module,
    compiled: Artifact,
    state: Pipeline,
}

/// A module of one entry point, whose body `build` writes.
fn program(stage: StageInfo, build: impl FnOnce(&mut Builder<'_>)) -> Module {
    let (mut module, mut f) = (Module::default(), Function::default());
    let name = "beside";
    f.name = name.into();
    if let StageInfo::Vertex(io) | StageInfo::Fragment { io, .. } = &stage {
        f.ret = io.outputs.iter().map(|s| s.ty).collect();
    }
    let block = f.add_block();
    build(&mut Builder::new(&mut f, block));
    let func = module.funcs.push(f);
    module.entries.push(EntryPoint { name: name.into(), stage, func, modes: FloatModes::ANY, span: Span::UNKNOWN });
    module
}

/// A fragment program that shows the position and these outputs of a vertex program, and the formats of its targets.
fn shows(outputs: &[IoSlot]) -> (Module, Vec<Option<Colour>>) {
    let inputs: Vec<IoSlot> = outputs.to_vec();
    let mut io = Interface { inputs: inputs.clone(), ..Interface::default() };
    io.outputs.push(IoSlot::new(IoAt::location(0), Type::new(Scalar::F32, 4)));
    let mut targets = vec![Some(Colour::new(Format::Rgba32Float))];
    for (s, k) in inputs.iter().zip(1..) {
        io.outputs.push(IoSlot::new(IoAt::location(k), s.ty));
        targets.push(Some(Colour::new(if s.ty.is_float() { Format::Rgba32Float } else { Format::Rgba32Uint })));
    }
    let module = program(StageInfo::Fragment { io, early_depth: false }, |b| {
        let mut out = vec![b.sysval(Sysval::FragCoord)];
        out.extend(inputs.iter().zip(0..).map(|(s, k)| b.input(k, s.ty)));
        b.ret(&out);
    });
    (module, targets)
}

/// A vertex program that passes a position and values for these inputs of a fragment program on. Inputs that read one place in several
/// ways are one output.
fn passes(inputs: &[IoSlot]) -> Module {
    let mut places: Vec<&IoSlot> = Vec::new();
    for s in inputs {
        match places.iter_mut().find(|p| p.at == s.at) {
            // As wide as the widest reads.
            Some(p) if p.ty.lanes() < s.ty.lanes() => *p = s,
            Some(_) => {}
            None => places.push(s),
        }
    }
    let mut io = Interface::default();
    io.inputs.push(IoSlot::new(IoAt::location(0), Type::new(Scalar::F32, 4)));
    io.outputs.push(IoSlot::new(IoAt::Position, Type::new(Scalar::F32, 4)));
    for (s, k) in places.into_iter().zip(1..) {
        io.inputs.push(IoSlot::new(IoAt::location(k), s.ty));
        io.outputs.push(s.clone());
    }
    let types: Vec<Type> = io.inputs.iter().map(|s| s.ty).collect();
    program(StageInfo::Vertex(io), |b| {
        let out: Vec<_> = types.iter().zip(0..).map(|(&ty, k)| b.input(k, ty)).collect();
        b.ret(&out);
    })
}

/// Slots that are locations; integers are flat, whatever is said of them.
fn located(slots: &[IoSlot]) -> Vec<IoSlot> {
    let mut list: Vec<IoSlot> = slots.iter().filter(|s| matches!(s.at, IoAt::Location { .. })).cloned().collect();
    list.iter_mut().filter(|s| !s.ty.is_float()).for_each(|s| s.interp.mode = Mode::Flat);
    list
}

impl<'a> Stages<'a> {
    /// The draws that show all of an entry: one, or of a vertex entry as many as its outputs need targets. `given` is the state
    /// of the pipeline that it was compiled for, if it was not the default.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn all(
        module: &'a Module,
        (artifact, entry, target): (&'a Artifact, usize, Target),
        given: Option<&Pipeline>,
    ) -> Result<Vec<Stages<'a>>, String> {
        let out = &artifact.outputs()[entry];
        let stage = module.entry(&out.entry.name).map(|e| e.stage.clone()).ok_or("the entry is gone")?;
        let selected = out.ir.entries.first().and_then(EntryPoint::interface).ok_or("it has no interface")?;
        let mut base = given.cloned().unwrap_or_else(|| gpucc::default_pipeline(&stage).pipeline);
        base.cull = gpucc_pipeline::CullMode::None;
        let beside = |other: Module, state: Pipeline| -> Result<Stages<'a>, String> {
            let context = PipelineContext { other: Some(stage.clone()), ..PipelineContext::new(state.clone()) };
            let codegen = CodegenOptions { context: Some(Box::new(context)), ..CodegenOptions::default() };
            let compiled = gpucc::compile(&other, &Options { target, codegen }).map_err(|d| d.to_string())?;
            Ok(Stages { module, artifact, entry, target, other, compiled, state })
        };
        match &stage {
            StageInfo::Vertex(_) => {
                let (depth, samples, sample_mask) = (None, 1, u32::MAX);
                let base = Pipeline { depth, samples, sample_mask, alpha_to_coverage: false, ..base };
                // Outputs that selection adds, such as clip distances that travel, are not the source's. How the others are interpolated is
                // the source's: lowering of the other stage does the same to inputs.
                let given = stage.interface().map_or_else(Vec::new, |io| located(&io.outputs));
                let mut outputs = located(&selected.outputs);
                outputs.retain(|s| given.iter().any(|g| g.at == s.at));
                for s in &mut outputs {
                    if let Some(g) = given.iter().find(|g| g.at == s.at) {
                        s.interp = g.interp;
                    }
                }
                let one = |outputs: &[IoSlot]| {
                    let (other, targets) = shows(outputs);
                    beside(other, Pipeline { targets, ..base.clone() })
                };
                let all = |each: usize| -> Result<Vec<Stages<'a>>, String> {
                    let mut chunks: Vec<&[IoSlot]> = outputs.chunks(each).collect();
                    if chunks.is_empty() {
                        chunks.push(&[]);
                    }
                    chunks.into_iter().map(one).collect()
                };
                // Fewer at a time where a chip has fewer targets of 128 bits.
                all(7).or_else(|_| all(3)).or_else(|_| all(1))
            }
            StageInfo::Fragment { io, .. } => {
                // As the source declares them: selection may read less.
                let other = passes(&located(&io.inputs));
                // Lanes without a component in the output are nobody's.
                for s in &io.outputs {
                    if let IoAt::Location { number, .. } = s.at
                        && let Some(Some(t)) = base.targets.get_mut(usize::from(number))
                    {
                        t.write &= (1 << s.ty.lanes()) - 1;
                    }
                }
                let vertex = gpucc::default_pipeline(&other.entries[0].stage).pipeline.vertex;
                let mut state = Pipeline { vertex, ..base };
                if state.targets.iter().flatten().next().is_none() && state.depth.is_none() {
                    // Without an attachment there are no pixels, and a program that writes storage alone would never run.
                    state.depth = Some(DepthStencil::new(Format::Depth24Plus));
                }
                Ok(vec![beside(other, state)?])
            }
            StageInfo::Compute { .. } => Err("it draws nothing".into()),
        }
    }

    fn is_vertex(&self) -> bool {
        self.compiled.outputs()[0].entry.stage == gpucc_container::Stage::Fragment
    }

    fn name(&self) -> &str {
        &self.artifact.outputs()[self.entry].entry.name
    }

    /// Bytes of the vertex buffers.
    fn buffers(&self, (words, attempt): Seed) -> Vec<Option<Vec<u8>>> {
        let mut r = SplitMix64::new(0x5eed ^ words as u64 ^ attempt << 8);
        let count = VERTICES.max(INSTANCES) as usize;
        let fill = |b: &gpucc_pipeline::VertexBuffer, r: &mut SplitMix64| {
            let mut bytes = vec![0u8; b.stride as usize * count];
            bytes.fill_with(|| r.next_u64() as u8);
            for (n, element) in bytes.chunks_mut((b.stride as usize).max(1)).enumerate() {
                for a in &b.attributes {
                    let (code, bits, lanes) = a.format.row();
                    for k in (0..lanes as usize).filter(|_| bits == 32) {
                        let unit = (r.next_u64() >> 40) as f32 / (1 << 24) as f32;
                        let word = match (code, self.is_vertex(), a.location) {
                            (Code::Float, false, 0) => corner(n, k, unit),
                            (Code::Float, ..) if words == Words::Wide => wide(r.next_u64() as u32).to_bits(),
                            (Code::Float, ..) if words == Words::Counts => (2.0 * unit - 1.0).to_bits(),
                            (Code::Float, ..) => (0.5 + 1.5 * unit).to_bits(),
                            _ if words == Words::Numbers => n as u32,
                            _ => (r.next_u64() >> 40) as u32 % 8,
                        };
                        let at = a.offset as usize + 4 * k;
                        if let Some(to) = element.get_mut(at..at + 4) {
                            to.copy_from_slice(&word.to_le_bytes());
                        }
                    }
                }
            }
            bytes
        };
        self.state.vertex.iter().map(|b| b.as_ref().map(|b| fill(b, &mut r))).collect()
    }

    /// Targets before the draw.
    fn targets(&self) -> Targets {
        let [w, h] = SIZE;
        let new = |format: Format| Surface::new(format, w, h, self.state.samples.into());
        let colour = self.state.targets.iter().map(|t| t.as_ref().map(|t| new(t.format))).collect();
        let depth = self.state.depth.as_ref().map(|d| {
            let mut s = new(d.format);
            s.clear_depth(0.5);
            s
        });
        Targets::new(colour, depth)
    }

    /// Draws: `run` gets the vertex buffers, the draw and what it changes.
    fn draw(
        &self,
        (words, before, seed): (Seed, &Dispatch, Option<u64>),
        run: impl FnOnce(&[Option<VertexData<'_>>], &Draw<'_>, &mut Dispatch, &mut Targets) -> Result<(), Trap>,
    ) -> Result<Drawn, Trap> {
        let bytes = self.buffers(words);
        let buffers: Vec<Option<VertexData<'_>>> = self
            .state
            .vertex
            .iter()
            .zip(&bytes)
            .map(|(layout, bytes)| Some(VertexData { layout: layout.as_ref()?, bytes: bytes.as_ref()? }))
            .collect();
        let [w, h] = SIZE;
        let viewport = Viewport { x: 0.0, y: 0.0, width: w as f32, height: h as f32, min_depth: 0.0, max_depth: 1.0 };
        let topology = match self.state.topology {
            // Only as many pixels as vertices would be compared.
            Topology::PointList if !self.is_vertex() => Topology::TriangleList,
            t => t,
        };
        let draw = Draw {
            vertices: Vertices { instances: INSTANCES, ..Vertices::new(topology, VERTICES) },
            raster: Raster::of(&self.state, viewport, [0, 0, w, h]),
            viewports: Vec::new(),
            merger: Merger::of(&self.state, [0.25, 0.5, 0.75, 1.0], 1),
            seed,
        };
        let (mut dispatch, mut targets) = (before.clone(), self.targets());
        run(&buffers, &draw, &mut dispatch, &mut targets)?;
        Ok(Drawn { dispatch, targets })
    }

    fn machine(&self, words: Seed, before: &Dispatch, options: &RunOptions) -> Result<Drawn, Trap> {
        let all = self.artifact.container();
        let own = Container { entries: vec![all.entries[self.entry].clone()], ..header(all) };
        let other = self.compiled.container();
        let programs = if self.is_vertex() { (&own, Some(other)) } else { (other, Some(&own)) };
        self.draw((words, before, options.perturb), |buffers, draw, d, t| {
            let job = gpucc_machines::DrawJob { programs, pipeline: &self.state, draw, vertex_buffers: buffers };
            gpucc_machines::draw(&job, d, t, options).map(|_| ())
        })
    }

    /// The programs on the oracle, as selection read them or as they were written.
    fn oracle(&self, selected: bool) -> Result<[OracleProgram; 2], Trap> {
        let own = if selected { &self.artifact.outputs()[self.entry].ir } else { self.module };
        let other = if selected { &self.compiled.outputs()[0].ir } else { &self.other };
        let (mine, theirs) =
            if self.is_vertex() { (Stage::Vertex, Stage::Fragment) } else { (Stage::Fragment, Stage::Vertex) };
        let own = OracleProgram::at(own, self.name(), mine)?;
        let own = if selected { own } else { own.with_wide_indices() };
        let other = OracleProgram::at(other, &other.entries[0].name, theirs)?;
        Ok(if self.is_vertex() { [own, other] } else { [other, own] })
    }

    fn judge(
        &self,
        [vertex, fragment]: &[OracleProgram; 2],
        (words, before): (Seed, &Dispatch),
        options: &RunOptions,
        profile: &Profile,
    ) -> Result<Drawn, Trap> {
        let pair = Pair { vertex, fragment: Some(fragment) };
        self.draw((words, before, options.perturb), |buffers, draw, d, t| {
            gpucc_interp::draw(pair, draw, buffers, d, t, options, profile).map(|_| ())
        })
    }

    /// Whether the source draws anything on the oracle, or traps, and the steps that this took.
    pub(crate) fn draws(&self, words: Seed, before: &Dispatch, options: &RunOptions) -> (bool, u64) {
        let Ok([vertex, fragment]) = self.oracle(false) else { return (true, 0) };
        let pair = Pair { vertex: &vertex, fragment: Some(&fragment) };
        let own = gpucc_machines::profile(self.target.family(), self.target.generation_index());
        let profile = Profile { subgroup_size: own.subgroup_size, ..Profile::default() };
        let mut used = options.step_limit;
        let drawn = self.draw((words, before, None), |buffers, draw, d, t| {
            used = gpucc_interp::draw(pair, draw, buffers, d, t, options, &profile)?.steps;
            Ok(())
        });
        let start = self.draw((words, before, None), |_, _, _, _| Ok(()));
        match (drawn, start) {
            (Ok(drawn), Ok(start)) => (Marks::of(&[&drawn]).changed(&start, &drawn).values > 0, used),
            // The budget is spent: there is nothing to see.
            (Err(t), _) if t.kind == gpucc_sim::TrapKind::StepLimit => (false, options.step_limit),
            _ => (true, used),
        }
    }

    /// One draw and its comparisons.
    pub(crate) fn one(&self, words: Seed, before: &Dispatch, options: &RunOptions) -> Result<Outcome, String> {
        let not = |t: &Trap| Outcome::NotCompared(Reason::Oracle(t.kind), format!("the oracle traps: {t}"));
        let own = gpucc_machines::profile(self.target.family(), self.target.generation_index());
        let default = Profile { subgroup_size: own.subgroup_size, ..Profile::default() };
        let inputs = (words, before);
        let source = match self.oracle(false) {
            Ok(p) => p,
            Err(t) => return Ok(not(&t)),
        };
        let plain = match self.judge(&source, inputs, options, &default) {
            Ok(p) => p,
            Err(t) => return Ok(not(&t)),
        };
        let machine = match self.machine(words, before, options) {
            Ok(m) => m,
            Err(t) if hides(&t, self.module) => {
                return Ok(Outcome::NotCompared(Reason::Machine(t.kind), t.to_string()));
            }
            Err(t) => return Err(t.to_string()),
        };
        let selected = self.oracle(true).map_err(|t| t.to_string())?;
        let run = |options: &RunOptions, profile: &Profile| self.judge(&selected, inputs, options, profile);
        let want = match run(options, &own) {
            Ok(w) => w,
            Err(t) => return Ok(not(&t)),
        };
        let mut open = Marks::of(&[&machine, &want, &plain]);
        if open.first(&want, &machine).is_some() {
            // A choice that no rule decides.
            for free in Free::ALL {
                if let Ok(other) = run(options, &Profile { free: Some(free), ..own.clone() }) {
                    open.add(&want, &other);
                }
            }
            for seed in 1..4 {
                if let Ok(other) = run(&RunOptions { perturb: Some(seed), ..options.clone() }, &own) {
                    open.add(&want, &other);
                }
            }
        }
        if let Some(place) = open.first(&want, &machine) {
            return Err(format!("differs from the oracle under the machine's numeric profile: {place}"));
        }
        let start = self.draw((words, before, None), |_, _, _, _| Ok(())).map_err(|t| t.to_string())?;
        if Marks::of(&[&machine]).first(&start, &want).is_none() {
            return Ok(Outcome::not(Reason::Nothing));
        }
        let part = open.changed(&start, &want);
        if part.without == part.values {
            return Ok(Outcome::not(Reason::Order));
        }
        if part.without * 10 > part.values {
            return Ok(Outcome::not(Reason::Open));
        }
        let run = |profile: &Profile| self.judge(&source, inputs, options, profile).ok();
        match outside(&plain, &machine, (&open, &own), run) {
            Some(said) => Err(format!("differs from the source beyond WGSL's accuracy: {said}")),
            None => Ok(Outcome::Agrees(part)),
        }
    }

    /// Size and topology, for messages.
    pub(crate) fn describe(&self) -> String {
        let [w, h] = SIZE;
        format!("{VERTICES} vertices of a {}, {INSTANCES} instances, {w}x{h} pixels", self.state.topology.name())
    }
}

/// A word of the position of a corner: the first triangle covers most of the target, the others lie about, some of them behind the eye.
fn corner(n: usize, k: usize, unit: f32) -> u32 {
    const FIRST: [[f32; 4]; 3] = [[-1.1, -1.2, 0.3, 1.0], [2.9, -1.0, 0.5, 1.5], [-1.3, 2.7, 0.2, 1.2]];
    let word = match (FIRST.get(n), k) {
        (Some(at), _) => at[k],
        (None, 2) => 0.5 * unit,
        (None, 3) => 0.4 + 1.6 * unit,
        _ => 2.6 * unit - 1.3,
    };
    word.to_bits()
}

/// A container without its entries.
fn header(c: &Container) -> Container {
    let (compiler, options_hash) = (c.compiler, c.options_hash);
    Container { compiler, options_hash, ..Container::of(&c.family, &c.generation, Vec::new()) }
}

/// The state that a draw left.
struct Drawn {
    dispatch: Dispatch,
    targets: Targets,
}

impl Drawn {
    /// Everything that may have changed: its name and bytes, and of a pixel of targets how many.
    fn parts(&self) -> Vec<(String, &[u8], usize)> {
        let surface = |s: &Surface| s.format.bytes() as usize * s.samples as usize;
        let mut list = Vec::new();
        for (k, s) in self.targets.colour.iter().enumerate() {
            if let Some(s) = s {
                list.push((format!("target {k}"), s.bytes.as_slice(), surface(s)));
            }
        }
        if let Some(s) = &self.targets.depth {
            list.push(("the depth-stencil attachment".into(), s.bytes.as_slice(), surface(s)));
        }
        list.extend(self.dispatch.buffers.iter().map(|b| (b.name(), b.bytes.as_slice(), 0)));
        list.extend(
            self.dispatch.images.iter().enumerate().map(|(k, i)| (format!("image {k}"), i.bytes.as_slice(), 0)),
        );
        list
    }
}

/// Bytes of each part that are left out.
struct Marks(Vec<Vec<bool>>);

impl Marks {
    /// Pixels that are open in one of these.
    fn of(list: &[&Drawn]) -> Marks {
        let Some(first) = list.first() else { return Marks(Vec::new()) };
        let is_open = |pixel: usize| {
            let (x, y) = (pixel as u32 % SIZE[0], pixel as u32 / SIZE[0]);
            list.iter().any(|d| d.targets.is_open(x, y))
        };
        let part = |(_, bytes, size): (String, &[u8], usize)| match size {
            0 => vec![false; bytes.len()],
            _ => (0..bytes.len()).map(|k| is_open(k / size)).collect(),
        };
        Marks(first.parts().into_iter().map(part).collect())
    }

    /// Adds the words in which two draws differ.
    fn add(&mut self, a: &Drawn, b: &Drawn) {
        for (marks, (a, b)) in self.0.iter_mut().zip(a.parts().into_iter().zip(b.parts())) {
            for (m, (a, b)) in marks.chunks_mut(4).zip(a.1.chunks(4).zip(b.1.chunks(4))) {
                if a != b {
                    m.fill(true);
                }
            }
        }
    }

    /// Pixels and bytes of buffers and images that a draw changed, and how many of them are marked.
    fn changed(&self, start: &Drawn, end: &Drawn) -> Part {
        let mut part = Part::default();
        for (marks, (a, b)) in self.0.iter().zip(start.parts().into_iter().zip(end.parts())) {
            let size = if a.2 == 0 { 4 } else { a.2 };
            for (marks, (x, y)) in marks.chunks(size).zip(a.1.chunks(size).zip(b.1.chunks(size))) {
                if x == y {
                    continue;
                }
                let is_open = marks.contains(&true);
                part.values += 1;
                part.without += u64::from(is_open);
                let compared = u64::from(!is_open);
                part.pixels += if a.2 == 0 { 0 } else { compared };
                part.bytes += if a.2 == 0 { compared * x.len() as u64 } else { 0 };
            }
        }
        part
    }

    /// The first byte in which two draws differ, in words.
    fn first(&self, want: &Drawn, got: &Drawn) -> Option<String> {
        for (marks, (w, g)) in self.0.iter().zip(want.parts().into_iter().zip(got.parts())) {
            let differ = |k: &usize| w.1[*k] != g.1[*k] && !marks[*k];
            if let Some(k) = (0..w.1.len().min(g.1.len())).find(differ) {
                let all = (k..w.1.len()).filter(differ).count();
                let at = match w.2 {
                    0 => format!("byte {k}"),
                    n => format!("pixel {},{}, byte {}", k / n % SIZE[0] as usize, k / n / SIZE[0] as usize, k % n),
                };
                let (w0, g0) = (w.1[k], g.1[k]);
                return Some(format!("{}, {at}: oracle {w0:#04x}, machine {g0:#04x}; {all} bytes differ", w.0));
            }
        }
        None
    }
}

/// Components of a target as numbers, and how far apart two of them may be: absolute and as a part of the value.
fn numbers(s: &Surface) -> (Vec<f64>, (f64, f64)) {
    let size = s.format.bytes() as usize;
    let float = matches!(s.format.base(), Base::Float | Base::Depth);
    let value = |w: u32| if float { f64::from(f32::from_bits(w)) } else { f64::from(w) };
    let list = s.bytes.chunks_exact(size).flat_map(|b| s.format.decode(b).map(value)).collect();
    let codes = |n: u32| 1.01 / f64::from((1u32 << n) - 1);
    let near = match s.format.layout() {
        _ if !float => (0.0, 0.0),
        Layout::Array(Code::Srgb, 8) => (0.01, 0.0),
        Layout::Array(Code::Unorm, n) => (codes(n), 0.0),
        Layout::Array(Code::Snorm, n) => (codes(n - 1), 0.0),
        Layout::Bgra(_) => (0.01, 0.0),
        Layout::Rgb10a2(_) => (codes(2), 0.0),
        Layout::Array(Code::Float, 16) => (2f64.powi(-14), 2f64.powi(-9)),
        Layout::Rg11b10 => (2f64.powi(-14), 2f64.powi(-5)),
        Layout::DepthUnorm(n) => (codes(n), 0.0),
        _ => (2f64.powi(-20), 2f64.powi(-16)),
    };
    (list, near)
}

/// Looks for pixels that WGSL's accuracy does not allow: beyond what the source gives when it is run again with its operations moved
/// inside of it, or with the machine's arithmetic.
fn outside(
    plain: &Drawn,
    machine: &Drawn,
    (open, own): (&Marks, &Profile),
    run: impl Fn(&Profile) -> Option<Drawn>,
) -> Option<String> {
    let surfaces =
        |d: &Drawn| d.targets.colour.iter().flatten().chain(&d.targets.depth).map(numbers).collect::<Vec<_>>();
    let (want, got) = (surfaces(plain), surfaces(machine));
    let far = |w: f64, g: f64, (abs, rel): (f64, f64), spread: f64| {
        let most = abs + rel * w.abs() + SLACK * spread;
        // A value that cannot be compared is far.
        let beyond = (w - g).abs().partial_cmp(&most).is_none_or(std::cmp::Ordering::is_gt);
        w.is_finite() && w.to_bits() != g.to_bits() && beyond
    };
    let pixels = (SIZE[0] * SIZE[1]) as usize;
    let most = (SHARE * pixels as f64).ceil() as usize;
    // Pixels of each target that are too far away, with these spreads.
    let wrong = |spreads: &[Vec<f64>]| -> Option<(usize, Vec<usize>)> {
        want.iter().zip(&got).zip(spreads).enumerate().find_map(|(n, ((w, g), s))| {
            let per = (w.0.len() / pixels).max(1);
            let size = open.0[n].len() / pixels;
            let bad = |p: &usize| {
                let all = p * per..(p + 1) * per;
                !open.0[n][p * size] && all.into_iter().any(|k| far(w.0[k], g.0[k], w.1, s[k]))
            };
            let list: Vec<usize> = (0..pixels).filter(bad).collect();
            (list.len() > most).then_some((n, list))
        })
    };
    let mut spreads: Vec<Vec<f64>> = want.iter().map(|w| vec![0.0; w.0.len()]).collect();
    wrong(&spreads)?;
    let moved = (0..SAMPLES).map(|k| gpucc_interp::moved(k, own.lanes()));
    for profile in moved.chain([own.clone()]) {
        let Some(other) = run(&profile) else { continue };
        for (spread, (w, o)) in spreads.iter_mut().zip(want.iter().zip(surfaces(&other))) {
            for (s, (w, o)) in spread.iter_mut().zip(w.0.iter().zip(o.0)) {
                let d = (w - o).abs();
                // Nothing is left of the value.
                let lost = !d.is_finite() || d > w.abs() / 16.0 && d > 1.0 / 16.0;
                *s = if lost { f64::INFINITY } else { s.max(d) };
            }
        }
    }
    let (n, list) = wrong(&spreads)?;
    let (p, per) = (list[0], (want[n].0.len() / pixels).max(1));
    let k = (p * per..(p + 1) * per).find(|&k| far(want[n].0[k], got[n].0[k], want[n].1, spreads[n][k]))?;
    Some(format!(
        "target {n}, pixel {},{}: source {}, machine {}; {} of {pixels} pixels differ",
        p % SIZE[0] as usize,
        p / SIZE[0] as usize,
        want[n].0[k],
        got[n].0[k],
        list.len()
    ))
}
