#version 450
// A reduction and a scan in shared memory; the loop's bound comes from a buffer, so it is not uniform for an analysis.
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer In { uint n; float a[]; };
layout(std430, binding = 1) buffer Out { float o[]; };
shared float part[64];

void main() {
    uint i = gl_LocalInvocationID.x, g = gl_WorkGroupID.x;
    part[i] = a[g * 32u + i];
    barrier();
    for (uint step = n; step > 0u; step >>= 1) {
        if (i < step) part[i] += part[i + step];
        memoryBarrierShared();
        barrier();
    }
    if (i == 0u) o[g] = part[0];
    barrier();
    part[i] = a[g * 32u + i];
    uint from = 0u;
    for (uint d = 1u; d < 32u; d <<= 1) {
        barrier();
        float v = part[from + i] + (i >= d ? part[from + i - d] : 0.0);
        from ^= 32u;
        part[from + i] = v;
    }
    groupMemoryBarrier();
    barrier();
    o[8u + g * 32u + i] = part[from + i];
}
