#version 450
// Integer built-ins and the operators whose sign is in the instruction.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { int a[]; };
layout(std430, binding = 1) writeonly buffer Out { int o[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    int x = a[i];
    uint u = uint(x);
    uint p = i * 20u;
    o[p + 0u] = bitfieldExtract(x, 3, 9);
    o[p + 1u] = int(bitfieldExtract(u, 3, 9));
    o[p + 2u] = bitfieldInsert(x, 5, 4, 6);
    o[p + 3u] = findLSB(x);
    o[p + 4u] = findMSB(x);
    o[p + 5u] = findMSB(u);
    o[p + 6u] = bitCount(u);
    o[p + 7u] = int(bitfieldReverse(u));
    o[p + 8u] = x >> 5;
    o[p + 9u] = int(u >> 5);
    o[p + 10u] = x / 7;
    o[p + 11u] = int(u / 7u);
    o[p + 12u] = int(u % 1000u);
    o[p + 13u] = (x & 0x7fffffff) % 16777259;
    o[p + 14u] = min(x, -5) + max(x, 9) ;
    o[p + 15u] = int(min(u, 77u));
    o[p + 16u] = clamp(x, -100, 100) + sign(x);
    o[p + 17u] = abs(x);
    uint carry, borrow, msb, lsb;
    uint sum = uaddCarry(u, 0xfffffff0u, carry);
    uint dif = usubBorrow(u, 12u, borrow);
    umulExtended(u, 0x10001u, msb, lsb);
    o[p + 18u] = int(sum ^ carry ^ dif ^ (borrow << 3));
    int hi, lo;
    imulExtended(x, -77, hi, lo);
    o[p + 19u] = int(msb ^ lsb) + hi * 3 + lo;
}
