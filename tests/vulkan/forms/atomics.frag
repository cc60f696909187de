#version 450
layout(binding = 0, r32ui) uniform uimage2D counts;
layout(location = 0) out uvec4 result;
void main() {
    uvec2 at = uvec2(gl_FragCoord.xy);
    imageAtomicAdd(counts, ivec2(0, 0), 1u);
    imageAtomicMax(counts, ivec2(1, 0), at.x * 10u + at.y);
    imageAtomicOr(counts, ivec2(2, 0), 1u << at.x);
    imageAtomicXor(counts, ivec2(3, 0), at.x * at.y);
    imageAtomicMin(counts, ivec2(0, 1), 7u + at.x);
    imageAtomicAnd(counts, ivec2(1, 1), ~(1u << at.y));
    // One fragment finds 0 there, and the others 5.
    uint old = imageAtomicCompSwap(counts, ivec2(2, 1), 0u, 5u);
    imageAtomicCompSwap(counts, ivec2(2, 1), 77u, 9u);
    imageAtomicAdd(counts, ivec2(3, 1), old == 0u ? 1u : old == 5u ? 16u : 256u);
    result = uvec4(at, 0, 0);
}
