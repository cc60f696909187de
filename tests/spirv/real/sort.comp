#version 450
// Bitonic sort of what fits a workgroup, by key, up or down.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const bool DOWN = false;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint n; uint mask; } p;
layout(std430, binding = 0) writeonly buffer O { uint o[]; };
layout(std430, binding = 1) readonly buffer A { uint a[]; };
shared uint keys[2 * SIZE];
void main() {
    uint t = gl_LocalInvocationID.x;
    for (uint k = t; k < 2u * SIZE; k += SIZE) { keys[k] = k < p.n ? a[k] & p.mask : (DOWN ? 0u : 0xffffffffu); }
    barrier();
    for (uint k = 2u; k <= 2u * SIZE; k <<= 1) {
        for (uint j = k >> 1; j > 0u; j >>= 1) {
            uint x = (t / j) * 2u * j + t % j, y = x + j;
            uint kx = keys[x], ky = keys[y];
            if (((x & k) == 0u) != DOWN ? kx > ky : kx < ky) { keys[x] = ky; keys[y] = kx; }
            barrier();
        }
    }
    for (uint k = t; k < p.n; k += SIZE) { o[k] = keys[k]; }
}
