struct V { @builtin(position) p: vec4<f32>, @location(0) @interpolate(flat) which: f32 }
@vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    return V(vec4<f32>(at * 4.0 - 1.0, 0.5, 1.0), f32(n));
}
struct F { @location(0) colour: vec4<f32>, @builtin(frag_depth) depth: f32 }
@fragment fn fs(v: V) -> F {
    let slope = v.p.x / 16.0;
    return F(vec4<f32>(v.which, slope, 0.0, 1.0), select(1.0 - v.p.y / 16.0, slope, v.which == 0.0));
}
