#version 450
// Indexed colour as on old machines: tiles of four bits a texel, a palette of 16-bit colours, and cycling of its upper half.
layout(binding = 0) uniform usampler2D tiles;
layout(binding = 1) uniform usampler2D palette;
layout(push_constant) uniform Push { ivec2 scroll; uint cycle; uint mask; } push;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;

vec4 unpack565(uint c) {
    uvec3 v = uvec3(bitfieldExtract(c, 11, 5), bitfieldExtract(c, 5, 6), bitfieldExtract(c, 0, 5));
    return vec4(vec3(v) / vec3(31.0, 63.0, 31.0), 1.0);
}

void main() {
    ivec2 size = textureSize(tiles, 0);
    ivec2 at = (ivec2(gl_FragCoord.xy) + push.scroll) % (size * ivec2(8, 1));
    uint word = texelFetch(tiles, ivec2(at.x >> 3, at.y), 0).r;
    uint index = (word >> ((at.x & 7) << 2)) & 15u;
    if ((index & 8u) != 0u) index = 8u | ((index + push.cycle) & 7u);
    uint colour = texelFetch(palette, ivec2(index, (push.mask >> index) & 1u), 0).r;
    outColour = unpack565(colour) * mix(1.0, 0.8, bitCount(word) > 16);
}
