#version 450
// Sums of all words up to each, in one workgroup.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const uint EXCLUSIVE = 0;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint n; } p;
layout(std430, binding = 0) writeonly buffer O { uint o[]; };
layout(std430, binding = 1) readonly buffer A { uint a[]; };
shared uint sums[2][SIZE];
void main() {
    uint t = gl_LocalInvocationID.x, carry = 0u;
    for (uint base = 0u; base < p.n; base += SIZE) {
        uint own = base + t < p.n ? a[base + t] : 0u;
        uint from = 0u;
        sums[0][t] = own;
        barrier();
        for (uint d = 1u; d < SIZE; d <<= 1) {
            sums[1u - from][t] = sums[from][t] + (t >= d ? sums[from][t - d] : 0u);
            from = 1u - from;
            barrier();
        }
        if (base + t < p.n) { o[base + t] = carry + sums[from][t] - (EXCLUSIVE != 0u ? own : 0u); }
        carry += sums[from][SIZE - 1u];
        barrier();
    }
}
