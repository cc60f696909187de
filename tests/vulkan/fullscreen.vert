#version 450
// One triangle over the picture.
layout(location = 0) out vec2 outUv;
void main() {
    outUv = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
    gl_Position = vec4(outUv * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
