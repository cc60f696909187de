// Bitonic sort: each workgroup sorts its 128 keys in workgroup memory, every invocation compares one pair a step.
const SIZE = 64u;
const KEYS = 128u;

@group(0) @binding(0) var<storage, read_write> keys: array<u32>;

var<workgroup> block: array<u32, KEYS>;

@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = group.x * KEYS;
    block[lane] = keys[first + lane];
    block[lane + SIZE] = keys[first + lane + SIZE];
    workgroupBarrier();
    // Runs of `run` keys are sorted, alternately upwards and downwards, by merges at distances run/2, run/4, ... 1.
    for (var run = 2u; run <= KEYS; run *= 2u) {
        for (var distance = run / 2u; distance > 0u; distance /= 2u) {
            let low = (lane / distance) * 2u * distance + lane % distance;
            let high = low + distance;
            let upwards = (low & run) == 0u;
            let x = block[low];
            let y = block[high];
            if (x > y) == upwards {
                block[low] = y;
                block[high] = x;
            }
            workgroupBarrier();
        }
    }
    keys[first + lane] = block[lane];
    keys[first + lane + SIZE] = block[lane + SIZE];
}
