// Structures of matrices, copied whole and read by columns.
struct S { m: mat3x3f, n: mat2x2f, k: array<vec3i, 3> }
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var s: array<S, 3>;
    for (var k = 0; k < 3; k++) { s[k].m = mat3x3f(1.0, f32(k), 3.0, p.x, 0.5, 0.25, p.y, 0.0, 1.0); s[k].n = mat2x2f(f32(k), p.x, p.y, 1.0); s[k].k[k] = vec3i(k, i32(p.x), 2); }
    let i = i32(p.x) % 3; let j = i32(p.y) % 3;
    let q = s[i].m * s[j].m; let r = s[j].n * s[i].n[j % 2];
    s[i] = s[j];
    return vec4f(q[i] + s[j].m[j] + vec3f(s[i].k[i]), r.x) * 0.0625;
}
