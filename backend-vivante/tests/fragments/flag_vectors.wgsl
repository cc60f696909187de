// Vectors of flags, one lane of which changes at an index.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var b: array<vec4<bool>, 12>; var c: array<vec2<bool>, 20>;
    for (var k = 0; k < 40; k++) { b[(k * 5) % 12][k % 4] = (k + i32(p.x)) % 3 == 0; c[(k * 3) % 20].y = !b[k % 12].z; }
    let i = i32(p.y) % 12;
    return select(vec4f(), vec4f(1.0), b[i]) * select(0.25, 1.0, all(c[i]));
}
