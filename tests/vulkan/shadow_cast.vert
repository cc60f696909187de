#version 450
// The depth of what the light sees.
layout(location = 0) in vec3 inPosition;
layout(push_constant) uniform Push { mat4 model; mat4 light; } push;
invariant gl_Position;
void main() { gl_Position = push.light * (push.model * vec4(inPosition, 1.0)); }
