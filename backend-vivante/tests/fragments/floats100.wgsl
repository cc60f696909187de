// A hundred floats: running sums, then differences of two of them.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var s: array<f32, 100>; var last = 0.0;
    for (var k = 0; k < 100; k++) { last += f32((k * 3 + i32(p.x)) % 8) * 0.0078125; s[k] = last; }
    for (var k = 99; k > 0; k -= 2) { s[k] -= s[k - 1]; }
    let i = (i32(p.y) * 9) % 100;
    return vec4f(s[i], s[(i + 50) % 100], s[99 - i], 1.0) * 0.25;
}
