#version 450
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(binding = 0) uniform Scene { mat4 viewProjection; mat4 light; vec4 direction; } scene;
layout(push_constant) uniform Push { mat4 model; vec4 colour; } push;
layout(location = 0) out vec3 normal;
layout(location = 1) out vec3 colour;
layout(location = 2) out vec4 inShadow;
const mat4 BIAS = mat4(0.5, 0.0, 0.0, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0, 1.0);
void main() {
    vec4 world = push.model * vec4(inPosition, 1.0);
    normal = mat3(push.model) * inNormal;
    colour = push.colour.rgb;
    inShadow = BIAS * scene.light * world;
    gl_Position = scene.viewProjection * world;
}
