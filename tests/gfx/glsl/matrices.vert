#version 450

layout(set = 0, binding = 0, std140) uniform Camera { mat4 view; mat3 turn; vec4 tints[3]; } camera;
layout(location = 0) in vec3 at;
layout(location = 0) out vec4 tint;
void main() {
    gl_Position = camera.view * vec4(camera.turn * at, 1.0);
    tint = camera.tints[gl_VertexIndex % 3];
}
