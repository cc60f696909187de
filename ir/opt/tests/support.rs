//! Tests of `ir/opt/src/support.rs`.

use crate::testing::parse;
use gpucc_ir::{Class, Refusal, Stage, Unsupported};
use gpucc_opt::support::*;
use gpucc_opt::{
    BindingFacts, Caps, FormatSet, Gathers, IoCaps, Options, PerTarget, PipelineContext, SamplerCaps, TexCaps, prepare,
};
use gpucc_pipeline::{Blend, BlendComponent, BlendFactor, Filter, Format, Pipeline, SamplerFacts, Target};

const UNSUPPORTED: &[Unsupported] = &[
    Unsupported::all(Refusal::F16, "no halves"),
    Unsupported::all(Refusal::Atomics, "none before b").on(&["a"]),
    Unsupported::all(Refusal::WorkgroupSize, "few lanes").most(64),
];

fn code(generation: &str, size: u32, body: &str) -> Option<&'static str> {
    let m = parse(&format!("entry \"main\" compute func0 size {size},1,1\nfunc0 \"f\" {{\nblock0:\n{body}  ret\n}}\n"));
    let chip = Chip { family: "x", generation, unsupported: UNSUPPORTED };
    check(&m, &chip, &Caps::FULL, None, &BindingFacts::UNKNOWN).err().map(|d| {
        assert!(d.message.contains(&format!("x:{generation}")), "{d}");
        d.code
    })
}

#[test]
fn what_is_lacking_is_refused_and_nothing_else() {
    let atomic = "  v1: i32 = atomic.add 1:i32, res1[0] align 4\n";
    assert_eq!(code("a", 64, atomic), Some("atomics"));
    assert_eq!(code("b", 64, atomic), None);
    assert_eq!(code("b", 65, ""), Some("workgroup-size"));
    let half = "  v1: i32 = load res1[0] align 4\n  v2: f16x2 = bitcast v1\n  v3: i32 = bitcast v2\n  store v3, res1[0] align 4\n";
    assert_eq!(code("b", 1, half), Some("f16"));
    let wide = "  v1: i64 = load res1[0] align 8\n  store v1, res1[8] align 8\n";
    assert_eq!(code("b", 1, wide), None);
}

const GRAPHICS: &[Stage] = &[Stage::Vertex, Stage::Fragment];
/// The refusals of a family without comparisons, with images in compute alone and positions on the screen.
const DRAWS: &[Unsupported] = &[
    Unsupported::all(Refusal::StorageBuffers, "in compute alone").in_stages(GRAPHICS),
    Unsupported::all(Refusal::StorageTextures, "in compute alone").in_stages(GRAPHICS),
    Unsupported::all(Refusal::ImageAtomics, "none"),
    Unsupported::all(Refusal::CubeArrays, "none"),
    Unsupported::all(Refusal::Gathers, "none from cubes"),
    Unsupported::all(Refusal::MultisampledTextures, "none"),
    Unsupported::all(Refusal::TexelComparisons, "samplers do not compare"),
    Unsupported::all(Refusal::TexelOffsets, "samplers add none"),
    Unsupported::all(Refusal::SampleShading, "none"),
    Unsupported::all(Refusal::SampleMasks, "none"),
    Unsupported::all(Refusal::ClipDistances, "fragments test them"),
    Unsupported::all(Refusal::TargetFormats, "none of 128 bits"),
    Unsupported::all(Refusal::DualSource, "one source"),
    Unsupported::all(Refusal::BlendEquations, "one for all targets"),
];
const PLANTED: Caps = Caps {
    tex: TexCaps { gather: Gathers::Nothing, ..TexCaps::FULL },
    sampler: SamplerCaps::MINIMAL,
    io: IoCaps {
        window_positions: true,
        clip_distances: false,
        layers: false,
        per_target: PerTarget::Masks,
        targets: FormatSet::ALL.without(&[Format::Rgba32Float]),
        ..IoCaps::FULL
    },
    ..Caps::FULL
};

/// Prepares a module for the planted family and asks for its refusal.
fn planted(text: &str, context: Option<PipelineContext>, list: &[Unsupported]) -> Result<(), gpucc_ir::Diagnostic> {
    let m = parse(&format!("module robust off\n{text}"));
    let pipeline = context.as_ref().map(|a| a.pipeline.clone());
    let options = Options { verify: true, context: context.map(Box::new), ..Options::default() };
    let (m, _) = prepare(&m, "main", &PLANTED, &options)?;
    let chip = Chip { family: "x", generation: "y", unsupported: list };
    check(&m, &chip, &PLANTED, pipeline.as_ref(), &BindingFacts::UNKNOWN)
}

/// A compute entry that stores what a line gives as `v1`.
fn texel(resources: &str, line: &str) -> String {
    format!(
        "res0 \"o\" group 0 binding 0 storage_rw size 4 stride 4\n{resources}entry \"main\" compute func0 size 1,1,1\n\
         func0 \"f\" {{\nblock0:\n  v0: f32x3 = load res0[16] align 16\n  v2: f32x2 = shuffle v0, v0, lanes 0 1\n  \
         v3: i32x2 = load res0[32] align 16\n  v4: f32 = extract v0, lane 2\n  {line}\n  store v1, res0[0] align 4\n  ret\n}}\n"
    )
}

#[test]
fn what_is_left_of_textures_is_refused_by_code() {
    let t = |kind: &str| format!("res1 \"t\" group 0 binding 1 texture {kind}\nres2 \"s\" group 0 binding 2 sampler\n");
    let shadow =
        "res1 \"t\" group 0 binding 1 texture 2d depth\nres2 \"s\" group 0 binding 2 sampler comparison\n".to_string();
    let image = |access: &str| format!("res1 \"t\" group 0 binding 1 image 2d \"r32uint\" {access}\n");
    for (code, text) in [
        // Of the sampler nothing is known.
        ("texel-comparisons", texel(&shadow, "v1: f32 = tex v2, 0.5:f32, tex res1 sampler res2 sample 2d shadow")),
        // The offset of one level is not that of the next.
        (
            "texel-offsets",
            texel(&t("2d float"), "v1: f32x4 = tex v2, v4, tex res1 sampler res2 sample 2d level offset 1 0 0"),
        ),
        ("gathers", texel(&t("cube float"), "v1: f32x4 = tex v0, tex res1 sampler res2 gather cube")),
        (
            "cube-arrays",
            texel(
                &t("cube array float"),
                "v1: f32x4 = tex v0, 1:i32, v4, tex res1 sampler res2 sample cube layer signed level",
            ),
        ),
        (
            "multisampled-textures",
            texel(&t("2d multisampled float"), "v1: f32x4 = tex v3, 1:i32, tex res1 fetch 2d multisampled"),
        ),
        ("image-atomics", texel(&image("atomic"), "v1: i32 = image_atomic.add 1:i32, v3, tex res1 atomic 2d")),
    ] {
        let refused = planted(&text, None, DRAWS).expect_err(code);
        assert_eq!(refused.code, code, "{refused}");
        // A family that does not say so has a bug.
        if matches!(code, "texel-comparisons" | "texel-offsets" | "gathers") {
            let bug = planted(&text, None, &[]).expect_err(code);
            assert_eq!(bug.class, Class::Internal, "{bug}");
        }
    }
    let load = texel(&image("read"), "v1: i32x4 = image_load v3, tex res1 load 2d");
    assert!(planted(&load, None, DRAWS).is_ok(), "in compute there are images");
    let gather = texel(&t("2d float"), "v1: f32x4 = tex v2, tex res1 sampler res2 gather 2d component 2");
    assert!(planted(&gather, None, DRAWS).is_ok(), "four samples stand for it");
}

/// A family that filters within a face has cubes for samplers that are known to filter nothing.
#[test]
fn cubes_that_are_filtered_are_refused_where_edges_are_seams() {
    let seams = [Unsupported::all(Refusal::CubeEdges, "faces alone")];
    let chip = Chip { family: "x", generation: "y", unsupported: &seams };
    let asked = |kind: &str, line: &str, filter: Option<Filter>| {
        let t = format!("res1 \"t\" group 0 binding 1 texture {kind}\nres2 \"s\" group 0 binding 2 sampler\n");
        let samplers = filter.map(|filter| SamplerFacts { group: 0, binding: 2, compare: None, filter });
        let bound = BindingFacts { samplers: samplers.into_iter().collect(), ..BindingFacts::UNKNOWN };
        let m = parse(&format!("module robust off\n{}", texel(&t, line)));
        let (m, _) = prepare(&m, "main", &Caps::FULL, &Options::default()).expect("it is prepared");
        check(&m, &chip, &Caps::FULL, None, &bound).err().map(|d| d.code)
    };
    let sample = "v1: f32x4 = tex v0, v4, tex res1 sampler res2 sample cube level";
    assert_eq!(asked("cube float", sample, None), Some("cube-edges"));
    assert_eq!(asked("cube float", sample, Some(Filter::Linear)), Some("cube-edges"));
    assert_eq!(asked("cube float", sample, Some(Filter::Nearest)), None);
    assert_eq!(asked("cube float", "v1: f32x4 = tex v0, tex res1 sampler res2 gather cube", None), None);
    let flat = "v1: f32x4 = tex v2, v4, tex res1 sampler res2 sample 2d level";
    assert_eq!(asked("2d float", flat, Some(Filter::Linear)), None);
}

#[test]
fn what_stages_ask_for_is_refused_by_code() {
    let fragment = |slots: &str, ty: &str, body: &str| {
        format!(
            "res0 \"o\" group 0 binding 0 storage_rw size 4 stride 4\n\
             res1 \"t\" group 0 binding 1 image 2d \"r32uint\" write\nentry \"main\" fragment func0 {{\n{slots}}}\n\
             func0 \"f\"{ty} {{\nblock0:\n{body}}}\n"
        )
    };
    let colour = "  out0 \"\" location 0 f32x4\n";
    let white = "  v0: f32x4 = splat 1.0:f32\n";
    let plain = fragment(colour, " -> f32x4", &format!("{white}  ret v0\n"));
    let target = |format| Some(Target::new(format));
    let on = |targets: Vec<Option<Target>>| Some(PipelineContext::new(Pipeline { targets, ..Pipeline::default() }));
    let plane = Some(on(vec![target(Format::Rgba8Unorm)]).expect("a pipeline"));
    let equation = |src| {
        let part = BlendComponent { src, dst: BlendFactor::One, ..BlendComponent::default() };
        Some(Target { blend: Some(Blend { color: part, alpha: part }), ..Target::new(Format::Rgba8Unorm) })
    };
    for (code, text, context) in [
        (
            "sample-shading",
            fragment("  out0 \"\" location 0 i32\n", " -> i32", "  v0: i32 = sysval sample_index\n  ret v0\n"),
            plane.clone(),
        ),
        (
            "sample-shading",
            fragment(
                "  in0 \"\" location 0 perspective sample f32\n  out0 \"\" location 0 f32\n",
                " -> f32",
                "  v0: f32 = input in0\n  ret v0\n",
            ),
            plane.clone(),
        ),
        ("sample-masks", fragment("  out0 \"\" sample_mask i32\n", " -> i32", "  ret 3:i32\n"), plane.clone()),
        (
            "dual-source",
            fragment(
                "  out0 \"\" location 0 blend_src 0 f32x4\n  out1 \"\" location 0 blend_src 1 f32x4\n",
                " -> f32x4, f32x4",
                &format!("{white}  ret v0, v0\n"),
            ),
            plane.clone(),
        ),
        ("target-formats", plain.clone(), on(vec![None, target(Format::Rgba32Float)])),
        ("blend-equations", plain.clone(), on(vec![equation(BlendFactor::One), equation(BlendFactor::SrcAlpha)])),
        ("storage-buffers", fragment("", "", "  store 1:i32, res0[0] align 4\n  ret\n"), plane.clone()),
        (
            "storage-textures",
            fragment(
                "",
                "",
                "  v0: i32x4 = splat 1:i32\n  v1: i32x2 = splat 1:i32\n  image_store v0, v1, tex res1 store 2d\n  ret\n",
            ),
            plane.clone(),
        ),
    ] {
        let refused = planted(&text, context, DRAWS).expect_err(code);
        assert_eq!(refused.code, code, "{refused}");
    }
    assert!(planted(&plain, plane, DRAWS).is_ok());
    // No fragment program is known that could test it.
    let clipped = "entry \"main\" vertex func0 {\n  out0 \"\" position f32x4\n  out1 \"\" clip_distance 0 f32\n}\n\
                   func0 \"f\" -> f32x4, f32 {\nblock0:\n  v0: f32x4 = splat 1.0:f32\n  ret v0, 1.0:f32\n}\n";
    let refused = planted(clipped, None, DRAWS).expect_err("clip distances");
    assert_eq!(refused.code, "clip-distances", "{refused}");
}
