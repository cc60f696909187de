#version 450
layout(location = 0) flat in uint number;
layout(location = 0) out uvec4 result;
void main() { result = uvec4(gl_PointCoord * 8.0, number, 1); }
