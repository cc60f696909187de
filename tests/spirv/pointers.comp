#version 450
// Parameters by reference, arrays and structs as values, a variable that outlives its loop, private globals.
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer In { uint a[]; };
layout(std430, binding = 1) writeonly buffer Out { uint o[]; };

struct State { uint x[4]; uvec2 y; };
uint counter = 7u;
const uint table[6] = uint[](3u, 1u, 4u, 1u, 5u, 9u);

void rotate(inout uint x, out uint old, uint by) { old = x; x = (x << by) | (x >> (32u - by)); counter++; }

State stir(State s, uint key) {
    uint old;
    for (uint i = 0u; i < 4u; i++) {
        rotate(s.x[i], old, (key + i) % 31u + 1u);
        s.y[i & 1u] ^= old;
    }
    return s;
}

void swap(inout uint v[4], uint i, uint j) { uint t = v[i]; v[i] = v[j]; v[j] = t; }

void sort(inout uint v[4]) {
    for (uint i = 0u; i < 4u; i++)
        for (uint j = i + 1u; j < 4u; j++)
            if (v[j] < v[i]) swap(v, i, j);
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    State s;
    for (uint k = 0u; k < 4u; k++) s.x[k] = a[i * 4u + k];
    s.y = uvec2(i, table[a[i] % 6u]);
    s = stir(s, a[i]);
    sort(s.x);
    for (uint k = 0u; k < 4u; k++) o[i * 8u + k] = s.x[k];
    o[i * 8u + 4u] = s.y.x;
    o[i * 8u + 5u] = s.y.y;
    o[i * 8u + 6u] = counter;
    uint best = 0u, where = 99u;
    for (uint k = 0u; k < 4u; k++) { uint v = a[i * 4u + k] ^ 0x55u; if (v >= best) { best = v; where = k; } }
    o[i * 8u + 7u] = where;
}
