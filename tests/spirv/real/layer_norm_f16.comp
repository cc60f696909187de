#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
// Rows of halves, four at a time, to mean 0 and variance 1, with or without weights behind the rows.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const bool WEIGHTED = true;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { uint quads; uint rows; float eps; } p;
layout(std430, binding = 0) writeonly buffer O { vec4 o[]; };
layout(std430, binding = 1) readonly buffer A { f16vec4 a[]; };
shared vec2 part[SIZE];
void main() {
    uint row = gl_WorkGroupID.x, t = gl_LocalInvocationID.x;
    vec2 sums = vec2(0.0);
    for (uint k = t; k < p.quads; k += SIZE) {
        vec4 x = vec4(a[row * p.quads + k]);
        sums += vec2(dot(x, vec4(1.0)), dot(x, x));
    }
    part[t] = sums;
    barrier();
    for (uint s = SIZE / 2u; s > 0u; s >>= 1) { if (t < s) part[t] += part[t + s]; barrier(); }
    vec2 all = part[0] / float(p.quads * 4u);
    float scale = inversesqrt(all.y - all.x * all.x + p.eps);
    for (uint k = t; k < p.quads; k += SIZE) {
        vec4 x = (vec4(a[row * p.quads + k]) - all.x) * scale;
        o[row * p.quads + k] = WEIGHTED ? x * vec4(a[p.rows * p.quads + k]) : x;
    }
}
