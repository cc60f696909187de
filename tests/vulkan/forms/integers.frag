#version 450
layout(location = 0) flat in int a;
layout(location = 1) flat in uvec2 b;
layout(location = 1, component = 2) flat in int part;
layout(location = 2) flat in vec2 taken;
layout(location = 3) in vec2 spread;
layout(location = 4) in S { flat ivec3 n; flat uint u; } s;
layout(location = 0) out uvec4 c;
layout(location = 1) out ivec4 second;
void main() {
    c = uvec4(uint(a), b.x + (b.y - 4000000000u), uint(taken.x + taken.y), uint(round((spread.x + 1.0) * 4.0)));
    second = ivec4(part, s.n.y, s.u, round((spread.y + 1.0) * 4.0));
}
