#version 450
// The nodes of a pixel, the farthest first.
layout(binding = 0, r32ui) uniform readonly uimage2D heads;
layout(std430, binding = 1) readonly buffer Nodes { uint count; uvec4 node[]; };
layout(location = 0) out uvec4 picture;
struct Found { vec4 colour; float depth; uint number; };
void main() {
    Found found[128];
    int n = 0;
    uint at = imageLoad(heads, ivec2(gl_FragCoord.xy)).r;
    while (at != 0u && n < 128) {
        uvec4 one = node[at - 1u];
        found[n] = Found(vec4(float(one.y)), uintBitsToFloat(one.z), one.y);
        at = one.x;
        ++n;
    }
    for (int i = 1; i < n; ++i) {
        Found one = found[i];
        int j = i;
        for (; j > 0 && one.depth > found[j - 1].depth; --j) found[j] = found[j - 1];
        found[j] = one;
    }
    uint all = 0u;
    for (int i = 0; i < n; ++i) all = all * 4u + uint(found[i].colour.w);
    picture = uvec4(all, n, found[n - 1].number, uint(found[0].depth * 100.0 + 0.5));
}
