struct V {
    @builtin(position) p: vec4<f32>,
    @location(0) smooth_one: f32,
    @location(1) @interpolate(linear) linear_one: f32,
    @location(2) @interpolate(flat) flat_one: f32,
}
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    let w = 1.0 + at.x + 2.0 * at.y;
    return V(vec4<f32>((at * 4.0 - 1.0) * w, 0.5 * w, w), at.x, at.x, f32(i + 1u) * 0.25);
}
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return vec4<f32>(v.smooth_one * 2.0, v.linear_one * 2.0, v.flat_one, v.p.w); }
