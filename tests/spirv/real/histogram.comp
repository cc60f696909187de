#version 450
// Counts of bytes by their upper bits, in workgroup memory; loop results go straight into atomics.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const uint SHIFT = 4;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint n; } p;
layout(std430, binding = 0) buffer O { uint o[]; };
layout(std430, binding = 1) readonly buffer A { uint a[]; };
shared uint counts[256 >> SHIFT];
void main() {
    uint t = gl_LocalInvocationID.x;
    for (uint k = t; k < (256u >> SHIFT); k += SIZE) { counts[k] = 0u; o[k] = 0u; }
    barrier();
    uint sum = 0u, most = 0u;
    for (uint k = t; k < p.n; k += SIZE) {
        uint w = a[k];
        for (uint b = 0u; b < 32u; b += 8u) { uint v = (w >> b) & 255u; atomicAdd(counts[v >> SHIFT], 1u); sum += v; most = max(most, v); }
    }
    if (t == 0u) { o[(256u >> SHIFT)] = 0u; o[(256u >> SHIFT) + 1u] = 0u; }
    memoryBarrierBuffer();
    barrier();
    atomicAdd(o[256u >> SHIFT], sum);
    atomicMax(o[(256u >> SHIFT) + 1u], most);
    for (uint k = t; k < (256u >> SHIFT); k += SIZE) { o[k] = counts[k]; }
}
