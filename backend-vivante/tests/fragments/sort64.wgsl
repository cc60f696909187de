// Sorted in place, then read by the place of the pixel.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var data: array<i32, 64>;
    for (var i = 0; i < 64; i++) { data[i] = (i * 37 + i32(p.x) * 11) % 64; }
    for (var i = 0; i < 63; i++) {
        for (var j = 0; j < 63 - i; j++) {
            if data[j] > data[j + 1] { let t = data[j]; data[j] = data[j + 1]; data[j + 1] = t; }
        }
    }
    let k = i32(p.y) % 64;
    return vec4f(f32(data[k]) / 64.0, f32(data[63 - k]) / 64.0, f32(data[(k * 5) % 64]) / 64.0, 1.0);
}
