#version 450
// Lights of a tile by the bits of a word, taken one after another.
struct Light { vec3 at; float radius; vec3 colour; uint kind; };
layout(constant_id = 0) const uint TILE = 8;
layout(binding = 0) uniform Lights { Light list[8]; } lights;
layout(binding = 1) uniform Tiles { uvec4 masks[8]; } tiles;
layout(push_constant) uniform Push { uvec2 tileCount; vec2 size; } push;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;

float attenuation(in Light light, float d) {
    float x = clamp(1.0 - pow(d / light.radius, 4.0), 0.0, 1.0);
    return x * x / (d * d + 0.05);
}

void main() {
    uvec2 tile = uvec2(gl_FragCoord.xy) / TILE;
    uint index = tile.y * push.tileCount.x + tile.x;
    uint mask = tiles.masks[index >> 2][index & 3u];
    vec3 sum = vec3(0.02);
    vec2 at = inUv * push.size;
    while (mask != 0u) {
        int k = findLSB(mask);
        mask &= mask - 1u;
        Light light = lights.list[k];
        vec3 l = light.at - vec3(at, 0.0);
        float d = length(l);
        float a = attenuation(light, d);
        if (light.kind == 1u) a *= smoothstep(0.5, 0.9, l.z / d);
        sum += light.colour * a * max(l.z / d, 0.0);
    }
    outColour = vec4(sum / (1.0 + sum), 1.0);
}
