#version 450
layout(location = 0) out uvec4 result;
void main() { result = uvec4(gl_PointCoord * 4.0, 7, 1); }
