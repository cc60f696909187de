#version 450
// A box filter of a picture of four bytes a pixel, in buffers, with its edge repeated.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const int RADIUS = 1;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { ivec2 size; } p;
layout(std430, binding = 0) writeonly buffer O { uint o[]; };
layout(std430, binding = 1) readonly buffer A { uint a[]; };
void main() {
    int total = p.size.x * p.size.y;
    for (int i = int(gl_WorkGroupID.x * SIZE + gl_LocalInvocationID.x); i < total; i += int(gl_NumWorkGroups.x * SIZE)) {
        ivec2 at = ivec2(i % p.size.x, i / p.size.x);
        uvec4 sum = uvec4(0);
        for (int y = -RADIUS; y <= RADIUS; ++y) {
            for (int x = -RADIUS; x <= RADIUS; ++x) {
                ivec2 q = clamp(at + ivec2(x, y), ivec2(0), p.size - 1);
                sum += (uvec4(a[q.y * p.size.x + q.x]) >> uvec4(0, 8, 16, 24)) & 255u;
            }
        }
        const uint count = uint((2 * RADIUS + 1) * (2 * RADIUS + 1));
        uvec4 m = sum / count;
        o[i] = m.x | m.y << 8 | m.z << 16 | m.w << 24;
    }
}
