#version 450
struct Box { vec4 rect; vec4 radii; uint fill; uint border; float width; uint flags; };
layout(std430, set = 0, binding = 0) readonly buffer Boxes { uint count; Box list[]; } boxes;
layout(location = 0) in vec2 inAt;
layout(location = 1) flat in uint inIndex;
layout(location = 0) out vec4 outColour;
float rounded(vec2 p, vec2 half_, vec4 radii) {
    vec2 r2 = p.x > 0.0 ? radii.yz : radii.xw;
    float r = p.y > 0.0 ? r2.y : r2.x;
    vec2 q = abs(p) - half_ + r;
    return min(max(q.x, q.y), 0.0) + length(max(q, vec2(0.0))) - r;
}
void main() {
    Box b = boxes.list[inIndex];
    float d = rounded(inAt - b.rect.xy - b.rect.zw * 0.5, b.rect.zw * 0.5, b.radii);
    float a = clamp(0.5 - d, 0.0, 1.0);
    vec4 fill = unpackUnorm4x8(b.fill), border = unpackUnorm4x8(b.border);
    vec4 c = mix(fill, border, clamp(d + b.width + 0.5, 0.0, 1.0));
    if ((b.flags & 1u) != 0u && (uint(gl_FragCoord.x + gl_FragCoord.y) & 2u) != 0u) c.rgb *= 0.6;
    c.a *= a;
    outColour = vec4(c.rgb * c.a, c.a);
}
