//! Tests of the code of vertex and fragment programs: the instructions of the reference's worked examples (`isa/graphics-gcn.md`, section
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

/// The counts of a fragment program: two samples, three components interpolated in two steps each, one export.
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

const DISCARDS: &str = "
    struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(1) b: vec4f }
    struct T { @location(0) a: vec4f, @location(1) b: vec4f, @location(2) c: vec4f }
    @group(0) @binding(0) var t: texture_2d<f32>;
    @group(0) @binding(1) var s: sampler;
    @group(0) @binding(2) var<storage, read_write> o: array<u32>;\n";

fn fragment(source: &str, generation: usize, level: u8) -> String {
    let out = compile(&module(&format!("{DISCARDS}@fragment fn main(v: V) -> {source}")), generation, &options(level));
    gpucc_gcn_machine::disassemble(&out.entry.code, generation as u8, gpucc_isa::stage::CS)
}

fn count(text: &str, what: &str) -> usize {
    text.lines().filter(|l| l.trim_start().starts_with(what)).count()
}

/// Several targets behind a discard, with work that comes between them: all are exported under one mask. Where quads are asked for
/// behind an export, or memory is written, all lanes come back.
#[test]
fn exports_share_one_mask() {
    let exports = "T { if (v.b.x < 0.5) { discard; } let k = sin(v.b.y);
        return T(v.b, vec4f(k, k * k, exp2(k), 1), vec4f(sqrt(abs(k)), v.uv, k)); }";
    let quads = "T { if (v.b.x < 0.5) { discard; } let k = sin(v.b.y);
        return T(v.b, vec4f(k, dpdx(exp2(k)), 0, 1), textureSample(t, s, v.uv * k)); }";
    let stores = "T { if (v.b.x < 0.5) { discard; } o[0] = 1; let k = dpdx(v.b.y);
        return T(v.b, vec4f(k, k * k, exp2(k), 1), vec4f(sqrt(abs(k)), v.uv, k)); }";
    for g in 0..3 {
        for level in [0, 2] {
            let text = fragment(exports, g, level);
            assert_eq!(count(&text, "s_and_b64 exec, exec, s["), 1, "gfx{} -O{level}\n{text}", 6 + g);
            for source in [exports, quads, stores] {
                let text = fragment(source, g, level);
                // Nothing that reads neighbours runs while lanes are cut.
                let mut cut = false;
                for l in text.lines().map(str::trim) {
                    let whole = l.starts_with("s_mov_b64 exec") || l.starts_with("s_wqm_b64 exec");
                    cut = l.starts_with("s_and_b64 exec, exec, s[") || cut && !whole;
                    let quad = ["image_sample ", "ds_swizzle_b32", "v_sub_f32_dpp", "v_mov_b32_dpp"];
                    assert!(!cut || !quad.iter().any(|q| l.starts_with(q)), "gfx{} -O{level}\n{text}", 6 + g);
                }
            }
        }
    }
    // Without discards nothing is cut.
    assert_eq!(count(&fragment("T { return T(v.b, v.b, v.b); }", 2, 2), "s_and_b64 exec"), 0);
}

/// A discard alone needs no branch; what stands beside it keeps one. A wave that is left without lanes ends, unless it would end soon.
#[test]
fn discards_take_their_condition_and_may_end_the_wave() {
    let soon = "@location(0) vec4f { if (v.b.x < 0.5) { discard; } return v.b; }";
    let long = "@location(0) vec4f { if (v.b.x < 0.5) { discard; } var k = v.b;
        for (var i = 0u; i < u32(v.p.x); i++) { k = sin(k + textureSampleLevel(t, s, k.xy, 0)); } return k; }";
    let beside = "@location(0) vec4f { var k = v.b; if (v.b.x < 0.5) { o[u32(v.p.x)] = 3; discard; } return k; }";
    let none = "@location(0) vec4f { return sin(v.b); }";
    for g in 0..3 {
        let [soon, long, beside, none] = [soon, long, beside, none].map(|s| fragment(s, g, 2));
        let ends = |t: &str| (count(t, "exp null"), count(t, "s_endpgm"));
        assert_eq!((ends(&soon), count(&soon, "s_cbranch")), ((0, 1), 0), "{soon}");
        assert_eq!((ends(&long), count(&long, "s_cbranch_scc0")), ((1, 2), 1), "{long}");
        let at_end: Vec<&str> = long.lines().map(|l| l.split(" ; ").next().unwrap_or(l).trim()).collect();
        let tail: Vec<&str> = at_end.iter().rev().filter(|l| !l.is_empty()).take(3).copied().collect();
        assert_eq!(tail, ["s_endpgm", "exp null off, off, off, off done vm", "s_mov_b64 exec, 0"], "{long}");
        assert_eq!(count(&beside, "s_cbranch_execz"), 1, "{beside}");
        assert_eq!(ends(&none), (0, 1), "{none}");
    }
}

/// M0 is set where parameters are read; wait states stand where DPP reads what was written right before, and nowhere else.
#[test]
fn launch_and_quads_cost_what_they_must() {
    let position = fragment("@location(0) vec4f { return v.p; }", 2, 2);
    assert_eq!(count(&position, "s_mov_b32 m0"), 0, "{position}");
    let reads = fragment("@location(0) vec4f { return v.b; }", 2, 2);
    assert_eq!(count(&reads, "s_mov_b32 m0"), 1, "{reads}");
    // Both axes begin at the same lane; the second difference is far from what it reads.
    let both = fragment("@location(0) vec4f { return vec4f(dpdxCoarse(v.b.x), dpdyCoarse(v.b.x), 0, 1); }", 2, 2);
    let dpp = ["v_mov_b32_dpp", "v_sub_f32_dpp", "s_nop"].map(|n| count(&both, n));
    assert_eq!(dpp, [1, 2, 1], "{both}");
    let fine = fragment("@location(0) vec4f { return vec4f(dpdxFine(v.b.x), dpdyFine(v.b.x), 0, 1); }", 2, 2);
    assert_eq!(count(&fine, "v_mov_b32_dpp"), 2, "{fine}");
}

/// A level of detail that is asked for, of a flat texture and of an array.
#[test]
fn levels_are_asked_of_the_texture_unit() {
    for (kind, dim, more, da) in [("2d", "2d", "", ""), ("2d array", "2d layer signed", ", 1:i32", " da")] {
        let text = format!(
            "res0 \"t\" group 0 binding 0 texture {kind} float\nres1 \"s\" group 0 binding 1 sampler\n\
             entry \"main\" fragment func0 {{\n  in0 \"v\" location 0 f32x2\n  out0 \"c\" location 0 f32x4\n}}\n\
             func0 \"fs\" -> f32x4 {{\nblock0:\n  v0: f32x2 = input in0\n  \
             v1: f32x2 = sample v0{more}, tex res0 sampler res1 lod {dim} implicit\n  \
             v2: f32x4 = shuffle v1, v1, lanes 0 1 0 1\n  ret v2\n}}\n"
        );
        let m = gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        for g in 0..3 {
            for level in [0, 2] {
                let out = compile(&m, g, &options(level));
                let text = gpucc_gcn_machine::disassemble(&out.entry.code, g as u8, gpucc_isa::stage::CS);
                let want = format!("dmask:0x3{da}");
                let line = text.lines().find(|l| l.contains("image_get_lod")).unwrap_or_else(|| panic!("{text}"));
                assert!(line.split(" ; ").next().is_some_and(|l| l.trim().ends_with(&want)), "{line}");
                assert!(text.contains("s_wqm_b64"), "{text}");
            }
        }
    }
}
