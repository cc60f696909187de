#version 450
// Arrays of more elements than a chip has registers, written and read at indices of the pixel.
layout(location = 0) out uvec4 result;
void main() {
    uint n = uint(gl_FragCoord.x) + 4u * uint(gl_FragCoord.y);
    uint a[64];
    vec2 b[20];
    for (uint k = 0u; k < 64u; k++) a[k] = k * 3u + n;
    for (uint k = 0u; k < 20u; k++) b[k] = vec2(k, k + n);
    a[n * 4u + 1u] = 200u;
    b[n].y = 99.0;
    result = uvec4(a[(n * 7u) & 63u], a[n * 4u + 1u], uint(b[n].y), uint(b[n + 1u].y + b[n].x));
}
