// Monte-Carlo pi: each invocation draws `samples` points of the unit square with xorshift32 and counts those
// inside the quarter circle, in exact integers; the host divides 4 * sum(hits) by the number of points.
struct Params {
    samples: u32,
    seed: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> hits: array<u32>;

fn xorshift(s: u32) -> u32 {
    var x = s;
    x ^= x << 13u;
    x ^= x >> 17u;
    x ^= x << 5u;
    return x;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var state = (params.seed ^ (id.x * 0x9e3779b9u)) | 1u;
    var inside = 0u;
    for (var i = 0u; i < params.samples; i++) {
        state = xorshift(state);
        let x = state >> 17u;
        state = xorshift(state);
        let y = state >> 17u;
        // 15-bit coordinates: the squares and their sum stay below 2^31.
        if x * x + y * y < 0x40000000u {
            inside++;
        }
    }
    if id.x < arrayLength(&hits) {
        hits[id.x] = inside;
    }
}
