#version 450
// Edges of depth and colour; the four texels around a corner by one gather.
layout(binding = 0) uniform sampler2D scene;
layout(push_constant) uniform Push { vec4 line; float threshold; } push;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;
const mat3 sx = mat3(-1, 0, 1, -2, 0, 2, -1, 0, 1);
const mat3 sy = mat3(-1, -2, -1, 0, 0, 0, 1, 2, 1);
void main() {
    mat3 window;
    ivec2 at = ivec2(gl_FragCoord.xy), last = textureSize(scene, 0) - 1;
    for (int y = 0; y < 3; y++) {
        for (int x = 0; x < 3; x++) {
            vec3 c = texelFetch(scene, clamp(at + ivec2(x, y) - 1, ivec2(0), last), 0).rgb;
            window[y][x] = dot(c, vec3(0.3, 0.6, 0.1));
        }
    }
    float gx = 0.0, gy = 0.0;
    for (int k = 0; k < 3; k++) {
        gx += dot(window[k], sx[k]);
        gy += dot(window[k], sy[k]);
    }
    vec4 reds = textureGather(scene, inUv);
    float g = sqrt(gx * gx + gy * gy) + 0.2 * (max(max(reds.x, reds.y), max(reds.z, reds.w)) - min(min(reds.x, reds.y), min(reds.z, reds.w)));
    outColour = mix(texture(scene, inUv), push.line, smoothstep(push.threshold, push.threshold * 2.0, g));
}
