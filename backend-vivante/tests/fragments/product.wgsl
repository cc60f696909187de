// Matrices of arrays, multiplied by hand with rows and columns at an index.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var a: array<array<f32, 4>, 4>; var b: mat4x4f; var c: mat4x4f;
    for (var r = 0; r < 4; r++) { for (var k = 0; k < 4; k++) {
        a[r][k] = f32((r * 4 + k + i32(p.x)) % 7) * 0.125; b[r][k] = f32((r + k * 3 + i32(p.y)) % 5) * 0.25;
    } }
    for (var r = 0; r < 4; r++) { for (var k = 0; k < 4; k++) {
        var s = 0.0;
        for (var n = 0; n < 4; n++) { s += a[r][n] * b[n][k]; }
        c[r][k] = s;
    } }
    let i = i32(p.x) % 4; let j = i32(p.y) % 4;
    return vec4f(c[i][j], c[j][i], (b * c)[i][j] * 0.25, transpose(c)[j][i]) * 0.25;
}
