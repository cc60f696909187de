#version 450
layout(location = 0) out uvec4 result;
void main() { result = uvec4(gl_ViewportIndex, gl_FragCoord.x, gl_FragCoord.z * 8.0, 1); }
