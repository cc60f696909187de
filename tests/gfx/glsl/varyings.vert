#version 450

layout(location = 0) out float smooth_one;
layout(location = 1) noperspective out float linear_one;
layout(location = 2) flat out float flat_one;
void main() {
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    float w = 1.0 + at.x + 2.0 * at.y;
    smooth_one = at.x;
    linear_one = at.x;
    flat_one = float(gl_VertexIndex + 1) * 0.25;
    gl_Position = vec4((at * 4.0 - 1.0) * w, 0.5 * w, w);
}
