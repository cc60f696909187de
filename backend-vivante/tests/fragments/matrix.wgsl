// Columns and rows at an index.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var m: mat4x4f; var n: array<mat3x3f, 3>;
    for (var c = 0; c < 4; c++) { for (var r = 0; r < 4; r++) { m[c][r] = f32((c * 5 + r * 3 + i32(p.x)) % 8) * 0.125; } }
    for (var k = 0; k < 3; k++) { for (var c = 0; c < 3; c++) { for (var r = 0; r < 3; r++) { n[k][c][r] = m[(c + k) % 4][(r + k) % 4] + 0.125; } } }
    let a = i32(p.x) % 3; let b = i32(p.y) % 3;
    n[a][b] += m[a].xyz;
    return vec4f(n[b][a] * 0.25 + vec3f(m[b][a], m[a][b], 0.0) * 0.5, 1.0);
}
