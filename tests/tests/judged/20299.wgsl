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
fn fun1(p2: f32, p3: f32, p4: i32) -> u32 {
    if all((vec4<f32>((zf + 169.0), small(p2), small(p2), small(p2)) < source.floats[source.words[62u] & 3u].bbbr)) {
        switch i32(params.a & 7u) - 3 {
            case 1: {
                if select((small(p3) < small(p2)), select((zu == 0u), (params.a > 3u), (params.a > 3u)), (params.a > 3u)) { break; }
                cells[me].b = cells[me].b.rgb;
                return select(source.words[0u], unpack4xU8((zu + 438u)).w, (zu == 0u));
            }
            default: {
                var v5: f32 = (vec2<f32>(small(p2))).x;
            }
            case 4, -2, -1: {
                cells[me].a = (params.w.yzyx & abs(source.quads[5]));
                break;
            }
            case 2, -3: {
            }
        }
    }
    return (~params.d + pack4x8snorm((source.floats[2].xxxx - 3.0)));
}
fn fun6(p7: f32, p8: i32, p9: i32) -> u32 {
    if all(!vec4<bool>((zi != 0), (params.a > 3u), (params.a > 3u), (params.a > 3u))) { return arrayLength(&zeros); }
    var v10: vec3<u32> = ((cells[me].t[(zu + 1u)].xyx % (cells[me].a.xyz ^ params.w.bbg)) << (((vec4<u32>((zu + 0u), source.words[41u], params.a, params.d)).rgb).zyx & vec3<u32>(31u)));
    v10.b = (me & 31u);
    let n12 = (fun1(small(p7), small(p7), p9) & 7u);
    var at11 = 0u;
    while at11 < n12 {
        at11 += 1u;
        switch ((params.a + at11) & 7u) {
            case 6u, 3u, 2u, 4u: {
                let v13 = vec3<u32>(small3(small3(params.h.rrr * mat3x3<f32>(source.floats[3], vec3<f32>(small(p7), small(p7), small(p7)), cells[me].g.rgb)) * small3(cross(vec3<f32>(small(p7), (zf + 176.0), (zf + 188.0)), cells[me].g.wzy))));
                v10 = select(vec3<u32>((params.v.wzy % source.duos[at11].xxy)), min(select(cells[me].t[at11 & 1u].xyz, v13, (params.a > 3u)), v10), all((vec3<f32>(small(p7)) == cells[me].f)));
                break;
            }
            default: {
            }
        }
    }
    return (arrayLength(&zeros) / u32(round(unpack4x8unorm((zu + 74u)).z * 255.0)));
}
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let base = gid.x * 4u;
    me = gid.x;
    var x0 = source.words[gid.x & 63u];
    var x1 = i32(source.words[(gid.x * 7u + 3u) & 63u]);
    var x2 = f32(source.words[lid & 63u] & 255u);
    let n15 = (lid & 7u);
    for (var at14 = 0u; at14 < n15; at14++) {
        x1 ^= ~i32((params.a > 3u));
        var a16: array<vec2<i32>, 2>;
        a16[state] = select(vec2<i32>(cells[me].g.rb), countOneBits(vec2<i32>(x1, x1)), vec2<bool>((params.a > 3u), (zu == 0u)));
        a16[fun6(small(x2), x1, table[0])] = abs(select(vec2<i32>(x1, (zi + 2147483647)), vec2<i32>(x1, x1), (zu == 0u)));
        for (var k17 = 0; k17 < 2; k17++) { a16[k17] = select(params.v.yz, vec2<i32>(x1, params.v.w), (zu == 0u)); }
        var v18 = a16[fun6(params.c, x1, x1) % 2u].rg;
        switch (params.a & 7u) {
            case 2u, 6u, 1u, 0u: {
                var a19: array<vec4<i32>, 4>;
                a19[state] = vec4<i32>(max(cells[me].f.yzxz, vec4<f32>(small(x2))));
                a19[(state + source.words[56u])] = vec4<i32>(max(params.h.xxyy, source.floats[at14 & 3u].yzzz));
                for (var k20 = 0; k20 < 4; k20++) { a19[k20] = (vec4<i32>(v18, v18) | cells[me].b.zzxy); }
                var v21 = a19[zeros[x0] % 4u];
                break;
            }
            case 7u, default, 4u: {
                continue;
            }
        }
    }
    for (var r22 = 0u; r22 < (params.a & 3u); r22++) {
        wide[lid] = ((vec3<i32>(x1, x1, x1) + cells[me].b.zzy) >> (cells[me].t[0].xyz & vec3<u32>(31u)));
        wide[lid][1] = (select(x1, params.v.w, (zu == 0u)) & dot(vec3<i32>(x1), vec3<i32>(x1, x1, x1)));
        workgroupBarrier();
        x1 = x1 ^ wide[(lid ^ 20u) & 31u][lid % 3u];
        workgroupBarrier();
    }
    if !(zi != 0) {
        let n24 = (clamp(lid, lid, lid) & 7u);
        for (var at23 = 0u; at23 < n24; at23++) {
            state += zeros[min(fun6(small(x2), x1, x1), fun6((zf + 74.0), x1, x1))];
            if ((x1 + x1) != (x1 & x1)) {
                zeros[fun1(small(x2), select(small(x2), small(x2), (zi != 0)), select(x1, (zi + -93), (params.a > 3u)))] = 0u;
            }
            x2 = small(f32(zeros[state] & 1023u) + small(abs(determinant(mat2x2<f32>(small2((mat2x2<f32>(cells[me].f.zz, vec2<f32>(small(x2), params.c)) * mat2x2<f32>(cells[me].f.rg, cells[me].f.xy))[0]), small2((mat2x2<f32>(cells[me].f.zz, vec2<f32>(small(x2), params.c)) * mat2x2<f32>(cells[me].f.rg, cells[me].f.xy))[1]))))));
            if (f32((zu == 0u)) < small(ldexp(small(x2), 3))) {
                table[min(x1, x1)] = table[(x1 >> (params.a & 31u))];
                cells[me].b = cells[me].q[1].wwz;
            }
        }
    } else {
    }
    result[base + 0u] = insertBits(((vec3<u32>(x0)).xy)[fun1(params.c, (zf + 76.0), x1) % 2u], select(u32(-i32(lid)), select(x0, lid, (params.a > 3u)), (x1 > x1)), select((lid % lid), zeros[state], (x0 >= state)), lid);
    result[base + 1u] = u32(table[0]);
    result[base + 2u] = word(small(abs(determinant(transpose(mat2x2<f32>(source.floats[0].bg, params.h.gg))))));
    result[base + 3u] = word(small(fma(f32(select(x1, x1, (params.a > 3u)) & 255), small(dot(floor(vec3<f32>(small(x2)) * 0.5), source.floats[0])), 3.0)));
}
