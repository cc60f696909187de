#version 450
// The same struct under std140, std430 and without a layout, copied between them; arrays of structs, lengths.
layout(local_size_x = 4) in;
struct Inner { vec3 dir; float len; uvec2 id; };
struct Item { float w; Inner in0; float tail[3]; bool flag; };
layout(std140, binding = 0) uniform U { Item items[4]; uint count; } u;
layout(std430, binding = 1) buffer S { uint n; Item items[4]; Inner rest[]; } s;
shared Inner keep[4];

Item change(Item x) { x.in0.dir = x.in0.dir.zxy * 2.0; x.tail[1] += x.w; x.flag = !x.flag; return x; }

void main() {
    uint i = gl_LocalInvocationIndex;
    Item x = u.items[i];
    keep[i] = x.in0;
    barrier();
    s.items[3u - i] = change(x);
    s.rest[i] = keep[(i + 1u) & 3u];
    Inner arr[2] = Inner[2](x.in0, keep[i ^ 1u]);
    s.rest[4u + i] = arr[u.count & 1u];
    if (i == 0u) s.n = uint(s.rest.length()) + u.count;
}
