#version 450

layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec2 words;
layout(location = 2) out float single;
void main() {
    colour = vec4(fract(uv), 0.5, 1.0);
    words = uvec2(gl_FragCoord.xy) * uvec2(3, 70000);
    single = gl_FragCoord.z * 2.0 + gl_FragCoord.x;
}
