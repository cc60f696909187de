#version 450
layout(location = 0) in vec2 at;
layout(location = 0) flat out uint number;
void main() {
    number = uint(gl_VertexIndex) + 1u;
    gl_PointSize = 1.0;
    gl_Position = vec4(at, 0.0, 1.0);
}
