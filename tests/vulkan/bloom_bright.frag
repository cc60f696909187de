#version 450
layout(binding = 0) uniform sampler2D scene;
layout(push_constant) uniform Push { float threshold; float knee; } push;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;
void main() {
    vec3 c = texture(scene, inUv).rgb;
    float bright = max(c.r, max(c.g, c.b));
    float soft = clamp(bright - push.threshold + push.knee, 0.0, 2.0 * push.knee);
    soft = soft * soft / (4.0 * push.knee + 1e-4);
    outColour = vec4(c * max(soft, bright - push.threshold) / max(bright, 1e-4), 1.0);
}
