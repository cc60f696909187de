#version 450
// Results of loops that go straight into atomics.
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer In { uint a[]; };
layout(std430, binding = 1) buffer Out { uint o[]; };
shared uint s;

void main() {
    uint n = 0u;
    for (uint i = 0u; i < a[0]; ++i) { n += a[i + 1u]; }
    atomicAdd(o[0], n);
    uint m = 0u;
    for (uint i = 0u; i < a[0]; ++i) { m = max(m, a[i + 1u] & 0xffu); if (m == 0xfeu) { break; } }
    atomicMax(o[1], m);
    uint x = 1u;
    for (uint i = 0u; i < a[0]; ++i) { x = x * 3u ^ a[i + 1u]; }
    o[3] = atomicExchange(o[2], x);
    s = 5u;
    uint c = 0u;
    for (uint i = 0u; i < a[0]; ++i) { if (a[i + 1u] % 3u == 0u) { ++c; } }
    o[4] = atomicCompSwap(s, c, c + 7u);
    atomicAnd(s, 0xffu - c);
    atomicXor(o[5], x);
    atomicOr(o[6], c);
    atomicMin(o[7], n);
    o[8] = s;
    uint k = 0u;
    while (a[k + 1u] < 1000u && k < a[0]) { ++k; }
    if (k > 2u) { atomicAdd(o[9], k); } else { atomicAdd(o[10], k); }
}
