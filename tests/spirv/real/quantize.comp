#version 450
// Blocks of floats to int8 with a scale, four in a word, or one word of sixteen 2-bit numbers with their signs.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const uint BLOCK = 32;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint blocks; float most; } p;
layout(std430, binding = 0) writeonly buffer O { uint o[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
void main() {
    for (uint b = gl_LocalInvocationID.x; b < p.blocks; b += SIZE) {
        float top = 0.0;
        for (uint k = 0u; k < BLOCK; ++k) { top = max(top, abs(a[b * BLOCK + k])); }
        float d = top == 0.0 ? 0.0 : p.most / top;
        uint at = b * (BLOCK / 4u + 1u);
        o[at] = floatBitsToUint(top);
        for (uint w = 0u; w < BLOCK / 4u; ++w) {
            uint q = 0u;
            for (uint k = 0u; k < 4u; ++k) { q = bitfieldInsert(q, uint(int(roundEven(a[b * BLOCK + w * 4u + k] * d))), int(8u * k), 8); }
            o[at + 1u + w] = q;
        }
    }
}
