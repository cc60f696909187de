#version 450
// Four layers by height and slope, each a texture of an array of textures, and detail from a texture of layers.
layout(constant_id = 0) const int LAYERS = 4;
layout(set = 0, binding = 0) uniform Globals { mat4 viewProjection; vec4 eye; vec4 sun; float heightScale; float uvScale; } globals;
layout(set = 1, binding = 0) uniform texture2D layers[4];
layout(set = 1, binding = 1) uniform texture2DArray detail;
layout(set = 1, binding = 2) uniform sampler tiling;
layout(location = 0) in vec3 inNormal;
layout(location = 1) in vec2 inUv;
layout(location = 2) in float inHeight;
layout(location = 3) in float inDistance;
layout(location = 0) out vec4 outColour;

vec3 layered(vec3 n) {
    vec2 regions[4] = vec2[](vec2(-0.2, 0.35), vec2(0.2, 0.6), vec2(0.45, 0.8), vec2(0.7, 1.2));
    vec3 c = vec3(0.0);
    float total = 0.0;
    for (int i = 0; i < LAYERS; i++) {
        float range = regions[i].y - regions[i].x;
        float w = max(0.0, (range - abs(inHeight - regions[i].y)) / range);
        if (i == 3) w *= n.y;
        c += w * texture(sampler2D(layers[i], tiling), inUv).rgb * texture(sampler2DArray(detail, tiling), vec3(inUv * 2.0, i)).r;
        total += w;
    }
    return c / max(total, 1e-3);
}

void main() {
    vec3 n = normalize(inNormal);
    vec3 c = layered(n) * (0.25 + max(dot(n, normalize(globals.sun.xyz)), 0.0));
    float fog = exp(-0.12 * inDistance * inDistance * globals.sun.w);
    outColour = vec4(mix(vec3(0.6, 0.7, 0.8), c, fog), 1.0);
}
