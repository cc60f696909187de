#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
// Blocks of 32 bytes behind a half that scales them, to floats: all of them, or one in STEP.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const uint STEP = 1;
layout(local_size_x_id = 0) in;
struct block_q8_0 { float16_t d; int8_t qs[32]; };
layout(push_constant) uniform P { uint blocks; float16_t bias; int8_t zero; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { block_q8_0 a[]; };
void main() {
    for (uint i = gl_GlobalInvocationID.x; i < p.blocks * 32u / STEP; i += SIZE) {
        uint at = i * STEP;
        float d = float(a[at / 32u].d);
        o[i] = float(a[at / 32u].qs[at % 32u] - p.zero) * d + float(p.bias);
    }
}
