#version 450
// Two triangles over the picture, cut by one of two clip distances.
layout(location = 0) out float seven;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() {
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    gl_Position = vec4(at, 0.0, 1.0);
    gl_ClipDistance[0] = at.x + 1.5;
    gl_ClipDistance[1] = at.x + 0.1;
    seven = 7.0;
}
