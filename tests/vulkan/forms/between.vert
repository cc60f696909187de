#version 450
// A block with a matrix and an array, and a structure, between the stages.
layout(location = 0) out B { vec2 at; mat3 m; float w[2]; } b;
struct S { ivec2 i; uint u; };
layout(location = 6) flat out S s;
layout(location = 8, component = 1) out float part;
layout(location = 8, component = 2) out vec2 parts;
void main() {
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    gl_Position = vec4(at, 0.0, 1.0);
    b.at = at;
    b.m = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0 + at.x, 9.0);
    b.w[0] = 10.0;
    b.w[1] = at.y + 1.0;
    s.i = ivec2(5, -6);
    s.u = 3000000000u;
    part = 20.0;
    parts = vec2(at.x, 7.0);
}
