#version 450
layout(location = 0) in vec2 at;
layout(location = 1) in float size;
layout(location = 0) out float shade;
layout(location = 1) flat out uint number;
void main() {
    number = uint(gl_VertexIndex) + 1u;
    shade = float(gl_VertexIndex) * 2.0 + 0.75;
    gl_PointSize = size;
    gl_Position = vec4(at * 2.0, 0.0, 2.0);
}
