#version 450
layout(input_attachment_index = 0, binding = 0) uniform usubpassInput codes;
layout(input_attachment_index = 1, binding = 1) uniform subpassInput shares;
layout(location = 0) out uvec4 result;
void main() { result = subpassLoad(codes) * 2u + uint(subpassLoad(shares).r * 255.0 + 0.5); }
