#version 450

layout(set = 0, binding = 0) uniform sampler2D tiles;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
void main() { colour = texture(tiles, uv) * 0.5 + texture(tiles, uv * 2.0, 1.0) * 0.5; }
