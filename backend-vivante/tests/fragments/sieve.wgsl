// A sieve of flags; the pixel asks how many primes lie below it.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var composite: array<bool, 100>;
    for (var i = 2; i * i < 100; i++) {
        if composite[i] { continue; }
        for (var j = i * i; j < 100; j += i) { composite[j] = true; }
    }
    let n = (i32(p.x) * 17 + i32(p.y) * 5) % 100;
    var below = 0;
    for (var i = 2; i < n; i++) { if !composite[i] { below++; } }
    return vec4f(f32(below) / 25.0, select(0.0, 1.0, composite[n]), f32(n) * 0.01, 1.0);
}
