//! Vertex and fragment stages, textures and images: what they become.

use crate::common::module;
use gpucc_frontend_naga::{Input, Lang, Options, Stage as Glsl, lower, parse};
use gpucc_ir::text::module_text;
use gpucc_ir::{Interp, IoAt, Mode, Module, ResourceKind, Stage, StageInfo, Type, Where};

fn wgsl(source: &str) -> Module {
    module(source.as_bytes(), Lang::Wgsl, &Options::default())
}

const PAIR: &str = "
    struct V {
        @builtin(position) p: vec4<f32>,
        @location(3) @interpolate(linear, centroid) uv: vec2<f32>,
        @location(1) @interpolate(flat) id: u32,
        @location(2) @interpolate(perspective, sample) w: f32,
    }
    @vertex fn vs(@location(5) p: vec3<f32>, @builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> V {
        return V(vec4<f32>(p, 1.0), p.xy, v + i, p.z);
    }
    struct F { @location(1) c: vec4<f32>, @builtin(frag_depth) d: f32, @builtin(sample_mask) m: u32 }
    @fragment fn fs(v: V, @builtin(front_facing) front: bool, @builtin(sample_mask) mask: u32) -> F {
        if v.uv.x < 0.5 { discard; }
        return F(vec4<f32>(v.uv, f32(v.id), dpdxCoarse(v.p.x)), select(v.w, v.p.z, front), mask & 3u);
    }";

#[test]
fn interfaces_of_a_pair() {
    let m = wgsl(PAIR);
    let vs = m.entry_at("vs", Stage::Vertex).expect("a vertex entry");
    let io = vs.interface().expect("an interface");
    assert_eq!(
        io.inputs.iter().map(|s| (s.at, s.ty)).collect::<Vec<_>>(),
        [(IoAt::location(5), Type::F32.with_lanes(3))]
    );
    let places: Vec<_> = io.outputs.iter().map(|s| s.at).collect();
    assert_eq!(places, [IoAt::Position, IoAt::location(3), IoAt::location(1), IoAt::location(2)]);
    let fs = m.entry_at("fs", Stage::Fragment).expect("a fragment entry");
    let io = fs.interface().expect("an interface");
    let want = [
        (IoAt::location(3), Interp { mode: Mode::Linear, at: Where::Centroid }),
        (IoAt::location(1), Interp::FLAT),
        (IoAt::location(2), Interp { mode: Mode::Perspective, at: Where::Sample }),
    ];
    assert_eq!(io.inputs.iter().map(|s| (s.at, s.interp)).collect::<Vec<_>>(), want);
    let outputs: Vec<_> = io.outputs.iter().map(|s| (s.at, s.ty)).collect();
    let colour = Type::F32.with_lanes(4);
    assert_eq!(outputs, [(IoAt::location(1), colour), (IoAt::FragDepth, Type::F32), (IoAt::SampleMask, Type::I32)]);
    let text = module_text(&m);
    for part in ["demote true:b1", "x coarse", "sysval front_facing", "sysval sample_mask", "sysval vertex_index"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// Halves travel as floats; two sources of one target; clip distances one by one.
#[test]
fn halves_sources_and_clip_distances() {
    let m = wgsl(
        "enable f16;\nenable dual_source_blending;\nenable clip_distances;
         struct V { @builtin(position) p: vec4<f32>, @location(0) h: vec2<h>, @builtin(clip_distances) d: array<f32, 2> }
         alias h = f16;
         @vertex fn vs(@location(0) a: vec2<f16>) -> V { return V(vec4<f32>(1.0), a, array<f32, 2>(f32(a.x), 2.0)); }
         struct F { @location(0) @blend_src(0) a: vec4<f32>, @location(0) @blend_src(1) b: vec4<f32> }
         @fragment fn fs(@location(0) h: vec2<f16>) -> F { return F(vec4<f32>(f32(h.x)), vec4<f32>(f32(h.y))); }",
    );
    let vs = m.entry_at("vs", Stage::Vertex).and_then(|e| e.interface()).expect("an interface");
    assert_eq!(vs.inputs[0].ty, Type::F32.with_lanes(2));
    let places: Vec<_> = vs.outputs.iter().map(|s| s.at).collect();
    assert_eq!(places, [IoAt::Position, IoAt::location(0), IoAt::ClipDistance(0), IoAt::ClipDistance(1)]);
    let fs = m.entry_at("fs", Stage::Fragment).and_then(|e| e.interface()).expect("an interface");
    let sources: Vec<_> = fs.outputs.iter().map(|s| s.at).collect();
    let source = |blend_src| IoAt::Location { number: 0, blend_src };
    assert_eq!(sources, [source(0), source(1)]);
}

/// Each function and the line that it becomes.
#[test]
fn texture_functions() {
    let head = "
        @group(0) @binding(0) var t2: texture_2d<f32>;
        @group(0) @binding(1) var ta: texture_2d_array<i32>;
        @group(0) @binding(2) var d2: texture_depth_2d;
        @group(0) @binding(3) var dc: texture_depth_cube_array;
        @group(0) @binding(4) var ms: texture_multisampled_2d<f32>;
        @group(0) @binding(5) var s: sampler;
        @group(0) @binding(6) var sc: sampler_comparison;
        @group(0) @binding(7) var out: texture_storage_3d<rgba16uint, write>;
        @group(0) @binding(8) var both: texture_storage_2d<r32float, read_write>;
        @group(0) @binding(9) var<storage, read_write> o: array<vec4<f32>>;
        @group(0) @binding(10) var ext: texture_external;
        @group(0) @binding(11) var count: texture_storage_2d<r32sint, atomic>;
        fn through(t: texture_2d<f32>, q: sampler, c: vec2<f32>) -> vec4<f32> { return textureSampleLevel(t, q, c, 1.5); }
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let c = vec2<f32>(id.xy); let i = vec2<i32>(id.xy); ";
    let cases = [
        ("o[0] = textureSampleLevel(t2, s, c, 0.5, vec2<i32>(-1, 2));", "sample 2d level offset -1 2 0"),
        ("o[0] = textureSampleGrad(t2, s, c, c, c * 2.0);", "sample 2d gradients"),
        ("o[0] = through(t2, s, c);", "tex res0 sampler res1 sample 2d level"),
        (
            "o[0].x = textureSampleCompareLevel(dc, sc, vec3<f32>(c, 1.0), id.z, 0.5);",
            "sample cube layer unsigned shadow",
        ),
        ("o[0].x = textureSampleLevel(d2, s, c, 2u);", "sample 2d level"),
        ("o[0] = textureGather(2, t2, s, c);", "gather 2d component 2"),
        ("o[0] = textureGatherCompare(d2, sc, c, 0.25);", "gather 2d shadow"),
        ("o[0] = vec4<f32>(textureLoad(ta, i, i.x, 1));", "fetch 2d layer signed level"),
        ("o[0] = textureLoad(ms, i, 3);", "fetch 2d multisampled"),
        ("o[0].x = textureLoad(d2, i, 0);", "extract"),
        ("o[0] = textureSampleBaseClampToEdge(ext, s, c);", "sample 2d base_clamp"),
        ("o[0].x = f32(textureDimensions(t2, 1).y);", "tex_query 1:i32, tex res0 size 2d level"),
        ("o[0].x = f32(textureNumLayers(dc));", "layers cube"),
        ("o[0].x = f32(textureNumSamples(ms));", "samples 2d multisampled"),
        ("o[0].x = f32(textureNumLevels(t2));", "levels 2d"),
        ("textureStore(out, vec3<i32>(i, 1), vec4<u32>(7u));", "image_store"),
        ("textureStore(both, i, textureLoad(both, i + 1) * 2.0);", "image_load"),
        ("textureAtomicMin(count, i, -3);", "image_atomic.smin"),
    ];
    for (line, want) in cases {
        let text = module_text(&wgsl(&format!("{head}{line} }}")));
        assert!(text.contains(want), "{line}: no `{want}` in\n{text}");
    }
}

#[test]
fn arrays_of_textures_have_an_index() {
    let m = wgsl(
        "enable wgpu_binding_array;
         @group(0) @binding(0) var t: binding_array<texture_2d<f32>, 4>;
         @group(0) @binding(1) var s: binding_array<sampler, 2>;
         @group(0) @binding(2) var<storage, read_write> o: array<vec4<f32>>;
         @group(0) @binding(3) var<uniform> k: u32;
         @compute @workgroup_size(1) fn main() { o[0] = textureSampleLevel(t[k], s[1], vec2<f32>(0.5), 0.0); }",
    );
    assert_eq!(m.resources.values().map(|r| r.count).collect::<Vec<_>>(), [4, 2, 1, 1]);
    assert!(matches!(m.resources.values().next().map(|r| r.kind), Some(ResourceKind::Texture { .. })));
    let text = module_text(&m);
    assert!(text.contains("texture_index sampler_index"), "{text}");
}

#[test]
fn glsl_has_stages_too() {
    let fragment = "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 c;\n\
                    layout(set = 0, binding = 0) uniform texture2D t;\nlayout(set = 0, binding = 1) uniform sampler s;\n\
                    void main() { c = texture(sampler2D(t, s), uv); }";
    let m = module(fragment.as_bytes(), Lang::Glsl(Glsl::Fragment), &Options::default());
    let text = module_text(&m);
    assert!(matches!(m.entries[0].stage, StageInfo::Fragment { .. }) && text.contains("= sample"), "{text}");
    let vertex = "#version 450\nlayout(location = 2) in vec3 p;\nlayout(location = 0) out vec2 uv;\n\
                  void main() { uv = p.xy; gl_Position = vec4(p, 1.0); }";
    let m = module(vertex.as_bytes(), Lang::Glsl(Glsl::Vertex), &Options::default());
    let io = m.entries[0].interface().expect("an interface");
    assert!(io.outputs.iter().any(|s| s.at == IoAt::Position), "{}", module_text(&m));
}

/// Offsets of more than a texel function takes are the shader's mistake.
#[test]
fn an_offset_beyond_the_range_is_told() {
    let source = "@group(0) @binding(0) var t: texture_2d<f32>;\n@group(0) @binding(1) var s: sampler;\n\
                  @fragment fn fs(@location(0) c: vec2<f32>) -> @location(0) vec4<f32> {\n\
                  return textureSample(t, s, c, vec2<i32>(9, 0)); }";
    let parsed = parse(Input::text(source), Lang::Wgsl).expect("it parses");
    let said = lower(&parsed, &Options::default()).expect_err("an error");
    assert!(said[0].message.contains("from -8 to 7"), "{}", said[0]);
}

/// Values that two programs compute alike are the same in both where a position is invariant.
#[test]
fn invariant_positions_are_not_contracted() {
    for word in ["", "@invariant"] {
        let source = format!(
            "@vertex fn vs(@location(0) a: vec4f) -> {word} @builtin(position) vec4f {{ return fma(a, a, a) + a * a; }}"
        );
        let m = module(source.as_bytes(), Lang::Wgsl, &Options::default());
        let f = &m.funcs[m.entries[0].func];
        let sums = f.insts.values().filter(|d| matches!(d.op, gpucc_ir::Op::FMul | gpucc_ir::Op::FAdd));
        assert!(sums.clone().count() > 2);
        assert!(sums.into_iter().all(|d| d.fp.has(gpucc_ir::FpFlags::CONTRACT) == word.is_empty()), "{word}");
    }
}
