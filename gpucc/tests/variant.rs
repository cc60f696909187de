//! What pieces of state change, against what is compiled: the table of `gpucc/src/variant.rs` says of no family more or less than its programs
//! show, and states with one key have equal programs.

use std::collections::{BTreeMap, BTreeSet};

use gpucc::cache::Key;
use gpucc::container::Entry;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::glsl::has_compiler;
use gpucc::pipeline::{
    Blend, BlendComponent, BlendFactor, BlendOperation, Compare, CullMode, DepthBias, DepthStencil, Filter, Format,
    FrontFace, IndexFormat, Pipeline, SamplerFacts, StencilOperation, StepMode, Target as Colour, Topology,
    VertexAttribute, VertexBuffer, VertexFormat,
};
use gpucc::variant::{Effect, Piece, effect, reduced};
use gpucc::{Errors, Module, Options, PipelineContext, Stage, Target};

/// The generations of each family that have most and least; with `GPUCC_VARIANTS=all` those between them, too.
const TARGETS: [&str; 6] = ["valhall:v10", "tesla:nv50", "tesla:nva3", "gcn:gfx7", "vivante:gc2000", "vivante:gc7000"];
const BETWEEN: [&str; 6] = ["valhall:v9", "tesla:nv84", "tesla:nva0", "gcn:gfx6", "gcn:gfx8", "vivante:gc3000"];

const HEAD: &str = "
struct V { @builtin(position) p: vec4f, @location(0) a: vec4f, @location(1) @interpolate(flat) k: u32 }
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var d: texture_depth_2d;
@group(0) @binding(3) var c: sampler_comparison;
@group(0) @binding(4) var cube: texture_cube<f32>;
";

/// Fragment programs, each with something of its own that state may meet.
const FRAGMENTS: &[&str] = &[
    "@fragment fn f(v: V) -> @location(0) vec4f { return v.a; }",
    "@fragment fn f(v: V) -> @location(0) vec2f { return v.a.xy; }",
    "@fragment fn f(v: V) -> @location(0) f32 { return v.a.x; }",
    "@fragment fn f(v: V, @builtin(front_facing) front: bool) -> @location(0) vec4f { return select(v.a, v.a.wzyx, front); }",
    "@fragment fn f(v: V) -> @location(0) vec4f { if v.a.x < 0.5 { discard; } return v.a; }",
    "@fragment fn f(v: V, @builtin(sample_index) i: u32) -> @location(0) vec4f { return v.a * f32(i); }",
    "@fragment fn f(v: V, @builtin(sample_mask) m: u32) -> @location(0) vec4f { return v.a * f32(m); }",
    "@fragment fn f(@location(0) @interpolate(perspective, sample) a: vec4f) -> @location(0) vec4f { return a; }",
    "@fragment fn f(@location(0) @interpolate(perspective, centroid) a: vec4f) -> @location(0) vec4f { return a; }",
    "struct O { @location(0) c: vec4f, @builtin(sample_mask) m: u32 }
     @fragment fn f(v: V) -> O { return O(v.a, v.k); }",
    "struct O { @location(0) c: vec4f, @builtin(frag_depth) z: f32 }
     @fragment fn f(v: V) -> O { return O(v.a, v.a.x); }",
    "struct O { @location(0) a: vec4f, @location(1) b: vec4f }
     @fragment fn f(v: V) -> O { return O(v.a, v.a.wzyx * v.p); }",
    "@fragment @early_depth_test(force) fn f(v: V) -> @location(0) vec4f { return v.a; }",
    "@fragment @early_depth_test(force) fn f(v: V) -> @location(0) vec4f { if v.a.x < 0.5 { discard; } return v.a; }",
    "@fragment fn f(v: V) -> @location(0) vec4f { return textureSample(t, s, v.a.xy); }",
    "@fragment fn f(v: V) -> @location(0) vec4f { return vec4f(textureSampleCompare(d, c, v.a.xy, v.a.z)); }",
    "@fragment fn f(v: V) -> @location(0) vec4f { return textureSample(cube, s, v.a.xyz); }",
];

/// Vertex programs; their positions tell what they read, since nothing reads the rest.
const VERTICES: &[&str] = &[
    "@vertex fn f(@location(0) p: vec4f, @location(1) n: vec4f) -> V { return V(p, n, 1u); }",
    "@vertex fn f(@location(0) p: vec4f, @builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> V {
        return V(p * f32(i), p, k); }",
    "@vertex fn f(@location(0) p: vec4f) -> V { return V(textureSampleLevel(t, s, p.xy, 0.0), p, 1u); }",
    "@vertex fn f(@location(0) p: vec4f) -> V { return V(vec4f(textureSampleCompareLevel(d, c, p.xy, p.z)), p, 1u); }",
    "@vertex fn f(@location(0) p: vec4f) -> V { return V(textureSampleLevel(cube, s, p.xyz, 0.0), p, 1u); }",
];

/// A vertex program that gives points a size, which WGSL has not.
const POINTS: &str = "#version 450
layout(location = 0) in vec4 p;
void main() { gl_Position = p; gl_PointSize = p.x; }";

/// A fragment program that asks where its sample is.
const SAMPLES: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(gl_SamplePosition, 0.5, 1.0); }";

fn load(text: &str, lang: Lang) -> Module {
    let loaded = frontend::load(text.as_bytes(), lang, &FrontOptions::default());
    loaded.unwrap_or_else(|list| panic!("{text}: {}", Errors(list).with_source(text))).module
}

fn programs(stage: Stage) -> Vec<Module> {
    let wgsl = |list: &[&str]| list.iter().map(|t| load(&format!("{HEAD}{t}"), Lang::Wgsl)).collect();
    match stage {
        Stage::Vertex => {
            let mut all: Vec<Module> = wgsl(VERTICES);
            all.push(load(POINTS, Lang::GlslVertex));
            all
        }
        _ => {
            let mut all: Vec<Module> = wgsl(FRAGMENTS);
            let read = frontend::load(SAMPLES.as_bytes(), Lang::GlslFragment, &FrontOptions::default());
            all.extend(read.ok().map(|r| r.module));
            all
        }
    }
}

fn base() -> Pipeline {
    let attribute = |location, offset| VertexAttribute { location, format: VertexFormat::Float32x4, offset };
    let buffer =
        VertexBuffer { stride: 32, attributes: vec![attribute(0, 0), attribute(1, 16)], ..VertexBuffer::default() };
    let targets = vec![Some(Colour::new(Format::Rgba8Unorm)); 2];
    let depth = Some(DepthStencil { depth_compare: Compare::Less, ..DepthStencil::new(Format::Depth24PlusStencil8) });
    Pipeline { vertex: vec![Some(buffer)], targets, depth, ..Pipeline::default() }
}

/// States to start from: pieces matter beside others alone.
fn bases() -> Vec<Pipeline> {
    let with = |change: &dyn Fn(&mut Pipeline)| {
        let mut p = base();
        change(&mut p);
        p
    };
    let constant = BlendComponent { operation: BlendOperation::Add, src: BlendFactor::Constant, dst: BlendFactor::One };
    let colour = |format| vec![Some(Colour::new(format)); 2];
    vec![
        base(),
        with(&|p| {
            p.targets = colour(Format::R8Unorm);
            p.depth.as_mut().expect("depth").depth_write = true;
        }),
        with(&|p| {
            let blend = Some(Blend { color: constant, alpha: constant });
            p.targets.iter_mut().flatten().for_each(|t| t.blend = blend);
        }),
        with(&|p| {
            p.targets = colour(Format::Rg16Float);
            p.samples = 4;
        }),
    ]
}

/// States that differ from a first one in one piece.
fn changes(base: &Pipeline) -> Vec<(Piece, Pipeline)> {
    let mut out = Vec::new();
    let mut add = |piece, change: &dyn Fn(&mut Pipeline)| {
        let mut p = base.clone();
        change(&mut p);
        out.push((piece, p));
    };
    let over = |src, dst| BlendComponent { operation: BlendOperation::Add, src, dst };
    for format in [
        VertexFormat::Float16x4,
        VertexFormat::Unorm8x4,
        VertexFormat::Unorm8x4Bgra,
        VertexFormat::Unorm10_10_10_2,
        VertexFormat::Float32x2,
    ] {
        add(Piece::VertexLayout, &|p| p.vertex[0].as_mut().expect("a buffer").attributes[0].format = format);
    }
    add(Piece::VertexLayout, &|p| p.vertex[0].as_mut().expect("a buffer").attributes[0].offset = 8);
    add(Piece::VertexLayout, &|p| p.vertex[0].as_mut().expect("a buffer").stride = 48);
    add(Piece::VertexLayout, &|p| p.vertex[0].as_mut().expect("a buffer").step = StepMode::Instance);
    add(Piece::VertexLayout, &|p| p.vertex.insert(0, None));
    add(Piece::Points, &|p| p.topology = Topology::PointList);
    for topology in [Topology::LineList, Topology::LineStrip, Topology::TriangleStrip] {
        add(Piece::Topology, &|p| (p.topology, p.strip_index) = (topology, None));
    }
    add(Piece::Topology, &|p| (p.topology, p.strip_index) = (Topology::TriangleStrip, Some(IndexFormat::Uint16)));
    add(Piece::FrontFace, &|p| p.front_face = FrontFace::Cw);
    add(Piece::Cull, &|p| p.cull = CullMode::Back);
    add(Piece::UnclippedDepth, &|p| p.unclipped_depth = true);
    add(Piece::DepthBias, &|p| p.bias = DepthBias { constant: 3, slope: 1.5, clamp: 0.25 });
    for format in [Format::Bgra8Unorm, Format::Rgba16Float, Format::R8Unorm, Format::Rg16Float, Format::Rgba32Float] {
        add(Piece::TargetFormats, &|p| p.targets[0].as_mut().expect("a target").format = format);
    }
    add(Piece::TargetFormats, &|p| p.targets.truncate(1));
    add(Piece::TargetFormats, &|p| p.targets[0] = None);
    for write in [1, 7, 0] {
        add(Piece::WriteMasks, &|p| p.targets[0].as_mut().expect("a target").write = write);
    }
    for (color, alpha) in [
        (
            over(BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha),
            over(BlendFactor::One, BlendFactor::OneMinusSrcAlpha),
        ),
        (over(BlendFactor::Dst, BlendFactor::Zero), over(BlendFactor::One, BlendFactor::Zero)),
        (over(BlendFactor::Constant, BlendFactor::One), over(BlendFactor::One, BlendFactor::One)),
        (
            BlendComponent { operation: BlendOperation::Max, src: BlendFactor::One, dst: BlendFactor::One },
            over(BlendFactor::One, BlendFactor::One),
        ),
    ] {
        add(Piece::Blending, &|p| p.targets[0].as_mut().expect("a target").blend = Some(Blend { color, alpha }));
    }
    add(Piece::DepthStencil, &|p| p.depth = None);
    add(Piece::DepthStencil, &|p| p.depth.as_mut().expect("depth").depth_write = true);
    add(Piece::DepthStencil, &|p| p.depth.as_mut().expect("depth").depth_compare = Compare::Always);
    add(Piece::DepthStencil, &|p| p.depth.as_mut().expect("depth").front.pass = StencilOperation::IncrementWrap);
    add(Piece::DepthStencil, &|p| p.depth.as_mut().expect("depth").format = Format::Depth32Float);
    add(Piece::Samples, &|p| p.samples = 5 - p.samples);
    add(Piece::SampleMask, &|p| p.sample_mask = 5);
    add(Piece::AlphaToCoverage, &|p| p.alpha_to_coverage = true);
    for (binding, compare, filter) in [
        (1, None, Filter::Nearest),
        (1, None, Filter::Linear),
        (3, Some(Compare::Less), Filter::Nearest),
        (3, Some(Compare::GreaterEqual), Filter::Linear),
    ] {
        add(Piece::Samplers, &|p| p.samplers.push(SamplerFacts { group: 0, binding, compare, filter }));
    }
    out
}

fn options(target: Target, state: &Pipeline) -> Options {
    let mut options = Options::new(target);
    options.codegen.context = Some(Box::new(PipelineContext::new(state.clone())));
    options.codegen.bound.wide = Some(Vec::new());
    options.codegen.bound.samplers.clone_from(&state.samplers);
    options
}

/// The program of a state without what it says of the state; nothing where it is refused.
fn program(module: &Module, target: Target, state: &Pipeline) -> Option<Entry> {
    let done = gpucc::compile_entry(module, &module.entries[0].name, &options(target, state));
    let mut e =
        done.inspect_err(|d| assert!(d.class == gpucc::Class::Unsupported, "{d}")).ok()?.container().entries[0].clone();
    e.pipeline = None;
    Some(e)
}

/// What differs between two programs.
fn difference(a: &Entry, b: &Entry) -> Effect {
    let without = |e: &Entry| Entry { state: Vec::new(), ..e.clone() };
    match () {
        () if a == b => Effect::Nothing,
        () if without(a) == without(b) => Effect::Words,
        () => Effect::Code,
    }
}

/// Cells that the place of a sample shows alone, which GLSL's reference compiler reads.
const BY_GLSLANG: [(&str, &str, Piece); 2] =
    [("tesla", "fragment", Piece::Samples), ("gcn", "fragment", Piece::Samples)];

/// What was seen of pieces of state, and what is wrong about the table.
#[derive(Default)]
struct Seen {
    effects: BTreeMap<(&'static str, &'static str, Piece), Effect>,
    wrong: BTreeSet<String>,
    compared: usize,
}

impl Seen {
    /// Compares the programs of a module on a target in all states.
    fn module(&mut self, module: &Module, target: Target, stage: Stage, base: &Pipeline) {
        let (family, name) = (target.family(), module.entries[0].name.as_str());
        let key = |s: &Pipeline| Key::of_variant(module, name, &options(target, s));
        let mut small: BTreeMap<Key, Option<Entry>> = BTreeMap::new();
        let first = program(module, target, base);
        for (piece, state) in changes(base) {
            let other = program(module, target, &state);
            let found = match (&first, &other) {
                (Some(a), Some(b)) => difference(a, b),
                (None, None) => continue,
                // Formats and equations that a chip lacks are told of the fragment program.
                _ if stage == Stage::Vertex && !matches!(piece, Piece::Points | Piece::Samplers) => continue,
                _ => Effect::Code,
            };
            self.compared += 1;
            let most = self.effects.entry((family, stage.name(), piece)).or_insert(Effect::Nothing);
            *most = (*most).max(found);
            let mut wrong = |is: bool, what: &str| {
                if is {
                    self.wrong.insert(format!("{target} {}: {}: {what}", stage.name(), piece.name()));
                }
            };
            // What is taken away of a state changes nothing.
            let own = key(&state);
            let less = small.entry(own).or_insert_with(|| program(module, target, &reduced(family, stage, &state)));
            wrong(other.is_some() && other != *less, "another program without it");
            let same = own == key(base);
            wrong(same && found != Effect::Nothing, "one key and two programs");
            wrong(!same && effect(family, stage, piece) == Effect::Nothing, "two keys of what changes nothing");
        }
    }
}

#[test]
fn pieces_of_state_change_what_the_table_says() {
    let mut seen = Seen::default();
    let all = std::env::var("GPUCC_VARIANTS").is_ok_and(|v| v == "all");
    let more = if all { &BETWEEN[..] } else { &[] };
    for stage in [Stage::Vertex, Stage::Fragment] {
        let modules = programs(stage);
        for name in TARGETS.iter().chain(more) {
            let target = Target::parse(name).expect("a target");
            let states = bases();
            modules.iter().for_each(|m| states.iter().for_each(|base| seen.module(m, target, stage, base)));
        }
    }
    assert!(seen.compared > 3000, "{}", seen.compared);
    for ((family, stage, piece), found) in &seen.effects {
        let of = if *stage == "vertex" { Stage::Vertex } else { Stage::Fragment };
        let said = effect(family, of, *piece);
        if said < *found || said > *found && (has_compiler() || !BY_GLSLANG.contains(&(family, stage, *piece))) {
            let text =
                format!("{family} {stage}: {}: {} is said, {} is found", piece.name(), said.name(), found.name());
            seen.wrong.insert(text);
        }
    }
    assert!(seen.wrong.is_empty(), "{:#?}", seen.wrong);
}

/// Keys are those of what a program depends on: the whole key tells states apart that have one program.
#[test]
fn variants_have_fewer_keys_than_states() {
    let module = load(&format!("{HEAD}{}", FRAGMENTS[0]), Lang::Wgsl);
    let target = Target::parse("gcn:gfx7").expect("a target");
    let (a, b) = (base(), Pipeline { cull: CullMode::Front, ..base() });
    let key = |s: &Pipeline| Key::of(&module, "f", &options(target, s));
    let variant = |s: &Pipeline| Key::of_variant(&module, "f", &options(target, s));
    assert_ne!(key(&a), key(&b));
    assert_eq!(variant(&a), variant(&b));
    let other = Pipeline { targets: vec![Some(Colour::new(Format::Rg16Float))], ..base() };
    assert_ne!(variant(&a), variant(&other));
    // The same of a state that comes as an option.
    let given = |s: &Pipeline| {
        let mut o = Options::new(target);
        o.codegen.pipeline = Some(Box::new(s.clone()));
        Key::of_variant(&module, "f", &o)
    };
    assert_eq!(given(&a), given(&b));
    assert_ne!(given(&a), given(&other));
}

/// The page has a row for each piece, with what the table says.
#[test]
fn the_page_says_what_state_changes() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/drivers.md")).expect("the page");
    for &piece in Piece::ALL {
        let mut row = format!("| {} |", piece.name());
        for family in ["valhall", "tesla", "gcn", "vivante"] {
            let [v, f] = [Stage::Vertex, Stage::Fragment].map(|s| effect(family, s, piece).name());
            row += &format!(" {v} / {f} |");
        }
        assert!(page.lines().any(|l| l.starts_with(&row)), "the page has no row `{row}`");
    }
}
