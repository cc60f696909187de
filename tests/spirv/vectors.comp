#version 450
// Vectors: element by a run-time index, swizzled stores, selection per lane, comparison, NaN.
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer In { vec4 a[]; };
layout(std430, binding = 1) writeonly buffer Out { vec4 o[]; };

vec4 pick(vec4 v, uint i) { v[i] = v[(i + 1u) & 3u] + v[i]; return v; }

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec4 v = a[i];
    vec4 w = v.wzyx;
    bvec4 less = lessThan(v, w);
    uint p = i * 6u;
    o[p] = mix(v, w, less);
    o[p + 1u] = pick(v, i & 3u);
    vec4 t = v;
    t.yx = w.zw * 2.0;
    t.zw = t.xx + t.yz;
    o[p + 2u] = t;
    o[p + 3u] = vec4(any(less), all(lessThanEqual(v, vec4(9.0))), any(notEqual(v, v)), all(not(isinf(v))));
    ivec4 c = ivec4(v) - ivec4(1, -2, 3, -4);
    o[p + 4u] = vec4(c) + vec4(uvec4(abs(c)) >> 1u);
    float x = v.x;
    o[p + 5u] = vec4(!(x < 1.0), !(x >= 1.0) ? 3.0 : 4.0, x != x, isnan(x) ? -1.0 : x == 2.0 ? 5.0 : 6.0);
}
