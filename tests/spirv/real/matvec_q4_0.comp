#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
// A matrix of 4-bit weights in blocks of 32 (low halves of the bytes first), each with a half as its scale, times a vector of halves.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const int MIDDLE = 8;
layout(local_size_x_id = 0) in;
struct block_q4_0 { float16_t d; uint8_t qs[16]; };
layout(push_constant) uniform P { uint blocks; uint vector; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { block_q4_0 a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
shared float part[SIZE];
void main() {
    uint row = gl_WorkGroupID.x, t = gl_LocalInvocationID.x;
    float sum = 0.0;
    for (uint i = t; i < p.blocks; i += SIZE) {
        uint at = row * p.blocks + i;
        float one = 0.0;
        for (uint k = 0u; k < 16u; ++k) {
            int q = int(a[at].qs[k]);
            vec2 w = vec2(float((q & 15) - MIDDLE), float((q >> 4) - MIDDLE));
            one += dot(w, vec2(float(b[p.vector + i * 32u + k]), float(b[p.vector + i * 32u + k + 16u])));
        }
        sum += one * float(a[at].d);
    }
    part[t] = sum;
    barrier();
    for (uint s = SIZE / 2u; s > 0u; s >>= 1) { if (t < s) part[t] += part[t + s]; barrier(); }
    if (t == 0u) o[row] = part[0];
}
