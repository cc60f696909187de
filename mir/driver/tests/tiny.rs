//! A fifth target, as small as one can be: table, target, selection, passes, emission and machine in one folder. What
//! `docs/adding-a-backend.md` says is enough, since nothing else is used here.

#[path = "tiny/draw.rs"]
mod draw;
#[path = "tiny/driver.rs"]
mod driver;
#[path = "tiny/family.rs"]
mod family;
#[path = "tiny/machine.rs"]
mod machine;
#[path = "tiny/select.rs"]
mod select;
#[path = "tiny/table.rs"]
pub mod table;
#[path = "tiny/target.rs"]
mod target;

use family::TINY;
use gpucc_driver::{Backend, CodegenOptions};
use gpucc_frontend_naga as frontend;
use gpucc_sim::Dispatch;

const SHADER: &str = "
@group(0) @binding(0) var<storage, read> p: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var s = p.y;
    for (var k = 0u; k <= p.x + g.x; k = k + 1u) {
        if ((k ^ p.z) == 3u) { continue; }
        s = s * 5u + (y[(g.x + k) & 15u] >> 3u);
    }
    if (s > 7u) { y[g.x + 16u] = s; } else { y[g.x + 16u] = min(s, p.w); }
}";

fn module() -> gpucc_ir::Module {
    lowered(SHADER)
}

fn lowered(source: &str) -> gpucc_ir::Module {
    let parsed = frontend::parse(frontend::Input::text(source), frontend::Lang::Wgsl).expect("valid WGSL");
    frontend::lower(&parsed, &frontend::Options::default()).expect("it lowers")
}

#[test]
fn a_shader_compiles_and_runs() {
    let module = module();
    let data: Vec<u32> = (0..16u32).map(|k| k.wrapping_mul(0x9e37_79b9)).chain([0; 16]).collect();
    let start = Dispatch::new([3, 1, 1]).with_u32(0, 0, &[5, 9, 1, 77]).with_u32(0, 1, &data);
    let mut expected = start.clone();
    gpucc_interp::run(&module, "main", &mut expected, &gpucc_interp::Options::default()).expect("the oracle runs it");
    for opt_level in 0..=3 {
        let options = CodegenOptions { opt_level, verify: true, reparse: true, ..CodegenOptions::default() };
        let out = TINY.compile(&module, "main", 0, &options).unwrap_or_else(|d| panic!("{d}"));
        let mut d = start.clone();
        machine::run(&out.entry.code, [4, 1, 1], &mut d)
            .unwrap_or_else(|e| panic!("-O{opt_level}: {e}\n{}", TINY.listing(&out, 0)));
        assert_eq!(d.words(0, 1), expected.words(0, 1), "-O{opt_level}\n{}", TINY.listing(&out, 0));
    }
}

/// The assembler and the disassembler come from the rows.
#[test]
fn text_reads_back() {
    use gpucc_isa::{Isa, TextCx};
    let out = TINY.compile(&module(), "main", 0, &CodegenOptions::default()).unwrap_or_else(|d| panic!("{d}"));
    let mut code = Vec::new();
    for line in TINY.listing(&out, 0).lines() {
        let inst = table::Set::parse(line, &TextCx::new(0)).unwrap_or_else(|e| panic!("{line}: {e}"));
        code.extend_from_slice(&table::Set::table().encode(&inst, 0).expect("a row").0.to_le_bytes()[..8]);
    }
    assert_eq!(code, out.entry.code);
}

/// Runs one invocation of a vertex or fragment program on inputs of four words each; gives its outputs.
fn run_stage(code: &[u8], stage: u8, inputs: &[u32]) -> Result<Vec<Option<u32>>, String> {
    machine::invocation(code, (stage, [0; 3], inputs), (&mut Dispatch::default(), machine::NONE))
}

const DRAWS: &str = "
@vertex fn vs(@location(0) p: vec4<u32>) -> @builtin(position) vec4<f32> { return bitcast<vec4<f32>>(p ^ p.yxwz); }
@fragment fn fs(@location(0) @interpolate(flat) c: vec4<u32>) -> @location(0) vec4<u32> { return c + c.wzyx; }";

/// The same word reads an input in a fragment program and the id in a compute program: text, checks and machine look at the stage.
#[test]
fn the_stage_says_what_a_word_means() {
    let options = CodegenOptions { verify: true, reparse: true, ..CodegenOptions::default() };
    let out = TINY.compile(&lowered(DRAWS), "fs", 0, &options).unwrap_or_else(|d| panic!("{d}"));
    let of = |stage| TINY.program_text(&out.entry.code, 0, stage, &gpucc_isa::Notes::default());
    assert_eq!(TINY.listing(&out, 0), of(gpucc_container::Stage::Fragment));
    assert!(of(gpucc_container::Stage::Fragment).starts_with("in r"), "{}", of(gpucc_container::Stage::Fragment));
    assert!(of(gpucc_container::Stage::Compute).starts_with("id r"), "{}", of(gpucc_container::Stage::Compute));
    let got = run_stage(&out.entry.code, gpucc_isa::stage::FS, &[1, 2, 3, 4]).expect("it runs");
    assert_eq!(got, [5, 5, 5, 5].map(Some));
    assert!(run_stage(&out.entry.code, gpucc_isa::stage::CS, &[1, 2, 3, 4]).is_err());
    use gpucc_isa::{Inst, Isa, TextCx, stage};
    let table = table::Set::table();
    let find = |op, stages| table.find(op, 0, stages, |_| true).is_some();
    assert!(find(table::Op::In, stage::FS) && !find(table::Op::In, stage::CS) && !find(table::Op::Id, stage::VS));
    let (inst, cx) = (Inst::new(table::Op::In as u16), |stages| TextCx { stages, ..TextCx::new(0) });
    assert!(table.validate(&inst, &cx(stage::VS)).is_ok() && table.validate(&inst, &cx(stage::CS)).is_err());
}

/// A vertex entry becomes a program for positions and one for the rest: each computes its outputs alone, and in the container they
/// are one entry that says where each begins and what it wants.
#[test]
fn an_entry_may_be_several_programs() {
    use gpucc_container::{Container, ProgramRole, Source};
    let source = "
struct V { @location(0) @interpolate(flat) c: vec2<u32>, @builtin(position) p: vec4<f32>, @location(1) @interpolate(flat) d: u32 }
@vertex fn vs(@location(0) a: vec4<u32>, @location(1) b: vec4<u32>) -> V {
    var k = a.x;
    for (var i = 0u; i < b.w; i = i + 1u) { k = k * 3u; }
    return V(b.xy * k, bitcast<vec4<f32>>(a ^ b), k);
}";
    let module = lowered(source);
    let inputs = [2, 3, 4, 5, 60, 70, 80, 2];
    for opt_level in 0..=3 {
        let options =
            CodegenOptions { opt_level, verify: true, reparse: true, texts: true, ..CodegenOptions::default() };
        let out = TINY.compile(&module, "vs", 0, &options).unwrap_or_else(|d| panic!("{d}"));
        let c = Container { entries: vec![out.entry.clone()], ..Container::default() };
        let e = Container::read(&c.write()).expect("it reads back").entries.remove(0);
        assert_eq!(e, out.entry);
        assert_eq!(
            e.programs.iter().map(|p| p.role).collect::<Vec<_>>(),
            [ProgramRole::Position, ProgramRole::Varying]
        );
        assert_eq!(e.programs[1].offset, e.programs[0].size);
        let run = |k: usize| run_stage(&e.parts()[k].1.code, gpucc_isa::stage::VS, &inputs).expect("it runs");
        assert_eq!(run(0), [2 ^ 60, 3 ^ 70, 4 ^ 80, 5 ^ 2].map(Some), "-O{opt_level}");
        assert_eq!(run(1), [Some(60 * 18), Some(70 * 18), None, None, Some(18)], "-O{opt_level}");
        // Each has its preloads and its registers; the entry has the most of them, and all instructions.
        let preloads: Vec<Source> = e.programs.iter().map(|p| p.preloads[0].source).collect();
        assert_eq!(preloads, [Source::Const(1), Source::Const(2)]);
        assert!(e.preloads.is_empty());
        let registers: Vec<u16> = e.programs.iter().map(|p| p.registers[0].1).collect();
        assert_eq!(e.meta.registers_of(0), *registers.iter().max().expect("two"));
        assert!(e.stats.contains(&("instructions".into(), e.code.len() as u64 / 8)));
        // Texts are those of both.
        assert!(out.mir.contains("; after allocation (position)") && out.mir.contains("; after allocation (varying)"));
        assert_eq!(TINY.listing(&out, 0).lines().count(), e.code.len() / 8);
    }
    // A program that writes memory stays one program. Vulkan's vertex shaders may, WGSL's may not.
    let writes = "#version 450
layout(location = 0) in uvec4 a;
layout(location = 1) in uvec4 b;
layout(location = 0) flat out uvec2 c;
layout(set = 0, binding = 0, std430) buffer Y { uint y[]; };
void main() { y[0] = a.x; c = b.xy * a.x; gl_Position = uintBitsToFloat(a ^ b); }";
    let parsed = frontend::parse(frontend::Input::text(writes), frontend::Lang::Glsl(frontend::Stage::Vertex));
    let module = frontend::lower(&parsed.expect("valid GLSL"), &frontend::Options::default()).expect("it lowers");
    let out = TINY.compile(&module, "main", 0, &CodegenOptions::default()).unwrap_or_else(|d| panic!("{d}"));
    assert!(out.entry.programs.is_empty() && out.entry.preloads[0].source == Source::Const(0));
}

/// A textured triangle, partly in front of a larger one, drawn with a depth test on a multisampled target: equal to the oracle's.
#[test]
fn a_textured_triangle_is_drawn() {
    use gpucc_container::Container;
    use gpucc_interp::{OracleProgram, Pair, Profile};
    use gpucc_pipeline::*;
    use gpucc_sim::RunOptions;
    use gpucc_sim::draw::{Draw, Merger, Raster, Surface, Targets, VertexData, Vertices};
    use gpucc_sim::raster::Viewport;
    use gpucc_sim::texture::{Dim, Filter, Image, Sampler, Wrap};
    let module = lowered(
        "
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
struct V { @builtin(position) p: vec4<f32>, @location(0) uv: vec2<f32>, @location(1) @interpolate(flat) tint: vec4<f32> }
@vertex fn vs(@location(0) p: vec4<f32>, @location(1) a: vec4<f32>) -> V { return V(p, a.xy, a.zwzw * p.wwww); }
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return textureSampleLevel(t, s, v.uv, 0.0) * v.tint; }",
    );
    let near = [[-0.9, -0.8, 0.1, 1.0], [1.8, -1.4, 1.8, 2.0], [-0.1, 0.9, 0.2, 1.0]];
    let far = [[-1.0, -1.0, 0.3, 1.0], [1.0, -1.0, 0.3, 1.0], [1.0, 1.0, 0.3, 1.0]];
    let extra = [[0.0, 0.0, 0.5, 0.25], [3.0, 0.0, 1.0, 1.0], [0.0, 2.0, 0.75, 0.5]];
    let vertices = near.into_iter().chain(far).zip(extra.into_iter().cycle());
    let bytes: Vec<u8> =
        vertices.flat_map(|(p, e): ([f32; 4], [f32; 4])| [p, e]).flatten().flat_map(f32::to_le_bytes).collect();
    let attribute =
        |location| VertexAttribute { location, format: VertexFormat::Float32x4, offset: 16 * u64::from(location) };
    let layout = VertexBuffer { stride: 32, step: StepMode::Vertex, attributes: vec![attribute(0), attribute(1)] };
    let depth =
        DepthStencil { depth_write: true, depth_compare: Compare::Less, ..DepthStencil::new(Format::Depth32Float) };
    let pipeline = Pipeline {
        vertex: vec![Some(layout.clone())],
        targets: vec![Some(Target::new(Format::Rgba8Unorm))],
        depth: Some(depth),
        samples: 4,
        ..Pipeline::default()
    };
    let mut image = Image::new(Format::Rgba8Unorm, false, [5, 3, 1], 1, 1);
    image.bytes.iter_mut().zip(0u32..).for_each(|(b, k)| *b = (k * 37 % 251) as u8);
    let sampler = Sampler { wrap: [Wrap::Repeat; 3], mag: Filter::Linear, min: Filter::Linear, ..Sampler::default() };
    let bindings = Dispatch::default().with_texture(0, 0, image, Dim::D2).with_sampler(0, 1, sampler);
    let viewport = Viewport { x: 0.0, y: 0.0, width: 40.0, height: 30.0, min_depth: 0.0, max_depth: 1.0 };
    let what = Draw {
        vertices: Vertices::new(Topology::TriangleList, 6),
        raster: Raster::of(&pipeline, viewport, [0, 0, 40, 30]),
        viewports: Vec::new(),
        merger: Merger::of(&pipeline, [0.0; 4], 0),
        seed: None,
    };
    let buffers = [Some(VertexData { layout: &layout, bytes: &bytes })];
    let targets = || {
        let mut z = Surface::new(Format::Depth32Float, 40, 30, 4);
        z.clear_depth(1.0);
        Targets::new(vec![Some(Surface::new(Format::Rgba8Unorm, 40, 30, 4))], Some(z))
    };
    let mut expected = targets();
    let program = |entry| OracleProgram::new(&module, entry).unwrap_or_else(|t| panic!("{t}"));
    let pair = Pair { vertex: &program("vs"), fragment: Some(&program("fs")) };
    gpucc_interp::draw(
        pair,
        &what,
        &buffers,
        &mut bindings.clone(),
        &mut expected,
        &RunOptions::default(),
        &Profile::default(),
    )
    .unwrap_or_else(|t| panic!("{t}"));
    let mut colours: Vec<&[u8]> = expected.colour[0].iter().flat_map(|s| s.bytes.chunks(4)).collect();
    colours.sort_unstable();
    colours.dedup();
    assert!(colours.len() > 200, "{} colours", colours.len());
    for (opt_level, seed) in [(0, None), (2, None), (3, Some(7))] {
        let container = |entry: &str| {
            let stage = &module.entry(entry).expect("the entry").stage;
            let context = Some(Box::new(gpucc_driver::context_in(&module, stage, &pipeline)));
            let options =
                CodegenOptions { opt_level, verify: true, reparse: true, context, ..CodegenOptions::default() };
            let out = TINY.compile(&module, entry, 0, &options).unwrap_or_else(|d| panic!("{d}"));
            Container {
                family: "tiny".into(),
                generation: "one".into(),
                entries: vec![out.entry],
                ..Container::default()
            }
        };
        let (vertex, fragment) = (container("vs"), container("fs"));
        let job = gpucc_drivers::DrawJob {
            programs: (&vertex, Some(&fragment)),
            pipeline: &pipeline,
            draw: &Draw { seed, ..what.clone() },
            vertex_buffers: &buffers,
        };
        let mut part = gpucc_drivers::Part::new(driver::TinyDescriptors, seed);
        let (mut got, options) = (targets(), RunOptions { perturb: seed, ..RunOptions::default() });
        gpucc_drivers::stages(&mut part, draw::draw, &job, &mut bindings.clone(), &options, &mut |s| {
            gpucc_sim::draw::draw(job.draw, s, &mut got)
        })
        .unwrap_or_else(|t| panic!("-O{opt_level}: {t}"));
        assert!(got == expected, "-O{opt_level}");
    }
}

/// The result of the passes depends on the stage: minima stay in compute programs alone.
#[test]
fn capabilities_are_of_a_stage() {
    let minima = |module: &gpucc_ir::Module, entry| {
        let out = TINY.compile(module, entry, 0, &CodegenOptions::default()).unwrap_or_else(|d| panic!("{d}"));
        let f = &out.ir.funcs[out.ir.entries[0].func];
        f.insts_in_order().filter(|&(_, i)| f.insts[i].op == gpucc_ir::Op::UMin).count()
    };
    let drawn =
        "@fragment fn fs(@location(0) @interpolate(flat) c: vec2<u32>) -> @location(0) u32 { return min(c.x, c.y); }";
    assert_eq!((minima(&module(), "main"), minima(&lowered(drawn), "fs")), (1, 0));
}

/// The number of lines that the page about new backends gives: of code, without comments and blank lines.
#[test]
fn the_page_says_how_long_it_is() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["table", "target", "select", "family", "machine", "driver", "draw"];
    let is_code = |l: &&str| !l.trim().is_empty() && !l.trim_start().starts_with("//");
    let text = |f: &str| std::fs::read_to_string(dir.join(format!("tiny/{f}.rs"))).expect("a file");
    let count = |f: &str| text(f).lines().filter(is_code).count();
    let lines: usize = files.iter().map(|f| count(f)).sum();
    let page = std::fs::read_to_string(dir.join("../../../docs/adding-a-backend.md")).expect("the page");
    assert!(
        page.contains(&format!("{lines} lines of code")),
        "the page does not say that the tiny target has {lines} lines"
    );
}
