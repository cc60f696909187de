//! Forms of Vulkan GLSL, each as one line, as real shaders have them: they are read, or refused by the code that is theirs. What they give
//! stands in the other files.

use crate::common::lower;
use crate::forms::{all_glsl, glsl, module};
use gpucc_glsl::Source;
use gpucc_ir::{Class, Refusal as R};

/// Extensions, stage, declarations, the body of `main`, and the code of those that are refused.
type Line = (&'static str, &'static str, &'static str, &'static str, Option<R>);

const SAMPLERLESS: &str = "GL_EXT_samplerless_texture_functions";
const HALVES: &str = "GL_EXT_shader_explicit_arithmetic_types";

#[rustfmt::skip]
const LINES: &[Line] = &[
    // Interfaces.
    ("", "frag", "", "gl_SampleMask[0] = gl_SampleMaskIn[0];", None),
    ("", "vert", "layout(location = 0) out float f;", "f = 1.0;", None),
    ("", "vert", "out V { layout(location = 0) vec2 uv; layout(location = 1) mat3 n; layout(location = 4) float w[3]; } v; layout(location = 0) in mat4 m; layout(location = 4) in vec2 w[2];", "gl_Position = m[0] + w[1].xyxy; v.uv = w[0]; v.n = mat3(m); v.w[2] = w[1].x;", None),
    ("", "frag", "layout(location = 1) in vec2 j; layout(location = 1, component = 2) in vec2 k; layout(location = 0) out vec4 c;", "c = vec4(j, k);", None),
    ("", "frag", "layout(location = 0) flat sample in int a; layout(location = 0) out ivec4 c;", "c = ivec4(a);", None),
    ("", "vert", "layout(location = 0) flat out ivec2 a; layout(location = 1) out uint b;", "gl_Position = vec4(0); a = ivec2(gl_VertexIndex); b = 3u;", None),
    ("GL_ARB_shader_viewport_layer_array", "vert", "", "gl_Position = vec4(0); gl_Layer = 1;", None),
    ("GL_ARB_shader_viewport_layer_array", "vert", "", "gl_Position = vec4(0); gl_ViewportIndex = 1;", None),
    ("GL_ARB_shader_draw_parameters", "vert", "", "gl_Position = vec4(gl_BaseVertexARB);", None),
    ("GL_ARB_shader_draw_parameters", "vert", "", "gl_Position = vec4(gl_DrawIDARB);", None),
    ("GL_ARB_shader_draw_parameters", "vert", "", "gl_Position = vec4(gl_BaseInstanceARB);", None),
    ("", "frag", "layout(location = 0) out vec4 c; int f() { return gl_Layer + gl_ViewportIndex; }", "c = vec4(f());", None),
    ("", "vert", "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };", "gl_Position = vec4(0); gl_ClipDistance[0] = 1.0; gl_ClipDistance[1] = 2.0;", None),
    ("", "frag", "in float gl_ClipDistance[2]; layout(location = 0) out vec4 c;", "c = vec4(gl_ClipDistance[1]);", None),
    ("", "vert", "out float gl_CullDistance[2];", "gl_Position = vec4(0); gl_CullDistance[1] = 1.0;", None),
    ("GL_EXT_multiview", "vert", "", "gl_Position = vec4(gl_ViewIndex);", None),
    ("GL_EXT_device_group", "vert", "", "gl_Position = vec4(gl_DeviceIndex);", None),
    ("", "frag", "layout(location = 0) out vec4 c;", "c = vec4(gl_SamplePosition, gl_PointCoord);", None),
    ("", "frag", "layout(location = 0) out vec4 c;", "c = vec4(gl_PointCoord, 0, 1);", None),
    ("", "vert", "layout(location = 0) in float s;", "gl_Position = vec4(0); gl_PointSize = s;", None),
    ("", "frag", "layout(location = 0) out vec4 c;", "c = vec4(gl_HelperInvocation);", None),
    ("", "frag", "layout(location = 0) out vec4 c; bool f() { return gl_HelperInvocation; }", "c = vec4(f());", None),
    ("GL_EXT_fragment_shader_barycentric", "frag", "layout(location = 0) out vec4 c;", "c = vec4(gl_BaryCoordEXT, 1.0);", None),
    ("GL_ARB_shader_stencil_export", "frag", "", "gl_FragStencilRefARB = 3;", None),
    ("GL_ARB_post_depth_coverage", "frag", "layout(early_fragment_tests) in; layout(post_depth_coverage) in; layout(location = 0) out vec4 c;", "c = vec4(gl_SampleMaskIn[0]);", Some(R::PostDepthCoverage)),
    ("", "frag", "layout(location = 0) in vec4 a; layout(location = 0) out vec4 c;", "c = interpolateAtCentroid(a);", None),
    ("", "frag", "layout(location = 0) in vec4 a; layout(location = 0) out vec4 c;", "c = interpolateAtSample(a, 1);", None),
    ("", "frag", "layout(location = 0) in vec4 a; layout(location = 0) out vec4 c;", "c = interpolateAtOffset(a, vec2(0.25));", None),
    // Images.
    ("", "frag", "layout(binding = 0) uniform sampler2D t[4]; layout(binding = 1) uniform U { int i; }; layout(location = 0) out vec4 c; vec4 f(sampler2D s[4], int k) { return texture(s[k], vec2(0.5)); }", "c = texture(t[i], vec2(0.5)) + f(t, 2);", None),
    ("GL_EXT_nonuniform_qualifier", "frag", "layout(binding = 0) uniform sampler2D t[4]; layout(location = 0) flat in int i; layout(location = 0) out vec4 c;", "c = texture(t[nonuniformEXT(i)], vec2(0.5));", None),
    ("GL_EXT_nonuniform_qualifier", "frag", "layout(binding = 0) uniform sampler2D t[]; layout(location = 0) flat in int i; layout(location = 0) out vec4 c;", "c = texture(t[nonuniformEXT(i)], vec2(0.5));", None),
    ("", "frag", "layout(binding = 0) uniform texture2D t; layout(binding = 1) uniform sampler s; layout(binding = 2) uniform samplerShadow z; layout(location = 0) out vec4 c;", "c = texture(sampler2D(t, s), vec2(0.5)) + texture(sampler2DShadow(t, z), vec3(0.5));", None),
    ("", "frag", "layout(binding = 0) uniform sampler1DArray a; layout(binding = 1) uniform samplerCubeArray b; layout(location = 0) out vec4 c;", "c = texture(a, vec2(0.5), 1.0) + textureOffset(a, vec2(0.5), 1) + textureGrad(b, vec4(0.5), vec3(0.1), vec3(0.2)) + textureLod(b, vec4(1.0), 2.0);", None),
    (SAMPLERLESS, "frag", "layout(binding = 0) uniform texture2DMSArray t; layout(location = 0) out vec4 c;", "c = texelFetch(t, ivec3(1, 2, 3), 1);", None),
    ("", "comp", "layout(std430, binding = 0) buffer A { uvec4 v[]; };", "atomicAdd(v[0].z, 3u);", None),
    ("", "comp", "layout(binding = 0) uniform sampler2DArray t; layout(binding = 1, rgba8) uniform image2DArray u; layout(binding = 2) buffer O { ivec3 o[]; };", "o[0] = textureSize(t, 0); o[1] = imageSize(u);", None),
    ("", "comp", "layout(binding = 0, r32ui) uniform uimage2D u;", "imageAtomicAdd(u, ivec2(1), 3u); imageAtomicMin(u, ivec2(1), 3u); imageAtomicExchange(u, ivec2(0), 1u);", None),
    ("", "comp", "layout(binding = 0, r32ui) uniform uimage2D u;", "imageAtomicCompSwap(u, ivec2(1), 3u, 4u);", None),
    ("", "frag", "layout(input_attachment_index = 0, binding = 0) uniform subpassInput a; layout(input_attachment_index = 1, binding = 1) uniform subpassInputMS b; layout(location = 0) out vec4 c;", "c = subpassLoad(a) + subpassLoad(b, 2);", None),
    ("", "frag", "layout(binding = 0) uniform sampler2D t; layout(location = 0) in vec2 uv; layout(location = 0) out vec4 c;", "c = vec4(textureQueryLod(t, uv), textureQueryLevels(t), 0.0);", None),
    ("", "comp", "layout(binding = 0) uniform sampler2DShadow t; layout(binding = 1) buffer O { float o[]; };", "o[0] = textureLod(t, vec3(0.5), 3.0) + textureGrad(t, vec3(0.5), vec2(0.1), vec2(0.2)); const ivec2 at[4] = { ivec2(0), ivec2(1), ivec2(-1), ivec2(2) }; o[1] = textureGatherOffsets(t, vec2(0.5), 0.5, at).x;", None),
    ("", "comp", "layout(binding = 0, rgba8) uniform imageCube a; layout(binding = 1, rgba8) uniform imageCubeArray b;", "imageStore(a, ivec3(0), imageLoad(b, ivec3(1)));", None),
    ("", "comp", "layout(binding = 0, rgba8) uniform image2DMS a;", "imageStore(a, ivec2(0), 1, vec4(1.0));", Some(R::StorageSamples)),
    ("", "comp", "layout(binding = 0, rgba8) uniform image2DMS a[3]; layout(binding = 3) buffer B { uint k; vec4 o; };", "o = imageLoad(a[k], ivec2(0), 1); imageStore(a[1], ivec2(1, 0), 0, o);", Some(R::StorageSamples)),
    ("", "comp", "layout(binding = 0, rgba8) uniform image2DMSArray a;", "imageStore(a, ivec3(0), 1, imageLoad(a, ivec3(1), 0));", Some(R::StorageSamples)),
    ("", "comp", "layout(binding = 0) writeonly uniform image2D a;", "imageStore(a, ivec2(0), vec4(1.0));", None),
    ("", "comp", "layout(binding = 0) uniform samplerBuffer t; layout(binding = 1) buffer O { vec4 o; };", "o = texelFetch(t, 3);", None),
    ("", "comp", "layout(binding = 0) writeonly uniform imageBuffer t;", "imageStore(t, 3, vec4(1.0));", Some(R::TexelBuffers)),
    ("", "comp", "layout(binding = 0, r32f) uniform image2D a; layout(binding = 0) uniform sampler2D b;", "imageStore(a, ivec2(0), texelFetch(b, ivec2(0), 0));", Some(R::BindingAliases)),
    ("", "comp", "layout(binding = 0) uniform A { float a; }; layout(binding = 0) buffer B { float b; };", "b = a;", Some(R::BindingAliases)),
    ("", "comp", "layout(binding = 0, rgba32f) uniform imageBuffer t;", "imageStore(t, 3, imageLoad(t, 2));", None),
    ("GL_ARB_sparse_texture2", "frag", "layout(binding = 0) uniform sampler2D t; layout(location = 0) out vec4 c;", "vec4 v; int ok = sparseTextureARB(t, vec2(0.5), v); c = sparseTexelsResidentARB(ok) ? v : vec4(0.0);", Some(R::SparseImages)),
    // Buffers and memory.
    ("", "comp", "layout(binding = 0, r32f) uniform imageBuffer t[2]; layout(binding = 1) uniform sampler2D s[2][3]; layout(binding = 2) buffer B { uint i; };", "imageStore(t[i], 3, texelFetch(s[i][i + 1], ivec2(0), 0));", None),
    ("", "comp", "layout(binding = 0) buffer B { float b[]; } list[3];", "list[1].b[0] = 1.0;", None),
    ("GL_EXT_nonuniform_qualifier", "comp", "layout(binding = 0) buffer B { float b[]; } list[];", "list[1].b[0] = 1.0;", None),
    ("GL_EXT_buffer_reference", "comp", "layout(buffer_reference) buffer R1 { uint x; }; layout(binding = 0) buffer B { R1 r; };", "r.x = 3u;", None),
    ("", "comp", "shared vec4 s[70000]; layout(binding = 0) buffer B { vec4 b; };", "s[gl_LocalInvocationIndex] = vec4(1); barrier(); b = s[3];", Some(R::WorkgroupMemory)),
    ("", "comp", "vec4 s[70000]; layout(binding = 0) buffer B { vec4 b; };", "s[gl_LocalInvocationIndex] = vec4(1); b = s[3];", Some(R::PrivateMemory)),
    // Control flow and stages of fragments.
    ("GL_EXT_demote_to_helper_invocation", "frag", "layout(location = 0) in float x; layout(location = 0) out vec4 c;", "if (x < 0.0) demote; c = vec4(helperInvocationEXT());", None),
    ("", "frag", "layout(location = 0) in float x; layout(location = 0) out vec4 c; float f(float y) { for (int i = 0; ; ++i) { if (y * float(i) > 3.0) return y; if (y < 0.0) discard; } }", "c = vec4(f(x));", None),
    // A switch of one case: what stands in it dominates what is behind it.
    ("", "frag", "layout(location = 0) in vec2 x; layout(location = 0) out vec4 c;", "c = vec4(0); switch (0) { default: if (x.x > 0.5) { if (x.y > 0.5) break; c.x = 1.0; } c.y = dFdx(x.x); } discard;", None),
    ("", "frag", "layout(location = 0) in vec2 x; layout(location = 0) out vec4 c;", "c = vec4(0); if (x.x > 0.1) { switch (0) { default: if (x.x > 0.5) { if (x.y > 0.5) break; c.x = 1.0; } c.y = 2.0; } discard; } c.z = dFdx(x.x);", None),
    ("", "frag", "layout(location = 0) in vec2 x; layout(location = 0) out vec4 c; float f(vec2 x) { switch (0) { default: if (x.x > 0.5) { if (x.y > 0.5) break; return 1.0; } return dFdx(x.x); } discard; }", "c = vec4(f(x));", None),
    ("", "frag", "layout(early_fragment_tests) in; layout(binding = 0) coherent buffer B { uint b[]; }; layout(location = 0) out vec4 c;", "b[0] = 1u; memoryBarrierBuffer(); memoryBarrier(); c = vec4(b[1]);", None),
    ("GL_ARB_fragment_shader_interlock", "frag", "layout(pixel_interlock_ordered) in; layout(binding = 0, rgba8) uniform image2D t;", "beginInvocationInterlockARB(); imageStore(t, ivec2(0), vec4(1)); endInvocationInterlockARB();", Some(R::Interlocks)),
    ("GL_EXT_fragment_shading_rate", "vert", "", "gl_Position = vec4(0); gl_PrimitiveShadingRateEXT = 1;", Some(R::ShadingRates)),
    // Arithmetic.
    ("", "comp", "layout(binding = 0) buffer B { float b[]; };", "b[0] = reflect(b[1], b[2]) + refract(b[1], b[2], 0.5) + faceforward(b[1], b[2], b[3]);", None),
    (HALVES, "comp", "layout(binding = 0) buffer B { f16vec3 a; ivec3 e; f16vec3 w; };", "f16vec3 v = frexp(a, e); w = modf(v, a);", None),
    (HALVES, "comp", "layout(binding = 0) buffer B { uvec2 a; uint64_t b; double c; };", "b = packUint2x32(a); a = unpackUint2x32(b); c = packDouble2x32(a);", None),
    ("", "comp", "layout(binding = 0) buffer B { uint a, b, c, d; int e, f; };", "umulExtended(a, b, c, d); a = uaddCarry(c, d, b); imulExtended(e, f, e, f);", None),
    ("", "comp", "layout(binding = 0) buffer B { mat4 m; };", "if (m[0][0] > 3.0) m[1] = transpose(m)[2];", None),
    ("GL_KHR_shader_subgroup_arithmetic", "comp", "layout(binding = 0) buffer B { uint a; };", "a = subgroupAdd(a);", None),
    ("GL_EXT_ray_query", "comp", "layout(binding = 0) uniform accelerationStructureEXT s;", "rayQueryEXT q; rayQueryInitializeEXT(q, s, 0u, 255u, vec3(0), 0.1, vec3(1), 9.0); rayQueryProceedEXT(q);", Some(R::RayQueries)),
    ("GL_EXT_shader_atomic_float", "comp", "layout(binding = 0) buffer B { float a; };", "atomicAdd(a, 1.0);", None),
    ("GL_EXT_shader_atomic_float", "comp", "layout(binding = 0) buffer B { double a; };", "atomicAdd(a, 1.0lf);", Some(R::AtomicTypes)),
    ("", "comp", "layout(binding = 0) buffer B { float b[]; } list[65];", "list[1].b[0] = 1.0;", Some(R::BindingArrays)),
    ("GL_EXT_nonuniform_qualifier", "comp", "layout(binding = 0) buffer B { float b[]; } list[];", "list[gl_LocalInvocationIndex].b[0] = 1.0; list[8].b[0] = 1.0;", Some(R::BindingArrays)),
];

#[test]
fn forms_are_read_or_refused_by_their_code() {
    let mut wrong = Vec::new();
    let source = |(extensions, stage, declarations, body, _): &Line| {
        let head: String = extensions.split_whitespace().map(|e| format!("#extension {e} : require\n")).collect();
        let size = if *stage == "comp" { "layout(local_size_x = 1) in;\n" } else { "" };
        Source { stage, text: format!("#version 460\n{head}{size}{declarations}\nvoid main() {{ {body} }}\n") }
    };
    let sources: Vec<Source> = LINES.iter().map(source).collect();
    for (((.., body, code), source), modules) in LINES.iter().zip(&sources).zip(all_glsl(&sources)) {
        for bytes in modules {
            match (lower(&bytes), code) {
                (Ok(_), None) => drop(module(&bytes, &source.text)),
                (Err(list), Some(code)) if list[0].class == Class::Unsupported && list[0].code == code.name() => {}
                (Ok(_), Some(code)) => wrong.push(format!("`{code}` is read: {body}")),
                (Err(list), _) => wrong.push(format!("{}: {body}", list[0])),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A refusal names the variable and its location, or the built-in.
#[test]
fn messages_name_the_variable_and_its_location() {
    for (stage, source, named) in [
        (
            "vert",
            "layout(location = 3) in dvec2 d; void main() { gl_Position = vec4(d, 0.0, 1.0); }",
            "the input `d`, location 3",
        ),
        ("frag", "layout(location = 9) out vec4 far; void main() { far = vec4(1.0); }", "the output `far`, location 9"),
        (
            "vert",
            "layout(location = 300) out float x; void main() { gl_Position = vec4(0.0); x = 1.0; }",
            "the output `x`, location 300",
        ),
        (
            "vert",
            "out B { layout(location = 2) double m; } b; void main() { gl_Position = vec4(0.0); b.m = 1.0lf; }",
            "the output `b`, location 2",
        ),
    ] {
        for bytes in glsl(&format!("#version 460\n{source}\n"), stage) {
            let list = lower(&bytes).expect_err("it is refused");
            assert_eq!(list[0].class, Class::Unsupported, "{}", list[0]);
            assert!(list[0].notes.iter().any(|n| n.contains(named)), "{}", list[0]);
        }
    }
}
