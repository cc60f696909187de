//! Blending by code: every equation against the fixed function, and where nothing is to be done.

use crate::drawing::{COVER, Scene};
use gpucc_opt::{Blending, Caps, IoCaps};
use gpucc_pipeline::{Base, Blend, BlendComponent, BlendFactor, BlendOperation, Format, Pipeline, Target};
use gpucc_sim::texture::Codec;

const CODE: Caps = Caps { io: IoCaps { blending: Blending::Code, ..IoCaps::FULL }, ..Caps::FULL };
const PRODUCT: Caps = Caps { io: IoCaps { blending: Blending::Product, ..IoCaps::FULL }, ..Caps::FULL };

/// Two sources, with components outside of fractions.
const TWO: &str = r#"module robust on
entry "fs" fragment func0 {
  out0 "a" location 0 f32x4
  out1 "b" location 0 blend_src 1 f32x4
}
func0 "fs" -> f32x4, f32x4 {
block0:
  v0: f32x4 = compose 0.3:f32, 1.25:f32, -0.5:f32, 0.7:f32
  v1: f32x4 = compose 0.9:f32, 0.2:f32, 0.45:f32, 0.35:f32
  ret v0, v1
}
"#;

fn pipeline(format: Format, blend: Option<Blend>, write: u8) -> Pipeline {
    Pipeline { targets: vec![Some(Target { format, write, blend })], ..Pipeline::default() }
}

fn words(format: Format, bytes: &[u8]) -> [f32; 4] {
    format.decode(bytes).map(f32::from_bits)
}

/// Draws with the fixed function and with code; the largest difference, in units of `step`.
fn worst(s: &Scene, step: f32) -> f32 {
    let format = s.pipeline.targets[0].expect("a target").format;
    let lowered = s.lowered(&CODE, 2);
    assert!(lowered.text().contains("blended"), "{}", lowered.text());
    let (want, got) = (s.draw(), lowered.draw());
    let size = format.bytes() as usize;
    let pairs = want[0].chunks(size).zip(got[0].chunks(size));
    let of = |(a, b): (&[u8], &[u8])| {
        let (a, b) = (words(format, a), words(format, b));
        (0..4).map(|k| (a[k] - b[k]).abs() / step / a[k].abs().max(1.0)).fold(0.0, f32::max)
    };
    pairs.map(of).fold(0.0, f32::max)
}

#[test]
fn every_equation_is_that_of_the_fixed_function() {
    let formats = [(Format::Rgba8Unorm, 1.0 / 255.0), (Format::Rg16Snorm, 1.0 / 32767.0), (Format::Rgba32Float, 1e-6)];
    for (format, step) in formats {
        for &src in BlendFactor::ALL {
            for &dst in BlendFactor::ALL {
                for &operation in BlendOperation::ALL {
                    let one = BlendComponent { operation, src, dst };
                    let two = BlendComponent { operation, src: dst, dst: src };
                    let blend = Blend { color: one, alpha: two };
                    let mut s = Scene::new(COVER, Some(TWO), pipeline(format, Some(blend), 15));
                    s.constant = [0.6, 0.25, 1.5, 0.8];
                    let held = [0.2_f32, 0.55, 0.8, 0.4].map(f32::to_bits);
                    format.encode(held, 15, &mut s.clear[0]);
                    let far = worst(&s, step);
                    assert!(far <= 1.01, "{} {src:?} {operation:?} {dst:?}: {far} steps", format.name());
                }
            }
        }
    }
}

/// A blend that reads the target.
fn over() -> Blend {
    let one = BlendComponent {
        operation: BlendOperation::Add,
        src: BlendFactor::SrcAlpha,
        dst: BlendFactor::OneMinusSrcAlpha,
    };
    Blend { color: one, alpha: one }
}

/// Components that the target does not write stay what they were, and those of a format without alpha read 1.
#[test]
fn masks_and_missing_components() {
    for write in 1..15 {
        let s = Scene::new(COVER, Some(TWO), pipeline(Format::Rgba8Unorm, Some(over()), write));
        assert!(worst(&s, 1.0 / 255.0) <= 1.01, "{write}");
    }
    let alpha = BlendComponent { src: BlendFactor::DstAlpha, ..over().color };
    let mut s = Scene::new(COVER, Some(TWO), pipeline(Format::R8Unorm, Some(Blend { color: alpha, alpha }), 15));
    s.clear[0] = vec![100];
    assert!(worst(&s, 1.0 / 255.0) <= 1.01);
}

/// Several samples: the entry runs for each of them, and alpha makes the mask that it made.
#[test]
fn samples_and_alpha_to_coverage() {
    for alpha_to_coverage in [false, true] {
        let p = Pipeline { samples: 4, alpha_to_coverage, ..pipeline(Format::Rgba8Unorm, Some(over()), 15) };
        let s = Scene::new(COVER, Some(TWO), p);
        assert!(worst(&s, 1.0 / 255.0) <= 1.01);
        let text = s.lowered(&CODE, 2).text();
        assert_eq!(text.contains("sample_mask"), alpha_to_coverage, "{text}");
        assert!(!text.contains("blend_src"), "{text}");
    }
}

/// Targets without blending, integer ones, equations that hardware has, and entries that do something else for each sample.
#[test]
fn what_stays() {
    let stays = |s: &Scene, caps: &Caps| {
        let text = s.lowered(caps, 2).text();
        assert!(!text.contains("target_load") && !text.contains("blended"), "{text}");
    };
    stays(&Scene::new(COVER, Some(TWO), pipeline(Format::Rgba8Unorm, None, 15)), &CODE);
    stays(&Scene::new(COVER, Some(TWO), pipeline(Format::Rgba8Unorm, Some(over()), 0)), &CODE);
    stays(&Scene::new(COVER, Some(TWO), pipeline(Format::Rgba8Unorm, Some(over()), 15)), &Caps::FULL);
    stays(&Scene::new(COVER, Some(TWO), pipeline(Format::Rgba8Unorm, Some(over()), 15)), &PRODUCT);
    let integers =
        TWO.replace("f32x4", "i32x4").replace("0.3:f32, 1.25:f32, -0.5:f32, 0.7:f32", "1:i32, 2:i32, 3:i32, 4:i32");
    let integers = integers.replace("0.9:f32, 0.2:f32, 0.45:f32, 0.35:f32", "1:i32, 2:i32, 3:i32, 4:i32");
    stays(&Scene::new(COVER, Some(&integers), pipeline(Format::Rgba8Uint, None, 15)), &CODE);
    assert_eq!(Format::Rgba8Uint.base(), Base::Uint);
    let reads = TWO
        .replace("block0:\n", "block0:\n  v2: i32 = sysval sample_mask\n  v3: f32 = u2f v2\n")
        .replace("compose 0.3:f32", "compose v3");
    let four = Pipeline { samples: 4, ..pipeline(Format::Rgba8Unorm, Some(over()), 15) };
    stays(&Scene::new(COVER, Some(&reads), four.clone()), &CODE);
    let one = Pipeline { samples: 1, ..four };
    assert!(Scene::new(COVER, Some(&reads), one).lowered(&CODE, 2).text().contains("target_load"));
}

/// Which equations are A + B * C.
#[test]
fn products() {
    use BlendFactor as F;
    let has = |operation, src, dst| {
        let c = BlendComponent { operation, src, dst };
        Blending::Product.has(&Blend { color: c, alpha: BlendComponent::default() })
    };
    let add = BlendOperation::Add;
    assert!(has(add, F::SrcAlpha, F::OneMinusSrcAlpha) && has(add, F::Dst, F::Zero) && has(add, F::One, F::DstAlpha));
    assert!(has(BlendOperation::Subtract, F::DstAlpha, F::OneMinusDstAlpha) && has(add, F::Src, F::Src));
    assert!(!has(add, F::Src, F::SrcAlpha) && !has(BlendOperation::Min, F::One, F::One));
    assert!(!has(add, F::Constant, F::Zero) && !has(add, F::Src1, F::One) && !has(add, F::SrcAlphaSaturated, F::One));
}
