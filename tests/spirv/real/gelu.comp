#version 450
// Activations by number, as one shader for all of them.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const int WHICH = 0;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint n; float slope; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
float f(float x) {
    switch (WHICH) {
    case 0: return 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
    case 1: return x / (1.0 + exp(-x));
    case 2: return x < 0.0 ? x * p.slope : x;
    default: return clamp(x / 6.0 + 0.5, 0.0, 1.0);
    }
}
void main() {
    for (uint i = gl_WorkGroupID.x * SIZE + gl_LocalInvocationID.x; i < p.n; i += gl_NumWorkGroups.x * SIZE) { o[i] = f(a[i]); }
}
