@group(0) @binding(2) var map: texture_depth_2d;
@group(0) @binding(3) var compares: sampler_comparison;

struct V { @builtin(position) p: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    return V(vec4<f32>(at * 4.0 - 1.0, 0.25, 1.0), at * 3.0);
}

@fragment fn fs(v: V) -> @location(0) vec4<f32> {
    let near = textureSampleCompare(map, compares, v.uv, 0.4);
    let far = textureSampleCompareLevel(map, compares, v.uv, 0.8);
    return vec4<f32>(near, far, v.uv.x, 1.0);
}
