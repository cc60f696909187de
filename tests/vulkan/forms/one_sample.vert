#version 450
// A square whose depth grows with the instance.
layout(location = 0) out float along;
void main() {
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    along = 8.0 * at.x;
    gl_Position = vec4(at * 2.0 - 1.0, 0.25 * float(1 + gl_InstanceIndex), 1.0);
}
