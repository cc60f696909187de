#version 450
// A matrix of unsigned 4-bit numbers, eight in a word, less an offset, with half-float scales, two in a word, times a vector.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const int OFFSET = 8;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint cols; uint scales; uint vector; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { uint a[]; };
shared float part[SIZE];
void main() {
    uint row = gl_WorkGroupID.x, t = gl_LocalInvocationID.x, words = p.cols / 8u;
    float sum = 0.0;
    for (uint w = t; w < words; w += SIZE) {
        uint q = a[row * words + w], block = row * (p.cols / 32u) + w / 4u;
        vec2 both = unpackHalf2x16(a[p.scales + block / 2u]);
        float scale = both[block & 1u];
        float s = 0.0;
        for (uint k = 0u; k < 8u; ++k) {
            s += float(int((q >> (4u * k)) & 15u) - OFFSET) * uintBitsToFloat(a[p.vector + w * 8u + k]);
        }
        sum += s * scale;
    }
    part[t] = sum;
    barrier();
    for (uint s = SIZE / 2u; s > 0u; s >>= 1) { if (t < s) part[t] += part[t + s]; barrier(); }
    if (t == 0u) o[row] = part[0];
}
