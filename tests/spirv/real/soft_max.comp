#version 450
// Soft-max of rows: one workgroup a row, with a mask of minus infinity.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const uint CAUSAL = 1;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint cols; float scale; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
shared float part[SIZE];
void main() {
    uint row = gl_WorkGroupID.x, t = gl_LocalInvocationID.x, base = row * p.cols;
    float most = uintBitsToFloat(0xff800000u);
    for (uint c = t; c < p.cols; c += SIZE) {
        float x = CAUSAL != 0 && c > row + 3u ? uintBitsToFloat(0xff800000u) : a[base + c] * p.scale;
        most = max(most, x);
    }
    part[t] = most;
    barrier();
    for (uint s = SIZE / 2u; s > 0u; s >>= 1) { if (t < s) part[t] = max(part[t], part[t + s]); barrier(); }
    most = part[0];
    barrier();
    float sum = 0.0;
    for (uint c = t; c < p.cols; c += SIZE) {
        bool masked = CAUSAL != 0 && c > row + 3u;
        float e = masked ? 0.0 : exp(a[base + c] * p.scale - most);
        o[base + c] = e;
        sum += e;
    }
    part[t] = sum;
    barrier();
    for (uint s = SIZE / 2u; s > 0u; s >>= 1) { if (t < s) part[t] += part[t + s]; barrier(); }
    sum = part[0];
    for (uint c = t; c < p.cols; c += SIZE) {
        float e = CAUSAL != 0 && c > row + 3u ? 0.0 : exp(a[base + c] * p.scale - most);
        o[base + c] = e / sum;
    }
}
