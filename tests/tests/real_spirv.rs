//! What shaders of real projects do in SPIR-V, each case as small as it can be: what runs gives the results that are computed here, on
//! the interpreter and on the machine of each family; what is refused has the code of what is missing and names the instruction that
//! the module has.
//!
//! Without `glslangValidator` and `spirv-as` nothing is run, and the tests say so.

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_ir::{Class, Diagnostic, Module};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On};

use crate::spirv::{glslang, has, scratch, tool};

/// A module of GLSL, as glslang writes it.
fn compiled(name: &str, source: &str) -> Vec<u8> {
    let path = scratch(&format!("{name}.comp"));
    std::fs::write(&path, source).expect("a file");
    let flags = ["--target-env", "vulkan1.1"];
    glslang(&path.display().to_string(), &flags, &format!("{name}.spv")).unwrap_or_else(|e| panic!("{e}"))
}

/// A module of text.
fn assembled(name: &str, text: &str) -> Vec<u8> {
    let path = scratch(&format!("{name}.spvasm"));
    std::fs::write(&path, text).expect("a file");
    let out = format!("{name}.spv");
    tool("spirv-as", &["--target-env", "spv1.3", &path.display().to_string()], &out).unwrap_or_else(|e| panic!("{e}"))
}

fn load(bytes: &[u8], overrides: &[(&str, f64)]) -> Result<Module, Vec<Diagnostic>> {
    let overrides = overrides.iter().map(|o| (o.0.to_string(), o.1)).collect();
    let options = FrontOptions { overrides, ..FrontOptions::default() };
    frontend::load(bytes, Lang::Spirv, &options).map(|l| l.module)
}

/// Runs one workgroup everywhere; `expected` is the first buffer afterwards.
fn runs(name: &str, bytes: &[u8], overrides: &[(&str, f64)], buffers: &[&[u32]], expected: &[u32]) {
    let module = load(bytes, overrides).unwrap_or_else(|d| panic!("{name} {overrides:?}: {d:?}"));
    let entry = module.entries[0].name.clone();
    let machines = exec::targets("all").into_iter().map(exec::on);
    for on in std::iter::once(On::Interp).chain(machines) {
        for opt_level in [0, 2] {
            let mut d = Dispatch::new([1, 1, 1]);
            for (k, words) in buffers.iter().enumerate() {
                d = d.with_u32(0, k as u32, words);
            }
            let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
            exec::run(&module, &entry, on, &codegen, &mut d, &RunOptions::default())
                .unwrap_or_else(|p| panic!("{name} {overrides:?} {on} -O{opt_level}: {p}"));
            let got = d.words(0, 0).expect("bound above");
            assert_eq!(got, expected, "{name} {overrides:?} {on} -O{opt_level}");
        }
    }
}

/// Division by a specialisation constant whose default is 0: with a value it is what the value says, without one the module still
/// compiles.
#[test]
fn division_by_a_specialisation_constant() {
    if !has("glslangValidator") {
        return;
    }
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
    if !has("spirv-as") {
        return;
    }
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
    if !has("glslangValidator") {
        return;
    }
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
