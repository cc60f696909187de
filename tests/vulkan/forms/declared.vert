#version 450
// Outputs that do not say how they are interpolated, or say another thing than the fragments: theirs counts. 1/w falls to the right.
layout(location = 0) out float smooth_by_both;
layout(location = 1) out float linear_by_fragment;
layout(location = 2) noperspective out float linear_by_vertex;
layout(location = 3) flat out float flat_by_vertex;
layout(location = 4) noperspective out float flat_by_fragment;
layout(location = 5) out vec2 pair;
void main() {
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    gl_Position = vec4(at, 0.0, 1.0) * (at.x > 0.0 ? 3.0 : 1.0);
    smooth_by_both = linear_by_fragment = linear_by_vertex = flat_by_vertex = at.x > 0.0 ? 48.0 : 0.0;
    flat_by_fragment = float(gl_VertexIndex);
    pair = vec2(1.0 - at.x, 2.0);
}
