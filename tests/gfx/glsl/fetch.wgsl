@group(0) @binding(0) var tiles: texture_2d<f32>;
@group(0) @binding(1) var counts: texture_2d<u32>;

struct V { @builtin(position) p: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    return V(vec4<f32>(at * 4.0 - 1.0, 0.25, 1.0), at * 3.0);
}

@fragment fn fs(v: V) -> @location(0) vec4<f32> {
    let size = vec2<i32>(textureDimensions(counts, 0));
    let at = vec2<i32>(v.p.xy);
    let count = textureLoad(counts, at % size, 0);
    return textureLoad(tiles, at >> vec2<u32>(1u), 1) * 0.5 + vec4<f32>(count & vec4<u32>(255u)) / 512.0 + v.uv.x * 0.0;
}
