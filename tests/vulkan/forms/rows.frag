#version 450
// A texel buffer for sampling: which words a texel has is what is bound.
layout(binding = 0) uniform usamplerBuffer words;
layout(binding = 1) uniform samplerBuffer shares;
layout(location = 0) out uvec4 result;
void main() {
    int k = int(gl_FragCoord.x) + 4 * int(gl_FragCoord.y);
    result = uvec4(texelFetch(words, k).xy, textureSize(words), uint(texelFetch(shares, k).r * 255.0 + 0.5));
}
