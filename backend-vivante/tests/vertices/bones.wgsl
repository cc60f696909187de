// Matrices of bones made by the vertex, and two of them chosen by its number.
struct Out { @builtin(position) at: vec4f, @location(0) colour: vec4f }
@vertex fn vs(@builtin(vertex_index) n: u32) -> Out {
    var bones: array<mat3x4f, 6>;
    for (var b = 0; b < 6; b++) { for (var c = 0; c < 3; c++) { for (var r = 0; r < 4; r++) {
        bones[b][c][r] = select(0.0, 1.0, c == r) + f32((b * 3 + c + r) % 4) * 0.03125;
    } } }
    let i = i32(n) % 6; let j = (i32(n) * 3 + 1) % 6;
    let corner = vec3f(f32(n & 1u) * 3.0 - 1.0, f32(n >> 1u) * 3.0 - 1.0, 0.25);
    let at = (bones[i] * corner + bones[j] * corner) * 0.5;
    return Out(vec4f(at.xy, 0.5, 1.0), vec4f(bones[i][j % 3][i % 4], at.w * 0.25 + 0.5, bones[j][1][2], 1.0));
}
@fragment fn fs(v: Out) -> @location(0) vec4f { return v.colour; }
