// Exclusive prefix sums (Blelloch): each workgroup scans 128 elements, two an invocation, and leaves its total in `totals`.
const SIZE = 64u;
const BLOCK = 128u;

@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;

var<workgroup> tree: array<u32, BLOCK>;

@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let count = arrayLength(&values);
    let first = group.x * BLOCK;
    for (var i = lane; i < BLOCK; i += SIZE) {
        var v = 0u;
        if first + i < count {
            v = values[first + i];
        }
        tree[i] = v;
    }
    // Up: each node of a balanced tree gets the sum of its leaves.
    var stride = 1u;
    for (var nodes = SIZE; nodes > 0u; nodes >>= 1u) {
        workgroupBarrier();
        if lane < nodes {
            let right = (2u * lane + 2u) * stride - 1u;
            tree[right] += tree[right - stride];
        }
        stride *= 2u;
    }
    if lane == 0u {
        totals[group.x] = tree[BLOCK - 1u];
        tree[BLOCK - 1u] = 0u;
    }
    // Down: the left child takes what lies before the node, the right child adds the sum of the left.
    for (var nodes = 1u; nodes < BLOCK; nodes *= 2u) {
        stride >>= 1u;
        workgroupBarrier();
        if lane < nodes {
            let right = (2u * lane + 2u) * stride - 1u;
            let before = tree[right];
            let left_sum = tree[right - stride];
            tree[right - stride] = before;
            tree[right] = before + left_sum;
        }
    }
    workgroupBarrier();
    for (var i = lane; i < BLOCK; i += SIZE) {
        if first + i < count {
            sums[first + i] = tree[i];
        }
    }
}
