#version 450
layout(binding = 0) uniform sampler2D scene;
layout(binding = 1) uniform sampler2D glow;
layout(push_constant) uniform Push { float exposure; float strength; } push;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;
void main() {
    vec3 x = (texture(scene, inUv).rgb + texture(glow, inUv).rgb * push.strength) * push.exposure;
    x = clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
    outColour = vec4(x, 1.0);
}
