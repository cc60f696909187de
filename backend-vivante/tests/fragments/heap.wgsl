// A heap of floats: built, then emptied into a second array.
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var h: array<f32, 32>; var out: array<f32, 32>;
    for (var i = 0; i < 32; i++) {
        var at = i; h[at] = f32((i * 13 + i32(p.x) * 7) % 32) * 0.03125;
        while at > 0 && h[(at - 1) / 2] > h[at] {
            let up = (at - 1) / 2; let t = h[up]; h[up] = h[at]; h[at] = t; at = up;
        }
    }
    for (var n = 31; n >= 0; n--) {
        out[31 - n] = h[0]; h[0] = h[n];
        var at = 0;
        loop {
            var next = at; let left = 2 * at + 1; let right = left + 1;
            if left < n && h[left] < h[next] { next = left; }
            if right < n && h[right] < h[next] { next = right; }
            if next == at { break; }
            let t = h[next]; h[next] = h[at]; h[at] = t; at = next;
        }
    }
    return vec4f(out[i32(p.y) % 32], out[(i32(p.y) * 9) % 32], out[31], 1.0);
}
