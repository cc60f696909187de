#version 450
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(push_constant) uniform Push { layout(offset = 0) mat4 mvp; layout(offset = 64) mat3x4 turn; } push;
layout(location = 0) out vec3 outNormal;
layout(location = 1) out vec3 outWorld;
void main() {
    mat3 turn = mat3(push.turn);
    outNormal = turn * inNormal;
    outWorld = turn * inPosition;
    gl_Position = push.mvp * vec4(inPosition, 1.0);
}
