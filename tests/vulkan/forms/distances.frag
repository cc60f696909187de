#version 450
layout(location = 0) in float seven;
in float gl_ClipDistance[2];
layout(location = 0) out uvec4 c;
void main() { c = uvec4(round(vec2(gl_ClipDistance[0] * 4.0, gl_ClipDistance[1] * 20.0)), round(seven), 1u); }
