#version 450
// A mesh cut by two planes.
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(binding = 0) uniform UBO { mat4 viewProjection; mat4 model; vec4 planes[2]; } ubo;
layout(location = 0) out vec3 outNormal;
layout(location = 1) noperspective out vec2 outScreen;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() {
    vec4 world = ubo.model * vec4(inPosition, 1.0);
    for (int i = 0; i < 2; i++) gl_ClipDistance[i] = dot(ubo.planes[i], world);
    outNormal = mat3(ubo.model) * inNormal;
    gl_Position = ubo.viewProjection * world;
    outScreen = gl_Position.xy / gl_Position.w;
}
