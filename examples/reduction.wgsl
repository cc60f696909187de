// Sum, least and greatest of an array of i32: one triple of results a workgroup, for a second pass or the host to combine.
struct Stats {
    sum: i32,
    least: i32,
    greatest: i32,
}

const SIZE = 64u;

@group(0) @binding(0) var<storage, read> values: array<i32>;
@group(0) @binding(1) var<storage, read_write> partial: array<Stats>;

var<workgroup> shared_stats: array<Stats, SIZE>;

fn combine(a: Stats, b: Stats) -> Stats {
    return Stats(a.sum + b.sum, min(a.least, b.least), max(a.greatest, b.greatest));
}

@compute @workgroup_size(SIZE)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    // Each invocation first strides over the array alone.
    var mine = Stats(0, 0x7fffffff, i32(-0x80000000));
    for (var i = group.x * SIZE + lane; i < arrayLength(&values); i += groups.x * SIZE) {
        let v = values[i];
        mine = combine(mine, Stats(v, v, v));
    }
    shared_stats[lane] = mine;
    workgroupBarrier();
    // Then the workgroup folds its upper half onto the lower, until one is left.
    for (var half = SIZE / 2u; half > 0u; half /= 2u) {
        if lane < half {
            shared_stats[lane] = combine(shared_stats[lane], shared_stats[lane + half]);
        }
        workgroupBarrier();
    }
    if lane == 0u {
        partial[group.x] = shared_stats[0];
    }
}
