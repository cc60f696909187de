#version 450
// Ordered dithering down to a few codes of an integer target.
layout(constant_id = 0) const int CODES = 4;
layout(binding = 0) uniform sampler2D scene;
layout(location = 0) in vec2 inUv;
layout(location = 0) out uvec4 outCodes;
layout(location = 1) out vec4 outColour;
const int bayer[16] = int[](0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5);
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy) & 3;
    float threshold = (float(bayer[at.y * 4 + at.x]) + 0.5) / 16.0;
    vec3 c = texture(scene, inUv).rgb * float(CODES - 1);
    uvec3 low = uvec3(floor(c));
    bvec3 up = greaterThan(fract(c), vec3(threshold));
    uvec3 code = low + uvec3(up);
    outCodes = uvec4(code, uint(at.x) << 4 | uint(at.y));
    outColour = vec4(vec3(code) / float(CODES - 1), 1.0);
}
