//! Valid programs that were once called wrong, or answered wrongly in silence: right on the oracle and every machine at both ends of the
//! levels, or refused by a code.

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_ir::{Class, Module};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::everywhere::{Everywhere, Refusals};
use gpucc_tests::exec;

use gpucc_glsl::need;

/// Runs on all places; `holds` looks at the words of binding 0. Gives on how many the program ran.
fn everywhere(module: &Module, d: &Dispatch, holds: impl Fn(&[u32]) -> bool + Sync) -> usize {
    let judge = |words: &[u32]| (!holds(words)).then(|| format!("{words:x?}"));
    Everywhere::new(module).with_passes().refused(Refusals::Listed).judge(d, judge)
}

fn wgsl(body: &str, words: &[u32], holds: impl Fn(&[u32]) -> bool + Sync) -> usize {
    let source = format!(
        "enable f16;
         @group(0) @binding(0) var<storage, read_write> o: array<u32>;
         @compute @workgroup_size(1) fn main() {{ {body} }}"
    );
    let module = exec::lower(&source, "main", &[]).unwrap_or_else(|e| panic!("{e}"));
    everywhere(&module, &Dispatch::new([1; 3]).with_u32(0, 0, words), holds)
}

fn spirv(name: &str, source: &str) -> Vec<u8> {
    spirv_of(1, name, source)
}

/// The same with so many invocations of a workgroup.
fn spirv_of(lanes: u32, name: &str, source: &str) -> Vec<u8> {
    let text = format!("#version 450\nlayout(local_size_x = {lanes}) in;\n{source}");
    gpucc_glsl::module(&format!("{name}.comp"), "vulkan1.1", &text)
}

fn module(spv: &[u8], overrides: &[(&str, f64)]) -> Module {
    let overrides = overrides.iter().map(|&(name, value)| (name.to_string(), value)).collect();
    let options = FrontOptions { entry: Some("main".into()), overrides, ..FrontOptions::default() };
    frontend::load(spv, Lang::Spirv, &options).unwrap_or_else(|e| panic!("{}", e[0])).module
}

/// P6: the offsets of the members of what `frexp` and `modf` give are those of our layout, also in memory of a variable.
#[test]
fn results_with_two_members_in_variables() {
    let halves = "let h = vec2(f16(bitcast<f32>(o[0])), f16(bitcast<f32>(o[1])));";
    let given = [6.0f32.to_bits(), (-0.15625f32).to_bits(), 0, 0, 0, 0];
    let expected = [0.75f32.to_bits(), (-0.625f32).to_bits(), 3, -2i32 as u32];
    let ran = wgsl(
        &format!(
            "{halves} var r = frexp(h); let k = o[2];
             o[2] = bitcast<u32>(f32(r.fract[k])); o[3] = bitcast<u32>(f32(r.fract.y));
             o[4] = u32(r.exp[k]); o[5] = u32(r.exp.y);"
        ),
        &given,
        |o| o[2..6] == expected,
    );
    assert!(ran > 6);
    let expected = [0.0f32.to_bits(), (-0.15625f32).to_bits(), 6.0f32.to_bits(), (-0.0f32).to_bits()];
    wgsl(
        &format!(
            "{halves} var r = modf(h); let k = o[2];
             o[2] = bitcast<u32>(f32(r.fract[k])); o[3] = bitcast<u32>(f32(r.fract.y));
             o[4] = bitcast<u32>(f32(r.whole[k])); o[5] = bitcast<u32>(f32(r.whole.y));"
        ),
        &given,
        |o| o[2..6].iter().zip(expected).all(|(a, b)| f32::from_bits(*a) == f32::from_bits(b)),
    );
    wgsl(
        "var r = frexp(f16(bitcast<f32>(o[0]))); o[2] = bitcast<u32>(f32(r.fract)); o[3] = u32(r.exp);",
        &given,
        |o| o[2..4] == [0.75f32.to_bits(), 3],
    );
}

/// B10: products that halves have no room for cancel in a determinant. It is computed in single precision and rounded once.
#[test]
fn determinants_of_halves_are_rounded_once() {
    let list: [([i32; 9], i32); 4] = [
        ([39, 18, -28, -39, -17, 29, 7, -15, -20], 127),
        ([21, 12, -17, 40, 37, -22, -4, -13, -5], -111),
        ([-24, -38, -39, -35, -28, -36, -18, 5, -4], 169),
        ([23, 22, -11, 33, 18, -36, -19, -3, 32], -93),
    ];
    for (m, det) in list {
        let words: Vec<u32> = m.iter().map(|&x| (x as f32).to_bits()).collect();
        let column = |c: u32| {
            let part = |r: u32| format!("f16(bitcast<f32>(o[{}]))", 3 * c + r);
            format!("vec3<f16>({}, {}, {})", part(0), part(1), part(2))
        };
        let body =
            format!("o[0] = bitcast<u32>(f32(determinant(mat3x3<f16>({}, {}, {}))));", column(0), column(1), column(2));
        let ran = wgsl(&body, &words, |o| o[0] == (det as f32).to_bits());
        assert!(ran > 6, "{m:?} ran on {ran} places");
    }
}

/// Products of elements that floats have no room for cancel too: the determinant of halves is exact before it is rounded. With an inverse, whose
/// elements are cofactors over it.
#[test]
fn determinants_of_halves_are_exact_before_they_are_rounded() {
    let list: [(&[i32], i32); 6] = [
        (&[480, -222, 628, -837, 160, -635, -913, -236, 139], -3020),
        (&[197, 197, -453, 821, -555, -371, -953, -451, 1638], 4996),
        (&[-58, -43, 67, 362, 545, 901, 761, 667, -389], 3282),
        (&[-38, 41, -3, 4, 7, -48, -24, 58, 60, 14, 60, 19, -42, -4, 6, 810], -1002),
        (&[47, -32, 48, -18, 52, -59, 18, -54, -12, -39, -47, 22, 36, 4, -3, -171], 117),
        (&[-9, 22, -36, -15, 37, 29, 24, -41, -16, -54, 25, -22, -52, -28, 40, 902], -918),
    ];
    for (m, det) in list {
        let n = if m.len() == 9 { 3 } else { 4 };
        let words: Vec<u32> = m.iter().map(|&x| (x as f32).to_bits()).collect();
        let parts: Vec<String> = (0..m.len()).map(|k| format!("f16(bitcast<f32>(o[{k}]))")).collect();
        let columns: Vec<String> = parts.chunks(n).map(|c| format!("vec{n}<f16>({})", c.join(", "))).collect();
        let body = format!("o[0] = bitcast<u32>(f32(determinant(mat{n}x{n}<f16>({}))));", columns.join(", "));
        let ran = wgsl(&body, &words, |o| o[0] == (det as f32).to_bits());
        assert!(ran > 6, "{m:?} ran on {ran} places");
    }
}

/// X5: an atomic on one component of a vector in memory.
#[test]
fn atomics_on_components_of_vectors() {
    need!("glslangValidator");
    let block = "layout(std430, set = 0, binding = 0) buffer A { uvec4 v[]; };";
    let spv = spirv(
        "component",
        &format!("{block} void main() {{ atomicAdd(v[1].z, 3u); atomicMax(v[gl_NumWorkGroups.x].y, 9u); }}"),
    );
    let d = Dispatch::new([2, 1, 1]).with_u32(0, 0, &[1; 16]);
    let ran =
        everywhere(&module(&spv, &[]), &d, |o| o[6] == 7 && o[9] == 9 && o.iter().filter(|&&w| w == 1).count() == 14);
    assert!(ran > 6);
}

/// X5: samples of a multisampled array are read, or the target says by a code that it has none.
#[test]
fn multisampled_arrays_are_read_or_refused() {
    need!("glslangValidator");
    let source = "layout(set = 0, binding = 0) uniform sampler2DMSArray t;
         layout(std430, set = 0, binding = 1) buffer A { vec4 v[]; };
         void main() { v[0] = texelFetch(t, ivec3(0, 0, 1), 1); }";
    let m = module(&spirv("samples", source), &[]);
    let mut compiled = 0;
    for target in exec::targets("all:all") {
        match gpucc::compile(&m, &gpucc::Options::new(target)) {
            Ok(_) => compiled += 1,
            Err(d) => assert_eq!(d.class, Class::Unsupported, "{target}: {d}"),
        }
    }
    assert!(compiled > 0 || exec::targets("gcn").is_empty());
}

/// X3: two variables of one kind at one binding are one resource for `--verify` too.
#[test]
fn aliases_of_one_binding_are_verified() {
    need!("glslangValidator");
    let source = "layout(set = 0, binding = 0) uniform texture2D a;
         layout(set = 0, binding = 0) uniform texture2D b;
         layout(set = 0, binding = 1) uniform sampler s;
         layout(set = 0, binding = 2, std430) buffer O { vec4 o[]; };
         layout(set = 0, binding = 2, std430) buffer P { uint p[]; };
         void main() {
           o[0] = textureLod(sampler2D(a, s), vec2(0.5), 0.0) + texelFetch(sampler2D(b, s), ivec2(0), 0);
           p[4] = 7u;
         }";
    let m = module(&spirv("aliases", source), &[]);
    for target in exec::targets("all:all") {
        match gpucc::compile_entry(&m, "main", &gpucc::Options::new(target)) {
            Ok(artifact) => {
                let done = gpucc_verify::verify(&m, &artifact, target, &gpucc_verify::InputOverrides::default());
                let left = done.unwrap_or_else(|d| panic!("{target}: {d}"));
                assert!(left.is_empty(), "{target}: {}", left[0]);
            }
            Err(d) => assert_eq!(d.class, Class::Unsupported, "{target}: {d}"),
        }
    }
}

/// R6: a capability that is newer than this reader is no damage: what the module needs decides.
#[test]
fn newer_capabilities_are_no_damage() {
    need!("glslangValidator");
    let plain =
        spirv("newer", "layout(std430, set = 0, binding = 0) buffer A { uint v[]; }; void main() { v[0] = 5u; }");
    let mut words: Vec<u32> = plain.chunks(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    // OpCapability, and behind it an instruction of the future at the end of `main`.
    words.splice(5..5, [2 << 16 | 17, 6912]);
    let bytes = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    everywhere(&module(&bytes(&words), &[]), &Dispatch::new([1; 3]).with_u32(0, 0, &[0]), |o| o[0] == 5);
    let end = words.len() - 2;
    words.splice(end..end, [1 << 16 | 6999]);
    let options = FrontOptions { entry: Some("main".into()), ..FrontOptions::default() };
    let said = frontend::load(&bytes(&words), Lang::Spirv, &options).map(drop).unwrap_err();
    assert_eq!(said[0].class, Class::Unsupported, "{}", said[0]);
}

/// R7: a division by a specialisation constant of default 0, of a scalar and of vectors; constants declared in any order of their numbers
/// have their own values each.
#[test]
fn specialisation_constants_in_any_order() {
    need!("glslangValidator");
    let source = "layout(constant_id = 30) const int g = 0;
         layout(constant_id = 9) const int h = 7;
         layout(constant_id = 1) const uint k = 2u;
         layout(constant_id = 12) const float f = 1.5;
         layout(constant_id = 2) const bool b = true;
         layout(std430, set = 0, binding = 0) buffer A { ivec4 v[]; };
         void main() {
           ivec4 x = v[0];
           v[1] = x / g; v[2] = x % ivec4(g, h, g, h);
           v[3] = ivec4(h, int(k), int(f * 2.0), b ? 1 : 0); v[4].x = x.w / g;
         }";
    let spv = spirv("constants", source);
    let mut words = [0u32; 20];
    words[..4].copy_from_slice(&[10, 21, 35, 90]);
    let d = Dispatch::new([1; 3]).with_u32(0, 0, &words);
    // The result of a division by 0 is open; the rest is not.
    let ran = everywhere(&module(&spv, &[]), &d, |o| o[9] == 0 && o[11] == 90 % 7 && o[12..16] == [7, 2, 3, 1]);
    assert!(ran > 6);
    let given = [("2", 0.0), ("12", 2.5), ("30", 4.0), ("1", 6.0), ("9", 8.0)];
    let expected = [2, 5, 8, 22, 2, 5, 3, 2, 8, 6, 5, 0, 22];
    let ran = everywhere(&module(&spv, &given), &d, |o| o[4..17] == expected);
    assert!(ran > 6);
}

/// The instructions of GLSL.std.450 that leave NaN open become those that do not: FMin, FMax, FClamp.
fn strict(spv: &[u8]) -> Vec<u8> {
    let mut words: Vec<u32> = spv.chunks(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let mut at = 5;
    while at < words.len() {
        let (op, length) = (words[at] & 0xffff, words[at] >> 16);
        if op == 12 && matches!(words[at + 4], 37 | 40 | 43) {
            words[at + 4] = match words[at + 4] {
                37 => 79,
                40 => 80,
                _ => 81,
            };
        }
        at += length as usize;
    }
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// SPIR-V's `NMin`, `NMax` and `NClamp` give the other operand for a NaN, in any order of operands, of scalars and of vectors that have a NaN in
/// some lanes alone. What packing joins is in it: several of them, with constants in some.
#[test]
fn minima_that_say_what_nan_gives() {
    need!("glslangValidator");
    let source = "layout(std430, set = 0, binding = 0) buffer A { float v[]; };
         void main() {
           float n = v[0], x = v[1];
           v[4] = min(n, x); v[5] = min(x, n); v[6] = max(n, x); v[7] = max(x, n);
           vec4 a = vec4(n, x, n, 2.0), b = vec4(x, n, 1.0, n);
           vec4 c = min(a, b), d = max(a, b);
           v[8] = c.x; v[9] = c.y; v[10] = c.z; v[11] = c.w;
           v[12] = d.x; v[13] = d.y; v[14] = d.z; v[15] = d.w;
           v[16] = clamp(n, x, 1.0); v[17] = max(min(n, 1.0), 0.0); v[18] = min(n, n) == min(n, n) ? 1.0 : 0.0;
           v[19] = min(max(n, x), v[2]);
         }";
    let spv = strict(&spirv("minima", source));
    let (nan, x) = (f32::NAN.to_bits(), 0.75f32.to_bits());
    let mut words = [0u32; 20];
    words[..3].copy_from_slice(&[nan, x, 0.5f32.to_bits()]);
    let want = [x; 4].into_iter().chain([x, x, 1f32.to_bits(), 2f32.to_bits()]);
    let want: Vec<u32> =
        want.chain([x, x, 1f32.to_bits(), 2f32.to_bits()]).chain([x, 1f32.to_bits(), 0, 0.5f32.to_bits()]).collect();
    let d = Dispatch::new([1; 3]).with_u32(0, 0, &words);
    assert!(everywhere(&module(&spv, &[]), &d, |o| o[4..] == want) > 12);
}

/// A minimum with a constant keeps the rule of the other operand where it is packed with others; of two variables WGSL has none.
#[test]
fn minima_with_constants_keep_their_rule() {
    let (nan, x) = (f32::NAN.to_bits(), 0.75f32.to_bits());
    let ran = wgsl(
        "let n = bitcast<f32>(o[0]); let x = bitcast<f32>(o[1]);
         o[2] = bitcast<u32>(min(n, x)); o[3] = bitcast<u32>(max(x, n));
         o[4] = bitcast<u32>(clamp(n, 0.0, 1.0)); o[5] = bitcast<u32>(min(max(n, 0.0), 1.0));
         o[6] = bitcast<u32>(max(min(n, 1.0), 0.0));",
        &[nan, x, 0, 0, 0, 0, 0],
        |o| o[2..4].iter().all(|&w| w == x || f32::from_bits(w).is_nan()) && o[4..] == [0, 0, 1f32.to_bits()],
    );
    assert!(ran > 12);
}

/// The same where operands are lanes that packing puts together: constants beside variables, in another order, in one instruction of three or four.
#[test]
fn minima_with_constants_keep_their_rule_in_packs() {
    let (nan, x) = (f32::NAN.to_bits(), 0.75f32.to_bits());
    let one = 1f32.to_bits();
    let (mut places, forms) = (
        0,
        [
            ("max(min(n, 1.0), 0.0)", one),
            ("min(n, 1.0)", one),
            ("max(0.0, n)", 0),
            ("min(max(n, 0.0), 1.0)", 0),
            ("max(1.0, min(0.0, n))", one),
        ],
    );
    for first in 0..forms.len() {
        let chosen: Vec<_> = (0..4).map(|k| forms[(first + k) % forms.len()]).collect();
        let stores: String =
            chosen.iter().zip(0..).map(|((e, _), k)| format!("o[{}] = bitcast<u32>({e}); ", k + 1)).collect();
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> v: array<f32>;
             @group(0) @binding(1) var<storage, read_write> o: array<u32>;
             @compute @workgroup_size(1) fn main() {{ let n = v[0]; let x = v[1]; o[0] = bitcast<u32>(min(n, x)); {stores} o[5] = bitcast<u32>(max(x, n)); }}"
        );
        let m = exec::lower(&source, "main", &[]).expect("a shader");
        let d = Dispatch::new([1; 3]).with_u32(0, 0, &[nan, x]).with_u32(0, 1, &[9; 6]);
        for on in exec::targets("all:all").into_iter().map(exec::on) {
            for opt_level in [0, 2] {
                let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
                let mut after = d.clone();
                exec::run(&m, "main", on, &codegen, &mut after, &RunOptions::default())
                    .unwrap_or_else(|e| panic!("{on}: {e}"));
                let words = after.words(0, 1).expect("a buffer");
                let open = |w: u32| w == x || f32::from_bits(w).is_nan();
                let want: Vec<u32> = chosen.iter().map(|c| c.1).collect();
                assert_eq!(words[1..5], want, "{on} -O{opt_level}: {source}");
                assert!(open(words[0]) && open(words[5]), "{on} -O{opt_level}: {words:?}");
                places += 1;
            }
        }
    }
    assert!(places > 60, "{places}");
}

/// A loop that never turns and is left by a return: glslang's `do .. while (false)`, as it stands, in a branch and in a loop.
#[test]
fn loops_that_never_turn_are_left_by_a_return() {
    need!("glslangValidator");
    let f = "uint f(uint i) {
           do { if ((i & 1u) == 0u) return 7u; if ((i & 2u) == 0u) { o[i + 16u] = 1u; } } while (false);
           return o[i + 32u];
         }";
    // Odd lanes read a zero; those without the second bit mark their place.
    let odd = |i: u32| i % 2 == 1;
    let mark = |i: u32| u32::from(i % 4 == 1);
    // The form, the call, and whether a lane comes by it.
    type Form = (&'static str, &'static str, fn(u32) -> bool);
    let forms: [Form; 3] = [
        ("plain", "o[i] = f(i);", |_| true),
        ("branch", "if (i > 3u) { o[i] = f(i); }", |i| i > 3),
        ("loop", "for (uint k = 0u; k < (i & 3u); k++) { o[i] = f(i); }", |i| i % 4 > 0),
    ];
    for (form, call, runs) in forms {
        let source = format!(
            "layout(set = 0, binding = 0, std430) buffer B {{ uint o[]; }};
             {f} void main() {{ uint i = gl_GlobalInvocationID.x; {call} }}"
        );
        let m = module(&spirv_of(16, &format!("never-turns-{form}"), &source), &[]);
        let mut want = vec![0; 48];
        for i in (0..16).filter(|&i| runs(i)) {
            want[i as usize] = if odd(i) { 0 } else { 7 };
            want[i as usize + 16] = mark(i);
        }
        let d = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 48]);
        assert!(everywhere(&m, &d, |o| *o == want) > 20, "{form}");
    }
}
