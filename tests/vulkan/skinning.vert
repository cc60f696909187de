#version 450
// Four bones a vertex; matrices of three rows, as engines store them.
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(location = 2) in uvec4 inBones;
layout(location = 3) in vec4 inWeights;
layout(constant_id = 0) const uint BONES = 2;
layout(set = 0, binding = 0, row_major) uniform Bones { mat3x4 list[BONES]; } bones;
layout(set = 0, binding = 1) uniform Camera { mat4 viewProjection; } camera;
layout(location = 0) out vec3 outNormal;
layout(location = 1) out vec3 outWeight;
void main() {
    mat3x4 m = mat3x4(0.0);
    for (int i = 0; i < 4; ++i) m += bones.list[min(inBones[i], BONES - 1u)] * inWeights[i];
    vec3 at = vec4(inPosition, 1.0) * m;
    outNormal = vec4(inNormal, 0.0) * m;
    outWeight = vec3(inWeights.xyz);
    gl_Position = camera.viewProjection * vec4(at, 1.0);
}
