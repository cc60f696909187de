#version 450

layout(location = 0) out vec2 uv;
layout(location = 1) flat out int layer;
void main() {
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    uv = at;
    layer = gl_InstanceIndex;
    vec2 corner = vec2(gl_InstanceIndex & 1, gl_InstanceIndex >> 1) - 1.0;
    gl_Position = vec4(corner + at, 0.0, 1.0);
}
