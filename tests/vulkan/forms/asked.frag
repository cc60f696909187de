#version 450
// Levels that a texture would take: a step of a texel, of four, of 64 and of half of one, by the quad. The sampler takes the nearest.
layout(binding = 0) uniform sampler2D t;
layout(location = 0) out ivec4 c;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy), quad = p >> 1;
    float step = float[](1.0, 4.0, 64.0, 0.5)[quad.x + 2 * quad.y] / 16.0;
    vec2 level = textureQueryLod(t, vec2(p & 1) * step);
    vec2 along = textureQueryLod(t, vec2(float(p.x & 1) * step * 2.0, 0.5));
    c = ivec4(round(vec4(level, along)));
}
