#version 450
layout(location = 0) flat in uint number;
layout(location = 0) out uvec4 result;
void main() { result = uvec4(number, 1, 2, 3); }
