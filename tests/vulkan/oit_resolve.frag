#version 450
layout(input_attachment_index = 0, binding = 0) uniform subpassInput sum;
layout(input_attachment_index = 1, binding = 1) uniform subpassInput left;
layout(location = 0) out vec4 outColour;
void main() {
    vec4 s = subpassLoad(sum);
    float l = subpassLoad(left).r;
    if (isinf(s.a)) s.rgb = vec3(1.0);
    outColour = vec4(s.rgb / clamp(s.a, 1e-4, 5e4), 1.0 - l);
}
