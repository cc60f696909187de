#version 450
layout(location = 0) out uvec4 c;
void main() { c = uvec4(9); }
