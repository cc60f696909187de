#version 450

layout(location = 0) out vec2 uv;
void main() {
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    uv = at * 3.0;
    gl_Position = vec4(at * 4.0 - 1.0, 0.25, 1.0);
}
