#version 450
layout(location = 0) in vec3 inNormal;
layout(location = 1) in vec3 inWeight;
layout(location = 0) out vec4 outColour;
void main() {
    vec3 n = normalize(inNormal);
    float rim = 1.0 - abs(n.z);
    outColour = vec4(inWeight * (0.3 + 0.7 * max(dot(n, normalize(vec3(1, 2, 3))), 0.0)) + vec3(0.2) * rim * rim, 1.0);
}
