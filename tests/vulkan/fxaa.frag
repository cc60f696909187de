#version 450
layout(binding = 0) uniform sampler2D scene;
layout(push_constant) uniform Push { vec2 texel; float reduceMin; float reduceMul; float spanMax; } push;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;
const vec3 LUMA = vec3(0.299, 0.587, 0.114);
void main() {
    float nw = dot(textureOffset(scene, inUv, ivec2(-1, -1)).rgb, LUMA);
    float ne = dot(textureOffset(scene, inUv, ivec2(1, -1)).rgb, LUMA);
    float sw = dot(textureOffset(scene, inUv, ivec2(-1, 1)).rgb, LUMA);
    float se = dot(textureOffset(scene, inUv, ivec2(1, 1)).rgb, LUMA);
    vec4 centre = texture(scene, inUv);
    float m = dot(centre.rgb, LUMA);
    float least = min(m, min(min(nw, ne), min(sw, se)));
    float most = max(m, max(max(nw, ne), max(sw, se)));
    vec2 dir = vec2(-((nw + ne) - (sw + se)), (nw + sw) - (ne + se));
    float reduce = max((nw + ne + sw + se) * 0.25 * push.reduceMul, push.reduceMin);
    float scale = 1.0 / (min(abs(dir.x), abs(dir.y)) + reduce);
    dir = clamp(dir * scale, -push.spanMax, push.spanMax) * push.texel;
    vec4 a = 0.5 * (texture(scene, inUv + dir * (1.0 / 3.0 - 0.5)) + texture(scene, inUv + dir * (2.0 / 3.0 - 0.5)));
    vec4 b = a * 0.5 + 0.25 * (texture(scene, inUv + dir * -0.5) + texture(scene, inUv + dir * 0.5));
    float l = dot(b.rgb, LUMA);
    outColour = l < least || l > most ? a : b;
}
