#version 450

layout(location = 0) flat in uvec4 held;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(held) / 255.0; }
