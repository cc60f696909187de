#version 450

layout(set = 1, binding = 3) uniform sampler2DArray layers;
layout(location = 0) in vec2 uv;
layout(location = 1) flat in int layer;
layout(location = 0) out vec4 colour;
void main() { colour = textureLod(layers, vec3(uv, float(layer)), float(layer) * 0.5); }
