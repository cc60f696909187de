#version 450
// Runs for each sample.
layout(location = 0) out uvec4 result;
void main() { result = uvec4(uint(gl_FragCoord.x) * 4u + uint(gl_SampleID), 0, 0, 0); }
