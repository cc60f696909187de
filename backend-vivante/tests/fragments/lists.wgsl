// All words that are there beside a few values.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var a: array<i32, 100>; var b: array<i32, 92>;
    for (var k = 0; k < 100; k++) { a[k] = (k * 7 + i32(p.x)) % 100; }
    for (var k = 0; k < 92; k++) { b[k] = a[a[k]] % 92; }
    let k = i32(p.y) % 92;
    return vec4f(f32(b[k]) * 0.01, f32(a[b[k]]) * 0.01, f32(b[b[k]]) * 0.01, 1.0);
}
