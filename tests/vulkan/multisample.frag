#version 450
layout(location = 0) centroid in vec3 inColour;
layout(location = 1) in vec2 inAt;
layout(location = 0) out vec4 outColour;
void main() {
    vec2 cell = floor(inAt * 8.0);
    outColour = vec4(inColour * (mod(cell.x + cell.y, 2.0) == 0.0 ? 1.0 : 0.7), 1.0);
}
