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
fn fun1(p2: i32, p3: i32) -> vec4<f32> {
    return small4(max(vec4<f32>(params.c), vec4<f32>(vec2<f32>(params.c, (zf + 185.0)), cells[me].f.xx)) * params.h.xxxy);
}
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let base = gid.x * 4u;
    me = gid.x;
    var x0 = source.words[gid.x & 63u];
    var x1 = i32(source.words[(gid.x * 7u + 3u) & 63u]);
    var x2 = f32(source.words[lid & 63u] & 255u);
    let n5 = (select(x0, lid, (zi != 0)) & 7u);
    var at4 = 0u;
    while at4 < n5 {
        at4 += 1u;
        switch ((me + at4) & 7u) * 1000003u {
            case default, 7000021u, 1000003u, 3000009u: {
                if ((zi != 0) | (params.a > 3u)) {
                    var a6: array<u32, 5>;
                    a6[(lid + x0)] = ((at4 * lid) ^ select(at4, state, (params.a > 3u)));
                    a6[(x0 + state)] = source.words[30u];
                    for (var k7 = 0; k7 < 5; k7++) { a6[k7] = (cells[me].c.grr).y; }
                    var v8 = a6[pack4x8unorm((vec4<f32>(vec4<u32>(source.words[17u]) & vec4<u32>(255u)) * 0.0009765625)) % 5u];
                    cells[me].q[0] = cells[me].q[1].aabg;
                } else {
                    let n10 = 1u;
                    for (var at9 = 0u; at9 < n10; at9++) {
                        table[x1] ^= select(extractBits(x1, 30u, 4u), (x1 ^ x1), (small(x2) != small(x2)));
                        var v11: u32 = select((vec3<u32>(state, state, params.d))[extractBits(at4, 9u, 16u) % 3u], ((at4 & state) << ((vec2<u32>(params.d, x0)).y & 31u)), select(all(vec4<bool>((zu == 0u), (zu == 0u), (params.a > 3u), (params.a > 3u))), (params.b < x1), (small(x2) >= small(x2))));
                        let v12 = (zi != 0);
                        table[countTrailingZeros(x1)] ^= x1;
                    }
                    x2 = select(small(select(small(x2), small(x2), (params.a > 3u)) + select(small(x2), small(x2), (zu == 0u))), small(abs(determinant(mat2x2<f32>(small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), params.h.xy) + mat2x2<f32>(params.h, cells[me].g.gb))[0]), small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), params.h.xy) + mat2x2<f32>(params.h, cells[me].g.gb))[1]))))), ((x1 & params.b) == bitcast<i32>(params.a)));
                    var v13: u32 = u32(-i32(select((lid & me), (source.words[38u] + at4), (x1 > x1))));
                }
                var v14: Pair = Pair(((state | state) | countLeadingZeros(at4)), small3(mat3x3<f32>(small3((mat3x3<f32>(cells[me].g.xyz, cells[me].g.yyw, vec3<f32>(small(x2))) * small(x2))[0]), small3((mat3x3<f32>(cells[me].g.xyz, cells[me].g.yyw, vec3<f32>(small(x2))) * small(x2))[1]), small3((mat3x3<f32>(cells[me].g.xyz, cells[me].g.yyw, vec3<f32>(small(x2))) * small(x2))[2])) * max(source.floats[lid & 3u], vec3<f32>((zf + 160.0), small(x2), small(x2)))), array<i32, 3>(x1, x1, x1));
                state &= (clamp(x0, at4, lid) / u32(-i32(state)));
                state += state;
            }
        }
    }
    state = u32(-i32(u32(round(unpack4x8unorm((cells[me].t[source.words[43u]].bg).y).y * 255.0))));
    tile[lid] = ~(vec3<u32>(lid))[x0 % 3u];
    workgroupBarrier();
    if lid < 16u { tile[lid] = tile[lid] + tile[lid + 16u]; }
    workgroupBarrier();
    x0 += tile[lid & 15u];
    workgroupBarrier();
    if !(zu == 0u) { atomicAdd(&tally[0], params.a); }
    workgroupBarrier();
    x0 += atomicLoad(&tally[0]);
    workgroupBarrier();
    if select(((zi != 0) == (zi != 0)), any(vec2<bool>((zi != 0), (params.a > 3u))), (zu == 0u)) {
        x0 /= x0;
        let n16 = ((lid >> (lid & 31u)) & 7u);
        var at15 = 0u;
        loop {
            x2 = small(x2);
            var v17: mat2x2<f32> = mat2x2<f32>(small2((mat2x2<f32>(small2((transpose(mat2x2<f32>(cells[me].f.zy, vec2<f32>(small(x2), small(x2)))) + mat2x2<f32>(small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), cells[me].f.bg) * mat2x2<f32>(cells[me].g.wx, source.floats[arrayLength(&zeros) & 3u].gr))[0]), small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), cells[me].f.bg) * mat2x2<f32>(cells[me].g.wx, source.floats[arrayLength(&zeros) & 3u].gr))[1])))[0]), small2((transpose(mat2x2<f32>(cells[me].f.zy, vec2<f32>(small(x2), small(x2)))) + mat2x2<f32>(small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), cells[me].f.bg) * mat2x2<f32>(cells[me].g.wx, source.floats[arrayLength(&zeros) & 3u].gr))[0]), small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), cells[me].f.bg) * mat2x2<f32>(cells[me].g.wx, source.floats[arrayLength(&zeros) & 3u].gr))[1])))[1])) * small(x2))[0]), small2((mat2x2<f32>(small2((transpose(mat2x2<f32>(cells[me].f.zy, vec2<f32>(small(x2), small(x2)))) + mat2x2<f32>(small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), cells[me].f.bg) * mat2x2<f32>(cells[me].g.wx, source.floats[arrayLength(&zeros) & 3u].gr))[0]), small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), cells[me].f.bg) * mat2x2<f32>(cells[me].g.wx, source.floats[arrayLength(&zeros) & 3u].gr))[1])))[0]), small2((transpose(mat2x2<f32>(cells[me].f.zy, vec2<f32>(small(x2), small(x2)))) + mat2x2<f32>(small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), cells[me].f.bg) * mat2x2<f32>(cells[me].g.wx, source.floats[arrayLength(&zeros) & 3u].gr))[0]), small2((mat2x2<f32>(vec2<f32>(small(x2), small(x2)), cells[me].f.bg) * mat2x2<f32>(cells[me].g.wx, source.floats[arrayLength(&zeros) & 3u].gr))[1])))[1])) * small(x2))[1]));
            continuing {
                at15++;
                break if at15 >= n16;
            }
        }
        if ((small(x2) != small(x2)) || ((zu == 0u) || (zu == 0u))) {
            cells[me].a = vec4<u32>(vec4<i32>(x1, x1, x1, x1));
            var v18: i32 = countLeadingZeros((i32((params.a > 3u)) * (x1 * x1)));
            let n20 = 6u;
            for (var at19 = 0u; at19 < n20; at19++) {
                cells[me].f = cells[me].f.xxy;
            }
        }
    }
    result[base + 0u] = word(small(small(x2) * small(ldexp(small(fma(small(x2), small(x2), 3.0)), 0))));
    result[base + 1u] = word(small(dot(select(vec2<f32>(cells[me].b.xy & vec2<i32>(255)), max(vec2<f32>(small(x2)), vec2<f32>(small(x2), small(x2))), (x1 >= params.v.y)), select(vec2<f32>(small(x2), (zf + 193.0)), select(params.h, vec2<f32>(small(x2)), (params.a > 3u)), select((zu == 0u), (params.a > 3u), (zu == 0u))))));
    result[base + 2u] = u32(-i32(clamp(lid, lid, zeros[x0])));
    result[base + 3u] = u32(dot(select((source.trios[0].xzzx % vec4<i32>(x1, (zi + i32(-2147483648)), x1, x1)), max(source.duos[7].xxxx, vec4<i32>(vec2<i32>(x1, x1), vec2<i32>(x1, x1))), (vec4<bool>((zi != 0), (zu == 0u), (params.a > 3u), (params.a > 3u)) == vec4<bool>((zu == 0u), (zi != 0), (params.a > 3u), (zi != 0)))), (unpack4xI8(x0) >> (source.quads[state & 7u].wzyx & vec4<u32>(31u)))));
    atomicAdd(&counters.u[0], (select(x0, params.d, (zi != 0)) + lid));
}
