#version 450
// Depth is tested before the entry point runs: the depth that it gives is dropped.
layout(early_fragment_tests) in;
layout(location = 0) out uvec4 c;
void main() {
    c = uvec4(gl_FragCoord.z * 16.0, 1u, 2u, 3u);
    gl_FragDepth = 0.25;
}
