// A binary search in a sorted array, and what it found in a second one.
fn find(a: ptr<function, array<i32, 64>>, x: i32) -> i32 {
    var low = 0; var high = 63;
    while low <= high {
        let middle = (low + high) / 2;
        if (*a)[middle] == x { return middle; }
        if (*a)[middle] < x { low = middle + 1; } else { high = middle - 1; }
    }
    return -1;
}
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var a: array<i32, 64>; var seen: array<i32, 64>;
    for (var k = 0; k < 64; k++) { a[k] = k * 3 + i32(p.x) % 3; }
    for (var x = 0; x < 192; x += 5) { let at = find(&a, x); if at >= 0 { seen[at] = x; } }
    let k = find(&a, (i32(p.y) * 16 + 2) % 192);
    var total = 0;
    for (var i = 0; i < 64; i++) { total += seen[i]; }
    return vec4f(f32(k + 1) / 64.0, f32(total % 256) / 256.0, f32(seen[(i32(p.x) * 7) % 64]) / 192.0, 1.0);
}
