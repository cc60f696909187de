#version 450
layout(location = 0) flat in uvec4 known;
layout(location = 0) out uvec4 result;
void main() { result = known; }
