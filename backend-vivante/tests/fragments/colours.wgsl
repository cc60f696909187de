// Two tables of colours that are exchanged place by place.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var a: array<vec4f, 16>; var b: array<vec4f, 16>;
    for (var k = 0; k < 16; k++) {
        a[k] = vec4f(f32(k), f32(15 - k), f32((k * 5) % 16), 8.0) * 0.0625;
        b[k] = a[k].wzyx;
    }
    for (var k = 0; k < 16; k++) {
        let to = (k * 7 + i32(p.x)) % 16;
        let t = a[to]; a[to] = b[k]; b[k] = t;
    }
    let i = i32(p.y) % 16;
    return (a[i] + b[(i * 3) % 16]) * 0.5;
}
