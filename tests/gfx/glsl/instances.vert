#version 450

layout(location = 0) in vec2 offset;
layout(location = 1) in uvec4 shade;
layout(location = 0) flat out uvec4 held;
const vec2 corners[6] = vec2[](vec2(0, 0), vec2(1, 0), vec2(0, 1), vec2(0, 1), vec2(1, 0), vec2(1, 1));
void main() {
    held = shade + uint(gl_InstanceIndex);
    gl_Position = vec4(offset + corners[gl_VertexIndex] * 0.375, 0.0, 1.0);
}
