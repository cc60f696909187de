// Element-wise sum of two vectors: c[i] = a[i] + b[i], wrapping at 2^32.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&c) {
        c[id.x] = a[id.x] + b[id.x];
    }
}
