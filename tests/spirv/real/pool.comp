#version 450
// Greatest or mean value of windows.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const int MEAN = 0;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { ivec2 size; ivec2 window; ivec2 stride; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
void main() {
    ivec2 n = (p.size - p.window) / p.stride + 1;
    for (int i = int(gl_LocalInvocationID.x); i < n.x * n.y; i += int(SIZE)) {
        ivec2 from = ivec2(i % n.x, i / n.x) * p.stride;
        float v = MEAN != 0 ? 0.0 : uintBitsToFloat(0xff800000u);
        for (int y = 0; y < p.window.y; ++y) {
            for (int x = 0; x < p.window.x; ++x) {
                float e = a[(from.y + y) * p.size.x + from.x + x];
                v = MEAN != 0 ? v + e : max(v, e);
            }
        }
        o[i] = MEAN != 0 ? v / float(p.window.x * p.window.y) : v;
    }
}
