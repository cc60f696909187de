#version 450

layout(location = 0) flat in float which;
layout(location = 0) out vec4 colour;
void main() {
    float slope = gl_FragCoord.x / 16.0;
    gl_FragDepth = which == 0.0 ? slope : 1.0 - gl_FragCoord.y / 16.0;
    colour = vec4(which, slope, 0.0, 1.0);
}
