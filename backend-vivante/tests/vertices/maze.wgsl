// 256 words at an index beside 16 vectors, in vertices.
struct Out { @builtin(position) at: vec4f, @location(0) colour: vec4f }
@vertex fn vs(@builtin(vertex_index) n: u32) -> Out {
    let x = i32(n);
    var map: array<i32, 256>;
    for (var i = 0; i < 256; i++) { map[i] = (i * 37 + x * 11) & 255; }
    var v: vec4i = vec4i(x, x + 1, x * 3, x * x);
    var a0 = v + 1; var a1 = v * 3; var a2 = v ^ vec4i(5); var a3 = v - 2;
    var a4 = v * 5; var a5 = v + 9; var a6 = v ^ vec4i(3); var a7 = v * 11;
    var b0 = a0 * 2; var b1 = a1 + 1; var b2 = a2 * 7; var b3 = a3 ^ vec4i(1);
    var b4 = a4 + 3; var b5 = a5 * 13; var b6 = a6 - 7; var b7 = a7 + 2;
    var at = x * 16;
    for (var s = 0; s < 40 + x; s++) {
        at = (at + 17 - map[at] * 5 + (s & 3)) & 255;
        map[at] += s;
        map[(at * 3) & 255] ^= at;
        a0 = (a0 + b7.yzwx) & vec4i(255); a1 = (a1 + a0) & vec4i(255); a2 = (a2 ^ a1.wxyz) & vec4i(255); a3 = (a3 + a2) & vec4i(255);
        a4 = (a4 + a3.yxwz) & vec4i(255); a5 = (a5 ^ a4) & vec4i(255); a6 = (a6 + a5) & vec4i(255); a7 = (a7 + a6.zwxy) & vec4i(255);
        b0 = (b0 + a7) & vec4i(255); b1 = (b1 ^ b0.yzwx) & vec4i(255); b2 = (b2 + b1) & vec4i(255); b3 = (b3 + b2) & vec4i(255);
        b4 = (b4 + b3.wxyz) & vec4i(255); b5 = (b5 + b4) & vec4i(255); b6 = (b6 ^ b5) & vec4i(255); b7 = (b7 + b6 + map[s & 255]) & vec4i(255);
        at = (at + map[(s * 5) & 255]) & 255;
    }
    let all = a0 + a1 * 3 + a2 + a3 * 5 + a4 + a5 + a6 * 7 + a7 + b0 + b1 + b2 * 3 + b3 + b4 + b5 * 9 + b6 + b7;
    let last = vec3i(map[at], map[(at + 100) & 255], at) + all.xyz + all.w;
    let corner = vec2f(f32(n & 1u) * 4.0 - 1.0, f32(n >> 1u) * 4.0 - 1.0);
    return Out(vec4f(corner, 0.5, 1.0), vec4f(vec4i(last & vec3i(255), 255)) / 255.0);
}
@fragment fn fs(v: Out) -> @location(0) vec4f { return v.colour; }
