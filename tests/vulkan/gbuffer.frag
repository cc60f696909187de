#version 450
// Albedo is written last but has the lowest location.
layout(location = 0) in vec3 inNormal;
layout(location = 1) in vec2 inUv;
layout(location = 2) in vec3 inColour;
layout(location = 3) in vec3 inAt;
layout(location = 2) out vec4 outAt;
layout(location = 1) out vec4 outNormal;
layout(location = 0) out vec4 outAlbedo;
layout(binding = 1) uniform sampler2D albedoMap;
void main() {
    outAt = vec4(inAt, -inAt.z);
    outNormal = vec4(normalize(inNormal) * 0.5 + 0.5, 1.0);
    outAlbedo = texture(albedoMap, inUv) * vec4(inColour, 1.0);
}
