#version 450
// Rounded boxes with borders: one draw, a record of a storage buffer each.
struct Box { vec4 rect; vec4 radii; uint fill; uint border; float width; uint flags; };
layout(std430, set = 0, binding = 0) readonly buffer Boxes { uint count; Box list[]; } boxes;
layout(push_constant) uniform Push { vec2 scale; } push;
layout(location = 0) out vec2 outAt;
layout(location = 1) flat out uint outIndex;
void main() {
    uint k = uint(gl_VertexIndex) / 6u, c = uint(gl_VertexIndex) % 6u;
    uint corner = (0xda4u >> (c * 2u)) & 3u;
    Box b = boxes.list[min(k, boxes.count - 1u)];
    vec2 at = b.rect.xy + vec2(corner & 1u, corner >> 1u) * b.rect.zw;
    outAt = at;
    outIndex = k;
    gl_Position = vec4(at * push.scale + vec2(-1.0, 1.0), 0.0, 1.0);
}
