//! Forms of GLSL that a parser for a part of the language lacks or reads otherwise, each by the reference compiler and by naga's: the first gives them their
//! meaning, the second gives the same or refuses by the code `parser`. Values are computed by hand from the language's rules.

use gpucc_glsl::{has, need};

use crate::common::{Scratch, expect, gpucc, text};

/// Compute programs, each behind the words that it leaves in `o` and more buffers: extensions, `global` declarations, and the statements of `main`.
const PROGRAMS: &str = r#"
// Built-in variables.
= 0,1,1,0
#extension GL_KHR_shader_subgroup_basic : require
o[0] = int(gl_SubgroupInvocationID); o[1] = int(gl_SubgroupSize > 0u); o[2] = int(gl_NumWorkGroups.y);
// Qualifiers of members, variables and blocks.
= 4,0,0,0 0:1=zero:4
global layout(std430, set = 0, binding = 1) buffer D { coherent restrict int d; } d;
d.d = 4; o[0] = d.d;
= 5,0,0,0
global struct S { highp float a; mediump int b; };
precise float f = 1.5; S s = S(f, 2); o[0] = int(s.a * 2.0) + s.b;
= 1,0,0,0 0:1=zero:4
global layout(std430, set = 0, binding = 1) writeonly buffer D { int d; } d;
d.d = 9; o[0] = 1;
// Layouts of members: `m` has its rows at 32 and 48, so m[1][0] is the second word of the first.
= 4,9,0,0 0:1=i32:0,0,0,0,4,0,0,0,0x0,0x41100000,0,0,0,0,0,0,0,0
global layout(std140, set = 0, binding = 1) uniform U { layout(offset = 16) int a; layout(row_major) mat2 m; } u;
o[0] = u.a; o[1] = int(u.m[1][0]);
// Arrays of uniform blocks are that many.
= 7,5,0,0 0:1=f32:5 0:1[1]=f32:7
global layout(set = 0, binding = 1) uniform U { float o; } u[2];
o[0] = int(u[1].o); o[1] = int(u[0].o);
// Explicit types: 250 + 10 is 4 in 8 bits, 32767 + 1 is -32768 in 16.
= 4,-32768,-3,65535
#extension GL_EXT_shader_explicit_arithmetic_types : require
u8vec4 a = u8vec4(250, 1, 2, 3) + u8vec4(10); i16vec2 b = i16vec2(32767, 1) + i16vec2(1); int8_t c = int8_t(-3); uint16_t d = 65535us; o[0] = int(a.x); o[1] = int(b.x); o[2] = int(c); o[3] = int(d);
= 1,5,0,0
#extension GL_EXT_shader_explicit_arithmetic_types : require
uint64_t a = uint64_t(o[3]) + 0x100000005ul; o[0] = int(a >> 32); o[1] = int(a);
// Functions: 6 is 0.75 times 2 to the power of 3.
= 3,3,6,8
int e; float f = frexp(6.0, e); memoryBarrierShared(); memoryBarrier(); mat2 m = matrixCompMult(mat2(2.0), mat2(3.0)); o[0] = int(f * 4.0); o[1] = e; o[2] = int(m[1][1]); atomicAdd(o[3], 8);
= -1,-3,1,-2
o[0] = int(normalize(-4.0)); o[1] = int(reflect(3.0, 1.0)); o[2] = int(refract(1.0, -1.0, 0.5)); o[3] = bitfieldExtract(90, 2, 3);
// A matrix of its components in their order: column 2 has 3, 4, 5. Comparisons of aggregates.
= 5,1,1,0
global struct S { int a; float b; };
mat3 m = mat3(vec3(1.0), vec3(2.0), 3.0, vec2(4.0, 5.0)); S s = S(1, 2.0); int x[2] = int[](1, 2); o[0] = int(m[2][2]); o[1] = int(s == S(1, 2.0)); o[2] = int(x == int[](1, 2)); o[3] = int(x != int[](1, 2));
// Arrays by specialisation constants.
= 4,3,0,0
global layout(constant_id = 0) const int N = 3;
int a[N]; for (int k = 0; k < N; k++) a[k] = k * k; o[0] = a[N - 1]; o[1] = a.length();
// Constants that overflow: 3 << 31 has one bit left.
= -2147483648,-8,0,0
const int a = 3 << 31; o[0] = a; o[1] = 2147483647 << 3;
// Truths in buffers, arrays of one layout in variables without one, words of the preprocessor.
= 1,7,0,0 0:1=i32:0,7
global layout(std430, set = 0, binding = 1) buffer D { bool d; int e; } d;
d.d = o[0] == 0; o[0] = int(d.d); o[1] = d.e;
= 5,6,0,0 0:1=i32:1,0,0,0,5,0,0,0,6,0,0,0
global layout(std140, set = 0, binding = 1) uniform U { int a[3]; } u;
int x[3] = u.a; o[0] = x[1]; o[1] = x[2];
= 450,7,0,0
#extension GL_GOOGLE_cpp_style_line_directive : require
global #line 7 "x"
o[0] = __VERSION__; o[1] = __LINE__;
// Blocks of workgroup memory, which a newer environment has.
= 6,0,0,0
#extension GL_EXT_shared_memory_block : require
global shared S { int a[4]; } s;
s.a[2] = 6; o[0] = s.a[2];
"#;

/// The programs of a text: what stands behind `=`, and the lines below.
fn forms(text: &'static str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    text.split("\n= ").skip(1).map(|form| {
        let mut lines = form.lines().filter(|l| !l.starts_with("//"));
        (lines.next().expect("a first line"), lines.collect())
    })
}

#[test]
fn programs_have_their_values() {
    let s = Scratch::new("forms-values");
    let has_best = has("glslangValidator");
    for (wanted, lines) in forms(PROGRAMS) {
        let (words, buffers) = wanted.split_once(' ').unwrap_or((wanted, ""));
        let of = |is: fn(&str) -> bool| lines.iter().filter(|l| is(l)).fold(String::new(), |all, l| all + l + "\n");
        let first = of(|l| l.starts_with("#extension"));
        let globals = of(|l| l.starts_with("global ")).replace("global ", "");
        let body = of(|l| !l.starts_with("#extension") && !l.starts_with("global "));
        let shader = s.write(
            "a.comp",
            format!(
                "#version 450\n{first}layout(local_size_x = 1) in;\nlayout(std430, set = 0, binding = 0) buffer O {{ int o[]; }};\n{globals}void main() {{ {body} }}\n"
            ),
        );
        let mut args = vec!["run", &shader, "--buf", "0:0=zero:16", "--dump", "0:0=-:i32"];
        buffers.split_whitespace().for_each(|b| args.extend(["--buf", b]));
        let value = format!("0:0 = {words}\n");
        if has_best {
            expect(&args, 0, &value);
        }
        let o = gpucc().args(&args).args(["--frontend", "naga"]).output().expect("the command starts");
        let said = text(&o);
        let is_right = o.status.code() == Some(0) && said.contains(&value);
        let is_refused = o.status.code() == Some(3) && said.contains("error[parser]");
        assert!(is_right || is_refused, "{body}: {said}");
    }
}

/// Stages, each behind its ending and parts of lines that its interface has: the text behind the version.
const STAGES: &str = r#"
= frag: sample_mask
layout(location = 0) out vec4 c;
void main() { c = vec4(gl_SampleMaskIn[0]); gl_SampleMask[0] = gl_SampleMaskIn[0]; }
= frag: location 0
layout(location = 0) out vec4 c;
void main() { c = vec4(gl_HelperInvocation, gl_SamplePosition, 0.0); }
= vert: position; layer i32
#extension GL_ARB_shader_viewport_layer_array : require
void main() { gl_Position = vec4(0.0); gl_Layer = 1; }
= vert: position
#extension GL_ARB_shader_draw_parameters : require
void main() { gl_Position = vec4(gl_BaseVertexARB); }
= vert: location 0 flat
layout(location = 0) flat out int a; invariant gl_Position;
void main() { gl_Position = vec4(0.0); a = 3; }
= vert: location 0 flat
layout(location = 0) out ivec2 a;
void main() { gl_Position = vec4(0.0); a = ivec2(1); }
= frag: frag_depth
layout(location = 0) out vec4 c;
layout(depth_less) out float gl_FragDepth;
void main() { c = vec4(0.0); gl_FragDepth = 0.25; }
= frag: location 1 f32x4
layout(location = 0) out vec4 c;
layout(location = 1) in vec2 a; layout(location = 1, component = 2) in vec2 b;
void main() { c = vec4(a, b); }
= vert: location 1 f32x2; location 2 f32x2; location 3 f32x2
layout(location = 1) out V { vec2 uv; mat2 n; } v;
void main() { gl_Position = vec4(0.0); v.uv = vec2(1.0); v.n = mat2(1.0); }
= frag: location 0 f32x2; location 2 f32
layout(location = 0) out vec4 c;
layout(location = 0) in V { vec2 a; layout(location = 2, component = 1) float d; } v;
void main() { c = vec4(v.a, v.d, 0.0); }
= vert: position
out gl_PerVertex { vec4 gl_Position; };
void main() { gl_Position = vec4(0.0); }
= vert: in0 "m" location 0 f32x2; in1 "m" location 1 f32x2; location 5
layout(location = 0) in mat2 m; layout(location = 5) out vec4 a;
void main() { a = vec4(m[0], m[1]); }
= frag: location 0 linear; location 1 linear
layout(location = 0) out vec4 c;
struct S { float a; vec2 b; }; layout(location = 0) noperspective in S s;
void main() { c = vec4(s.a, s.b, 0.0); }
= frag: binding 0 texture 2d float; location 0 perspective centroid
layout(location = 0) out vec4 c;
layout(binding = 0) uniform sampler2D t; layout(location = 0) in vec2 p;
void main() { c = textureGather(t, p, 1) + interpolateAtCentroid(p).xyxy; }
= frag: texture 2d float count 4; location 0 flat
#extension GL_EXT_nonuniform_qualifier : require
layout(location = 0) out vec4 c;
layout(binding = 0) uniform sampler2D t[4]; layout(location = 0) flat in int k;
void main() { c = texture(t[nonuniformEXT(k)], vec2(0.0)); }
= frag: binding 0 texture 1d float; binding 2 texture cube array float
layout(location = 0) out vec4 c;
layout(binding = 0) uniform texture1D t; layout(binding = 1) uniform sampler s; layout(binding = 2) uniform samplerCubeArray q; layout(location = 0) in vec4 p;
void main() { c = texture(sampler1D(t, s), 0.5, 1.0) + textureOffset(sampler1D(t, s), p.x, 1) + textureGrad(sampler1D(t, s), p.x, 0.0, 0.1) + texture(q, p, 1.0); }
= frag: location 0 f32
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) out vec4 c;
layout(location = 0) in float a;
void main() { if (a < 0.5) demote; c = vec4(helperInvocationEXT()); }
= frag: sin
#extension GL_EXT_spirv_intrinsics : require
layout(location = 0) out vec4 c;
layout(location = 0) in float a; spirv_instruction(set = "GLSL.std.450", id = 13) float sine(float);
void main() { c = vec4(sine(a)); }
"#;

#[test]
fn stages_have_their_interfaces() {
    let s = Scratch::new("forms-stages");
    let has_best = has("glslangValidator");
    for (wanted, lines) in forms(STAGES) {
        let ((ending, parts), body) = (wanted.split_once(": ").expect("an ending"), lines.join("\n"));
        let parts: Vec<&str> = parts.split("; ").collect();
        let shader = s.write(&format!("a.{ending}"), format!("#version 450\n{body}\n"));
        let args = [&shader[..], "--target", "gcn", "--emit", "gir", "-o", "-"];
        if has_best {
            let said = expect(&args, 0, parts[0]);
            assert!(parts.iter().all(|p| said.contains(p)), "{body}: {said}");
        }
        let o = gpucc().args(args).args(["--frontend", "naga"]).output().expect("the command starts");
        let said = text(&o);
        let is_right = o.status.code() == Some(0) && parts.iter().all(|p| said.contains(p));
        let is_refused = o.status.code() == Some(3) && said.contains("error[parser]");
        assert!(is_right || is_refused, "{body}: {said}");
    }
}

/// What the chips or their drivers lack is refused by its own code, and is no error of the author.
#[test]
fn what_is_refused_has_its_code() {
    let s = Scratch::new("forms-refused");
    need!("glslangValidator");
    let out = s.path("o");
    let cull = "#version 450\nout float gl_CullDistance[1];\nvoid main() { gl_Position = vec4(0.0); gl_CullDistance[0] = 1.0; }\n";
    expect(&[&s.write("c.vert", cull), "--target", "valhall", "-o", &out], 3, "error[cull-distances]");
    let rays = "#version 460\n#extension GL_EXT_ray_query : require\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer O { int o[]; };\n\
        layout(set = 0, binding = 1) uniform accelerationStructureEXT a;\nvoid main() { rayQueryEXT q; rayQueryInitializeEXT(q, a, 0u, 255u, vec3(0.0), 0.0, vec3(1.0), 9.0); o[0] = int(rayQueryProceedEXT(q)); }\n";
    expect(&[&s.write("r.comp", rays), "--target", "gcn", "-o", &out], 3, "error[ray-queries]");
    // Modules of these texts are wrong by some versions of the reference compiler, and right by others: the texts are right.
    let copies = "#version 450\nlayout(local_size_x = 1) in;\nstruct S { uint a; uint b; };\nlayout(set = 0, binding = 0) buffer O { uint n; S s[]; } o;\nshared S t[2];\n\
        void main() { t[0] = S(1u, 2u); uint k = gl_GlobalInvocationID.x; S s = k > o.n ? t[k & 1u] : o.s[k]; o.n = s.b; }\n";
    let halves = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\nlayout(location = 0) out vec4 c;\nlayout(location = 0) in vec4 p;\n\
        void main() { f16mat2 m = f16mat2(p.x, p.y, p.z, p.w); f16mat3 n = f16mat3(m); c = vec4(n[1].xy, vec2(f16mat2(mat2(p.xy, p.zw))[0])); }\n";
    for (name, source) in [("copies.comp", copies), ("halves.frag", halves)] {
        let o = gpucc()
            .args([&s.write(name, source), "--target", "gcn:gfx8", "-o", &out])
            .output()
            .expect("the command starts");
        let is_refused = o.status.code() == Some(3) && text(&o).contains("error[parser]");
        assert!(is_refused || o.status.code() == Some(0), "{name}: {}", text(&o));
    }
    // What constants from outside do stays an error.
    let size = "#version 450\nlayout(constant_id = 3) const uint X = 1;\nlayout(local_size_x_id = 3) in;\nlayout(set = 0, binding = 0) buffer O { uint n; };\nvoid main() { n = 1u; }\n";
    expect(&[&s.write("size.comp", size), "--override", "X=0", "--target", "gcn", "-o", &out], 1, "workgroup size");
}
