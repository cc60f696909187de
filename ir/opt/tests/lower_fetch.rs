//! Fetches in the form of poorer targets give what they gave before, on the oracle.

use gpucc_interp::{OracleProgram, Profile};
use gpucc_ir::Module;
use gpucc_opt::{BindingFacts, Caps, FetchCaps, LayerForm, Options, TexCaps, prepare};
use gpucc_sim::texture::{Codec, Dim, Format, Image};
use gpucc_sim::{Dispatch, RunOptions};

/// Coordinates, level and layer around the edges.
const PLACES: [i32; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, -1, i32::MIN, i32::MAX];

/// Every place of x, y and a third number, which is level, layer or sample; the result's four words.
fn module(texture: &str, line: &str, class: &str) -> Module {
    let text = format!(
        "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size 4 stride 4\n\
         res1 \"o\" group 0 binding 1 storage_rw size 4 stride 4\nres2 \"t\" group 0 binding 2 texture {texture}\n\
         entry \"main\" compute func0 size 64,1,1\n\
         func0 \"main\" {{\nblock0:\n  v0: i32x3 = sysval global_invocation_id\n  v1: i32 = extract v0, lane 0\n  \
         v2: i32 = shl v1, 4:i32\n  v3: i32x4 = load res0[0 + v2] align 16\n  v4: i32 = extract v3, lane 0\n  \
         v5: i32 = extract v3, lane 1\n  v6: i32 = extract v3, lane 2\n  v7: i32x2 = compose v4, v5\n  \
         v8: {class}x4 = {line}\n  store v8, res1[0 + v2] align 16\n  ret\n}}\n"
    );
    let m = gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    gpucc_ir::verify::verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
    m
}

fn run(m: &Module, image: &Image) -> Vec<u32> {
    let n = PLACES.len();
    let places = (0..n * n * n).map(|k| [PLACES[k % n], PLACES[k / n % n], PLACES[k / n / n], 0]);
    let mut words: Vec<u32> = places.flatten().map(|v| v as u32).collect();
    words.resize(words.len().next_multiple_of(4 * 64), 0);
    let mut d =
        Dispatch::new([words.len() as u32 / 256, 1, 1]).with_u32(0, 0, &words).with_u32(0, 1, &vec![0; words.len()]);
    d = d.with_texture(0, 2, image.clone(), Dim::D2);
    let p = OracleProgram::new(m, "main").unwrap_or_else(|e| panic!("{e}"));
    p.run(&mut d, &RunOptions::default(), &Profile::default()).unwrap_or_else(|t| panic!("{t}\n{m}"));
    d.words(0, 1).expect("the output")
}

fn lowered(m: &Module, fetch: FetchCaps, wide: bool, level: u8) -> Module {
    let wide = Some(if wide { vec![(0, 2)] } else { Vec::new() });
    let bound = BindingFacts { wide, ..BindingFacts::UNKNOWN };
    lowered_with(m, fetch, bound, level)
}

fn lowered_with(m: &Module, fetch: FetchCaps, bound: BindingFacts, level: u8) -> Module {
    let options = Options { verify: true, level, bound, ..Options::default() };
    let tex = TexCaps { layer: LayerForm::Float, ..TexCaps::FULL };
    let caps = Caps { fetch, tex, ..Caps::FULL };
    prepare(m, "main", &caps, &options).unwrap_or_else(|e| panic!("{e}\n{m}")).0
}

/// A texture whose texels all differ.
fn image(format: Format, size: [u32; 3], levels: u32, samples: u32) -> Image {
    let mut image = Image::new(format, false, size, levels, samples);
    let mut n = 1u32;
    for level in 0..levels {
        let [w, h, _] = image.level_size(level);
        for (z, y, x) in (0..size[2]).flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| (z, y, x)))) {
            for s in 0..samples {
                let words = [n, n + 1, n + 2, n + 3];
                let float = format.base() == gpucc_pipeline::Base::Float;
                let words = if float { words.map(|w| (w as f32 / 64.0).to_bits()) } else { words };
                format.encode(words, 15, image.texel_bytes_mut(level, z, x, y, s));
                n += 4;
            }
        }
    }
    image
}

const FULL: FetchCaps = FetchCaps::FULL;

/// Each rule alone and all of them: bits are as before, and the text has what it should and lacks what it should.
fn agree(m: &Module, image: &Image, wide: bool, fetch: FetchCaps, has: &str, lacks: &str) {
    let want = run(m, image);
    assert!(want.iter().any(|&w| w != 0) && want.contains(&0), "nothing to see");
    for level in [0, 2] {
        let after = lowered(m, fetch, wide, level);
        let text = after.to_string();
        let code = text.split_once("func0 \"main\" {").expect("code").1;
        assert!(code.contains(has) && !code.contains(lacks), "no `{has}`, or `{lacks}`, in\n{text}");
        assert_eq!(run(&after, image), want, "-O{level}\n{text}");
    }
}

const LEVELS: &str = "tex v7, v6, tex res2 fetch 2d level";
const LAYERS: &str = "tex v7, v6, tex res2 fetch 2d layer signed";
const OFFSET: &str = "tex v7, v6, tex res2 fetch 2d level offset -2 3 0";
const SAMPLES: &str = "tex v7, v6, tex res2 fetch 2d multisampled";

#[test]
fn fetches_by_samplers() {
    let fetch = FetchCaps { fetch: false, ..FULL };
    for (format, class, ty) in [(Format::Rgba32Float, "float", "f32"), (Format::Rgba32Uint, "uint", "i32")] {
        let m = module(&format!("2d {class}"), LEVELS, ty);
        agree(&m, &image(format, [7, 5, 1], 3, 1), false, fetch, "sample 2d level", "fetch");
        let m = module(&format!("2d array {class}"), LAYERS, ty);
        agree(&m, &image(format, [7, 5, 3], 1, 1), false, fetch, "layer float", "fetch");
    }
}

#[test]
fn fetches_that_are_checked_by_code() {
    let fetch = FetchCaps { checked: false, ..FULL };
    let m = module("2d uint", LEVELS, "i32");
    agree(&m, &image(Format::Rgba32Uint, [7, 5, 1], 3, 1), false, fetch, "levels 2d", "sampler");
}

#[test]
fn offsets_are_added() {
    let fetch = FetchCaps { offset: false, ..FULL };
    let m = module("2d uint", OFFSET, "i32");
    agree(&m, &image(Format::Rgba32Uint, [7, 5, 1], 3, 1), false, fetch, "iadd", "offset");
}

#[test]
fn samples_are_texels_of_a_larger_texture() {
    let fetch = FetchCaps { samples: false, ..FULL };
    let m = module("2d multisampled float", SAMPLES, "f32");
    let four = image(Format::Rgba32Float, [7, 5, 1], 1, 4);
    agree(&m, &four, false, fetch, "fetch 2d", "fetch 2d multisampled");
    agree(&m, &four, false, FetchCaps::MINIMAL, "sample 2d", "fetch");
}

#[test]
fn wide_texels_in_halves() {
    let fetch = FetchCaps { wide: false, ..FULL };
    let m = module("2d float", LEVELS, "f32");
    let texels = image(Format::Rgba32Float, [7, 5, 1], 3, 1);
    agree(&m, &texels, true, fetch, "fetch 2d level", "tex res2 fetch");
    agree(&m, &texels, true, FetchCaps::MINIMAL, "sample 2d level", "fetch");
    // A value that is not wide is the same in halves, but need not be.
    agree(&m, &image(Format::Rgba8Unorm, [7, 5, 1], 3, 1), true, fetch, "fetch 2d level", "tex res2 fetch");
    assert!(!lowered(&m, fetch, false, 2).to_string().contains("variant"));
}

/// Where nothing is known of what is bound, the texels may have 128 bits; those of depth never have.
#[test]
fn what_is_not_known_is_wide() {
    let fetch = FetchCaps { wide: false, ..FULL };
    let halves = |texture: &str, line: &str, class: &str| {
        let text = lowered_with(&module(texture, line, class), fetch, BindingFacts::UNKNOWN, 2).to_string();
        assert_eq!(text.contains("variant low"), text.contains("variant high"));
        text.contains("variant low")
    };
    assert!(halves("2d float", LEVELS, "f32") && halves("2d array uint", LAYERS, "i32"));
    assert!(!halves("2d depth", LEVELS, "f32") && !halves("2d multisampled float", SAMPLES, "f32"));
}

#[test]
fn a_target_with_everything_keeps_all() {
    for line in [LEVELS, OFFSET] {
        let m = module("2d float", line, "f32");
        let after = lowered(&m, FULL, true, 2);
        assert_eq!(after.resources.len(), m.resources.len());
        assert!(after.to_string().contains(line.split_once("tex res2").expect("a line").1), "{after}");
    }
}
