//! Validation: one scene that is right, and what is wrong with it after one change, in the whole sentence.

use gpucc_scene::model::{Aspect, Dimension, Held};
use gpucc_scene::read::{Language, parse};
use gpucc_scene::view::View;
use gpucc_scene::{Scene, check, contents};
use serde_json::Value;

use crate::rows;

/// A scene with two passes: a compute pass that reads views, and a render pass with every kind of attachment.
const RIGHT: &str = include_str!("right.json");

fn right() -> Value {
    serde_json::from_str(RIGHT).expect("JSON")
}

fn scene(v: &Value) -> Scene {
    parse(&v.to_string(), Language::Json).unwrap_or_else(|e| panic!("{e}"))
}

/// The scene with the value at this path replaced or added; `-` takes it away.
fn changed(path: &str, value: &str) -> Value {
    let mut v = right();
    let (parent, key) = path.rsplit_once('/').expect("a path");
    let parent = v.pointer_mut(parent).unwrap_or_else(|| panic!("{path}"));
    let value = (value != "-").then(|| serde_json::from_str(value).unwrap_or_else(|e| panic!("{value}: {e}")));
    match (parent, value) {
        (Value::Object(o), Some(value)) => {
            o.insert(key.into(), value);
        }
        (Value::Object(o), None) => {
            o.remove(key);
        }
        (Value::Array(a), Some(value)) => match key.parse::<usize>() {
            Ok(k) if k < a.len() => a[k] = value,
            _ => a.push(value),
        },
        _ => panic!("{path}"),
    }
    v
}

/// The names in the scene.
const THERE: [(&str, &str); 6] = [
    ("shader", "f, m"),
    ("texture", "color, cube, d, ids, line, other, res, vol, wide, zs"),
    ("sampler", "s"),
    ("buffer", "i, u, v"),
    ("pipeline", "c, p, q"),
    ("output", "picture, stencil, words"),
];

/// Whether the check of a change says this sentence, before and after loading.
fn says(path: &str, value: &str, sentence: &str) {
    let s = scene(&changed(path, value));
    let e = check::scene(&s).expect_err(path).of("scene.json");
    // The message about an unknown name ends with the known names.
    let there = THERE.iter().find(|t| sentence.contains(&format!("there is no {} `", t.0)));
    let there = there.map_or(String::new(), |t| format!("; available: {}", t.1));
    assert_eq!(e.to_string(), format!("scene.json: {sentence}{there}"), "{path} {value}");
    assert!(!e.is_io);
    if let Ok(r) = contents::load(&s, None) {
        assert_eq!(check::loaded(&s, &r).expect_err(path).of("scene.json"), e);
    }
}

#[test]
fn the_scene_itself_is_right() {
    let s = scene(&right());
    check::scene(&s).unwrap_or_else(|e| panic!("{e}"));
    let r = contents::load(&s, None).unwrap_or_else(|e| panic!("{e}"));
    check::loaded(&s, &r).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn resources() {
    let table = rows(
        r#"
        /shaders/f/file | "a.hlsl" | shaders.f.file: `a.hlsl` does not end in `.wgsl`, `.wesl`, `.spv`, `.vert`, `.frag` or `.comp`
        /textures/res/size | [0, 4] | textures.res.size[0]: the width is 0, which is not in 1 to 16384
        /textures/res/size | [4, 4, 2049] | textures.res.size[2]: the depth or layers is 2049, which is not in 1 to 2048
        /textures/res/mipLevelCount | 7 | textures.res.mipLevelCount: 7 levels are not in 1 to 6, the longest chain of this size
        /textures/line/mipLevelCount | 2 | textures.line.mipLevelCount: 2 levels are not in 1 to 1, the longest chain of this size
        /textures/line/size | [16, 2] | textures.line.size: a 1d texture has height 1 and one layer, not 2 and 1
        /textures/color/sampleCount | 2 | textures.color.sampleCount: 2 samples are neither 1 nor 4
        /textures/ids/sampleCount | 4 | textures.ids.sampleCount: r32uint textures have one sample
        /textures/res/sampleCount | 4 | textures.res.sampleCount: a multisampled texture is two-dimensional and has one level and one layer
        /textures/zs/dimension | "3d" | textures.zs.dimension: depth32float-stencil8 textures are two-dimensional
        /textures/color/viewFormats/0 | "rgba8uint" | textures.color.viewFormats[0]: a rgba8unorm texture cannot be viewed as rgba8uint
        /samplers/s/lodMinClamp | -1 | samplers.s.lodMinClamp: -1 is not a level of detail from 0 on
        /samplers/s | {"lodMinClamp": 5, "lodMaxClamp": 4} | samplers.s.lodMaxClamp: 4 is less than `lodMinClamp`, 5
        /samplers/s/maxAnisotropy | 0 | samplers.s.maxAnisotropy: it is at least 1
        /samplers/s/mipmapFilter | "nearest" | samplers.s.maxAnisotropy: more than 1 needs linear filters throughout
        /buffers/u/size | 999999999 | buffers.u.size: a buffer of 999999999 bytes is larger than 268435456
"#,
    );
    for [path, value, sentence] in table {
        says(path, value, sentence);
    }
}

#[test]
fn outputs() {
    let table = rows(
        r#"
        /present | "film" | present: there is no output `film`
        /present | "words" | present: the output `words` is a buffer, which has no picture
        /outputs/1/name | "picture" | outputs[1].name: the name `picture` occurs twice
        /outputs/0/texture | "t" | outputs[0].texture: there is no texture `t`
        /outputs/0/texture | "color" | outputs[0].texture: a multisampled texture cannot be an output: read it in a pass
        /outputs/0/mipLevel | 2 | outputs[0].mipLevel: there is no level 2 of 2
        /outputs/0/arrayLayer | 2 | outputs[0].arrayLayer: there is no layer or slice 2 of 2
        /outputs/0/aspect | "depth-only" | outputs[0].aspect: the format rgba8unorm has no such aspect
        /outputs/1/aspect | - | outputs[1].aspect: an output of a depth32float-stencil8 texture is either `depth-only` or `stencil-only`
        /outputs/2/buffer | "w" | outputs[2].buffer: there is no buffer `w`
        /outputs/2/size | 241 | outputs[2].size: 241 bytes from 16 are not in the 256 of `u`
        /outputs/2/offset | 257 | outputs[2].offset: 257 is behind the 256 bytes of `u`
"#,
    );
    for [path, value, sentence] in table {
        says(path, value, sentence);
    }
    let mut v = changed("/textures/zs/format", r#""depth24plus-stencil8""#);
    v["outputs"][1]["aspect"] = "depth-only".into();
    let e = check::scene(&scene(&v)).expect_err("no layout").to_string();
    assert_eq!(e, "outputs[1].aspect: the depth of depth24plus-stencil8 has no layout: read it in a pass");
}

#[test]
fn pipelines() {
    let p = "/pipelines/p";
    let of_stage = rows(
        r#"
        /vertex/shader | "x" | vertex.shader: there is no shader `x`
        /fragment/shader | "x" | fragment.shader: there is no shader `x`
        /vertex/buffers | [null,null,null,null,null,null,null,null,null] | vertex.buffers: 9 vertex buffers are more than 8
        /vertex/buffers/0/arrayStride | 18 | vertex.buffers[0].arrayStride: 18 is not a multiple of 4
        /vertex/buffers/0/arrayStride | 2052 | vertex.buffers[0].arrayStride: 2052 bytes are more than 2048
        /vertex/buffers/0/attributes/0/offset | 8 | vertex.buffers[0].attributes[0].offset: 12 bytes from 8 are not in an element of 16
        /vertex/buffers/0/attributes/0/offset | 2 | vertex.buffers[0].attributes[0].offset: 2 is not a multiple of 4, as float32x3 needs
        /vertex/buffers/0/attributes/1/offset | 13 | vertex.buffers[0].attributes[1].offset: 13 is not a multiple of 2, as unorm8x2 needs
        /vertex/buffers/2/attributes/0/shaderLocation | 1 | vertex.buffers[2].attributes[0].shaderLocation: the location 1 occurs twice
        /vertex/buffers/2/attributes/0/shaderLocation | 30 | vertex.buffers[2].attributes[0].shaderLocation: 30 is not below 30
        /primitive/topology | "line-list" | primitive.stripIndexFormat: only strips have one, not `line-list`
        /fragment/targets/0/format | "rgb9e5ufloat" | fragment.targets[0].format: rgb9e5ufloat is not a format of colour targets
        /fragment/targets/0/format | "depth16unorm" | fragment.targets[0].format: depth16unorm is not a format of colour targets
        /fragment/targets/0/format | "rgba8uint" | fragment.targets[0].blend: rgba8uint targets cannot blend
        /fragment/targets/0/writeMask | 16 | fragment.targets[0].writeMask: 16 has bits beside the four components
        /fragment/targets/0/blend/color/operation | "max" | fragment.targets[0].blend.color: `min` and `max` need both factors to be `one`
        /fragment/targets/0/blend/alpha/srcFactor | "src1" | fragment.targets[0].blend: factors of a second source need a pipeline of one target
        /depthStencil/format | "rgba8unorm" | depthStencil.format: rgba8unorm has neither depth nor stencil
        /depthStencil/format | "depth24plus" | depthStencil.stencilFront: depth24plus has no stencil
        /depthStencil/format | "stencil8" | depthStencil.depthWriteEnabled: stencil8 has no depth
        /depthStencil/depthWriteEnabled | - | depthStencil.depthWriteEnabled: depth24plus-stencil8 has a depth: it must be written
        /depthStencil/depthCompare | - | depthStencil.depthCompare: it must be written where depth or its failure is stored
        /depthStencil/depthBiasClamp | "nan" | depthStencil.depthBiasClamp: NaN is not finite
        /multisample/count | 2 | multisample.count: 2 samples are neither 1 nor 4
        /multisample/count | 1 | multisample.alphaToCoverageEnabled: it needs four samples
        /fragment/targets/0/format | "rg8unorm" | multisample.alphaToCoverageEnabled: it needs a first target with alpha that can blend
"#,
    );
    for [path, value, sentence] in of_stage {
        says(&format!("{p}{path}"), value, &format!("pipelines.p.{sentence}"));
    }
    says("/pipelines/c/compute/shader", r#""x""#, "pipelines.c.compute.shader: there is no shader `x`");
    says("/pipelines/q/fragment", "null", "pipelines.q: a render pipeline has a target or a depth-stencil state");
    let lines = r#"{"topology": "line-strip"}"#;
    let mut v = changed("/pipelines/p/primitive", lines);
    v["pipelines"]["p"]["depthStencil"]["depthBias"] = 2.into();
    let e = check::scene(&scene(&v)).expect_err("a bias of lines").to_string();
    assert_eq!(e, "pipelines.p.depthStencil.depthBias: `line-strip` has no bias");
}

/// A combined sampler is a texture and a sampler with one number.
#[test]
fn a_texture_and_a_sampler_share_a_place() {
    let s = scene(&changed("/passes/0/bindings/2/binding", "1"));
    check::scene(&s).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn compute_passes_and_bindings() {
    let b = "/passes/0/bindings";
    let table = rows(
        r#"
        /passes/0/pipeline | "x" | passes[0].pipeline: there is no pipeline `x`
        /passes/0/pipeline | "p" | passes[0].pipeline: `p` is not a compute pipeline
        /passes/0/dispatch/1 | 65536 | passes[0].dispatch[1]: 65536 workgroups are more than 65535
"#,
    );
    for [path, value, sentence] in table {
        says(path, value, sentence);
    }
    let table = rows(
        r#"
        /0/group | 32 | [0].group: 32 is not below 32
        /0/binding | 1000 | [0].binding: 1000 is not below 1000
        /1/binding | 0 | [1]: group 0, binding 0 is bound twice
        /2 | {"binding": 3, "buffer": "u"} | [3]: group 0, binding 3 is bound twice
        /2/sampler | "t" | [2].sampler: there is no sampler `t`
        /3/buffer | "t" | [3].buffer: there is no buffer `t`
        /3/offset | 20 | [3].offset: 20 is not a multiple of 32
        /3/size | 225 | [3].size: 225 bytes from 32 are not in the 256 of `u`
        /3/size | 0 | [3]: the range has no bytes
        /0/texture | "t" | [0].texture: there is no texture `t`
        /0/texture | "vol" | [0].baseArrayLayer: there is no layer 6 of 1
        /0/baseArrayLayer | 7 | [0].arrayLayerCount: 6 layers from 7 are not in the 12 of the texture
        /0/arrayLayerCount | 5 | [0].arrayLayerCount: 5 layers do not make this dimension
        /0/baseMipLevel | 4 | [0].baseMipLevel: there is no level 4 of 4
        /0/mipLevelCount | 5 | [0].mipLevelCount: 5 levels from 0 are not in the 4 of the texture
        /0/dimension | "3d" | [0].dimension: the texture has another dimension than the view
        /0 | {"binding": 0, "texture": "wide", "dimension": "cube"} | [0].dimension: faces of cubes are square
        /0 | {"binding": 0, "texture": "color", "dimension": "cube-array", "arrayLayerCount": 1} | [0].dimension: a multisampled texture is viewed as `2d` or `2d-array` only
        /0/aspect | "stencil-only" | [0].aspect: the format rgba16float has no such aspect
        /0/format | "rgba16uint" | [0].format: rgba16uint is neither the texture's format nor in its `viewFormats`
"#,
    );
    for [path, value, sentence] in table {
        says(&format!("{b}{path}"), value, &format!("passes[0].bindings{sentence}"));
    }
}

#[test]
fn attachments() {
    let table = rows(
        r#"
        /2 | {"type": "render"} | [2]: a render pass has an attachment
        /2/colorAttachments | [null,null,null,null,null,null,null,null,{"texture":"ids"}] | [2].colorAttachments: 9 attachments are more than 8
        /2/colorAttachments/0/texture | "x" | [2].colorAttachments[0].texture: there is no texture `x`
        /2/colorAttachments/0/texture | "zs" | [2].colorAttachments[0].texture: depth32float-stencil8 is not a format of colour targets
        /2/colorAttachments/0/texture | "line" | [2].colorAttachments[0].texture: a 1d texture is not an attachment
        /2/colorAttachments/0/mipLevel | 1 | [2].colorAttachments[0].mipLevel: there is no level 1 of 1
        /2/colorAttachments/0/arrayLayer | 1 | [2].colorAttachments[0].arrayLayer: there is no layer 1 of 1
        /2/colorAttachments/0/depthSlice | 0 | [2].colorAttachments[0].depthSlice: only 3d textures have slices
        /2/colorAttachments/1/depthSlice | - | [2].colorAttachments[1].depthSlice: a 3d texture needs one
        /2/colorAttachments/1/depthSlice | 4 | [2].colorAttachments[1].depthSlice: there is no slice 4 of 4
        /2/colorAttachments/0/format | "r32sint" | [2].colorAttachments[0].format: r32sint is neither the texture's format nor in its `viewFormats`
        /2/colorAttachments/1 | {"texture": "ids"} | [2].colorAttachments[1]: it is the same part of the texture as `passes[2].colorAttachments[0]`
        /2/colorAttachments/1 | {"texture": "wide"} | [2].colorAttachments[1]: it is 8 x 4, the attachments before are 16 x 8
        /2/colorAttachments/1 | {"texture": "color"} | [2].colorAttachments[1]: it has 4 samples, the attachments before have 1
        /2/colorAttachments/0/clearValue | [-1, 0, 0, 0] | [2].colorAttachments[0].clearValue: -1 is not a value of r32uint
        /2/colorAttachments/1/clearValue | ["nan", 0, 0, 0] | [2].colorAttachments[1].clearValue: a colour is cleared to numbers, not to NaN
        /2/colorAttachments/0/resolveTarget | {"texture": "other"} | [2].colorAttachments[0].resolveTarget: only multisampled attachments are resolved
        /1/colorAttachments/0/resolveTarget/texture | "d" | [1].colorAttachments[0].resolveTarget.texture: samples are resolved to a two-dimensional texture of one sample
        /1/colorAttachments/0/resolveTarget/texture | "ids" | [1].colorAttachments[0].resolveTarget.texture: rgba8unorm is resolved to the same format, not to r32uint
        /1/colorAttachments/0/resolveTarget/mipLevel | 0 | [1].colorAttachments[0].resolveTarget: it has another size than the attachment
        /1/colorAttachments/0/resolveTarget/arrayLayer | 2 | [1].colorAttachments[0].resolveTarget.arrayLayer: there is no layer 2 of 2
        /1/depthStencilAttachment/texture | "ids" | [1].depthStencilAttachment.texture: r32uint has neither depth nor stencil
        /1/depthStencilAttachment/texture | "zs" | [1].depthStencilAttachment: it is 4 x 4, the attachments before are 16 x 8
        /1/depthStencilAttachment/depthClearValue | 1.5 | [1].depthStencilAttachment.depthClearValue: 1.5 is not in 0 to 1
        /1/depthStencilAttachment/depthReadOnly | true | [1].depthStencilAttachment.depthLoadOp: a depth that is only read has no operations
        /1/depthStencilAttachment/stencilReadOnly | true | [1].draws[0].pipeline: it writes stencil, which the pass only reads
        /1/depthStencilAttachment | {"texture": "d", "depthReadOnly": true} | [1].draws[0].pipeline: it writes depth, which the pass only reads
"#,
    );
    for [path, value, sentence] in table {
        says(&format!("/passes{path}"), value, &format!("passes{sentence}"));
    }
    // An aspect that the format lacks has no operations.
    let mut v = right();
    v["textures"]["d"]["format"] = "depth24plus".into();
    v["passes"][1]["depthStencilAttachment"]["stencilLoadOp"] = "clear".into();
    v["pipelines"]["p"]["depthStencil"]["format"] = "depth24plus".into();
    v["pipelines"]["p"]["depthStencil"]["stencilFront"] = serde_json::json!({});
    let e = check::scene(&scene(&v)).expect_err("no stencil").to_string();
    assert_eq!(e, "passes[1].depthStencilAttachment.stencilLoadOp: depth24plus has no stencil");
}

#[test]
fn draws() {
    let table = rows(
        r#"
        0/pipeline | "x" | 0].pipeline: there is no pipeline `x`
        0/pipeline | "c" | 0].pipeline: `c` is not a render pipeline
        0/pipeline | "q" | 0].pipeline: its target 0 is r32uint, the attachment of the pass is rgba8unorm
        0/vertexBuffers | [] | 0].vertexBuffers[0]: the pipeline `p` needs a vertex buffer here
        0/vertexBuffers/2 | null | 0].vertexBuffers[2]: the pipeline `p` needs a vertex buffer here
        0/vertexBuffers/0/offset | 2 | 0].vertexBuffers[0].offset: 2 is not a multiple of 4
        0/vertexBuffers/0/size | 161 | 0].vertexBuffers[0].size: 161 bytes from 0 are not in the 160 of `v`
        0/vertexBuffers/0/buffer | "x" | 0].vertexBuffers[0].buffer: there is no buffer `x`
        0/draw/vertexCount | 11 | 0].vertexBuffers[0]: 11 vertices take 176 bytes, the buffer has 160
        0/draw/firstVertex | 1 | 0].vertexBuffers[0]: 11 vertices take 176 bytes, the buffer has 160
        0/draw/firstInstance | 1 | 0].vertexBuffers[2]: 4 instances take 16 bytes, the buffer has 12
        1/drawIndexed/instanceCount | 41 | 1].vertexBuffers[2]: 41 instances take 164 bytes, the buffer has 160
        1/indexBuffer | null | 1].indexBuffer: `drawIndexed` needs an index buffer
        1/indexBuffer/offset | 1 | 1].indexBuffer.offset: 1 is not a multiple of 2
        1/indexBuffer/format | "uint32" | 1].indexBuffer.offset: 2 is not a multiple of 4
        1/indexBuffer | {"buffer": "i", "format": "uint32"} | 1].indexBuffer.format: the pipeline `p` draws strips whose `stripIndexFormat` is not `uint32`
        1/drawIndexed/indexCount | 6 | 1].drawIndexed: 6 indices are more than the 5 of the buffer
        1/drawIndexed/firstIndex | 1 | 1].drawIndexed: 6 indices are more than the 5 of the buffer
        0/scissor | [4, 4, 13, 4] | 0].scissor: 13 columns from 4 are not in the 16 of the attachments
        0/scissor | [0, 4294967295, 1, 4294967295] | 0].scissor: 4294967295 rows from 4294967295 are not in the 8 of the attachments
        0/viewport | [0, 0, -1, 1, 0, 1] | 0].viewport: the size -1 x 1 is not in 0 to 16384
        0/viewport | [0, 0, 1, 1, 0.5, 0.25] | 0].viewport: the depths 0.5 to 0.25 are no range in 0 to 1
        0/viewport | ["nan", 0, 1, 1, 0, 1] | 0].viewport: NaN, 0 is too far outside
        0/blendConstant | [0, 0, "inf", 0] | 0].blendConstant: inf is not finite
        0/bindings | [{"binding": 0, "sampler": "x"}] | 0].bindings[0].sampler: there is no sampler `x`
"#,
    );
    for [path, value, sentence] in table {
        says(&format!("/passes/1/draws/{path}"), value, &format!("passes[1].draws[{sentence}"));
    }
    says(
        "/passes/2/draws/0/draw/vertexCount",
        "16777217",
        "passes[2].draws[0]: the pass has more than 16777216 vertices",
    );
    says("/pipelines/p/multisample", "{}", "passes[1].draws[0].pipeline: it has 1 samples, the attachments have 4");
    says(
        "/pipelines/p/depthStencil",
        "null",
        "passes[1].draws[0].pipeline: the pipeline expects no depth-stencil attachment, but the pass has depth24plus-stencil8",
    );
}

/// Ranges of a buffer whose size only its data say are checked when the data are there.
#[test]
fn sizes_that_data_say_are_checked_after_loading() {
    // 01020304 as zlib.
    let s = scene(&changed("/buffers/u", r#"{"zlib64": "eNpjZGJmAQAAGAAL"}"#));
    check::scene(&s).unwrap_or_else(|e| panic!("{e}"));
    let r = contents::load(&s, None).unwrap_or_else(|e| panic!("{e}"));
    let e = check::loaded(&s, &r).expect_err("four bytes").to_string();
    assert_eq!(e, "passes[0].bindings[3].offset: 32 is behind the 4 bytes of `u`");
}

#[test]
fn views_have_defaults() {
    let s = scene(&right());
    let view = |keys: &str| {
        let text = format!(
            r#"{{"format":"scene-1","passes":[{{"type":"compute","pipeline":"c","dispatch":[1],"bindings":[{{"binding":0,{keys}}}]}}]}}"#
        );
        let other = parse(&text, Language::Json).unwrap_or_else(|e| panic!("{e}"));
        let gpucc_scene::model::Pass::Compute { bindings, .. } = &other.passes[0] else { panic!() };
        let gpucc_scene::model::BindingResource::Texture(v) = &bindings[0].resource else { panic!() };
        View::resolve(&s, v).unwrap_or_else(|e| panic!("{e:?}"))
    };
    let v = view(r#""texture":"cube","baseMipLevel":1,"baseArrayLayer":2"#);
    assert_eq!((v.dimension, v.levels, v.layers), (Dimension::D2Array, 3, 10));
    let v = view(r#""texture":"cube","dimension":"cube-array""#);
    assert_eq!((v.levels, v.layers), (4, 12));
    assert_eq!(view(r#""texture":"vol""#).dimension, Dimension::D3);
    assert_eq!(view(r#""texture":"line""#).dimension, Dimension::D1);
    let v = view(r#""texture":"zs","aspect":"depth-only""#);
    assert_eq!((v.format.name(), v.aspect, v.dimension), ("depth32float", Aspect::DepthOnly, Dimension::D2));
    assert_eq!(view(r#""texture":"color","format":"rgba8unorm-srgb""#).format.name(), "rgba8unorm-srgb");
}

/// Paths of all leaves of a value.
fn leaves(v: &Value, path: &str, out: &mut Vec<String>) {
    match v {
        Value::Object(o) => o.iter().for_each(|(k, v)| leaves(v, &format!("{path}/{k}"), out)),
        Value::Array(a) => a.iter().enumerate().for_each(|(k, v)| leaves(v, &format!("{path}/{k}"), out)),
        _ => out.push(path.into()),
    }
}

/// Any value anywhere: an error or not, never a panic, and nothing large is allocated.
#[test]
fn extreme_values_never_panic() {
    struct All;
    impl gpucc_scene::uses::Layouts for All {
        fn used(&self, _: &str, (_, binding): (u32, u32), _: Held) -> Option<gpucc_scene::uses::Use> {
            Some(if binding.is_multiple_of(2) { gpucc_scene::uses::Use::Read } else { gpucc_scene::uses::Use::Write })
        }
    }
    let mut paths = Vec::new();
    leaves(&right(), "", &mut paths);
    assert!(paths.len() > 150, "{}", paths.len());
    let (mut read, mut refused) = (0, 0);
    for path in &paths {
        for value in
            ["0", "1", "3", "-1", "65537", "4294967295", "18446744073709551615", "1e308", "null", "\"inf\"", "\"\""]
        {
            let mut v = right();
            *v.pointer_mut(path).expect("a leaf") = serde_json::from_str(value).expect("JSON");
            let Ok(s) = parse(&v.to_string(), Language::Json) else { continue };
            read += 1;
            refused += usize::from(check::scene(&s).is_err());
            let _ = gpucc_scene::uses::check(&s, &All);
            let Ok(r) = contents::load(&s, None) else { continue };
            let _ = check::loaded(&s, &r);
            for o in &s.outputs {
                let _ = gpucc_scene::output::bytes(&s, &r, o);
                let _ = gpucc_scene::output::picture(&s, &r, o);
            }
        }
    }
    assert!(read > 500 && refused > 300, "{read} were read, {refused} refused");
}

/// The example of the format's page, as a person would write it.
#[test]
fn the_example_of_the_format_is_right() {
    let Some(page) = crate::shared::page("scene.md") else { return };
    let (_, example) = page.split_once("## Example").expect("an example");
    let text: Vec<&str> = example.lines().map(|l| l.strip_prefix("    ").unwrap_or(l)).collect();
    let s = parse(&text.join("\n"), Language::Toml).unwrap_or_else(|e| panic!("{e}"));
    check::scene(&s).unwrap_or_else(|e| panic!("{e}"));
    let r = contents::load(&s, None).unwrap_or_else(|e| panic!("{e}"));
    check::loaded(&s, &r).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((r.textures.len(), r.buffers[0].len()), (2, 48));
    assert_eq!(s.presented().expect("a picture").name, "picture");
}
