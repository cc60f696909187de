@group(0) @binding(0) var tiles: texture_2d<f32>;
@group(0) @binding(1) var soft: sampler;

struct V { @builtin(position) p: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    return V(vec4<f32>(at * 4.0 - 1.0, 0.25, 1.0), at * 3.0);
}

@fragment fn fs(v: V) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(v.p.xy);
    if (pixel.x * 3 + pixel.y) % 5 < 2 { discard; }
    return textureSample(tiles, soft, v.uv * 1.5);
}
