// Thirty vectors live across a loop that writes an array at an index.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var keep: array<vec4f, 30>; var a: array<i32, 64>;
    let x = p.xyyx * 0.03125;
    for (var k = 0; k < 64; k++) { a[k] = (k * 5 + i32(p.y)) % 64; }
    keep[0] = x;
    keep[1] = x.yzwx + 0.125; keep[2] = keep[1] * x; keep[3] = keep[2].wzyx + x; keep[4] = keep[3] * 0.5 + keep[1];
    keep[5] = keep[4].yxwz * x; keep[6] = keep[5] + keep[2]; keep[7] = keep[6] * keep[1]; keep[8] = keep[7] + keep[3];
    keep[9] = keep[8] * 0.5; keep[10] = keep[9] + x; keep[11] = keep[10] * keep[4]; keep[12] = keep[11] + keep[5];
    for (var k = 0; k < 64; k++) { let t = a[k]; a[k] = a[(k + t) % 64]; a[(k + t) % 64] = t; }
    var s = vec4f(f32(a[i32(p.x) % 64]), f32(a[i32(p.y) % 64]), f32(a[63]), 16.0) * 0.015625;
    s += keep[0] * keep[12]; s += keep[1] * keep[11]; s += keep[2] * keep[10]; s += keep[3] * keep[9];
    s += keep[4] * keep[8]; s += keep[5] * keep[7]; s += keep[6];
    return s * 0.0625;
}
