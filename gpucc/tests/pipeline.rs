//! Tests of `gpucc/src/pipeline.rs`.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::pipeline::{Format, Link, Pipeline, Target as Colour, VertexAttribute, VertexBuffer, VertexFormat};
use gpucc::{Class, Errors, Module, Options, Target};

const VERTEX: &str = "
struct V { @builtin(position) p: vec4<f32>, @location(0) n: vec3<f32>, @location(1) unread: vec4<f32> }
@vertex fn vs(@location(0) p: vec4<f32>) -> V { return V(p, p.xyz, p.wzyx * 2.0); }";
const FRAGMENT: &str = "
struct V { @builtin(position) p: vec4<f32>, @location(0) n: vec3<f32>, @location(1) unread: vec4<f32> }
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return vec4(v.n, 1.0); }";

fn load(text: &str) -> Module {
    let loaded = frontend::load(text.as_bytes(), Lang::Wgsl, &FrontOptions::default());
    loaded.unwrap_or_else(|list| panic!("{}", Errors(list))).module
}

fn state() -> Pipeline {
    let attribute = VertexAttribute { location: 0, format: VertexFormat::Float32x4, offset: 0 };
    let buffer = VertexBuffer { stride: 16, attributes: vec![attribute], ..VertexBuffer::default() };
    let targets = vec![Some(Colour::new(Format::Rgba8Unorm))];
    Pipeline { vertex: vec![Some(buffer)], targets, ..Pipeline::default() }
}

fn gcn() -> Options {
    Options::new(Target::parse("gcn").expect("a target"))
}

/// Outputs by location in a container.
fn outputs(c: &gpucc::container::Container) -> usize {
    let is_location = |at: &_| matches!(at, gpucc::container::IoPlace::Location { .. });
    c.entries[0].interface.iter().filter(|r| r.output && is_location(&r.at)).count()
}

#[test]
fn linked_stages_leave_out_what_nobody_reads() {
    let (vs, fs) = (load(VERTEX), load(FRAGMENT));
    let (vertex, fragment) = state().link(&vs, Some(&fs)).and_then(|l| l.compile(&gcn())).expect("a pair");
    assert_eq!(outputs(vertex.container()), 1);
    assert_eq!(fragment.expect("a fragment stage").outputs().len(), 1);
    // The same of one module in a pipeline that is given, where both stages share a struct.
    let both = load(&format!("{VERTEX}{}", &FRAGMENT[FRAGMENT.find("@fragment").expect("a stage")..]));
    let mut options = gcn();
    options.codegen.pipeline = Some(Box::new(state()));
    let vertex = gpucc::compile_entry(&both, "vs", &options).expect("it compiles");
    assert_eq!(outputs(vertex.container()), 1);
    // Alone all of them stay.
    let vertex = gpucc::compile_entry(&both, "vs", &gcn()).expect("it compiles");
    assert_eq!(outputs(vertex.container()), 2);
}

/// Of a module with several entries of a stage those are linked that are named; one that is not there is told.
#[test]
fn entries_are_linked_by_their_names() {
    let wire = "@fragment fn wire(v: V) -> @location(0) vec4<f32> { return v.unread + v.n.xyzz; }";
    let both = load(&format!("{VERTEX}{}{wire}", &FRAGMENT[FRAGMENT.find("@fragment").expect("a stage")..]));
    for (name, count) in [("fs", 1), ("wire", 2)] {
        let linked = state().link_entries((&both, "vs"), Some((&both, name))).expect("a pair");
        assert_eq!(outputs(linked.vertex(&gcn()).expect("it compiles").container()), count, "{name}");
        let fragment = linked.fragment(&gcn()).expect("a stage").expect("it compiles");
        assert_eq!(fragment.container().entries[0].name, name);
    }
    let wrong = state().link_entries((&both, "vs"), Some((&both, "none"))).map(drop).expect_err("no such entry");
    assert!(wrong.class == Class::Invalid && wrong.message.contains("no fragment entry `none`"), "{wrong}");
    assert!(state().link(&both, Some(&both)).is_err());
}

/// The context of the stages of one module, where exactly one entry of the other stage fits.
#[test]
fn two_stages_of_a_module_are_a_pair() {
    use gpucc::pipeline::{Topology, default_of, pair_of};
    let stage = &FRAGMENT[FRAGMENT.find("@fragment").expect("a stage")..];
    let both = load(&format!("{VERTEX}{stage}"));
    let context = |m: &Module, name: &str| pair_of(m, m.entry(name).expect("the entry"));
    let mut options = gcn();
    options.codegen.context = context(&both, "vs").map(Box::new);
    let vertex = gpucc::compile_entry(&both, "vs", &options).expect("it compiles");
    assert_eq!(outputs(vertex.container()), 1);
    assert_eq!(context(&both, "vs").map(|c| c.pipeline), default_of(&both, &both).ok());
    // Another fragment entry: of which of them the vertex entry is, nothing says. Each of them has one vertex entry.
    let three = load(&format!("{VERTEX}{stage}{}", stage.replace("fn fs", "fn other")));
    assert!(context(&three, "vs").is_none());
    assert!(context(&three, "fs").is_some() && context(&three, "other").is_some());
    // No pair: alone, of a stage without its like, and where an input is not given.
    let more = "@fragment fn fs(@location(7) x: f32) -> @location(0) vec4<f32> { return vec4(x); }";
    for (text, name) in [
        (VERTEX.to_string(), "vs"),
        (format!("{VERTEX}{more}"), "vs"),
        (format!("{VERTEX}{more}"), "fs"),
        (format!("{VERTEX}{stage}@compute @workgroup_size(1) fn cs() {{}}"), "cs"),
    ] {
        assert!(context(&load(&text), name).is_none(), "{name}: {text}");
    }
    // A vertex entry that gives points a size draws points, also in a pair.
    let points = "#version 450\nvoid main() { gl_Position = vec4(0.0); gl_PointSize = 4.0; }\n";
    let points = frontend::load(points.as_bytes(), Lang::GlslVertex, &FrontOptions::default());
    let points = points.unwrap_or_else(|list| panic!("{}", Errors(list))).module;
    assert_eq!(default_of(&points, &load(FRAGMENT)).expect("a state").topology, Topology::PointList);
}

#[test]
fn what_does_not_fit_is_invalid() {
    let (vs, fs) = (load(VERTEX), load(FRAGMENT));
    let said = |d: gpucc::Diagnostic, part: &str| {
        assert_eq!((d.class, d.message.contains(part)), (Class::Invalid, true), "{d}");
    };
    let bare = Pipeline { vertex: Vec::new(), ..state() };
    said(bare.link(&vs, Some(&fs)).expect_err("no attribute"), "no vertex buffer has it");
    said(state().link(&fs, Some(&fs)).expect_err("no stage"), "there is no vertex entry");
    let words = Pipeline { targets: vec![Some(Colour::new(Format::Rgba32Uint))], ..state() };
    said(words.link(&vs, Some(&fs)).expect_err("integers"), "has floats");
    let more = load("@fragment fn fs(@location(7) x: f32) -> @location(0) vec4<f32> { return vec4(x); }");
    said(state().link(&vs, Some(&more)).expect_err("an input"), "does not give it");
    for pipeline in [bare, words] {
        let mut options = gcn();
        options.codegen.pipeline = Some(Box::new(pipeline));
        let both = load(&format!("{VERTEX}{}", &FRAGMENT[FRAGMENT.find("@fragment").expect("a stage")..]));
        said(gpucc::compile(&both, &options).expect_err("a pipeline that does not fit"), "location 0");
    }
    said(gpucc::compile(&fs, &gcn().opt(9)).expect_err("a level"), "optimisation level 9");
}
