//! The example driver: what it makes of the reflection is what the container says, and what it draws is what the oracle draws.

#[expect(dead_code, reason = "the test calls the parts of the program, not its main function")]
#[path = "../examples/driver.rs"]
mod example;

use gpucc::container::{Container, DepthLayout, Entry, ResourceKind, Stage};
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::pipeline::{Link, default_of};
use gpucc::reflect::{Packing, Place as At, Program, Reflection};
use gpucc::{Errors, Module, Options, Target};
use gpucc_render::compare::{Against, check};
use gpucc_render::{Place, PreparedScene, Programs, frame};
use gpucc_scene::read::{Language, parse};
use gpucc_scene::{SceneFile, output};

const TARGETS: [&str; 8] =
    ["valhall", "valhall:v10", "tesla:nv50", "tesla:nva3", "gcn:gfx6", "gcn:gfx7", "gcn:gfx8", "vivante:gc7000"];
const FAMILIES: [&str; 4] = ["valhall", "tesla:nva3", "gcn:gfx7", "vivante:gc7000"];

const VERTEX: &str = include_str!("../../capi/examples/textured.vert.wgsl");
const FRAGMENT: &str = include_str!("../../capi/examples/textured.frag.wgsl");
const COMPUTE: &str = include_str!("../../capi/examples/scale.wgsl");

fn load(text: &str) -> Module {
    let loaded = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default());
    loaded.unwrap_or_else(|list| panic!("{}", Errors(list).with_source(text))).module
}

fn options(target: &str) -> Options {
    let mut options = Options::new(Target::parse(target).expect("a target"));
    options.codegen.bound.wide = Some(Vec::new());
    options
}

/// Both stages as a driver gets them: bytes, read again.
fn pair(vertex: &str, fragment: &str, target: &str) -> Container {
    let (v, f) = (load(vertex), load(fragment));
    let state = default_of(&v, &f).expect("a state");
    let (a, b) = state.link(&v, Some(&f)).expect("a pair").compile(&options(target)).expect("code");
    Container::read(&a.joined(b.expect("a fragment program")).bytes()).expect("a container")
}

fn alone(text: &str, target: &str) -> Container {
    let done = gpucc::compile(&load(text), &options(target)).unwrap_or_else(|d| panic!("{target}: {d}"));
    Container::read(&done.bytes()).expect("a container")
}

/// An entry without what is optional, its lists in the order in which a reflection has them.
fn plain(e: &Entry) -> Entry {
    let mut e = e.clone();
    e.resources.sort_by_key(|r| r.kind == ResourceKind::Immediates);
    e.interface.sort_by_key(|r| r.output);
    Entry {
        lines: Vec::new(),
        stats: Vec::new(),
        names: Vec::new(),
        variables: Vec::new(),
        facts: None,
        races: None,
        ..e
    }
}

/// The programs of a container as it says them, each as an entry.
fn said(c: &Container) -> Vec<Entry> {
    c.entries.iter().flat_map(|e| e.parts().into_iter().map(|p| plain(&p.1)).collect::<Vec<_>>()).collect()
}

/// The same made of a reflection.
fn made(facts: &Reflection, c: &Container) -> Vec<Entry> {
    let one = |p: &Program| {
        let e = &c.entries[p.entry_index];
        example::programmed_part(p, &e.code, &e.data)
    };
    facts.programs.iter().map(one).collect()
}

fn containers(target: &str) -> Vec<Container> {
    let mut list = vec![pair(VERTEX, FRAGMENT, target), alone(COMPUTE, target)];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for name in ["vecadd.wgsl", "matmul_tiled.wgsl", "life.wgsl", "fft.wgsl"] {
        let text = std::fs::read_to_string(folder.join(name)).expect("an example");
        list.push(alone(&text, target));
    }
    list
}

/// Nothing that a container says of a program is missing in its reflection.
#[test]
fn programs_made_of_reflections_are_those_of_containers() {
    for target in TARGETS {
        for c in containers(target) {
            let facts = Reflection::of(&c);
            for (said, made) in said(&c).iter().zip(&made(&facts, &c)) {
                assert_eq!(said, made, "{target}");
            }
        }
    }
}

/// A change of one field of a program, by name.
type Change = (&'static str, fn(&mut Program));

/// Each field of a program that a driver writes somewhere, left out.
const LEFT_OUT: &[Change] = &[
    ("stage", |p| p.stage = if p.stage == Stage::Compute { Stage::Vertex } else { Stage::Compute }),
    ("registers", |p| p.registers.clear()),
    ("shared_bytes", |p| p.shared_bytes = 0),
    ("workgroup_size", |p| p.workgroup_size = [0; 3]),
    ("subgroup_size", |p| p.subgroup_size = 0),
    ("bindings", |p| p.bindings.clear()),
    ("binding slots", |p| p.bindings.iter_mut().for_each(|b| b.slot = u32::MAX)),
    ("binding sizes", |p| p.bindings.iter_mut().for_each(|b| b.size = 0)),
    ("binding counts", |p| p.bindings.iter_mut().for_each(|b| b.count = 0)),
    ("immediates", |p| p.immediates = None),
    ("preloads", |p| p.preloads.clear()),
    ("places of preloads", |p| p.preloads.iter_mut().for_each(|l| l.place.index = u16::MAX)),
    ("inputs", |p| p.inputs.clear()),
    ("outputs", |p| p.outputs.clear()),
    ("interpolation", |p| p.inputs.iter_mut().for_each(|s| s.interpolation = gpucc::reflect::Interpolation::OverW)),
    ("places of inputs", |p| p.inputs.iter_mut().for_each(|s| s.place = At { file: 99, ..s.place.clone() })),
    ("packing", |p| p.outputs.iter_mut().for_each(|s| s.packing = Packing::Sint16)),
    ("barriers", |p| p.uses.barriers = false),
    ("side effects", |p| p.uses.side_effects = false),
    ("helpers", |p| p.uses.helpers = false),
    ("words", |p| p.words.clear()),
    ("state", |p| p.state.clear()),
    ("pipeline", |p| p.pipeline = None),
];

#[test]
fn a_field_that_is_left_out_is_missed() {
    for target in FAMILIES {
        let list = containers(target);
        for (name, change) in LEFT_OUT {
            // Tesla's and Vivante's programs have no words or state of some kinds at all.
            let missed = list.iter().any(|c| {
                let mut facts = Reflection::of(c);
                facts.programs.iter_mut().for_each(change);
                said(c) != made(&facts, c)
            });
            let has_none = match *name {
                "words" => list.iter().all(|c| said(c).iter().all(|e| e.meta.family_words.is_empty())),
                "immediates" => list.iter().all(|c| Reflection::of(c).programs.iter().all(|p| p.immediates.is_none())),
                "state" => list.iter().all(|c| said(c).iter().all(|e| e.state.is_empty())),
                _ => false,
            };
            assert!(missed || has_none, "{target}: nobody misses {name}");
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The scene that the driver draws.
fn scene() -> SceneFile {
    let texel =
        |x: u32, y: u32| if (x / 2 + y / 2).is_multiple_of(2) { [250, 200, 120, 255] } else { [30, 60, 90, 255] };
    let board: Vec<u8> = (0..64).flat_map(|n| texel(n % 8, n / 8)).collect();
    let [w, h] = example::SIZE;
    let text = format!(
        r#"format = "scene-1"
[shaders.v]
wgsl = '''{VERTEX}'''
[shaders.f]
wgsl = '''{FRAGMENT}'''
[textures]
picture = {{ format = "rgba8unorm", size = [{w}, {h}] }}
board = {{ format = "rgba8unorm", size = [8, 8], contents = {{ hex = "{}" }} }}
[samplers]
s = {{ addressModeU = "repeat", addressModeV = "repeat", addressModeW = "repeat" }}
[buffers]
corners = {{ f32 = [-0.9, -0.9, 0.0, 2.0, 0.9, -0.9, 2.0, 2.0, 0.0, 0.9, 1.0, 0.0] }}
frame = {{ f32 = [0.9, 0.8, 0.0, 0.0, 1.0, 0.75, 0.5, 1.0] }}
[pipelines.p]
fragment = {{ shader = "f", targets = [{{ format = "rgba8unorm" }}] }}
[pipelines.p.vertex]
shader = "v"
[[pipelines.p.vertex.buffers]]
arrayStride = 16
attributes = [{{ shaderLocation = 0, format = "float32x2", offset = 0 }}, {{ shaderLocation = 1, format = "float32x2", offset = 8 }}]
[[passes]]
type = "render"
colorAttachments = [{{ texture = "picture", clearValue = [0.0, 0.0, 0.0, 0.0] }}]
[[passes.draws]]
pipeline = "p"
vertexBuffers = [{{ buffer = "corners" }}]
bindings = [{{ group = 0, binding = 0, buffer = "frame" }}, {{ group = 1, binding = 1, texture = "board" }}, {{ group = 1, binding = 2, sampler = "s" }}]
immediates = {{ f32 = [0.125, 0.875] }}
draw = {{ vertexCount = 3, instanceCount = 2 }}
[[outputs]]
name = "picture"
texture = "picture"
"#,
        hex(&board)
    );
    let scene = parse(&text, Language::Toml).unwrap_or_else(|e| panic!("{e}"));
    SceneFile { scene, name: "driver.toml".into(), folder: ".".into(), text: Some((text, Language::Toml)) }
}

/// The picture of the scene on a target, which is the oracle's to the bit.
fn oracle(target: &str) -> Vec<u8> {
    let ready = PreparedScene::new(scene()).unwrap_or_else(|f| panic!("{f:?}"));
    let place = Place::Target(Target::parse(target).expect("a target"), 2);
    let programs = Programs::new(&ready.file.scene, &ready.shaders, place).unwrap_or_else(|f| panic!("{f:?}"));
    let (mut got, options) = (ready.resources.clone(), frame::Options::default());
    let scene = &ready.file.scene;
    let report = frame::run(scene, &ready.shaders, &programs, &mut got, &options, &mut || {}).expect("a picture");
    let same =
        check(&ready, (&programs, place), (&got, &report), Against::Lowered, &options).expect("the oracle's picture");
    assert!(same.values > 1000, "{same:?}");
    output::bytes(scene, &got, &scene.outputs[0]).expect("the picture")
}

#[test]
fn the_driver_draws_what_the_oracle_draws() {
    for target in FAMILIES {
        let c = pair(VERTEX, FRAGMENT, target);
        let facts = Reflection::of(&c);
        let of = |stage| facts.programs.iter().find(|p| p.stage == stage).expect("a program");
        let picture = example::draw(&facts, (of(Stage::Vertex), of(Stage::Fragment)), &c);
        let picture = picture.unwrap_or_else(|e| panic!("{target}: {e}"));
        assert!(picture == oracle(target), "{target}");
        assert!(picture.chunks(4).filter(|t| t[3] != 0).count() > 600, "{target}: hardly anything was drawn");
    }
}

#[test]
fn the_driver_runs_compute() {
    let turned: Vec<u32> = (0..64).map(|i| (i / 16 * 16 + 15 - i % 16) * 3 + 1000).collect();
    for target in TARGETS {
        let c = alone(COMPUTE, target);
        let facts = Reflection::of(&c);
        let words = example::compute(&facts, &facts.programs[0], &c).unwrap_or_else(|e| panic!("{target}: {e}"));
        assert_eq!(words, turned, "{target}");
    }
}

/// Names, members, ranges and promises come from the source.
#[test]
fn names_members_and_ranges_are_those_of_the_source() {
    for target in FAMILIES {
        let c = pair(VERTEX, FRAGMENT, target);
        let facts = Reflection::of(&c);
        let (v, f) = (facts.program("vs").expect("vs"), facts.program("fs").expect("fs"));
        let names: Vec<_> = v.inputs.iter().map(|s| s.name.as_deref()).collect();
        assert_eq!(names, [Some("position"), Some("uv")], "{target}");
        let frame = v.bindings.iter().find(|b| b.name.as_deref() == Some("frame")).expect("a buffer");
        let list: Vec<_> = frame.members.iter().map(|m| (&*m.name, &*m.ty, m.offset, m.size, m.count)).collect();
        assert_eq!(list, [("scale", "vec2<f32>", 0, 8, 1), ("tint", "vec4<f32>", 16, 16, 1)], "{target}");
        // Each stage reads one of the two.
        assert_eq!(frame.range.map(|r| (r.first, r.end)), Some((0, Some(8))), "{target}");
        let frame = f.bindings.iter().find(|b| b.name.as_deref() == Some("frame")).expect("a buffer");
        assert_eq!(frame.range.map(|r| (r.first, r.end)), Some((16, Some(32))), "{target}");
        let look = f.immediates.as_ref().expect("a block");
        assert_eq!(look.members.iter().map(|m| (&*m.name, m.offset)).collect::<Vec<_>>(), [("shift", 0), ("gain", 4)]);
        assert_eq!(look.range.map(|r| (r.first, r.end)), Some((0, Some(8))), "{target}");
        assert_eq!((f.flat_mask(), f.input_mask() & 3, f.packed_mask()), (2, 3, 0), "{target}");
        assert_eq!((f.counts().textures, f.counts().samplers, f.counts().uniform_buffers), (1, 1, 1), "{target}");
        assert_eq!((v.group_mask(), f.group_mask()), (1, 3), "{target}");
        assert_eq!((v.counts().inputs, f.counts().outputs), (2, 1), "{target}");
    }
    let c = alone(COMPUTE, "valhall");
    assert!(!Reflection::of(&c).programs[0].may_merge_workgroups());
    let text =
        "struct L { at: vec3f, color: vec3f } struct S { n: u32, lights: array<L, 4>, m: mat3x3f, rest: array<u32> }
        @group(2) @binding(5) var<storage, read_write> s: S;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) g: vec3u) { s.rest[g.x] = s.n; }";
    for target in FAMILIES {
        let facts = Reflection::of(&alone(text, target));
        let p = &facts.programs[0];
        assert!(p.may_merge_workgroups(), "{target}");
        let list: Vec<_> =
            p.bindings[0].members.iter().map(|m| (&*m.name, &*m.ty, m.offset, m.count, m.stride)).collect();
        let want = [
            ("n", "u32", 0, 1, 0),
            ("lights[].at", "vec3<f32>", 16, 4, 32),
            ("lights[].color", "vec3<f32>", 32, 4, 32),
            ("m", "mat3x3<f32>", 144, 1, 0),
            ("rest", "u32", 192, 0, 4),
        ];
        assert_eq!(list, want, "{target}");
        assert_eq!(p.bindings[0].range.map(|r| r.end), Some(None), "{target}: an index decides");
    }
}

/// Bytes outside of the ranges may be anything.
#[test]
fn what_is_outside_of_a_range_is_not_read() {
    for target in FAMILIES {
        let c = pair(VERTEX, FRAGMENT, target);
        let mut facts = Reflection::of(&c);
        let at = |facts: &Reflection, stage| facts.programs.iter().position(|p| p.stage == stage).expect("a program");
        let (v, f) = (at(&facts, Stage::Vertex), at(&facts, Stage::Fragment));
        let right = example::draw(&facts, (&facts.programs[v], &facts.programs[f]), &c).expect("a picture");
        // The driver binds the buffer of the vertex program; its `tint` is taken away, which the fragment program reads.
        let hidden = |p: &mut Program| p.bindings.iter_mut().for_each(|b| b.members.retain(|m| m.name != "tint"));
        facts.programs.iter_mut().for_each(hidden);
        let other = example::draw(&facts, (&facts.programs[v], &facts.programs[f]), &c).expect("a picture");
        assert!(right != other, "{target}: the range of the fragment program is read");
        assert!(
            facts.programs[v].bindings[0].range.is_some_and(|r| r.end == Some(8)),
            "{target}: the vertex program reads `scale` alone"
        );
    }
}

#[test]
fn depth_layouts_are_carried() {
    if !gpucc::glsl::has_compiler() {
        eprintln!("skipped: glslangValidator is not installed");
        return;
    }
    for (layout, want) in [
        ("depth_greater", DepthLayout::Greater),
        ("depth_less", DepthLayout::Less),
        ("depth_unchanged", DepthLayout::Unchanged),
        ("depth_any", DepthLayout::Any),
    ] {
        let text = format!(
            "#version 450\nlayout({layout}) out float gl_FragDepth;\nlayout(location = 0) in float d;\n\
             void main() {{ gl_FragDepth = gl_FragCoord.z + d * 0.0; }}\n"
        );
        let module = frontend::load(text.as_bytes(), Lang::GlslFragment, &FrontOptions::default());
        let module = module.unwrap_or_else(|list| panic!("{}", Errors(list).with_source(&text))).module;
        for target in FAMILIES {
            let done = gpucc::compile(&module, &options(target)).unwrap_or_else(|d| panic!("{target}: {d}"));
            let p = &done.reflection().programs[0];
            assert!(p.uses.depth && p.uses.depth_layout == want, "{target} {layout}: {:?}", p.uses.depth_layout);
        }
    }
}
