#version 450
// Light of the surroundings: irradiance by spherical harmonics, a reflection by its level, and a table for the rest.
layout(push_constant) uniform Push { layout(offset = 112) vec3 eye; layout(offset = 124) float roughness; } push;
layout(binding = 0) uniform Harmonics { vec4 sh[9]; } harmonics;
layout(binding = 1) uniform textureCube environment;
layout(binding = 2) uniform texture2D brdf;
layout(binding = 3) uniform sampler smoothly;
layout(location = 0) in vec3 inNormal;
layout(location = 1) in vec3 inWorld;
layout(location = 0) out vec4 outColour;
vec3 irradiance(vec3 n) {
    vec4 b[9];
    for (int i = 0; i < 9; i++) b[i] = harmonics.sh[i];
    return (b[0] + b[1] * n.y + b[2] * n.z + b[3] * n.x + b[4] * (n.y * n.x) + b[5] * (n.y * n.z) + b[6] * (3.0 * n.z * n.z - 1.0)
            + b[7] * (n.z * n.x) + b[8] * (n.x * n.x - n.y * n.y)).rgb;
}
void main() {
    vec3 n = normalize(inNormal);
    vec3 v = normalize(push.eye - inWorld);
    vec3 r = reflect(-v, n);
    float nv = clamp(dot(n, v), 0.0, 1.0);
    vec2 scaleBias = textureLod(sampler2D(brdf, smoothly), vec2(nv, push.roughness), 0.0).rg;
    vec3 shiny = textureLod(samplerCube(environment, smoothly), r, floor(push.roughness * 3.0)).rgb;
    outColour = vec4(max(irradiance(n), vec3(0.0)) * vec3(0.5, 0.4, 0.3) + shiny * (0.3 * scaleBias.x + 0.2 * scaleBias.y), 1.0);
}
