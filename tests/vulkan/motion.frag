#version 450
layout(constant_id = 2) const int SAMPLES = 4;
layout(binding = 1) uniform sampler2D albedo;
layout(location = 0) in vec4 inClip[3];
layout(location = 3) in mat3 inFrame;
layout(location = 6, component = 0) in vec2 inUv;
layout(location = 6, component = 2) in float inFade;
layout(location = 0) out vec4 outColour;
layout(location = 1) out vec2 outVelocity;
void main() {
    vec2 now = inClip[0].xy / inClip[0].w;
    vec2 sum = vec2(0.0);
    for (int i = 1; i < inClip.length(); ++i) sum += (now - inClip[i].xy / inClip[i].w) / float(i);
    vec2 velocity = sum * 0.5;
    vec4 c = vec4(0.0);
    for (int i = 0; i < SAMPLES; i++) c += textureLod(albedo, inUv + velocity * (float(i) / float(SAMPLES) - 0.5), 0.0);
    vec3 n = inFrame * vec3(0.0, 0.0, 1.0);
    outColour = vec4(c.rgb / float(SAMPLES) * (0.5 + 0.5 * dot(n, vec3(0.6, 0.7, 0.4))) * inFade, 1.0);
    outVelocity = velocity;
}
