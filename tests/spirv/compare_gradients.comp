#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 1) uniform texture2DArray t;
layout(set = 0, binding = 2) uniform samplerShadow s;
layout(std430, set = 0, binding = 0) buffer O { float o[]; };
void main() { o[0] = textureGrad(sampler2DArrayShadow(t, s), vec4(o[1]), vec2(o[2]), vec2(0.1)); }
