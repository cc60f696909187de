//! `docs/support.md` in both directions: the page is what the code says, each code has a row and each row a code; where it says
//! refused, a shader is refused with exactly that code, and where it says runs, it runs.

use std::fmt::Write;

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_ir::refusal::Kind;
use gpucc_ir::{Class, Diagnostic, Module, Refusal, ResourceKind, Stage};
use gpucc_pipeline::{Blend, BlendComponent, BlendFactor, DepthStencil, Format, Pipeline, Target};
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions};
use gpucc_tests::exec::{self, On, Problem};
use gpucc_tests::predict;
use gpucc_tests::shared::workspace;
use gpucc_verify::{InputOverrides, Words};
use rayon::prelude::*;

use super::limits::{VERTEX_OUTPUTS, counted};

const LEVELS: [u8; 2] = [0, 2];

/// A shader that shows what a code is about.
struct Probe {
    code: Refusal,
    source: Vec<u8>,
    lang: Lang,
    /// Families whose limit it passes, with spaces between; all of them if empty.
    families: &'static str,
    /// The pipeline around it, if it takes one.
    pipeline: Option<Pipeline>,
}

fn wgsl(code: Refusal, source: impl Into<String>) -> Probe {
    Probe { code, source: source.into().into_bytes(), lang: Lang::Wgsl, families: "", pipeline: None }
}

/// A compute shader on one array of `ty`, `o`; `i` is the invocation's index.
fn on_array(code: Refusal, head: &str, ty: &str, body: &str) -> Probe {
    wgsl(
        code,
        format!(
            "{head}\n@group(0) @binding(0) var<storage, read_write> o: array<{ty}>;\n\
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}"
        ),
    )
}

/// A texture and, in a compute shader, a line that gives `v` of it.
fn on_texture(code: Refusal, texture: &str, line: &str) -> Probe {
    let head = format!(
        "@group(0) @binding(1) var t: {texture};\n@group(0) @binding(2) var s: sampler;\n\
         @group(0) @binding(3) var c: sampler_comparison;"
    );
    let body = format!("let at = vec3<f32>(f32(i) * 0.25, 0.5, -0.75); {line} o[i] = vec4<f32>(v);");
    on_array(code, &head, "vec4<f32>", &body)
}

/// A gather of the second component of a cube, beside as many other textures as there may be.
fn gathers_of_many() -> Probe {
    let (mut head, mut body) = (String::from("@group(0) @binding(1) var s: sampler;\n"), String::new());
    body.push_str("let at = vec3<f32>(f32(i) * 0.25, 0.5, -0.75); var v = textureGather(1, t0, s, at);");
    for n in 0..16 {
        let (dim, place) = if n == 0 { ("cube", "at") } else { ("2d", "at.xy") };
        writeln!(head, "@group(0) @binding({}) var t{n}: texture_{dim}<f32>;", n + 2).unwrap();
        write!(body, " v += textureSampleLevel(t{n}, s, {place}, 0.0);").unwrap();
    }
    body.push_str(" o[i] = v;");
    on_array(Refusal::Gathers, &head, "vec4<f32>", &body)
}

/// A compute entry with one workgroup of 64 that asks for subgroups.
fn of_subgroups(asked: &str) -> String {
    format!(
        "module robust on\nres0 \"o\" group 0 binding 0 storage_rw size 4 stride 4\nentry \"main\" compute func0 size 64,1,1 {asked}\n\
         func0 \"main\" {{\nblock0:\n  store 1:i32, res0[0] align 4\n  ret\n}}\n"
    )
}

/// A compute entry with an op of the IR on one float of 64 bits.
fn of_doubles(op: &str) -> String {
    format!(
        "module robust on\nres0 \"o\" group 0 binding 0 storage_rw size 8 stride 8\nentry \"main\" compute func0 size 1,1,1\n\
         func0 \"main\" {{\nblock0:\n  v0: f64 = load res0[0] align 8\n  v1: f64 = {op} v0\n  store v1, res0[0] align 8\n  ret\n}}\n"
    )
}

/// A compute entry with a sum of floats of a type, that asks something of floats.
fn asking(what: &str, ty: &str, size: u32) -> String {
    format!(
        "module robust on\nres0 \"o\" group 0 binding 0 storage_rw size {size} stride {size}\nentry \"main\" compute func0 size 1,1,1 float {what}\n\
         func0 \"main\" {{\nblock0:\n  v0: {ty} = load res0[0] align {size}\n  v1: {ty} = fadd v0, v0\n  store v1, res0[0] align {size}\n  ret\n}}\n"
    )
}

/// A vertex or fragment entry, for families that refuse it.
fn drawn(code: Refusal, families: &'static str, pipeline: Option<Pipeline>, source: &str) -> Probe {
    Probe { families, pipeline, ..wgsl(code, source) }
}

/// Probes as text. A head names the code, then the families whose limit the shader passes (all of them if none is named), and
/// says `4 samples` where a target has them. Behind `@@` stand the type and the body of [`on_array`], behind `??` what
/// [`on_texture`] takes.
const TEXTS: &str = include_str!("support.txt");

fn of_text(text: &'static str) -> Probe {
    let (head, shader) = text.split_once('\n').expect("a head and a shader");
    let (head, samples) = head.strip_suffix(", 4 samples").map_or((head, 1), |h| (h, 4));
    let (name, families) = head.split_once(' ').unwrap_or((head, ""));
    let code = Refusal::parse(name).unwrap_or_else(|| panic!("`{name}` is not a code"));
    let two = |text: &'static str| text.split_once(": ").unwrap_or_else(|| panic!("two parts: {text}"));
    let probe = if let Some((declared, array)) = shader.split_once("@@ ") {
        on_array(code, declared, two(array).0, two(array).1)
    } else if let Some(texture) = shader.strip_prefix("?? ") {
        on_texture(code, two(texture).0, two(texture).1)
    } else {
        wgsl(code, shader)
    };
    let lang = if shader.starts_with("#version") { Lang::GlslCompute } else { Lang::Wgsl };
    let targets = vec![Some(Target::new(Format::Rgba8Unorm))];
    let pipeline = (samples > 1).then(|| Pipeline { targets, samples, ..Pipeline::default() });
    Probe { lang, families, pipeline, ..probe }
}

/// The names of the parts of textures and stages.
fn parts() -> Vec<Probe> {
    use Refusal as R;
    let equation = |src| {
        let part = BlendComponent { src, dst: BlendFactor::One, ..BlendComponent::default() };
        Some(Target { blend: Some(Blend { color: part, alpha: part }), ..Target::new(Format::Rgba8Unorm) })
    };
    let on = |targets, samples| Some(Pipeline { targets, samples, ..Pipeline::default() });
    let two = "struct O { @location(0) a: vec4f, @location(1) b: vec4f }\n@fragment fn main() -> O { return O(vec4f(1), vec4f(0)); }";
    vec![
        on_texture(R::CubeArrays, "texture_cube_array<f32>", "let v = textureSampleLevel(t, s, at, i32(i), 0.0);"),
        on_texture(R::CubeEdges, "texture_cube<f32>", "let v = textureSampleLevel(t, s, at, 0.0);"),
        Probe { families: "tesla", ..gathers_of_many() },
        on_texture(R::MultisampledTextures, "texture_multisampled_2d<f32>", "let v = textureLoad(t, vec2i(1), 2);"),
        Probe {
            code: R::TexelComparisons,
            source: include_bytes!("../../spirv/compare_gradients.spv").to_vec(),
            lang: Lang::Spirv,
            families: "tesla",
            pipeline: None,
        },
        on_texture(R::TexelOffsets, "texture_2d<f32>", "let v = textureSampleLevel(t, s, at.xy, at.x, vec2i(1, -1));"),
        Probe {
            code: R::LevelQueries,
            source: include_bytes!("../../spirv/level_query.spv").to_vec(),
            lang: Lang::Spirv,
            families: "tesla",
            pipeline: None,
        },
        drawn(
            R::ClipDistances,
            "valhall vivante",
            on(Vec::new(), 1),
            "enable clip_distances;\nstruct O { @builtin(position) p: vec4f, @builtin(clip_distances) d: array<f32, 2> }\n\
             @vertex fn main() -> O { return O(vec4f(1), array(1.0, 2.0)); }\n@fragment @early_depth_test(force) fn fs() {}",
        ),
        drawn(
            R::EarlyTests,
            "tesla",
            Some(Pipeline {
                targets: vec![Some(Target::new(Format::Rgba8Unorm))],
                depth: Some(DepthStencil { depth_write: true, ..DepthStencil::new(Format::Depth16Unorm) }),
                ..Pipeline::default()
            }),
            "@fragment @early_depth_test(force) fn main(@builtin(position) p: vec4f) -> @location(0) vec4f { if p.x < 3.0 { discard; } return p; }",
        ),
        drawn(
            R::TargetFormats,
            "vivante",
            on(vec![Some(Target::new(Format::Rgba32Float)); 5], 1),
            "struct O { @location(0) a: vec4f, @location(1) b: vec4f, @location(2) c: vec4f, @location(3) d: vec4f, @location(4) e: vec4f }\n\
             @fragment fn main() -> O { return O(vec4f(1), vec4f(1), vec4f(1), vec4f(1), vec4f(1)); }",
        ),
        drawn(
            R::BlendEquations,
            "tesla vivante",
            on(vec![equation(BlendFactor::One), equation(BlendFactor::SrcAlpha)], 1),
            two,
        ),
        // It would run for each sample, and write the buffer as often.
        drawn(
            R::BlendEquations,
            "valhall",
            on(vec![equation(BlendFactor::Constant)], 4),
            "@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;\n\
             @fragment fn main() -> @location(0) vec4f { atomicAdd(&o[0], 1u); return vec4f(1); }",
        ),
    ]
}

/// Functions that call each other twice: a program of millions of instructions in a few lines.
fn nested_calls() -> String {
    let mut text = "fn f0(x: u32) -> u32 { return (x * 3u + 1u) ^ (x >> 7u); }\n".to_string();
    for k in 1..18 {
        let _ = writeln!(text, "fn f{k}(x: u32) -> u32 {{ return f{}(x) + f{}(x ^ {k}u); }}", k - 1, k - 1);
    }
    text
}

/// Statements that cannot be folded into each other.
fn long(statements: usize) -> String {
    let one = "x = (x ^ 77u) * (x >> 3u) + o[x & 63u];\n";
    format!("var x = o[i];\n{}o[i] = x;", one.repeat(statements))
}

/// Values that are all needed at the end, and come from where they cannot be taken again.
fn alive(n: u32) -> String {
    let loads: String = (0..n).map(|k| format!("let v{k} = o[i + {k}u];\n")).collect();
    let stores: String = (0..n).map(|k| format!("o[i * {n}u + {k}u] = v{k} * v{};\n", (k * 7 + 3) % n)).collect();
    loads + &stores
}

/// So many buffers; the size of each is asked for.
const BUFFERS: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
    [[@group(1) @binding(#) var<storage, read_write> b#: array<u32>; ]]
    @compute @workgroup_size(1) fn main() { let at = o[0]; [[o[#] = arrayLength(&b#) + b#[at]; ]] }";

/// As many textures, each read.
const TEXTURES: &str =
    "[[@group(0) @binding(#) var t#: texture_2d<f32>; ]] @group(1) @binding(0) var<storage, read_write> o: vec4f;
    @compute @workgroup_size(1) fn main() { o = [[textureLoad(t#, vec2<i32>(0, #), 0) + ]] vec4f(); }";

/// A vertex program that reads so many attributes.
const ATTRIBUTES: &str =
    "@vertex fn main([[@location(#) a#: f32, ]]) -> @builtin(position) vec4f { return vec4f([[a# + ]] 0.0); }";

/// An instruction of SPIR-V: opcode and operands.
type Word = (u32, &'static [u32]);

/// A module of SPIR-V with one compute entry point, `main`: addressing model, declarations behind `%1 = OpTypeVoid`,
/// `%2 = OpTypeFunction %1`, and the body. Ids from 5 on are free.
fn words(addressing: u32, decorations: &[Word], declarations: &[Word], body: &[Word]) -> Vec<u8> {
    // OpExecutionMode %3 LocalSize 1 1 1
    stage_words((5, &[(16, &[3, 17, 1, 1, 1])]), addressing, decorations, declarations, body)
}

/// The same of an entry point of an execution model, with its modes.
fn stage_words(
    (model, modes): (u32, &[Word]),
    addressing: u32,
    decorations: &[Word],
    declarations: &[Word],
    body: &[Word],
) -> Vec<u8> {
    let (memory, entry) = ([addressing, 1], [model, 3, 0x6e69_616d, 0]);
    let head: [(u32, &[u32]); 3] = [
        (17, &[1]),    // OpCapability Shader
        (14, &memory), // OpMemoryModel
        (15, &entry),  // OpEntryPoint %3 "main"
    ];
    let head: Vec<(u32, &[u32])> = head.into_iter().chain(modes.iter().copied()).collect();
    let types: [Word; 2] = [(19, &[1]), (33, &[2, 1])];
    let begin: [Word; 2] = [(54, &[1, 3, 0, 2]), (248, &[4])];
    let end: [Word; 2] = [(253, &[]), (56, &[])];
    let all = head.iter().chain(decorations).chain(&types).chain(declarations).chain(&begin).chain(body).chain(&end);
    let code = all.flat_map(|(op, operands)| {
        std::iter::once((operands.len() as u32 + 1) << 16 | op).chain(operands.iter().copied())
    });
    [0x0723_0203, 0x0001_0300, 0, 32, 0].into_iter().chain(code).flat_map(u32::to_le_bytes).collect()
}

fn spirv(code: Refusal, source: Vec<u8>) -> Probe {
    Probe { code, source, lang: Lang::Spirv, families: "", pipeline: None }
}

/// An entry point of a stage that no pipeline here has.
fn of_other_stages() -> Vec<Probe> {
    use Refusal as R;
    let stages = [
        (R::Tessellation, 1),
        (R::Tessellation, 2),
        (R::Geometry, 3),
        (R::Kernels, 6),
        (R::TaskShaders, 5364),
        (R::MeshShaders, 5365),
        (R::RayTracing, 5313),
        (R::RayTracing, 5318),
    ];
    stages.map(|(code, model)| spirv(code, stage_words((model, &[]), 0, &[], &[], &[]))).into()
}

/// The parts that only SPIR-V has.
fn of_spirv() -> Vec<Probe> {
    use Refusal as R;
    // %5 = OpTypeFloat 32, %6 = OpTypeImage %5 with dimension and format, %7 a pointer to it, %8 and %9 variables of it.
    const PLACES: &[Word] = &[(71, &[8, 34, 0]), (71, &[8, 33, 0]), (71, &[9, 34, 0]), (71, &[9, 33, 0])];
    const WRITES: &[Word] = &[(61, &[6, 10, 8]), (99, &[10, 13, 14])];
    let image = |format: &'static [u32], more: &'static [Word]| -> Vec<Word> {
        let mut list: Vec<Word> = vec![
            (22, &[5, 32]),
            (25, format),
            (32, &[7, 0, 6]),
            (59, &[7, 8, 0]),
            (21, &[11, 32, 1]),
            (23, &[12, 11, 2]),
            (46, &[12, 13]),
            (23, &[15, 5, 4]),
            (46, &[15, 14]),
        ];
        list.extend(more);
        list
    };
    vec![
        spirv(
            R::WideAtomics,
            words(
                0,
                &[(71, &[7, 2]), (72, &[7, 0, 35, 0]), (71, &[9, 34, 0]), (71, &[9, 33, 0])],
                &[
                    (21, &[5, 64, 0]),
                    (21, &[6, 32, 0]),
                    (30, &[7, 5]),
                    (32, &[8, 12, 7]),
                    (59, &[8, 9, 12]),
                    (32, &[10, 12, 5]),
                    (43, &[6, 11, 0]),
                    (43, &[6, 12, 1]),
                    (43, &[5, 13, 3, 0]),
                ],
                &[(65, &[10, 14, 9, 11]), (234, &[5, 15, 14, 12, 11, 13])],
            ),
        ),
        // A store to an address, which is a constant.
        spirv(
            R::PhysicalAddresses,
            words(
                5348,
                &[],
                &[(21, &[5, 32, 0]), (21, &[6, 64, 0]), (32, &[7, 5349, 5]), (43, &[6, 8, 4096, 1]), (43, &[5, 11, 3])],
                &[(120, &[7, 9, 8]), (62, &[9, 11, 2, 4])],
            ),
        ),
        // OpIsFinite is none of shaders.
        spirv(R::Spirv, words(0, &[], &[(20, &[5])], &[(158, &[5, 6, 5])])),
        Probe {
            families: "valhall vivante",
            ..spirv(R::CullDistances, include_bytes!("../../vulkan/forms/cull.vert.spv").to_vec())
        },
        Probe {
            families: "tesla vivante",
            ..spirv(R::StencilExport, include_bytes!("../../vulkan/forms/stencils.frag.spv").to_vec())
        },
        Probe {
            families: "valhall tesla vivante",
            ..spirv(R::PerVertexInputs, include_bytes!("../../vulkan/forms/ends.frag.spv").to_vec())
        },
        // PostDepthCoverage is 4446.
        spirv(R::PostDepthCoverage, stage_words((4, &[(16, &[3, 7]), (16, &[3, 4446])]), 0, &[], &[], &[])),
        spirv(R::Interlocks, words(0, &[], &[], &[(5364, &[]), (5365, &[])])),
        // OpImageSparseTexelsResident.
        spirv(R::SparseImages, words(0, &[], &[(20, &[5]), (21, &[6, 32, 0]), (43, &[6, 7, 0])], &[(316, &[5, 8, 7])])),
        spirv(
            R::ShadingRates,
            // FragSizeEXT is 5292.
            words(
                0,
                &[(71, &[9, 11, 5292])],
                &[(21, &[5, 32, 1]), (23, &[6, 5, 2]), (32, &[7, 1, 6]), (59, &[7, 9, 1])],
                &[(61, &[6, 10, 9])],
            ),
        ),
        // Dimension Buffer, sampled, no format.
        spirv(R::TexelBuffers, words(0, PLACES, &image(&[6, 5, 5, 0, 0, 0, 2, 0], &[]), &[(61, &[6, 10, 8])])),
        // Dimension 2D, for storage: without a format, and of several samples.
        spirv(R::StorageFormats, words(0, PLACES, &image(&[6, 5, 1, 0, 0, 0, 2, 0], &[]), WRITES)),
        spirv(R::StorageSamples, words(0, PLACES, &image(&[6, 5, 1, 0, 0, 1, 2, 3], &[]), WRITES)),
        // A fetch of a sample of a layer, which is written.
        spirv(
            R::MultisampledArrays,
            words(
                0,
                &[PLACES[0], PLACES[1], PLACES[2], (71, &[9, 33, 1])],
                &image(
                    &[6, 5, 1, 0, 1, 1, 1, 0],
                    &[
                        (25, &[16, 5, 1, 0, 0, 0, 2, 4]),
                        (32, &[17, 0, 16]),
                        (59, &[17, 9, 0]),
                        (23, &[19, 11, 3]),
                        (46, &[19, 20]),
                        (46, &[11, 21]),
                    ],
                ),
                &[WRITES[0], (95, &[15, 22, 10, 20, 0x40, 21]), (61, &[16, 18, 9]), (99, &[18, 13, 22])],
            ),
        ),
        // A layer by the number of the instance, a viewport likewise.
        spirv(R::Layers, include_bytes!("../../vulkan/forms/layers.vert.spv").to_vec()),
        spirv(R::Viewports, include_bytes!("../../vulkan/forms/viewports.vert.spv").to_vec()),
        // Two storage images of one place, one of them with another format.
        spirv(
            R::BindingAliases,
            words(
                0,
                PLACES,
                &image(
                    &[6, 5, 1, 0, 0, 0, 2, 3],
                    &[(25, &[16, 5, 1, 0, 0, 0, 2, 4]), (32, &[17, 0, 16]), (59, &[17, 9, 0])],
                ),
                &[WRITES[0], WRITES[1], (61, &[16, 18, 9]), (99, &[18, 13, 14])],
            ),
        ),
    ]
}

/// A buffer in a bind group.
fn in_group(group: u32) -> Probe {
    let buffer = format!("@group({group}) @binding(0) var<storage, read_write> o: array<u32>;");
    wgsl(Refusal::BindGroup, format!("{buffer}\n@compute @workgroup_size(1) fn main() {{ o[0] = 1u; }}"))
}

fn probes() -> Vec<Probe> {
    use Refusal as R;
    let constants: String = (0..300)
        .map(|k| {
            let c = |n: i32| format!("{:.6}", 1.0 + f64::from(k * 4 + n) * 0.001_371);
            format!("x = x * vec4<f32>({}, {}, {}, {}) + x.wzyx;\n", c(0), c(1), c(2), c(3))
        })
        .collect();
    vec![
        wgsl(R::Stage, "@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }"),
        wgsl(R::Stage, "@vertex fn main() -> @builtin(position) vec4<f32> { return vec4<f32>(1.0); }"),
        on_array(R::Extensions, "requires texture_and_sampler_let;", "u32", "o[i] = i;"),
        on_array(R::F16, "enable f16;", "f32", "o[i] = f32(f16(o[i]) + 1.0h);"),
        on_array(R::NarrowIntegers, "enable wgpu_int16;", "u32", "o[i] = u32(u16(o[i]) * u16(3));"),
        on_array(R::WideTypes, "", "f64", "o[i] = o[i] * 3.0lf;"),
        on_array(R::WideTypes, "", "f64", "let r = frexp(o[i]); o[i + 64u] = r.fract; o[i + 128u] = f64(r.exp);"),
        Probe { lang: Lang::Gir, ..wgsl(R::WideFunctions, of_doubles("fexp2")) },
        // Sums of doubles are rounded as GCN is asked to, quotients are not; of words with two halves see `float_modes.rs`.
        Probe { lang: Lang::Gir, families: "tesla", ..wgsl(R::FloatModes, asking("f64 zero", "f64", 8)) },
        Probe {
            lang: Lang::Gir,
            families: "gcn",
            ..wgsl(R::FloatModes, asking("f64 zero", "f64", 8).replace("fadd", "fdiv"))
        },
        Probe { lang: Lang::Gir, families: "tesla vivante", ..wgsl(R::FloatModes, asking("f32 preserve", "f32", 4)) },
        Probe { lang: Lang::Gir, families: "valhall", ..wgsl(R::FloatModes, asking("f32 flush", "f32", 4)) },
        // No chip has subgroups of 128.
        Probe { lang: Lang::Gir, ..wgsl(R::SubgroupSize, of_subgroups("subgroup 128")) },
        Probe { lang: Lang::Gir, ..wgsl(R::SubgroupSize, of_subgroups("subgroups 64")) },
        Probe { families: "valhall tesla vivante", ..in_group(255) },
        Probe { families: "gcn", ..in_group(65_534) },
        Probe { families: "gcn tesla vivante", ..wgsl(R::Varyings, counted(VERTEX_OUTPUTS, 33)) },
        Probe { families: "valhall tesla vivante", ..wgsl(R::Varyings, counted(ATTRIBUTES, 17)) },
        wgsl(R::TooManyBuffers, counted(BUFFERS, 17)),
        Probe { families: "tesla vivante", ..wgsl(R::TextureUnits, counted(TEXTURES, 17)) },
        on_array(R::OutOfRegisters, "", "vec4<f32>", &alive(80)),
        Probe { families: "valhall", ..wgsl(R::OutOfUniforms, counted(BUFFERS, 140)) },
        Probe {
            families: "vivante",
            ..on_array(R::OutOfUniforms, "", "vec4<f32>", &format!("var x = o[i];\n{constants}o[i] = x;"))
        },
        // One invocation: the interpreter runs all of it.
        wgsl(
            R::ProgramSize,
            nested_calls()
                + "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(1) fn main() { o[0] = f17(o[0]); }",
        ),
        Probe { families: "vivante", ..on_array(R::ProgramSize, "", "u32", &long(6000)) },
    ]
}

fn all_probes() -> Vec<Probe> {
    TEXTS
        .split("\n== ")
        .skip(1)
        .map(of_text)
        .chain(probes())
        .chain(parts())
        .chain(of_spirv())
        .chain(of_other_stages())
        .collect()
}

impl Probe {
    fn is_of(&self, family: &str) -> bool {
        self.families.is_empty() || self.families.split(' ').any(|f| f == family)
    }

    fn lower(&self) -> Result<Module, Vec<Diagnostic>> {
        // What the parser of GLSL lacks shows where it is the reader.
        let options = FrontOptions { glsl: gpucc::glsl::Reader::Naga, ..FrontOptions::default() };
        frontend::load(&self.source, self.lang, &options).map(|l| l.module)
    }

    /// Compiles and runs it; how it was refused, if it was.
    fn run(&self, module: &Module, on: On, opt_level: u8) -> Result<Option<Vec<Refusal>>, String> {
        let mut d = Dispatch::new([1, 1, 1]);
        let seeded = gpucc_verify::dispatch(module, "main", "", &InputOverrides::default(), Words::Zeros);
        (d.images, d.textures, d.samplers) = (seeded.images, seeded.textures, seeded.samplers);
        for (_, r) in module.resources.iter().filter(|(_, r)| r.kind.is_buffer()) {
            let writable = r.kind == ResourceKind::StorageReadWrite;
            d.buffers.push(BoundBuffer { group: r.group, binding: r.binding, bytes: vec![0; 1 << 17], writable });
        }
        let pipeline = self.pipeline.clone().map(Box::new);
        let codegen = CodegenOptions { opt_level, pipeline, ..CodegenOptions::default() };
        match exec::run(module, "main", on, &codegen, &mut d, &RunOptions::default()) {
            Ok(_) => Ok(None),
            Err(Problem::Refused(codes, _)) => Ok(Some(codes)),
            // A constant is no buffer's address: where addresses are, the access is made, and named.
            Err(p) if self.code == Refusal::PhysicalAddresses && p.to_string().contains("at address 0x100001000") => {
                Ok(None)
            }
            Err(p) => Err(p.to_string()),
        }
    }

    /// The words that are not as documented for this place.
    fn check(&self, lowered: &Result<Module, Vec<Diagnostic>>, on: On) -> Vec<String> {
        let at =
            |what: String| format!("`{}` on {on}: {what}\n{:.400}", self.code, String::from_utf8_lossy(&self.source));
        if self.code.everywhere().is_some() {
            return match lowered {
                Ok(_) => vec![at("lowers".into())],
                Err(list) => {
                    let as_said = |d: &&Diagnostic| d.class == Class::Unsupported && d.refusal() == Some(self.code);
                    let wrong = list.iter().filter(|d| !as_said(d)).map(|d| at(d.to_string()));
                    wrong.collect()
                }
            };
        }
        let module = match lowered {
            Ok(m) => m,
            Err(list) => return list.iter().map(|d| at(d.to_string())).collect(),
        };
        // Code that draws needs a scene: those that run are in `conformance/gfx`.
        let stage = module.entry("main").map_or(Stage::Compute, |e| e.stage.kind());
        let documented = |c| predict::documented_in(on, stage, c);
        if stage != Stage::Compute && !(matches!(on, On::Machine(_)) && documented(self.code)) {
            return Vec::new();
        }
        let here = match on {
            On::Machine(t) => self.is_of(t.backend.family()),
            _ => true,
        };
        if !here {
            return Vec::new();
        }
        // Where the whole is refused, so are its parts that nothing is said about.
        let codes = [Some(self.code), self.code.whole()].into_iter().flatten();
        let refused = codes.into_iter().find(|&c| documented(c));
        let mut wrong = Vec::new();
        for level in LEVELS {
            match self.run(module, on, level) {
                Err(e) => wrong.push(at(format!("-O{level}: {e}"))),
                Ok(None) if refused.is_some() => wrong.push(at(format!("-O{level} runs"))),
                Ok(None) => {}
                Ok(Some(codes)) if refused.is_some_and(|c| codes == [c]) => {}
                Ok(Some(codes)) => wrong.push(at(format!("-O{level} is refused: {codes:?}"))),
            }
        }
        wrong
    }
}

#[test]
fn what_is_refused_is_refused_and_the_rest_runs() {
    let mut places = vec![On::Interp];
    places.extend(exec::targets("all:all").into_iter().map(exec::on));
    let probes = all_probes();
    let lowered: Vec<_> = probes.par_iter().map(Probe::lower).collect();
    let jobs = probes.iter().zip(&lowered).flat_map(|p| places.iter().map(move |on| (p, *on)));
    let jobs: Vec<((&Probe, _), On)> = jobs.collect();
    let wrong: Vec<String> = jobs.par_iter().flat_map_iter(|((p, lowered), on)| p.check(lowered, *on)).collect();
    assert!(wrong.is_empty(), "{} are not as documented:\n{}", wrong.len(), wrong.join("\n"));
}

/// Each code is probed, and where a family has a limit of its own, that family's.
#[test]
fn every_code_has_a_probe() {
    let probes = all_probes();
    for &code in Refusal::ALL {
        // Refusals of the command alone: cli/tests.
        let command = matches!(code, Refusal::Elf | Refusal::NotModelled);
        let there = probes.iter().filter(|p| p.code == code);
        assert!(command || there.clone().count() > 0, "no probe of `{code}`");
        for b in gpucc::backends() {
            let declared = b.unsupported().iter().any(|l| l.code == code);
            let probed = there.clone().any(|p| p.is_of(b.family()));
            assert!(!declared || probed || command, "no probe of `{code}` for {}", b.family());
        }
    }
}

#[test]
fn the_page_is_what_the_code_says() {
    let page = std::fs::read_to_string(workspace().join("docs/support.md")).expect("the page");
    // Behind this heading rows are forms.
    let codes = page.split("\n## SPIR-V of draws by form").next().unwrap_or_default();
    let rows = codes.lines().filter_map(|l| l.strip_prefix("| `")?.split_once('`'));
    let rows: Vec<&str> = rows.map(|r| r.0).collect();
    for &code in Refusal::ALL {
        assert_eq!(rows.iter().filter(|r| **r == code.name()).count(), 1, "rows of `{code}`");
    }
    for r in rows {
        assert!(Refusal::parse(r).is_some(), "`{r}` is not a code");
    }
    assert!(!page.contains("reference"), "nobody can open the references");
}

/// A backend's answer about a code names existing generations, and does not contradict the list.
#[test]
fn unsupported_rows_are_well_formed() {
    for b in gpucc::backends() {
        for l in b.unsupported() {
            assert!(l.on.iter().all(|g| b.generations().contains(g)), "{}: {l:?}", b.family());
            assert!(l.code.everywhere().is_none(), "{}: {l:?} is refused before any target is asked", b.family());
            assert!(!l.why.is_empty() && !l.why.contains('|'), "{}: {l:?}", b.family());
            assert!(l.most.is_none() || l.code.kind() != Kind::Feature, "{}: {l:?}", b.family());
        }
        for g in b.generations() {
            for (&code, &stage) in Refusal::ALL.iter().flat_map(|c| Stage::ALL.iter().map(move |s| (c, s))) {
                let n = b.unsupported().iter().filter(|l| l.code == code && l.is_on(g) && l.is_in(stage)).count();
                assert!(n <= 1, "{}:{g} says {n} things of `{code}` in {stage} entry points", b.family());
            }
        }
    }
}

/// `frexp` of wide floats, on the oracle: exact by its definition.
#[test]
fn frexp_of_doubles() {
    let source = "@group(0) @binding(0) var<storage, read_write> o: array<f64>;
        @compute @workgroup_size(1) fn main() { let r = frexp(o[0]); o[1] = r.fract; o[2] = f64(r.exp); }";
    let module = exec::lower(source, "main", &[]).expect("it lowers");
    for (x, fract, exp) in
        [(8.0, 0.5, 4.0), (-0.15625, -0.625, -2.0), (1e300, 1e300 / 2f64.powi(997), 997.0), (0.0, 0.0, 0.0)]
    {
        let mut bytes = f64::to_le_bytes(x).to_vec();
        bytes.resize(24, 0);
        let mut d = Dispatch::new([1, 1, 1]);
        d.buffers.push(BoundBuffer { group: 0, binding: 0, bytes, writable: true });
        exec::run(&module, "main", On::Interp, &CodegenOptions::default(), &mut d, &RunOptions::default())
            .expect("it runs");
        let bytes = &d.buffer(0, 0).expect("the buffer").bytes;
        let at = |k: usize| f64::from_le_bytes(bytes[k * 8..k * 8 + 8].try_into().expect("eight bytes"));
        assert_eq!((at(1), at(2)), (fract, exp), "frexp({x})");
    }
}
