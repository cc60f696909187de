#version 450
// Four columns, each two triangles, with cull distances.
layout(location = 0) flat out uint number;
out float gl_CullDistance[2];
void main() {
    int k = gl_InstanceIndex, i = gl_VertexIndex;
    number = uint(k) + 1u;
    gl_Position = vec4(-1.0 + 0.5 * float(k + (i & 1)), i < 2 ? -1.0 : 1.0, 0.0, 1.0);
    float even = 1.0, odd = 1.0;
    if (k == 0) even = -1.0;
    if (k == 1) even = i < 3 ? -1.0 : 1.0;
    if (k == 2) { even = (i & 1) == 0 ? -1.0 : 1.0; odd = -even; }
    if (k == 3) odd = 0.0;
    gl_CullDistance[0] = even;
    gl_CullDistance[1] = odd;
}
