#version 450
// Reflection and refraction by projective coordinates, moved by two scrolling normal maps.
layout(binding = 0) uniform UBO { mat4 viewProjection; vec4 eye; float time; } ubo;
layout(binding = 1) uniform sampler2D reflection;
layout(binding = 2) uniform sampler2D refraction;
layout(binding = 3) uniform sampler2D normals;
layout(push_constant) uniform Push { vec4 deep; float distortion; } push;
layout(location = 0) in vec4 inClip;
layout(location = 1) in vec3 inWorld;
layout(location = 2) in vec4 inWaves;
layout(location = 0) out vec4 outColour;
void main() {
    vec3 n = texture(normals, inWaves.xy).xyz + texture(normals, inWaves.zw).xyz - 1.0;
    n = normalize(n.xzy * vec3(1.0, 3.0, 1.0));
    vec4 at = vec4(inClip.xy * 0.5 + inClip.w * (0.5 + n.xz * push.distortion), 0.0, inClip.w);
    vec3 up = textureProj(reflection, at).rgb;
    vec3 down = mix(textureProj(refraction, vec3(at.x, at.w - at.y, at.w)).rgb, push.deep.rgb, push.deep.a);
    vec3 v = normalize(ubo.eye.xyz - inWorld);
    float fresnel = 0.02 + 0.98 * pow(1.0 - clamp(dot(n, v), 0.0, 1.0), 5.0);
    outColour = vec4(mix(down, up, fresnel), 1.0);
}
