#version 450

layout(set = 0, binding = 2) uniform sampler2DShadow map;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
void main() {
    float near = texture(map, vec3(uv, 0.4));
    float far = textureLod(map, vec3(uv, 0.8), 0.0);
    colour = vec4(near, far, uv.x, 1.0);
}
