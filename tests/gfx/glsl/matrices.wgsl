struct Camera { view: mat4x4<f32>, turn: mat3x3<f32>, tints: array<vec4<f32>, 3> }
@group(0) @binding(0) var<uniform> camera: Camera;
struct V { @builtin(position) p: vec4<f32>, @location(0) tint: vec4<f32> }
@vertex fn vs(@builtin(vertex_index) i: u32, @location(0) at: vec3<f32>) -> V {
    return V(camera.view * vec4<f32>(camera.turn * at, 1.0), camera.tints[i % 3u]);
}
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return v.tint; }
