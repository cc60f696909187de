#version 450
layout(constant_id = 0) const int OCTAVES = 4;
layout(push_constant) uniform Push { vec2 wind; float cover; float sharpness; } push;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;
const mat2 turn = mat2(0.8, 0.6, -0.6, 0.8);

uvec2 pcg(uvec2 v) {
    v = v * 1664525u + 1013904223u;
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    v ^= v >> 16;
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    return v ^ (v >> 16);
}

float value(ivec2 p) { return float(pcg(uvec2(p + 1024)).x & 0xffffu) / 65535.0; }

float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    vec2 u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    ivec2 k = ivec2(i);
    return mix(mix(value(k), value(k + ivec2(1, 0)), u.x), mix(value(k + ivec2(0, 1)), value(k + ivec2(1)), u.x), u.y);
}

float fbm(vec2 p) {
    float sum = 0.0, weight = 0.5;
    for (int i = 0; i < OCTAVES; i++, weight *= 0.5) {
        sum += weight * noise(p);
        p = turn * p * 2.02;
    }
    return sum;
}

void main() {
    vec2 p = inUv * 5.0;
    float d = fbm(p + push.wind + fbm(p * 0.5) * 2.0);
    d = clamp((d - 1.0 + push.cover) * push.sharpness, 0.0, 1.0);
    vec3 sky = mix(vec3(0.2, 0.4, 0.8), vec3(0.6, 0.75, 0.9), inUv.y);
    outColour = vec4(mix(sky, vec3(1.0 - 0.3 * d * d), d), 1.0);
}
