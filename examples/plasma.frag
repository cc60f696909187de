#version 450
// A fragment shader by itself: it gets `uv`, and in group 0 at binding 0 the frame.
//   gpucc render examples/plasma.frag -o plasma.png --time 2
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;

layout(set = 0, binding = 0) uniform Frame {
    vec3 resolution;
    float time;
    vec4 mouse;
} frame;

void main() {
    vec2 p = (uv - 0.5) * vec2(frame.resolution.x / frame.resolution.y, 1.0) * 8.0;
    float a = sin(p.x + frame.time) + sin(p.y * 1.3 - frame.time * 0.7);
    float b = sin(length(p + vec2(sin(frame.time * 0.5), cos(frame.time * 0.3)) * 2.0) * 2.0);
    colour = vec4(0.5 + 0.5 * cos(vec3(0.0, 2.1, 4.2) + (a + b) * 1.2), 1.0);
}
