@group(0) @binding(0) var counts: texture_storage_2d<r32uint, read_write>;
@group(0) @binding(1) var made: texture_storage_2d<rgba8unorm, write>;

struct V { @builtin(position) p: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    return V(vec4<f32>(at * 4.0 - 1.0, 0.25, 1.0), at * 3.0);
}

@fragment fn fs(v: V) -> @location(0) vec4<f32> {
    let at = vec2<i32>(v.p.xy);
    let old = textureLoad(counts, at).x;
    textureStore(counts, at, vec4<u32>(old * 3u + u32(at.x)));
    let now = textureLoad(counts, at).x;
    textureStore(made, vec2<i32>(15 - at.x, at.y), vec4<f32>(f32(at.x) / 15.0, f32(at.y) / 15.0, 0.25, 1.0));
    return vec4<f32>(f32(now & 255u) / 255.0, f32(old & 255u) / 255.0, v.uv.x * 0.0, 1.0);
}
