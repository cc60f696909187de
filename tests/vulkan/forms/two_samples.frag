#version 450
// The second and the third sample of four.
layout(binding = 0) uniform usampler2DMS t;
layout(location = 0) out uvec4 first;
layout(location = 1) out uvec4 second;
void main() {
    first = texelFetch(t, ivec2(gl_FragCoord.xy), 1);
    second = texelFetch(t, ivec2(gl_FragCoord.xy), 2);
}
