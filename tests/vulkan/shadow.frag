#version 450
// A shadow map with percentage-closer filtering; the side of the kernel is chosen when the pipeline is made.
layout(constant_id = 7) const int RANGE = 0;
layout(constant_id = 8) const float BIAS = 0.004;
layout(binding = 0) uniform Scene { mat4 viewProjection; mat4 light; vec4 direction; } scene;
layout(binding = 1) uniform sampler2DShadow shadowMap;
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 colour;
layout(location = 2) in vec4 inShadow;
layout(location = 0) out vec4 outColour;

float lit(vec3 at, vec2 texel) {
    float sum = 0.0;
    int count = 0;
    for (int x = -RANGE; x <= RANGE; x++) {
        for (int y = -RANGE; y <= RANGE; y++) {
            sum += textureLod(shadowMap, vec3(at.xy + vec2(x, y) * texel, at.z - BIAS), 0.0);
            count++;
        }
    }
    return sum / float(count);
}

void main() {
    vec3 at = inShadow.xyz / inShadow.w;
    float shadow = lit(at, 1.0 / vec2(textureSize(shadowMap, 0)));
    float diffuse = max(dot(normalize(normal), -scene.direction.xyz), 0.0);
    outColour = vec4(colour * (0.15 + 0.85 * diffuse * shadow), 1.0);
}
