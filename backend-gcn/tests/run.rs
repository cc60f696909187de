//! Compiled programs against the oracle, on every generation and level.

use crate::common::{check, compile, module, options, run};
use gpucc_sim::{Dispatch, TrapKind};

const ALL: &[usize] = &[0, 1, 2];

fn words(n: u32, f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..n).map(f).collect()
}

#[test]
fn nested_conditions_and_switch() {
    let d = Dispatch::new([2, 2, 1])
        .with_u32(0, 0, &[11, 9])
        .with_u32(0, 1, &words(99, |i| u32::from(i % 3 == 0 || i % 7 == 1)))
        .with_u32(0, 2, &[0; 99]);
    check(include_str!("../../examples/life.wgsl"), &d, ALL);
}

#[test]
fn escape_times() {
    let mut view = vec![12u32, 8, 30, 0];
    view.extend([-2.0f32, -1.25, 0.25, 0.3125].map(f32::to_bits));
    let d = Dispatch::new([2, 1, 1]).with_u32(0, 0, &view).with_u32(0, 1, &[0; 96]);
    check(include_str!("../../examples/mandelbrot.wgsl"), &d, ALL);
}

/// Uniform work is done by the scalar unit: at least the workgroup's part of the global id.
#[test]
fn scalar_instructions_for_uniform_work() {
    let source = "@group(0) @binding(0) var<uniform> p: vec4<u32>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            out[i] = i + (p.x * p.y + (p.z << 3u));
        }";
    let m = module(source);
    let out = compile(&m, 2, &options(2));
    let text = gpucc_gcn_machine::disassemble(&out.entry.code, 2, gpucc_isa::stage::CS);
    for needle in ["s_buffer_load_dword", "s_mul_i32", "s_lshl_b32"] {
        assert!(text.contains(needle), "no {needle} in\n{text}");
    }
}

/// Clamps of the three numbers at `i`, and the instructions that begin so in the listing of gfx8.
fn clamps(float: &str, signed: &str, unsigned: &str) -> [usize; 3] {
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> f: array<f32>;
        @group(0) @binding(1) var<storage, read_write> s: array<i32>;
        @group(0) @binding(2) var<storage, read_write> u: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{
            f[i] = {float}; s[i] = {signed}; u[i] = {unsigned};
        }}"
    );
    let floats = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, 0.5, -1.0, 2.0, 3.0, 1e-40].map(f32::to_bits);
    let d = Dispatch::new([1, 1, 1])
        .with_u32(0, 0, &words(64, |i| floats[i as usize % 10]))
        .with_u32(0, 1, &words(64, |i| i.wrapping_sub(20)))
        .with_u32(0, 2, &words(64, |i| if i % 9 == 0 { u32::MAX - i } else { i }));
    check(&source, &d, ALL);
    let mut m = module(&source);
    m.options.robust = false;
    let text = gpucc_gcn_machine::disassemble(&compile(&m, 2, &options(2)).entry.code, 2, gpucc_isa::stage::CS);
    ["v_med3", "v_min", "v_max"].map(|word| text.matches(word).count())
}

/// A clamp between constants that take no literal is one instruction.
#[test]
fn clamps_are_medians() {
    assert_eq!(clamps("clamp(f[i], -1.0, 2.0)", "clamp(s[i], -3, 30)", "clamp(u[i], 3u, 40u)"), [3, 0, 0]);
    assert_eq!(clamps("f[i]", "max(min(s[i], 30), -3)", "max(min(u[i], 40u), 3u)"), [2, 0, 0]);
}

/// Not with literals, nor with the upper bound of a float first (that would be the value for NaN), nor with bounds out of order.
#[test]
fn other_bounds_are_no_medians() {
    assert_eq!(clamps("clamp(f[i], -1.5, 2.5)", "clamp(s[i], -300, 30)", "clamp(u[i], 3u, 400u)")[0], 0);
    assert_eq!(clamps("max(min(f[i], 2.0), -1.0)", "min(max(s[i], 30), -3)", "min(max(u[i], 40u), 3u)")[0], 0);
}

/// The first invocation of a workgroup: a shift where its size is a power of two.
#[test]
fn workgroup_sizes_that_are_powers_of_two_are_shifts() {
    for (size, word) in [(64, "s_lshl_b32"), (48, "s_mul_i32")] {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> f: array<u32>;
            @compute @workgroup_size({size}) fn main(@builtin(global_invocation_id) i: vec3<u32>) {{ f[i.x] = i.x; }}"
        );
        let out = compile(&module(&source), 2, &options(2));
        let text = gpucc_gcn_machine::disassemble(&out.entry.code, 2, gpucc_isa::stage::CS);
        assert_eq!(
            ["s_lshl_b32", "s_mul_i32"].map(|w| text.contains(w)),
            ["s_lshl_b32", "s_mul_i32"].map(|w| w == word),
            "{text}"
        );
    }
}

/// The angle of a sine and a cosine is brought into one turn once.
#[test]
fn sine_and_cosine_share_their_angle() {
    let source = "@group(0) @binding(0) var<storage, read_write> f: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            f[i] = sin(f[i]) * 2.0 + cos(f[i]);
        }";
    let text =
        gpucc_gcn_machine::disassemble(&compile(&module(source), 2, &options(2)).entry.code, 2, gpucc_isa::stage::CS);
    assert_eq!(["v_fract_f32", "v_sin_f32", "v_cos_f32"].map(|word| text.matches(word).count()), [1, 1, 1], "{text}");
}

/// A fraction is one instruction, and the magnitude of a direction's longest axis is a modifier of its reciprocal.
#[test]
fn fractions_and_magnitudes_of_axes_cost_nothing() {
    let fraction = "@group(0) @binding(0) var<storage, read_write> f: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { f[i] = fract(f[i]); }";
    let cube = "@group(0) @binding(0) var t: texture_cube<f32>;
        @group(0) @binding(1) var s: sampler;
        @group(0) @binding(2) var<storage, read_write> f: array<vec4<f32>>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            f[i] = textureSampleLevel(t, s, f[i].xyz, 0.0);
        }";
    let text = |source: &str| {
        let out = compile(&module(source), 2, &options(2));
        gpucc_gcn_machine::disassemble(&out.entry.code, 2, gpucc_isa::stage::CS)
    };
    let count = |text: &str, words: [&str; 3]| words.map(|w| text.matches(w).count());
    let (a, b) = (text(fraction), text(cube));
    assert_eq!(count(&a, ["v_fract_f32", "v_floor_f32", "v_sub_f32"]), [1, 0, 0], "{a}");
    assert_eq!(count(&b, ["v_cubema_f32", "v_and_b32", "v_rcp_f32_e64"]), [1, 0, 1], "{b}");
}

/// Words of the program whose text begins so, replaced one at a time; the machine must notice every time.
fn each_replaced(
    generation: usize,
    needle: &str,
    by: &str,
    source: &str,
    d: &Dispatch,
    noticed: impl Fn(TrapKind) -> bool,
) {
    let m = module(source);
    let mut out = compile(&m, generation, &options(2));
    let want = run(&out, generation, d, Some(1)).unwrap();
    let g = generation as u8;
    let code = out.entry.code.clone();
    let nop = gpucc_gcn_machine::assemble(by, g, gpucc_isa::stage::CS, false).ok().unwrap();
    let (mut at, mut count) = (0, 0);
    while at < code.len() {
        let (inst, size) = gpucc_gcn_machine::decode(&code[at..], g, gpucc_isa::stage::CS).unwrap();
        if inst.op().name() == needle {
            count += 1;
            out.entry.code = code.clone();
            out.entry.code[at..at + nop.len()].copy_from_slice(&nop);
            match run(&out, generation, d, Some(1)) {
                Err(t) => assert!(noticed(t.kind), "{t}"),
                Ok(got) => assert_ne!(got, want, "a changed `{needle}` at {at:#x} went unnoticed"),
            }
        }
        at += size;
    }
    assert!(count > 0, "there is no `{needle}`");
}

#[test]
fn a_removed_wait_is_noticed() {
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[1; 64]).with_u32(0, 1, &[2; 64]).with_u32(0, 2, &[0; 64]);
    each_replaced(2, "s_waitcnt", "s_nop 0", include_str!("../../examples/vecadd.wgsl"), &d, |k| k == TrapKind::Poison);
}

/// A four-word store reads its data late: the state that separates it from the next write of those registers is needed.
#[test]
fn a_removed_hazard_nop_is_noticed() {
    let code = "s_load_dwordx4 s[4:7], s[0:1], 0x0
        v_mov_b32_e32 v1, 1
        v_mov_b32_e32 v2, 2
        v_mov_b32_e32 v3, 3
        v_mov_b32_e32 v4, 4
        s_waitcnt lgkmcnt(0)
        buffer_store_dwordx4 v[1:4], off, s[4:7], 0
        NOP
        v_mov_b32_e32 v1, 5
        s_endpgm";
    let m = module(
        "@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;
        @compute @workgroup_size(64) fn main() { out[0] = vec4<u32>(1u, 2u, 3u, 4u); }",
    );
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 4]);
    for (nop, ok) in [("s_nop 0", true), ("", false)] {
        let mut out = compile(&m, 2, &options(2));
        out.entry.code =
            gpucc_gcn_machine::assemble(&code.replace("NOP", nop), 2, gpucc_isa::stage::CS, false).ok().unwrap();
        out.entry.meta.registers = vec![(0, 8), (1, 5)];
        out.entry.meta.family_words[0] = gpucc_gcn_machine::abi::rsrc1(5, 8, gpucc_gcn_machine::abi::FLOAT_FLUSH32, 2);
        match run(&out, 2, &d, None) {
            Ok(_) => assert!(ok),
            Err(t) => assert!(!ok && t.kind == TrapKind::Hazard, "{t}"),
        }
    }
}

/// Scratch beyond byte 4095, which the instruction's offset cannot name: elements of an array by constant and run-time index,
/// and spilled registers behind it.
#[test]
fn scratch_beyond_the_offset_field() {
    let source = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            var p: array<u32, 1100>;
            for (var k = 0u; k < 1100u; k++) { p[k] = k * 3u + i; }
            p[1090] = a[i];
            let at = 1000u + (a[i] & 63u);
            a[i] = p[at] + p[1090] * 7u + p[1099u - i] + p[i];
        }";
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &words(64, |i| i * 5 + 3));
    let m = module(source);
    let want = crate::common::oracle(&m, &d);
    for g in 0..3 {
        for spill_all in [false, true] {
            let o = gpucc_driver::CodegenOptions { spill_all, ..options(2) };
            let out = compile(&m, g, &o);
            assert!(out.entry.meta.scratch_bytes >= 4400);
            let text = gpucc_gcn_machine::disassemble(&out.entry.code, g as u8, gpucc_isa::stage::CS);
            // Spilled words lie at byte 4400 and further on: 64 times 4096 bytes go into the scalar offset.
            assert_eq!(spill_all, text.contains("s_add_u32") && text.contains("0x40000"), "{text}");
            let got = run(&out, g, &d, Some(3)).unwrap_or_else(|t| panic!("{t}"));
            assert_eq!(got, want, "generation {g}, spilled: {spill_all}");
        }
    }
}
