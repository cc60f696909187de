#version 450
layout(location = 0) flat in uvec2 number;
layout(location = 0) out uvec4 result;
void main() { result = uvec4(gl_Layer, number, gl_FragCoord.x); }
