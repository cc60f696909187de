struct Input {
    words: array<u32>
}
struct Cell {
    a: vec4<u32>, b: vec3<i32>, k: u32, c: vec2<u32>, q: array<vec4<i32>, 2>, t: array<vec3<u32>, 2>, f: vec3<f32>, g: vec4<f32>
}
@group(0) @binding(1) var<storage, read> source: Input;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;
@group(0) @binding(5) var<storage, read_write> zeros: array<u32>;
@group(0) @binding(6) var<storage, read_write> cells: array<Cell>;
var<private> me: u32 = 0u;
var<private> state: u32 = 7u;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let base = gid.x * 4u;
    var x0 = source.words[gid.x & 63u];
    state += zeros[clamp(insertBits(state, x0, lid, x0), lid, ~x0)];
    result[base + 1u] = (u32(-i32(pack4xI8Clamp(cells[me].q[state].wzyx))) % (dot(vec4<u32>(lid, lid, x0, state), vec4<u32>(state)) ^ (x0 ^ x0)));
}