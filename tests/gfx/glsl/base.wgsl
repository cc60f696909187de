struct V { @builtin(position) p: vec4<f32>, @location(0) @interpolate(flat) held: vec4<u32> }
@vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
    var corners = array<vec2<f32>, 3>(vec2<f32>(0, 0), vec2<f32>(1, 0), vec2<f32>(0, 1));
    let instance = n - 2;
    return V(vec4<f32>(vec2<f32>(f32(instance) - 1) + corners[i - 5], 0.0, 1.0), vec4<u32>(100, 60, i, 100 * instance + 50));
}
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return vec4<f32>(v.held) / 255.0; }
