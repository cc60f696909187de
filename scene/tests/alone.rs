//! A fragment shader alone: the scene it makes.

use gpucc_scene::alone::{self, Options};
use gpucc_scene::cases::{self, Body};
use gpucc_scene::model::Shader;
use gpucc_scene::{check, contents, generator, output};

fn options(args: &str) -> Result<Options, String> {
    Options::parse(&args.split_whitespace().map(String::from).collect::<Vec<_>>())
}

#[test]
fn options_are_read() {
    assert_eq!(
        options(""),
        Ok(Options { size: [640, 360], time: 0.0, mouse: [0.0; 2], entry: None, immediates: None })
    );
    let o = options("--size 33x21 --time 2.375 --mouse 24,9.5 --entry fs").expect("options");
    let want = Options { size: [33, 21], time: 2.375, mouse: [24.0, 9.5], entry: Some("fs".into()), immediates: None };
    assert_eq!(o, want);
    for wrong in ["--size 33", "--size 3x", "--size -1x2", "--time x", "--mouse 1x2", "--entry", "--speed 1"] {
        assert!(options(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_frame_is_64_bytes() {
    let f = alone::frame(&options("--size 33x21 --time 2.375 --mouse 24,9").expect("options"));
    let float = |v: f32| v.to_bits();
    // 2.375 * 60 = 142.5.
    let want = [
        [float(33.0), float(21.0), float(1.0), float(2.375)],
        [float(24.0), float(9.0), 0, 0],
        [float(1.0 / 60.0), 142, 0, 0],
        [0; 4],
    ];
    assert_eq!(f, *want.as_flattened());
    assert_eq!(alone::frame(&options("--time -1").expect("options"))[9], 0);
}

#[test]
fn the_scene_is_right_and_has_four_noises() {
    let s = alone::scene(Shader::Wgsl("text".into()), &options("--size 5x3").expect("options"));
    check::scene(&s).unwrap_or_else(|e| panic!("{e}"));
    let r = contents::load(&s, None).unwrap_or_else(|e| panic!("{e}"));
    check::loaded(&s, &r).unwrap_or_else(|e| panic!("{e}"));
    let o = s.presented().expect("a picture");
    assert_eq!((o.name.as_str(), output::bytes(&s, &r, &o).expect("bytes").len()), (alone::OUTPUT, 60));
    for k in 0..4 {
        let image = &r.textures[s.textures.position(&format!("channel{k}")).expect("a channel")];
        assert_eq!((image.size, image.levels), ([64, 64, 1], 7));
        // The hash of texel (1, 0) of level 0, by its formula.
        let mut h = 0x9E37_79B1u32 ^ (k + 1);
        h ^= h >> 15;
        h = h.wrapping_mul(0x2C1B_3C6D);
        h ^= h >> 12;
        h = h.wrapping_mul(0x297A_2D39);
        h ^= h >> 15;
        assert_eq!(image.bytes[4..8], h.to_le_bytes());
        let g = gpucc_scene::model::Generator {
            pattern: gpucc_scene::model::Pattern::Noise { seed: k + 1 },
            alpha: None,
            box_mips: false,
        };
        assert_eq!(generator::components(&g, [1, 0, 0], 0, [64, 64, 1]), h.to_le_bytes());
    }
}

#[test]
fn cases_of_the_conformance_suite_have_pictures_of_their_size() {
    let Some(file) = crate::shared::gfx().into_iter().find(|p| p.ends_with("shader.json")) else { return };
    for case in cases::open(&file).expect("the file is one of cases") {
        let case = case.expect("a case");
        let Body::Shader { text, args } = case.body else { panic!("{}", case.id) };
        let s = alone::scene(Shader::Wgsl(text), &Options::parse(&args).expect("options"));
        check::scene(&s).unwrap_or_else(|e| panic!("{}: {e}", case.id));
        let r = contents::load(&s, None).expect("contents");
        let p = output::picture(&s, &r, &s.outputs[0]).expect("a picture");
        assert_eq!(p.rgba.len(), case.expect[0].bytes.len(), "{}", case.id);
    }
}
