#version 450
// An array of eight combined images and samplers at an index that all lanes share.
layout(binding = 0) uniform sampler2D t[8];
layout(push_constant, std430) uniform P { uint which; };
layout(location = 0) out vec4 c;
void main() { c = textureLod(t[which], vec2(0.5), 0.0); }
