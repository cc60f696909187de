#version 450
// A triangle with its left edge three quarters into the first column, and one with its right edge a quarter into the last.
layout(location = 0) out float near;
layout(location = 1) centroid out float inside;
layout(location = 2) noperspective centroid out vec2 place;
void main() {
    vec2 at = vec2[](vec2(0.75, -1.0), vec2(0.75, 3.0), vec2(12.75, 1.0), vec2(3.25, 1.0), vec2(3.25, 5.0), vec2(-8.75, 3.0))[gl_VertexIndex];
    // 1/w and what is divided by w are linear on the screen. 1/w is that of the pixel's middle at the samples that are looked at.
    float w = 32.0 / (32.0 - at.x - 3.0 * at.y);
    gl_Position = vec4(at.x * 0.5 - 1.0, 1.0 - at.y * 0.5, 0.0, 1.0) * w;
    near = inside = 20.0 * at.x * w;
    place = 16.0 * at;
}
