#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
// Edges of an RGBA image of bytes: grey by integer weights, the sum or the larger of both gradients, a byte a pixel.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const uint MODE = 0;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint16_t w; uint16_t h; u8vec4 weights; } p;
layout(std430, binding = 0) writeonly buffer O { uint8_t o[]; };
layout(std430, binding = 1) readonly buffer A { u8vec4 a[]; };
int16_t grey(int x, int y) {
    ivec2 at = clamp(ivec2(x, y), ivec2(0), ivec2(int(p.w) - 1, int(p.h) - 1));
    u16vec4 c = u16vec4(a[at.y * int(p.w) + at.x]) * u16vec4(p.weights);
    return int16_t((c.x + c.y + c.z + c.w) >> uint16_t(8));
}
void main() {
    uint total = uint(p.w) * uint(p.h);
    for (uint i = gl_GlobalInvocationID.x; i < total; i += SIZE) {
        int x = int(i % uint(p.w)), y = int(i / uint(p.w));
        int16_t gx = int16_t(0), gy = int16_t(0);
        for (int k = -1; k <= 1; ++k) {
            int16_t f = int16_t(2 - abs(k));
            gx += f * (grey(x + 1, y + k) - grey(x - 1, y + k));
            gy += f * (grey(x + k, y + 1) - grey(x + k, y - 1));
        }
        int16_t m = MODE == 0u ? abs(gx) + abs(gy) : max(abs(gx), abs(gy));
        o[i] = uint8_t(min(m, int16_t(255)));
    }
}
