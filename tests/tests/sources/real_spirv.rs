//! Tests of SPIR-V forms of real projects, each case as small as it can be. Cases that run give the results that are computed here, on
//! the interpreter and on the machine of each family; refused cases have the code of the missing feature and name the instruction of the
//! module.
//!
//! Without `glslangValidator` and `spirv-as` nothing is run, and the tests say so.

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_ir::{self as ir, Class, Diagnostic, Module};
use gpucc_sim::texture::{Dim, Format, Image};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::everywhere::Everywhere;
use gpucc_tests::exec::{self, On};

use gpucc_glsl::need;

/// A module of GLSL, as glslang writes it.
fn compiled(name: &str, source: &str) -> Vec<u8> {
    gpucc_glsl::module(&format!("{name}.comp"), "vulkan1.1", source)
}

/// A module of text.
fn assembled(name: &str, text: &str) -> Vec<u8> {
    gpucc_glsl::assembled(name, "spv1.3", text)
}

fn load(bytes: &[u8], overrides: &[(&str, f64)]) -> Result<Module, Vec<Diagnostic>> {
    let overrides = overrides.iter().map(|o| (o.0.to_string(), o.1)).collect();
    let options = FrontOptions { overrides, ..FrontOptions::default() };
    frontend::load(bytes, Lang::Spirv, &options).map(|l| l.module)
}

/// Runs one workgroup everywhere; `expected` is the first buffer afterwards.
fn runs(name: &str, bytes: &[u8], overrides: &[(&str, f64)], buffers: &[&[u32]], expected: &[u32]) {
    let module = load(bytes, overrides).unwrap_or_else(|d| panic!("{name} {overrides:?}: {d:?}"));
    everywhere(&format!("{name} {overrides:?}"), &module, buffers, expected);
}

/// Arrays of buffers at an index that lanes differ in, on every machine.
#[test]
fn arrays_of_buffers() {
    need!("glslangValidator");
    let source = "#version 450
        #extension GL_EXT_nonuniform_qualifier : require
        layout(local_size_x = 3) in;
        layout(std430, set = 0, binding = 0) buffer O { uint r[]; } o;
        layout(std430, set = 0, binding = 1) buffer B { uint n; uint d[]; } b[3];
        layout(std140, set = 0, binding = 2) uniform U { uint w; } u[2];
        void main() {
            uint l = gl_LocalInvocationID.x, k = o.r[l];
            b[nonuniformEXT(k)].d[0] = 7u + k;
            o.r[l] = b[nonuniformEXT(k)].d[1] + 1000u * uint(b[nonuniformEXT(k)].d.length())
                + 100000u * u[nonuniformEXT(l & 1u)].w + 10000u * b[nonuniformEXT(k)].d[0];
        }";
    let module = load(&compiled("arrays", source), &[]).expect("it is right");
    let at = |binding, k| ir::element_binding(binding, k).expect("small numbers");
    let buffers: [(u32, &[u32]); 6] = [
        (0, &[2, 0, 1]),
        (at(1, 0), &[0, 1, 11]),
        (at(1, 1), &[0, 2, 12, 0]),
        (at(1, 2), &[0, 3, 13, 0, 0]),
        (at(2, 0), &[1, 0, 0, 0]),
        (at(2, 1), &[2, 0, 0, 0]),
    ];
    bound("arrays", &module, &buffers, &[194013, 272011, 183012]);
}

/// A uniform buffer and a texel buffer at one binding, on every machine: one texel of the first row, and one of the second.
#[test]
fn a_buffer_and_texels_at_one_binding() {
    need!("glslangValidator");
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) uniform usamplerBuffer t;
        layout(set = 0, binding = 0) uniform U { uint x; } u;
        layout(std430, set = 0, binding = 1) buffer O { uint r[]; } o;
        void main() {
            o.r[0] = texelFetch(t, int(u.x)).x; o.r[1] = texelFetch(t, int(u.x) + 4096).x;
            o.r[2] = uint(textureSize(t)); o.r[3] = u.x;
        }";
    let module = load(&compiled("one_binding", source), &[]).expect("it is right");
    let mut image = Image::new(Format::R32Uint, false, [4096, 2, 1], 1, 1);
    image.bytes = (0..2 * 4096u32).flat_map(|k| (k * 3).to_le_bytes()).collect();
    let machines = exec::targets("all").into_iter().map(exec::on);
    for on in std::iter::once(On::Interp).chain(machines) {
        let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[5, 0, 0, 0]).with_u32(0, 1, &[0; 4]);
        let mut d = d.with_texture(0, 0, image.clone(), Dim::D2);
        let codegen = CodegenOptions { opt_level: 2, ..CodegenOptions::default() };
        exec::run(&module, "main", on, &codegen, &mut d, &RunOptions::default())
            .unwrap_or_else(|p| panic!("{on}: {p}"));
        assert_eq!(d.words(0, 1).expect("bound above"), [15, 3 * 4101, 8192, 5], "{on}");
    }
}

/// As [`runs`] for a module that is lowered.
fn everywhere(name: &str, module: &Module, buffers: &[&[u32]], expected: &[u32]) {
    let buffers: Vec<(u32, &[u32])> = buffers.iter().enumerate().map(|(k, words)| (k as u32, *words)).collect();
    bound(name, module, &buffers, expected);
}

/// As [`everywhere`] with buffers by binding.
fn bound(name: &str, module: &Module, buffers: &[(u32, &[u32])], expected: &[u32]) {
    let mut d = Dispatch::new([1, 1, 1]);
    for (binding, words) in buffers {
        d = d.with_u32(0, *binding, words);
    }
    let judge = |words: &[u32]| (words != expected).then(|| format!("{name}: {words:?} is not {expected:?}"));
    Everywhere::new(module).targets("all").judge(&d, judge);
}

/// Division by a specialisation constant whose default is 0: with a value it is what the value says, without one the module still
/// compiles.
#[test]
fn division_by_a_specialisation_constant() {
    need!("glslangValidator");
    let source = "#version 450
layout(local_size_x = 8) in; layout(constant_id = 3) const int g = 0; layout(constant_id = 4) const uint h = 0;
layout(set = 0, binding = 0) buffer A { int a[]; };
void main() {
    int i = int(gl_LocalInvocationID.x);
    a[i] = (i * 5 - 9) / g;
    a[i + 8] = (i * 5 - 9) % g;
    a[i + 16] = int((uint(i) * 7u) / h);
    a[i + 24] = h == 0u ? -1 : int((uint(i) * 7u) % h);
    a[i + 32] = int((uvec2(uint(i), 9u) / uvec2(3u, h)).y) + (i << h);
    if (g != 0) { a[i + 40] = 100 / g; }
}";
    let bytes = compiled("division", source);
    for (g, h) in [(0i32, 0u32), (4, 3), (-3, 1), (7, 40)] {
        // glslang makes `OpSMod` of `%`: the remainder has the sign of the divisor.
        let floor = |n: i32| (f64::from(n) / f64::from(g)).floor() as i32;
        let of = |n: i32| if g == 0 { (n, 0) } else { (n / g, n - g * floor(n)) };
        let unsigned = |n: u32| n.checked_div(h).unwrap_or(n);
        let mut want = vec![77u32; 48];
        for i in 0..8i32 {
            let at = i as usize;
            (want[at], want[at + 8]) = (of(i * 5 - 9).0 as u32, of(i * 5 - 9).1 as u32);
            want[at + 16] = unsigned(i as u32 * 7);
            want[at + 24] = (i as u32 * 7).checked_rem(h).unwrap_or(u32::MAX);
            want[at + 32] = unsigned(9).wrapping_add((i as u32) << (h & 31));
            if g != 0 {
                want[at + 40] = (100 / g) as u32;
            }
        }
        let values = [("3", f64::from(g)), ("4", f64::from(h))];
        let given: &[(&str, f64)] = if g == 0 { &[] } else { &values };
        runs("division", &bytes, given, &[&[77; 48]], &want);
    }
}

/// A size that is 0 unless it is given a value.
#[test]
fn an_array_as_long_as_a_specialisation_constant() {
    need!("spirv-as");
    let text = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %n SpecId 0
OpDecorate %id BuiltIn LocalInvocationId
OpDecorate %words ArrayStride 4
OpMemberDecorate %B 0 Offset 0
OpDecorate %B BufferBlock
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%n = OpSpecConstant %uint 0
%u0 = OpConstant %uint 0
%u3 = OpConstant %uint 3
%arr = OpTypeArray %uint %n
%parr = OpTypePointer Workgroup %arr
%pw = OpTypePointer Workgroup %uint
%shared = OpVariable %parr Workgroup
%words = OpTypeRuntimeArray %uint
%B = OpTypeStruct %words
%pB = OpTypePointer Uniform %B
%pu = OpTypePointer Uniform %uint
%b = OpVariable %pB Uniform
%pin = OpTypePointer Input %v3
%id = OpVariable %pin Input
%main = OpFunction %void None %fn
%entry = OpLabel
%v = OpLoad %v3 %id
%i = OpCompositeExtract %uint %v 0
%own = OpAccessChain %pw %shared %i
OpStore %own %n
%x = OpLoad %uint %own
%y = OpIAdd %uint %x %i
%at = OpAccessChain %pu %b %u0 %i
OpStore %at %y
OpReturn
OpFunctionEnd";
    let bytes = assembled("length", text);
    runs("length", &bytes, &[("0", 4.0)], &[&[0; 4]], &[4, 5, 6, 7]);
    let list = load(&bytes, &[]).expect_err("an array without elements");
    assert!(list.iter().all(|d| d.class != Class::Internal), "{list:?}");
}

/// Conversions of specialisation constants are done before naga reads the module.
#[test]
fn conversions_of_specialisation_constants() {
    need!("glslangValidator");
    let source = "#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 1) in; layout(constant_id = 0) const float f = 2.5; layout(constant_id = 1) const int n = -7;
layout(set = 0, binding = 0) buffer A { float a[]; };
void main() { float16_t h = float16_t(f); float back = float(h) * 2.0; a[0] = float(h * float16_t(3.0)); a[1] = back; a[2] = float(uint(n) >> 30u); }";
    let bytes = compiled("conversions", source);
    for (f, n) in [(2.5f32, -7i32), (1.0 / 3.0, 5)] {
        use gpucc_num::{Round::Nearest, convert as c};
        let h = c::f16_to_f32(c::f32_to_f16(Nearest, f));
        let triple = c::f16_to_f32(c::f32_to_f16(Nearest, h * 3.0));
        let want = [triple, h * 2.0, (n as u32 >> 30) as f32].map(f32::to_bits);
        let values = [("0", f64::from(f)), ("1", f64::from(n))];
        runs("conversions", &bytes, if n < 0 { &[] } else { &values }, &[&[0; 3]], &want);
    }
}

const HEAD: &str = "#version 450\nlayout(local_size_x = 8) in;\n";

/// Infinite constants alone, in vectors and in loops, as initial values, and NaN.
#[test]
fn infinite_and_nan_constants() {
    need!("glslangValidator");
    let source = format!(
        "{HEAD}layout(set = 0, binding = 0) buffer A {{ float a[]; }};
float g = 1.0 / 0.0;
float worst() {{ return -1.0 / 0.0; }}
void main() {{
    uint i = gl_LocalInvocationID.x;
    float m = worst();
    for (uint k = 0u; k < i; ++k) {{ m = max(m, a[k + 8u]); }}
    if (i == 3u) {{ m = 1.0 / 0.0; }}
    a[i] = m;
    a[i + 16u] = vec4(1.0, 2.0 / 0.0, -1.0 / 0.0, 3.0)[i & 3u];
    float n = 0.0 / 0.0;
    a[i + 24u] = n == n ? 1.0 : 2.0;
    a[i + 32u] = i < 4u ? g : float(i);
}}"
    );
    let bytes = compiled("infinite", &source);
    let mut a: Vec<f32> = vec![0.0; 40];
    a[8..16].copy_from_slice(&[-4.0, -7.5, 2.0, 1.0, 9.0, 0.0, 0.0, 5.0]);
    let mut want = a.clone();
    for i in 0..8 {
        let most = a[8..8 + i].iter().fold(f32::NEG_INFINITY, |m, x| m.max(*x));
        want[i] = if i == 3 { f32::INFINITY } else { most };
        want[i + 16] = [1.0, f32::INFINITY, f32::NEG_INFINITY, 3.0][i & 3];
        want[i + 24] = 2.0;
        want[i + 32] = if i < 4 { f32::INFINITY } else { i as f32 };
    }
    let bits = |list: &[f32]| list.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
    runs("infinite", &bytes, &[], &[&bits(&a)], &bits(&want));
    for (value, less) in [(2.5, 1u32), (-1.0, 0)] {
        // By a specialisation constant the quotient is one only when it runs.
        let source = format!(
            "{HEAD}layout(constant_id = 0) const float f = 1.0; layout(set = 0, binding = 0) buffer A {{ uint a[]; }};
void main() {{ a[gl_LocalInvocationID.x] = f * (1.0 / 0.0) > 0.0 ? 1u : 0u; }}"
        );
        let bytes = compiled("infinite2", &source);
        runs("infinite2", &bytes, &[("0", value)], &[&[7; 8]], &[less; 8]);
    }
}

/// Two variables on one binding are views of the same words: what one writes the other reads, in order.
#[test]
fn two_views_of_one_buffer() {
    need!("glslangValidator");
    for (first, second) in [("", ""), ("readonly ", ""), ("", "restrict ")] {
        let written = if first.is_empty() { "a[i * 4u] = float(i) + 0.5;" } else { "" };
        let source = format!(
            "{HEAD}layout(set = 0, binding = 0) {first}buffer A {{ float a[]; }};
layout(set = 0, binding = 0) {second}buffer B {{ vec4 b[]; }};
layout(set = 0, binding = 1) buffer C {{ uint c[2]; }};
void main() {{
    uint i = gl_LocalInvocationID.x;
    {written}
    vec4 v = b[i];
    v.y = v.x + 1.0;
    b[i] = v;
    float x = a[i * 4u + 1u];
    b[i].z = x * 2.0;
    b[i].w = a[i * 4u + 2u] + a[i * 4u + 1u];
    if (i == 7u) {{ c[1] = uint(a.length()) * 1000u + uint(b.length()); }}
}}"
        );
        let bytes = compiled("views", &source);
        let a: Vec<f32> = (0..32).map(|k| k as f32 * 3.0).collect();
        let mut want = a.clone();
        for i in 0..8 {
            let x = if first.is_empty() { i as f32 + 0.5 } else { a[i * 4] };
            want[i * 4..i * 4 + 4].copy_from_slice(&[x, x + 1.0, (x + 1.0) * 2.0, (x + 1.0) * 3.0]);
        }
        let bits = |list: &[f32]| list.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
        runs("views", &bytes, &[], &[&bits(&a), &[0; 2]], &bits(&want));
        let module = load(&bytes, &[]).expect("it ran");
        assert_eq!(module.resources.len(), 2, "one resource for each binding");
    }
}

/// Bits of two halves in a word, both ways, and a scalar that is normalised.
#[test]
fn casts_of_halves_and_scalar_normalize() {
    need!("glslangValidator");
    let source = "#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer A { uint a[]; };
void main() {
    uint i = gl_LocalInvocationID.x;
    f16vec2 h = unpackFloat2x16(a[i]);
    a[i] = packFloat2x16(h.yx);
    a[i + 8u] = packFloat2x16(h * float16_t(2.0));
    a[i + 16u] = floatBitsToUint(normalize(float(h.x)));
}";
    let bytes = compiled("halves", source);
    use gpucc_num::{Round::Nearest, convert as c};
    let half = |x: f32| u32::from(c::f32_to_f16(Nearest, x));
    let pairs = [
        (1.0f32, -2.0f32),
        (0.5, 3.0),
        (-0.25, 1024.0),
        (-7.0, 0.125),
        (100.0, 6e-5),
        (2.0, 2.0),
        (-1.5, 9.0),
        (3.0, 4.0),
    ];
    let word = |(x, y): (f32, f32)| half(x) | half(y) << 16;
    let mut a = vec![0u32; 24];
    let mut want = a.clone();
    for (i, &(x, y)) in pairs.iter().enumerate() {
        let y = if y == 6e-5 { 6.103_515_6e-5 } else { y };
        a[i] = word((x, y));
        want[i] = word((y, x));
        want[i + 8] = word((x * 2.0, y * 2.0));
        want[i + 16] = x.signum().to_bits();
    }
    runs("halves", &bytes, &[], &[&a], &want);
}

/// A shader that is not compiled is not wrong: it is refused with the code of what is missing, and the instruction that is named is one of the
/// module.
#[test]
fn refused_with_the_code_of_what_is_missing() {
    need!("glslangValidator");
    let buffer = "layout(set = 0, binding = 0) buffer A { float a[]; };";
    let with = |extensions: &str, declarations: &str, body: &str| {
        let list: String = extensions.split_whitespace().map(|e| format!("#extension {e} : require\n")).collect();
        format!("#version 450\n{list}layout(local_size_x = 8) in;\n{buffer}\n{declarations}\nvoid main() {{ {body} }}")
    };
    let cases = [
        (
            with("GL_NV_shader_subgroup_partitioned", "", "a[0] = float(subgroupPartitionNV(a[1]).x);"),
            "subgroups",
            "`OpGroupNonUniformPartitionEXT`",
        ),
        (
            with("", "layout(set = 0, binding = 1) buffer B { float b[]; } list[90];", "list[1].b[0] = a[0];"),
            "binding-arrays",
            "of an array of 90 buffers",
        ),
    ];
    for (n, (source, code, named)) in cases.iter().enumerate() {
        let list = load(&compiled(&format!("missing{n}"), source), &[]).expect_err(source);
        let first = &list[0];
        assert_eq!((first.class, first.code), (Class::Unsupported, *code), "{source}\n{first}");
        assert!(first.message.contains(named), "{source}\n{first}");
    }
}

/// Images, and textures apart from their samplers, as glslang writes them.
#[test]
fn images_and_textures() {
    need!("glslangValidator");
    let cases = [
        ("rgba8) writeonly uniform image2D s;", "imageStore(s, ivec2(0), vec4(a[0]));", "= image_store"),
        ("r32f) coherent uniform image2D s;", "a[0] = imageLoad(s, ivec2(0)).x;", "image_load"),
        ("set = 0) uniform sampler2D s;", "a[0] = textureLod(s, vec2(a[1]), 0.0).x;", "sampler res"),
        (
            "set = 0) uniform sampler2D s[4];",
            "a[0] = textureLod(s[int(a[2]) & 3], vec2(a[1]), 0.0).x;",
            "texture_index",
        ),
        ("set = 0) uniform sampler2DShadow s;", "a[0] = textureLod(s, vec3(a[1]), 0.0);", "shadow"),
        (
            "set = 0) uniform sampler2D s; float g(sampler2D t, float x) { return textureLod(t, vec2(x), 0.0).x; }",
            "a[0] = g(s, a[1]);",
            "sampler res",
        ),
        ("r32i) uniform iimage2D s;", "a[0] = float(imageSize(s).x);", "tex_query"),
    ];
    for (n, (declared, statement, wanted)) in cases.iter().enumerate() {
        let source = format!(
            "#version 450\nlayout(local_size_x = 8) in;\nlayout(set = 0, binding = 0) buffer A {{ float a[]; }};\n\
             layout(set = 0, binding = 1, {declared}\nvoid main() {{ {statement} }}"
        );
        let module = load(&compiled(&format!("image{n}"), &source), &[]).unwrap_or_else(|e| panic!("{}", e[0]));
        let text = gpucc_ir::text::module_text(&module);
        assert!(text.contains(wanted.trim_start_matches("= ")), "{text}");
    }
}

/// An operation between lanes, an empty struct, and what begins as zero in workgroup memory.
#[test]
fn text_of_others() {
    need!("spirv-as");
    let shader = |types: &str, body: &str, more: &str| {
        format!(
            "OpCapability Shader\nOpCapability GroupNonUniform\nOpCapability GroupNonUniformArithmetic\nOpMemoryModel Logical GLSL450\n\
             OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\nOpDecorate %words ArrayStride 4\n\
             OpMemberDecorate %B 0 Offset 0\nOpDecorate %B BufferBlock\nOpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0\n{more}\n\
             %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n%z = OpConstant %float 0\n\
             %u0 = OpConstant %uint 0\n%u3 = OpConstant %uint 3\n%words = OpTypeRuntimeArray %uint\n%B = OpTypeStruct %words\n\
             %pB = OpTypePointer Uniform %B\n%pu = OpTypePointer Uniform %uint\n%b = OpVariable %pB Uniform\n{types}\n\
             %main = OpFunction %void None %fn\n%entry = OpLabel\n{body}\nOpReturn\nOpFunctionEnd"
        )
    };
    let scan = shader("", "%s = OpGroupNonUniformFAdd %float %u3 ExclusiveScan %z", "");
    load(&assembled("scan", &scan), &[]).unwrap_or_else(|list| panic!("a scan: {}", list[0]));
    let empty = shader("%e = OpTypeStruct\n%pe = OpTypePointer Private %e\n%v = OpVariable %pe Private", "", "");
    load(&assembled("empty", &empty), &[]).unwrap_or_else(|list| panic!("a struct without members: {}", list[0]));
    let zeros = shader(
        "%pair = OpTypeArray %uint %u3\n%zeros = OpConstantComposite %pair %u0 %u0 %u0\n%pw = OpTypePointer Workgroup %pair\n\
         %pwu = OpTypePointer Workgroup %uint\n%w = OpVariable %pw Workgroup %zeros",
        "%p = OpAccessChain %pwu %w %u0\n%x = OpLoad %uint %p\n%y = OpIAdd %uint %x %u3\n%at = OpAccessChain %pu %b %u0 %u0\n\
         OpStore %at %y",
        "",
    );
    let zeros = assembled("zeros", &zeros);
    runs("zeros", &zeros, &[], &[&[9]], &[3]);
    // The module asks for its zeros itself: they do not hang on robustness.
    let options = FrontOptions { robust: false, ..FrontOptions::default() };
    let module = frontend::load(&zeros, Lang::Spirv, &options).unwrap_or_else(|d| panic!("{}", d[0])).module;
    everywhere("zeros, not robust", &module, &[&[9]], &[3]);
    // Operations on constants with paths and lanes.
    let lists = shader(
        "%v3 = OpTypeVector %uint 3\n%pair = OpTypeArray %v3 %u3\n%s = OpSpecConstant %uint 7\n%u9 = OpConstant %uint 9\n\
         %a = OpConstantComposite %v3 %u3 %u9 %u0\n%all = OpConstantComposite %pair %a %a %a\n\
         %put = OpSpecConstantOp %pair CompositeInsert %s %all 1 2\n%x = OpSpecConstantOp %uint CompositeExtract %put 1 2\n\
         %y = OpSpecConstantOp %v3 CompositeExtract %put 1\n%mix = OpSpecConstantOp %v3 VectorShuffle %a %y 5 1 3\n\
         %w = OpSpecConstantOp %uint CompositeExtract %mix 0\n%v = OpSpecConstantOp %uint IAdd %x %w",
        "%at = OpAccessChain %pu %b %u0 %u0\nOpStore %at %v",
        "OpDecorate %s SpecId 3",
    );
    let lists = assembled("lists", &lists);
    runs("lists", &lists, &[], &[&[0]], &[14]);
    runs("lists", &lists, &[("3", 20.0)], &[&[0]], &[40]);
}
