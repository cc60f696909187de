//! Each word of a SPIR-V module is obeyed or refused by its name: decorations, operand bits, barriers, initial values, the order of blocks.
//!
//! Without `glslangValidator`, `spirv-opt` and `spirv-as` (Debian: `glslang-tools`, `spirv-tools`) nothing is run, and the tests say so.

use crate::common::lower;
use gpucc_glsl::need;
use gpucc_ir::{Class, FpFlags, Interface, IoAt, Module, Op, StageInfo, Where};
use gpucc_sim::Dispatch;
use gpucc_sim::texture::{Dim, Format, Image, Sampler};

/// A module of GLSL; `stage` as glslang calls it.
#[track_caller]
fn glsl(name: &str, stage: &str, source: &str) -> Vec<u8> {
    gpucc_glsl::module(&format!("{name}.{stage}"), "vulkan1.2", &format!("#version 450\n{source}"))
}

/// The same after spirv-opt.
#[track_caller]
fn optimised(name: &str, stage: &str, source: &str) -> Vec<u8> {
    gpucc_glsl::optimised(name, &glsl(name, stage, source))
}

/// SPIR-V assembly with a buffer `%a` of words at `0:0` around declarations and the body of `main`; `%p0` to `%p3` are its first words.
#[track_caller]
fn assembled(name: &str, [capabilities, annotations, types, body]: [&str; 4]) -> Vec<u8> {
    let capabilities: String = capabilities.split_whitespace().map(|c| format!("OpCapability {c}\n")).collect();
    let chains: String = (0..4).map(|n| format!("%p{n} = OpAccessChain %pu %a %u0 %u{n}\n")).collect();
    let source = format!(
        "OpCapability Shader\n{capabilities}OpExtension \"SPV_KHR_storage_buffer_storage_class\"\n\
         OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n%ext = OpExtInstImport \"GLSL.std.450\"\n\
         OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n\
         OpName %a \"words\"\nOpDecorate %list ArrayStride 4\nOpMemberDecorate %B 0 Offset 0\nOpDecorate %B Block\n\
         OpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0\n{annotations}\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n\
         %bool = OpTypeBool\n%u = OpTypeInt 32 0\n%i = OpTypeInt 32 1\n%f = OpTypeFloat 32\n%u0 = OpConstant %u 0\n\
         %u1 = OpConstant %u 1\n%u2 = OpConstant %u 2\n%u3 = OpConstant %u 3\n%list = OpTypeRuntimeArray %u\n%B = OpTypeStruct %list\n\
         %pB = OpTypePointer StorageBuffer %B\n%pu = OpTypePointer StorageBuffer %u\n%a = OpVariable %pB StorageBuffer\n{types}\n\
         %main = OpFunction %void None %fn\n%entry = OpLabel\n{chains}{body}\nOpReturn\nOpFunctionEnd\n"
    );
    gpucc_glsl::assembled(name, "spv1.4", &source)
}

#[track_caller]
fn module(bytes: &[u8]) -> Module {
    let module = lower(bytes).unwrap_or_else(|list| panic!("{} {:?}", list[0], list[0].notes));
    if let Err(findings) = gpucc_ir::verify::verify_module(&module) {
        panic!("{}\n{}", findings[0], gpucc_ir::text::module_text(&module));
    }
    module
}

/// The message of a refusal.
#[track_caller]
fn refused(bytes: &[u8]) -> String {
    let list = lower(bytes).expect_err("refused");
    assert_eq!(list[0].class, Class::Unsupported, "{} {:?}", list[0], list[0].notes);
    list[0].message.clone()
}

/// The words of the buffer `0:0` after a run on the oracle.
#[track_caller]
fn words(bytes: &[u8], mut dispatch: Dispatch) -> Vec<u32> {
    crate::common::run_module(&module(bytes), &mut dispatch);
    dispatch.words(0, 0).expect("bound")
}

fn given(words: &[u32]) -> Dispatch {
    Dispatch::new([1; 3]).with_u32(0, 0, words)
}

/// An optimiser puts the merge block of a loop in front of the loop's body: cases of a switch there fell through as if nothing were around
/// them.
#[test]
fn blocks_stand_in_any_order() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let bodies = [
        "while (true) { if (i++ >= 1) break; switch (p) { case 10: if (p + i == 11) continue; break; case 0: g += 20; default: ; } }",
        "while (true) { if (i++ >= 2) break; switch (p) { case 10: if (i == 1) continue; g += 3; break; default: g += 100; case 0: g += 20;
         case 5: g ^= 1; break; case 99: continue; } g *= 2; }",
        "for (i = 0; i < 2; i++) { int j = 0; while (true) { if (j++ > 1) break; switch (p) { case 0: g += 1; case 5: if (j == 1) continue;
         g += 10; default: g += 100; } } if (p == 99) break; }",
    ];
    for (n, body) in bodies.into_iter().enumerate() {
        let source = format!(
            "layout(local_size_x = 4) in; layout(std430, set=0, binding=0) buffer A {{ int a[]; }};
             void main() {{ uint l = gl_LocalInvocationID.x; int p = a[l]; int g = 7; int i = 0; {body} a[l] = g; }}"
        );
        let name = format!("order{n}");
        let input = [0, 10, 5, 99];
        let plain = words(&glsl(&name, "comp", &source), given(&input));
        assert_eq!(words(&optimised(&name, "comp", &source), given(&input)), plain, "{body}");
        assert!(n != 0 || plain == [27, 7, 7, 7], "{plain:?}");
    }
}

/// Decorations that no step reads are refused by name, with what has them.
#[test]
fn decorations_are_known_or_refused() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let body = "%x = OpLoad %u %p1\n%y = OpConvertUToF %f %x\n%z = OpFConvert %h %y\n%w = OpFConvert %f %z\n%v = OpConvertFToU %u %w\nOpStore %p0 %v";
    let with = |name: &str, annotation: &str| {
        assembled(name, ["Float16 Kernel Linkage", annotation, "%h = OpTypeFloat 16", body])
    };
    for (n, (annotation, message)) in [
        ("OpDecorate %v SaturatedConversion", "`OpDecorate SaturatedConversion`"),
        ("OpMemberDecorate %B 0 Patch", "`OpMemberDecorate Patch`"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = refused(&with(&format!("decorated{n}"), annotation));
        assert!(text.starts_with(message), "{text}");
    }
    let harmless = "OpDecorate %z FPRoundingMode RTE\nOpDecorate %y RelaxedPrecision\nOpDecorate %a Restrict";
    assert_eq!(words(&with("harmless", harmless), given(&[0, 9, 0, 0]))[0], 9);
    // 2051 is between two halves: the nearest even one is above it, zero is below.
    for (mode, rounded) in [("RTE", 2052), ("RTZ", 2050)] {
        let decoration = format!("OpDecorate %z FPRoundingMode {mode}");
        assert_eq!(words(&with(&format!("round{mode}"), &decoration), given(&[0, 2051, 0, 0]))[0], rounded);
    }
    let fast = "OpDecorate %y FPFastMathMode Fast";
    assert_eq!(words(&with("fast", fast), given(&[0, 9, 0, 0]))[0], 9);
}

fn interface(m: &Module) -> &Interface {
    match &m.entries[0].stage {
        StageInfo::Vertex(io) | StageInfo::Fragment { io, .. } => io,
        _ => panic!("a stage without an interface"),
    }
}

/// Where a varying is interpolated is apart from how.
#[test]
fn places_of_interpolation() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let fragment = "layout(location=0) in vec2 a; layout(location=1) centroid in vec2 b; layout(location=2) sample in vec2 d;
        layout(location=3) noperspective centroid in vec2 e; layout(location=4) flat in vec2 f; layout(location=0) out vec4 c;
        void main() { c = vec4(a + b, d + e + f); }";
    let vertex =
        "layout(location=0) out vec2 a; layout(location=1) centroid out vec2 b; layout(location=2) sample out vec2 d;
        layout(location=3) noperspective centroid out vec2 e; layout(location=4) flat out vec2 f;
        void main() { gl_Position = vec4(0); a = b = d = e = f = vec2(1); }";
    let wanted = [
        (0, "perspective", Where::Center),
        (1, "perspective", Where::Centroid),
        (2, "perspective", Where::Sample),
        (3, "linear", Where::Centroid),
        (4, "flat", Where::Center),
    ];
    for (stage, source) in [("frag", fragment), ("vert", vertex)] {
        let m = module(&glsl("places", stage, source));
        let io = interface(&m);
        let slots = if stage == "frag" { &io.inputs } else { &io.outputs };
        let mut found: Vec<_> = slots
            .iter()
            .filter_map(|s| match s.at {
                IoAt::Location { number, .. } => Some((number, s.interp.mode.name(), s.interp.at)),
                _ => None,
            })
            .collect();
        found.sort_by_key(|f| f.0);
        assert_eq!(found, wanted, "{stage}");
    }
}

/// How many float operations of a module may be contracted, and how many may not.
fn contracted(m: &Module) -> [usize; 2] {
    let mut counts = [0; 2];
    for f in m.funcs.values() {
        for d in f.insts.values().filter(|d| matches!(d.op, Op::FMul | Op::FAdd)) {
            counts[usize::from(!d.fp.has(FpFlags::CONTRACT))] += 1;
        }
    }
    counts
}

#[test]
fn what_is_precise_is_not_contracted() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let head = "layout(std430, set=0, binding=0) buffer A { float a[]; }; layout(std430, set=0, binding=1) buffer B { float b[]; };";
    let precise =
        format!("{head} void main() {{ precise float x = a[0] * a[1] + a[2]; a[3] = x; b[4] = b[5] * b[6] + b[7]; }}");
    assert_eq!(contracted(&module(&glsl("precise", "comp", &precise))), [2, 2]);
    let matrix = format!(
        "{head} void main() {{ precise vec2 v = mat2(a[0], a[1], a[2], a[3]) * vec2(a[4], a[5]); a[6] = v.x; b[0] = b[1] + b[2]; }}"
    );
    let counts = contracted(&module(&glsl("matrix", "comp", &matrix)));
    assert_eq!(counts[0], 1, "only the last sum may be contracted: {counts:?}");
    // A value that two programs compute alike is the same in both.
    let vertex = |word: &str| {
        format!("{word} gl_Position; layout(location=0) in vec4 a; void main() {{ gl_Position = a * a + a; }}")
    };
    assert_eq!(contracted(&module(&glsl("invariant", "vert", &vertex("invariant"))))[0], 0);
}

/// Blocks in workgroup memory that lie over one another.
#[test]
fn aliases_lie_over_one_another() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let annotations = "OpDecorate %W Block\nOpMemberDecorate %W 0 Offset 0\nOpDecorate %H Block\nOpMemberDecorate %H 0 Offset 64\n\
        OpDecorate %w32 ArrayStride 4\nOpDecorate %w16 ArrayStride 4\n";
    let types = "%n32 = OpConstant %u 32\n%n16 = OpConstant %u 16\n%w32 = OpTypeArray %u %n32\n%w16 = OpTypeArray %u %n16\n\
        %W = OpTypeStruct %w32\n%H = OpTypeStruct %w16\n%pW = OpTypePointer Workgroup %W\n%pH = OpTypePointer Workgroup %H\n\
        %pwu = OpTypePointer Workgroup %u\n%whole = OpVariable %pW Workgroup\n%half = OpVariable %pH Workgroup";
    let body = "%h0 = OpAccessChain %pwu %half %u0 %u0\nOpStore %h0 %u1\n%w16p = OpAccessChain %pwu %whole %u0 %n16\n%x = OpLoad %u %w16p\nOpStore %p0 %x";
    let aliased = format!("{annotations}OpDecorate %whole Aliased\nOpDecorate %half Aliased");
    let bytes = assembled("aliased", ["WorkgroupMemoryExplicitLayoutKHR", &aliased, types, body]);
    assert_eq!(words(&bytes, given(&[0; 4]))[0], 1);
    let alone = "%h0 = OpAccessChain %pwu %half %u0 %u0\nOpStore %h0 %u3\n%x = OpLoad %u %h0\nOpStore %p0 %x";
    let one = format!("{annotations}OpDecorate %half Aliased");
    let bytes = assembled("alone", ["WorkgroupMemoryExplicitLayoutKHR", &one, types, alone]);
    assert_eq!(words(&bytes, given(&[0; 4]))[0], 3);
}

/// `Ldexp` has an exponent of any width.
#[test]
fn exponents_of_every_width() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    for (width, capability) in [(8, "Int8"), (16, "Int16"), (64, "Int64")] {
        let types = format!(
            "%e = OpTypeInt {width} 1\n%f15 = OpConstant %f 1.5\n%v2 = OpTypeVector %f 2\n%e2 = OpTypeVector %e 2\n%v = OpConstantComposite %v2 %f15 %f15"
        );
        let body = "%x = OpLoad %u %p0\n%xi = OpBitcast %i %x\n%xe = OpSConvert %e %xi\n%r = OpExtInst %f %ext Ldexp %f15 %xe\n%b = OpBitcast %u %r\nOpStore %p1 %b\n\
            %y = OpLoad %u %p3\n%yi = OpBitcast %i %y\n%ye = OpSConvert %e %yi\n%both = OpCompositeConstruct %e2 %xe %ye\n\
            %r2 = OpExtInst %v2 %ext Ldexp %v %both\n%last = OpCompositeExtract %f %r2 1\n%b2 = OpBitcast %u %last\nOpStore %p2 %b2";
        let bytes = assembled(&format!("ldexp{width}"), [capability, "", &types, body]);
        let found = words(&bytes, given(&[3, 0, 0, -2i32 as u32]));
        assert_eq!(found[1..3], [12.0f32.to_bits(), 0.375f32.to_bits()], "{width}");
    }
    // Far beyond every float, in both directions.
    let types = "%e = OpTypeInt 64 1\n%f15 = OpConstant %f 1.5\n%n40 = OpConstant %u 40";
    let body = "%x = OpLoad %u %p0\n%xe = OpSConvert %e %x\n%big = OpShiftLeftLogical %e %xe %n40\n%low = OpSNegate %e %big\n\
        %r = OpExtInst %f %ext Ldexp %f15 %big\n%b = OpBitcast %u %r\nOpStore %p1 %b\n%s = OpExtInst %f %ext Ldexp %f15 %low\n%t = OpBitcast %u %s\nOpStore %p2 %t";
    let found = words(&assembled("ldexp-far", ["Int64", "", types, body]), given(&[1, 0, 0, 0]));
    assert_eq!(found[1..3], [f32::INFINITY.to_bits(), 0]);
}

/// A function may end without a value that nobody uses.
#[test]
fn functions_without_a_return() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let bodies = [
        "if (a[0] > 0) return 1;",
        "while (a[0] > 0) { return 1; }",
        "for (int i = 0; i < 4; i++) { if (a[i] == 3) return i; }",
        "do { if (a[0] > 0) return 1; } while (true);",
        "switch (a[0]) { case 1: return 1; case 2: return 5; }",
        "for (int i = 0; i < 4; i++) { switch (a[i]) { case 3: return i; default: break; } }",
    ];
    for (n, body) in bodies.into_iter().enumerate() {
        let source = format!(
            "layout(local_size_x=1) in; layout(set=0,binding=0) buffer A {{ int a[]; }};
             int f() {{ {body} }} void main() {{ a[4] = f(); }}"
        );
        let input = [1, 3, 7, 7, 0];
        let name = format!("falls{n}");
        for bytes in [glsl(&name, "comp", &source), optimised(&name, "comp", &source)] {
            assert_eq!(words(&bytes, given(&input))[4], 1, "{body}");
        }
    }
}

/// Three layers of 4 by 4 texels with a number each.
fn numbers() -> Image {
    let mut image = Image::new(Format::R32Float, false, [4, 4, 3], 1, 1);
    for (n, texel) in image.bytes.chunks_exact_mut(4).enumerate() {
        texel.copy_from_slice(&(n as f32).to_le_bytes());
    }
    image
}

/// Offsets of fetches are part of the place, layers are rounded.
#[test]
fn offsets_and_layers() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let head = "#extension GL_EXT_samplerless_texture_functions : enable
        layout(std430, set=0, binding=0) buffer A { float a[]; }; layout(set=0, binding=1) uniform texture2DArray t;
        layout(set=0, binding=2) uniform sampler s;";
    let input = || given(&[1, 0, 0, 0]).with_texture(0, 1, numbers(), Dim::D2).with_sampler(0, 2, Sampler::default());
    let f = |words: Vec<u32>| words.into_iter().map(f32::from_bits).collect::<Vec<f32>>();
    let fetch = format!(
        "{head} void main() {{ int n = floatBitsToInt(a[0]); a[1] = texelFetchOffset(t, ivec3(n, n, 2), 0, ivec2(1, 2)).x;
         a[2] = texelFetchOffset(t, ivec3(n, 2, n), 0, ivec2(2, -1)).x; }}"
    );
    let found = f(words(&glsl("fetch", "comp", &fetch), input()));
    assert_eq!(found[1..3], [(2 * 16 + 3 * 4 + 2) as f32, (16 + 4 + 3) as f32]);
    let layer = format!(
        "{head} void main() {{ float l = float(floatBitsToInt(a[0])); vec2 at = vec2(0.125);
         a[1] = textureLod(sampler2DArray(t, s), vec3(at, l + 0.75), 0.0).x; a[2] = textureLod(sampler2DArray(t, s), vec3(at, l + 0.25), 0.0).x;
         a[3] = textureLod(sampler2DArray(t, s), vec3(at, l - 7.0), 0.0).x; }}"
    );
    let found = f(words(&glsl("layer", "comp", &layer), input()));
    assert_eq!(found[1..4], [32.0, 16.0, 0.0]);
    let offset = format!(
        "{head} void main() {{ ivec2 by = floatBitsToInt(vec2(a[0], a[1])); a[1] = textureGatherOffset(sampler2DArray(t, s), vec3(0.5, 0.5, 1.0), by).x; }}"
    );
    // The texels 1 and 2 in x and y, moved by one in x; the first of a gather is the one on the left and below.
    let found = f(words(&glsl("gather", "comp", &offset), input()));
    assert_eq!(found[1], (16 + 2 * 4 + 2) as f32);
}

/// Barriers that wait for others than the workgroup.
#[test]
fn barriers_of_other_scopes() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let with = |name: &str, scope: u32| {
        let body = format!("%scope = OpCopyObject %u %u0\nOpControlBarrier %s{scope} %s2 %sem\nOpStore %p0 %u1");
        let types = format!("%s{scope} = OpConstant %u {scope}\n%sem = OpConstant %u 264");
        let types = if scope == 2 { types } else { format!("{types}\n%s2 = OpConstant %u 2") };
        assembled(name, ["", "", &types, &body])
    };
    assert_eq!(words(&with("workgroup", 2), given(&[0; 4]))[0], 1);
    for (scope, name) in [(1, "Device"), (5, "QueueFamily")] {
        let text = refused(&with(name, scope));
        assert!(text.starts_with(&format!("`OpControlBarrier {name}`")), "{text}");
    }
}

/// Outputs begin with what the module says.
#[test]
fn outputs_begin_with_a_value() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\" %out\nOpExecutionMode %main OriginUpperLeft\n\
        OpDecorate %out Location 0\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%f = OpTypeFloat 32\n%x = OpConstant %f 0.625\n\
        %po = OpTypePointer Output %f\n%out = OpVariable %po Output %x\n%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
    let m = module(&gpucc_glsl::assembled("begin", "spv1.3", text));
    let text = gpucc_ir::text::module_text(&m);
    assert!(text.contains("init x0000203f"), "{text}");
}

/// Constants stand in any order, and values are given to them by number or name in any order; of two the last one counts.
#[test]
fn constants_in_any_order() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let annotations =
        "OpName %third \"width\"\nOpDecorate %first SpecId 9\nOpDecorate %third SpecId 2\nOpDecorate %second SpecId 5";
    let types = "%second = OpSpecConstant %u 20\n%sum = OpSpecConstantOp %u IAdd %second %u3\n%first = OpSpecConstant %u 10\n\
        %twice = OpSpecConstantOp %u IMul %sum %first\n%third = OpSpecConstant %u 30\n%last = OpSpecConstantOp %u ISub %twice %third";
    let body = "OpStore %p0 %last\nOpStore %p1 %first\nOpStore %p2 %second\nOpStore %p3 %third";
    let bytes = assembled("shuffled", ["", annotations, types, body]);
    let run = |given: &[(&str, f64)]| {
        let overrides = given.iter().map(|g| (g.0.to_string(), g.1)).collect();
        let options = gpucc_frontend_spirv::Options { overrides, ..gpucc_frontend_spirv::Options::default() };
        let parsed = gpucc_frontend_spirv::parse(&bytes).expect("a module");
        let module = gpucc_frontend_spirv::lower(&parsed, &options).unwrap_or_else(|list| panic!("{}", list[0]));
        let mut dispatch = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 4]);
        crate::common::run_module(&module, &mut dispatch);
        dispatch.words(0, 0).expect("bound")
    };
    assert_eq!(run(&[]), [23 * 10 - 30, 10, 20, 30]);
    assert_eq!(run(&[("width", 7.0), ("9", 2.0), ("5", 1.0)]), [4 * 2 - 7, 2, 1, 7]);
    assert_eq!(run(&[("5", 1.0), ("2", 8.0), ("9", 2.0), ("width", 3.0), ("5", 6.0)]), [9 * 2 - 3, 2, 6, 3]);
    let list = gpucc_frontend_spirv::parse(&bytes).expect("a module").overrides();
    let known: Vec<_> = list.iter().map(|o| (o.name.as_deref(), o.id)).collect();
    assert_eq!(known, [(None, Some(5)), (None, Some(9)), (Some("width"), Some(2))]);
}

/// A feature that a stage does not have is told, wherever it stands.
#[test]
fn stages_have_what_they_have() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let text = |model: &str, call: &str| {
        format!(
            "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint {model} %main \"main\"\n\
             OpExecutionMode %main OriginUpperLeft\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n\
             %f = OpTypeFloat 32\n%ff = OpTypeFunction %f %f\n%one = OpConstant %f 1\n%u2 = OpConstant %u 2\n%sem = OpConstant %u 264\n\
             %other = OpFunction %f None %ff\n%x = OpFunctionParameter %f\n%c = OpLabel\n{call}\nOpReturnValue %x\nOpFunctionEnd\n\
             %main = OpFunction %void None %fn\n%b = OpLabel\n%r = OpFunctionCall %f %other %one\nOpReturn\nOpFunctionEnd\n"
        )
    };
    for (n, (model, call)) in
        [("Fragment", "OpControlBarrier %u2 %u2 %sem"), ("Vertex", "%d = OpDPdx %f %x"), ("Vertex", "OpKill")]
            .iter()
            .enumerate()
    {
        let mut text = text(model, call);
        if *call == "OpKill" {
            text = text.replace("OpKill\nOpReturnValue %x", "OpKill");
        }
        if *model == "Vertex" {
            text = text.replace("OpExecutionMode %main OriginUpperLeft\n", "");
        }
        let bytes = gpucc_glsl::assembled(&format!("stage{n}"), "spv1.3", &text);
        let list = lower(&bytes).expect_err("its stage has none");
        assert_eq!(list[0].class, Class::Invalid, "{model} {call}: {}", list[0]);
    }
}

/// The operand of a vector insertion may be a variable in a wrong module, or a struct.
#[test]
fn parts_of_vectors_are_components() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let types = "%v = OpTypeVector %u 2\n%v0 = OpConstantNull %v\n%S = OpTypeStruct %u %u\n%s0 = OpConstantNull %S";
    for (n, part) in ["%a", "%s0", "%v0", "%p0"].iter().enumerate() {
        let body = format!("%x = OpCompositeInsert %v {part} %v0 1");
        let list = lower(&assembled(&format!("part{n}"), ["", "", types, &body])).expect_err("no component");
        assert_eq!(list[0].class, Class::Invalid, "{part}: {}", list[0]);
    }
}

/// An input that is not listed has the location of one that is, and components beyond it.
#[test]
fn inputs_are_listed() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    for (n, listed) in ["%x", "%x %y"].iter().enumerate() {
        let text = format!(
            "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\" {listed}\n\
             OpExecutionMode %main OriginUpperLeft\nOpDecorate %x Location 0\nOpDecorate %y Location 0\nOpDecorate %y Component 3\n\
             %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%f = OpTypeFloat 32\n%v = OpTypeVector %f 3\n\
             %pv = OpTypePointer Input %v\n%pf = OpTypePointer Input %f\n%x = OpVariable %pv Input\n%y = OpVariable %pf Input\n\
             %main = OpFunction %void None %fn\n%b = OpLabel\n%l = OpLoad %f %y\nOpReturn\nOpFunctionEnd\n"
        );
        let bytes = gpucc_glsl::assembled(&format!("listed{n}"), "spv1.3", &text);
        match lower(&bytes) {
            Ok(_) => assert_eq!(n, 1, "{listed}"),
            Err(list) => assert_eq!((n, list[0].class), (0, Class::Invalid), "{listed}: {}", list[0]),
        }
    }
}

/// Two entry points of one name and stage cannot be told apart.
#[test]
fn entry_points_have_names_of_their_own() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let bytes = assembled("twice", ["", "", "", "OpStore %p0 %u1"]);
    let words: Vec<u32> = bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("four bytes"))).collect();
    let mut at = 5;
    while words[at] & 0xffff != 15 {
        at += (words[at] >> 16) as usize;
    }
    let entry = words[at..at + (words[at] >> 16) as usize].to_vec();
    let mut twice = words.clone();
    twice.splice(at..at, entry);
    let bytes: Vec<u8> = twice.iter().flat_map(|w| w.to_le_bytes()).collect();
    let list = lower(&bytes).expect_err("two entry points");
    assert!(list[0].class == Class::Invalid && list[0].message.contains("another `main`"), "{}", list[0]);
}

/// Outputs that lie over one another: the words of the later one stand there.
#[test]
fn outputs_over_one_another() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let source = "layout(location=0) out vec4 a; layout(location=1) out float b; void main() { gl_Position = vec4(0); a = vec4(2); b = 3.0; }";
    let bytes = glsl("overlap", "vert", source);
    let mut words: Vec<u32> = bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("four bytes"))).collect();
    let mut at = 5;
    while at < words.len() {
        // OpDecorate X Location 1
        if words[at] == 4 << 16 | 71 && words[at + 2..at + 4] == [30, 1] {
            words[at + 3] = 0;
        }
        at += (words[at] >> 16) as usize;
    }
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let m = module(&bytes);
    let at = |s: &&gpucc_ir::IoSlot| s.at == IoAt::location(0);
    assert_eq!(interface(&m).outputs.iter().find(at).map(|s| s.ty.lanes()), Some(4));
}

/// The type that takes an image from its sampler is that of the image.
#[test]
fn images_keep_their_type() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let types = "%flat = OpTypeImage %f 2D 0 0 0 1 Unknown\n%deep = OpTypeImage %f 3D 0 0 0 1 Unknown\n%both = OpTypeSampledImage %flat\n\
        %pt = OpTypePointer UniformConstant %both\n%t = OpVariable %pt UniformConstant";
    let annotations = "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 4";
    let with = |ty: &str| {
        let body = format!("%x = OpLoad %both %t\n%y = OpImage %{ty} %x");
        lower(&assembled(ty, ["", annotations, types, &body]))
    };
    assert!(with("flat").is_ok());
    let list = with("deep").expect_err("it is wrong");
    assert_eq!(list[0].class, Class::Invalid);
    assert!(list[0].message.contains("its type is not that of the image"), "{}", list[0]);
}

/// Minima and maxima read the bits as they say, not as the type of the memory says.
#[test]
fn minima_and_maxima_of_the_other_sign() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let body = "%ra = OpAtomicSMax %u %p0 %u1 %u0 %u1\n%b = OpAtomicUMax %u %p1 %u1 %u0 %u1\n\
        %c = OpAtomicSMin %u %p2 %u1 %u0 %u1\n%d = OpAtomicUMin %u %p3 %u1 %u0 %u1";
    let minus = u32::MAX;
    assert_eq!(words(&assembled("signs", ["", "", "", body]), given(&[minus; 4])), [1, minus, minus, 1]);
}

/// Products of 64 bits have 128.
#[test]
fn wide_products_of_64_bits() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let types = "%l = OpTypeInt 64 0\n%both = OpTypeStruct %l %l\n%n32 = OpConstant %u 32";
    let body = "%x = OpLoad %u %p0\n%w = OpUConvert %l %x\n%sh = OpShiftLeftLogical %l %w %n32\n%r = OpUMulExtended %both %sh %sh\n\
        %low = OpCompositeExtract %l %r 0\n%high = OpCompositeExtract %l %r 1\n%h1 = OpShiftRightLogical %l %high %n32\n\
        %s0 = OpUConvert %u %low\n%s1 = OpUConvert %u %high\n%s2 = OpUConvert %u %h1\nOpStore %p1 %s0\nOpStore %p2 %s1\nOpStore %p3 %s2";
    // (2^32 - 1)^2 * 2^64: the lower half is 0, the upper one 0xfffffffe_00000001.
    let bytes = assembled("wide", ["Int64", "", types, body]);
    assert_eq!(words(&bytes, given(&[u32::MAX, 7, 7, 7]))[1..], [0, 1, 0xffff_fffe]);
}

/// A capability that is newer than the tables says nothing of the code.
#[test]
fn capabilities_that_nobody_knows() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let mut bytes = assembled("newer", ["Int64", "", "", "OpStore %p0 %u3"]);
    let int64 = [2u32 << 16 | 17, 11].map(u32::to_le_bytes).concat();
    let at = bytes.windows(8).position(|w| w == int64).expect("the capability");
    bytes[at + 4..at + 8].copy_from_slice(&6912u32.to_le_bytes());
    assert_eq!(words(&bytes, given(&[0; 4]))[0], 3);
}

/// A scalar is not constructed from parts.
#[test]
fn scalars_are_no_composites() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let types = "%image = OpTypeImage %f 2D 0 0 0 1 Unknown";
    for (n, ty) in ["bool", "u", "f", "image", "void"].into_iter().enumerate() {
        for (k, op) in
            ["OpConstantComposite", "OpSpecConstantComposite", "OpCompositeConstruct"].into_iter().enumerate()
        {
            let line = format!("%none = {op} %{ty}");
            let (declared, body) = if k < 2 { (format!("{types}\n{line}"), "") } else { (types.into(), line.as_str()) };
            let list = lower(&assembled(&format!("composite{n}{k}"), ["", "", &declared, body])).expect_err(&line);
            assert_eq!(list[0].class, Class::Invalid, "{line}: {}", list[0]);
        }
    }
}

/// A built-in output belongs to its stage: another entry point may list it, and does not write it.
#[test]
fn outputs_belong_to_their_stage() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    for (n, (model, mode, built_in)) in [
        ("GLCompute", "LocalSize 1 1 1", "FragDepth"),
        ("GLCompute", "LocalSize 1 1 1", "PointSize"),
        ("Fragment", "OriginUpperLeft", "PointSize"),
        ("Vertex", "", "FragDepth"),
    ]
    .into_iter()
    .enumerate()
    {
        let mode = if mode.is_empty() { String::new() } else { format!("OpExecutionMode %main {mode}\n") };
        let text = format!(
            "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint {model} %main \"main\" %out\n{mode}\
             OpDecorate %out BuiltIn {built_in}\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%f = OpTypeFloat 32\n\
             %pf = OpTypePointer Output %f\n%out = OpVariable %pf Output\n%one = OpConstant %f 1\n\
             %main = OpFunction %void None %fn\n%b = OpLabel\nOpStore %out %one\nOpReturn\nOpFunctionEnd\n"
        );
        let [list, listed] = [text.as_str(), &text.replace("OpStore %out %one\n", "")]
            .map(|text| lower(&gpucc_glsl::assembled(&format!("gives{n}"), "spv1.3", text)));
        listed.unwrap_or_else(|list| panic!("{model} {built_in}: {}", list[0]));
        let list = list.expect_err("its stage gives none");
        assert_eq!(list[0].class, Class::Invalid, "{model} {built_in}: {}", list[0]);
        assert!(list[0].message.contains(&format!("no {built_in}")), "{}", list[0]);
    }
}

/// A constant is made of constants: an output is none.
#[test]
fn outputs_are_no_constants() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\" %out\nOpExecutionMode %main OriginUpperLeft\n\
                OpDecorate %out Location 0\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%pu = OpTypePointer Output %u\n\
                %out = OpVariable %pu Output\n%one = OpConstant %u 1\n%sum = OpSpecConstantOp %u IAdd %out %one\n\
                %main = OpFunction %void None %fn\n%b = OpLabel\nOpStore %out %sum\nOpReturn\nOpFunctionEnd\n";
    let list = lower(&gpucc_glsl::assembled("constant", "spv1.3", text)).expect_err("it is wrong");
    assert_eq!(list[0].class, Class::Invalid, "{}", list[0]);
}

/// Image instructions fit the type of the image: multisampled texels are only fetched, cubes are only sampled.
#[test]
fn images_are_asked_what_they_answer() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let sampled = "%s = OpSampledImage %sampled %x %y\n";
    for (n, (image, asks, fits)) in [
        ("2D 0 0 1 1 Unknown", "%q = OpImageSampleExplicitLod %v4 %s %at2 Lod %zero", false),
        ("2D 0 0 1 1 Unknown", "%q = OpImageGather %v4 %s %at2 %u1", false),
        ("2D 0 0 1 1 Unknown", "%q = OpImageQueryLevels %i %x", false),
        ("2D 0 0 1 1 Unknown", "%q = OpImageQuerySamples %i %x", true),
        ("3D 0 0 0 1 Unknown", "%q = OpImageGather %v4 %s %at3 %u1", false),
        ("Cube 0 0 0 1 Unknown", "%q = OpImageGather %v4 %s %at3 %u1", true),
        ("Cube 0 0 0 1 Unknown", "%q = OpImageFetch %v4 %x %texel", false),
        ("2D 0 0 0 1 Unknown", "%q = OpImageGather %v4 %s %at2 %u1", true),
        ("2D 0 0 0 1 Unknown", "%q = OpImageGather %v2 %s %at2 %u1", false),
        ("2D 0 0 0 1 Unknown", "%q = OpImageGather %v2 %s %at2 %u1 ConstOffsets %four", false),
        ("2D 0 0 0 1 Unknown", "%q = OpImageGather %v4 %s %at2 %u1 ConstOffsets %four", true),
    ]
    .into_iter()
    .enumerate()
    {
        let types = format!(
            "%image = OpTypeImage %f {image}\n%sampled = OpTypeSampledImage %image\n%sampler = OpTypeSampler\n\
             %pimage = OpTypePointer UniformConstant %image\n%psampler = OpTypePointer UniformConstant %sampler\n\
             %t = OpVariable %pimage UniformConstant\n%z = OpVariable %psampler UniformConstant\n%v2 = OpTypeVector %f 2\n\
             %v3 = OpTypeVector %f 3\n%v4 = OpTypeVector %f 4\n%i3 = OpTypeVector %i 3\n%zero = OpConstant %f 0\n\
             %at2 = OpConstantNull %v2\n%at3 = OpConstantNull %v3\n%texel = OpConstantNull %i3\n\
             %i2 = OpTypeVector %i 2\n%u4 = OpConstant %u 4\n%offsets = OpTypeArray %i2 %u4\n%o = OpConstantNull %i2\n\
             %four = OpConstantComposite %offsets %o %o %o %o"
        );
        let annotations = "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 1\nOpDecorate %z DescriptorSet 0\nOpDecorate %z Binding 2";
        let body = format!("%x = OpLoad %image %t\n%y = OpLoad %sampler %z\n{sampled}{asks}");
        let lowered =
            lower(&assembled(&format!("asked{n}"), ["ImageQuery ImageGatherExtended", annotations, &types, &body]));
        match lowered {
            Ok(_) if fits => {}
            Err(list) if !fits => assert_eq!(list[0].class, Class::Invalid, "{image} {asks}: {}", list[0]),
            Ok(_) => panic!("{image}: {asks} is read"),
            Err(list) => panic!("{image} {asks}: {}", list[0]),
        }
    }
}

/// Counts of bits and differences of pointers are integers.
#[test]
fn counts_are_integers() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    for (n, (ty, fits)) in [("u", true), ("i", true), ("f", false), ("bool", false)].into_iter().enumerate() {
        for (k, counts) in ["%n = OpBitCount %T %u3", "%n = OpPtrDiff %T %p1 %p2"].into_iter().enumerate() {
            let body = counts.replace("%T", &format!("%{ty}"));
            let bytes = assembled(&format!("count{n}{k}"), ["VariablePointersStorageBuffer", "", "", &body]);
            match lower(&bytes) {
                Ok(_) if fits => {}
                Err(list) if !fits => assert_eq!(list[0].class, Class::Invalid, "{body}: {}", list[0]),
                Ok(_) => panic!("{body} is read"),
                Err(list) => panic!("{body}: {}", list[0]),
            }
        }
    }
}

/// A rotation reads the lane so many behind the own one, around the end of the subgroup or of its part.
#[test]
fn lanes_rotate() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let source = "OpCapability Shader\nOpCapability GroupNonUniform\nOpCapability GroupNonUniformRotateKHR
        OpExtension \"SPV_KHR_subgroup_rotate\"\nOpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %id %size\nOpExecutionMode %main LocalSize 64 1 1
        OpDecorate %id BuiltIn LocalInvocationIndex\nOpDecorate %size BuiltIn SubgroupSize
        OpDecorate %list ArrayStride 4\nOpMemberDecorate %B 0 Offset 0\nOpDecorate %B Block\nOpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0
        %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%u0 = OpConstant %u 0\n%u3 = OpConstant %u 3\n%u4 = OpConstant %u 4
        %u5 = OpConstant %u 5\n%u64 = OpConstant %u 64\n%u128 = OpConstant %u 128\n%list = OpTypeRuntimeArray %u\n%B = OpTypeStruct %list
        %pB = OpTypePointer StorageBuffer %B\n%pu = OpTypePointer StorageBuffer %u\n%pin = OpTypePointer Input %u
        %a = OpVariable %pB StorageBuffer\n%id = OpVariable %pin Input\n%size = OpVariable %pin Input
        %main = OpFunction %void None %fn\n%entry = OpLabel\n%l = OpLoad %u %id\n%s = OpLoad %u %size
        %whole = OpGroupNonUniformRotateKHR %u %u3 %l %u5\n%part = OpGroupNonUniformRotateKHR %u %u3 %l %u3 %u4
        %l2 = OpIAdd %u %l %u64\n%p = OpAccessChain %pu %a %u0 %l\n%q = OpAccessChain %pu %a %u0 %l2\n%r = OpAccessChain %pu %a %u0 %u128
        OpStore %p %whole\nOpStore %q %part\nOpStore %r %s\nOpReturn\nOpFunctionEnd\n";
    let m = module(&gpucc_glsl::assembled("rotate", "spv1.4", source));
    let mut dispatch = gpucc_sim::Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 129]);
    crate::common::run_module(&m, &mut dispatch);
    let words = dispatch.words(0, 0).expect("bound");
    let size = words[128];
    assert!(size.is_power_of_two() && size > 4, "{size}");
    for l in 0..64 {
        assert_eq!(words[l as usize], l / size * size + (l + 5) % size, "lane {l}");
        assert_eq!(words[64 + l as usize], l / 4 * 4 + (l + 3) % 4, "lane {l}");
    }
}

/// A module without an entry point is to be linked with others: it is no mistake, and there is nothing to compile.
#[test]
fn modules_to_be_linked_are_refused() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let list = lower(&gpucc_glsl::assembled(
        "linked",
        "spv1.3",
        "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n",
    ))
    .expect_err("nothing to lower");
    assert_eq!((list[0].class, list[0].code), (Class::Unsupported, "no-entry-point"), "{}", list[0]);
}

/// A mode takes its licences from floats of its own width alone; a conversion has two.
#[test]
fn modes_of_one_width_leave_the_others() {
    need!("glslangValidator", "spirv-opt", "spirv-as");
    let body = "%x = OpLoad %u %p1\n%y = OpConvertUToF %f %x\n%z = OpFConvert %h %y\n%w = OpFAdd %h %z %z\n%v = OpFMul %f %y %y\n\
        %hw = OpFConvert %f %w\n%o = OpFAdd %f %hw %v\n%r = OpConvertFToU %u %o\nOpStore %p0 %r";
    let (loose, contract) = (FpFlags::LOOSE, FpFlags::CONTRACT);
    for (n, (mode, half, single)) in [
        ("RoundingModeRTE 16", loose, loose),
        ("SignedZeroInfNanPreserve 16", contract, loose),
        ("SignedZeroInfNanPreserve 32", loose, contract),
        ("DenormFlushToZero 16", contract, loose),
        ("DenormPreserve 32", loose, contract),
        ("RoundingModeRTZ 32", loose, contract),
    ]
    .into_iter()
    .enumerate()
    {
        let capability = mode.split(' ').next().expect("a word");
        let capabilities = format!("Float16 {capability}");
        let annotation = format!("OpExecutionMode %main {mode}");
        let bytes = assembled(&format!("width{n}"), [&capabilities, &annotation, "%h = OpTypeFloat 16", body]);
        let m = module(&bytes);
        let f = m.funcs.values().next().expect("a function");
        let found = |op: Op, bits: u32| {
            let d = f.insts.values().find(|d| d.op == op && f.ty(d.result()).bits() == bits);
            d.unwrap_or_else(|| panic!("{mode}: no {op} of {bits} bits\n{m}")).fp
        };
        assert_eq!((found(Op::FAdd, 16), found(Op::FMul, 32)), (half, single), "{mode}");
        assert_eq!(found(Op::F2F, 16), half.and(single), "{mode}");
    }
}
