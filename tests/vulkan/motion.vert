#version 450
// Where a vertex was in the last two frames: an array as varying, and a matrix.
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(location = 2) in vec2 inUv;
layout(binding = 0) uniform History { mat4 frames[3]; } history;
layout(location = 0) out vec4 outClip[3];
layout(location = 3) out mat3 outFrame;
layout(location = 6, component = 0) out vec2 outUv;
layout(location = 6, component = 2) out float outFade;
void main() {
    for (int i = 0; i < 3; i++) outClip[i] = history.frames[i] * vec4(inPosition, 1.0);
    outFrame = mat3(inNormal.yzx, inNormal.zxy, inNormal);
    outUv = inUv;
    outFade = 1.0 - 0.25 * abs(inPosition.y);
    gl_Position = outClip[0];
}
