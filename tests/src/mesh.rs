//! A frame to measure with: a lit mesh of ten thousand triangles, 640 x 480, with depth.

use gpucc_scene::{Scene, read};

/// Waves over the unit square of `cells` x `cells` cells of two triangles: x, y, z and a normal for each vertex.
fn vertices(cells: u32) -> Vec<f32> {
    let mut list = Vec::new();
    let n = f64::from(cells);
    for k in 0..(cells + 1) * (cells + 1) {
        let (u, v) = (f64::from(k % (cells + 1)) / n, f64::from(k / (cells + 1)) / n);
        let (a, b) = (u * 12.0, v * 9.0);
        let height = a.sin() * b.cos() * 0.1;
        let (du, dv) = (a.cos() * b.cos() * 1.2, -a.sin() * b.sin() * 0.9);
        let length = (du * du + dv * dv + 1.0).sqrt();
        let vertex = [u * 2.0 - 1.0, v * 2.0 - 1.0, height, -du / length, -dv / length, 1.0 / length];
        list.extend(vertex.map(|x| x as f32));
    }
    list
}

fn indices(cells: u32) -> Vec<u32> {
    let corner = |x: u32, y: u32| y * (cells + 1) + x;
    let cell = |k: u32| {
        let (x, y) = (k % cells, k / cells);
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
        [a, b, c, c, b, d]
    };
    (0..cells * cells).flat_map(cell).collect()
}

const SHADER: &str = "
struct Frame { view: mat4x4<f32>, light: vec4<f32>, eye: vec4<f32> }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var tiles: texture_2d<f32>;
@group(0) @binding(2) var soft: sampler;
struct V { @builtin(position) p: vec4<f32>, @location(0) at: vec3<f32>, @location(1) normal: vec3<f32> }
@vertex fn vs(@location(0) at: vec3<f32>, @location(1) normal: vec3<f32>) -> V {
    return V(frame.view * vec4<f32>(at, 1.0), at, normal);
}
@fragment fn fs(v: V) -> @location(0) vec4<f32> {
    let n = normalize(v.normal);
    let to_light = normalize(frame.light.xyz - v.at);
    let to_eye = normalize(frame.eye.xyz - v.at);
    let shine = pow(max(dot(n, normalize(to_light + to_eye)), 0.0), 32.0);
    let base = textureSample(tiles, soft, v.at.xy * 4.0).rgb;
    return vec4<f32>(base * (0.1 + max(dot(n, to_light), 0.0)) + shine * 0.5, 1.0);
}
";

/// The scene; `cells` = 71 makes 10,082 triangles.
///
/// # Panics
/// Never: the text is a scene.
pub fn scene(cells: u32, size: [u32; 2]) -> Scene {
    // Seen from above and in front, w from 1.5 to 2.5: columns of the matrix.
    let view: [f32; 16] = [1.6, 0.0, 0.0, 0.0, 0.0, 1.4, 0.25, 0.5, 0.0, 0.8, -0.3, -0.3, 0.0, 0.0, 1.0, 2.0];
    let light: [f32; 8] = [0.5, -0.5, 1.5, 1.0, 0.0, -2.0, 1.5, 1.0];
    let frame: Vec<f32> = view.into_iter().chain(light).collect();
    let (vertices, indices) = (vertices(cells), indices(cells));
    let [w, h] = size;
    let count = indices.len();
    let text = serde_json::json!({
        "format": "scene-1",
        "shaders": { "m": { "wgsl": SHADER } },
        "textures": {
            "picture": { "format": "rgba8unorm", "size": [w, h] },
            "depth": { "format": "depth24plus", "size": [w, h] },
            "tiles": { "format": "rgba8unorm", "size": [64, 64], "mipLevelCount": 7,
                "contents": { "generator": { "name": "checker", "cell": 8, "b": [90, 120, 200, 255], "mips": "box" } } }
        },
        "samplers": { "soft": { "magFilter": "linear", "minFilter": "linear", "mipmapFilter": "linear",
            "addressModeU": "repeat", "addressModeV": "repeat" } },
        "buffers": { "frame": { "f32": frame }, "vertices": { "f32": vertices }, "indices": { "u32": indices } },
        "pipelines": { "p": {
            "vertex": { "shader": "m", "buffers": [ { "arrayStride": 24, "attributes": [
                { "shaderLocation": 0, "format": "float32x3", "offset": 0 },
                { "shaderLocation": 1, "format": "float32x3", "offset": 12 } ] } ] },
            "fragment": { "shader": "m", "targets": [ { "format": "rgba8unorm" } ] },
            "depthStencil": { "format": "depth24plus", "depthWriteEnabled": true, "depthCompare": "less" } } },
        "passes": [ { "type": "render", "colorAttachments": [ { "texture": "picture" } ],
            "depthStencilAttachment": { "texture": "depth" },
            "draws": [ { "pipeline": "p",
                "bindings": [ { "binding": 0, "buffer": "frame" }, { "binding": 1, "texture": "tiles" }, { "binding": 2, "sampler": "soft" } ],
                "vertexBuffers": [ { "buffer": "vertices" } ],
                "indexBuffer": { "buffer": "indices", "format": "uint32" },
                "drawIndexed": { "indexCount": count } } ] } ],
        "outputs": [ { "name": "picture", "texture": "picture" } ]
    });
    read::parse(&text.to_string(), read::Language::Json).unwrap_or_else(|e| panic!("{e}"))
}
