//! Immediate data (push constants): every scalar and vector type, matrices, structs and arrays, at constant and at run-time
//! offsets, up to 512 bytes, on every generation at every level. What is expected is computed here.

use std::process::Command;

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Options};
use gpucc_container::{Container, IMMEDIATES, ResourceKind, Source};
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On};
use rayon::prelude::*;

/// A shader, its immediate data, and the words that it leaves in the buffer at group 0, binding 0.
struct Case {
    module: Module,
    source: String,
    immediates: Vec<u8>,
    expected: Vec<u32>,
    /// Other buffers, bound and not changed.
    more: u32,
}

/// WGSL whose entry point has the body; `i` is the invocation's index, `o` the buffer.
fn case(head: &str, body: &str, invocations: u32, immediates: Vec<u8>, expected: Vec<u32>) -> Case {
    let source = format!(
        "{head}\n@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size({invocations})\n\
         fn main(@builtin(local_invocation_index) i: u32) {{\n{body}\n}}"
    );
    let module = exec::lower(&source, "main", &[]).unwrap_or_else(|p| panic!("{p}\n{source}"));
    Case { module, source, immediates, expected, more: 0 }
}

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Words that differ and are floats of a normal size.
fn word(k: u32) -> u32 {
    ((k * k + 3 * k + 1) as f32 / 4.0).to_bits()
}

/// Where it differs, on the interpreter and all generations at all levels.
fn failures(c: &Case) -> Vec<String> {
    let targets = exec::targets("all:all");
    let places = std::iter::once(On::Interp).chain(targets.into_iter().map(exec::on));
    let places: Vec<(On, u8)> = places.flat_map(|p| (0..4).map(move |l| (p, l))).collect();
    let one = |&(on, opt_level): &(On, u8)| {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &vec![0; c.expected.len()]);
        for k in 1..=c.more {
            d = d.with_u32(0, k, &[k, 2 * k, 3 * k, 4 * k]);
        }
        d = d.with_immediates(c.immediates.clone());
        let codegen = CodegenOptions { opt_level, verify: true, ..CodegenOptions::default() };
        // With garbage in registers and memory, too.
        for perturb in [None, Some(5)] {
            let mut d = d.clone();
            let run = RunOptions { perturb, ..RunOptions::default() };
            if let Err(p) = exec::run(&c.module, "main", on, &codegen, &mut d, &run) {
                return Some(format!("{on} -O{opt_level}: {p}\n{}", c.source));
            }
            let got = d.words(0, 0).unwrap_or_default();
            if got != c.expected {
                return Some(format!("{on} -O{opt_level}: {got:x?}, expected {:x?}\n{}", c.expected, c.source));
            }
        }
        None
    };
    places.par_iter().filter_map(one).collect()
}

fn check(cases: &[Case]) {
    let list: Vec<String> = cases.par_iter().flat_map_iter(failures).collect();
    assert!(list.is_empty(), "{} failures:\n{}", list.len(), list[..list.len().min(3)].join("\n"));
}

/// A type: its name, the words of its value and where they lie, its size and alignment in words.
struct Type {
    name: String,
    /// How each word is named behind the value's name, as a `u32`, and its offset.
    words: Vec<(String, u32)>,
    size: u32,
    align: u32,
}

fn types() -> Vec<Type> {
    let mut out = Vec::new();
    for scalar in ["u32", "i32", "f32"] {
        out.push(Type { name: scalar.into(), words: vec![(String::new(), 0)], size: 1, align: 1 });
        for n in 2..=4 {
            let words = (0..n).map(|k| (format!(".{}", ["x", "y", "z", "w"][k as usize]), k)).collect();
            out.push(Type { name: format!("vec{n}<{scalar}>"), words, size: n, align: n.next_power_of_two() });
        }
    }
    for (columns, rows) in (2..=4).flat_map(|c| (2..=4).map(move |r| (c, r))) {
        let stride = u32::next_power_of_two(rows);
        let words = (0..columns).flat_map(|c| (0..rows).map(move |r| (format!("[{c}][{r}]"), c * stride + r)));
        let name = format!("mat{columns}x{rows}<f32>");
        out.push(Type { name, words: words.collect(), size: columns * stride, align: stride });
    }
    out
}

/// Statements that store the words of `value`.
fn stores(t: &Type, value: &str) -> String {
    let line = |(n, w): (usize, &(String, u32))| format!("o[{n}] = bitcast<u32>({value}{});\n", w.0);
    t.words.iter().enumerate().map(line).collect()
}

#[test]
fn every_type_alone_and_in_a_struct() {
    let mut cases = Vec::new();
    for t in types() {
        let expected = |from: u32| t.words.iter().map(|w| word(from + w.1)).collect::<Vec<u32>>();
        let head = format!("var<immediate> p: {};", t.name);
        cases.push(case(&head, &stores(&t, "p"), 1, bytes((0..t.size).map(word)), expected(0)));
        // Behind one word, and with one behind it that may lie in its padding.
        let head = format!("struct S {{ a: u32, b: {}, c: f32 }}\nvar<immediate> p: S;", t.name);
        let at = t.align;
        let end = at + t.size;
        let mut words = expected(at);
        words.extend([word(0), word(end)]);
        let n = t.words.len();
        let body = format!("{}o[{n}] = p.a;\no[{}] = bitcast<u32>(p.c);", stores(&t, "p.b"), n + 1);
        let size = (end + 1).next_multiple_of(t.align);
        cases.push(case(&head, &body, 1, bytes((0..size).map(word)), words));
    }
    check(&cases);
}

#[test]
fn arrays_at_an_index_of_the_invocation() {
    let mut cases = Vec::new();
    let body = "o[i] = p[(i * 7u + 3u) % 64u];";
    let expected = (0..64).map(|i| word((i * 7 + 3) % 64)).collect();
    cases.push(case("var<immediate> p: array<u32, 64>;", body, 64, bytes((0..64).map(word)), expected));
    for n in 2..=4 {
        let stride = u32::next_power_of_two(n);
        let head = format!("var<immediate> p: array<vec{n}<f32>, 16>;");
        let last = ["x", "y", "z", "w"][n as usize - 1];
        let body = format!("o[i] = bitcast<u32>(p[15u - i].{last}); o[i + 16u] = bitcast<u32>(p[i][i % {n}u]);");
        let expected = (0..16).map(|i| word((15 - i) * stride + n - 1));
        let expected = expected.chain((0..16).map(|i| word(i * stride + i % n))).collect();
        cases.push(case(&head, &body, 16, bytes((0..16 * stride).map(word)), expected));
    }
    // Structs in arrays in a struct: 4 words before, 8 structs of 8 words, a word behind.
    let head = "struct E { a: vec2<u32>, b: f32, c: array<i32, 3> }\nstruct S { n: u32, k: vec3<u32>, e: array<E, 8>, last: f32 }\n\
                var<immediate> p: S;";
    let body = "let e = p.e[i];\no[i] = e.a.y; o[i + 8u] = bitcast<u32>(e.b); o[i + 16u] = bitcast<u32>(p.e[7u - i].c[i % 3u]);\n\
                o[i + 24u] = p.k.z ^ i; o[i + 32u] = bitcast<u32>(p.last);";
    // `n` at 0, `k` at 4 to 6, `e` from 8 on with a stride of 6 words, `last` at 56.
    let at = |i: u32, k: u32| word(8 + i * 6 + k);
    let expected = (0..8).map(|i| at(i, 1)).chain((0..8).map(|i| at(i, 2)));
    let expected = expected.chain((0..8).map(|i| at(7 - i, 3 + i % 3))).chain((0..8).map(|i| word(6) ^ i));
    let expected = expected.chain((0..8).map(|_| word(56))).collect();
    cases.push(case(head, body, 8, bytes((0..60).map(word)), expected));
    // A matrix at an index.
    let head = "var<immediate> p: array<mat2x3<f32>, 4>;";
    let body = "let c = p[i / 2u][i % 2u]; o[i] = bitcast<u32>(c.z); o[i + 8u] = bitcast<u32>(c.x);";
    let expected = (0..8).map(|i| word(i * 4 + 2)).chain((0..8).map(|i| word(i * 4))).collect();
    cases.push(case(head, body, 8, bytes((0..32).map(word)), expected));
    check(&cases);
}

#[test]
fn an_index_beyond_the_array_gives_one_of_its_elements() {
    let words: Vec<u32> = (0..24).map(word).collect();
    let source = "struct S { a: vec4<u32>, b: array<u32, 16>, c: vec4<u32> }\nvar<immediate> p: S;\n\
                  @group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(64)\n\
                  fn main(@builtin(local_invocation_index) i: u32) { o[i] = p.b[i * 0x01000001u]; }";
    let module = exec::lower(source, "main", &[]).unwrap_or_else(|p| panic!("{p}"));
    for target in exec::targets("all:all") {
        for opt_level in [0, 2] {
            let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]).with_immediates(bytes(words.clone()));
            let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
            let run = exec::run(&module, "main", exec::on(target), &codegen, &mut d, &RunOptions::default());
            run.unwrap_or_else(|p| panic!("{target} -O{opt_level}: {p}"));
            let got = d.words(0, 0).unwrap_or_default();
            assert_eq!(got[0], words[4], "{target} -O{opt_level}");
            let wild: Vec<&u32> = got.iter().filter(|w| !words[4..20].contains(w)).collect();
            assert!(wild.is_empty(), "{target} -O{opt_level}: {wild:x?} are no elements");
        }
    }
}

#[test]
fn all_words_of_many_bytes_beside_other_buffers() {
    let mut cases = Vec::new();
    // Of 512 bytes all at constant offsets; then some also at an index.
    for (count, index) in [(64_u32, false), (128, false), (128, true), (20, false)] {
        for more in [0, 2, 5] {
            let head: String = (1..=more)
                .map(|k| format!("@group(0) @binding({k}) var<storage> b{k}: array<u32, 4>;\n"))
                .chain([format!("var<immediate> p: array<vec4<u32>, {}>;", count / 4)])
                .collect();
            let lane = |k: u32| format!("p[{}].{}", k / 4, ["x", "y", "z", "w"][k as usize % 4]);
            let sum: Vec<String> = (0..count).map(|k| format!("({} ^ {k}u) * {}u", lane(k), 2 * k + 1)).collect();
            let mut body = format!("var s = i;\ns += {};\n", sum.join(";\ns += "));
            (1..=more).for_each(|k| body += &format!("s += b{k}[i % 4u];\n"));
            if index {
                body += &format!("s += p[i % {}u].z;\n", count / 4);
            }
            body += "o[i] = s;";
            let expected = (0..8_u32).map(|i| {
                let fixed = (0..count).fold(i, |s, k| s.wrapping_add((word(k) ^ k).wrapping_mul(2 * k + 1)));
                let others = (1..=more).fold(fixed, |s, k| s.wrapping_add((i % 4 + 1) * k));
                if index { others.wrapping_add(word(i % (count / 4) * 4 + 2)) } else { others }
            });
            let c = case(&head, &body, 8, bytes((0..count).map(word)), expected.collect());
            cases.push(Case { more, ..c });
        }
    }
    check(&cases);
}

#[test]
fn control_flow_by_immediates() {
    // Loops, branches and addresses that depend on them alone, and conversions.
    let head = "struct S { n: u32, first: i32, step: f32, flag: u32 }\nvar<immediate> p: S;";
    let body = "var s = f32(p.first);\nfor (var k = 0u; k < p.n; k++) { if ((p.flag & 1u) != 0u) { s += p.step; } else { s -= 1.0; } }\n\
                if (p.flag > 2u) { s = -s; }\no[(i + p.n) % 8u] = bitcast<u32>(s * f32(i + 1u)) + p.flag;";
    let mut cases = Vec::new();
    for (n, first, step, flag) in [(5_u32, -3_i32, 0.5_f32, 1_u32), (0, 7, 1.5, 3), (3, 100, 8.0, 4)] {
        let mut s = first as f32;
        for _ in 0..n {
            s += if flag & 1 != 0 { step } else { -1.0 };
        }
        let s = if flag > 2 { -s } else { s };
        let mut expected = vec![0; 8];
        (0..8_u32).for_each(|i| expected[((i + n) % 8) as usize] = (s * (i + 1) as f32).to_bits().wrapping_add(flag));
        cases.push(case(head, body, 8, bytes([n, first as u32, step.to_bits(), flag]), expected));
    }
    check(&cases);
}

/// Each entry point has what it uses, and what it does not use nobody has to give.
#[test]
fn entry_points_have_their_own() {
    let source = "struct A { x: u32, y: u32 }\nstruct B { v: vec4<u32> }\nvar<immediate> a: A;\nvar<immediate> b: B;\n\
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
        @compute @workgroup_size(1) fn one() { o[0] = a.y; }\n\
        @compute @workgroup_size(1) fn two() { o[0] = b.v.w; }\n\
        @compute @workgroup_size(1) fn none() { o[0] = 9u; }";
    let options = FrontOptions::default();
    let module = frontend::load(source.as_bytes(), Lang::Wgsl, &options).unwrap_or_else(|d| panic!("{d:?}")).module;
    for target in exec::targets("all:all") {
        let artifact = gpucc::compile(&module, &Options::new(target)).unwrap_or_else(|d| panic!("{target}: {d}"));
        let container = Container::read(&artifact.container().write()).expect("a container");
        let run = |entry: &str, words: Option<&[u32]>| {
            let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0]);
            if let Some(words) = words {
                d = d.with_immediates(bytes(words.iter().copied()));
            }
            let done = gpucc_machines::run(&container, Some(entry), &mut d, &RunOptions::default());
            done.map(|_| d.words(0, 0).unwrap_or_default()[0]).map_err(|t| t.to_string())
        };
        assert_eq!(run("one", Some(&[5, 6])), Ok(6), "{target}");
        assert_eq!(run("two", Some(&[5, 6, 7, 8])), Ok(8), "{target}");
        assert_eq!(run("none", None), Ok(9), "{target}");
        let missing = run("one", None).expect_err("nothing is given");
        assert!(missing.contains("no immediate data is given, the program needs 8 bytes"), "{target}: {missing}");
        let short = run("two", Some(&[5, 6])).expect_err("too little is given");
        assert!(short.contains("immediate data has 8 bytes, the program needs 16"), "{target}: {short}");
        for e in &container.entries {
            let row = e.resources.iter().find(|r| r.kind == ResourceKind::Immediates);
            let size = row.map(|r| ((r.group, r.binding), r.min_size));
            let expected = match e.name.as_str() {
                "one" => Some((IMMEDIATES, 8)),
                "two" => Some((IMMEDIATES, 16)),
                _ => None,
            };
            assert_eq!(size, expected, "{target}: {}", e.name);
        }
    }
}

/// The registers and uniform files that the driver fills are named word by word, and nothing lies in memory that need not.
#[test]
fn words_at_constant_offsets_are_preloaded() {
    let head = "var<immediate> p: array<vec4<u32>, 2>;";
    let c = case(head, "o[i] = p[0].y * i + p[1].x;", 8, Vec::new(), Vec::new());
    for target in exec::targets("gcn,valhall,vivante") {
        let artifact = gpucc::compile_entry(&c.module, "main", &Options::new(target)).unwrap_or_else(|d| panic!("{d}"));
        let preloads = &artifact.container().entries[0].preloads;
        let mut words: Vec<u32> = Vec::new();
        for p in preloads {
            match p.source {
                Source::Immediate(w) => words.push(w),
                Source::BufferAddressLo { group, binding }
                | Source::BufferAddressHi { group, binding }
                | Source::DescriptorWord { group, binding, .. } => {
                    assert_ne!((group, binding), IMMEDIATES, "{target}: {p:?}");
                }
                _ => {}
            }
        }
        words.sort_unstable();
        words.dedup();
        assert_eq!(words, [1, 4], "{target}");
    }
}

/// GLSL text: as std430, which Vulkan's rules give push constants.
#[test]
fn push_constants_of_glsl() {
    let glsl = |layout: &str| {
        let source = format!(
            "#version 450\nlayout(local_size_x = 4) in;\n\
             layout({layout}) uniform P {{ uint n; vec3 v; uint t[8]; }} p;\n\
             layout(std430, set = 0, binding = 0) buffer O {{ uint o[]; }};\n\
             void main() {{ uint i = gl_LocalInvocationIndex; o[i] = p.t[i + p.n] + uint(p.v.z); }}"
        );
        let entry = Some("main".into());
        let options = FrontOptions { entry, glsl: gpucc::glsl::Reader::Naga, ..FrontOptions::default() };
        frontend::load(source.as_bytes(), Lang::GlslCompute, &options).map(|l| (l.module, source))
    };
    let (module, source) = glsl("push_constant, std430").unwrap_or_else(|d| panic!("{d:?}"));
    check(&[Case { module, source, ..block() }]);
    // The parser would take std140.
    let refused = glsl("push_constant").map(|_| ()).expect_err("the offsets are others");
    assert_eq!(refused[0].refusal(), Some(Refusal::GlslPushConstants), "{refused:?}");
}

/// The block `{ uint n; vec3 v; uint t[8]; }` and the results of its programs: `t[i + n] + uint(v.z)`.
fn block() -> Case {
    // `n` at 0, `v` at 4 to 6, `t` from 7 on.
    let mut words: Vec<u32> = (0..15).map(|k| 100 + k).collect();
    (words[0], words[6]) = (2, 40.0_f32.to_bits());
    let expected = (0..4).map(|i| words[7 + i + 2] + 40).collect();
    Case { module: Module::new(), source: String::new(), immediates: bytes(words), expected, more: 0 }
}

/// The module of a SPIR-V text; nothing where there is no assembler.
fn assembled(text: &str, name: &str) -> Option<Vec<u8>> {
    let path = |ending: &str| std::env::temp_dir().join(format!("gpucc-{}-{name}.{ending}", std::process::id()));
    let (from, to) = (path("spvasm"), path("spv"));
    std::fs::write(&from, text).expect("a file is written");
    let Ok(done) = Command::new("spirv-as").arg(&from).arg("-o").arg(&to).output() else {
        eprintln!("skipped: there is no `spirv-as`");
        return None;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(to).ok()
}

/// The block of [`block`] as SPIR-V has it: 60 bytes, which the launch may give exactly.
const SPIRV: &str = "
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\" %index
    OpExecutionMode %main LocalSize 4 1 1
    OpDecorate %index BuiltIn LocalInvocationIndex
    OpDecorate %t ArrayStride 4
    OpMemberDecorate %P 0 Offset 0
    OpMemberDecorate %P 1 Offset 16
    OpMemberDecorate %P 2 Offset 28
    OpDecorate %P Block
    OpDecorate %words ArrayStride 4
    OpMemberDecorate %O 0 Offset 0
    OpDecorate %O BufferBlock
    OpDecorate %o DescriptorSet 0
    OpDecorate %o Binding 0
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %vec3 = OpTypeVector %float 3
    %n0 = OpConstant %uint 0
    %n1 = OpConstant %uint 1
    %n2 = OpConstant %uint 2
    %n8 = OpConstant %uint 8
    %t = OpTypeArray %uint %n8
    %P = OpTypeStruct %uint %vec3 %t
    %to_P = OpTypePointer PushConstant %P
    %to_uint = OpTypePointer PushConstant %uint
    %to_float = OpTypePointer PushConstant %float
    %p = OpVariable %to_P PushConstant
    %words = OpTypeRuntimeArray %uint
    %O = OpTypeStruct %words
    %to_O = OpTypePointer Uniform %O
    %to_word = OpTypePointer Uniform %uint
    %o = OpVariable %to_O Uniform
    %to_index = OpTypePointer Input %uint
    %index = OpVariable %to_index Input
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %i = OpLoad %uint %index
    %p_n = OpAccessChain %to_uint %p %n0
    %n = OpLoad %uint %p_n
    %at = OpIAdd %uint %i %n
    %p_t = OpAccessChain %to_uint %p %n2 %at
    %e = OpLoad %uint %p_t
    %p_v = OpAccessChain %to_float %p %n1 %n2
    %z = OpLoad %float %p_v
    %u = OpConvertFToU %uint %z
    %sum = OpIAdd %uint %e %u
    %o_i = OpAccessChain %to_word %o %n0 %i
    OpStore %o_i %sum
    OpReturn
    OpFunctionEnd";

#[test]
fn push_constants_of_spirv() {
    let Some(words) = assembled(SPIRV, "push") else { return };
    let options = FrontOptions { entry: Some("main".into()), ..FrontOptions::default() };
    let module = frontend::load(&words, Lang::Spirv, &options).unwrap_or_else(|d| panic!("{d:?}")).module;
    let size =
        module.resources.iter().find(|(_, r)| r.kind == gpucc_ir::ResourceKind::Immediates).map(|(_, r)| r.min_size);
    assert_eq!(size, Some(60));
    check(&[Case { module, source: SPIRV.into(), ..block() }]);
}

/// A name, the types and offsets of the members, the bytes of the block.
type Block = (&'static str, &'static [(&'static str, u32)], u32);

/// Blocks of SPIR-V end with their last member, without the padding that WGSL counts; bindings of just that size run.
#[test]
fn bindings_as_large_as_vulkan_wants_them() {
    let members = |list: &[(&str, u32)]| {
        let places: String =
            list.iter().enumerate().map(|(k, (_, at))| format!("OpMemberDecorate %P {k} Offset {at}\n")).collect();
        let types: Vec<&str> = list.iter().map(|m| m.0).collect();
        (places, types.join(" "))
    };
    // The last member's last word is read.
    let cases: [Block; 5] = [
        ("one", &[("%vec3", 0)], 12),
        ("two", &[("%vec3", 0), ("%vec3", 16)], 28),
        ("mixed", &[("%vec4", 0), ("%float", 16)], 20),
        ("array", &[("%float", 0), ("%vecs", 16)], 60),
        ("many", &[("%vecs12", 0), ("%float", 192)], 196),
    ];
    let mut failures = Vec::new();
    for (name, list, size) in cases {
        let (places, types) = members(list);
        for (class, decoration) in [("Uniform", "Block"), ("Uniform", "BufferBlock"), ("PushConstant", "Block")] {
            let last = list.len() - 1;
            let chain = match list[last].0 {
                "%float" => format!("%n{last}"),
                "%vecs" => format!("%n{last} %n2 %n2"),
                _ => format!("%n{last} %n2"),
            };
            let bound = if class == "Uniform" { "OpDecorate %p DescriptorSet 0\nOpDecorate %p Binding 1" } else { "" };
            let text = format!(
                "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
                 OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %vecs ArrayStride 16\nOpDecorate %vecs12 ArrayStride 16\n\
                 {places}OpDecorate %P {decoration}\n{bound}\nOpDecorate %words ArrayStride 4\nOpMemberDecorate %O 0 Offset 0\n\
                 OpDecorate %O BufferBlock\nOpDecorate %o DescriptorSet 0\nOpDecorate %o Binding 0\n\
                 %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n\
                 %vec3 = OpTypeVector %float 3\n%vec4 = OpTypeVector %float 4\n%n0 = OpConstant %uint 0\n\
                 %n1 = OpConstant %uint 1\n%n2 = OpConstant %uint 2\n%n3 = OpConstant %uint 3\n%n12 = OpConstant %uint 12\n\
                 %vecs = OpTypeArray %vec3 %n3\n%vecs12 = OpTypeArray %vec3 %n12\n%P = OpTypeStruct {types}\n\
                 %to_P = OpTypePointer {class} %P\n%to_float = OpTypePointer {class} %float\n%p = OpVariable %to_P {class}\n\
                 %words = OpTypeRuntimeArray %float\n%O = OpTypeStruct %words\n%to_O = OpTypePointer Uniform %O\n\
                 %to_word = OpTypePointer Uniform %float\n%o = OpVariable %to_O Uniform\n%main = OpFunction %void None %fn\n\
                 %entry = OpLabel\n%at = OpAccessChain %to_float %p {chain}\n%x = OpLoad %float %at\n\
                 %o_0 = OpAccessChain %to_word %o %n0 %n0\nOpStore %o_0 %x\nOpReturn\nOpFunctionEnd"
            );
            let Some(words) = assembled(&text, &format!("size-{name}-{class}-{decoration}")) else { return };
            let options = FrontOptions { entry: Some("main".into()), ..FrontOptions::default() };
            let module =
                frontend::load(&words, Lang::Spirv, &options).unwrap_or_else(|d| panic!("{d:?}\n{text}")).module;
            let found = module.resources.iter().find(|(_, r)| (r.group, r.binding) != (0, 0)).map(|(_, r)| r.min_size);
            assert_eq!(found, Some(size), "{name} {class} {decoration}");
            for target in exec::targets("all:all") {
                for opt_level in [0, 2] {
                    let input = bytes((0..size / 4).map(word));
                    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0]);
                    let mut d = if bound.is_empty() { d.with_immediates(input) } else { d.with(0, 1, input) };
                    let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
                    let run = exec::run(&module, "main", exec::on(target), &codegen, &mut d, &RunOptions::default());
                    let got = run.map(|_| d.words(0, 0).unwrap_or_default()).map_err(|p| p.to_string());
                    if got != Ok(vec![word(size / 4 - 1)]) {
                        failures.push(format!("{name} {class} {decoration} {target} -O{opt_level}: {got:x?}"));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
