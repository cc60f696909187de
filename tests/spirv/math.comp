#version 450
// Built-ins that come as pairs of results, packing, and matrix functions; inputs are such that results are exact.
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer In { float a[]; };
layout(std430, binding = 1) writeonly buffer Out { float o[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    float x = a[i];
    uint p = i * 20u;
    float whole;
    o[p] = modf(x, whole);
    o[p + 1u] = whole;
    int e;
    o[p + 2u] = frexp(x, e);
    o[p + 3u] = float(e);
    o[p + 4u] = ldexp(x, 3);
    o[p + 5u] = mod(x, 4.0);
    o[p + 6u] = roundEven(x) + trunc(x) * 16.0 + floor(x) * 256.0 + ceil(x) * 4096.0;
    o[p + 7u] = uintBitsToFloat(packHalf2x16(vec2(x, -x)));
    vec2 h = unpackHalf2x16(0x3c00c000u);
    o[p + 8u] = h.x * 10.0 + h.y;
    o[p + 9u] = uintBitsToFloat(packUnorm4x8(vec4(0.0, 1.0, x, -x)) | 0x40000000u);
    mat2 m = mat2(2.0, x, 0.0, 4.0);
    o[p + 10u] = determinant(m);
    mat2 inv = inverse(m);
    o[p + 11u] = inv[0][0] * 100.0 + inv[1][1] * 8.0 + inv[1][0];
    mat3x2 op = outerProduct(vec2(x, 2.0), vec3(1.0, 2.0, 4.0));
    o[p + 12u] = op[2][0] + op[1][1] * 100.0;
    o[p + 13u] = dot(vec3(x, 2.0, 3.0), vec3(4.0, 5.0, 6.0));
    vec3 c = cross(vec3(x, 2.0, 3.0), vec3(4.0, 5.0, 6.0));
    o[p + 14u] = c.x + c.y * 8.0 + c.z * 64.0;
    o[p + 15u] = step(2.0, x) + clamp(x, -1.0, 1.0) * 8.0 + sign(x) * 64.0;
    o[p + 16u] = faceforward(vec3(1.0, 2.0, 3.0), vec3(x, 0.0, 0.0), vec3(1.0, 0.0, 0.0)).y;
    o[p + 17u] = mix(2.0, 10.0, 0.25) + fract(-0.25) + max(x, 1.0) * 16.0 + min(x, 1.0) * 256.0;
    o[p + 18u] = reflect(vec2(x, 1.0), vec2(0.0, 1.0)).y + fma(x, 2.0, 1.0) * 4.0;
    vec2 fr; ivec2 ex;
    fr = frexp(vec2(x, 8.0), ex);
    o[p + 19u] = fr.y * 16.0 + float(ex.y);
}
