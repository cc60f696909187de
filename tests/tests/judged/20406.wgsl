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
fn fun1(p2: u32, p3: u32, p4: u32) -> f32 {
    if ((zu + 65535u) != extractBits(p3, p4, p3)) {
        if !all(vec4<bool>((zu == 0u), (zi != 0), (zu == 0u), (params.a > 3u))) {
            state += zeros[bitcast<u32>(((zi + -47) + params.b))];
        }
        let n6 = (zeros[p2] & 7u);
        for (var at5 = 0u; at5 < n6; at5++) {
            table[select(params.v.w, table[3], (zi != 0))] = (table[1] - extractBits(params.b, 31u, 34u));
        }
    } else {
    }
    return (zf + 81.0);
}
fn fun7(p8: u32, p9: u32, p10: i32, p11: ptr<function, f32>) -> f32 {
    var v12: f32 = small(fun1(u32((zi != 0)), firstLeadingBit(select(p8, p8, (zu == 0u))), max(u32(-i32(p8)), p9)));
    let n14 = 3u;
    for (var at13 = 0u; at13 < n14; at13++) {
        switch i32(((zu + 2u) + at13) & 7u) - 3 {
            case 0: {
                var v15: u32 = select(select(~p8, reverseBits(cells[me].k), (zu == 0u)), at13, (params.a > 3u));
                let v16 = mat3x3<f32>(small3((mat3x3<f32>(vec3<f32>(params.c, small(v12), small((*p11))), vec3<f32>(small(v12)), source.floats[p8].zyx) + transpose(mat3x3<f32>(vec3<f32>(params.c, small((*p11)), small((*p11))), cells[me].g.rgb, cells[me].g.xyz)))[0]), small3((mat3x3<f32>(vec3<f32>(params.c, small(v12), small((*p11))), vec3<f32>(small(v12)), source.floats[p8].zyx) + transpose(mat3x3<f32>(vec3<f32>(params.c, small((*p11)), small((*p11))), cells[me].g.rgb, cells[me].g.xyz)))[1]), small3((mat3x3<f32>(vec3<f32>(params.c, small(v12), small((*p11))), vec3<f32>(small(v12)), source.floats[p8].zyx) + transpose(mat3x3<f32>(vec3<f32>(params.c, small((*p11)), small((*p11))), cells[me].g.rgb, cells[me].g.xyz)))[2]))[((p9 - p8) << ((params.d ^ p8) & 31u)) % 3u].x;
                v12 = small(fun1(zeros[~p8], (vec3<u32>((zu + 232u), p8, v15)).z, ((at13 * p9) ^ (p9 * v15))));
                break;
            }
            case -2, -3, 3: {
                if select(((zi != 0) != (zi != 0)), select((zu == 0u), (zu == 0u), (zi != 0)), (table[4] == p10)) { continue; }
            }
            default: {
            }
        }
    }
    return small(fun1(u32((params.a > 3u)), p8, (p9 | p9)));
}
fn fun17(p18: i32, p19: ptr<function, vec3<u32>>) -> vec2<f32> {
    cells[me].c = cells[me].c.yx;
    switch i32(min((params.d / (zu + 701u)), select(source.words[48u], params.a, (zu == 0u))) & 7u) - 3 {
        case -3, 0, 3, -1: {
            (*p19).x = u32(!(zu == 0u));
        }
        case 4, -2, default: {
        }
    }
    if (select(source.words[12u], me, (zu == 0u)) == (zu + 4294967295u)) {
        table[bitcast<i32>(me)] ^= select(i32(params.c), select(p18, (zi + -8), (params.a > 3u)), !(zu == 0u));
        var v20: vec3<i32> = select(min(vec3<i32>((*p19)), (cells[me].q[0].xyz - vec3<i32>(p18, p18, p18))), vec3<i32>(p18), all(!vec4<bool>((zu == 0u), (zu == 0u), (params.a > 3u), (zu == 0u))));
    } else {
    }
    return small2(unpack2x16float(((pack2x16unorm((vec2<f32>((zf + 7.0), params.c) - 3.0)) & 0x03ff03ffu) | 0x64006400u)));
}
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let base = gid.x * 4u;
    me = gid.x;
    var x0 = source.words[gid.x & 63u];
    var x1 = i32(source.words[(gid.x * 7u + 3u) & 63u]);
    var x2 = f32(source.words[lid & 63u] & 255u);
    state /= select((lid + me), clamp(params.a, x0, x0), (zu == 0u));
    let n22 = 4u;
    var at21 = 0u;
    loop {
        switch i32((params.a + at21) & 7u) - 3 {
            default: {
                var a23: array<i32, 4>;
                a23[extractBits(lid, 17u, 12u)] = bitcast<i32>(select(at21, at21, (params.a > 3u)));
                a23[u32(params.b)] = (x1 * (x1 | x1));
                var v24 = a23[u32(small(x2)) % 4u];
                cells[me].g = cells[me].g.zzzx;
                break;
            }
            case 0, -1, -3: {
                var v25: i32 = (dot(select(cells[me].b.bg, source.trios[7].bg, (zu == 0u)), (cells[me].b.xy * vec2<i32>(x1, x1))) * (params.v.z | dot(vec2<i32>(x1, x1), source.trios[lid & 7u].zx)));
                continue;
            }
            case -2, 1: {
                let n27 = (word((zf + 201.0)) & 7u);
                var at26 = 0u;
                while at26 < n27 {
                    at26 += 1u;
                    x2 = small(small(dot(small2(vec2<f32>(small(x2)) * mat2x2<f32>(vec2<f32>(small(x2), small(x2)), cells[me].f.xy)), select(vec2<f32>((zf + 215.0), small(x2)), vec2<f32>(params.c, small(x2)), vec2<bool>((params.a > 3u), (zu == 0u))))) + round(abs(small(x2)) * 0.5));
                    table[select(x1, x1, (zu == 0u))] += min(i32(small(x2)), i32(small(x2)));
                    var v28: vec4<bool> = select(vec4<bool>((zu == 0u), (zi != 0), (params.a > 3u), (zi != 0)), ((cells[me].g >= source.floats[(zu + 701u)].ggrg) == (vec4<u32>(vec2<u32>(at26), source.quads[0].ga) > source.quads[state].xyzw)), (i32((zu + 658u)) > x1));
                }
                if (small(abs(determinant(mat2x2<f32>(vec2<f32>(small(x2), small(x2)), cells[me].g.ra)))) == small(fun1(cells[me].k, x0, at21))) {
                    cells[me].c = params.w.gr;
                    let v29 = !vec2<bool>((params.a > 3u), (params.a > 3u));
                }
                let n31 = ((state | state) & 7u);
                for (var at30 = 0u; at30 < n31; at30++) {
                    switch (params.a & 7u) {
                        default: {
                            state *= x0;
                            x2 = small(mat2x2<f32>(small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), vec2<f32>(small(x2))) * mat2x2<f32>(vec2<f32>(params.c), cells[me].f.xy))[0]), small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), vec2<f32>(small(x2))) * mat2x2<f32>(vec2<f32>(params.c), cells[me].f.xy))[1]))[zeros[at30] % 2u].x + small(small(x2) * small(small(x2) - (zf + 250.0))));
                        }
                        case 3u: {
                            break;
                        }
                    }
                }
            }
            case 2, 4, 3: {
                continue;
            }
        }
        continuing {
            at21++;
            break if at21 >= n22;
        }
    }
    for (var r32 = 0u; r32 < (params.a & 3u); r32++) {
        wide[(lid * 5u + 6u) & 31u] = ((vec2<i32>(params.v.w) % vec2<i32>(x1, x1))).xyx;
        wide[(lid * 5u + 6u) & 31u] = cells[me].q[params.a & 1u].xyz;
        workgroupBarrier();
        var v33 = wide[(lid ^ 15u) & 31u].yz;
        workgroupBarrier();
    }
    cells[me].g.y = min(select((zf + 247.0), small(x2), (zi != 0)), small(x2));
    result[base + 0u] = u32(x1);
    result[base + 1u] = u32(dot(source.duos[6], ((source.duos[1].yy << (vec2<u32>(lid, state) & vec2<u32>(31u)))).yx));
    result[base + 2u] = word(floor(fract(small(dot(min(vec3<f32>(small(x2), small(x2), small(x2)), cells[me].f), (vec3<f32>(small(x2), small(x2), small(x2))).yzz)) * 0.25) * 8.0));
    result[base + 3u] = (reverseBits(u32(-i32(params.a))) - state);
}
