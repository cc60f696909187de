//! Shaders compiled, executed as bytes, compared with the oracle.

use crate::common::{check, compile, module, options, run};
use gpucc_sim::Dispatch;

const ALL: &[usize] = &[0, 1];

fn data(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(0x9e37_79b9) ^ i << 7).collect()
}

/// A shader over `a` and `out`, 64 invocations.
fn over(body: &str, more: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;\n@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n\
         {more}\n@compute @workgroup_size(64)\nfn main(@builtin(local_invocation_index) i: u32) {{\n{body}\n}}\n"
    )
}

fn check_over(body: &str, more: &str) {
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &data(64)).with_u32(0, 1, &[7; 64]);
    check(&over(body, more), &d, ALL);
}

#[test]
fn private_arrays_with_dynamic_index() {
    check_over(
        "var t: array<vec3<u32>, 20>; for (var k = 0u; k < 20u; k++) { t[k] = vec3(k, a[k], k * a[k]); }\n\
         out[i] = t[a[i] % 20u].y + t[i % 20u].z;",
        "",
    );
    check_over(
        "var t: array<vec2<u32>, 33>; for (var k = 0u; k < 33u; k++) { t[k] = vec2(k, a[k]); } out[i] = t[a[i] % 33u].y;",
        "",
    );
}

#[test]
fn workgroup_memory_and_barriers() {
    check_over(
        "w[i] = a[i]; workgroupBarrier(); var s = 0u; if i > 7u { s = w[i - 8u]; } workgroupBarrier();\n\
         w[63u - i] = s; workgroupBarrier(); out[i] = w[i] + v[i & 15u].z;",
        "var<workgroup> w: array<u32, 64>;\nvar<workgroup> v: array<vec4<u32>, 16>;",
    );
}

#[test]
fn atomics() {
    let more = "var<workgroup> n: atomic<u32>;\nvar<workgroup> m: array<atomic<i32>, 4>;";
    check_over(
        "atomicAdd(&n, a[i] & 15u); atomicMax(&m[i & 3u], i32(a[i])); atomicSub(&n, 3u); workgroupBarrier();\n\
        out[i] = atomicLoad(&n) + bitcast<u32>(atomicLoad(&m[i & 3u]));",
        more,
    );
    check_over(
        "if i == 5u { let x = atomicExchange(&n, 9u); let y = atomicCompareExchangeWeak(&n, 9u, 11u); let z = atomicAdd(&n, 1u);\n\
         out[0] = x; out[1] = y.old_value; out[2] = select(0u, 1u, y.exchanged); out[3] = z; out[4] = atomicSub(&n, i); }",
        more,
    );
}

#[test]
fn control_flow() {
    check_over(
        "var s = 0u; for (var k = 0u; k < 40u; k++) { if (a[k] & 7u) == (i & 7u) { continue; } if k > i { break; }\n\
         switch (a[k] % 5u) { case 0u: { s += 1u; } case 1u, 2u: { s ^= a[k]; } case 4u: { s = s * 3u + k; } default: { s += i; } } }\n\
         out[i] = s;",
        "",
    );
    check_over(
        "if i % 3u == 1u { return; } loop { if i > 70u { break; } out[i] = a[63u - i]; break; } out[i] += 1u;",
        "",
    );
}

#[test]
fn integers() {
    check_over(
        "let x = a[i]; let y = a[(i * 7u) & 63u]; let d = i32(y >> 20u) - 2048; var s = x / (y >> 13u) + x % (y >> 9u);\n\
         s ^= u32(i32(x) / d) + u32(i32(x) % (d + 1)); s += countOneBits(x) + firstLeadingBit(y) + firstTrailingBit(x | 16u);\n\
         s ^= extractBits(x, y & 31u, 5u) + insertBits(x, y, 3u, i & 15u) + reverseBits(y) + u32(extractBits(i32(x), 4u, 9u));\n\
         s += dot4U8Packed(x, y) + u32(dot4I8Packed(x, y)) + (x << (y & 31u)) + u32(i32(x) >> (y & 31u)) + (~x & y) + (x | ~y);\n\
         out[i] = s + u32(clamp(i32(x), -5, 77)) + min(x, y) + max(x, 3u) + u32(abs(i32(x))) + select(x, y, x < y);",
        "",
    );
}

#[test]
fn vectors_in_memory() {
    let src = "struct S { a: vec3<f32>, b: f32, m: mat3x3<f32> }\n@group(0) @binding(0) var<uniform> u: S;\n\
        @group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;\n@group(1) @binding(3) var<storage, read_write> p: array<vec2<f32>>;\n\
        @compute @workgroup_size(4, 2)\nfn main(@builtin(local_invocation_id) l: vec3<u32>, @builtin(workgroup_id) w: vec3<u32>,\n\
        @builtin(num_workgroups) n: vec3<u32>, @builtin(global_invocation_id) g: vec3<u32>) {\n\
        let i = g.x + g.y * 8u; out[i] = vec4(u.m * u.a, u.b) * f32(l.y + w.x + n.z + l.z);\n p[i] = out[i].wy + p[i]; }";
    let f = |n: u32| (0..n).map(|i| (i as f32).to_bits()).collect::<Vec<_>>();
    let d = Dispatch::new([2, 1, 1]).with_u32(0, 0, &f(16)).with_u32(0, 1, &f(64)).with_u32(1, 3, &f(32));
    check(src, &d, ALL);
}

#[test]
fn stress_switches() {
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &data(64)).with_u32(0, 1, &[7; 64]);
    let src = over(
        "var s = 0u; for (var k = 0u; k < 9u; k++) { let x = a[k]; let y = a[k + 1u]; let z = a[k + 2u]; s = s * 5u + x / (y | 1u) + z % (i + 1u); }\n\
         out[i] = s;",
        "",
    );
    let m = module(&src);
    let want = crate::common::oracle(&m, &d);
    for k in 0..3 {
        let mut o = options(2);
        o.spill_all = k == 0;
        o.tight = k == 1;
        o.fragment = k == 2;
        let out = compile(&m, 1, &o);
        let got = run(&out, 1, &d, None).unwrap_or_else(|t| panic!("{t}"));
        assert_eq!(got.buffers[1].bytes, want.buffers[1].bytes);
    }
}
