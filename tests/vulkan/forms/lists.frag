#version 450
// A node of the list of its pixel.
layout(location = 0) flat in uint number;
layout(binding = 0, r32ui) uniform uimage2D heads;
layout(std430, binding = 1) buffer Nodes { uint count; uvec4 node[]; };
layout(location = 0) out uvec4 picture;
void main() {
    uint at = atomicAdd(count, 1u);
    uint before = imageAtomicExchange(heads, ivec2(gl_FragCoord.xy), at + 1u);
    node[at] = uvec4(before, number, floatBitsToUint(gl_FragCoord.z), 0u);
    picture = uvec4(0);
}
