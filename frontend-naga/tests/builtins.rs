//! Every built-in function against a reference in double precision or exact integers, within WGSL's accuracy.

use gpucc_sim::Dispatch;

/// Values of `expr` (of f32 `a`, `b`, `c`) for rows of inputs.
fn floats(expr: &str, rows: &[[f32; 3]], enable: &str) -> Vec<f32> {
    let source = format!(
        "{enable}
        struct Row {{ a: f32, b: f32, c: f32 }}
        @group(0) @binding(0) var<storage, read> rows: array<Row>;
        @group(0) @binding(1) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {{
            let a = rows[id.x].a; let b = rows[id.x].b; let c = rows[id.x].c;
            o[id.x] = {expr};
        }}"
    );
    let flat: Vec<f32> = rows.iter().flatten().copied().collect();
    let mut dispatch =
        Dispatch::new([rows.len() as u32, 1, 1]).with_f32(0, 0, &flat).with_f32(0, 1, &vec![7.0; rows.len()]);
    crate::common::run(&source, &mut dispatch);
    dispatch.floats(0, 1).expect("bound above")
}

/// Values of `expr` (of u32 `a`, `b`, `c`) for rows of inputs.
fn words(expr: &str, rows: &[[u32; 3]]) -> Vec<u32> {
    let source = format!(
        "struct Row {{ a: u32, b: u32, c: u32 }}
        @group(0) @binding(0) var<storage, read> rows: array<Row>;
        @group(0) @binding(1) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {{
            let a = rows[id.x].a; let b = rows[id.x].b; let c = rows[id.x].c;
            o[id.x] = {expr};
        }}"
    );
    let flat: Vec<u32> = rows.iter().flatten().copied().collect();
    let mut dispatch =
        Dispatch::new([rows.len() as u32, 1, 1]).with_u32(0, 0, &flat).with_u32(0, 1, &vec![7; rows.len()]);
    crate::common::run(&source, &mut dispatch);
    dispatch.words(0, 1).expect("bound above")
}

/// Inputs from `low` to `high`, with the ends.
fn range(low: f32, high: f32) -> Vec<[f32; 3]> {
    (0..=200)
        .map(|i| {
            let a = low + (high - low) * i as f32 / 200.0;
            [a, 0.0, 0.0]
        })
        .collect()
}

/// Pairs and triples of interesting numbers.
fn triples() -> Vec<[f32; 3]> {
    let values = [-7.5f32, -2.0, -1.0, -0.3, 0.0, 0.25, 0.9, 1.0, 3.5, 12.0];
    let mut rows = Vec::new();
    for (i, &a) in values.iter().enumerate() {
        for (j, &b) in values.iter().enumerate() {
            rows.push([a, b, values[(i * 3 + j * 7) % values.len()]]);
        }
    }
    rows
}

/// Holds `expr` to `reference` within `absolute` or `relative` error, where the reference is finite.
#[track_caller]
fn close(expr: &str, rows: &[[f32; 3]], reference: impl Fn(f64, f64, f64) -> f64, absolute: f64, relative: f64) {
    close_with("", expr, rows, reference, absolute, relative);
}

#[track_caller]
fn close_with(
    enable: &str,
    expr: &str,
    rows: &[[f32; 3]],
    reference: impl Fn(f64, f64, f64) -> f64,
    absolute: f64,
    relative: f64,
) {
    for (row, got) in rows.iter().zip(floats(expr, rows, enable)) {
        let want = reference(row[0].into(), row[1].into(), row[2].into());
        if !want.is_finite() || want.abs() > f64::from(f32::MAX) {
            continue;
        }
        let error = (f64::from(got) - want).abs();
        assert!(error <= absolute.max(relative * want.abs()), "{expr} of {row:?}: {got:e}, want {want:e}");
    }
}

const ULP: f64 = 1.0 / (1 << 23) as f64;
const TINY: f64 = 1e-37;

#[test]
fn trigonometry() {
    let pi = std::f32::consts::PI;
    close("sin(a)", &range(-pi, pi), |a, _, _| a.sin(), 1.0 / 2048.0, 0.0);
    close("cos(a)", &range(-pi, pi), |a, _, _| a.cos(), 1.0 / 2048.0, 0.0);
    close("tan(a)", &range(-1.5, 1.5), |a, _, _| a.tan(), 1e-6, 1e-5);
    close("asin(a)", &range(-1.0, 1.0), |a, _, _| a.asin(), 6.8e-7, 1e-6);
    close("acos(a)", &range(-1.0, 1.0), |a, _, _| a.acos(), 6.7e-7, 1e-6);
    close("atan(a)", &range(-20.0, 20.0), |a, _, _| a.atan(), TINY, 16.0 * ULP);
    close("atan(a)", &range(-1e-3, 1e-3), |a, _, _| a.atan(), TINY, 16.0 * ULP);
    close("atan(a)", &range(-1e30, 1e30), |a, _, _| a.atan(), TINY, 16.0 * ULP);
    close(
        "atan2(a, b)",
        &triples(),
        |a, b, _| if a == 0.0 && b == 0.0 { f64::NAN } else { a.atan2(b) },
        TINY,
        16.0 * ULP,
    );
    assert_eq!(
        floats("atan2(a, b)", &[[0.0, 0.0, 0.0]], ""),
        [0.0],
        "the origin has no angle, but is not a NaN either"
    );
    close("sinh(a)", &range(-3.0, 3.0), |a, _, _| a.sinh(), TINY, 16.0 * ULP);
    close("sinh(a)", &range(-89.0, 89.0), |a, _, _| a.sinh(), TINY, 400.0 * ULP);
    close("cosh(a)", &range(-89.0, 89.0), |a, _, _| a.cosh(), TINY, 400.0 * ULP);
    close("tanh(a)", &range(-2.0, 2.0), |a, _, _| a.tanh(), TINY, 16.0 * ULP);
    close("tanh(a)", &range(-500.0, 500.0), |a, _, _| a.tanh(), TINY, 8.0 * ULP);
    close("asinh(a)", &range(-1000.0, 1000.0), |a, _, _| a.asinh(), 1e-6, 8.0 * ULP);
    close("acosh(a)", &range(1.0, 1000.0), |a, _, _| a.acosh(), 1e-6, 32.0 * ULP);
    close("atanh(a)", &range(-0.999, 0.999), |a, _, _| a.atanh(), 1e-6, 16.0 * ULP);
    close("degrees(a)", &range(-10.0, 10.0), |a, _, _| a.to_degrees(), TINY, 2.0 * ULP);
    close("radians(a)", &range(-400.0, 400.0), |a, _, _| a.to_radians(), TINY, 2.0 * ULP);
}

#[test]
fn exponentials() {
    close("exp(a)", &range(-80.0, 88.0), |a, _, _| a.exp(), TINY, (3.0 + 160.0) * ULP);
    close("exp(a)", &range(-1.0, 1.0), |a, _, _| a.exp(), TINY, 3.0 * ULP);
    close("exp2(a)", &range(-100.0, 127.0), |a, _, _| a.exp2(), TINY, 3.0 * ULP);
    close("log(a)", &range(0.5, 2.0), |a, _, _| a.ln(), 1.0 / 2097152.0, 3.0 * ULP);
    close("log(a)", &range(2.0, 1e30), |a, _, _| a.ln(), TINY, 3.0 * ULP);
    close("log2(a)", &range(1e-30, 0.5), |a, _, _| a.log2(), TINY, 3.0 * ULP);
    close("pow(a, 2.5)", &range(0.01, 100.0), |a, _, _| a.powf(2.5), TINY, 64.0 * ULP);
    close("pow(0.7, a)", &range(-50.0, 50.0), |a, _, _| f64::from(0.7f32).powf(a), TINY, 128.0 * ULP);
    assert_eq!(floats("pow(a, b)", &[[0.0, 3.0, 0.0], [1.0, 7.5, 0.0], [4.0, 0.0, 0.0]], ""), [0.0, 1.0, 1.0]);
    close("sqrt(a)", &range(0.0, 1e6), |a, _, _| a.sqrt(), TINY, 3.0 * ULP);
    close("inverseSqrt(a)", &range(1e-3, 1e6), |a, _, _| 1.0 / a.sqrt(), TINY, 2.0 * ULP);
}

#[test]
fn common_functions() {
    let rows = triples();
    close("abs(a)", &rows, |a, _, _| a.abs(), 0.0, 0.0);
    close("min(a, b)", &rows, |a, b, _| a.min(b), 0.0, 0.0);
    close("max(a, b)", &rows, |a, b, _| a.max(b), 0.0, 0.0);
    close("clamp(a, -1.0, 0.5)", &rows, |a, _, _| a.clamp(-1.0, 0.5), 0.0, 0.0);
    close("saturate(a)", &rows, |a, _, _| a.clamp(0.0, 1.0), 0.0, 0.0);
    close("sign(a)", &rows, |a, _, _| if a == 0.0 { 0.0 } else { a.signum() }, 0.0, 0.0);
    close("floor(a)", &rows, |a, _, _| a.floor(), 0.0, 0.0);
    close("ceil(a)", &rows, |a, _, _| a.ceil(), 0.0, 0.0);
    close("trunc(a)", &rows, |a, _, _| a.trunc(), 0.0, 0.0);
    close("round(a)", &range(-4.0, 4.0), |a, _, _| a.round_ties_even(), 0.0, 0.0);
    close("fract(a)", &rows, |a, _, _| a - a.floor(), ULP, 0.0);
    close("a % b", &rows, |a, b, _| a % b, 1e-5, 0.0);
    close("fma(a, b, c)", &rows, |a, b, c| a * b + c, 1e-4, ULP);
    close("mix(a, b, c)", &rows, |a, b, c| a * (1.0 - c) + b * c, 1e-4, 2.0 * ULP);
    close("mix(vec2(a, 1.0), vec2(b, 2.0), c).x", &rows, |a, b, c| a * (1.0 - c) + b * c, 1e-4, 2.0 * ULP);
    close("step(a, b)", &rows, |a, b, _| f64::from(u8::from(a <= b)), 0.0, 0.0);
    let smooth = |a: f64, b: f64, c: f64| {
        let t = ((c - a) / (b - a)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    close("smoothstep(a, b, c)", &rows, |a, b, c| if a == b { f64::NAN } else { smooth(a, b, c) }, 1e-5, 0.0);
    close("modf(a).fract", &rows, |a, _, _| a - a.trunc(), ULP, 0.0);
    close("modf(vec3(a, b, c)).whole.y", &rows, |_, b, _| b.trunc(), 0.0, 0.0);
    close("frexp(a).fract * exp2(f32(frexp(a).exp))", &rows, |a, _, _| a, 0.0, 0.0);
    close("frexp(vec4(a, b, c, 1.0)).fract.z", &rows, |_, _, c| frexp(c), 0.0, 0.0);
    close("ldexp(a, 5)", &rows, |a, _, _| a * 32.0, 0.0, 0.0);
    close("ldexp(vec2(a, b), vec2(5, -3)).y", &rows, |_, b, _| b / 8.0, 0.0, 0.0);
    close("select(a, b, c > 0.0)", &rows, |a, b, c| if c > 0.0 { b } else { a }, 0.0, 0.0);
    close("quantizeToF16(a)", &rows, |a, _, _| a, 0.0, 1.0 / 2048.0);
}

fn frexp(x: f64) -> f64 {
    let mut x = x;
    while x.abs() >= 1.0 {
        x /= 2.0;
    }
    while x != 0.0 && x.abs() < 0.5 {
        x *= 2.0;
    }
    x
}

#[test]
fn geometry() {
    let rows = triples();
    let length = |a: f64, b: f64, c: f64| (a * a + b * b + c * c).sqrt();
    close("length(a)", &rows, |a, _, _| a.abs(), 0.0, 4.0 * ULP);
    close("length(vec3(a, b, c))", &rows, length, TINY, 8.0 * ULP);
    close("distance(vec2(a, b), vec2(c, 1.0))", &rows, |a, b, c| length(a - c, b - 1.0, 0.0), 1e-6, 8.0 * ULP);
    close("distance(a, b)", &rows, |a, b, _| (a - b).abs(), 1e-6, 4.0 * ULP);
    close("dot(vec3(a, b, c), vec3(1.0, 2.0, 3.0))", &rows, |a, b, c| a + 2.0 * b + 3.0 * c, 1e-5, ULP);
    close("cross(vec3(a, b, c), vec3(1.0, 2.0, 3.0)).y", &rows, |a, _, c| c - 3.0 * a, 1e-5, ULP);
    close("normalize(vec3(a, b, c)).z", &rows, |a, b, c| c / length(a, b, c), 1e-6, 8.0 * ULP);
    close(
        "faceForward(vec2(a, b), vec2(1.0, c), vec2(b, 1.0)).x",
        &rows,
        |a, b, c| if b + c < 0.0 { a } else { -a },
        0.0,
        0.0,
    );
    close("reflect(vec2(a, b), vec2(0.6, 0.8)).x", &rows, |a, b, _| a - 2.0 * (0.6 * a + 0.8 * b) * 0.6, 1e-4, 0.0);
    let refract = |a: f64, b: f64| {
        let (i, n, r) = ([a, b], [0.0, 1.0], 0.75);
        let d = i[0] * n[0] + i[1] * n[1];
        let k = 1.0 - r * r * (1.0 - d * d);
        if k < 0.0 { 0.0 } else { r * i[1] - (r * d + k.sqrt()) * n[1] }
    };
    close("refract(vec2(a, b), vec2(0.0, 1.0), 0.75).y", &rows, |a, b, _| refract(a, b), 1e-4, 8.0 * ULP);
    close("determinant(mat2x2(a, b, c, 2.0))", &rows, |a, b, c| 2.0 * a - b * c, 1e-4, ULP);
    let det3 = |a: f64, b: f64, c: f64| a * (1.0 * 4.0 - 2.0 * b) - b * (c * 4.0 - 2.0 * 3.0) + c * (c * b - 3.0);
    close("determinant(mat3x3(a, b, c, c, 1.0, 2.0, 3.0, b, 4.0))", &rows, det3, 1e-2, 1e-5);
    let det4 = "determinant(mat4x4(2.0, 0.0, 0.0, 1.0, 0.0, a, b, 0.0, 0.0, c, 3.0, 0.0, 1.0, 0.0, 0.0, 1.0))";
    close(det4, &rows, |a, b, c| 3.0 * a - b * c, 1e-3, 1e-6);
    close("transpose(mat3x2(a, b, c, 1.0, 2.0, 3.0))[1].z", &rows, |_, _, _| 3.0, 0.0, 0.0);
    close("transpose(mat2x3(a, b, c, 1.0, 2.0, 3.0))[2].x", &rows, |_, _, c| c, 0.0, 0.0);
}

#[test]
fn matrices() {
    let rows = triples();
    close("(mat2x3(a, b, c, 1.0, 2.0, 3.0) * vec2(2.0, 3.0)).z", &rows, |_, _, c| 2.0 * c + 9.0, 1e-4, 0.0);
    close(
        "(vec3(a, b, c) * mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)).y",
        &rows,
        |a, b, c| 4.0 * a + 5.0 * b + 6.0 * c,
        1e-4,
        0.0,
    );
    close(
        "(mat2x2(a, b, c, 1.0) * mat3x2(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))[2].y",
        &rows,
        |_, b, _| 5.0 * b + 6.0,
        1e-4,
        0.0,
    );
    close("(mat2x2(a, b, c, 1.0) * c)[0].y", &rows, |_, b, c| b * c, 1e-4, 0.0);
    close("(a * mat2x2(a, b, c, 1.0))[1].x", &rows, |a, _, c| a * c, 1e-4, 0.0);
    close("(mat2x2(a, b, c, 1.0) + mat2x2(1.0, 2.0, 3.0, 4.0))[1].x", &rows, |_, _, c| c + 3.0, 1e-5, 0.0);
    close("(mat2x2(a, b, c, 1.0) - mat2x2(1.0, 2.0, 3.0, 4.0))[0].y", &rows, |_, b, _| b - 2.0, 1e-5, 0.0);
}

#[test]
fn half_precision() {
    let rows = range(-3.0, 3.0);
    let ulp = 1.0 / 1024.0;
    let half = "enable f16;";
    let f16 = |name: &str| format!("f32({name}(f16(a)))");
    close_with(half, &f16("sin"), &rows, |a, _, _| a.sin(), 1.0 / 128.0, 0.0);
    close_with(half, &f16("atan"), &rows, |a, _, _| a.atan(), 2e-3, 5.0 * ulp);
    close_with(half, &f16("exp"), &rows, |a, _, _| a.exp(), 0.0, 8.0 * ulp);
    close_with(half, &f16("tanh"), &rows, |a, _, _| a.tanh(), 2e-3, 4.0 * ulp);
    close_with(half, &f16("asinh"), &rows, |a, _, _| a.asinh(), 2e-3, 4.0 * ulp);
    close_with(half, "f32(mix(f16(a), 2.0h, 0.25h))", &rows, |a, _, _| 0.75 * a + 0.5, 4e-3, 0.0);
    close_with(half, "f32(vec3<f16>(vec3(a)).y * 2.0h)", &rows, |a, _, _| 2.0 * a, 0.0, 4e-3);
    close_with(half, "f32(length(vec2<f16>(f16(a), 1.0h)))", &rows, |a, _, _| (a * a + 1.0).sqrt(), 0.0, 4.0 * ulp);
}

#[test]
fn bits_and_packing() {
    let values =
        [0u32, 1, 2, 31, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff, 0x1234_5678, 0xdead_beef];
    let mut rows = Vec::new();
    for (i, &a) in values.iter().enumerate() {
        for (j, &b) in values.iter().enumerate() {
            rows.push([a, b, values[(i + 5 * j) % values.len()]]);
        }
    }
    let check = |expr: &str, want: &dyn Fn(u32, u32, u32) -> u32| {
        for (row, got) in rows.iter().zip(words(expr, &rows)) {
            assert_eq!(got, want(row[0], row[1], row[2]), "{expr} of {row:x?}");
        }
    };
    check("countOneBits(a)", &|a, _, _| a.count_ones());
    check("countLeadingZeros(a)", &|a, _, _| a.leading_zeros());
    check("countTrailingZeros(a)", &|a, _, _| a.trailing_zeros());
    check("reverseBits(a)", &|a, _, _| a.reverse_bits());
    check("firstLeadingBit(a)", &|a, _, _| if a == 0 { u32::MAX } else { 31 - a.leading_zeros() });
    let signed_first = |a: u32| {
        let v = if (a as i32) < 0 { !a } else { a };
        if v == 0 { u32::MAX } else { 31 - v.leading_zeros() }
    };
    check("u32(firstLeadingBit(i32(a)))", &|a, _, _| signed_first(a));
    check("firstTrailingBit(vec2(a, b)).y", &|_, b, _| if b == 0 { u32::MAX } else { b.trailing_zeros() });
    let extract = |a: u32, offset: u32, count: u32| {
        let o = offset.min(32);
        let c = count.min(32 - o);
        if c == 0 { 0 } else { (a >> o) & (u32::MAX >> (32 - c)) }
    };
    check("extractBits(a, b, c)", &|a, b, c| extract(a, b, c));
    check("u32(extractBits(i32(a), 4u, 8u))", &|a, _, _| ((a << 20) as i32 >> 24) as u32);
    check("insertBits(a, b, 8u, 12u)", &|a, b, _| a & !0xf_ff00 | (b & 0xfff) << 8);
    check("insertBits(a, b, c, 32u)", &|a, b, c| match c {
        0 => b,
        c if c >= 32 => a,
        c => a & ((1 << c) - 1) | b << c,
    });
    check("pack4xU8(vec4(a, b, c, 1u))", &|a, b, c| a & 255 | (b & 255) << 8 | (c & 255) << 16 | 1 << 24);
    check("pack4xI8(vec4(i32(a), i32(b), i32(c), -1))", &|a, b, c| {
        a & 255 | (b & 255) << 8 | (c & 255) << 16 | 255 << 24
    });
    check("pack4xU8Clamp(vec4(a, b, c, 1u))", &|a, b, c| a.min(255) | b.min(255) << 8 | c.min(255) << 16 | 1 << 24);
    let byte = |a: u32| u32::from((a as i32).clamp(-128, 127) as u8);
    check("pack4xI8Clamp(vec4(i32(a), i32(b), i32(c), -1))", &|a, b, c| {
        byte(a) | byte(b) << 8 | byte(c) << 16 | 255 << 24
    });
    check("unpack4xU8(a).z", &|a, _, _| a >> 16 & 255);
    check("u32(unpack4xI8(a).y)", &|a, _, _| (a >> 8) as i8 as u32);
    let dot = |a: u32, b: u32| (0..4).map(|i| (a >> (8 * i) & 255) * (b >> (8 * i) & 255)).sum::<u32>();
    check("dot4U8Packed(a, b)", &|a, b, _| dot(a, b));
    let signed_dot =
        |a: u32, b: u32| (0..4).map(|i| i32::from((a >> (8 * i)) as i8) * i32::from((b >> (8 * i)) as i8)).sum::<i32>();
    check("u32(dot4I8Packed(a, b))", &|a, b, _| signed_dot(a, b) as u32);
    check("dot(vec3(a, b, c), vec3(3u, 5u, 7u))", &|a, b, c| {
        a.wrapping_mul(3).wrapping_add(b.wrapping_mul(5)).wrapping_add(c.wrapping_mul(7))
    });
    check("u32(abs(i32(a)))", &|a, _, _| (a as i32).wrapping_abs() as u32);
    check("u32(sign(i32(a)))", &|a, _, _| (a as i32).signum() as u32);
    check("u32(clamp(i32(a), -5, 9))", &|a, _, _| (a as i32).clamp(-5, 9) as u32);
    check("min(a, b) ^ max(b, c)", &|a, b, c| a.min(b) ^ b.max(c));
    check("u32(min(i32(a), i32(b)))", &|a, b, _| (a as i32).min(b as i32) as u32);
    check("u32(all(vec2(a > b, b > c))) + 2u * u32(any(vec3(a > b, b > c, a == c)))", &|a, b, c| {
        u32::from(a > b && b > c) + 2 * u32::from(a > b || b > c || a == c)
    });
    check("pack2x16float(unpack2x16float(0x3c00c000u + (a & 0xffu)))", &|a, _, _| 0x3c00_c000 + (a & 0xff));
    check("pack4x8unorm(unpack4x8unorm(a))", &|a, _, _| a);
    check("pack2x16unorm(unpack2x16unorm(a))", &|a, _, _| a);
    // -128 and -127 both mean -1.
    let snorm = |a: u32, bits: u32| {
        let low = 1u32 << (bits - 1);
        (0..32 / bits)
            .map(|i| a >> (bits * i) & (u32::MAX >> (32 - bits)))
            .map(|v| if v == low { v + 1 } else { v })
            .enumerate()
            .fold(0, |w, (i, v)| w | v << (bits * i as u32))
    };
    check("pack4x8snorm(unpack4x8snorm(a))", &|a, _, _| snorm(a, 8));
    check("pack2x16snorm(unpack2x16snorm(a))", &|a, _, _| snorm(a, 16));
    check("bitcast<u32>(bitcast<vec2<f32>>(vec2(a, b)).y)", &|_, b, _| b);
    check("a / b", &|a, b, _| a.checked_div(b).unwrap_or(a));
    check("a % b", &|a, b, _| a.checked_rem(b).unwrap_or(0));
    check("u32(i32(a) / i32(b))", &|a, b, _| if b == 0 { a } else { (a as i32).wrapping_div(b as i32) as u32 });
    check("u32(i32(a) % i32(b))", &|a, b, _| if b == 0 { 0 } else { (a as i32).wrapping_rem(b as i32) as u32 });
    check("(a << b) ^ (b >> c)", &|a, b, c| a.wrapping_shl(b) ^ b.wrapping_shr(c));
    check("u32(i32(a) >> b)", &|a, b, _| (a as i32).wrapping_shr(b) as u32);
}

#[test]
fn conversions() {
    let numbers = [0.0f32, 1.9, -1.9, 3e9, -3e9, 5e9, 2147483648.0, 4294967296.0, 1e-40, -0.0, f32::INFINITY];
    let rows: Vec<[f32; 3]> = numbers.iter().map(|&a| [a, 0.0, 0.0]).collect();
    for (row, got) in rows.iter().zip(floats("bitcast<f32>(i32(a))", &rows, "")) {
        assert_eq!(got.to_bits() as i32, (row[0] as i32).min(2_147_483_520), "{row:?}");
    }
    for (row, got) in rows.iter().zip(floats("bitcast<f32>(u32(a))", &rows, "")) {
        assert_eq!(got.to_bits(), (row[0] as u32).min(4_294_967_040), "{row:?}");
    }
    assert_eq!(words("u32(bool(a)) + u32(f32(true)) * 2u", &[[0, 0, 0], [9, 0, 0]]), [2, 3]);
    assert_eq!(words("bitcast<u32>(f32(i32(a)))", &[[u32::MAX, 0, 0]]), [(-1.0f32).to_bits()]);
    assert_eq!(words("bitcast<u32>(f32(a))", &[[u32::MAX, 0, 0]]), [4294967296.0f32.to_bits()]);
}
