// A hundred whole numbers beside flags of which corners were seen.
struct Out { @builtin(position) at: vec4f, @location(0) @interpolate(flat) found: vec4i }
@vertex fn vs(@builtin(vertex_index) n: u32) -> Out {
    var a: array<i32, 100>; var seen: array<bool, 40>;
    for (var k = 0; k < 100; k++) { a[k] = (k * k + i32(n) * 13) % 100; seen[a[k] % 40] = true; }
    var at = i32(n); var steps = 0;
    while steps < 20 && seen[at % 40] { seen[at % 40] = false; at = a[at]; steps++; }
    return Out(vec4f(f32(n & 1u) * 4.0 - 1.0, f32(n >> 1u) * 4.0 - 1.0, 0.5, 1.0), vec4i(at, steps, a[99], a[at]));
}
@fragment fn fs(v: Out) -> @location(0) vec4f { return vec4f(v.found) * 0.01 * fract(v.at.xyxy * 0.125); }
