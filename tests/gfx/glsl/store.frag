#version 450

layout(set = 0, binding = 0, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D made;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    uint old = imageLoad(counts, at).x;
    imageStore(counts, at, uvec4(old * 3u + uint(at.x)));
    uint now = imageLoad(counts, at).x;
    imageStore(made, ivec2(15 - at.x, at.y), vec4(float(at.x) / 15.0, float(at.y) / 15.0, 0.25, 1.0));
    colour = vec4(float(now & 255u) / 255.0, float(old & 255u) / 255.0, uv.x * 0.0, 1.0);
}
