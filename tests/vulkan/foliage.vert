#version 450
// Instances of crossed leaves: a matrix a plant, the wind by a push constant.
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec2 inUv;
layout(location = 2) in mat4 inModel;
layout(location = 6) in vec4 inTint;
layout(location = 7) in uint inKind;
layout(binding = 0) uniform Camera { mat4 viewProjection; };
layout(push_constant) uniform Wind { vec3 direction; float time; float strength; } wind;
layout(location = 0) out vec2 outUv;
layout(location = 1) out vec4 outTint;
layout(location = 2) flat out uint outKind;
void main() {
    vec4 world = inModel * vec4(inPosition, 1.0);
    float phase = dot(world.xz, vec2(0.7, 1.3)) + float(gl_InstanceIndex) * 0.37;
    float bend = inPosition.y * inPosition.y * wind.strength * sin(wind.time + phase);
    world.xyz += wind.direction * bend;
    outUv = inUv;
    outTint = inTint;
    outKind = inKind;
    gl_Position = viewProjection * world;
}
