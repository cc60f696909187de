#version 450
// Inputs of each sample: over w, linear, and a number that is the same at all.
layout(location = 0) sample in float inside;
layout(location = 1) noperspective sample in vec2 place;
layout(location = 3) flat sample in int number;
layout(location = 0) out uvec4 c;
void main() { c = uvec4(round(vec3(inside, place)), number); }
