@group(0) @binding(0) var tiles: texture_2d<f32>;

@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    return vec4<f32>(at * 1.7 - 0.9, 0.25, 1.0);
}

@fragment fn fs(@builtin(position) p: vec4<f32>, @builtin(sample_mask) mask: u32) -> @location(0) vec4<f32> {
    let at = vec2<i32>(p.xy);
    let outside = select(0.0, 1.0, mask == 0u);
    let edge = abs(dpdxFine(outside)) + abs(dpdyFine(outside)) * 0.5;
    let leaves = (at.x + at.y * 3) % 7 == 0;
    let gone = select(0.0, 1.0, mask == 0u || leaves);
    let dx = abs(dpdxFine(gone)) * 0.5 + abs(dpdyFine(gone)) * 0.25;
    let x = textureLoad(tiles, at, 0).x;
    if leaves { discard; }
    return vec4<f32>(edge * 0.6, dx, x, 1.0);
}
