//! Built-ins at the edges of numbers, on all machines: `ldexp` against exact values, packing and unpacking by the judge of
//! `run --oracle`.

use gpucc::{CodegenOptions, Target};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self};
use rayon::prelude::*;

/// Words in, words out: one invocation each.
fn shader(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;
         @group(0) @binding(1) var<storage, read> n: array<i32>;
         @group(0) @binding(2) var<storage, read_write> o: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             let i = id.x;
             {body}
         }}"
    )
}

fn targets() -> Vec<(Target, u8)> {
    let all = exec::targets("all:all");
    all.into_iter().flat_map(|t| [(t, 0), (t, 2)]).collect()
}

/// `x * 2^n`, rounded once.
fn exact(x: f32, n: i32) -> f32 {
    // Twice: 2^n alone is no f64 then. Each product but the last is exact or so small that nothing is left.
    let n = n.clamp(-400, 400);
    (f64::from(x) * 2f64.powi(n)) as f32
}

#[test]
fn ldexp_at_all_edges() {
    let mantissas = [0u32, 1, 0x40_0001, 0x7f_ffff];
    let exponents = [0u32, 1, 2, 24, 104, 127, 128, 129, 253, 254, 255];
    let mut pairs: Vec<(u32, i32)> = Vec::new();
    for n in (-300..=300).chain([i32::MIN, i32::MIN + 1, -65536, 65536, i32::MAX - 1, i32::MAX]) {
        for e in exponents {
            for m in mantissas {
                pairs.push((e << 23 | m, n));
                pairs.push((1 << 31 | e << 23 | m, n));
            }
        }
    }
    let groups = pairs.len().div_ceil(64);
    pairs.resize(groups * 64, (0x7f7f_ffff, -256));
    let module =
        exec::lower(&shader("o[i] = bitcast<u32>(ldexp(bitcast<f32>(a[i]), n[i]));"), "main", &[]).expect("a shader");
    let xs: Vec<u32> = pairs.iter().map(|p| p.0).collect();
    let ns: Vec<u32> = pairs.iter().map(|p| p.1 as u32).collect();
    let failures: Vec<String> = targets()
        .into_par_iter()
        .flat_map_iter(|(target, opt_level)| {
            let mut d = Dispatch::new([groups as u32, 1, 1]);
            d = d.with_u32(0, 0, &xs).with_u32(0, 1, &ns).with_u32(0, 2, &vec![0; xs.len()]);
            let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
            if let Err(p) = exec::run(&module, "main", exec::on(target), &codegen, &mut d, &RunOptions::default()) {
                return vec![format!("{target} -O{opt_level}: {p}")];
            }
            let out = d.words(0, 2).expect("the output");
            let mut wrong = Vec::new();
            for (&(x, n), &r) in pairs.iter().zip(&out) {
                let (x, r) = (f32::from_bits(x), f32::from_bits(r));
                let want = exact(x, n);
                // Denormal numbers may count as 0, before or behind.
                let ok = r.to_bits() == want.to_bits()
                    || r.is_nan() && x.is_nan()
                    || r == 0.0 && (want.is_subnormal() || x.is_subnormal() || want == 0.0);
                if !ok {
                    wrong.push(format!("{target} -O{opt_level}: ldexp({x:e}, {n}) = {r:e} instead of {want:e}"));
                }
            }
            wrong
        })
        .collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures[..failures.len().min(30)].join("\n"));
}

/// Inputs of packing: ties and their neighbours, limits, what is beyond, small numbers.
fn floats() -> Vec<u32> {
    let mut list: Vec<f32> =
        vec![0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 1e30, -1e30, 1e-30, 5.9e-8, 6.1e-5, 65504.0, 65519.0];
    for k in 0..256 {
        let tie = (k as f32 + 0.5) / 255.0;
        list.extend([tie, f32::from_bits(tie.to_bits() + 1), -tie, k as f32 / 127.0, -(k as f32) / 127.0]);
        list.extend([(k as f32 * 257.0 + 0.5) / 65535.0, (k as f32 * 128.0 + 0.5) / 32767.0]);
    }
    list.resize(list.len().next_multiple_of(64), 0.25);
    list.into_iter().map(f32::to_bits).collect()
}

fn words() -> Vec<u32> {
    let mut list: Vec<u32> = (0..256u32).map(|k| k | (255 - k) << 8 | (k ^ 0x80) << 16 | (k ^ 0x55) << 24).collect();
    // Halves of all exponents, and no numbers that are none.
    list.extend((0..31u32).flat_map(|e| [e << 10 | e << 26 | 0x8000_0001, e << 10 | 0x3ff | e << 26 | 0x0200_8000]));
    list.extend([0, 0x8000_8000, 0x7fff_7fff, 0x8001_8001, u32::MAX]);
    list.resize(list.len().next_multiple_of(64), 0x1234_5678);
    list
}

fn judged(body: &str, input: &[u32], each: usize) {
    let module = exec::lower(&shader(body), "main", &[]).unwrap_or_else(|p| panic!("{p}"));
    let failures: Vec<String> = targets()
        .into_par_iter()
        .filter_map(|(target, opt_level)| {
            let groups = input.len().div_ceil(64) as u32;
            let mut d = Dispatch::new([groups, 1, 1]);
            d = d.with_u32(0, 0, input).with_u32(0, 1, &[0]).with_u32(0, 2, &vec![0; input.len() * each]);
            let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
            let judged = exec::run_judged(&module, "main", target, &codegen, &mut d, &RunOptions::default());
            judged.err().map(|p| format!("{target} -O{opt_level}: {p}"))
        })
        .collect();
    assert!(failures.is_empty(), "{body}\n{}", failures.join("\n"));
}

#[test]
fn unpacking_stays_in_its_bounds() {
    for name in ["unpack4x8unorm", "unpack4x8snorm"] {
        let body = format!(
            "let v = bitcast<vec4<u32>>({name}(a[i])); o[4u * i] = v.x; o[4u * i + 1u] = v.y; o[4u * i + 2u] = v.z; o[4u * i + 3u] = v.w;"
        );
        judged(&body, &words(), 4);
        // Exact results on top of it are not exact any more.
        judged(
            &format!("let v = {name}(a[i]); o[i] = bitcast<u32>(dot(v, vec4(0.25, 0.5, 0.125, 1.0)));"),
            &words(),
            1,
        );
    }
    // The bits of a NaN are nobody's business.
    let is_number = |h: u32| h & 0x7c00 != 0x7c00;
    let mut halves: Vec<u32> = words().into_iter().filter(|w| is_number(w & 0xffff) && is_number(w >> 16)).collect();
    halves.resize(halves.len().next_multiple_of(64), 0x3c00_3800);
    for (name, input) in [("unpack2x16unorm", words()), ("unpack2x16snorm", words()), ("unpack2x16float", halves)] {
        let body = format!("let v = bitcast<vec2<u32>>({name}(a[i])); o[2u * i] = v.x; o[2u * i + 1u] = v.y;");
        judged(&body, &input, 2);
    }
}

#[test]
fn packing_stays_in_its_bounds() {
    for name in ["pack4x8unorm", "pack4x8snorm"] {
        judged(&format!("let x = bitcast<f32>(a[i]); o[i] = {name}(vec4(x, x * 0.5, -x, x + 0.125));"), &floats(), 1);
    }
    for name in ["pack2x16unorm", "pack2x16snorm", "pack2x16float"] {
        judged(&format!("let x = bitcast<f32>(a[i]); o[i] = {name}(vec2(x, x * 0.25));"), &floats(), 1);
    }
}

/// All other built-ins with floats in or out, one after the other.
#[test]
fn float_built_ins_stay_in_their_bounds() {
    let one = [
        "abs(x)",
        "acos(clamp(x, -1.0, 1.0))",
        "asin(clamp(x, -1.0, 1.0))",
        "atan(x)",
        "ceil(x)",
        "cos(x)",
        "cosh(clamp(x, -9.0, 9.0))",
        "degrees(x)",
        "exp(clamp(x, -9.0, 9.0))",
        "exp2(clamp(x, -9.0, 9.0))",
        "floor(x)",
        "fract(x)",
        "inverseSqrt(abs(x) + 0.01)",
        "log(abs(x) + 0.01)",
        "log2(abs(x) + 0.01)",
        "quantizeToF16(x)",
        "radians(x)",
        "round(x)",
        "saturate(x)",
        "sign(x)",
        "sin(x)",
        "sinh(clamp(x, -9.0, 9.0))",
        "sqrt(abs(x))",
        "tanh(x)",
        "trunc(x)",
        "asinh(x)",
        "acosh(abs(x) + 1.0)",
        "atanh(clamp(x, -0.9, 0.9))",
        "atan2(x, 1.5)",
        "max(x, 0.25)",
        "min(x, 0.25)",
        "clamp(x, -0.5, 0.75)",
        "mix(x, 3.0, 0.3)",
        "smoothstep(-1.0, 2.0, x)",
        "step(0.3, x)",
        "pow(abs(x) + 0.5, 1.7)",
        "fma(x, 1.1, 0.3)",
        "x / 3.0",
        "x % 0.7",
        "length(vec3(x, 1.0, 2.0))",
        "distance(vec2(x, 1.0), vec2(0.5, x))",
        "normalize(vec3(x, 1.0, 2.0)).x",
        "frexp(x).fract",
        "f32(frexp(x).exp)",
        "modf(x).fract",
        "modf(x).whole",
        "cross(vec3(x, 1.0, 2.0), vec3(3.0, x, 1.0)).z",
        "reflect(vec2(x, 1.0), vec2(0.6, 0.8)).x",
        "refract(normalize(vec2(x, 1.0)), vec2(0.0, 1.0), 0.7).x",
        "faceForward(vec2(x, 1.0), vec2(1.0), vec2(0.5)).x",
        "ldexp(x, 3)",
        "f32(i32(x))",
        "f32(u32(abs(x)))",
    ];
    let mut input: Vec<u32> = (0..128).map(|k| ((k as f32 - 64.0) * 0.0937).to_bits()).collect();
    input.extend((0..64).map(|k| ((k as f32 - 32.0) * 1.37e-3).to_bits()));
    for e in one {
        judged(&format!("let x = bitcast<f32>(a[i]); o[i] = bitcast<u32>({e});"), &input, 1);
    }
}
