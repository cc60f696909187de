#version 450
layout(constant_id = 0) const int KERNEL = 16;
layout(constant_id = 1) const float RADIUS = 0.5;
layout(binding = 0) uniform sampler2D atMap;
layout(binding = 1) uniform sampler2D normalMap;
layout(binding = 2) uniform sampler2D noiseMap;
layout(binding = 3) uniform Kernel { vec4 samples[KERNEL]; } kernel;
layout(binding = 4) uniform UBO { mat4 projection; mat4 view; } ubo;
layout(location = 0) in vec2 inUv;
layout(location = 0) out float outOcclusion;
void main() {
    vec3 at = texture(atMap, inUv).rgb;
    if (at.z == 0.0) {
        outOcclusion = 1.0;
        return;
    }
    vec3 n = normalize(textureLod(normalMap, inUv, 0.0).rgb * 2.0 - 1.0);
    vec3 random = texelFetch(noiseMap, ivec2(gl_FragCoord.xy) & 3, 0).xyz * 2.0 - 1.0;
    vec3 t = normalize(random - n * dot(random, n));
    mat3 tbn = mat3(t, cross(t, n), n);
    float occlusion = 0.0;
    for (int i = 0; i < KERNEL; i++) {
        vec3 s = at + tbn * kernel.samples[i].xyz * RADIUS;
        vec4 clip = ubo.projection * vec4(s, 1.0);
        vec2 uv = clip.xy / clip.w * vec2(0.5, -0.5) + 0.5;
        float depth = textureLod(atMap, uv, 0.0).z;
        float range = smoothstep(0.0, 1.0, RADIUS / abs(at.z - depth));
        occlusion += (depth >= s.z + 0.025 ? 1.0 : 0.0) * range;
    }
    outOcclusion = 1.0 - occlusion / float(KERNEL);
}
