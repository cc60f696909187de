#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
// Depthwise convolution of bytes with requantisation to bytes: saturated, or wrapped by the conversion.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const bool WRAPS = false;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { int w; int h; int k; uint weights; int shift; int8_t zero; } p;
layout(std430, binding = 0) writeonly buffer O { int8_t o[]; };
layout(std430, binding = 1) readonly buffer A { int8_t a[]; };
void main() {
    int ow = p.w - p.k + 1, total = ow * (p.h - p.k + 1);
    for (int i = int(gl_GlobalInvocationID.x); i < total; i += int(SIZE * gl_NumWorkGroups.x)) {
        int x = i % ow, y = i / ow, sum = 0;
        for (int v = 0; v < p.k; ++v) {
            for (int u = 0; u < p.k; ++u) {
                int16_t q = int16_t(a[(y + v) * p.w + x + u]) * int16_t(a[p.weights + uint(v * p.k + u)]);
                sum += int(q);
            }
        }
        int r = (sum >> p.shift) + int(p.zero);
        o[i] = WRAPS ? int8_t(r) : int8_t(clamp(r, -128, 127));
    }
}
