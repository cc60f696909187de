#version 460
// System values of a vertex about its draw; every instance is a column.
layout(location = 0) flat out uvec4 known;
void main() {
    known = uvec4(gl_VertexIndex, gl_InstanceIndex, gl_DrawID, 77);
    int corner = gl_VertexIndex - 2;
    vec2 at = vec2(corner & 1, corner >> 1);
    int column = gl_InstanceIndex - 3;
    gl_Position = vec4((float(column) + at.x) * 0.5 - 1.0, at.y * 2.0 - 1.0, 0.0, 1.0);
}
