#version 450
// Four texels, each at an offset of its own: of a component, and compared.
layout(binding = 0) uniform usampler2D t;
layout(binding = 1) uniform sampler2DShadow d;
layout(binding = 2) uniform usampler2DArray a;
layout(location = 0) out uvec4 c;
layout(location = 1) out uvec4 second;
layout(location = 2) out uvec4 last;
const ivec2 by[4] = { ivec2(0), ivec2(2, 0), ivec2(-1, 1), ivec2(1, -2) };
const ivec2 far[4] = { ivec2(-3, 2), ivec2(0, 3), ivec2(3, 0), ivec2(0, -1) };
void main() {
    // At the corner where four texels meet: the one of four that is taken is up and to the left.
    vec2 at = (floor(gl_FragCoord.xy) + 1.0) / 4.0;
    c = textureGatherOffsets(t, at, by, 1);
    second = uvec4(textureGatherOffsets(d, at, 0.5, by));
    last = textureGatherOffsets(a, vec3(at, 1.0), far, 0) + textureGatherOffset(a, vec3(at, 0.0), ivec2(1, 0), 0);
}
