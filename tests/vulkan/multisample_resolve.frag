#version 450
// A resolve of our own: samples are weighed by how bright they are.
layout(constant_id = 0) const int SAMPLES = 4;
layout(binding = 0) uniform sampler2DMS scene;
layout(location = 0) out vec4 outColour;
void main() {
    vec3 sum = vec3(0.0);
    float total = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        vec3 c = texelFetch(scene, ivec2(gl_FragCoord.xy), i).rgb;
        float w = 1.0 / (1.0 + dot(c, vec3(0.3, 0.6, 0.1)));
        sum += c * w;
        total += w;
    }
    outColour = vec4(sum / total, 1.0);
}
