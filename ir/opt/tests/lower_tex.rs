//! Texture instructions in the form of poorer targets give what they gave before, on the oracle.

use gpucc_interp::{OracleProgram, Profile};
use gpucc_ir::{Module, TexCube};
use gpucc_opt::{BindingFacts, Caps, CubeGradients, Gathers, LayerForm, Options, SamplerCaps, TexCaps, prepare};
use gpucc_pipeline::SamplerFacts;
use gpucc_sim::texture::{Codec, Compare, Dim, Filter, Format, Image, Sampler, Wrap};
use gpucc_sim::{Dispatch, RunOptions};

const LANES: usize = 64;

/// Invocation i has its six words at v2 of `res0`, and its result of four words at v3 of `res1`.
fn module(texture: &str, comparison: bool, body: &str) -> Module {
    let sampler = if comparison { "sampler comparison" } else { "sampler" };
    let text = format!(
        "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size 4 stride 4\n\
         res1 \"o\" group 0 binding 1 storage_rw size 4 stride 4\nres2 \"t\" group 0 binding 2 texture {texture}\n\
         res3 \"s\" group 0 binding 3 {sampler}\nentry \"main\" compute func0 size {LANES},1,1\n\
         func0 \"main\" {{\nblock0:\n  v0: i32x3 = sysval global_invocation_id\n  v1: i32 = extract v0, lane 0\n  \
         v2: i32 = shl v1, 6:i32\n  v3: i32 = shl v1, 4:i32\n{body}  ret\n}}\n"
    );
    let m = gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    gpucc_ir::verify::verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
    m
}

fn run(m: &Module, d: &Dispatch, inputs: &[[f32; 16]]) -> Vec<f32> {
    let words: Vec<f32> = inputs.iter().flatten().copied().collect();
    let groups = inputs.len().div_ceil(LANES);
    let mut d = d.clone().with_f32(0, 0, &words).with_u32(0, 1, &vec![0; inputs.len() * 4]);
    d.grid = [groups as u32, 1, 1];
    let p = OracleProgram::new(m, "main").unwrap_or_else(|e| panic!("{e}"));
    p.run(&mut d, &RunOptions::default(), &Profile::default()).unwrap_or_else(|t| panic!("{t}\n{m}"));
    d.floats(0, 1).expect("the output")
}

fn lowered(m: &Module, tex: TexCaps) -> Module {
    lowered_for(m, &Caps { tex, ..Caps::FULL }, None)
}

fn lowered_for(m: &Module, caps: &Caps, bound: Option<&BindingFacts>) -> Module {
    let bound = bound.cloned().unwrap_or_default();
    let options = Options { verify: true, bound, ..Options::default() };
    prepare(m, "main", caps, &options).unwrap_or_else(|e| panic!("{e}\n{m}")).0
}

/// Runs before and after, and compares to `near`; the text after must have `has` and no `lacks`.
fn agree(m: &Module, tex: TexCaps, d: &Dispatch, inputs: &[[f32; 16]], near: f32, has: &str, lacks: &str) {
    same(m, &lowered(m, tex), d, inputs, near, has, lacks);
}

fn same(m: &Module, after: &Module, d: &Dispatch, inputs: &[[f32; 16]], near: f32, has: &str, lacks: &str) {
    let text = after.to_string();
    assert!(text.contains(has) && !text.contains(lacks), "{text}");
    let (a, b) = (run(m, d, inputs), run(after, d, inputs));
    for (k, (x, y)) in a.iter().zip(&b).enumerate() {
        assert!((x - y).abs() <= near, "invocation {}, lane {}: {x} and {y} of {:?}", k / 4, k % 4, inputs[k / 4]);
    }
    assert!(a.iter().any(|x| *x != a[0]), "all results are equal");
}

/// Numbers from -1 to 1 by a seed.
fn random(seed: &mut u64) -> f32 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 40) as f32 / (1 << 23) as f32 - 1.0
}

fn inputs(n: usize) -> Vec<[f32; 16]> {
    let mut seed = 7;
    (0..n.next_multiple_of(LANES)).map(|_| std::array::from_fn(|_| random(&mut seed))).collect()
}

/// A texture whose texels tell level, layer and place.
fn image(format: Format, is_3d: bool, size: [u32; 3], levels: u32) -> Image {
    let mut image = Image::new(format, is_3d, size, levels, 1);
    for level in 0..levels {
        let [w, h, d] = image.level_size(level);
        for (z, y, x) in (0..d).flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| (z, y, x)))) {
            let v = [level as f32, z as f32, y as f32 / h as f32, x as f32 / w as f32];
            format.encode(v.map(f32::to_bits), 15, image.texel_bytes_mut(level, z, x, y, 0));
        }
    }
    image
}

fn linear() -> Sampler {
    let wrap = [Wrap::Repeat; 3];
    Sampler { wrap, mag: Filter::Linear, min: Filter::Linear, mip: Filter::Linear, ..Sampler::default() }
}

const FULL: TexCaps = TexCaps::FULL;

#[test]
fn a_target_with_everything_keeps_all() {
    let m = module(
        "cube float",
        false,
        "  v4: f32x3 = load res0[0 + v2] align 4\n  v5: f32x4 = tex v4, 1.0:f32, tex res2 sampler res3 sample cube level\n\
         store v5, res1[0 + v3] align 4\n",
    );
    let text = lowered(&m, FULL).to_string();
    assert!(text.contains("sample cube level") && !text.contains("cube_coords"), "{text}");
}

#[test]
fn directions_of_cubes() {
    let m = module(
        "cube float",
        false,
        "  v4: f32x3 = load res0[0 + v2] align 4\n  v5: f32x4 = tex v4, 0.5:f32, tex res2 sampler res3 sample cube level\n\
         store v5, res1[0 + v3] align 4\n",
    );
    let d = Dispatch::new([1, 1, 1])
        .with_texture(0, 2, image(Format::Rgba32Float, false, [8, 8, 6], 4), Dim::Cube)
        .with_sampler(0, 3, linear());
    let list = inputs(2048);
    for (cube, has) in
        [(TexCube::Divided, "divided"), (TexCube::Faced, "faced"), (TexCube::FacedPlusOne, "faced_plus_one")]
    {
        agree(&m, TexCaps { cube, ..FULL }, &d, &list, 2e-5, has, "nothing");
    }
}

/// The chain rule on the face, as the model does it on directions.
#[test]
fn gradients_of_cubes() {
    let m = module(
        "cube float",
        false,
        "  v4: f32x3 = load res0[0 + v2] align 4\n  v5: f32x3 = load res0[16 + v2] align 4\n\
         v6: f32x3 = load res0[32 + v2] align 4\n\
         v7: f32x4 = tex v4, v5, v6, tex res2 sampler res3 sample cube gradients\n  store v7, res1[0 + v3] align 4\n",
    );
    let d = Dispatch::new([1, 1, 1])
        .with_texture(0, 2, image(Format::Rgba32Float, false, [64, 64, 6], 7), Dim::Cube)
        .with_sampler(0, 3, linear());
    let mut list = inputs(2048);
    for i in &mut list {
        i[4..].iter_mut().for_each(|v| *v *= 0.2);
    }
    for gradients in [CubeGradients::Face, CubeGradients::Level] {
        for cube in [TexCube::Faced, TexCube::FacedPlusOne] {
            let caps = TexCaps { cube, cube_gradients: gradients, ..FULL };
            let has = if gradients == CubeGradients::Face { "gradients" } else { "cube level" };
            agree(&m, caps, &d, &list, 1e-3, has, "nothing");
        }
    }
}

#[test]
fn layers_of_arrays() {
    for (layer, kind) in [("signed", "s2f"), ("unsigned", "u2f")] {
        let m = module(
            "2d array float",
            false,
            &format!(
                "  v4: f32x2 = load res0[0 + v2] align 4\n  v5: f32 = load res0[8 + v2] align 4\n  v6: f32 = fmul v5, 9.0:f32\n\
                 v7: i32 = f2s v6\n\
                 v8: f32x4 = tex v4, v7, 0.0:f32, tex res2 sampler res3 sample 2d layer {layer} level\n\
                 store v8, res1[0 + v3] align 4\n"
            ),
        );
        let d = Dispatch::new([1, 1, 1])
            .with_texture(0, 2, image(Format::Rgba32Float, false, [4, 4, 5], 1), Dim::D2)
            .with_sampler(0, 3, linear());
        let _ = kind;
        agree(&m, TexCaps { layer: LayerForm::Float, ..FULL }, &d, &inputs(256), 0.0, "layer float", "layer signed");
        agree(&m, TexCaps { layer: LayerForm::Small, ..FULL }, &d, &inputs(256), 0.0, "layer unsigned", "layer signed");
    }
}

/// Four samples at middles of texels; sizes are powers of two, so middles are exact.
#[test]
fn gathers() {
    let body = |what: &str, operands: &str| {
        format!(
            "  v4: f32x2 = load res0[0 + v2] align 4\n  v5: f32 = load res0[8 + v2] align 4\n\
             v6: f32x4 = tex v4{operands}, tex res2 sampler res3 gather 2d {what}\n  store v6, res1[0 + v3] align 4\n"
        )
    };
    let caps = TexCaps { gather: Gathers::Nothing, ..FULL };
    // Another descriptor has the component as its first.
    let first = TexCaps { gather: Gathers::First, ..FULL };
    for component in ["component 2", "component 3 offset 1 -3 0"] {
        let m = module("2d float", false, &body(component, ""));
        for wrap in [Wrap::Repeat, Wrap::MirrorRepeat, Wrap::ClampToEdge] {
            let d = Dispatch::new([1, 1, 1])
                .with_texture(0, 2, image(Format::Rgba32Float, false, [16, 8, 1], 1), Dim::D2)
                .with_sampler(0, 3, Sampler { wrap: [wrap; 3], ..linear() });
            let mut list = inputs(512);
            list.iter_mut().for_each(|i| i[0] *= 3.0);
            agree(&m, caps, &d, &list, 0.0, "sample 2d", "gather");
            agree(&m, first, &d, &list, 0.0, " component", "gather 2d component");
        }
    }
    let m = module("2d depth", true, &body("shadow", ", v5"));
    let d = Dispatch::new([1, 1, 1])
        .with_texture(0, 2, image(Format::Depth32Float, false, [16, 8, 1], 1), Dim::D2)
        .with_sampler(0, 3, Sampler { compare: Some(Compare::GreaterEqual), ..linear() });
    agree(&m, caps, &d, &inputs(512), 0.0, "sample 2d shadow", "gather");
}

#[test]
fn clamps_inside_the_edges() {
    let m = module(
        "2d external",
        false,
        "  v4: f32x2 = load res0[0 + v2] align 4\n  v5: f32x4 = tex v4, tex res2 sampler res3 sample 2d base_clamp\n\
         store v5, res1[0 + v3] align 4\n",
    );
    let d = Dispatch::new([1, 1, 1])
        .with_texture(0, 2, image(Format::Rgba32Float, false, [5, 8, 1], 1), Dim::D2)
        .with_sampler(0, 3, linear());
    let mut list = inputs(512);
    list.iter_mut().for_each(|i| i[0] *= 2.0);
    list[3][0] = f32::NAN;
    agree(&m, TexCaps { base_clamp: false, ..FULL }, &d, &list, 1e-6, "tex_query", "base_clamp");
}

const NO_OFFSET: Caps = Caps { sampler: SamplerCaps { offset: false, ..SamplerCaps::FULL }, ..Caps::FULL };
const NO_COMPARE: Caps = Caps { sampler: SamplerCaps { compare: false, ..SamplerCaps::FULL }, ..Caps::FULL };

/// The facts: the sampler of the modules compares so, filters so, and reads any level, one at a time.
fn known(compare: Option<Compare>, filter: Filter) -> BindingFacts {
    let samplers = vec![SamplerFacts { group: 0, binding: 3, compare, filter }];
    BindingFacts { one_level: vec![(0, 3)], samplers, ..BindingFacts::UNKNOWN }
}

/// Sizes are powers of two, so that an offset in texels is exact.
#[test]
fn offsets_go_into_coordinates() {
    let body = |operands: &str, what: &str| {
        format!(
            "  v4: f32x2 = load res0[0 + v2] align 4\n  v5: f32 = load res0[8 + v2] align 4\n  v6: f32 = fmul v5, 5.0:f32\n  \
             v7: f32x2 = load res0[16 + v2] align 4\n  v8: f32x2 = load res0[24 + v2] align 4\n  \
             v9: f32x4 = tex v4{operands}, tex res2 sampler res3 {what}\n  store v9, res1[0 + v3] align 4\n"
        )
    };
    let one = known(None, Filter::Linear);
    let asks = [
        (", v6", "sample 2d level offset 3 -2 0"),
        (", v7, v8", "sample 2d gradients offset -8 7 0"),
        ("", "sample 2d offset 1 1 0"),
        ("", "gather 2d component 3 offset 2 -1 0"),
    ];
    for wrap in [Wrap::Repeat, Wrap::ClampToEdge] {
        let d = Dispatch::new([1, 1, 1])
            .with_texture(0, 2, image(Format::Rgba32Float, false, [32, 16, 1], 6), Dim::D2)
            .with_sampler(0, 3, Sampler { wrap: [wrap; 3], mip: Filter::Nearest, ..linear() });
        for (operands, what) in asks {
            let m = module("2d float", false, &body(operands, what));
            same(&m, &lowered_for(&m, &NO_OFFSET, Some(&one)), &d, &inputs(512), 2e-5, "tex_query", "offset");
        }
    }
    // The target has offsets; or the level may be filtered with the next one, so that no one offset is right.
    for (k, (operands, what)) in asks.into_iter().enumerate() {
        let m = module("2d float", false, &body(operands, what));
        assert!(lowered_for(&m, &Caps::FULL, Some(&one)).to_string().contains("offset"), "{what}");
        let unknown = lowered_for(&m, &NO_OFFSET, None).to_string();
        assert_eq!(unknown.contains("offset"), k < 2, "{unknown}");
        // Level 0 is another one where the sampler begins above it; a gather reads level 0 all the same.
        let raised = BindingFacts { raised: vec![(0, 3)], ..BindingFacts::UNKNOWN };
        let lowered = lowered_for(&m, &NO_OFFSET, Some(&raised)).to_string();
        assert_eq!(lowered.contains("offset"), k < 3, "{lowered}");
    }
}

/// Depths in steps, so that comparisons for equality have both answers.
fn depths(format: Format, size: [u32; 3], levels: u32) -> Image {
    let mut image = Image::new(format, false, size, levels, 1);
    for level in 0..levels {
        let [w, h, _] = image.level_size(level);
        for (y, x) in (0..h).flat_map(|y| (0..w).map(move |x| (y, x))) {
            let v = ((x * 3 + y * 5 + level) % 5) as f32 / 4.0;
            format.encode([v.to_bits(), 0, 0, 0], 1, image.texel_bytes_mut(level, 0, x, y, 0));
        }
    }
    image
}

const COMPARES: [Compare; 8] = [
    Compare::Never,
    Compare::Less,
    Compare::Equal,
    Compare::LessEqual,
    Compare::Greater,
    Compare::NotEqual,
    Compare::GreaterEqual,
    Compare::Always,
];

#[test]
fn comparisons_in_code() {
    // The reference is one of -0.5, -0.25 to 1.5; the result of a sample stands in each lane.
    let body = |operands: &str, what: &str, gathers: bool| {
        let result = if gathers { "f32x4" } else { "f32" };
        let all = if gathers { "" } else { "  v12: f32x4 = splat v11\n" };
        let v = if gathers { "v11" } else { "v12" };
        format!(
            "  v4: f32x2 = load res0[0 + v2] align 4\n  v5: f32 = load res0[8 + v2] align 4\n  v6: f32 = fma v5, 4.0:f32, 2.0:f32\n  \
             v7: f32 = ffloor v6\n  v8: f32 = fmul v7, 0.25:f32\n  v9: f32 = load res0[12 + v2] align 4\n  \
             v10: f32 = fmul v9, 4.0:f32\n  v11: {result} = tex v4, v8{operands}, tex res2 sampler res3 {what}\n{all}  \
             store {v}, res1[0 + v3] align 4\n"
        )
    };
    let asks = [
        ("", "sample 2d shadow", false, Filter::Linear),
        ("", "sample 2d shadow", false, Filter::Nearest),
        (", v10", "sample 2d shadow level", false, Filter::Nearest),
        ("", "gather 2d shadow", true, Filter::Linear),
        ("", "gather 2d shadow offset 1 -1 0", true, Filter::Nearest),
    ];
    for (operands, what, gathers, filter) in asks {
        let m = module("2d depth", true, &body(operands, what, gathers));
        for compare in COMPARES {
            for format in [Format::Depth32Float, Format::Depth16Unorm] {
                let sampler =
                    Sampler { mag: filter, min: filter, mip: Filter::Nearest, compare: Some(compare), ..linear() };
                let d = Dispatch::new([1, 1, 1])
                    .with_texture(0, 2, depths(format, [16, 8, 1], 4), Dim::D2)
                    .with_sampler(0, 3, sampler);
                let mut bound = known(Some(compare), filter);
                if format == Format::Depth16Unorm {
                    bound.fixed_depth.push((0, 2));
                }
                let after = lowered_for(&m, &NO_COMPARE, Some(&bound));
                if matches!(compare, Compare::Never | Compare::Always) {
                    let all = if compare == Compare::Always { 1.0 } else { 0.0 };
                    assert!(run(&after, &d, &inputs(64)).iter().all(|&v| v == all), "{what}, {compare:?}");
                    continue;
                }
                same(&m, &after, &d, &inputs(512), 1e-5, "sampler", "shadow");
            }
        }
        // The target compares; nothing is known of the sampler.
        let bound = known(Some(Compare::Less), filter);
        assert!(lowered_for(&m, &Caps::FULL, Some(&bound)).to_string().contains("shadow"), "{what}");
        assert!(lowered_for(&m, &NO_COMPARE, None).to_string().contains("shadow"), "{what}");
    }
    // The four texels of another level than the first are not those of a gather.
    let m = module("2d depth", true, &body(", v10", "sample 2d shadow level", false));
    let bound = known(Some(Compare::Less), Filter::Linear);
    assert!(lowered_for(&m, &NO_COMPARE, Some(&bound)).to_string().contains("shadow"));
}
