#version 450
// A box around the eye, at the far plane.
layout(location = 0) in vec3 inPosition;
layout(binding = 0) uniform UBO { mat4 projection; mat4 view; } ubo;
layout(location = 0) out vec3 outDirection;
out gl_PerVertex { vec4 gl_Position; };
void main() {
    outDirection = inPosition;
    mat4 view = mat4(mat3(ubo.view));
    vec4 at = ubo.projection * view * vec4(inPosition, 1.0);
    gl_Position = at.xyww;
}
