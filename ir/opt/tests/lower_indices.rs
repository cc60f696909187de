//! Elements that differ between lanes: what each lane gets is known by hand, and the oracle reads the same from what is lowered.

use gpucc_interp::{OracleProgram, Profile};
use gpucc_ir::Module;
use gpucc_opt::{Caps, Options, TexCaps, prepare};
use gpucc_sim::texture::{Codec, Dim, Format, Image, Sampler};
use gpucc_sim::{Dispatch, RunOptions};

/// 64 invocations; `index` is written from the invocation's number `v1`, and `line` gives `v6` from it.
fn module(robust: &str, index: &str, line: &str) -> Module {
    let text = format!(
        "module robust {robust}\nres0 \"o\" group 0 binding 0 storage_rw size 4 stride 4\n\
         res1 \"t\" group 0 binding 1 texture 2d float count 3\nres2 \"s\" group 0 binding 2 sampler count 3\n\
         entry \"main\" compute func0 size 64,1,1\nfunc0 \"main\" {{\nblock0:\n  v0: i32x3 = sysval local_invocation_id\n  \
         v1: i32 = extract v0, lane 0\n  {index}\n  v3: i32 = shl v1, 2:i32\n  {line}\n  v7: f32 = extract v6, lane 0\n  \
         store v7, res0[0 + v3] align 4\n  ret\n}}\n"
    );
    let m = gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    gpucc_ir::verify::verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
    m
}

const FETCH: &str = "v4: i32x2 = splat 0:i32\n  v6: f32x4 = tex v4, v2, tex res1 fetch 2d texture_index";

fn lowered(m: &Module, level: u8) -> Module {
    let caps = Caps { tex: TexCaps { lane_index: false, ..TexCaps::FULL }, ..Caps::FULL };
    prepare(m, "main", &caps, &Options { verify: true, level, ..Options::default() })
        .unwrap_or_else(|e| panic!("{e}"))
        .0
}

/// Textures of one texel, 10, 20 and 30.
fn run(m: &Module) -> Vec<f32> {
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]);
    for n in 0..3u32 {
        let mut image = Image::new(Format::R32Float, false, [1, 1, 1], 1, 1);
        Format::R32Float.encode([(10.0 * (n + 1) as f32).to_bits(), 0, 0, 0], 15, image.texel_bytes_mut(0, 0, 0, 0, 0));
        d = d.with_texture(0, 1, image, Dim::D2).with_sampler(0, 2, Sampler::default());
        d.textures[n as usize].element = n;
        d.samplers[n as usize].element = n;
    }
    let p = OracleProgram::new(m, "main").unwrap_or_else(|e| panic!("{e}"));
    p.run(&mut d, &RunOptions::default(), &Profile::default()).unwrap_or_else(|t| panic!("{t}\n{m}"));
    d.words(0, 0).expect("the output").into_iter().map(f32::from_bits).collect()
}

fn agree(m: &Module, want: impl Fn(u32) -> f32) {
    let want: Vec<f32> = (0..64).map(want).collect();
    assert_eq!(run(m), want, "as written");
    for level in 0..=3 {
        let after = lowered(m, level);
        assert_eq!(run(&after), want, "-O{level}\n{after}");
    }
}

#[test]
fn each_lane_reads_its_own_element() {
    let m = module("off", "v2: i32 = urem v1, 3:i32", FETCH);
    agree(&m, |lane| 10.0 * (lane % 3 + 1) as f32);
}

#[test]
fn beyond_the_last_element_a_robust_module_reads_the_last() {
    let m = module("on", "v2: i32 = urem v1, 5:i32", FETCH);
    agree(&m, |lane| 10.0 * ((lane % 5).min(2) + 1) as f32);
}

#[test]
fn texture_and_sampler_at_different_indices() {
    let line = "v8: i32 = and v1, 1:i32\n  v4: f32x2 = splat 0.5:f32\n  \
                v6: f32x4 = tex v4, v2, v8, tex res1 sampler res2 sample 2d texture_index sampler_index";
    let m = module("off", "v2: i32 = urem v1, 3:i32", line);
    agree(&m, |lane| 10.0 * (lane % 3 + 1) as f32);
    let text = lowered(&m, 0).to_string();
    assert_eq!(text.matches(" loop merge ").count(), 2, "a loop in a loop\n{text}");
}

#[test]
fn one_index_for_all_lanes_stays() {
    let m = module("off", "v2: i32 = and 1:i32, 1:i32", FETCH);
    assert!(!lowered(&m, 0).to_string().contains(" loop merge "));
}

/// Elements that no lane names are left out, and so is the bound of a robust module.
#[test]
fn elements_that_no_index_reaches_are_left_out() {
    for (index, robust, count) in [
        ("v2: i32 = and v1, 1:i32", "off", 2),
        ("v2: i32 = and v1, 1:i32", "on", 2),
        ("v2: i32 = urem v1, 3:i32", "on", 3),
        ("v2: i32 = urem v1, 4:i32", "off", 3),
    ] {
        let m = module(robust, index, FETCH);
        let text = lowered(&m, 0).to_string();
        assert!(text.contains(&format!(", {count}:i32\n")), "{index}\n{text}");
        assert!(!text.contains("umin v2"), "{index}\n{text}");
    }
    agree(&module("on", "v2: i32 = and v1, 1:i32", FETCH), |lane| 10.0 * (lane % 2 + 1) as f32);
    // Another sampler than texture, of which fewer can be.
    let line = "v8: i32 = and v1, 1:i32\n  v4: f32x2 = splat 0.5:f32\n  \
                v6: f32x4 = tex v4, v2, v8, tex res1 sampler res2 sample 2d texture_index sampler_index";
    agree(&module("on", "v2: i32 = urem v1, 5:i32", line), |lane| 10.0 * ((lane % 5).min(2) + 1) as f32);
}
