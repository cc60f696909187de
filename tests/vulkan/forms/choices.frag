#version 450
layout(location = 1) flat in uint number;
layout(location = 0) out uvec4 result;
void main() { result = uvec4(gl_Layer, gl_ViewportIndex, number, gl_FragCoord.x); }
