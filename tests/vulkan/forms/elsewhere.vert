#version 450
// Two triangles over the picture, of which the upper edge is farther away.
layout(location = 0) out float near;
layout(location = 1) noperspective out vec2 b;
void main() {
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    gl_Position = vec4(at, 0.0, 1.0) * (at.y > 0.0 ? 2.0 : 1.0);
    near = at.y > 0.0 ? 8.0 : 0.0;
    b = vec2(4.0 * at.x + 4.0, 7.0);
}
