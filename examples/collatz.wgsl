// Number of Collatz steps from each start value down to 1: the lanes leave the loop at different times.
@group(0) @binding(0) var<storage, read> start: array<u32>;
@group(0) @binding(1) var<storage, read_write> steps: array<u32>;

fn collatz(first: u32) -> u32 {
    var n = first;
    var count = 0u;
    loop {
        if n <= 1u {
            break;
        }
        if n % 2u == 0u {
            n = n / 2u;
        } else {
            // 3n + 1 must fit; report the longest possible count when it does not.
            if n >= 0x55555555u {
                return 0xffffffffu;
            }
            n = 3u * n + 1u;
        }
        count += 1u;
    }
    return count;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&steps) {
        steps[id.x] = collatz(start[id.x]);
    }
}
