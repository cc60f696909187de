// Nested loops that leave in the middle, with a counter for each of a hundred places.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var count: array<i32, 100>;
    for (var i = 0; i < 10; i++) {
        for (var j = 0; j < 10; j++) {
            var k = i * j + i32(p.x);
            loop {
                if k >= 100 { break; }
                count[k] += 1;
                if count[k] > 3 { break; }
                continuing { k += i + 7; }
            }
            if count[(i * 10 + j) % 100] == 3 { continue; }
            if count[99 - i] > 2 { break; }
        }
    }
    var sum = 0;
    for (var i = 0; i < 100; i += 3) { sum += count[i]; }
    return vec4f(f32(count[(i32(p.y) * 11) % 100]) * 0.25, f32(sum % 64) / 64.0, f32(count[i32(p.x) % 100]) * 0.25, 1.0);
}
