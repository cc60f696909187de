//! Operations that become part of another instruction.

use gpucc_sim::Dispatch;

use crate::common::{check, compile, module, options, oracle, run};

/// A program of one invocation that stores an expression of `a`, `b` and `c`, which are loaded.
fn program(value: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read> i: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let a = i[3u * id.x]; let b = i[3u * id.x + 1u]; let c = i[3u * id.x + 2u];
    o[id.x] = {value};
}}"
    )
}

/// The listing of the program.
fn listing(value: &str) -> String {
    let out = compile(&module(&program(value)), 1, &options(2));
    gpucc_valhall_machine::disassemble(&out.entry.code, 1, gpucc_isa::stage::CS)
}

/// How many instructions with such a name there are.
fn count(text: &str, name: &str) -> usize {
    text.lines().filter(|l| l.contains(name)).count()
}

/// Signs, both ends of each range, and what is no number.
const VALUES: [f32; 11] = [0.0, -0.0, 0.25, 1.0, -1.0, 2.5, -2.5, 1e-40, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];

#[test]
fn limits_are_clamps_of_what_is_limited() {
    let values: Vec<f32> = (0..192).map(|k| VALUES[(k * 7 + k / 11) % 11]).collect();
    let d = Dispatch::new([1, 1, 1]).with_f32(0, 0, &values).with_u32(0, 1, &[0; 64]);
    for (value, clamp) in [
        ("saturate(a * b)", "FMA.f32.clamp_0_1"),
        ("saturate(a + b)", "FADD.f32.clamp_0_1"),
        ("saturate(fma(a, b, c))", "FMA.f32.clamp_0_1"),
        ("saturate(a / b)", "FMA.f32.clamp_0_1"),
        ("min(max(a * b, 0.0), 1.0)", "FMA.f32.clamp_0_1"),
        ("min(1.0, max(0.0, a))", "FADD.f32.clamp_0_1"),
        ("max(a * b, 0.0)", "FMA.f32.clamp_0_inf"),
        ("max(0.0, a - b)", "FADD.f32.clamp_0_inf"),
    ] {
        let text = listing(value);
        assert!(count(&text, clamp) == 1 && count(&text, "FMAX") + count(&text, "FMIN") == 0, "{value}\n{text}");
        assert!(count(&text, "FADD.f32") + count(&text, "FMA.f32") == 1, "{value}\n{text}");
        // Quotients differ from the oracle's by what the reciprocal is allowed to.
        if !value.contains('/') {
            check(&program(value), &d, &[0, 1]);
        }
    }
    // A value with other readers stays; so does a limit that is not zero.
    let both = listing("saturate(a * b) + c * (a * b)");
    assert!(count(&both, "FADD.f32.clamp_0_1") == 1, "{both}");
    for value in ["max(a * b, 0.5)", "max(a * b, -0.0)", "min(a * b, 0.0)", "saturate(1.0 / a)"] {
        let text = listing(value);
        assert!(count(&text, "FMA.f32.clamp") + count(&text, "FRCP.f32.clamp") == 0, "{value}\n{text}");
    }
}

#[test]
fn exponentials_scale_their_product() {
    // A constant factor is scaled before, and the product is a plain one.
    for (value, scaled) in [("exp2(a * b)", 1), ("exp(a)", 0), ("exp2(a)", 0), ("exp2(a * b) + a * b", 0)] {
        let text = listing(value);
        assert_eq!(count(&text, "FMA_RSCALE.f32"), scaled, "{value}\n{text}");
        assert!(value != "exp(a)" || count(&text, "FMA.f32") + count(&text, "FADD") == 1, "{value}\n{text}");
    }
}

#[test]
fn roots_need_no_choice_of_zero() {
    let values: Vec<f32> = (0..192).map(|k| [0.0, 1e-45, 1e-40, 1e-30, 0.25, 1.0, 7.5, 3e38][k % 8]).collect();
    let d = Dispatch::new([1, 1, 1]).with_f32(0, 0, &values).with_u32(0, 1, &[0; 64]);
    for (value, choices) in [
        ("pow(a, 0.41666667)", 0),
        ("pow(a, 0.85)", 0),
        ("exp2(0.5 * log2(a))", 0),
        // These reach below what fixed point holds.
        ("pow(a, 0.9)", 1),
        ("pow(a, -0.5)", 1),
        ("pow(a, b)", 1),
        ("exp2(a * 0.5)", 1),
    ] {
        let text = listing(value);
        assert_eq!(count(&text, "CSEL.f32"), choices, "{value}\n{text}");
        // The least number is an exponent of which WGSL says nothing.
        if value != "pow(a, b)" {
            near(&program(value), &d);
        }
    }
}

/// Runs on every generation and holds the results against the oracle: powers are inexact, and denormals may be zero.
fn near(wgsl: &str, d: &Dispatch) {
    let m = module(wgsl);
    let floats = |d: &Dispatch| -> Vec<f32> {
        d.buffers[1].bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("a word"))).collect()
    };
    let want = floats(&oracle(&m, d));
    for g in [0, 1] {
        let got = floats(&run(&compile(&m, g, &options(2)), g, d, None).expect("runs"));
        for (k, (x, y)) in got.iter().zip(&want).enumerate() {
            let same = x == y || (x - y).abs() <= 1e-5 * y.abs() + f32::MIN_POSITIVE;
            assert!(same, "{wgsl}\n{k}: {x} for {y}");
        }
    }
}

#[test]
fn shifts_take_masks_in() {
    let values: Vec<u32> = (0..192).map(|k: u32| k.wrapping_mul(0x9e37_79b9)).collect();
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &values).with_u32(0, 1, &[0; 64]);
    let words = |value: &str| program(value).replace("array<f32>", "array<u32>");
    let shifts_of = |value: &str| {
        let out = compile(&module(&words(value)), 1, &options(2));
        let text = gpucc_valhall_machine::disassemble(&out.entry.code, 1, gpucc_isa::stage::CS);
        count(&text, "LSHIFT") + count(&text, "RSHIFT")
    };
    for (value, shifts) in [
        ("(a & 1u) << 2u", 1),
        ("(a & 0xff00u) >> 4u", 1),
        ("(a >> 1u) << 2u", 1),
        ("(a >> 8u) << 2u", 1),
        ("(a << 3u) >> 20u", 1),
        ("((a >> 8u) & 255u) << 4u", 1),
        ("((a << 24u) & 0xf0000000u) >> 31u", 1),
        // No constant, a sign, and bits that others read.
        ("(a & b) << 2u", 2),
        ("bitcast<u32>(bitcast<i32>(a & 0xff000000u) >> 4u)", 2),
        ("((a & 255u) << 4u) + (a & 255u)", 2),
    ] {
        // Addresses may have some of their own.
        let plain = shifts_of(if value.contains(" b)") { "a + b" } else { "a" });
        assert_eq!(shifts_of(value) - plain, shifts, "{value}");
        check(&words(value), &d, &[0, 1]);
    }
}
