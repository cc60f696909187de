struct Job { factor: u32, offset: u32 }
@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
var<workgroup> turned: array<u32, 16>;

@compute @workgroup_size(16)
fn cs(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
    turned[15u - i] = words[group.x * 16u + i];
    workgroupBarrier();
    words[group.x * 16u + i] = turned[i] * job.factor + job.offset;
}
