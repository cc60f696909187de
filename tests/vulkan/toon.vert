#version 450
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(binding = 0) uniform UBO { mat4 projection; mat4 model; vec4 light; } ubo;
layout(location = 0) out vec3 outNormal;
layout(location = 1) out vec3 outView;
layout(location = 2) out vec3 outLight;
void main() {
    vec4 at = ubo.model * vec4(inPosition * 1.1, 1.0);
    outNormal = mat3(ubo.model) * inNormal;
    outLight = mat3(ubo.model) * ubo.light.xyz - at.xyz;
    outView = -at.xyz;
    gl_Position = ubo.projection * at;
}
