// Booleans at an index.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var sieve: array<bool, 80>;
    for (var k = 0; k < 80; k++) { sieve[k] = true; }
    for (var k = 2; k * k < 80; k++) { if sieve[k] { for (var j = k * k; j < 80; j += k) { sieve[j] = false; } } }
    let k = (i32(p.x) + i32(p.y) * 8) % 80;
    return vec4f(f32(sieve[k]), f32(sieve[(k * 3) % 80]), f32(sieve[79 - k]), 1.0);
}
