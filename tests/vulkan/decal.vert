#version 450
layout(location = 0) in vec3 inPosition;
layout(binding = 0) uniform UBO { mat4 viewProjection; mat4 inverseViewProjection; } ubo;
layout(push_constant) uniform Push { mat4 box; } push;
layout(location = 0) flat out mat4 outToBox;
void main() {
    // A matrix that every fragment needs and no fragment should compute.
    outToBox = inverse(push.box) * ubo.inverseViewProjection;
    gl_Position = ubo.viewProjection * push.box * vec4(inPosition, 1.0);
}
