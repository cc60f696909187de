//! Textures and images in compute entries. Expected values are the worked cases of the texturing reference, or worked out by
//! hand beside the test.

use gpucc_interp::{OracleProgram, Profile};
use gpucc_ir::text::parse_module;
use gpucc_ir::verify::verify_module;
use gpucc_sim::texture::{Codec, Compare, Dim, Filter, Format, Image, Sampler, Wrap};
use gpucc_sim::{BoundTexture, Dispatch, RunOptions, Trap, TrapKind};

/// Words that an invocation reads and writes.
const IN: usize = 8;
const OUT: usize = 4;

/// A program in which invocation i has the byte offsets v2 of its input in `res0` and v3 of its result in `res1`.
fn program(resources: &str, body: &str) -> OracleProgram {
    let text = format!(
        "module robust on\n\
         res0 \"in\" group 0 binding 0 storage_ro size 4 stride 4\n\
         res1 \"out\" group 0 binding 1 storage_rw size 4 stride 4\n\
         {resources}\n\
         entry \"main\" compute func0 size 64,1,1\n\n\
         func0 \"main\" {{\nblock0:\n  v0: i32x3 = sysval global_invocation_id\n  v1: i32 = extract v0, lane 0\n  \
         v2: i32 = shl v1, 5:i32\n  v3: i32 = shl v1, 4:i32\n{body}\n  ret\n}}\n"
    );
    let m = parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
    OracleProgram::new(&m, "main").unwrap_or_else(|e| panic!("{e}"))
}

/// One that has values of these types from its input, v4 and so on, and whose result is that of the last line.
fn asks(resources: &str, given: &[&str], lines: &str) -> OracleProgram {
    let mut body = String::new();
    let mut at = 0;
    for (v, ty) in (4..).zip(given) {
        body += &format!("  v{v}: {ty} = load res0[{at} + v2] align 4\n");
        at += 4 * ty.split_once('x').map_or(1, |(_, lanes)| lanes.parse().expect("lanes"));
    }
    lines.lines().for_each(|l| body += &format!("  {}\n", l.trim()));
    let (last, _) = lines.lines().last().and_then(|l| l.split_once(':')).expect("a result");
    program(resources, &format!("{body}  store {}, res1[0 + v3] align 4", last.trim()))
}

/// A dispatch with a texture, and one with a sampler beside it.
fn bound(image: Image, dim: Dim) -> Dispatch {
    Dispatch::new([1; 3]).with_texture(1, 0, image, dim)
}

fn sampled(image: Image, dim: Dim, sampler: Sampler) -> Dispatch {
    bound(image, dim).with_sampler(1, 1, sampler)
}

/// Runs with an input for each invocation; gives the results. Workgroups have 64, so there are empty inputs behind.
fn try_run(p: &OracleProgram, mut d: Dispatch, inputs: &[&[u32]]) -> Result<(Vec<[u32; OUT]>, Dispatch), Trap> {
    let mut words = vec![0; inputs.len().next_multiple_of(64) * IN];
    for (k, i) in inputs.iter().enumerate() {
        words[k * IN..][..i.len()].copy_from_slice(i);
    }
    d.grid = [(words.len() / IN / 64) as u32, 1, 1];
    let out = vec![0xdead_beef; words.len() / IN * OUT];
    let mut d = d.with_u32(0, 0, &words).with_u32(0, 1, &out);
    p.run(&mut d, &RunOptions::default(), &Profile::default())?;
    let out = d.words(0, 1).expect("the output");
    Ok((out.chunks_exact(OUT).take(inputs.len()).map(|c| [c[0], c[1], c[2], c[3]]).collect(), d))
}

fn run(p: &OracleProgram, d: &Dispatch, inputs: &[&[u32]]) -> Vec<[u32; OUT]> {
    try_run(p, d.clone(), inputs).unwrap_or_else(|t| panic!("{t}")).0
}

fn f(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// First components as floats, of inputs of floats.
fn reds(p: &OracleProgram, d: &Dispatch, inputs: &[&[f32]]) -> Vec<f32> {
    let inputs: Vec<Vec<u32>> = inputs.iter().map(|i| f(i)).collect();
    let inputs: Vec<&[u32]> = inputs.iter().map(Vec::as_slice).collect();
    run(p, d, &inputs).iter().map(|r| f32::from_bits(r[0])).collect()
}

/// A texture of one component, whose level l holds `texel(l, layer, x, y)`.
fn filled(mut image: Image, texel: impl Fn(u32, u32, u32, u32) -> [u32; 4]) -> Image {
    for level in 0..image.levels {
        let [w, h, d] = image.level_size(level);
        for (z, y, x) in (0..d).flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| (z, y, x)))) {
            let format = image.format;
            for s in 0..image.samples {
                format.encode(texel(level, z, x, y), 15, image.texel_bytes_mut(level, z, x, y, s));
            }
        }
    }
    image
}

fn floats(
    format: Format,
    is_3d: bool,
    size: [u32; 3],
    levels: u32,
    texel: impl Fn(u32, u32, u32, u32) -> f32,
) -> Image {
    filled(Image::new(format, is_3d, size, levels, 1), |l, z, x, y| [texel(l, z, x, y).to_bits(), 0, 0, 0])
}

/// 10, 20, 30, 40.
fn row(width: u32) -> Image {
    floats(Format::R32Float, false, [width, 1, 1], 1, |_, _, x, _| 10.0 * (x + 1) as f32)
}

fn linear(wrap: Wrap) -> Sampler {
    Sampler { wrap: [wrap; 3], mag: Filter::Linear, min: Filter::Linear, ..Sampler::default() }
}

fn nearest(wrap: Wrap) -> Sampler {
    Sampler { wrap: [wrap; 3], ..Sampler::default() }
}

const T2D: &str = "res2 \"t\" group 1 binding 0 texture 2d float\nres3 \"s\" group 1 binding 1 sampler";

/// Samples at v4 = (s, t) of the input and stores the texel.
fn sampler_of(desc: &str, more: &str) -> OracleProgram {
    asks(T2D, &["f32x2", "f32"], &format!("v6: f32x4 = tex v4{more}, tex res2 sampler res3 {desc}"))
}

/// Cases 25 to 38.
#[test]
fn a_row_is_filtered_and_wrapped() {
    let p = sampler_of("sample 2d", "");
    let t = bound(row(4), Dim::D2);
    let check = |s: Sampler, cases: &[(f32, f32)]| {
        let d = t.clone().with_sampler(1, 1, s);
        let inputs: Vec<[f32; 2]> = cases.iter().map(|c| [c.0, 0.5]).collect();
        let inputs: Vec<&[f32]> = inputs.iter().map(|i| &i[..]).collect();
        let want: Vec<f32> = cases.iter().map(|c| c.1).collect();
        assert_eq!(reds(&p, &d, &inputs), want, "{s:?}");
    };
    check(linear(Wrap::Repeat), &[(-0.125, 40.0), (0.0, 25.0), (0.25, 15.0), (0.9375, 32.5), (0.1, 13.0)]);
    check(linear(Wrap::ClampToEdge), &[(0.375, 20.0), (1.0, 40.0), (-3.0, 10.0), (f32::INFINITY, 40.0)]);
    check(linear(Wrap::MirrorRepeat), &[(0.0, 10.0), (1.125, 40.0)]);
    check(
        nearest(Wrap::Repeat),
        &[(0.0, 10.0), (0.249, 10.0), (0.25, 20.0), (0.5, 30.0), (0.999, 40.0), (1.0, 10.0), (-0.001, 40.0)],
    );
    check(nearest(Wrap::ClampToEdge), &[(-5.0, 10.0), (0.75, 40.0), (f32::NAN, 10.0), (f32::INFINITY, 40.0)]);
    check(nearest(Wrap::MirrorRepeat), &[(-0.001, 10.0), (1.001, 40.0), (1.26, 30.0), (2.5, 30.0)]);
    // Case 36.
    let d = t.clone().with_sampler(1, 1, linear(Wrap::Repeat));
    assert_eq!(reds(&sampler_of("sample 2d offset 1 0 0", ""), &d, &[&[0.25, 0.5]]), [25.0]);
    assert_eq!(reds(&sampler_of("sample 2d offset -8 0 0", ""), &d, &[&[0.25, 0.5]]), [15.0]);
}

/// Cases 46 to 49: gathers and comparisons.
#[test]
fn four_texels_are_gathered_or_compared() {
    let two = floats(Format::R32Float, false, [2, 2, 1], 1, |_, _, x, y| (1 + x + 2 * y) as f32);
    let gathered = |desc: &str, wrap, at: [f32; 2]| {
        let d = sampled(two.clone(), Dim::D2, nearest(wrap));
        run(&sampler_of(desc, ""), &d, &[&f(&at)])[0].map(f32::from_bits)
    };
    assert_eq!(gathered("gather 2d", Wrap::Repeat, [0.5, 0.5]), [3.0, 4.0, 2.0, 1.0]);
    assert_eq!(gathered("gather 2d", Wrap::Repeat, [0.0, 0.0]), [2.0, 1.0, 3.0, 4.0]);
    assert_eq!(gathered("gather 2d", Wrap::ClampToEdge, [0.0, 0.0]), [1.0; 4]);
    assert_eq!(gathered("gather 2d offset 1 0 0", Wrap::ClampToEdge, [0.5, 0.5]), [4.0, 4.0, 2.0, 2.0]);
    // A component that the format lacks.
    assert_eq!(gathered("gather 2d component 3", Wrap::Repeat, [0.5, 0.5]), [1.0; 4]);

    let depth = floats(Format::Depth32Float, false, [2, 2, 1], 1, |_, _, x, y| 0.25 * (1 + x + 2 * y) as f32);
    let resources = "res2 \"t\" group 1 binding 0 texture 2d depth\nres3 \"s\" group 1 binding 1 sampler comparison";
    let p = asks(resources, &["f32x2", "f32"], "v6: f32 = tex v4, v5, tex res2 sampler res3 sample 2d shadow");
    let compared = |compare, at: [f32; 3]| {
        let s = Sampler { compare: Some(compare), ..linear(Wrap::ClampToEdge) };
        let d = sampled(depth.clone(), Dim::D2, s);
        reds(&p, &d, &[&at])[0]
    };
    assert_eq!(compared(Compare::Less, [0.5, 0.5, 0.5]), 0.5);
    assert_eq!(compared(Compare::Less, [0.5, 0.375, 0.5]), 0.25);
    assert_eq!(compared(Compare::LessEqual, [0.5, 0.5, 0.5]), 0.75);
    assert_eq!(compared(Compare::NotEqual, [0.5, 0.5, f32::NAN]), 1.0);
    assert_eq!(compared(Compare::Less, [0.5, 0.5, f32::NAN]), 0.0);
    let p = asks(resources, &[], "v4: f32x4 = tex [0.5, 0.5]:f32x2, 0.5:f32, tex res2 sampler res3 gather 2d shadow");
    let s = Sampler { compare: Some(Compare::Less), ..Sampler::default() };
    let d = sampled(depth.clone(), Dim::D2, s);
    assert_eq!(run(&p, &d, &[&[]])[0].map(f32::from_bits), [1.0, 1.0, 0.0, 0.0]);

    // Depth through a plain sampler: V, 0, 0, 1.
    let resources = resources.replace(" comparison", "");
    let p = asks(&resources, &[], "v4: f32x4 = tex [0.75, 0.25]:f32x2, tex res2 sampler res3 sample 2d");
    let d = sampled(depth, Dim::D2, Sampler::default());
    assert_eq!(run(&p, &d, &[&[]])[0].map(f32::from_bits), [0.5, 0.0, 0.0, 1.0]);
}

/// Cases 52 and 75 to 79.
#[test]
fn levels_are_chosen_and_clamped() {
    let d = |s| sampled(row(4), Dim::D2, s);
    let p = sampler_of("sample 2d base_clamp", "");
    let at = |s: f32| reds(&p, &d(linear(Wrap::Repeat)), &[&[s, 0.5]])[0];
    assert_eq!([-1.0, 1.0, 0.25, f32::NAN].map(at), [10.0, 40.0, 15.0, 10.0]);

    let levels = floats(Format::R32Float, false, [8, 8, 1], 4, |l, _, _, _| 100.0 * l as f32);
    let mips = |s: Sampler| sampled(levels.clone(), Dim::D2, Sampler { mip: Filter::Linear, ..s });
    let p = sampler_of("sample 2d level", ", v5");
    let at = |d: &Dispatch, level: f32| reds(&p, d, &[&[0.5, 0.5, level]])[0];
    let plain = mips(Sampler::default());
    assert_eq!([0.25, 1.5, 3.0, 9.0, -1.0].map(|l| at(&plain, l)), [25.0, 150.0, 300.0, 300.0, 0.0]);
    assert_eq!(at(&plain, 0.3), 100.0 * 0.3);
    let clamped = mips(Sampler { lod_min: 0.5, lod_max: 2.0, ..Sampler::default() });
    assert_eq!([0.0, 9.0].map(|l| at(&clamped, l)), [50.0, 200.0]);

    // Case 78: the filter follows lambda.
    let s = Sampler { min: Filter::Linear, wrap: [Wrap::Repeat; 3], ..Sampler::default() };
    assert_eq!(at(&d(s), 0.0), 30.0, "s = 0.5 is the border of the third texel");
    assert_eq!(reds(&p, &d(s), &[&[0.25, 0.5, 0.0]]), [20.0]);
    assert_eq!(reds(&p, &d(Sampler { lod_min: 0.25, ..s }), &[&[0.25, 0.5, 0.0]]), [15.0]);

    // Levels in fixed point are rounded first: 0.001 is 0, and 0.002 the least number above it.
    let fixed = |level: f32| {
        let words = f(&[0.25, 0.5, level]).into_iter().chain([0; 64 * IN - 3]).collect::<Vec<u32>>();
        let mut d = d(s).with_u32(0, 0, &words).with_u32(0, 1, &[0; 64 * OUT]);
        let profile = Profile { level_bits: Some(8), ..Profile::default() };
        p.run(&mut d, &RunOptions::default(), &profile).expect("it runs");
        f32::from_bits(d.words(0, 1).expect("the output")[0])
    };
    assert_eq!([0.001, 0.002, -0.002, f32::NAN].map(fixed), [20.0, 15.0, 20.0, 20.0]);

    // Gradients, cases 70 to 73: red names the level.
    let text = "v6: f32x4 = tex [0.5, 0.5]:f32x2, v4, v5, tex res2 sampler res3 sample 2d gradients";
    let p = asks(T2D, &["f32x2", "f32x2"], text);
    let image = floats(Format::R32Float, false, [64, 32, 1], 7, |l, _, _, _| l as f32);
    let d = sampled(image, Dim::D2, Sampler { mip: Filter::Linear, ..Sampler::default() });
    let cases: [(&[f32], f32); 4] = [
        (&[1.0 / 64.0, 0.0, 0.0, 1.0 / 64.0], 0.0),
        (&[1.0 / 16.0, 0.0, 0.0, 1.0 / 16.0], 2.0),
        (&[0.0, 0.0, 0.0, 0.0], 0.0),
        (&[3.0 / 64.0, 4.0 / 32.0, 0.0, 0.0], 2.321_928),
    ];
    for (input, want) in cases {
        assert_eq!(reds(&p, &d, &[input]), [want], "{input:?}");
    }
}

/// Cases 50, 51, 59 to 65: layers, slices, faces.
#[test]
fn layers_slices_and_faces_are_found() {
    let array = floats(Format::R32Float, false, [1, 1, 5], 1, |_, z, _, _| z as f32);
    for (layer, ty, cases) in [
        ("signed", "i32", vec![(-3i32 as u32, 0.0), (7, 4.0), (2, 2.0)]),
        ("unsigned", "i32", vec![(4_000_000_000, 4.0), (3, 3.0)]),
        (
            "float",
            "f32",
            [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.7, 0.0), (99.0, 4.0), (f32::NAN, 0.0)]
                .map(|(l, w): (f32, f32)| (l.to_bits(), w))
                .to_vec(),
        ),
    ] {
        let text = format!("v5: f32x4 = tex [0.5, 0.5]:f32x2, v4, tex res2 sampler res3 sample 2d layer {layer}");
        let p = asks(&T2D.replace("texture 2d", "texture 2d array"), &[ty], &text);
        let d = sampled(array.clone(), Dim::D2, Sampler::default());
        for (index, want) in cases {
            assert_eq!(f32::from_bits(run(&p, &d, &[&[index]])[0][0]), want, "{layer} {index:#x}");
        }
    }

    let three = |dim: &str, desc: &str| {
        let text = format!("v5: f32x4 = tex v4, tex res2 sampler res3 sample {desc}");
        asks(&T2D.replace("texture 2d", &format!("texture {dim}")), &["f32x3"], &text)
    };
    let cube = floats(Format::R32Float, true, [2, 2, 2], 1, |_, z, x, y| (x + 2 * y + 4 * z) as f32);
    let d = bound(cube, Dim::D3);
    let p = three("3d", "3d");
    let smooth = d.clone().with_sampler(1, 1, linear(Wrap::ClampToEdge));
    assert_eq!(reds(&p, &smooth, &[&[0.5, 0.5, 0.5], &[0.5, 0.5, 0.0]]), [3.5, 1.5]);
    assert_eq!(reds(&p, &d.with_sampler(1, 1, Sampler::default()), &[&[0.5, 0.5, 0.5]]), [7.0]);

    // Each texel of a face of 8 x 8 says face, column and row.
    let faces = floats(Format::R32Float, false, [8, 8, 6], 1, |_, z, x, y| (100 * z + 10 * x + y) as f32);
    let d = sampled(faces, Dim::Cube, Sampler::default());
    let p = three("cube", "cube");
    let cases: [([f32; 3], f32); 4] =
        [([1.0, 0.0, 0.0], 44.0), ([0.25, -1.0, 0.5], 352.0), ([0.5, 0.25, 1.0], 463.0), ([0.5, 0.25, -1.0], 523.0)];
    for (direction, want) in cases {
        assert_eq!(reds(&p, &d, &[&direction]), [want], "{direction:?}");
    }
    let p = three("cube", "cube faced");
    assert_eq!(reds(&p, &d, &[&[0.625, 0.25, 3.0]]), [352.0]);
    let p = three("cube", "cube faced_plus_one");
    assert_eq!(reds(&p, &d, &[&[1.625, 1.25, 3.0]]), [352.0]);
}

/// Cases 53 and 54, and stencil and integer texels.
#[test]
fn texels_are_fetched_and_numbers_asked() {
    let image = filled(Image::new(Format::Rgba8Unorm, false, [4, 4, 1], 1, 1), |_, _, x, y| {
        [x as f32 / 255.0, y as f32 / 255.0, 0.0, 1.0].map(f32::to_bits)
    });
    let resources = "res2 \"t\" group 1 binding 0 texture 2d float";
    let p = asks(resources, &["i32x2", "i32"], "v6: f32x4 = tex v4, v5, tex res2 fetch 2d level");
    let d = bound(image, Dim::D2);
    let minus = u32::MAX;
    let got = run(&p, &d, &[&[3, 2, 0], &[4, 0, 0], &[minus, 2, 0], &[0, 0, 1], &[0, 0, minus]]);
    assert_eq!(got[0].map(f32::from_bits), [3.0 / 255.0, 2.0 / 255.0, 0.0, 1.0]);
    assert_eq!(got[1..], [[0; 4]; 4]);

    let image = filled(Image::new(Format::Rgba8Sint, false, [1, 1, 1], 1, 1), |_, _, _, _| [-1i32 as u32, 2, 3, 4]);
    let p = asks(&resources.replace("float", "sint"), &[], "v4: i32x4 = tex [0, 0]:i32x2, tex res2 fetch 2d");
    assert_eq!(run(&p, &bound(image, Dim::D2), &[&[]]), [[u32::MAX, 2, 3, 4]]);

    let mut image = Image::new(Format::Depth24PlusStencil8, false, [1, 1, 1], 1, 1);
    image.bytes.copy_from_slice(&[0, 0, 0x80, 9]);
    let p = asks(&resources.replace("float", "uint"), &[], "v4: i32x4 = tex [0, 0]:i32x2, tex res2 fetch 2d");
    let view = BoundTexture { stencil: true, ..BoundTexture::whole(1, 0, 0, &image, Dim::D2) };
    let d = Dispatch::new([1; 3]).with_image(image).with_view(view);
    assert_eq!(run(&p, &d, &[&[]]), [[9, 0, 0, 1]]);

    // Samples.
    let mut image = Image::new(Format::R32Uint, false, [1, 1, 1], 1, 4);
    (0..4).for_each(|s| image.texel_bytes_mut(0, 0, 0, 0, s)[0] = 10 + s as u8);
    let p = asks(
        &resources.replace("float", "multisampled uint"),
        &["i32"],
        "v5: i32x4 = tex [0, 0]:i32x2, v4, tex res2 fetch 2d multisampled
         v6: i32 = tex_query tex res2 samples 2d multisampled\nv7: i32x4 = insert v5, v6, lane 1",
    );
    let d = bound(image, Dim::D2);
    let reds: Vec<[u32; 4]> = run(&p, &d, &[&[0], &[3], &[4], &[minus]]);
    assert_eq!(reds, [[10, 4, 0, 1], [13, 4, 0, 1], [0, 4, 0, 0], [0, 4, 0, 0]]);

    // Sizes: 13 x 5 with four levels; a cube array of two.
    let p = program(
        resources,
        "  v4: i32 = load res0[0 + v2] align 4\n  v5: i32x2 = tex_query v4, tex res2 size 2d level\n  \
         v6: i32 = tex_query tex res2 levels 2d\n  store v5, res1[0 + v3] align 4\n  store v6, res1[8 + v3] align 4\n  \
         store 0:i32, res1[12 + v3] align 4",
    );
    let d = bound(Image::new(Format::R8Unorm, false, [13, 5, 1], 4, 1), Dim::D2);
    let got = run(&p, &d, &[&[0], &[1], &[2], &[3], &[4], &[minus]]);
    assert_eq!(got, [[13, 5, 4, 0], [6, 2, 4, 0], [3, 1, 4, 0], [1, 1, 4, 0], [1, 1, 4, 0], [13, 5, 4, 0]]);
    // Case 79: a view of three levels from the third.
    let image = Image::new(Format::R8Unorm, false, [64, 64, 1], 7, 1);
    let view = BoundTexture { base_level: 2, levels: 3, ..BoundTexture::whole(1, 0, 0, &image, Dim::D2) };
    let d = Dispatch::new([1; 3]).with_image(image).with_view(view);
    assert_eq!(run(&p, &d, &[&[0], &[5]]), [[16, 16, 3, 0], [4, 4, 3, 0]]);

    let p = program(
        "res2 \"t\" group 1 binding 0 texture cube array float",
        "  v5: i32x2 = tex_query tex res2 size cube\n  v6: i32 = tex_query tex res2 layers cube\n  \
         store v5, res1[0 + v3] align 4\n  store v6, res1[8 + v3] align 4\n  store 0:i32, res1[12 + v3] align 4",
    );
    let d = bound(Image::new(Format::R8Unorm, false, [8, 8, 12], 1, 1), Dim::Cube);
    assert_eq!(run(&p, &d, &[&[]]), [[8, 8, 2, 0]]);
}

/// Cases 19 and 54; and a store between two loads.
#[test]
fn images_are_loaded_stored_and_changed() {
    let p = asks(
        "res2 \"i\" group 1 binding 0 image 2d \"rgba8uint\" read_write",
        &["i32x2"],
        "v5: i32x4 = image_load v4, tex res2 load 2d\nimage_store [300, 255, 0, -1]:i32x4, v4, tex res2 store 2d
         v6: i32x4 = image_load v4, tex res2 load 2d\nv7: i32x4 = shl v6, [8, 8, 8, 8]:i32x4\nv8: i32x4 = or v5, v7",
    );
    let image = filled(Image::new(Format::Rgba8Uint, false, [2, 1, 1], 1, 1), |_, _, x, _| [1 + x, 2, 3, 4]);
    let d = bound(image, Dim::D2);
    // Invocations without an input are sent outside.
    let outside = [u32::MAX, 0];
    let mut inputs: Vec<&[u32]> = vec![&outside; 64];
    inputs[0] = &[0, 0];
    inputs[1] = &[2, 0];
    let (got, d) = try_run(&p, d, &inputs).unwrap_or_else(|t| panic!("{t}"));
    assert_eq!(got[0], [0xff01, 0xff02, 0x0003, 0xff04]);
    assert_eq!(got[1], [0; 4]);
    assert_eq!(d.images[0].bytes, [255, 255, 0, 255, 2, 2, 3, 4]);

    for (format, op, input, value, after, before) in [
        ("r32uint", "umax", 7, "9:i32", 9, 7),
        ("r32sint", "smax", u32::MAX, "3:i32", 3, u32::MAX),
        ("r32uint", "add", u32::MAX, "2:i32", 1, u32::MAX),
        ("r32float", "xchg", 5, "1.0:f32", 0x3f80_0000, 5),
    ] {
        let ty = &value[value.len() - 3..];
        let resources = format!("res2 \"i\" group 1 binding 0 image 2d array \"{format}\" atomic");
        let text = format!("v6: {ty} = image_atomic.{op} {value}, v4, v5, tex res2 atomic 2d layer signed");
        let p = asks(&resources, &["i32x2", "i32"], &text);
        let mut image = Image::new(Format::parse(format).expect(format), false, [1, 1, 2], 1, 1);
        image.bytes[4..].copy_from_slice(&u32::to_le_bytes(input));
        let d = bound(image, Dim::D2);
        let outside = [0, 0, 2];
        let mut inputs: Vec<&[u32]> = vec![&outside; 64];
        inputs[5] = &[0, 0, 1];
        let (got, d) = try_run(&p, d, &inputs).unwrap_or_else(|t| panic!("{t}"));
        assert_eq!((got[5][0], got[6][0]), (before, 0), "{op}");
        assert_eq!(d.images[0].bytes[..4], [0; 4], "{op}");
        assert_eq!(d.images[0].bytes[4..], u32::to_le_bytes(after), "{op}");
    }
}

/// Two invocations that store different texels to one place race; of different places they do not.
#[test]
fn stores_to_one_texel_race() {
    let body = |shift: u32| {
        format!(
            "  v4: i32 = ushr v1, {shift}:i32\n  v5: i32x4 = splat v1\n  image_store v5, v4, tex res2 store 1d\n  \
             store v5, res1[0 + v3] align 4"
        )
    };
    let resources = "res2 \"i\" group 1 binding 0 image 1d \"r32uint\" write";
    let d = bound(Image::new(Format::R32Uint, false, [64, 1, 1], 1, 1), Dim::D1);
    assert!(try_run(&program(resources, &body(0)), d.clone(), &[&[]]).is_ok());
    let t = try_run(&program(resources, &body(1)), d, &[&[]]).expect_err("a race");
    assert_eq!(t.kind, TrapKind::Race);
    assert!(t.message.contains("`i` (group 1 binding 0)"), "{t}");
}

#[test]
fn elements_of_bindings_are_chosen() {
    let text = "v5: i32x4 = tex [0, 0]:i32x2, v4, tex res2 fetch 2d texture_index";
    let p = asks("res2 \"t\" group 1 binding 0 texture 2d uint count 3", &["i32"], text);
    let mut d = Dispatch::new([1; 3]);
    for k in 0..3 {
        d = d.with_image(filled(Image::new(Format::R8Uint, false, [1, 1, 1], 1, 1), |_, _, _, _| [20 + k, 0, 0, 0]));
        let view = BoundTexture::whole(1, 0, k as usize, &d.images[k as usize], Dim::D2);
        d = d.with_view(BoundTexture { element: k, ..view });
    }
    let got = run(&p, &d, &[&[0], &[1], &[2], &[3], &[u32::MAX]]);
    assert_eq!(got.iter().map(|t| t[0]).collect::<Vec<_>>(), [20, 21, 22, 22, 22]);
    d.textures.retain(|t| t.element != 1);
    let t = try_run(&p, d, &[&[]]).expect_err("an element is missing");
    assert_eq!(t.message, "no texture is bound at group 1 binding 0 element 1 (`t`)");
}

#[test]
fn what_is_missing_or_does_not_fit_is_named() {
    let p = sampler_of("sample 2d", "");
    let image = Image::new(Format::R8Unorm, false, [4, 4, 1], 1, 1);
    let good = sampled(image, Dim::D2, Sampler::default());
    assert!(try_run(&p, good.clone(), &[&[]]).is_ok());
    let with = |change: &dyn Fn(&mut Dispatch)| {
        let mut d = good.clone();
        change(&mut d);
        let t = try_run(&p, d, &[&[]]).expect_err("it does not fit");
        assert_eq!(t.kind, TrapKind::Dispatch, "{t}");
        t.message
    };
    assert_eq!(with(&|d| d.textures.clear()), "no texture is bound at group 1 binding 0 (`t`)");
    assert_eq!(with(&|d| d.samplers.clear()), "no sampler is bound at group 1 binding 1 (`s`)");
    for (change, said) in [
        (&|d| d.textures[0].image = 1, "texture 1 does not exist, there are 1"),
        (&|d| d.textures[0].levels = 2, "levels 0 to 2 of 1 are viewed"),
        (&|d| d.textures[0].base_layer = u32::MAX, "layers 4294967295 to 4294967296 of 1 are viewed"),
        (&|d| d.textures[0].dim = Dim::D3, "a texture of 4 x 4 x 1 has no view of dimension D3 like this"),
        (&|d| d.textures[0].format = Format::Rgba8Unorm, "r8unorm texels are viewed as rgba8unorm"),
        (&|d| d.textures[0].stencil = true, "r8unorm has no stencil"),
        (&|d| d.images[0].bytes.truncate(15), "texture 0 has 15 bytes, not 16"),
        (&|d| d.images[0].samples = 0, "texture 0 has no samples"),
    ] as [(&dyn Fn(&mut Dispatch), &str); 8]
    {
        assert_eq!(with(change), format!("texture at group 1 binding 0: {said} (`t`)"));
    }
    let said = with(&|d| d.textures[0].format = Format::R8Uint);
    assert_eq!(said, "texture at group 1 binding 0: texels are r8uint, in the program float (`t`)");
    let said = with(&|d| {
        d.images[0] = Image::new(Format::R8Unorm, false, [4, 4, 2], 1, 1);
        d.textures[0].layers = 2;
    });
    assert_eq!(said, "texture at group 1 binding 0: the view has 2 layers, the program 1 (`t`)");
}
