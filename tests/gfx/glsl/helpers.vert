#version 450

void main() {
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(at * 1.7 - 0.9, 0.25, 1.0);
}
