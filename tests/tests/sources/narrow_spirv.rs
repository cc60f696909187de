//! Integers of 8 and 16 bits in SPIR-V: every scalar and vector type in storage, uniform and push-constant blocks, arrays at run-time
//! indices, structs in both layouts, and arithmetic, on every generation. What is expected is computed here.
//!
//! Without `glslangValidator` nothing is run, and the tests say so.

use std::fmt::Write;

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_glsl::need;
use gpucc_ir::Module;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On};
use rayon::prelude::*;

use crate::sources::spirv::lowered;

const HEAD: &str = "#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer O { int o[]; };
";

/// A narrow type.
#[derive(Clone, Copy)]
struct Narrow {
    name: &'static str,
    vector: &'static str,
    bytes: usize,
    signed: bool,
}

const TYPES: [Narrow; 4] = [
    Narrow { name: "int8_t", vector: "i8vec", bytes: 1, signed: true },
    Narrow { name: "uint8_t", vector: "u8vec", bytes: 1, signed: false },
    Narrow { name: "int16_t", vector: "i16vec", bytes: 2, signed: true },
    Narrow { name: "uint16_t", vector: "u16vec", bytes: 2, signed: false },
];

impl Narrow {
    /// The value that a lane has whose bits are the low ones of this number.
    fn wrap(self, x: i64) -> i32 {
        match (self.bytes, self.signed) {
            (1, true) => i32::from(x as i8),
            (1, false) => i32::from(x as u8),
            (_, true) => i32::from(x as i16),
            (_, false) => i32::from(x as u16),
        }
    }

    fn put(self, bytes: &mut [u8], at: usize, value: i32) {
        bytes[at..at + self.bytes].copy_from_slice(&value.to_le_bytes()[..self.bytes]);
    }
}

fn module(name: &str, source: &str) -> Module {
    lowered(&gpucc_glsl::module(&format!("{name}.comp"), "vulkan1.2", source))
}

/// Runs a dispatch everywhere; `expected` are buffers afterwards by binding.
fn runs(name: &str, module: &Module, dispatch: &Dispatch, expected: &[(u32, Vec<u8>)]) {
    let targets = exec::targets("all:all").into_iter().filter(|t| {
        // Stores of less than a word are atomic accesses to the word there, and this chip has none.
        t.to_string() != "vivante:gc2000" || expected.len() == 1
    });
    let places = std::iter::once(On::Interp).chain(targets.map(exec::on));
    let jobs: Vec<(On, u8)> = places.flat_map(|p| [(p, 0), (p, 2)]).collect();
    jobs.par_iter().for_each(|&(on, opt_level)| {
        let mut d = dispatch.clone();
        let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
        exec::run(module, "main", on, &codegen, &mut d, &RunOptions::default())
            .unwrap_or_else(|p| panic!("{name} {on} -O{opt_level}: {p}"));
        for (binding, bytes) in expected {
            let got = &d.buffer(0, *binding).expect("bound above").bytes;
            let at = got.iter().zip(bytes).position(|(a, b)| a != b);
            assert!(
                at.is_none() && got.len() == bytes.len(),
                "{name} {on} -O{opt_level}: binding {binding} at byte {at:?}"
            );
        }
    });
}

fn words(list: &[i32]) -> Vec<u8> {
    list.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Numbers that have all bits of a lane, in an order that repeats late.
fn value(t: Narrow, k: usize) -> i32 {
    t.wrap((k as i64 * 40_503 + 12_345) >> 3)
}

#[test]
fn arithmetic_wraps_at_the_width_of_the_type() {
    need!("glslangValidator");
    type Binary = (&'static str, fn(Narrow, i64, i64) -> i64);
    const OPS: [Binary; 12] = [
        ("a + b", |_, a, b| a + b),
        ("a - b", |_, a, b| a - b),
        ("a * b", |_, a, b| a * b),
        ("a / b", |_, a, b| if b == 0 { a } else { a / b }),
        ("a & b", |_, a, b| a & b),
        ("a | b", |_, a, b| a | b),
        ("a ^ b", |_, a, b| a ^ b),
        ("a << T(3)", |_, a, _| a << 3),
        ("a >> T(2)", |_, a, _| a >> 2),
        ("min(a, b)", |_, a, b| a.min(b)),
        ("max(a, b)", |_, a, b| a.max(b)),
        ("clamp(a, T(5), T(90))", |_, a, _| a.clamp(5, 90)),
    ];
    for t in TYPES {
        let mut body = String::new();
        for (n, (text, _)) in OPS.iter().enumerate() {
            let _ = writeln!(body, "o[i * 17u + {n}u] = int(T({}));", text.replace("T(", &format!("{}(", t.name)));
        }
        let abs = if t.signed { "abs(a)" } else { "a" };
        let source = format!(
            "{HEAD}#define T {0}\nlayout(std430, set = 0, binding = 1) readonly buffer A {{ T x[]; }};\n\
             void main() {{ uint i = gl_LocalInvocationID.x; T a = x[i], b = x[i + 8u] | T(1);\n{body}\
             o[i * 17u + 12u] = int(~a); o[i * 17u + 13u] = int(-a); o[i * 17u + 14u] = a < b ? 1 : 0;\n\
             o[i * 17u + 15u] = int(float(a) * 2.0); o[i * 17u + 16u] = int({abs}); }}",
            t.name
        );
        let mut input = vec![0; 16 * t.bytes];
        (0..16).for_each(|k| t.put(&mut input, k * t.bytes, value(t, k)));
        let mut expected = Vec::new();
        for i in 0..8 {
            let (a, b) = (i64::from(value(t, i)), i64::from(value(t, i + 8) | 1));
            expected.extend(OPS.iter().map(|op| t.wrap((op.1)(t, a, b))));
            let abs = if t.signed { a.abs() } else { a };
            expected.extend([t.wrap(!a), t.wrap(-a), i32::from(a < b), a as i32 * 2, t.wrap(abs)]);
        }
        let d = Dispatch::new([1, 1, 1]).with(0, 0, vec![0; expected.len() * 4]).with(0, 1, input);
        runs(t.name, &module(&format!("narrow-arith-{}", t.name), &source), &d, &[(0, words(&expected))]);
    }
}

/// Where the members of the struct of these tests lie: `a`, `b`, `arr`, `c`, `d`, `w`, the stride of `arr`, and its size.
fn layout(bytes: usize, std140: bool) -> ([usize; 6], usize, usize) {
    let up = |at: usize, align: usize| at.next_multiple_of(align);
    let stride = if std140 { 16 } else { bytes };
    let b = up(bytes, 2 * bytes);
    let arr = up(b + 2 * bytes, if std140 { 16 } else { bytes });
    let c = up(arr + 3 * stride, 4 * bytes);
    let d = up(c + 3 * bytes, 4 * bytes);
    let w = up(d + 4 * bytes, 4);
    let size = up(w + 4, if std140 { 16 } else { (4 * bytes).max(4) });
    ([0, b, arr, c, d, w], stride, size)
}

/// Writes a struct whose lanes are the numbers from `first`.
fn fill(t: Narrow, bytes: &mut [u8], at: usize, first: usize, std140: bool) {
    let ([a, b, arr, c, d, w], stride, _) = layout(t.bytes, std140);
    let lanes = |from: usize, n: usize| (0..n).map(move |k| from + k * t.bytes);
    let places = [a].into_iter().chain(lanes(b, 2)).chain((0..3).map(|k| arr + k * stride));
    for (k, place) in places.chain(lanes(c, 3)).chain(lanes(d, 4)).enumerate() {
        t.put(bytes, at + place, value(t, first + k));
    }
    bytes[at + w..at + w + 4].copy_from_slice(&(first as u32 * 1001).to_le_bytes());
}

#[test]
fn blocks_of_every_kind_hold_every_type() {
    need!("glslangValidator");
    for t in TYPES {
        let s = format!("{{ T a; {0}2 b; T arr[3]; {0}3 c; {0}4 d; uint w; }}", t.vector);
        // All lanes of a struct, 14 numbers.
        let all = |s: &str, at: &str| {
            let parts =
                ["a", "b.x", "b.y", "arr[0]", "arr[j]", "arr[2]", "c.x", "c.y", "c.z", "d.x", "d.y", "d.z", "d[k]"];
            let mut text: String =
                parts.iter().enumerate().map(|(n, p)| format!("o[{at} + {n}u] = int({s}.{p});\n")).collect();
            let _ = writeln!(text, "o[{at} + 13u] = int({s}.w);");
            text
        };
        let source = format!(
            "{HEAD}#define T {0}\nstruct S {s};\nstruct V {s};\nstruct P {s};\n\
             layout(push_constant, std430) uniform Push {{ P p; }};\n\
             layout(std430, set = 0, binding = 1) buffer A {{ S s[2]; T x[16]; {1}3 v[2]; }};\n\
             layout(std140, set = 0, binding = 2) uniform B {{ V u[2]; }};\n\
             layout(std430, set = 0, binding = 3) buffer C {{ S z[2]; T y[]; }};\n\
             void main() {{ uint i = gl_LocalInvocationID.x; uint j = 1u + (i >> 3), k = 3u - (i >> 3), n = i & 1u;\n\
             if (i < 2u) {{\n{2}{3}{4}z[i] = s[1u - i]; }}\n\
             o[84u + i] = int(x[i]) + 10000 * int(v[n][i >> 2u]);\n\
             y[15u - i] = x[i]; y[i] = T(x[i + 8u] + T(7)); z[n].w = 9u; }}",
            t.name,
            t.vector,
            all("s[i]", "i * 14u"),
            all("u[i]", "28u + i * 14u"),
            all("p", "56u + i * 14u"),
        );
        let ([.., w], _, size) = layout(t.bytes, false);
        let (_, _, size140) = layout(t.bytes, true);
        let x = 2 * size;
        let v = (x + 16 * t.bytes).next_multiple_of(4 * t.bytes);
        let mut a = vec![0; (v + 8 * t.bytes).next_multiple_of(4 * t.bytes).next_multiple_of(4)];
        fill(t, &mut a, 0, 100, false);
        fill(t, &mut a, size, 200, false);
        (0..16).for_each(|k| t.put(&mut a, x + k * t.bytes, value(t, 300 + k)));
        (0..6).for_each(|k| t.put(&mut a, v + (k / 3 * 4 + k % 3) * t.bytes, value(t, 400 + k)));
        let mut u = vec![0; 2 * size140];
        fill(t, &mut u, 0, 500, true);
        fill(t, &mut u, size140, 600, true);
        let mut push = vec![0; size];
        fill(t, &mut push, 0, 700, false);
        let of = |first: usize| (0..13).map(move |k| value(t, first + k)).chain([first as i32 * 1001]);
        let mut out: Vec<i32> = [100, 200, 500, 600, 700, 700].into_iter().flat_map(of).collect();
        out.extend((0..8).map(|i| value(t, 300 + i) + 10_000 * value(t, 400 + (i & 1) * 3 + (i >> 2))));
        // The padding of a struct is not copied.
        let mut c = vec![0xee; 2 * size + 16 * t.bytes];
        let before = c.clone();
        fill(t, &mut c, 0, 200, false);
        fill(t, &mut c, size, 100, false);
        for at in [w, size + w] {
            c[at..at + 4].copy_from_slice(&9u32.to_le_bytes());
        }
        for i in 0..8 {
            t.put(&mut c, 2 * size + (15 - i) * t.bytes, value(t, 300 + i));
            t.put(&mut c, 2 * size + i * t.bytes, t.wrap(i64::from(value(t, 308 + i)) + 7));
        }
        let d = Dispatch::new([1, 1, 1])
            .with(0, 0, vec![0; out.len() * 4])
            .with(0, 1, a)
            .with(0, 2, u)
            .with(0, 3, before)
            .with_immediates(push);
        let name = format!("narrow-blocks-{}", t.name);
        runs(&name, &module(&name, &source), &d, &[(0, words(&out)), (3, c)]);
    }
}

#[test]
fn bits_indices_switches_and_dots() {
    need!("glslangValidator");
    let source = format!(
        "{HEAD}layout(std430, set = 0, binding = 1) readonly buffer A {{ uint x[]; }};\n\
         layout(constant_id = 1) const int8_t spec = int8_t(-3); const u16vec2 pair = u16vec2(65535, 7);\n\
         void main() {{ uint i = gl_LocalInvocationID.x; uint w = x[i];\n\
         u8vec4 b = unpack8(w); i16vec2 h = unpack16(int(w)); float16_t f = int16BitsToHalf(int16_t(w & 0x7bffu));\n\
         o[i] = int(pack32(u8vec4(b.w, b.z, b.y, b.x)));\n\
         o[8u + i] = pack32(h.yx);\n\
         o[16u + i] = int(b[uint8_t(i) & uint8_t(3)]);\n\
         o[24u + i] = int(halfBitsToInt16(f)) + int(spec) + int(pair.x) * int(pair.y);\n\
         i8vec4 s = unpack8(int(w)); int sum = 0; for (int k = 0; k < 4; ++k) sum += int(s[k]) * int(b[3 - k]); o[32u + i] = sum;\n\
         o[40u + i] = int(pack16(u8vec2(b.z, b.x))); }}"
    );
    let input: Vec<u32> = (0..8).map(|k: u32| k.wrapping_mul(0x9e37_79b9) ^ 0x1234_8567).collect();
    let mut expected = vec![0i32; 48];
    for (i, &w) in input.iter().enumerate() {
        let b = w.to_le_bytes();
        expected[i] = w.swap_bytes() as i32;
        expected[8 + i] = w.rotate_left(16) as i32;
        expected[16 + i] = b[i & 3].into();
        expected[24 + i] = (w & 0x7bff) as i32 - 3 + 65535 * 7;
        expected[32 + i] = (0..4).map(|k| i32::from(b[k] as i8) * i32::from(b[3 - k])).sum();
        expected[40 + i] = i32::from(b[2]) | i32::from(b[0]) << 8;
    }
    let d = Dispatch::new([1, 1, 1]).with(0, 0, vec![0; 192]).with_u32(0, 1, &input);
    runs("bits", &module("narrow-bits", &source), &d, &[(0, words(&expected))]);
}

/// Members and elements lie where the module says (`VK_EXT_scalar_block_layout`): rows of three words, a vector behind a byte, offsets that
/// do not ascend.
#[test]
fn scalar_block_layout() {
    need!("glslangValidator");
    let source = format!(
        "{}struct S {{ float a; vec3 b; int8_t c; vec2 d; }};\n\
         layout(scalar, set = 0, binding = 1) buffer A {{ vec3 v[4]; S s[2]; layout(offset = 128) int y; layout(offset = 112) int z; }};\n\
         layout(scalar, set = 0, binding = 2) uniform U {{ float u[4]; vec3 p; float q; }};\n\
         void main() {{ uint i = gl_LocalInvocationID.x, k = i & 3u, n = i & 1u;\n\
         vec3 t = v[k] * 2.0 + p; o[i * 4u] = int(t.x); o[i * 4u + 1u] = int(t.y) + int(u[k]); o[i * 4u + 2u] = int(t.z + q) + y - z;\n\
         o[i * 4u + 3u] = int(s[n].a + s[n].b.z * 10.0 + s[n].d.y * 100.0) + int(s[n].c) * 1000;\n\
         if (i == 0u) {{ v[1] = vec3(7.0, 8.0, 9.0); s[1].b = vec3(1.0, 2.0, 3.0); s[0].d.x = 5.0; }} }}",
        HEAD.replace("layout(local", "#extension GL_EXT_scalar_block_layout : require\nlayout(local")
    );
    // v at 0, s at 48 with 28 bytes each (a 0, b 4, c 16, d 20), z at 112, y at 128.
    let mut a = vec![0u8; 132];
    let float = |bytes: &mut [u8], at: usize, x: f32| bytes[at..at + 4].copy_from_slice(&x.to_le_bytes());
    (0..12).for_each(|k| float(&mut a, 4 * k, k as f32));
    for n in 0..2usize {
        let at = 48 + 28 * n;
        float(&mut a, at, 1.0 + n as f32);
        (0..3).for_each(|k| float(&mut a, at + 4 + 4 * k, (2 + n + k) as f32));
        a[at + 16] = (-3i8 - n as i8) as u8;
        (0..2).for_each(|k| float(&mut a, at + 20 + 4 * k, (5 + n + k) as f32));
    }
    a[128..].copy_from_slice(&50i32.to_le_bytes());
    a[112..116].copy_from_slice(&20i32.to_le_bytes());
    let u: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 0.5].iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut after = a.clone();
    (0..3).for_each(|k| float(&mut after, 12 + 4 * k, (7 + k) as f32));
    (0..3).for_each(|k| float(&mut after, 48 + 28 + 4 + 4 * k, (1 + k) as f32));
    float(&mut after, 48 + 20, 5.0);
    let mut out = Vec::new();
    for i in 0..8i32 {
        let (k, n) = (i & 3, i & 1);
        out.extend([6 * k + 10, 6 * k + 2 + 20 + k + 1, 6 * k + 4 + 30 + 50 - 20]);
        out.push((1 + n) + (4 + n) * 10 + (6 + n) * 100 + (-3 - n) * 1000);
    }
    // The first invocation writes what the others read: those have their results in a buffer of their own.
    let source = source.replace("if (i == 0u)", "barrier(); memoryBarrierBuffer(); if (i == 0u)");
    let d = Dispatch::new([1, 1, 1]).with(0, 0, vec![0; 128]).with(0, 1, a).with(0, 2, u);
    runs("scalar", &module("narrow-scalar", &source), &d, &[(0, words(&out)), (1, after)]);
}

/// Specialisation constants of narrow types take what their type has, and nothing else.
#[test]
fn specialisation() {
    need!("glslangValidator");
    let source = format!(
        "{HEAD}layout(constant_id = 0) const int8_t a = int8_t(-3); layout(constant_id = 1) const uint16_t b = uint16_t(40000);\n\
         void main() {{ o[0] = int(a) * 2; o[1] = int(b); o[2] = int(uint16_t(b + uint16_t(30000))); o[3] = int(int16_t(a)); }}"
    );
    let bytes = gpucc_glsl::module("narrow-spec.comp", "vulkan1.2", &source);
    let with = |values: &[(&str, f64)]| {
        let overrides = values.iter().map(|v| (v.0.to_string(), v.1)).collect();
        frontend::load(&bytes, Lang::Spirv, &FrontOptions { overrides, ..FrontOptions::default() })
    };
    let d = Dispatch::new([1, 1, 1]).with(0, 0, vec![0; 16]);
    for (values, a, b) in [(&[][..], -3, 40000), (&[("0", -128.0), ("1", 65535.0)], -128, 65535)] {
        let module = with(values).unwrap_or_else(|d| panic!("{}", d[0])).module;
        runs("spec", &module, &d, &[(0, words(&[a * 2, b, (b + 30000) & 0xffff, a]))]);
    }
    for wrong in [("0", 128.0), ("0", -129.0), ("1", -1.0), ("1", 65536.0)] {
        let list = with(&[wrong]).expect_err("out of range");
        assert_eq!(list[0].code, "override", "{}", list[0]);
    }
}
