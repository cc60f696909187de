#version 460
// The bases of a draw, and what they leave of the indices; every instance is a column.
layout(location = 0) flat out uvec4 known;
void main() {
    int corner = gl_VertexIndex - gl_BaseVertex;
    int column = gl_InstanceIndex - gl_BaseInstance;
    known = uvec4(gl_BaseVertex, gl_BaseInstance, corner, column + 10 * gl_DrawID);
    vec2 at = vec2(corner & 1, corner >> 1);
    gl_Position = vec4((float(column) + at.x) * 0.5 - 1.0, at.y * 2.0 - 1.0, 0.0, 1.0);
}
