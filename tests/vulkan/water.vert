#version 450
layout(location = 0) in vec2 inAt;
layout(binding = 0) uniform UBO { mat4 viewProjection; vec4 eye; float time; } ubo;
layout(location = 0) out vec4 outClip;
layout(location = 1) out vec3 outWorld;
layout(location = 2) out vec4 outWaves;
void main() {
    vec2 at = (inAt - 0.5) * 4.0;
    float h = 0.06 * sin(3.0 * at.x + ubo.time) + 0.05 * cos(4.0 * at.y - 1.3 * ubo.time);
    outWorld = vec3(at.x, h, at.y);
    outWaves = vec4(inAt * 3.0 + ubo.time * vec2(0.05, 0.02), inAt * 5.0 - ubo.time * vec2(0.03, 0.06));
    outClip = ubo.viewProjection * vec4(outWorld, 1.0);
    gl_Position = outClip;
}
