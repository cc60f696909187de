#version 450
layout(location = 0) in B { vec2 at; mat3 m; float w[2]; } b;
struct S { ivec2 i; uint u; };
layout(location = 6) flat in S s;
layout(location = 8, component = 1) in float part;
layout(location = 8, component = 2) in vec2 parts;
layout(location = 0) out uvec4 c;
void main() {
    int k = int(gl_FragCoord.x) & 1;
    float x = (b.at.x + 1.0) * 4.0;
    float y = b.m[1][2] + 4.0 * (b.m[2].y - 7.0);
    float z = 4.0 * b.w[k];
    c = uvec4(round(vec3(x, y, z)), uint(s.i.x - s.i.y) + (s.u >> 30) + uint(round(part + parts.x * 4.0 + parts.y)));
}
