#version 450
layout(constant_id = 0) const int LIGHTS = 1;
layout(constant_id = 1) const bool TONE_MAP = false;

struct Light {
    vec4 position;
    vec3 colour;
    float radius;
};

layout(set = 0, binding = 0) uniform Camera {
    mat4 viewProjection;
    vec3 position;
    float exposure;
} camera;
layout(set = 0, binding = 1, std140) uniform Lights { Light list[4]; vec3 ambient; } lights;
layout(set = 1, binding = 0) uniform sampler2D albedoMap;
layout(set = 1, binding = 1) uniform sampler2D normalMap;

layout(push_constant) uniform Push {
    mat4 model;
    vec4 baseColour;
    float metallic;
    float roughness;
} push;

layout(location = 0) in Surface {
    vec3 world;
    vec3 normal;
    vec2 uv;
} surface;
layout(location = 0) out vec4 outColour;

const float PI = 3.14159265359;

float distribution(float nh, float roughness) {
    float a = roughness * roughness;
    float a2 = a * a;
    float d = nh * nh * (a2 - 1.0) + 1.0;
    return a2 / (PI * d * d);
}

float geometry(float nv, float nl, float roughness) {
    float k = (roughness + 1.0) * (roughness + 1.0) / 8.0;
    return nv / (nv * (1.0 - k) + k) * (nl / (nl * (1.0 - k) + k));
}

vec3 fresnel(float vh, vec3 f0) { return f0 + (1.0 - f0) * pow(1.0 - vh, 5.0); }

vec3 bumped() {
    // The tangent frame from derivatives, as a mesh without tangents has it.
    vec3 q1 = dFdx(surface.world), q2 = dFdy(surface.world);
    vec2 st1 = dFdx(surface.uv), st2 = dFdy(surface.uv);
    vec3 n = normalize(surface.normal);
    vec3 t = normalize(q1 * st2.t - q2 * st1.t + vec3(1e-5));
    vec3 b = -normalize(cross(n, t));
    return normalize(mat3(t, b, n) * (texture(normalMap, surface.uv).xyz * 2.0 - vec3(1.0, 1.0, 0.0)));
}

void main() {
    vec3 albedo = pow(texture(albedoMap, surface.uv).rgb, vec3(2.2)) * push.baseColour.rgb;
    vec3 n = bumped();
    vec3 v = normalize(camera.position - surface.world);
    float nv = max(dot(n, v), 0.001);
    vec3 f0 = mix(vec3(0.04), albedo, push.metallic);
    vec3 sum = lights.ambient * albedo;
    for (int i = 0; i < LIGHTS; i++) {
        vec3 toLight = lights.list[i].position.xyz - surface.world;
        float distance2 = dot(toLight, toLight);
        vec3 l = toLight * inversesqrt(distance2);
        vec3 h = normalize(v + l);
        float nl = clamp(dot(n, l), 0.0, 1.0);
        if (nl <= 0.0) continue;
        float falloff = clamp(1.0 - distance2 / (lights.list[i].radius * lights.list[i].radius), 0.0, 1.0);
        vec3 f = fresnel(max(dot(v, h), 0.0), f0);
        vec3 specular = f * (distribution(max(dot(n, h), 0.0), push.roughness) * geometry(nv, nl, push.roughness)) / (4.0 * nv * nl + 0.001);
        vec3 diffuse = (1.0 - f) * (1.0 - push.metallic) * albedo / PI;
        sum += (diffuse + specular) * lights.list[i].colour * (falloff * nl);
    }
    if (TONE_MAP) {
        sum = vec3(1.0) - exp(-sum * camera.exposure);
        sum = pow(sum, vec3(1.0 / 2.2));
    }
    outColour = vec4(sum, push.baseColour.a);
}
