#version 450
layout(location = 0) in vec2 inPosition;
layout(location = 1) in vec3 inColour;
layout(location = 0) centroid out vec3 outColour;
layout(location = 1) out vec2 outAt;
void main() {
    outColour = inColour;
    outAt = inPosition;
    gl_Position = vec4(inPosition, 0.0, 1.0);
}
