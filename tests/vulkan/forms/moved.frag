#version 450
#extension GL_ARB_sparse_texture_clamp : require
// Gathers at an offset that differs between pixels, and samples of a least level.
layout(binding = 0) uniform usampler2D t;
layout(binding = 1) uniform usampler2D m;
layout(location = 0) out uvec4 picture;
layout(location = 1) out uvec4 second;
void main() {
    vec2 at = (floor(gl_FragCoord.xy) + 1.0) / 4.0;
    ivec2 by = ivec2(int(gl_FragCoord.x) - 1, 2 - int(gl_FragCoord.y));
    picture = textureGatherOffset(t, at, by);
    vec2 uv = gl_FragCoord.xy / 4.0;
    float least = floor(gl_FragCoord.x);
    second = uvec4(textureClampARB(m, uv, least).x, textureClampARB(m, 2.0 * uv, 0.0).x, textureClampARB(m, uv, least, 1.0).x, 7);
}
