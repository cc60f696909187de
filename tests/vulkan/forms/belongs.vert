#version 450
// The triangles of `centroid.vert`, with numbers that differ by vertex. None of these outputs says how it is interpolated.
layout(location = 0) out float inside;
layout(location = 1) out vec2 place;
layout(location = 3) out int number;
void main() {
    vec2 at = vec2[](vec2(0.75, -1.0), vec2(0.75, 3.0), vec2(12.75, 1.0), vec2(3.25, 1.0), vec2(3.25, 5.0), vec2(-8.75, 3.0))[gl_VertexIndex];
    // 1/w and what is divided by w are linear on the screen. 1/w is that of the pixel's middle at the samples that are looked at.
    float w = 32.0 / (32.0 - at.x - 3.0 * at.y);
    gl_Position = vec4(at.x * 0.5 - 1.0, 1.0 - at.y * 0.5, 0.0, 1.0) * w;
    inside = 20.0 * at.x * w;
    place = 16.0 * at;
    number = 7 + gl_VertexIndex;
}
