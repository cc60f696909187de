// Histogram of the bytes of an array of words: counted in workgroup memory first, where atomics collide among a few
// invocations only, then added to the result.
const SIZE = 64u;
const BINS = 256u;

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, BINS>;

var<workgroup> local_bins: array<atomic<u32>, BINS>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    // Workgroup memory begins as zeros.
    for (var i = id.x; i < arrayLength(&data); i += groups.x * SIZE) {
        var word = data[i];
        for (var k = 0; k < 4; k++) {
            atomicAdd(&local_bins[word & 255u], 1u);
            word >>= 8u;
        }
    }
    workgroupBarrier();
    for (var bin = lane; bin < BINS; bin += SIZE) {
        let count = atomicLoad(&local_bins[bin]);
        if count != 0u {
            atomicAdd(&bins[bin], count);
        }
    }
}
