#version 450
layout(location = 0) out uint result;
void main() { result = uint(gl_PointCoord.x * 64.0) + uint(gl_SampleID) * 64u; }
