#version 450
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(push_constant) uniform Push { mat4 mvp; vec4 colour; } push;
layout(location = 0) out vec3 outColour;
void main() {
    outColour = push.colour.rgb * (0.5 + 0.5 * dot(inNormal, vec3(0.36, 0.8, 0.48)));
    gl_Position = push.mvp * vec4(inPosition, 1.0);
}
