#version 450

layout(location = 0) flat out float which;
void main() {
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    which = float(gl_InstanceIndex);
    gl_Position = vec4(at * 4.0 - 1.0, 0.5, 1.0);
}
