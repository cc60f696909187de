#version 450
// A matrix of int8, four in a word, with a scale for each block of columns, times a vector.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const uint BLOCK = 32;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint cols; uint scales; uint vector; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { uint a[]; };
shared float part[SIZE];
void main() {
    uint row = gl_WorkGroupID.x, t = gl_LocalInvocationID.x;
    float sum = 0.0;
    for (uint w = t; w < p.cols / 4u; w += SIZE) {
        int q = int(a[row * (p.cols / 4u) + w]);
        vec4 x = vec4(bitfieldExtract(q, 0, 8), bitfieldExtract(q, 8, 8), bitfieldExtract(q, 16, 8), q >> 24);
        uint v = p.vector + w * 4u;
        vec4 y = vec4(uintBitsToFloat(a[v]), uintBitsToFloat(a[v + 1u]), uintBitsToFloat(a[v + 2u]), uintBitsToFloat(a[v + 3u]));
        sum += dot(x, y) * uintBitsToFloat(a[p.scales + row * (p.cols / BLOCK) + w * 4u / BLOCK]);
    }
    part[t] = sum;
    barrier();
    for (uint s = SIZE / 2u; s > 0u; s >>= 1) { if (t < s) part[t] += part[t + s]; barrier(); }
    if (t == 0u) o[row] = part[0];
}
