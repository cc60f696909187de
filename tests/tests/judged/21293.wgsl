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
fn fun1(p2: f32, p3: u32, p4: u32, p5: ptr<function, i32>) -> f32 {
    (*p5) = (((params.v.rg + source.duos[5]) << (cells[me].c.xy & vec2<u32>(31u)))).y;
    return f32((p4 != params.a));
}
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let base = gid.x * 4u;
    me = gid.x;
    var x0 = source.words[gid.x & 63u];
    var x1 = i32(source.words[(gid.x * 7u + 3u) & 63u]);
    var x2 = f32(source.words[lid & 63u] & 255u);
    if ((x1 % x1) <= dot(vec3<i32>(x1, (zi + i32(-2147483648)), x1), vec3<i32>(x1, x1, x1))) {
        state += zeros[(vec2<u32>(vec2<i32>(x1, table[3])))[(state & x0) % 2u]];
        table[table[x1]] += (vec4<i32>(vec2<i32>(x1, x1), vec2<i32>(x1)))[params.d % 4u];
    } else {
        var a6: array<u32, 9>;
        a6[(state - x0)] = (extractBits(lid, lid, x0) + (params.w.gggg)[lid % 4u]);
        a6[clamp(x0, lid, lid)] = lid;
        for (var k7 = 0; k7 < 9; k7++) { a6[k7] = u32((zu == 0u)); }
        var v8 = a6[(state / lid) % 9u];
        let n10 = (u32(small(x2)) & 7u);
        for (var at9 = 0u; at9 < n10; at9++) {
            switch ((dot(vec3<u32>(vec3<i32>(params.b, x1, params.v.w)), select(cells[me].a.abg, cells[me].a.xyz, vec3<bool>((zu == 0u), (zu == 0u), (zu == 0u)))) + at9) & 7u) * 1000003u {
                case 1000003u: {
                    break;
                }
                default: {
                    continue;
                }
            }
        }
        var v11: i32 = x1;
    }
    let n13 = 2u;
    var at12 = 0u;
    loop {
        let n15 = (word(small(x2)) & 7u);
        for (var at14 = 0u; at14 < n15; at14++) {
            if !!(zi != 0) { continue; }
            let n17 = (state & 7u);
            var at16 = 0u;
            loop {
                cells[me].g.w = f32((x0 == at12));
                var v18: bool = select(!select((params.a > 3u), (zu == 0u), (zi != 0)), (params.a > 3u), ((vec3<i32>(x1, params.b, x1)).x != insertBits(x1, params.b, state, x0)));
                x1 = insertBits(min((x1 + x1), (x1 << (params.d & 31u))), (x1 + (x1 * (zi + 67))), 3u, 27u);
                table[(zi + 71)] ^= (~x1 - (-x1));
                continuing {
                    at16++;
                    break if at16 >= n17;
                }
            }
            switch i32(((vec2<u32>(x0) * vec2<u32>(x0))).y & 7u) - 3 {
                case 3, 1: {
                    break;
                }
                default: {
                }
                case 4, -3, 2, -1: {
                    cells[me].t[state] = cells[me].t[at12].gbr;
                }
            }
        }
        continuing {
            at12++;
            break if at12 >= n13;
        }
    }
    tile[lid] = pack4xU8Clamp((vec4<u32>(params.a) >> (cells[me].c.grrr & vec4<u32>(31u))));
    workgroupBarrier();
    x0 = x0 ^ tile[(lid + 11u) & 31u];
    workgroupBarrier();
    tile[lid] = (pack4xI8(vec4<i32>((zi + 0))) / (vec3<u32>(x0, lid, (zu + 255u))).x);
    x0 ^= workgroupUniformLoad(&tile[params.a]);
    workgroupBarrier();
    if ((x1 & x1) >= select(x1, x1, (zi != 0))) {
        x1 = ~(dot(vec2<i32>(x1, x1), vec2<i32>(x1)) * (x1 & (zi + -1)));
        state += zeros[select((lid ^ lid), u32(params.v.x), (state <= arrayLength(&zeros)))];
    }
    zeros[pack4xI8(source.trios[1].zyyy)] = 0u;
    cells[me].a.z += dot(cells[me].c.rrg, (vec3<u32>(lid, x0, state) ^ vec3<u32>(x0, state, source.words[47u])));
    result[base + 0u] = u32((insertBits(x1, select(x1, params.v.w, (zi != 0)), (lid & x0), state) / (dot4I8Packed(params.a, state) % (x1 - x1))));
    result[base + 1u] = ((word(unpack2x16float(((state & 0x03ff03ffu) | 0x64006400u)).y) >> ((me | params.d) & 31u)) - (lid - zeros[lid]));
    result[base + 2u] = word(f32((extractBits(state, 19u, 12u) ^ u32(round(unpack4x8unorm(x0).x * 255.0))) & 1023u));
    result[base + 3u] = u32(i32((zi != 0)));
}
