#version 450

layout(location = 0) in float smooth_one;
layout(location = 1) noperspective in float linear_one;
layout(location = 2) flat in float flat_one;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(smooth_one * 2.0, linear_one * 2.0, flat_one, gl_FragCoord.w); }
