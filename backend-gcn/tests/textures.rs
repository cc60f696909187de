//! Tests of the code of texture functions: instructions and modifiers as the reference's table of texture functions has them
//! (`isa/graphics-gcn.md`, section d), on every generation and level.

use crate::common::{compile, module, options};

const GLOBALS: &str = "
    @group(0) @binding(0) var<storage, read_write> o: array<vec4<f32>>;
    @group(0) @binding(1) var s: sampler;
    @group(0) @binding(2) var c: sampler_comparison;
    @group(1) @binding(0) var t1: texture_1d<f32>;
    @group(1) @binding(1) var t2: texture_2d<f32>;
    @group(1) @binding(2) var ta: texture_2d_array<f32>;
    @group(1) @binding(3) var t3: texture_3d<f32>;
    @group(1) @binding(4) var tc: texture_cube<f32>;
    @group(1) @binding(5) var tca: texture_cube_array<f32>;
    @group(1) @binding(6) var ti: texture_2d<i32>;
    @group(1) @binding(7) var tm: texture_multisampled_2d<f32>;
    @group(1) @binding(8) var td: texture_depth_2d;
    @group(1) @binding(9) var tda: texture_depth_2d_array;
    @group(2) @binding(0) var i2: texture_storage_2d<rgba8unorm, write>;
    @group(2) @binding(1) var ia: texture_storage_2d_array<rg32float, write>;
    @group(2) @binding(2) var i3: texture_storage_3d<r32float, write>;
    @group(2) @binding(3) var ir: texture_storage_2d<r32uint, read_write>;
    @group(2) @binding(4) var iq: texture_storage_2d<r32uint, atomic>;
";

/// A compute shader of these statements. `x` is a float that differs between lanes, `n` the lane.
fn shader(body: &str) -> String {
    format!(
        "{GLOBALS} @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) n: u32) {{
            let x = f32(n) / 64.0; let k = i32(n);
            {body}
        }}"
    )
}

/// Its listing.
fn listing(body: &str, generation: usize, level: u8) -> String {
    let out = compile(&module(&shader(body)), generation, &options(level));
    gpucc_gcn_machine::disassemble(&out.entry.code, generation as u8, gpucc_isa::stage::CS)
}

/// Statements, and for each image instruction of theirs, in order: mnemonic, and the modifiers behind the operands.
const CASES: &[(&str, &[(&str, &str)])] = &[
    ("o[n] = textureSampleLevel(t1, s, x, x);", &[("image_sample_l", "dmask:0xf")]),
    ("o[n] = textureSampleLevel(t2, s, vec2(x), x);", &[("image_sample_l", "dmask:0xf")]),
    ("o[n] = textureSampleLevel(t2, s, vec2(x), 0.0);", &[("image_sample_lz", "dmask:0xf")]),
    ("o[n] = textureSampleLevel(t2, s, vec2(x), x, vec2(1, -2));", &[("image_sample_l_o", "dmask:0xf")]),
    ("o[n] = textureSampleLevel(t2, s, vec2(x), 0.0, vec2(1, -2));", &[("image_sample_lz_o", "dmask:0xf")]),
    ("o[n] = textureSampleLevel(ta, s, vec2(x), k, x);", &[("image_sample_l", "dmask:0xf da")]),
    ("o[n] = textureSampleLevel(t3, s, vec3(x), x);", &[("image_sample_l", "dmask:0xf")]),
    ("o[n] = textureSampleLevel(tc, s, vec3(x), x);", &[("image_sample_l", "dmask:0xf da")]),
    ("o[n] = textureSampleLevel(tca, s, vec3(x), k, x);", &[("image_sample_l", "dmask:0xf da")]),
    ("o[n].x = textureSampleLevel(t2, s, vec2(x), x).y;", &[("image_sample_l", "dmask:0x2")]),
    ("o[n].x = textureSampleLevel(td, s, vec2(x), k);", &[("image_sample_l", "dmask:0x1")]),
    ("o[n] = textureSampleGrad(t2, s, vec2(x), vec2(x), vec2(x));", &[("image_sample_d", "dmask:0xf")]),
    (
        "o[n] = textureSampleGrad(ta, s, vec2(x), k, vec2(x), vec2(x), vec2(3, 3));",
        &[("image_sample_d_o", "dmask:0xf da")],
    ),
    ("o[n] = textureSampleGrad(tca, s, vec3(x), k, vec3(x), vec3(x));", &[("image_sample_d", "dmask:0xf da")]),
    ("o[n].x = textureSampleCompareLevel(td, c, vec2(x), x);", &[("image_sample_c_lz", "dmask:0x1")]),
    (
        "o[n].x = textureSampleCompareLevel(tda, c, vec2(x), k, x, vec2(1, 1));",
        &[("image_sample_c_lz_o", "dmask:0x1 da")],
    ),
    ("o[n] = textureGather(2, t2, s, vec2(x));", &[("image_gather4_lz", "dmask:0x4")]),
    ("o[n] = textureGather(0, ta, s, vec2(x), k, vec2(1, 1));", &[("image_gather4_lz_o", "dmask:0x1 da")]),
    ("o[n] = vec4<f32>(textureGather(1, ti, s, vec2(x)));", &[("image_gather4_lz", "dmask:0x2")]),
    ("o[n] = textureGatherCompare(td, c, vec2(x), x);", &[("image_gather4_c_lz", "dmask:0x1")]),
    ("o[n] = textureGatherCompare(tda, c, vec2(x), k, x, vec2(1, 1));", &[("image_gather4_c_lz_o", "dmask:0x1 da")]),
    ("o[n] = textureLoad(t2, vec2(k), k);", &[("image_load_mip", "dmask:0xf unorm")]),
    ("o[n] = textureLoad(t3, vec3(k), 0);", &[("image_load", "dmask:0xf unorm")]),
    ("o[n] = textureLoad(ta, vec2(k), k, k);", &[("image_load_mip", "dmask:0xf unorm da")]),
    ("o[n].x = textureLoad(t1, k, k).z;", &[("image_load_mip", "dmask:0x4 unorm")]),
    ("o[n] = textureLoad(tm, vec2(k), k);", &[("image_load", "dmask:0x1 unorm"), ("image_load", "dmask:0xf unorm")]),
    // All components are asked for by what is not a component, a level that is 0 only in value is no known one, 1 is another one,
    // and an offset of 0 is none.
    ("let v = textureSampleLevel(t2, s, vec2(x), 1.0); o[n].x = v[n % 4];", &[("image_sample_l", "dmask:0xf")]),
    ("o[n] = textureSampleLevel(t2, s, vec2(x), x).wzyx;", &[("image_sample_l", "dmask:0xf")]),
    // The level is no product with 0: WGSL lets implementations assume that there are no infinities and NaNs, so that such a product is
    // the constant 0 (`constant_factors.rs` of the optimiser says which licences it needs). No pass makes a constant of a difference.
    ("o[n] = textureSampleLevel(t2, s, vec2(x), x - x);", &[("image_sample_l", "dmask:0xf")]),
    ("o[n] = textureSampleLevel(t2, s, vec2(x), 0.0, vec2(0, 0));", &[("image_sample_lz", "dmask:0xf")]),
    ("o[n].x = textureGather(2, t2, s, vec2(x)).x;", &[("image_gather4_lz", "dmask:0x4")]),
    ("o[n] = textureLoad(t2, vec2(k), 1);", &[("image_load_mip", "dmask:0xf unorm")]),
    ("textureStore(i2, vec2(k), vec4(x));", &[("image_store", "dmask:0xf unorm")]),
    ("textureStore(ia, vec2(k), k, vec4(x));", &[("image_store", "dmask:0x3 unorm da")]),
    ("textureStore(i3, vec3(k), vec4(x));", &[("image_store", "dmask:0x1 unorm da")]),
    ("o[n].x = f32(textureLoad(ir, vec2(k)).x);", &[("image_load", "dmask:0x1 unorm")]),
    ("textureAtomicAdd(iq, vec2(k), n);", &[("image_atomic_add", "dmask:0x1 unorm")]),
    ("textureAtomicMin(iq, vec2(k), n);", &[("image_atomic_umin", "dmask:0x1 unorm")]),
    ("o[n].x = f32(textureDimensions(t3, k).z + textureNumLevels(tc) + textureNumLayers(tca));", &[]),
    ("o[n].x = f32(textureNumSamples(tm) + textureDimensions(i2).y + textureNumLayers(ia));", &[]),
];

/// Four samples of a pixel share what says where they are; those of a loop that is turned, or of two pixels, do not.
#[test]
fn samples_of_a_pixel_share_their_map() {
    let loads = |body: &str, g: usize, level: u8| {
        let text = listing(body, g, level);
        let of = |mask: &str| text.lines().filter(|l| l.contains("image_load ") && l.contains(mask)).count();
        (of("dmask:0x1 "), of("dmask:0xf "))
    };
    let four = "var v = vec4(0.0); for (var i = 0; i < 4; i++) { v += textureLoad(tm, vec2(k), i); } o[n] = v;";
    let pixels = "var v = vec4(0.0); for (var i = 0; i < 4; i++) { v += textureLoad(tm, vec2(k, i), i); } o[n] = v;";
    let branch = "o[n] = textureLoad(tm, vec2(k), 0); if (n > 7u) { o[n + 64u] = textureLoad(tm, vec2(k), 1); }";
    for g in 0..3 {
        assert_eq!(loads(four, g, 2), (1, 4), "gfx{}", 6 + g);
        assert_eq!(loads(pixels, g, 2), (4, 4), "gfx{}", 6 + g);
        assert_eq!(loads(branch, g, 2), (2, 2), "gfx{}", 6 + g);
    }
}

#[test]
fn functions_become_what_the_reference_says() {
    for g in 0..3 {
        for level in [0, 2] {
            for (body, want) in CASES {
                let text = listing(body, g, level);
                let images = text.lines().map(str::trim).filter(|l| l.starts_with("image_"));
                let got: Vec<(&str, &str)> = images
                    .map(|l| {
                        let l = l.split(" ; ").next().unwrap_or(l).trim();
                        let name = l.split(' ').next().unwrap_or_default();
                        (name, l.find("dmask").map_or("", |at| &l[at..]))
                    })
                    .collect();
                assert_eq!(got, *want, "generation {g} -O{level} {body}\n{text}");
            }
        }
    }
}

/// Constants that the reference names: the packed offset, the sampler's TRUNC_COORD off, the FMASK of a surface without one.
#[test]
fn constants_of_the_reference() {
    for (body, needle) in [
        ("o[n] = textureSampleLevel(t2, s, vec2(x), x, vec2(1, -2));", "0x3e01"),
        ("o[n] = textureGather(2, t2, s, vec2(x));", "0xf7ffffff"),
        ("o[n] = textureLoad(tm, vec2(k), k);", "0x76543210"),
        ("o[n] = textureSampleLevel(tca, s, vec3(x), k, x);", "0x41000000"),
    ] {
        for g in 0..3 {
            let text = listing(body, g, 2);
            assert!(text.contains(needle), "no {needle} for generation {g} {body}\n{text}");
        }
    }
}

fn names(text: &str) -> Vec<&str> {
    let names = text.lines().filter_map(|l| l.split_whitespace().next());
    names.filter(|n| n.starts_with("image_") || n.starts_with("s_waitcnt")).collect()
}

/// Four samples are under way at once: nothing waits for memory between them.
#[test]
fn samples_are_under_way_together() {
    let body = "var sum = vec4(0.0);
        for (var j = 0u; j < 4u; j++) { sum += textureSampleLevel(t2, s, vec2(x, f32(j)), x); }
        o[n] = sum;";
    for g in 0..3 {
        let text = listing(body, g, 2);
        let all = names(&text);
        let first = all.iter().position(|n| n.starts_with("image_")).expect("a sample");
        assert_eq!(all[first..first + 4], ["image_sample_l"; 4], "{text}");
    }
}

/// A store keeps its place among loads of its image, and not among those of others.
#[test]
fn stores_stay_between_loads_of_their_image() {
    let body = "let a = textureLoad(ir, vec2(k)).x;
        textureStore(ir, vec2(k), vec4(a + n));
        let b = textureLoad(ir, vec2(k + 1)).x;
        o[n] = vec4(f32(a), f32(b), textureLoad(t2, vec2(k), 0).xy);";
    for g in 0..3 {
        for level in [0, 2] {
            let text = listing(body, g, level);
            let images: Vec<&str> = text.lines().map(str::trim).filter(|l| l.starts_with("image_")).collect();
            // Components tell the texture from the image.
            let own: Vec<&str> =
                images.iter().filter(|l| l.contains("dmask:0x1 ")).filter_map(|l| l.split(' ').next()).collect();
            assert_eq!(own, ["image_load", "image_store", "image_load"], "{text}");
            let at = |what: &str| images.iter().position(|l| l.contains(what));
            if level == 2 {
                assert!(at("dmask:0x3") < at("image_store"), "the other texture's load could come first\n{text}");
            }
        }
    }
}

/// More textures than scalar registers hold: loads of descriptors are repeated where they are wanted.
#[test]
fn many_textures_fit() {
    let textures: String = (0..16).map(|k| format!("@group(3) @binding({k}) var m{k}: texture_2d<f32>;\n")).collect();
    let sum =
        |from: usize| (0..16).map(|k| format!("+ textureLoad(m{k}, vec2(i32(n) + {from}), 0)")).collect::<String>();
    let source = format!(
        "{textures}@group(0) @binding(0) var<storage, read_write> o: array<vec4<f32>>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) n: u32) {{
            var a = vec4(0.0) {};
            if a.x > 2.0 {{ a = a {}; }}
            o[n] = a;
        }}",
        sum(0),
        sum(1)
    );
    for g in 0..3 {
        for level in [0, 2] {
            let out = compile(&module(&source), g, &options(level));
            let find = |name: &str| out.stats.iter().find(|s| s.0 == name).map(|s| s.1);
            assert_eq!(find("scratch_bytes"), Some(0));
            assert!(find("sgprs") <= Some(94), "{:?}", find("sgprs"));
            assert!(find("smem") >= Some(16), "{:?}", find("smem"));
        }
    }
}

/// Everything is spilled, registers are scarce or in pieces, and texts of the code are read back: allocation is checked each time.
#[test]
fn allocation_under_stress() {
    let all: String = CASES.iter().map(|(body, _)| format!("{{ {body} }}\n")).collect();
    let m = module(&shader(&all));
    for g in 0..3 {
        for [spill_all, tight, fragment, reparse] in [
            [true, false, false, false],
            [false, true, false, false],
            [false, false, true, false],
            [false, false, false, true],
        ] {
            let o = gpucc_driver::CodegenOptions { spill_all, tight, fragment, reparse, verify: true, ..options(2) };
            assert!(!compile(&m, g, &o).entry.code.is_empty());
        }
    }
}
