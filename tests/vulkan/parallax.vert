#version 450
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(location = 2) in vec2 inUv;
layout(location = 3) in vec4 inTangent;
layout(binding = 0) uniform UBO { mat4 projection; mat4 view; mat4 model; vec4 light; vec4 eye; } ubo;
layout(location = 0) out VS_OUT {
    vec2 uv;
    vec3 tangentLight;
    vec3 tangentView;
    vec3 tangentAt;
} vs_out;
void main() {
    vec3 at = vec3(ubo.model * vec4(inPosition, 1.0));
    vec3 t = normalize(mat3(ubo.model) * inTangent.xyz);
    vec3 n = normalize(mat3(ubo.model) * inNormal);
    vec3 b = normalize(cross(n, t)) * inTangent.w;
    mat3 tbn = transpose(mat3(t, b, n));
    vs_out.uv = inUv;
    vs_out.tangentLight = tbn * ubo.light.xyz;
    vs_out.tangentView = tbn * ubo.eye.xyz;
    vs_out.tangentAt = tbn * at;
    gl_Position = ubo.projection * ubo.view * vec4(at, 1.0);
}
