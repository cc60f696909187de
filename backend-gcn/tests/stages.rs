//! What vertex and fragment programs become: the instructions of the reference's worked examples (`isa/graphics-gcn.md`, section
//! c), but for the launch and for targets, which are rgba8unorm here.

use crate::common::{compile, module, options};

const IO: &str = "struct V { @builtin(position) p: vec4f, @location(0) uv: vec4f, @location(1) b: vec4f,
    @location(2) @interpolate(flat) i: vec4i }
    @group(0) @binding(0) var t: texture_2d<f32>;
    @group(0) @binding(1) var s: sampler;
    @group(0) @binding(2) var<storage, read_write> o: array<u32>;\n";

/// Source, generation, and the words that lines of the listing begin with, waits and moves left out.
const CASES: &[(&str, usize, &[&str])] = &[
    // 1, attributes and flat data.
    (
        "@vertex fn main(@location(0) a: vec4f, @location(1) b: vec4f, @location(2) c: vec4i) -> V { return V(a, a, b, c); }",
        2,
        &[
            "s_load_dwordx4",
            "v_add_u32_e32",
            "buffer_load_dwordx4",
            "buffer_load_dwordx4",
            "buffer_load_dwordx4",
            "exp pos0",
            "exp param0",
            "exp param1",
            "exp param2",
            "s_endpgm",
        ],
    ),
    // 3, one sample.
    (
        "@fragment fn main(v: V) -> @location(0) vec4f { return textureSample(t, s, v.uv.xy); }",
        2,
        &[
            "s_wqm_b64",
            "s_load_dwordx8",
            "s_load_dwordx4",
            "v_interp_p1_f32_e32",
            "v_interp_p1_f32_e32",
            "v_interp_p2_f32_e32",
            "v_interp_p2_f32_e32",
            "image_sample",
            "v_cvt_pkrtz_f16_f32",
            "v_cvt_pkrtz_f16_f32",
            "exp mrt0",
            "s_endpgm",
        ],
    ),
    // 12, nothing asks for helpers.
    (
        "@fragment fn main(v: V) -> @location(0) vec4f { return vec4f(v.i); }",
        2,
        &[
            "v_interp_mov_f32_e32",
            "v_interp_mov_f32_e32",
            "v_interp_mov_f32_e32",
            "v_interp_mov_f32_e32",
            "v_cvt_f32_i32_e32",
            "v_cvt_f32_i32_e32",
            "v_cvt_f32_i32_e32",
            "v_cvt_f32_i32_e32",
            "v_cvt_pkrtz_f16_f32",
            "v_cvt_pkrtz_f16_f32",
            "exp mrt0",
            "s_endpgm",
        ],
    ),
    // 15, derivatives: lanes of the quad by DPP, and by LDS before gfx8.
    (
        "@fragment fn main(v: V) -> @location(0) vec4f { return vec4f(dpdxFine(v.uv.x), 0, 0, 1); }",
        2,
        &[
            "s_wqm_b64",
            "v_interp_p1_f32_e32",
            "v_interp_p2_f32_e32",
            "v_mov_b32_dpp",
            "v_sub_f32_dpp",
            // The other pair is a constant.
            "v_cvt_pkrtz_f16_f32",
            "exp mrt0",
            "s_endpgm",
        ],
    ),
    // Nothing is given: the wave ends all the same.
    ("@fragment fn main(v: V) { if (v.b.x < 0.5) { discard; } }", 2, &["exp null", "s_endpgm"]),
];

/// First words of the lines, sorted; an export with its target.
fn mnemonics(listing: &str) -> Vec<String> {
    let quiet = ["s_waitcnt", "s_mov", "v_mov_b32_e32", "s_nop"];
    let word = |l: &str| {
        let mut words = l.split_whitespace();
        let first = words.next()?.to_string();
        let first = if first == "exp" { format!("exp {}", words.next()?) } else { first };
        (!quiet.iter().any(|q| first.starts_with(q))).then_some(first)
    };
    let mut list: Vec<String> = listing.lines().filter_map(word).collect();
    list.sort();
    list
}

#[test]
fn worked_examples() {
    let mut wrong = Vec::new();
    for (source, generation, want) in CASES {
        let out = compile(&module(&format!("{IO}{source}")), *generation, &options(2));
        let listing = gpucc_gcn_machine::disassemble(&out.entry.code, *generation as u8, gpucc_isa::stage::CS);
        let got = mnemonics(&listing);
        let mut want: Vec<String> = want.iter().map(ToString::to_string).collect();
        want.sort();
        let missing = want.iter().any(|w| !got.contains(w));
        if if want.len() > 2 { got != want } else { missing } {
            wrong.push(format!("{source}\n{listing}\nwanted {want:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What is counted of a fragment program: two samples, three components interpolated in two steps each, one export.
#[test]
fn statistics_count_texture_export_and_interpolation() {
    let source = "
        @group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var s: sampler;
        @fragment fn main(@location(0) uv: vec2f, @location(1) k: f32) -> @location(0) vec4f {
            return textureSample(t, s, uv) + k * textureSample(t, s, uv.yx);
        }";
    for g in 0..3 {
        for level in [0, 2] {
            let out = compile(&module(source), g, &options(level));
            let stat = |name: &str| out.stats.iter().find(|s| s.0 == name).unwrap_or_else(|| panic!("{name}")).1;
            assert_eq!((stat("images"), stat("interps"), stat("exports")), (2, 6, 1), "gfx{} -O{level}", 6 + g);
            let classes = ["valu", "salu", "vmem", "smem", "lds", "branches", "waits", "nops", "interps", "exports"];
            assert_eq!(classes.iter().map(|c| stat(c)).sum::<u64>(), stat("instructions"));
            // Four cycles for each interpolation, 300 for the samples, 16 to export.
            assert!(stat("latency") > 300 + 6 * 4 + 16, "{}", stat("latency"));
        }
    }
}

/// Thirteen samples whose coordinates share their parts: a wave less is taken where more would ask for registers to change places.
#[test]
fn runs_of_coordinates_are_not_moved_to_and_fro() {
    let source = "
        @group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var s: sampler;
        @group(0) @binding(2) var<uniform> texel: vec2f;
        fn tap(uv: vec2f, x: f32, y: f32) -> vec3f { return textureSample(t, s, uv + texel * vec2f(x, y)).rgb; }
        @fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
            let inner = tap(uv, -1, -1) + tap(uv, 1, -1) + tap(uv, -1, 1) + tap(uv, 1, 1);
            let cross = tap(uv, 0, -2) + tap(uv, 0, 2) + tap(uv, -2, 0) + tap(uv, 2, 0);
            let corners = tap(uv, -2, -2) + tap(uv, 2, -2) + tap(uv, -2, 2) + tap(uv, 2, 2);
            return vec4f(tap(uv, 0, 0) + inner + cross * 0.5 + corners * 0.25, 1);
        }";
    for g in 0..3 {
        let out = compile(&module(source), g, &options(2));
        let listing = gpucc_gcn_machine::disassemble(&out.entry.code, g as u8, gpucc_isa::stage::CS);
        let count = |word: &str| listing.lines().filter(|l| l.trim_start().starts_with(word)).count();
        assert_eq!(count("image_sample "), 13);
        // Coordinates of a sample are two registers, so that two moves for each are enough.
        assert!(count("v_mov_b32") <= 26 && count("v_xor_b32") == 0, "gfx{}\n{listing}", 6 + g);
    }
}
