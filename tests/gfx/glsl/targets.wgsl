struct V { @builtin(position) p: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    return V(vec4<f32>(at * 4.0 - 1.0, 0.25, 1.0), at * 3.0);
}

struct F { @location(0) colour: vec4<f32>, @location(1) words: vec2<u32>, @location(2) single: f32 }
@fragment fn fs(v: V) -> F {
    return F(vec4<f32>(fract(v.uv), 0.5, 1.0), vec2<u32>(v.p.xy) * vec2<u32>(3u, 70000u), v.p.z * 2.0 + v.p.x);
}
