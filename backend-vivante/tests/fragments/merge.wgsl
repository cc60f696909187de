// A merge sort by halves that double: two arrays take turns.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var a: array<i32, 64>; var b: array<i32, 64>;
    for (var k = 0; k < 64; k++) { a[k] = (k * 29 + i32(p.x) * 3) % 64; }
    for (var width = 1; width < 64; width *= 2) {
        for (var low = 0; low < 64; low += 2 * width) {
            var i = low; var j = low + width;
            let mid = low + width; let end = low + 2 * width;
            for (var k = low; k < end; k++) {
                if i < mid && (j >= end || a[i] <= a[j]) { b[k] = a[i]; i++; } else { b[k] = a[j]; j++; }
            }
        }
        for (var k = 0; k < 64; k++) { a[k] = b[k]; }
    }
    let i = (i32(p.y) * 8) % 64;
    return vec4f(f32(a[i]), f32(a[63 - i]), f32(b[(i + 1) % 64]), 64.0) / 64.0;
}
