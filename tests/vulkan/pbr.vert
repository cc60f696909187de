#version 450
// Cook-Torrance with a normal map: mesh, camera and model as an engine hands them over.
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(location = 2) in vec2 inUv;

layout(set = 0, binding = 0) uniform Camera {
    mat4 viewProjection;
    vec3 position;
    float exposure;
} camera;

layout(push_constant) uniform Push {
    mat4 model;
    vec4 baseColour;
    float metallic;
    float roughness;
} push;

layout(location = 0) out Surface {
    vec3 world;
    vec3 normal;
    vec2 uv;
} surface;

void main() {
    vec4 world = push.model * vec4(inPosition, 1.0);
    surface.world = world.xyz;
    surface.normal = transpose(inverse(mat3(push.model))) * inNormal;
    surface.uv = inUv;
    gl_Position = camera.viewProjection * world;
}
