struct V { @builtin(position) p: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    return V(vec4<f32>(at * 4.0 - 1.0, 0.25, 1.0), at * 3.0);
}

@fragment fn fs(v: V) -> @location(0) vec4<f32> {
    let bent = v.uv * v.uv;
    return vec4<f32>(dpdxFine(bent.x), dpdyCoarse(-bent.y), fwidth(bent.x * bent.y), dpdx(v.uv.y) + 0.5);
}
