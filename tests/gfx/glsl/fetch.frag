#version 450

layout(set = 0, binding = 0) uniform sampler2D tiles;
layout(set = 0, binding = 1) uniform usampler2D counts;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
void main() {
    ivec2 size = textureSize(counts, 0);
    ivec2 at = ivec2(gl_FragCoord.xy);
    uvec4 count = texelFetch(counts, at % size, 0);
    colour = texelFetch(tiles, at >> 1, 1) * 0.5 + vec4(count & 255u) / 512.0 + uv.x * 0.0;
}
