@group(0) @binding(0) var tiles: texture_2d<f32>;

@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    return vec4<f32>(at * 4.0 - 1.0, 0.25, 1.0);
}

@fragment fn fs(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> {
    let at = vec2<i32>(p.xy);
    let tile = textureLoad(tiles, at, 0);
    var steps = 0;
    if at.x == 11 || at.x == 10 || at.y == 5 || (at.y == 6 && (at.x & 1) != 0) {
        discard;
    } else if at.x > 12 {
        steps = 13;
    } else {
        loop {
            if steps * steps > at.x { break; }
            steps += 1;
        }
    }
    var sum = f32(steps) * 0.05;
    if at.y == 6 { sum += f32(at.x) * 0.03; }
    return vec4<f32>(sum, tile.xy * 0.5, 1.0);
}
