#version 450
// The number of the primitive beside what its provoking vertex gave.
layout(location = 0) flat in uint first;
layout(location = 0) out uvec4 picture;
void main() { picture = uvec4(gl_PrimitiveID + 1, first, 7, 1); }
