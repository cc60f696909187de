//! Stages in the form of poorer targets: each rule where it fires, and nothing where the target has everything.

use gpucc_ir::{Module, Stage};
use gpucc_opt::{Blending, Caps, IoCaps, Options, PipelineContext, prepare};
use gpucc_pipeline::{Blend, BlendComponent, BlendFactor, Format, Pipeline, Target, Topology};
use gpucc_sim::raster::Viewport;
use gpucc_sim::texture::Codec;

use crate::drawing::{COVER, Scene};

const VERTEX: &str = r#"module robust on
entry "vs" vertex func0 {
  in0 "p" location 0 f32x4
  out0 "" position f32x4
  out1 "a" location 0 linear center f32x2
  out2 "b" location 1 f32
}
func0 "vs" -> f32x4, f32x2, f32 {
block0:
  v0: f32x4 = input in0
  v1: i32 = sysval vertex_index
  v2: i32 = sysval instance_index
  v3: f32 = u2f v1
  v4: f32 = u2f v2
  v5: f32x2 = compose v3, v4
  ret v0, v5, v3
}
"#;

const FRAGMENT: &str = r#"module robust on
entry "fs" fragment func0 {
  in0 "a" location 0 linear center f32x2
  in1 "b" location 1 f32
  in2 "c" location 2 flat center i32
  out0 "" location 0 f32x4
}
func0 "fs" -> f32x4 {
block0:
  v0: f32x2 = input in0
  v1: f32 = input in1
  v2: i32 = input in2
  v3: f32 = u2f v2
  v4: f32x4 = sysval frag_coord
  v5: f32 = extract v4, lane 2
  v6: f32 = extract v0, lane 1
  v7: f32 = fadd v6, v3
  v8: f32x4 = compose v5, v1, v7, v6
  ret v8
}
"#;

fn lowered(text: &str, stage: Stage, io: IoCaps) -> (Module, String) {
    let m = gpucc_ir::text::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
    let name = m.entries[0].name.clone();
    let options = Options { verify: true, ..Options::default() };
    let (after, _) = prepare(&m, &name, &Caps { io, ..Caps::FULL }, &options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(after.entries[0].stage.kind(), stage);
    let text = after.to_string();
    (after, text)
}

#[test]
fn a_target_with_everything_keeps_the_stages() {
    for (text, stage) in [(VERTEX, Stage::Vertex), (FRAGMENT, Stage::Fragment)] {
        let (after, said) = lowered(text, stage, IoCaps::FULL);
        let before = gpucc_ir::text::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(after.entries[0].interface(), before.entries[0].interface(), "{said}");
    }
}

#[test]
fn indices_have_their_bases_added() {
    let (_, text) = lowered(
        VERTEX,
        Stage::Vertex,
        IoCaps { vertex_index_includes_base: false, instance_index_includes_base: false, ..IoCaps::FULL },
    );
    for part in ["raw_vertex_index", "first_vertex", "raw_instance_index", "first_instance"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(text.matches("iadd").count(), 2, "{text}");
}

/// z of 0..w becomes 2 z - w, and the interface says so.
#[test]
fn depth_from_minus_w() {
    let (_, text) = lowered(VERTEX, Stage::Vertex, IoCaps { negative_depth: true, ..IoCaps::FULL });
    assert!(text.contains("position clip_negative"), "{text}");
    assert!(text.contains("fadd") && text.contains("fsub"), "{text}");
}

/// The vertex gives a * w, and the fragment multiplies by 1 / w what it gets with perspective.
#[test]
fn linear_by_perspective() {
    let caps = IoCaps { linear: false, ..IoCaps::FULL };
    let (_, vertex) = lowered(VERTEX, Stage::Vertex, caps);
    let (_, fragment) = lowered(FRAGMENT, Stage::Fragment, caps);
    assert!(!vertex.contains("linear center") && vertex.contains("fmul"), "{vertex}");
    assert!(!fragment.contains("linear center") && fragment.contains("frag_inv_w"), "{fragment}");
    assert!(!fragment.contains("frcp"), "{fragment}");
}

/// Where the stages say different things of an output, the fragment's word counts.
#[test]
fn fragments_say_what_is_linear() {
    let smooth = |text: &str| text.replace(" linear center f32x2", " f32x2");
    for (vertex, fragment, multiplied) in [
        (smooth(VERTEX), FRAGMENT.to_string(), true),
        (VERTEX.to_string(), smooth(FRAGMENT), false),
        (smooth(VERTEX), smooth(FRAGMENT), false),
    ] {
        let [vertex, fragment] =
            [vertex, fragment].map(|t| gpucc_ir::text::parse_module(&t).unwrap_or_else(|e| panic!("{e}")));
        let other = Some(fragment.entries[0].stage.clone());
        let context = Some(Box::new(PipelineContext { other, ..PipelineContext::new(Pipeline::default()) }));
        let options = Options { verify: true, context, ..Options::default() };
        let caps = with(IoCaps { linear: false, ..IoCaps::FULL });
        let (after, _) = prepare(&vertex, "vs", &caps, &options).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(after.to_string().contains("fmul"), multiplied, "{after}");
    }
}

#[test]
fn perspective_by_division() {
    let (_, text) = lowered(FRAGMENT, Stage::Fragment, IoCaps { perspective: false, ..IoCaps::FULL });
    assert!(text.contains("\"b\" location 1 over_w center f32") && text.contains("\"a\" location 0 linear"), "{text}");
    assert!(text.contains("flat center i32"), "{text}");
    assert_eq!(text.matches("frcp").count(), 1, "{text}");
}

/// Without both, what is linear needs no arithmetic in the fragment: times w over w.
#[test]
fn linear_over_w_is_what_it_was() {
    let (_, text) = lowered(FRAGMENT, Stage::Fragment, IoCaps { linear: false, perspective: false, ..IoCaps::FULL });
    assert!(text.contains("\"a\" location 0 over_w center f32x2"), "{text}");
    assert_eq!(text.matches("fmul").count(), 1, "of `b` alone: {text}");
}

#[test]
fn positions_of_fragments_by_their_parts() {
    let (_, text) = lowered(FRAGMENT, Stage::Fragment, IoCaps { frag_coord: false, ..IoCaps::FULL });
    assert!(text.contains("frag_z") && !text.contains("frag_coord"), "{text}");
}

const WINDOW: IoCaps = IoCaps { window_positions: true, ..IoCaps::FULL };
const NO_CLIP: IoCaps = IoCaps { clip_distances: false, ..IoCaps::FULL };
const PACKED: IoCaps = IoCaps { packed_colours: true, ..IoCaps::FULL };
const COMPACT: IoCaps = IoCaps { compact_targets: true, ..IoCaps::FULL };

fn with(io: IoCaps) -> Caps {
    Caps { io, ..Caps::FULL }
}

/// A triangle over all of the target, with w 2 in one corner and two clip distances that change along x and y.
fn slanted(early: bool) -> (String, String) {
    let vertex = COVER
        .replace("position f32x4\n", "position f32x4\n  out1 \"\" clip_distance 0 f32\n  out2 \"\" clip_distance 1 f32\n")
        .replace("-> f32x4", "-> f32x4, f32, f32")
        .replace(
            "  v9: f32x4 = compose v4, v8, 0.5:f32, 1.0:f32\n  ret v9\n",
            "  v9: f32x4 = compose v4, v8, 0.5:f32, 1.0:f32\n  v11: f32 = fadd v4, 2.0:f32\n  v12: f32x4 = splat v11\n\
             \x20 v13: f32x4 = fmul v9, v12\n  v14: f32 = fadd v4, 0.8:f32\n  v15: f32 = fsub 0.6:f32, v8\n  ret v13, v14, v15\n",
        );
    let early = if early { " early_depth" } else { "" };
    (vertex, FILL.replace("func0 {\n  out0", &format!("func0{early} {{\n  out0")))
}

/// One colour.
const FILL: &str = r#"module robust on
entry "fs" fragment func0 {
  out0 "" location 0 f32x4
}
func0 "fs" -> f32x4 {
block0:
  v0: f32x4 = compose 0.25:f32, 0.5:f32, 0.75:f32, 0.9:f32
  ret v0
}
"#;

fn onto(formats: &[Option<Format>]) -> Pipeline {
    Pipeline { targets: formats.iter().map(|f| f.map(Target::new)).collect(), ..Pipeline::default() }
}

#[test]
fn positions_on_the_screen() {
    let (vertex, _) = slanted(false);
    let mut s = Scene::new(&vertex, Some(FILL), onto(&[Some(Format::Rgba8Unorm)]));
    s.size = [16, 16];
    s.viewport = Viewport { x: 1.0, y: 2.0, width: 13.0, height: 11.0, min_depth: 0.25, max_depth: 0.75 };
    let lowered = s.lowered(&with(WINDOW), 2);
    let text = lowered.text();
    assert!(text.contains("position window") && text.contains("viewport_scale"), "{text}");
    assert_eq!(lowered.draw(), s.draw());
    assert!(!s.lowered(&Caps::FULL, 2).text().contains("viewport_scale"));
}

/// What lies at depth 0 has the offset of the viewport for a depth.
#[test]
fn flat_positions_on_the_screen() {
    let sums = |depth: &str| {
        let vertex = COVER.replace("0.5:f32, 1.0:f32", &format!("{depth}:f32, 1.0:f32"));
        let s = Scene::new(&vertex, Some(FILL), onto(&[Some(Format::Rgba8Unorm)]));
        let lowered = s.lowered(&with(WINDOW), 2);
        assert_eq!(lowered.draw(), s.draw());
        lowered.text().matches("= fma").count()
    };
    assert_eq!(sums("0.5"), sums("0.0") + 1);
}

/// The place of a sample comes of its number; of one alone it is the middle of the pixel. It stays where a target has it.
#[test]
fn places_of_samples() {
    const PLACE: &str = r#"module robust on
entry "fs" fragment func0 {
  out0 "" location 0 f32x4
}
func0 "fs" -> f32x4 {
block0:
  v0: f32x2 = sysval sample_position
  v1: f32 = extract v0, lane 0
  v2: f32 = extract v0, lane 1
  v3: f32x4 = compose v1, v2, v1, v2
  ret v3
}
"#;
    let text = |samples: u8, sample_position: bool| {
        let p = Pipeline { samples, ..onto(&[Some(Format::Rgba8Unorm)]) };
        let s = Scene::new(COVER, Some(PLACE), p);
        s.lowered(&with(IoCaps { sample_position, clip_distances: false, ..IoCaps::FULL }), 2).text()
    };
    assert!(text(4, true).contains("sample_position") && text(1, true).contains("sample_position"));
    let four = text(4, false);
    assert!(four.contains("sample_index") && !four.contains("sample_position"), "{four}");
    let one = text(1, false);
    assert!(!one.contains("sample_index") && !one.contains("sample_position") && one.contains("0.5"), "{one}");
}

/// Where a pixel has one sample its number is 0, an input at it is one in the middle, and a mask of it is a demotion. A target that has samples keeps
/// them, and so do several samples.
#[test]
fn one_sample_needs_nothing() {
    const ASKS: &str = r#"module robust on
entry "fs" fragment func0 {
  in0 "" location 0 perspective sample f32
  out0 "" location 0 f32x4
  out1 "" sample_mask i32
}
func0 "fs" -> f32x4, i32 {
block0:
  v0: i32 = sysval sample_index
  v1: f32 = input in0
  v2: f32 = u2f v0
  v3: f32x4 = compose v1, v2, v1, v2
  v4: i32 = f2u v1
  v5: i32 = sysval sample_mask
  v6: i32 = and v4, v5
  ret v3, v6
}
"#;
    let text = |program: &str, samples: u8, has: bool| {
        let p = Pipeline { samples, ..onto(&[Some(Format::Rgba8Unorm)]) };
        let s = Scene::new(COVER, Some(program), p);
        let io = IoCaps { sample_shading: has, sample_mask: has, covered_samples: has, ..IoCaps::FULL };
        s.lowered(&with(io), 2).text()
    };
    let asks = ["sample_index", "perspective sample", "sample_mask i32", "sysval sample_mask"];
    for kept in [text(ASKS, 1, true), text(ASKS, 4, false), text(ASKS, 4, true)] {
        assert!(asks.iter().all(|p| kept.contains(p)) && !kept.contains("demote"), "{kept}");
    }
    let one = text(ASKS, 1, false);
    assert!(asks.iter().all(|p| !one.contains(p)) && one.contains("demote"), "{one}");
    // A neighbour may be a helper, whose mask is 0.
    let seen = "  v5: i32 = sysval sample_mask\n";
    let looks = ASKS.replace(seen, "").replace(
        "  v4: i32 = f2u v1\n",
        &format!("{seen}  v7: f32 = u2f v5\n  v8: f32 = derivative v7, x fine\n  v4: i32 = f2u v8\n"),
    );
    let kept = text(&looks, 1, false);
    assert!(kept.contains("sysval sample_mask") && !kept.contains("sysval sample_index"), "{kept}");
}

/// A size of points goes where no points are drawn and where it is 1, if anything is lowered at all.
#[test]
fn sizes_of_points() {
    let sized = |size: &str| {
        let text = COVER
            .replace("position f32x4\n", "position f32x4\n  out1 \"\" point_size f32\n")
            .replace("-> f32x4", "-> f32x4, f32")
            .replace("  ret v9\n", &format!("  ret v9, {size}\n"));
        assert!(text.contains("point_size") && text.contains(&format!("v9, {size}")), "{text}");
        text
    };
    let stays = |size: &str, topology: Topology, full: bool| {
        let p = Pipeline { topology, ..onto(&[Some(Format::Rgba8Unorm)]) };
        let s = Scene::new(&sized(size), Some(FILL), p);
        let caps = with(IoCaps { compact_targets: !full, ..IoCaps::FULL });
        [0, 2].map(|level| s.lowered(&caps, level).text().contains("point_size"))
    };
    assert_eq!(stays("v4", Topology::TriangleList, false), [false; 2]);
    assert_eq!(stays("1.0:f32", Topology::PointList, false), [false; 2]);
    assert_eq!(stays("v4", Topology::PointList, false), [true; 2]);
    assert_eq!(stays("v4", Topology::TriangleList, true), [true; 2]);
}

/// The place in a point is an input of its own where fragments do not know it otherwise, once however often it is read.
#[test]
fn places_in_points() {
    let sum = "  v90: f32x2 = sysval point_coord\n  v91: f32 = extract v90, lane 0\n  v92: f32x2 = sysval point_coord\n  v93: f32 = extract v92, lane 1\n  v3: f32 = fadd v91, v93\n";
    let text = FRAGMENT.replace("  v3: f32 = u2f v2\n", sum);
    assert!(text.contains("v93"), "{text}");
    let (_, kept) = lowered(&text, Stage::Fragment, IoCaps { frag_coord: false, ..IoCaps::FULL });
    assert!(kept.contains("sysval point_coord") && !kept.contains("\"\" point_coord"), "{kept}");
    let caps = IoCaps { point_coord: false, linear: false, perspective: false, ..IoCaps::FULL };
    let (_, gone) = lowered(&text, Stage::Fragment, caps);
    assert_eq!(gone.matches("\"\" point_coord linear center f32x2").count(), 1, "{gone}");
    assert!(!gone.contains("sysval point_coord"), "{gone}");
}

/// The depth of a fragment goes where depth is tested early.
#[test]
fn depths_behind_early_tests() {
    let stays = |modes: &str| {
        let text = FRAGMENT
            .replace("fragment func0", &format!("fragment func0{modes}"))
            .replace("location 0 f32x4\n}", "location 0 f32x4\n  out1 \"\" frag_depth f32\n}")
            .replace("-> f32x4", "-> f32x4, f32")
            .replace("ret v8", "ret v8, v5");
        assert!(text.contains("frag_depth") && text.contains("v8, v5"), "{text}");
        lowered(&text, Stage::Fragment, IoCaps { perspective: false, ..IoCaps::FULL }).1.contains("frag_depth")
    };
    assert_eq!([stays(""), stays(" early_depth")], [true, false]);
}

/// A layer and a viewport that are 0 go where a target has none, and fragments are on the first; else both stay.
#[test]
fn layers_and_viewports() {
    for at in ["layer", "viewport_index"] {
        let caps = |there: bool| match at {
            "layer" => IoCaps { layers: there, ..IoCaps::FULL },
            _ => IoCaps { viewports: there, ..IoCaps::FULL },
        };
        let vertex = |value: &str, there: bool| {
            let text = VERTEX
                .replace("location 1 f32\n", &format!("location 1 f32\n  out3 \"\" {at} i32\n"))
                .replace("f32x2, f32 {", "f32x2, f32, i32 {")
                .replace("v5, v3\n", &format!("v5, v3, {value}\n"));
            lowered(&text, Stage::Vertex, caps(there)).1.contains(at)
        };
        assert_eq!([vertex("0:i32", false), vertex("v2", false), vertex("0:i32", true)], [false, true, true]);
        let text = FRAGMENT.replace("v3: f32 = u2f v2", &format!("v9: i32 = sysval {at}\n  v3: f32 = u2f v9"));
        let fragment = |there| lowered(&text, Stage::Fragment, caps(there)).1.contains(at);
        assert_eq!([fragment(false), fragment(true)], [false, true]);
    }
}

/// The number of a viewport travels where fragments do not know it: at the lowest location of neither stage, behind clip distances. Behind a vertex
/// that chooses none it is 0, and nothing travels where it is known.
#[test]
fn viewports_that_travel() {
    let (vertex, _) = slanted(false);
    let plain = vertex.clone();
    let vertex = vertex
        .replace("clip_distance 1 f32\n", "clip_distance 1 f32\n  out3 \"\" viewport_index i32\n")
        .replace("-> f32x4, f32, f32", "-> f32x4, f32, f32, i32")
        .replace("ret v13, v14, v15", "ret v13, v14, v15, v0");
    let fragment =
        FILL.replace("  v0:", "  v1: i32 = sysval viewport_index\n  v2: f32 = u2f v1\n  v0:").replace("0.25:f32", "v2");
    let text = |vertex: &str, viewport_index: bool, clip_distances: bool| {
        let s = Scene::new(vertex, Some(&fragment), onto(&[Some(Format::Rgba8Unorm)]));
        s.lowered(&with(IoCaps { viewport_index, clip_distances, ..IoCaps::FULL }), 2).text()
    };
    let known = text(&vertex, true, true);
    assert!(known.contains("sysval viewport_index") && !known.contains("flat center i32"), "{known}");
    let travels = text(&vertex, false, true);
    assert!(!travels.contains("sysval viewport_index"), "{travels}");
    assert_eq!(travels.matches("location 0 flat center i32").count(), 2, "{travels}");
    assert_eq!(travels.matches("\"\" viewport_index i32").count(), 1, "{travels}");
    let both = text(&vertex, false, false);
    assert_eq!(both.matches("location 0 f32x2").count(), 2, "{both}");
    assert_eq!(both.matches("location 1 flat center i32").count(), 2, "{both}");
    let first = text(&plain, false, true);
    assert!(!first.contains("viewport_index") && !first.contains("flat center i32"), "{first}");
}

/// The fragment throws away what lies outside, with one sample and with four.
#[test]
fn clip_distances_by_code() {
    for samples in [1, 4] {
        for perspective in [true, false] {
            let (vertex, fragment) = slanted(false);
            let p = Pipeline { samples, ..onto(&[Some(Format::Rgba8Unorm)]) };
            let mut s = Scene::new(&vertex, Some(&fragment), p);
            s.size = [16, 16];
            s.viewport = Viewport { width: 16.0, height: 16.0, ..s.viewport };
            let lowered = s.lowered(&with(IoCaps { perspective, ..NO_CLIP }), 2);
            let text = lowered.text();
            assert!(
                !text.contains("clip_distance") && text.contains("location 0 f32x2") && text.contains("demote"),
                "{text}"
            );
            let (want, got) = (s.draw(), lowered.draw());
            assert_eq!(want, got, "{samples} samples");
            let drawn = want[0].chunks(4).filter(|c| c != &[0; 4]).count();
            assert!(drawn > 20 && drawn < want[0].len() / 4, "{drawn}");
        }
    }
}

/// Distances take none of the locations that either stage has in the source, although passes drop some of them in one stage.
#[test]
fn clip_distances_beside_other_values() {
    let (vertex, fragment) = slanted(false);
    let others = "  out1 \"\" location 0 f32\n  out2 \"\" location 1 f32\n  out3 \"\" location 32 f32\n  out4 \"\" clip_distance 0";
    let vertex = vertex
        .replace("out2", "out5")
        .replace("  out1 \"\" clip_distance 0", others)
        .replace("-> f32x4, f32, f32", "-> f32x4, f32, f32, f32, f32, f32")
        .replace("ret v13,", "ret v13, v4, v8, v8,");
    let fragment = fragment
        .replace("  out0", "  in0 \"\" location 0 f32\n  in1 \"\" location 32 f32\n  out0")
        .replace("compose 0.25:f32, 0.5:f32", "compose v1, v2")
        .replace("  v0:", "  v1: f32 = input in0\n  v2: f32 = input in1\n  v0:");
    let mut s = Scene::new(&vertex, Some(&fragment), onto(&[Some(Format::Rgba16Float)]));
    s.size = [16, 16];
    s.viewport = Viewport { width: 16.0, height: 16.0, ..s.viewport };
    let want = s.draw();
    for level in [0, 2] {
        let lowered = s.lowered(&with(NO_CLIP), level);
        let text = lowered.text();
        assert_eq!(text.matches("location 2 f32x2").count(), 2, "{text}");
        assert_eq!(text.contains("location 1 f32"), level == 0, "{text}");
        assert!(want == lowered.draw(), "level {level}");
    }
}

/// Where depth is tested first a fragment cannot be thrown away, and alone a vertex entry has nobody behind it.
#[test]
fn clip_distances_that_stay() {
    let (vertex, fragment) = slanted(true);
    let s = Scene::new(&vertex, Some(&fragment), onto(&[Some(Format::Rgba8Unorm)]));
    let text = s.lowered(&with(NO_CLIP), 2).text();
    assert!(text.contains("clip_distance 1") && !text.contains("demote"), "{text}");
    let alone = Scene::new(&vertex, None, Pipeline::default());
    assert!(alone.lowered(&with(NO_CLIP), 2).text().contains("clip_distance 0"));
    let all = Scene::new(&vertex, Some(FILL), onto(&[Some(Format::Rgba8Unorm)]));
    assert!(all.lowered(&Caps::FULL, 2).text().contains("clip_distance 0"));
}

/// Alpha to coverage, which a mask of samples would replace, is part of that mask.
#[test]
fn clip_distances_and_alpha_to_coverage() {
    let (vertex, fragment) = slanted(false);
    let fragment = fragment.replace("0.9:f32", "0.5:f32");
    let p = Pipeline { samples: 4, alpha_to_coverage: true, ..onto(&[Some(Format::Rgba8Unorm)]) };
    let s = Scene::new(&vertex, Some(&fragment), p);
    let want = s.draw();
    assert!(want[0].iter().any(|&b| b != 0) && want[0].contains(&0));
    assert_eq!(s.lowered(&with(NO_CLIP), 2).draw(), want);
}

/// Each format of few bits leaves in pairs of its form; the others as they are.
#[test]
fn colours_in_pairs() {
    use Format as F;
    let forms = [
        (F::Rgba8Unorm, "half16"),
        (F::Bgra8UnormSrgb, "half16"),
        (F::Rg8Snorm, "half16"),
        (F::Rgb10a2Unorm, "half16"),
        (F::Rg11b10Ufloat, "half16"),
        (F::R16Float, "half16"),
        (F::Rgba16Unorm, "unorm16"),
        (F::Rg16Snorm, "snorm16"),
        (F::R8Unorm, ""),
        (F::R32Float, ""),
        (F::Rgba32Float, ""),
    ];
    for (format, form) in forms {
        let s = Scene::new(COVER, Some(FILL), onto(&[Some(format)]));
        let lowered = s.lowered(&with(PACKED), 2);
        let text = lowered.text();
        assert_eq!(text.contains("16 i32x2"), !form.is_empty(), "{text}");
        assert!(text.contains(form), "{text}");
        // Halves have 11 bits.
        let decode = |bytes: &[u8]| format.decode(bytes).map(f32::from_bits);
        let (want, got) = (decode(&s.draw()[0]), decode(&lowered.draw()[0]));
        assert!((0..4).all(|k| (want[k] - got[k]).abs() < 0.006), "{}: {want:?} {got:?}", format.name());
    }
    let integers = FILL
        .replace("f32x4", "i32x4")
        .replace("0.25:f32, 0.5:f32, 0.75:f32, 0.9:f32", "-300:i32, 70000:i32, 200:i32, 7:i32");
    let formats = [
        (F::Rgba8Uint, "uint16"),
        (F::Rgba8Sint, "sint16"),
        (F::Rgb10a2Uint, "uint16"),
        (F::Rgba16Sint, "sint16"),
        (F::Rgba16Uint, "uint16"),
        (F::R8Sint, ""),
        (F::R16Uint, "uint16"),
        (F::Rgba32Uint, ""),
    ];
    for (format, form) in formats {
        let s = Scene::new(COVER, Some(&integers), onto(&[Some(format)]));
        let lowered = s.lowered(&with(PACKED), 2);
        assert_eq!(lowered.text().contains("16 i32x2"), !form.is_empty(), "{}", lowered.text());
        assert_eq!(lowered.draw(), s.draw(), "{}", format.name());
    }
}

/// Locations 0, 2 and 3 onto targets 0 and 3: what has no target goes, and what is loaded is numbered alike.
#[test]
fn colours_without_holes() {
    let three = FILL
        .replace(
            "  out0 \"\" location 0 f32x4\n",
            "  out0 \"\" location 0 f32x4\n  out1 \"\" location 2 f32x4\n  out2 \"\" location 3 f32x4\n",
        )
        .replace("-> f32x4", "-> f32x4, f32x4, f32x4")
        .replace("  ret v0\n", "  v1: f32x4 = fadd v0, v0\n  v2: f32x4 = fmul v0, v0\n  ret v0, v1, v2\n");
    let mut p = onto(&[Some(Format::Rgba32Float), None, None, Some(Format::Rgba8Unorm)]);
    let s = Scene::new(COVER, Some(&three), p.clone());
    let lowered = s.lowered(&with(COMPACT), 2);
    let text = lowered.text();
    assert!(text.contains("compact_targets") && text.contains("location 1") && !text.contains("location 3"), "{text}");
    assert_eq!(lowered.draw(), s.draw());
    let component = BlendComponent { dst: BlendFactor::One, ..BlendComponent::default() };
    if let Some(t) = &mut p.targets[3] {
        t.blend = Some(Blend { color: component, alpha: component });
    }
    let s = Scene::new(COVER, Some(&three), p);
    let lowered = s.lowered(&with(IoCaps { blending: Blending::Code, ..COMPACT }), 2);
    assert!(lowered.text().contains("target_load target1"), "{}", lowered.text());
    assert_eq!(lowered.draw(), s.draw());
}

/// What a colour lacks is 0, and 1 for alpha, if its target has the component or its blending reads it; a colour that has all stays.
#[test]
fn colours_have_the_components_of_their_targets() {
    let two = FILL.replace("f32x4", "f32x2").replace("0.25:f32, 0.5:f32, 0.75:f32, 0.9:f32", "0.25:f32, 0.5:f32");
    let one = FILL.replace("f32x4", "i32").replace("compose 0.25:f32, 0.5:f32, 0.75:f32, 0.9:f32", "iadd 7:i32, 2:i32");
    let cases: [(&str, Format, bool, &[u8]); 5] = [
        (&two, Format::Rgba8Unorm, true, &[64, 128, 0, 255]),
        (&two, Format::Rg8Unorm, false, &[64, 128]),
        (&two, Format::R8Unorm, false, &[64]),
        (&one, Format::Rgba8Uint, true, &[9, 0, 0, 1]),
        (&one, Format::R8Uint, false, &[9]),
    ];
    for (source, format, fills, want) in cases {
        for (caps, plain) in [(NO_CLIP, true), (PACKED, false), (COMPACT, true)] {
            let s = Scene::new(COVER, Some(source), onto(&[Some(format)]));
            let lowered = s.lowered(&with(caps), 2);
            assert_eq!(lowered.draw()[0][..want.len()], *want, "{}: {}", format.name(), lowered.text());
            let text = lowered.text();
            let four = ["location 0 f32x4", "location 0 i32x4"].iter().any(|out| text.contains(out));
            assert!(!plain || four == fills, "{}: {text}", format.name());
        }
    }
    let mut p = onto(&[Some(Format::R8Unorm)]);
    let component = BlendComponent { src: BlendFactor::SrcAlpha, ..BlendComponent::default() };
    if let Some(t) = &mut p.targets[0] {
        t.blend = Some(Blend { color: component, alpha: component });
    }
    let lowered = Scene::new(COVER, Some(&two), p).lowered(&with(NO_CLIP), 2);
    assert!(lowered.text().contains("f32x4"), "{}", lowered.text());
}
