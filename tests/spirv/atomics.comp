#version 450
// Every atomic of GLSL on buffers and shared memory, with barriers between, on int and uint.
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer In { uint a[]; };
layout(std430, binding = 1) coherent buffer Out { uint o[16]; int s[4]; uint tail[]; } b;
shared uint bins[8];
shared int low;
struct Pair { uint n; uint m; };
shared Pair pairs[2];

void main() {
    uint i = gl_LocalInvocationID.x;
    if (i < 8u) bins[i] = 0u;
    if (i == 0u) { low = 1000; pairs[0].n = 0u; pairs[0].m = 0u; pairs[1] = pairs[0]; }
    barrier();
    uint x = a[i];
    atomicAdd(bins[x & 7u], 1u);
    atomicMin(low, int(x) - 500);
    atomicAdd(pairs[x & 1u].n, x);
    atomicOr(pairs[1].m, 1u << (i & 31u));
    memoryBarrierShared();
    barrier();
    if (i < 8u) b.o[i] = bins[i];
    atomicAdd(b.o[8], x);
    atomicMax(b.o[9], x);
    atomicMin(b.o[10], x);
    atomicAnd(b.o[11], ~(1u << i));
    atomicOr(b.o[12], 1u << i);
    atomicXor(b.o[13], x);
    uint old = atomicCompSwap(b.o[14], 0u, 77u);
    if (old == 0u) atomicAdd(b.tail[b.tail.length() - 1], 5u);
    atomicMin(b.s[0], int(x) - 400);
    atomicMax(b.s[1], -int(x));
    atomicAdd(b.s[2], -int(i));
    if (i == 31u) {
        b.s[3] = low;
        atomicExchange(b.o[15], pairs[0].n + pairs[1].n);
        b.tail[0] = pairs[1].m;
        b.tail[1] = uint(b.tail.length());
    }
}
