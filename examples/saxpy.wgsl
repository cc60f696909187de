// y = alpha * x + y, a grid-stride loop: every invocation handles each `stride`-th element.
struct Params {
    n: u32,
    stride: u32,
    alpha: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var i = id.x; i < params.n; i += params.stride) {
        y[i] = params.alpha * x[i] + y[i];
    }
}
