// Structures with vectors and arrays in an array, and vectors at an index.
struct Part { place: vec4f, speed: vec2f, kinds: array<i32, 3> }
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var parts: array<Part, 6>; var v: array<vec4f, 9>;
    for (var k = 0; k < 9; k++) { v[k] = vec4f(p.xy * 0.125, f32(k), 1.0) * 0.1; }
    for (var k = 0; k < 6; k++) { parts[k].place = v[(k * 4) % 9]; parts[k].speed = v[k].xy; parts[k].kinds[k % 3] = k; parts[k].kinds[(k + 1) % 3] = 7 - k; }
    let k = i32(p.x) % 6; let j = i32(p.y) % 9;
    v[j] += parts[k].place; parts[j % 6].place.z = 0.5;
    return vec4f(v[(j + k) % 9].xz + parts[k].speed, f32(parts[k].kinds[j % 3]) * 0.1 + parts[k].place.z, 1.0);
}
