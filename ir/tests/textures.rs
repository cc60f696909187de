//! Inputs, outputs, quads and textures: text and rules.

use gpucc_ir::text::{module_text, parse_module};
use gpucc_ir::verify::verify_module;
use gpucc_ir::{TexArg, TexCube, TexDesc, TexDim, TexLayer, TexLod, TexWhat};

const FRAGMENT: &str = r#"module robust on
res0 "t" group 0 binding 0 texture 2d array float
res1 "s" group 0 binding 1 sampler
res2 "shadow" group 1 binding 0 texture cube depth count 4
res3 "compare" group 1 binding 1 sampler comparison
res4 "image" group 2 binding 0 image 2d "rgba8unorm" read_write
res5 "counts" group 2 binding 1 image 1d array "r32uint" atomic
entry "fs" fragment func0 early_depth @3..9 {
  in0 "uv" location 0 f32x2
  in1 "flat" location 1 flat center i32
  in2 "far" location 2 linear centroid f32x3
  out0 "c" location 0 f32x4
  out1 "c1" location 0 blend_src 1 f32x4 @1..2
  out2 "" frag_depth f32
}

func0 "fs" -> f32x4, f32x4, f32 {
block0:
  v0: f32x2 = input in0
  v1: i32 = input in1
  v2: f32x3 = input in2
  v3: f32x4 = sample v0, v1, tex res0 sampler res1 sample 2d layer signed implicit offset 1 -2 0
  v4: f32 = tex v2, 0.5:f32, v1, tex res2 sampler res3 sample cube shadow texture_index
  v5: f32 = extract v3, lane 3
  v6: b1 = fcmp.olt v5, 0.5:f32
  demote v6
  v7: f32 = derivative v5, x fine
  v8: i32x2 = tex_query 0:i32, tex res0 size 2d level
  v9: f32x4 = tex [0, 1]:i32x2, v1, 0:i32, tex res0 fetch 2d layer signed level
  v10: f32x4 = sysval frag_coord
  v11: f32x4 = image_load v8, tex res4 load 2d
  image_store v11, v8, tex res4 store 2d
  v12: i32 = image_atomic.umax 7:i32, v1, 2:i32, tex res5 atomic 1d layer unsigned
  ret v3, v10, v7
}
"#;

#[test]
fn a_fragment_reads_back_as_printed() {
    let m = parse_module(FRAGMENT).unwrap_or_else(|e| panic!("{e}"));
    verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
    assert_eq!(module_text(&m), FRAGMENT);
}

/// The inputs and outputs that only lowering makes: forms of outputs, targets that are read, values of the draw.
#[test]
fn what_lowering_makes_reads_back_as_printed() {
    let text = r#"module robust on
res0 "t" group 0 binding 0 texture 2d float variant high
res1 "t" group 0 binding 0 sampler variant nearest
entry "vs" vertex func0 {
  position window
  out0 "" position f32x4
}
entry "fs" fragment func1 {
  compact_targets
  in0 "a" location 0 over_w center f32
  out0 "c" location 0 blended f32x4
  out1 "d" location 1 half16 blended i32x2
}

func0 "vs" -> f32x4 {
block0:
  v0: f32x3 = sysval viewport_scale
  v1: f32x3 = sysval viewport_offset
  v2: f32x3 = fadd v0, v1
  v3: f32 = extract v2, lane 0
  v4: f32x4 = splat v3
  ret v4
}

func1 "fs" -> f32x4, i32x2 {
block0:
  v0: f32x4 = target_load target0
  v1: i32x4 = target_load target1
  v2: f32x4 = sysval blend_constant
  v3: f32x4 = fmul v0, v2
  v4: i32 = pack_half2x16_rtz [1.0, 2.0]:f32x2
  v5: i32 = extract v1, lane 3
  v6: i32x2 = compose v4, v5
  ret v3, v6
}
"#;
    let m = parse_module(text).unwrap_or_else(|e| panic!("{e}"));
    verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
    assert_eq!(module_text(&m), text);
    for (from, to, rule) in [
        ("v0: f32x4 = target_load", "v0: f32x3 = target_load", "type"),
        ("v2: f32x4 = sysval blend_constant", "v2: f32x3 = sysval viewport_scale", "stage"),
        ("v1: f32x3 = sysval viewport_offset", "v1: f32x4 = target_load target0", "stage"),
    ] {
        let m = parse_module(&text.replacen(from, to, 1)).unwrap_or_else(|e| panic!("{e}"));
        let found = verify_module(&m).expect_err(to);
        assert!(found.iter().any(|f| f.rule == rule), "{to}: {}", found[0]);
    }
}

/// Each change of the text breaks the rule that is named.
#[test]
fn what_does_not_fit_is_found() {
    let cases = [
        ("-> f32x4, f32x4, f32 {", "-> f32x4, f32x4, i32 {", "module"),
        ("v1: i32 = input in1", "v1: i32 = input in9", "stage"),
        ("v1: i32 = input in1", "v1: i32 = input in0", "stage"),
        ("sampler res1 sample", "sampler res3 sample", "texture"),
        ("sampler res1 sample", "sampler res0 sample", "texture"),
        ("sampler res1 sample", "sample", "texture"),
        ("tex res0 sampler res1 sample 2d", "tex res1 sampler res1 sample 2d", "texture"),
        ("sample v0, v1, tex", "sample v0, tex", "arity"),
        ("sample v0, v1, tex", "sample v2, v1, tex", "type"),
        ("2d layer signed implicit", "2d layer signed", "texture"),
        ("tex res0 fetch 2d", "tex res0 load 2d", "texture"),
        ("v9: f32x4 = tex", "v9: i32x4 = tex", "texture"),
        ("v8: i32x2 = tex_query", "v8: i32 = tex_query", "texture"),
        ("v10: f32x4 = sysval frag_coord", "v10: i32 = sysval vertex_index", "stage"),
        ("image_store v11, v8, tex res4", "image_store v11, v8, tex res0", "texture"),
        ("image_store v11, v8", "image_store v8, v8", "texture"),
        ("umax 7:i32", "umax 7.0:f32", "texture"),
        ("demote v6", "demote v5", "type"),
        ("v7: f32 = derivative v5", "v7: i32 = derivative v5", "type"),
    ];
    for (from, to, rule) in cases {
        let text = FRAGMENT.replacen(from, to, 1);
        assert_ne!(text, FRAGMENT, "{from}");
        let m = parse_module(&text).unwrap_or_else(|e| panic!("{e}"));
        let found = verify_module(&m).expect_err(to);
        assert!(found.iter().any(|f| f.rule == rule), "{to}: {}", found[0]);
    }
}

/// Quads are of fragments: vertex and compute entries have none.
#[test]
fn quads_are_of_fragments() {
    let text = |stage: &str, line: &str| {
        format!(
            "module robust on\nres0 \"t\" group 0 binding 0 texture 2d float\nres1 \"s\" group 0 binding 1 sampler\n\
             entry \"main\" {stage}\n\nfunc0 \"main\" {{\nblock0:\n  {line}\n  ret\n}}\n"
        )
    };
    for line in [
        "demote true:b1",
        "v0: f32 = derivative 1.0:f32, y coarse",
        "v0: f32x4 = sample [0.0, 0.0]:f32x2, tex res0 sampler res1 sample 2d implicit",
    ] {
        for (stage, fits) in [("fragment func0", true), ("vertex func0", false), ("compute func0 size 4,1,1", false)] {
            let m = parse_module(&text(stage, line)).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(verify_module(&m).is_ok(), fits, "{stage}: {line}");
        }
    }
    let level = "v0: f32x4 = tex [0.0, 0.0]:f32x2, 1.5:f32, tex res0 sampler res1 sample 2d level";
    let m = parse_module(&text("compute func0 size 4,1,1", level)).unwrap_or_else(|e| panic!("{e}"));
    verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
}

#[test]
fn a_descriptor_keeps_all_its_fields() {
    let d = TexDesc::new(TexWhat::Gather, TexDim::Cube)
        .with_layer(TexLayer::Unsigned)
        .with_shadow(true)
        .with_lod(TexLod::Gradients)
        .with_component(3)
        .with_cube(TexCube::FacedPlusOne)
        .with_offset([-8, 7, -1])
        .with_base_clamp(true)
        .with_texture_indexed(true)
        .with_sampler_indexed(true);
    assert_eq!((d.what(), d.dim(), d.layer()), (TexWhat::Gather, TexDim::Cube, TexLayer::Unsigned));
    assert_eq!(
        (d.lod(), d.component(), d.cube(), d.offset()),
        (TexLod::Gradients, 3, TexCube::FacedPlusOne, [-8, 7, -1])
    );
    assert!(d.shadow() && d.base_clamp() && d.texture_indexed() && d.sampler_indexed() && !d.multisampled());
    use TexArg::*;
    assert_eq!(d.args()[..], [Coords, Layer, Reference, Ddx, Ddy, TextureIndex, SamplerIndex]);
    let plain = d.with_offset([0; 3]).with_base_clamp(false).with_sampler_indexed(false);
    assert_eq!(plain.offset(), [0; 3]);
    assert_eq!(plain.component(), 3);
}
