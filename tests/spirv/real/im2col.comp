#version 450
// Windows of a picture as columns; the width is a push constant unless it is specialised.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const int WIDTH = 0;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { int w; int h; int k; int stride; int pad; uint total; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
void main() {
    int ow = (p.w + 2 * p.pad - p.k) / p.stride + 1;
    for (uint i = gl_WorkGroupID.x * SIZE + gl_LocalInvocationID.x; i < p.total; i += gl_NumWorkGroups.x * SIZE) {
        int cell = int(i) % (p.k * p.k), at = int(i) / (p.k * p.k);
        int x = (at % ow) * p.stride + cell % p.k - p.pad, y = (at / ow) * p.stride + cell / p.k - p.pad;
        float v = 0.0;
        if (x >= 0 && y >= 0 && x < p.w && y < p.h) { v = a[y * (WIDTH == 0 ? p.w : WIDTH) + x]; }
        o[i] = WIDTH == 0 ? v : v + float(int(i) / WIDTH);
    }
}
