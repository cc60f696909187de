#version 450
// Rotary embedding of pairs that lie side by side or half a row apart.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const int NEOX = 0;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint cols; uint first; float base; float scale; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
void main() {
    uint pairs = p.cols / 2u, row = gl_WorkGroupID.x;
    for (uint k = gl_LocalInvocationID.x; k < pairs; k += SIZE) {
        float angle = float(p.first + row) * p.scale * pow(p.base, -2.0 * float(k) / float(p.cols));
        float c = cos(angle), s = sin(angle);
        uint x = row * p.cols + (NEOX != 0 ? k : 2u * k), y = x + (NEOX != 0 ? pairs : 1u);
        float x0 = a[x], y0 = a[y];
        o[x] = x0 * c - y0 * s;
        o[y] = x0 * s + y0 * c;
    }
}
