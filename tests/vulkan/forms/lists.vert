#version 450
// Three rectangles at depths of one, three and two quarters: the second one covers the left half. Each with its number.
layout(location = 0) flat out uint number;
void main() {
    int i = gl_InstanceIndex;
    float x = (gl_VertexIndex & 1) == 0 ? -1.0 : i == 1 ? 0.0 : 1.0, y = gl_VertexIndex < 2 ? -1.0 : 1.0;
    number = uint(i) + 1u;
    gl_Position = vec4(x, y, float(i * 2 % 3 + 1) / 4.0, 1.0);
}
