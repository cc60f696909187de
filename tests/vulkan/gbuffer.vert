#version 450
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(location = 2) in vec2 inUv;
layout(binding = 0) uniform UBO { mat4 projection; mat4 view; } ubo;
layout(push_constant) uniform Push { mat4 model; vec4 colour; } push;
layout(location = 0) out vec3 outNormal;
layout(location = 1) out vec2 outUv;
layout(location = 2) out vec3 outColour;
layout(location = 3) out vec3 outAt;
void main() {
    vec4 at = ubo.view * push.model * vec4(inPosition, 1.0);
    outAt = at.xyz;
    outNormal = mat3(ubo.view) * mat3(push.model) * inNormal;
    outUv = inUv;
    outColour = push.colour.rgb;
    gl_Position = ubo.projection * at;
}
