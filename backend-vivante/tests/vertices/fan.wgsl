// The corners of a fan lie in an array that the vertex fills and sorts.
struct Out { @builtin(position) at: vec4f, @location(0) colour: vec4f }
@vertex fn vs(@builtin(vertex_index) n: u32) -> Out {
    var a: array<f32, 64>;
    for (var k = 0; k < 64; k++) { a[k] = f32((k * 37 + 11) % 64) / 64.0; }
    for (var i = 1; i < 64; i++) {
        var j = i; let t = a[i];
        while j > 0 && a[j - 1] > t { a[j] = a[j - 1]; j--; }
        a[j] = t;
    }
    let k = i32(n) * 16;
    return Out(vec4f(a[(k + 8) % 64] * 2.0 - 1.0, select(-1.0, 1.0, n == 1u), 0.5, 1.0), vec4f(a[k % 64], a[63 - k % 64], a[17], 1.0));
}
@fragment fn fs(v: Out) -> @location(0) vec4f { return v.colour; }
