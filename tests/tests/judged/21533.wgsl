struct Input {
    quads: array<vec4<u32>, 8>, trios: array<vec3<i32>, 8>, floats: array<vec3<f32>, 4>, duos: array<vec2<i32>, 8>,
    words: array<u32>
}
struct Params { a: u32, b: i32, c: f32, d: u32, v: vec4<i32>, w: vec3<u32>, h: vec2<f32> }
struct Cell {
    a: vec4<u32>, b: vec3<i32>, k: u32, c: vec2<u32>, q: array<vec4<i32>, 2>, t: array<vec3<u32>, 2>, f: vec3<f32>, g: vec4<f32>
}
struct Counters { u: array<atomic<u32>, 7>, i: array<atomic<i32>, 3> }
struct Pair { n: u32, f: vec3<f32>, list: array<i32, 3> }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: Input;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;
@group(0) @binding(3) var<storage, read_write> counters: Counters;
@group(0) @binding(4) var<storage, read_write> own: array<atomic<i32>>;
@group(0) @binding(5) var<storage, read_write> zeros: array<u32>;
@group(0) @binding(6) var<storage, read_write> cells: array<Cell>;
var<private> me: u32 = 0u;
var<private> state: u32 = 7u;
var<private> table: array<i32, 6>;
var<private> zu: u32 = 0u;
var<private> zi: i32 = 0;
var<private> zf: f32 = 0.0;
fn small(x: f32) -> f32 { return x - floor(x * 0.0009765625) * 1024.0; }
fn small2(x: vec2<f32>) -> vec2<f32> { return x - floor(x * 0.0009765625) * 1024.0; }
fn small3(x: vec3<f32>) -> vec3<f32> { return x - floor(x * 0.0009765625) * 1024.0; }
fn small4(x: vec4<f32>) -> vec4<f32> { return x - floor(x * 0.0009765625) * 1024.0; }
fn word(x: f32) -> u32 { return u32(i32(x)); }
var<workgroup> tile: array<u32, 32>;
var<workgroup> wide: array<vec3<i32>, 32>;
var<workgroup> slots: array<vec4<u32>, 32>;
var<workgroup> tally: array<atomic<u32>, 6>;
var<workgroup> marks: array<atomic<i32>, 32>;
fn exchange(x: u32, k: u32) -> u32 {
    workgroupBarrier();
    tile[me & 31u] = x;
    workgroupBarrier();
    let y = tile[(me + k) & 31u];
    workgroupBarrier();
    return y;
}
fn fun1(p2: u32, p3: u32) -> i32 {
    return (select(params.v.w, params.v.y, (params.a > 3u)) * ((zi + 16) + (zi + 50)));
}
fn fun4(p5: f32, p6: f32, p7: ptr<function, u32>) -> f32 {
    if !((*p7) <= source.words[57u]) { return small(small(ldexp(small(p6), 2)) * small((zf + 182.0) + (zf + 172.0))); }
    return params.c;
}
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let base = gid.x * 4u;
    me = gid.x;
    var x0 = source.words[gid.x & 63u];
    var x1 = i32(source.words[(gid.x * 7u + 3u) & 63u]);
    var x2 = f32(source.words[lid & 63u] & 255u);
    var a8: array<i32, 2>;
    a8[state] = ((vec4<i32>(x1, x1, x1, x1) ^ params.v)).z;
    a8[(x0 << (lid & 31u))] = ((params.v.abg + source.duos[params.d & 7u].xxy)).x;
    var v9 = a8[(params.w.zy)[x0 % 2u] % 2u];
    switch (state & 7u) {
        case 0u, 2u, 6u, 4u: {
            var a10: array<vec3<u32>, 4>;
            a10[(state ^ x0)] = countOneBits(source.quads[lid].wzy);
            a10[select(params.d, x0, (params.a > 3u))] = vec3<u32>(vec3<f32>(small(x2), small(x2), small(x2)));
            var v11 = a10[select(lid, state, (zu == 0u)) % 4u].zyx;
        }
        case 5u, 3u, default, 1u: {
            break;
        }
    }
    if (!(zi != 0) || (x1 > v9)) {
        let n13 = 1u;
        for (var at12 = 0u; at12 < n13; at12++) {
            if (select((zu == 0u), (zi != 0), (params.a > 3u)) == any(vec4<bool>((zi != 0), (params.a > 3u), (zi != 0), (zi != 0)))) {
                var v14: f32 = fun4(small(x2), f32((zu == 0u)), &x0);
                zeros[u32((x1 <= (zi + i32(-2147483648))))] = 0u;
            }
        }
        var v15: f32 = fun4(small(fma(small(x2), small(x2), 3.0)), small(fma(small(x2), small(x2), 3.0)), &x0);
        var v16: u32 = dot(((vec3<u32>(lid, lid, state) % vec3<u32>(state, state, x0)) ^ vec3<u32>(lid, x0, lid)), (select(vec3<u32>(state, lid, state), params.w.rgb, vec3<bool>((params.a > 3u), (zu == 0u), (zu == 0u))) ^ min(vec3<u32>(lid, lid, x0), params.w.grb)));
        x1 = v9;
    } else {
        x2 = select(floor(small(x2) * 0.5), f32((x1 | x1) & 255), (x1 == (v9 + x1)));
    }
    tile[lid] = ((state ^ params.d) ^ select(state, state, (zu == 0u)));
    workgroupBarrier();
    for (var s17 = 16u; s17 > 0u; s17 >>= 1u) {
        if lid < s17 { tile[lid] = tile[lid] ^ tile[lid + s17]; }
        workgroupBarrier();
    }
    x0 ^= tile[0];
    workgroupBarrier();
    for (var r18 = 0u; r18 < (params.a & 3u); r18++) {
        slots[(lid * 5u + 25u) & 31u] = vec4<u32>(cells[me].f.rgbb);
        workgroupBarrier();
        var v19 = slots[(lid ^ 10u) & 31u].yzw;
        workgroupBarrier();
    }
    let n21 = 3u;
    var at20 = 0u;
    loop {
        let n23 = 3u;
        for (var at22 = 0u; at22 < n23; at22++) {
            state += zeros[(clamp(at22, state, at22) - (state ^ arrayLength(&zeros)))];
            cells[me].q[0] = cells[me].q[1].zxxz;
            var a24: array<i32, 9>;
            a24[clamp(x0, params.d, lid)] = dot(reverseBits(vec4<i32>(x1)), select(vec4<i32>(v9), vec4<i32>(x1, v9, x1, params.v.z), vec4<bool>((params.a > 3u), (zi != 0), (params.a > 3u), (zi != 0))));
            a24[u32(-i32(params.d))] = ((x1 + v9) | ((zi + i32(-2147483648)) + v9));
            var v25 = a24[(x0 & at20) % 9u];
            if (params.a > 3u) {
                zeros[select(state, (params.w.gbbr).y, all(vec2<bool>((params.a > 3u), (params.a > 3u))))] = 0u;
                var v26: vec4<u32> = vec4<u32>(at22, x0, at22, at20);
            } else {
                v9 = params.b;
                let v27 = x1;
            }
        }
        continuing {
            at20++;
            break if at20 >= n21;
        }
    }
    result[base + 0u] = u32((table[clamp(x1, v9, x1)] + (x1 + v9)));
    result[base + 1u] = select(clamp((state & x0), lid, pack4xU8(source.quads[x0 & 7u])), dot(vec4<u32>((zu + 1u)), (vec4<u32>(x0) & vec4<u32>(state, lid, state, params.d))), select((x1 > v9), select((params.a > 3u), (zi != 0), (zu == 0u)), (x1 >= x1)));
    result[base + 2u] = u32(fun1((unpack4xU8(state)).w, firstTrailingBit(select(state, lid, (zu == 0u)))));
    result[base + 3u] = u32(table[bitcast<i32>((lid * lid))]);
}
