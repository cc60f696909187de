// As many words as temporaries take beside a few values.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var a: array<i32, 232>;
    for (var k = 0; k < 232; k++) { a[k] = (k * 5 + i32(p.y)) % 232; }
    let i = i32(p.x) * 25 % 200;
    return vec4f(f32(a[i]), f32(a[231 - i]), f32(a[a[i]]), 200.0) * 0.005;
}
