// Structures with arrays of colours, two tables of constants and a list of vectors.
struct Out { @builtin(position) at: vec4f, @location(0) colour: vec4f }
struct Ramp { stops: array<f32, 5>, colours: array<vec4f, 5> }
const order = array<i32, 16>(3, 9, 1, 0, 14, 7, 2, 11, 5, 15, 6, 4, 13, 8, 12, 10);
@vertex fn vs(@builtin(vertex_index) n: u32) -> Out {
    var r: Ramp; var list: array<vec2f, 16>;
    for (var k = 0; k < 5; k++) { r.stops[k] = f32(k) * 0.25; r.colours[k] = vec4f(f32(k % 2), f32(k / 2) * 0.5, f32(4 - k) * 0.25, 1.0); }
    for (var k = 0; k < 16; k++) { list[order[k]] = vec2f(f32(k), f32(order[15 - k])) * 0.0625; }
    let v = list[(i32(n) * 5) % 16];
    var i = 0;
    while i < 3 && r.stops[i + 1] < v.x { i++; }
    let c = mix(r.colours[i], r.colours[i + 1], v.y);
    return Out(vec4f(f32(n & 1u) * 4.0 - 1.0, f32(n >> 1u) * 4.0 - 1.0, 0.5, 1.0), c);
}
@fragment fn fs(v: Out) -> @location(0) vec4f { return v.colour; }
