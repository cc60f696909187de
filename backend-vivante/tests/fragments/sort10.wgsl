// A list sorted step by step into another and back.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var data: array<i32, 10>; var temp: array<i32, 10>;
    for (var i = 0; i < 10; i++) { data[i] = (9 - i) * (i32(p.x) % 7 + 1); temp[i] = data[i]; }
    for (var m = 1; m <= 9; m = 2 * m) {
        for (var i = 0; i < 9; i += 2 * m) {
            let mid = i + m - 1; let to = min(i + 2 * m - 1, 9);
            var k = i; var a = i; var b = mid + 1;
            while a <= mid && b <= to { if data[a] < data[b] { temp[k] = data[a]; a++; } else { temp[k] = data[b]; b++; } k++; }
            while a < 10 && a <= mid { temp[k] = data[a]; k++; a++; }
            for (var x = i; x <= to; x++) { data[x] = temp[x]; }
        }
    }
    let k = i32(p.y) % 10;
    return vec4f(f32(data[k]) * 0.01, f32(data[9 - k]) * 0.01, f32(temp[(k * 3) % 10]) * 0.01, 1.0);
}
