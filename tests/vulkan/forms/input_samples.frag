#version 450
layout(input_attachment_index = 0, binding = 0) uniform usubpassInputMS samples;
layout(location = 0) out uvec4 result;
void main() { result = uvec4(subpassLoad(samples, 0).r, subpassLoad(samples, 1).r, subpassLoad(samples, 2).r, subpassLoad(samples, 3).r); }
