#version 450
// One way of the blur; the pipeline is made once for each direction.
layout(constant_id = 0) const int DIRECTION = 0;
layout(constant_id = 1) const int TAPS = 5;
layout(binding = 0) uniform sampler2D source;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;
const float weights[5] = float[](0.227027, 0.1945946, 0.1216216, 0.054054, 0.016216);
void main() {
    vec2 texel = 1.0 / vec2(textureSize(source, 0));
    vec2 way = DIRECTION == 0 ? vec2(texel.x, 0.0) : vec2(0.0, texel.y);
    vec3 sum = texture(source, inUv).rgb * weights[0];
    for (int i = 1; i < TAPS; ++i) {
        sum += textureLod(source, inUv + way * float(i), 0.0).rgb * weights[i];
        sum += textureLod(source, inUv - way * float(i), 0.0).rgb * weights[i];
    }
    outColour = vec4(sum, 1.0);
}
