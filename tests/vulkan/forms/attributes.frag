#version 450
layout(location = 0) in V { mat2 turned; float last[2]; } v;
layout(location = 4) flat in ivec2 given;
layout(location = 0) out uvec4 c;
layout(location = 1) out ivec4 second;
void main() {
    c = uvec4(round(vec4(v.turned[0], v.turned[1])));
    second = ivec4(given, round(vec2(v.last[0], v.last[1])));
}
