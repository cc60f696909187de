#version 450
// Written in another order than that of the locations, with a hole.
layout(location = 3) out uvec4 last;
layout(location = 0) out uvec4 first;
layout(location = 1, component = 1) out uint second;
layout(location = 1, component = 0) out uint second0;
void main() {
    last = uvec4(33, 0, 0, 0);
    second = 12u;
    second0 = 11u;
    first = uvec4(gl_FragCoord.xy, 1, 2);
}
