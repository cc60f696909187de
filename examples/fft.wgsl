// Discrete Fourier transform of 64 complex points a workgroup: Stockham's algorithm with radix 2, which needs no bit
// reversal, between two halves of workgroup memory.
const POINTS = 64u;
const HALF = 32u;
const TAU = 6.283185307179586;

@group(0) @binding(0) var<storage, read> signal: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> spectrum: array<vec2<f32>>;

var<workgroup> data: array<array<vec2<f32>, POINTS>, 2>;

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

@compute @workgroup_size(HALF)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = group.x * POINTS;
    data[0][lane] = signal[first + lane];
    data[0][lane + HALF] = signal[first + lane + HALF];
    workgroupBarrier();
    var source = 0u;
    for (var length = 1u; length < POINTS; length *= 2u) {
        // Butterfly `lane` joins transforms of `length` points into ones of twice as many.
        let k = lane % length;
        let angle = -TAU * f32(k) / f32(2u * length);
        let x = data[source][lane];
        let y = times(data[source][lane + HALF], vec2(cos(angle), sin(angle)));
        let to = (lane - k) * 2u + k;
        data[1u - source][to] = x + y;
        data[1u - source][to + length] = x - y;
        source = 1u - source;
        workgroupBarrier();
    }
    spectrum[first + lane] = data[source][lane];
    spectrum[first + lane + HALF] = data[source][lane + HALF];
}
