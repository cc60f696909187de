#version 450
// Colour grading: a table of colours, chromatic aberration, grain by an integer hash, a vignette.
layout(constant_id = 0) const bool GRAIN = false;
layout(binding = 0) uniform sampler2D scene;
layout(binding = 1) uniform sampler3D table;
layout(push_constant) uniform Push { float time; float aberration; float grain; vec4 vignette; } push;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;

uint hash(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

float random(uvec2 at) { return uintBitsToFloat(0x3f800000u | (hash(at.x + hash(at.y + floatBitsToUint(push.time))) >> 9)) - 1.0; }

void main() {
    vec2 away = (inUv - 0.5) * push.aberration;
    vec3 c = vec3(texture(scene, inUv + away).r, texture(scene, inUv).g, texture(scene, inUv - away).b);
    float n = float(textureSize(table, 0).x);
    c = textureLod(table, c * ((n - 1.0) / n) + 0.5 / n, 0.0).rgb;
    if (GRAIN) c += (random(uvec2(gl_FragCoord.xy)) - 0.5) * push.grain;
    float d = length((inUv - push.vignette.xy) * vec2(1.3, 1.0));
    c *= smoothstep(push.vignette.w, push.vignette.z, d);
    outColour = vec4(clamp(c, 0.0, 1.0), 1.0);
}
