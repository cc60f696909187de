struct V { @builtin(position) p: vec4<f32>, @location(0) @interpolate(flat) held: vec4<u32> }
@vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32, @location(0) offset: vec2<f32>, @location(1) shade: vec4<u32>) -> V {
    var corners = array<vec2<f32>, 6>(vec2<f32>(0, 0), vec2<f32>(1, 0), vec2<f32>(0, 1), vec2<f32>(0, 1), vec2<f32>(1, 0), vec2<f32>(1, 1));
    return V(vec4<f32>(offset + corners[i] * 0.375, 0.0, 1.0), shade + n);
}
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return vec4<f32>(v.held) / 255.0; }
