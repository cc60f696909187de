#version 450
// x / sqrt(mean(x^2) + eps), times a weight if there is one.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const bool WEIGHED = true;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint cols; float eps; uint weights; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
shared float part[SIZE];
void main() {
    uint base = gl_WorkGroupID.x * p.cols, t = gl_LocalInvocationID.x;
    float sum = 0.0;
    for (uint c = t; c < p.cols; c += SIZE) { float x = a[base + c]; sum += x * x; }
    part[t] = sum;
    barrier();
    for (uint s = SIZE / 2u; s > 0u; s >>= 1) { if (t < s) part[t] += part[t + s]; barrier(); }
    float scale = inversesqrt(part[0] / float(p.cols) + p.eps);
    for (uint c = t; c < p.cols; c += SIZE) {
        float y = a[base + c] * scale;
        if (WEIGHED) y *= a[p.weights + c];
        o[base + c] = y;
    }
}
