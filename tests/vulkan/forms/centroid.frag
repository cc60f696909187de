#version 450
layout(location = 0) in float near;
layout(location = 1) centroid in float inside;
layout(location = 2) noperspective centroid in vec2 place;
layout(location = 0) out uvec4 c;
void main() { c = uvec4(round(vec4(near, inside, place))); }
