#version 450
layout(location = 0) in vec3 inNormal;
layout(location = 1) noperspective in vec2 inScreen;
layout(location = 0) out vec4 outColour;
void main() {
    vec3 n = normalize(gl_FrontFacing ? inNormal : -inNormal);
    vec3 c = gl_FrontFacing ? vec3(0.8, 0.7, 0.5) : vec3(0.3, 0.1, 0.4);
    outColour = vec4(c * (0.4 + 0.6 * abs(n.y)) * (1.0 - 0.3 * length(inScreen)), 1.0);
}
