#version 450
layout(location = 0) in float shade;
layout(location = 1) flat in uint number;
layout(location = 0) out uvec4 result;
void main() {
    vec2 d = gl_PointCoord - vec2(0.5);
    if (dot(d, d) > 0.25) discard;
    result = uvec4(gl_PointCoord * 16.0, uint(shade * 2.0), number);
}
