#version 450
// A line through the upper row, or points in the lower one.
layout(location = 0) out uint number;
layout(constant_id = 0) const int points = 0;
void main() {
    int i = gl_VertexIndex;
    number = 10u + uint(i);
    float x = points == 0 ? float(2 * i - 1) : -0.75 + 0.5 * float(i);
    gl_Position = vec4(x, points == 0 ? 0.5 : -0.5, 0.0, 1.0);
}
