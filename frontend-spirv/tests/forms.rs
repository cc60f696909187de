//! Forms of SPIR-V that glslang and spirv-opt make, with results that are computed here. Without `glslc` or `glslangValidator`, and `spirv-opt`
//! (Debian: `glslc`, `glslang-tools`, `spirv-tools`) the tests say that they are skipped.

use crate::common::lower;
use gpucc_glsl::Source;
use gpucc_ir::{IoAt, Mode, Module, Op, StageInfo, Where};
use gpucc_sim::{Dispatch, RunOptions};
use std::sync::atomic::{AtomicU32, Ordering};

/// A name that no other module has.
fn scratch() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("form{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The module of a source, plain and behind `spirv-opt -O`; nothing without the tools.
pub fn glsl(source: &str, ending: &'static str) -> Vec<Vec<u8>> {
    all_glsl(&[Source { stage: ending, text: source.into() }]).pop().unwrap_or_default()
}

/// The modules of each source, plain and behind `spirv-opt -O`; nothing without the tools.
pub fn all_glsl(sources: &[Source]) -> Vec<Vec<Vec<u8>>> {
    let Some(plain) = gpucc_glsl::compile("vulkan1.2", sources).expect("files") else {
        eprintln!("skipped: there is neither `glslc` nor `glslangValidator`");
        return vec![Vec::new(); sources.len()];
    };
    let both = |(module, source): (gpucc_glsl::Compiled, &Source)| {
        let module = module.unwrap_or_else(|e| panic!("{e}\n{}", source.text));
        let optimised = gpucc_glsl::has("spirv-opt").then(|| gpucc_glsl::optimised(&scratch(), &module));
        std::iter::once(module).chain(optimised).collect()
    };
    plain.into_iter().zip(sources).map(both).collect()
}

pub fn module(bytes: &[u8], source: &str) -> Module {
    let module = lower(bytes).unwrap_or_else(|list| panic!("{} {:?}\n{source}", list[0], list[0].notes));
    if let Err(found) = gpucc_ir::verify::verify_module(&module) {
        panic!("{}\n{}", found[0], gpucc_ir::text::module_text(&module));
    }
    module
}

/// Runs a compute shader with words in at binding 0 and out at binding 1.
pub fn check(source: &str, input: &[u32], expected: &[u32]) {
    for (k, bytes) in glsl(source, "comp").iter().enumerate() {
        let module = module(bytes, source);
        let mut dispatch = Dispatch::new([1, 1, 1]).with_u32(0, 0, input).with_u32(0, 1, &vec![0; expected.len()]);
        let run = RunOptions { perturb: Some(3), ..RunOptions::default() };
        let options = gpucc_interp::Options { run, ..gpucc_interp::Options::default() };
        if let Err(trap) = gpucc_interp::run(&module, "main", &mut dispatch, &options) {
            panic!("{trap}\n{}", gpucc_ir::text::module_text(&module));
        }
        let got = dispatch.words(0, 1).expect("bound");
        assert_eq!(got, expected, "form {k} of\n{source}\n{}", gpucc_ir::text::module_text(&module));
    }
}

const BUFFERS: &str = "layout(std430, set=0, binding=0) buffer I { int a[]; } inp;
    layout(std430, set=0, binding=1) buffer O { int r[]; } outp;\n";

fn compute(size: u32, extra: &str, body: &str) -> String {
    format!("#version 450\n{extra}\nlayout(local_size_x = {size}) in;\n{BUFFERS}{body}")
}

/// A case that leaves by `continue`, and one that falls into a label with a phi.
#[test]
fn cases_that_fall_through_keep_their_values() {
    let source = compute(
        4,
        "",
        "void main() {
            uint lid = gl_LocalInvocationID.x; int p = inp.a[lid]; int g = 7; int i = 0;
            while (true) {
                if (i++ >= 1) break;
                switch (p) { case 10: if (p + i == 11) continue; break; case 0: g += 20; default: ; }
            }
            outp.r[lid] = g;
        }",
    );
    check(&source, &[0, 10, 5, 99], &[27, 7, 7, 7]);
}

/// Cases one into the other, and back out at several depths.
#[test]
fn switches_in_loops() {
    let source = compute(
        8,
        "",
        "void main() {
            uint lid = gl_LocalInvocationID.x; int p = inp.a[lid]; int s = 0;
            for (int i = 0; i < 4; i++) {
                switch ((p + i) & 7) {
                    case 1: s += 1;
                    case 2: s += 10; if (i == 2) continue;
                    case 3: s += 100; break;
                    case 4: if (s > 300) { s = -s; break; }
                    default: s += 1000;
                    case 6: s ^= 5;
                }
                if (s > 2500) break;
                s += i;
            }
            outp.r[lid] = s;
        }",
    );
    let input: Vec<u32> = (0..8).collect();
    let one = |p: i32| {
        let mut s = 0i32;
        for i in 0..4 {
            let mut at = match (p + i) & 7 {
                1 => 0,
                2 => 1,
                3 => 2,
                4 => 3,
                6 => 5,
                _ => 4,
            };
            let mut again = false;
            loop {
                match at {
                    0 => s += 1,
                    1 => {
                        s += 10;
                        if i == 2 {
                            again = true;
                            break;
                        }
                    }
                    2 => {
                        s += 100;
                        break;
                    }
                    3 => {
                        if s > 300 {
                            s = -s;
                            break;
                        }
                    }
                    4 => s += 1000,
                    _ => {
                        s ^= 5;
                        break;
                    }
                }
                at += 1;
            }
            if again {
                continue;
            }
            if s > 2500 {
                break;
            }
            s += i;
        }
        s as u32
    };
    let expected: Vec<u32> = (0..8).map(one).collect();
    check(&source, &input, &expected);
}

/// Returns inside of loops of functions that are given pointers.
#[test]
fn returns_from_loops() {
    let source = compute(
        8,
        "",
        "int find(inout int n, int want) {
            int steps = 0;
            for (int i = 0; i < 5; i++) {
                int t = n * 3;
                for (int j = 0; j < 3; j++) { steps++; if (n + i * j == want) { n = j; return i * 10 + t; } }
                if (steps > 12) return -t;
            }
            return steps;
        }
        void main() {
            uint lid = gl_LocalInvocationID.x; int n = inp.a[lid]; int sum = 0;
            for (int k = 0; k < 2; k++) { sum = sum * 100 + find(n, 5 + k); }
            outp.r[lid] = sum + n * 100000;
        }",
    );
    let find = |n: &mut i32, want: i32| {
        let mut steps = 0;
        for i in 0..5 {
            let t = *n * 3;
            for j in 0..3 {
                steps += 1;
                if *n + i * j == want {
                    *n = j;
                    return i * 10 + t;
                }
            }
            if steps > 12 {
                return -t;
            }
        }
        steps
    };
    let one = |mut n: i32| {
        let mut sum = 0;
        for k in 0..2 {
            sum = sum * 100 + find(&mut n, 5 + k);
        }
        (sum + n * 100_000) as u32
    };
    let input: Vec<u32> = (0..8).collect();
    check(&source, &input, &(0..8).map(one).collect::<Vec<_>>());
}

/// Atomics on a component of a vector, in a buffer.
#[test]
fn atomics_of_components() {
    let source = "#version 450
        layout(local_size_x = 4) in;
        layout(std430, set=0, binding=0) buffer I { uint a[]; } inp;
        layout(std430, set=0, binding=1) buffer O { uvec4 v[]; } outp;
        void main() { atomicAdd(outp.v[gl_LocalInvocationID.x & 1u].z, inp.a[gl_LocalInvocationID.x]); }";
    check(source, &[1, 2, 30, 40], &[0, 0, 31, 0, 0, 0, 42, 0]);
}

/// The least, the greatest and the middle one of three values, in every order of them.
#[test]
fn one_of_three() {
    let source = compute(
        6,
        "#extension GL_AMD_shader_trinary_minmax : require",
        "void main() {
            uint i = gl_LocalInvocationID.x; int order = inp.a[i];
            int list[3] = { -5, 2, 9 };
            int x = list[order / 100], y = list[order / 10 % 10], z = list[order % 10];
            float fx = float(x), fy = float(y), fz = float(z);
            int s = min3(x, y, z) * 10000 + mid3(x, y, z) * 100 + max3(x, y, z);
            uint u = min3(uint(x), uint(y), uint(z)) * 3u + mid3(uint(x), uint(y), uint(z)) * 5u + max3(uint(x), uint(y), uint(z)) * 7u;
            float f = min3(fx, fy, fz) * 10000.0 + mid3(fx, fy, fz) * 100.0 + max3(fx, fy, fz);
            outp.r[i] = s; outp.r[i + 6] = int(u); outp.r[i + 12] = int(f);
        }",
    );
    let orders = [12, 21, 102, 120, 201, 210];
    let mut expected = vec![(-50000i32 + 209) as u32; 6];
    // As an unsigned number -5 is the greatest.
    expected.extend([2 * 3 + 9 * 5 - 5 * 7; 6]);
    expected.extend([(-50000i32 + 209) as u32; 6]);
    check(&source, &orders, &expected);
}

/// Scalars as vectors of one component; an index that is out of bounds in code that does not run.
#[test]
fn scalars_and_dead_code() {
    let source = compute(
        1,
        "",
        "void main() {
            float x = float(inp.a[0]); vec3 v = vec3(1.0, 2.0, x); int n = 3;
            if (inp.a[1] == 7) { v[n + int(x)] = 9.0; }
            outp.r[0] = int(reflect(x, 2.0)); outp.r[1] = int(faceforward(x, 1.0, -1.0)); outp.r[2] = int(v.z);
            outp.r[3] = int(refract(x, 1.0, 0.0));
        }",
    );
    // reflect: 3 - 2 * 2 * 3 * 2 = -21; refract of ratio 0: -sqrt(1) * n.
    check(&source, &[3, 0], &[-21i32 as u32, 3, 3, -1i32 as u32]);
}

/// Matrices with their rows together, and strides of their own.
#[test]
fn layouts_of_matrices() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(std430, row_major, set=0, binding=0) buffer I { mat2x3 a; layout(column_major) mat3x2 b; } inp;
        layout(std430, set=0, binding=1) buffer O { float r[8]; } outp;
        void main() {
            mat2x3 a = inp.a; outp.r[0] = a[1][2]; outp.r[1] = inp.a[0].y; vec3 c = inp.a[1]; outp.r[2] = c.x + c.z;
            outp.r[3] = inp.b[2].y; inp.a[0] = vec3(7.0, 8.0, 9.0); outp.r[4] = inp.a[0][1] + inp.a[1][1];
            outp.r[5] = (inp.b * inp.a[1]).x;
        }";
    // Rows of two floats, stride 8: a[c][r] is word 2r + c; b begins at byte 24 with columns of stride 8.
    let words: Vec<u32> = (0..12).map(|n| (n as f32).to_bits()).collect();
    let f = |x: f32| x.to_bits();
    check(source, &words, &[f(5.0), f(2.0), f(6.0), f(11.0), f(11.0), f(6.0 + 24.0 + 50.0), 0, 0]);
}

/// `precise` products and sums are rounded one by one.
#[test]
fn precise_is_not_contracted() {
    for precise in [false, true] {
        let word = if precise { "precise" } else { "" };
        let source = format!(
            "#version 450
            layout(local_size_x = 1) in;
            layout(std430, set=0, binding=1) buffer O {{ float r[]; }} o;
            void main() {{ {word} float a = o.r[0] * o.r[1] + o.r[2]; o.r[3] = a; }}"
        );
        for bytes in glsl(&source, "comp") {
            let module = module(&bytes, &source);
            let f = &module.funcs[module.entries[0].func];
            let sums = f.insts_in_order().filter(|(_, i)| matches!(f.insts[*i].op, Op::FMul | Op::FAdd));
            let fused: Vec<bool> = sums.map(|(_, i)| f.insts[i].fp.has(gpucc_ir::FpFlags::CONTRACT)).collect();
            assert_eq!(fused, [!precise; 2]);
        }
    }
}

/// Components of a location, blocks, arrays and matrices between stages; sampling apart from interpolation.
#[test]
fn interfaces() {
    let vertex = "#version 450
        layout(location=0) in mat2 m; layout(location=2) in vec2 w[2];
        layout(location=0) out V { vec2 uv; mat2 n; float f[2]; } v;
        layout(location=6) out vec2 j; layout(location=6, component=2) out vec2 k;
        void main() { gl_Position = vec4(m[0], m[1]); v.uv = w[1]; v.n = m; v.f[0] = 1.0; v.f[1] = w[0].x; j = w[0]; k = w[1]; }";
    for bytes in glsl(vertex, "vert") {
        let module = module(&bytes, vertex);
        let StageInfo::Vertex(io) = &module.entries[0].stage else { panic!("a vertex entry") };
        let number = |at: IoAt| if let IoAt::Location { number, .. } = at { Some(number) } else { None };
        let shape = |list: &[gpucc_ir::IoSlot]| {
            let mut l: Vec<_> = list.iter().filter_map(|s| Some((number(s.at)?, s.ty.lanes()))).collect();
            l.sort_unstable();
            l
        };
        assert_eq!(shape(&io.inputs), [(0, 2), (1, 2), (2, 2), (3, 2)]);
        assert_eq!(shape(&io.outputs), [(0, 2), (1, 2), (2, 2), (3, 1), (4, 1), (6, 4)]);
        assert!(io.outputs.iter().any(|s| s.at == IoAt::Position));
    }
    let fragment = "#version 450
        layout(location=0) centroid in vec2 a; layout(location=1) noperspective sample in vec2 b; layout(location=2) flat in ivec2 c;
        layout(location=3) in vec2 j; layout(location=3, component=2) in vec2 k;
        layout(location=0) out vec4 o;
        void main() { gl_SampleMask[0] = gl_SampleMaskIn[0]; if (c.x == 3) discard; o = vec4(a + b, j.x, k.y); }";
    for bytes in glsl(fragment, "frag") {
        let module = module(&bytes, fragment);
        let StageInfo::Fragment { io, .. } = &module.entries[0].stage else { panic!("a fragment entry") };
        let mut list: Vec<_> =
            io.inputs.iter().map(|s| (s.at.to_string(), s.interp.mode, s.interp.at, s.ty.lanes())).collect();
        list.sort();
        let at = |n: u32, mode, place, lanes| (format!("location {n}"), mode, place, lanes);
        let expected = [
            at(0, Mode::Perspective, Where::Centroid, 2),
            at(1, Mode::Linear, Where::Sample, 2),
            at(2, Mode::Flat, Where::Center, 2),
            at(3, Mode::Perspective, Where::Center, 4),
        ];
        assert_eq!(list, expected);
        assert!(io.outputs.iter().any(|s| s.at == IoAt::SampleMask));
    }
}

/// Layers of sizes, comparisons at a level, offsets of gathers, atomics on images.
#[test]
fn images() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(set=0, binding=0) uniform sampler2DArray t; layout(set=0, binding=2) uniform sampler2DShadow d;
        layout(set=0, binding=3, r32ui) uniform uimage2D u; layout(set=0, binding=4, rgba8) uniform writeonly image2D w;
        layout(std430, set=0, binding=1) buffer O { vec4 r[]; } o;
        const ivec2 at[4] = { ivec2(0), ivec2(1), ivec2(-1), ivec2(2) };
        void main() {
            o.r[0] = vec4(textureSize(t, 0), textureQueryLevels(t));
            o.r[1] = vec4(textureLod(d, vec3(0.5), 2.0), textureGrad(d, vec3(0.5), vec2(0.1), vec2(0.2)), 0.0, 0.0);
            o.r[2] = textureGatherOffsets(d, vec2(0.5), 0.5, at);
            o.r[3] = vec4(imageAtomicAdd(u, ivec2(1), 3u));
            imageStore(w, ivec2(0), texelFetch(t, ivec3(1), 0));
        }";
    for bytes in glsl(source, "comp") {
        let module = module(&bytes, source);
        let f = &module.funcs[module.entries[0].func];
        let count = |op: Op| f.insts_in_order().filter(|(_, i)| f.insts[*i].op == op).count();
        assert_eq!((count(Op::TexQuery), count(Op::ImageAtomic), count(Op::ImageStore)), (3, 1, 1));
        // Two comparisons, four gathers, one fetch.
        assert_eq!(count(Op::Tex), 7);
    }
}

/// Loops that are closed over phis, as LLVM and the loop passes of spirv-opt write them, in functions that are lowered in place of their calls
/// and return from the loop: a phi at the loop's merge has one way in by the module and one more by the return.
#[test]
fn a_phi_at_the_merge_of_a_loop_that_a_return_leaves() {
    // Kinds of values, each with the operation on it and its sum as a number.
    let kinds = [
        ("uint", "uint m = 5u;", "m = m * 3u + n;", "m"),
        ("uvec3", "uvec3 m = uvec3(5u, 0u, 0u);", "m = m * 3u + uvec3(n, 0u, 0u);", "(m.x + m.y + m.z)"),
        ("uint[2]", "uint m[2] = uint[2](5u, 0u);", "m = uint[2](m[0] * 3u + n, m[1]);", "(m[0] + m[1])"),
        ("S", "S m = S(5u, 0u);", "m = S(m.a * 3u + n, m.b);", "(m.a + m.b)"),
        (
            "mat2",
            "mat2 m = mat2(5.0, 0.0, 0.0, 0.0);",
            "m = m * 3.0 + mat2(n, 0.0, 0.0, 0.0);",
            "uint(m[0][0] + m[1][1])",
        ),
    ];
    // A loop in a loop too: the return leaves both.
    let bodies = [
        "uint i = 0u; START do { if (n == 3u) return 255u; STEP i++; } while (i < n); k += SUM; return SUM + 1u;",
        "uint i = 0u; START for (uint j = 0u; j < 1u; j++) { do { if (n == 3u) return 255u; STEP i++; } while (i < n); k += 0u * SUM; }
            k += SUM; return SUM + 1u;",
    ];
    // By hand: 5 * 3 + n once for n of 0 and 1, twice for 2; 3 returns before anything is changed.
    let expected = [16 * 1000 + 15 + 4, 17 * 1000 + 16 + 1, 54 * 1000 + 53 + 2, 255 * 1000 + 3];
    for (name, start, step, sum) in kinds {
        for body in bodies {
            let body = body.replace("START", start).replace("STEP", step).replace("SUM", sum);
            let source = format!(
                "#version 450
                layout(local_size_x = 4) in;
                layout(std430, set=0, binding=0) buffer I {{ uint a[]; }} inp;
                layout(std430, set=0, binding=1) buffer O {{ uint r[]; }} outp;
                struct S {{ uint a; uint b; }};
                uint f(inout uint k, uint n) {{ {body} }}
                void main() {{ uint l = gl_LocalInvocationID.x; uint k = inp.a[l]; uint x = f(k, inp.a[l] & 3u); outp.r[l] = x * 1000u + k; }}"
            );
            for passes in [
                &["--ssa-rewrite", "--loop-peeling"][..],
                &["--ssa-rewrite", "--loop-unswitch"],
                &["--ssa-rewrite", "--loop-fission"],
            ] {
                let Some(bytes) = after(&source, passes) else { return };
                let module = module(&bytes, &source);
                let mut dispatch = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[4, 1, 2, 3]).with_u32(0, 1, &[0; 4]);
                crate::common::run_module(&module, &mut dispatch);
                assert_eq!(dispatch.words(0, 1).expect("bound"), expected, "{name} {passes:?}\n{source}");
            }
        }
    }
}

/// The module of a compute shader behind passes of `spirv-opt`; nothing without the tools.
fn after(source: &str, passes: &[&str]) -> Option<Vec<u8>> {
    let plain = glsl(source, "comp").into_iter().next()?;
    let name = scratch();
    let from = gpucc_glsl::scratch(&name);
    std::fs::write(&from, &plain).expect("a file");
    let args: Vec<&str> = passes.iter().copied().chain(from.to_str()).collect();
    gpucc_glsl::tool("spirv-opt", &args, &format!("{name}-after.spv")).ok()
}

/// Specialisation constants by id and bits of their type: a number of 64 bits that no float holds is kept whole.
#[test]
fn specialisation_constants_are_given_as_bits() {
    let source = "#version 450
        #extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
        layout(local_size_x = 1) in;
        layout(constant_id = 3) const uint64_t A = 1ul;
        layout(constant_id = 4) const int64_t B = -1l;
        layout(constant_id = 5) const float C = 1.0;
        layout(constant_id = 6) const bool D = false;
        layout(constant_id = 7) const uint E = 9u;
        layout(std430, set=0, binding=0) buffer O { uint r[7]; };
        void main() { r[0] = uint(A); r[1] = uint(A >> 32); r[2] = uint(B); r[3] = uint(B >> 32); r[4] = floatBitsToUint(C); r[5] = uint(D); r[6] = E; }";
    let constants =
        vec![(3, 0x8000_0000_0000_0001), (4, 0x7fff_ffff_ffff_fffd), (5, 0x7fc0_0001), (6, 1 << 31), (77, 1)];
    let options = gpucc_frontend_spirv::Options { constants, ..Default::default() };
    for bytes in glsl(source, "comp") {
        let parsed = gpucc_frontend_spirv::parse(&bytes).expect("it is read");
        let module = gpucc_frontend_spirv::lower(&parsed, &options).unwrap_or_else(|l| panic!("{}", l[0]));
        let mut dispatch = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 7]);
        crate::common::run_module(&module, &mut dispatch);
        let expected = [1, 0x8000_0000, 0xffff_fffd, 0x7fff_ffff, 0x7fc0_0001, 1, 9];
        assert_eq!(dispatch.words(0, 0).expect("bound"), expected);
    }
}

/// Arrays that are compared element by element: long ones by a loop, short ones as they stand, and an element that is compared otherwise alone.
#[test]
fn comparisons_of_arrays_are_loops() {
    let source = |n: u32| {
        compute(
            1,
            "",
            &format!(
                "void main() {{
                     int x[{n}], y[{n}];
                     for (int k = 0; k < {n}; k++) {{ x[k] = k * 3; y[k] = k * 3; }}
                     y[inp.a[0]] += inp.a[1];
                     outp.r[0] = int(x == y);
                     outp.r[1] = int(x != y);
                 }}"
            ),
        )
    };
    let compared = |m: &Module| {
        let f = &m.funcs[m.entries[0].func];
        f.insts_in_order().filter(|&(_, i)| f.insts[i].op == Op::ICmp).count()
    };
    let run = |m: &Module, input: &[u32], expected: &[u32]| {
        let mut dispatch = Dispatch::new([1, 1, 1]).with_u32(0, 0, input).with_u32(0, 1, &[7, 7]);
        gpucc_interp::run(m, "main", &mut dispatch, &gpucc_interp::Options::default())
            .unwrap_or_else(|t| panic!("{t}"));
        assert_eq!(dispatch.words(0, 1).expect("bound"), expected, "{input:?}");
    };
    let long = source(200);
    let Some(bytes) = glsl(&long, "comp").into_iter().next() else { return };
    let m = module(&bytes, &long);
    assert!(compared(&m) < 40, "{}", compared(&m));
    for at in [0, 3, 4, 50, 197, 199] {
        run(&m, &[at, 1], &[0, 1]);
        run(&m, &[at, 0], &[1, 0]);
    }
    let short = source(100);
    assert!(compared(&module(&glsl(&short, "comp")[0], &short)) > 200);
    // Element 50 is to differ.
    let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let (equal, differs) = (5 << 16 | 170, 5 << 16 | 171);
    let mut changed = words.clone();
    let mut at = words.iter().enumerate().filter(|w| *w.1 == equal).map(|w| w.0);
    changed[at.nth(50).expect("200 comparisons")] = differs;
    let bytes: Vec<u8> = changed.iter().flat_map(|w| w.to_le_bytes()).collect();
    let m = module(&bytes, &long);
    run(&m, &[50, 1], &[1, 1]);
    run(&m, &[51, 1], &[0, 1]);
    run(&m, &[50, 0], &[0, 0]);
}
