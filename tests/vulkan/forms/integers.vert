#version 450
// Integers that are not declared to be flat, and floats that the fragments' declaration alone says how to take.
layout(location = 0) out int a;
layout(location = 1) out uvec2 b;
layout(location = 1, component = 2) out int part;
layout(location = 2) out vec2 taken;
layout(location = 3) flat out vec2 spread;
layout(location = 4) out S { ivec3 n; uint u; } s;
void main() {
    int k = gl_VertexIndex;
    vec2 at = vec2(k & 1, k >> 1) * 2.0 - 1.0;
    gl_Position = vec4(at, 0.0, 1.0);
    a = 10 + k;
    b = uvec2(20 + k, 4000000000u);
    part = -k;
    taken = vec2(float(k), 40.0);
    spread = at;
    s.n = ivec3(0, -5 * k, 0);
    s.u = uint(k);
}
