#version 450
// Columns of two triangles each, that share their vertices.
layout(location = 0) flat out uint first;
void main() {
    int i = gl_VertexIndex;
    first = uint(i);
    gl_Position = vec4(-1.0 + 0.5 * float(i >> 1), (i & 1) == 0 ? -1.0 : 1.0, 0.0, 1.0);
}
