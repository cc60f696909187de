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
fn fun1(p2: u32, p3: f32, p4: f32) -> u32 {
    let n6 = ((p2 + (me & 31u)) & 7u);
    var at5 = 0u;
    loop {
        switch (params.a & 7u) {
            default: {
            }
            case 2u: {
                let n8 = (~at5 & 7u);
                for (var at7 = 0u; at7 < n8; at7++) {
                    var v9: Pair = Pair(at5, cells[me].f.zyx, array<i32, 3>((zi + -33), (zi + 2147483647), params.v.x));
                }
                let n11 = (select(at5, (zu + 4294967295u), (params.a > 3u)) & 7u);
                for (var at10 = 0u; at10 < n11; at10++) {
                }
                break;
            }
            case 6u, 3u, 7u, 1u: {
                break;
            }
        }
        continuing {
            at5++;
            break if at5 >= n6;
        }
    }
    return extractBits((params.w.rgb).z, 19u, 19u);
}
fn fun12(p13: i32, p14: i32, p15: i32, p16: vec3<i32>) -> i32 {
    var a17: array<vec3<u32>, 5>;
    a17[~(zu + 125u)] = (vec3<u32>(cells[me].f.rgb) << (cells[me].t[1] & vec3<u32>(31u)));
    a17[fun1(params.a, (zf + 84.0), (zf + 152.0))] = select((source.quads[params.d & 7u].wzy ^ cells[me].t[(zu + 872u)]), vec3<u32>(params.a, (me & 31u), source.words[39u]), (vec3<bool>((zi != 0), (zi != 0), (zi != 0)) == vec3<bool>((params.a > 3u), (zu == 0u), (zi != 0))));
    var v18 = a17[(zu + 2147483648u) % 5u];
    v18 = source.quads[arrayLength(&zeros)].xyz;
    state += zeros[params.a];
    if (select((zi != 0), (zi != 0), (params.a > 3u)) || ((params.a > 3u) == (zi != 0))) {
        var v19: bool = select(any(select(vec4<bool>((zu == 0u), (params.a > 3u), (params.a > 3u), (params.a > 3u)), vec4<bool>((zi != 0), (params.a > 3u), (params.a > 3u), (zi != 0)), (zu == 0u))), (((zi + 0) % p13) > select(p15, p15, (zu == 0u))), (zeros[me] > pack4xI8Clamp(params.v.abgr)));
        let n21 = (fun1(params.d, (zf + 19.0), params.c) & 7u);
        for (var at20 = 0u; at20 < n21; at20++) {
        }
    } else {
    }
    return (select(p13, params.b, (zi != 0)) - (p14 + p14));
}
fn fun22(p23: f32, p24: i32, p25: u32) -> u32 {
    var v26: vec2<f32> = vec2<f32>(small(p23), small(p23));
    return dot((vec3<u32>(p25, arrayLength(&zeros), p25) ^ source.quads[source.words[45u] & 7u].abg), abs(cells[me].a.wzy));
}
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let base = gid.x * 4u;
    me = gid.x;
    var x0 = source.words[gid.x & 63u];
    var x1 = i32(source.words[(gid.x * 7u + 3u) & 63u]);
    var x2 = f32(source.words[lid & 63u] & 255u);
    x0 = select(fun22(abs(small(x2)), fun12(x1, x1, x1, vec3<i32>(x1, x1, (zi + 0))), u32((zi != 0))), min(select(state, (zu + 2147483648u), (zi != 0)), fun22(small(x2), x1, lid)), (((params.a > 3u) || (zi != 0)) && select((params.a > 3u), (zu == 0u), (zu == 0u))));
    zeros[fun22(small(small(x2) * small(x2)), x1, fun1(x0, small(x2), small(x2)))] = 0u;
    let n28 = (x0 & 7u);
    var at27 = 0u;
    while at27 < n28 {
        at27 += 1u;
        switch ((me + state) & 7u) * 1000003u {
            default: {
                state = state;
                if (zi != 0) {
                    var v29: i32 = (zi + 16);
                    table[params.b] ^= ((source.trios[lid].bg & vec2<i32>((zi + 16)))).x;
                    if !((zu + 31u) < at27) {
                        if (zi != 0) { continue; }
                        v29 = fun12(fun12((v29 + params.b), x1, max(v29, v29), (vec3<i32>(v29) | vec3<i32>(x1, v29, x1))), (x1 | (-x1)), (vec3<i32>(cells[me].c.yyy))[state % 3u], min((cells[me].b.ggb >> (vec3<u32>(x0) & vec3<u32>(31u))), vec3<i32>(cells[me].f.xyz)));
                        var v30: vec3<f32> = small3(mat3x3<f32>(small3((mat3x3<f32>(vec3<f32>((zf + 78.0), small(x2), small(x2)), source.floats[state & 3u], vec3<f32>(small(x2))) * small(x2))[0]), small3((mat3x3<f32>(vec3<f32>((zf + 78.0), small(x2), small(x2)), source.floats[state & 3u], vec3<f32>(small(x2))) * small(x2))[1]), small3((mat3x3<f32>(vec3<f32>((zf + 78.0), small(x2), small(x2)), source.floats[state & 3u], vec3<f32>(small(x2))) * small(x2))[2])) * small3(min(vec3<f32>(small(x2), params.c, small(x2)), params.h.xyy) * small(x2)));
                        cells[me].f.z = small(x2);
                    } else {
                        x0 &= reverseBits(u32((zu == 0u)));
                        table[fun12(x1, (zi + -99), x1, vec3<i32>((zi + -1), x1, (zi + i32(-2147483648))))] ^= fun12((v29 + x1), i32(round(unpack2x16snorm((me & 31u)).x * 32767.0)), sign(v29), vec3<i32>(source.floats[1]));
                    }
                } else {
                }
                break;
            }
            case 0u: {
            }
            case 1000003u, 3000009u, 5000015u: {
                continue;
            }
            case 7000021u: {
            }
            case 2000006u: {
            }
            case 4000012u: {
            }
            case 6000018u: {
            }
        }
    }
    for (var r31 = 0u; r31 < (params.a & 3u); r31++) {
        x0 += exchange(fun22(small(small(x2) - params.c), (source.duos[0].gg)[lid % 2u], ~x0), 18u);
        workgroupBarrier();
    }
    slots[(lid * 1u + 10u) & 31u] = vec4<u32>(max(params.h.xyxy, vec4<f32>(small(x2))));
    workgroupBarrier();
    var v32 = slots[(lid ^ 28u) & 31u].wzww;
    workgroupBarrier();
    var v33: Pair = Pair(~(vec3<u32>((zu + 978u), x0, lid)).y, (min(vec3<f32>(small(x2), small(x2), (zf + 45.0)), cells[me].g.ggg)).xyz, array<i32, 3>(x1, x1, x1));
    let n35 = (v33.n & 7u);
    var at34 = 0u;
    while at34 < n35 {
        at34 += 1u;
        var a36: array<vec3<u32>, 5>;
        a36[fun1(at34, small(x2), small(x2))] = vec3<u32>((vec4<i32>(vec2<i32>(x1, x1), vec2<i32>(x1, x1))).abg);
        a36[(v32)[lid % 4u]] = ((cells[me].c.yxy << (vec3<u32>(source.words[62u], x0, lid) & vec3<u32>(31u)))).xzz;
        for (var k37 = 0; k37 < 5; k37++) { a36[k37] = vec3<u32>(source.floats[0]); }
        var v38 = a36[fun1(lid, params.c, small(x2)) % 5u].xyx;
        let n40 = 3u;
        for (var at39 = 0u; at39 < n40; at39++) {
            v33.n = fun22(small(small(x2) + small(x2)), (vec3<i32>(x1, x1, x1)).x, select((zu + 624u), at34, (zu == 0u)));
            zeros[fun1(x0, f32((zu == 0u)), abs(small(x2)))] = 0u;
            v38.r = ~(at39 >> (lid & 31u));
        }
        x2 = small(x2);
    }
    result[base + 0u] = (firstTrailingBit(fun22(small(x2), (zi + -86), x0)) >> (((vec3<u32>(lid, state, x0) / vec3<u32>(params.d, x0, state)))[clamp((zu + 1u), lid, (zu + 114u)) % 3u] & 31u));
    result[base + 1u] = word(min(f32(fun1(x0, small(x2), small(x2)) & 1023u), f32(all(vec3<bool>((zu == 0u), (params.a > 3u), (zi != 0))))));
    result[base + 2u] = word(small(x2));
    result[base + 3u] = word(small(small(x2) - small(small(x2) + (vec3<f32>(small(x2), (zf + 201.0), small(x2))).x)));
}
