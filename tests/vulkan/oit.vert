#version 450
layout(location = 0) in vec4 inPosition;
layout(location = 1) in vec4 inColour;
layout(location = 0) out vec4 outColour;
layout(location = 1) out float outDepth;
void main() {
    outColour = inColour;
    outDepth = inPosition.z;
    gl_Position = inPosition;
}
