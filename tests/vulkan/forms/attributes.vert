#version 450
// Matrices and arrays of a vertex, and parts of one location.
layout(location = 0) in mat3x2 m;
layout(location = 3) in vec2 list[2];
layout(location = 5) in ivec2 whole;
layout(location = 6) in vec2 left;
layout(location = 6, component = 2) in float right;
layout(location = 0) out V { mat2 turned; float last[2]; } v;
layout(location = 4) flat out ivec2 given;
void main() {
    gl_Position = vec4(m[0], 0.0, 1.0);
    v.turned = mat2(m[1], m[2]);
    v.last[0] = list[gl_VertexIndex & 1].x + list[1 - (gl_VertexIndex & 1)].y;
    v.last[1] = left.x * 100.0 + left.y * 10.0 + right;
    given = whole;
}
