#version 450
// Storage images of cubes: texels by face, and what is asked of them.
layout(local_size_x = 2, local_size_y = 2, local_size_z = 6) in;
layout(binding = 0, r32ui) uniform writeonly uimageCube to;
layout(binding = 1, r32ui) uniform readonly uimageCubeArray from;
layout(binding = 2, r32ui) uniform writeonly uimageCubeArray last;
void main() {
    ivec3 at = ivec3(gl_LocalInvocationID);
    // Of two cubes the second, its faces from behind.
    uint v = imageLoad(from, ivec3(at.x, at.y, 11 - at.z)).x;
    imageStore(to, at, uvec4(v));
    ivec3 many = imageSize(last);
    ivec2 one = imageSize(to);
    imageStore(last, ivec3(at.xy, at.z + 6 * (at.x & 1)), uvec4(many.x + 10 * many.y + 100 * many.z + 1000 * one.x + 10000 * one.y));
}
