@group(1) @binding(3) var layers: texture_2d_array<f32>;
@group(1) @binding(4) var soft: sampler;
struct V { @builtin(position) p: vec4<f32>, @location(0) uv: vec2<f32>, @location(1) @interpolate(flat) layer: i32 }
@vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    let corner = vec2<f32>(f32(n & 1u), f32(n >> 1u)) - 1.0;
    return V(vec4<f32>(corner + at, 0.0, 1.0), at, i32(n));
}
@fragment fn fs(v: V) -> @location(0) vec4<f32> {
    return textureSampleLevel(layers, soft, v.uv, v.layer, f32(v.layer) * 0.5);
}
