#version 460
layout(local_size_x = 64) in;
struct Body { dvec3 at; double mass; };
layout(std430, binding = 0) readonly buffer I { Body bodies[]; };
layout(std430, binding = 1) buffer O { double o[]; };
shared double tile[64];
double horner(double x) {
    double sum = 0.0lf;
    for (int k = 8; k >= 1; --k) sum = fma(sum, x, 1.0lf / double(k));
    return sum;
}
void main() {
    uint i = gl_LocalInvocationIndex;
    Body b = bodies[i];
    dmat2 turn = dmat2(b.at.x, b.at.y, -b.at.y, b.at.x);
    dvec2 p = turn * dvec2(b.mass, 0.5lf);
    tile[i] = b.mass;
    barrier();
    double neighbour = tile[63u - i];
    o[8u * i] = p.x + p.y;
    o[8u * i + 1u] = sqrt(abs(b.at.z)) / b.mass;
    o[8u * i + 2u] = horner(b.at.x);
    o[8u * i + 3u] = b.at.z < 0.0lf ? floor(b.at.z) : ceil(b.at.y) + neighbour;
    o[8u * i + 4u] = packDouble2x32(unpackDouble2x32(b.mass).yx);
    o[8u * i + 5u] = double(int(b.at.z)) + double(float(b.at.y));
    o[8u * i + 6u] = clamp(b.at.x, -1.0lf, 1.5lf) + dot(b.at, dvec3(1.0lf, 2.0lf, 4.0lf));
    o[8u * i + 7u] = mix(b.at.x, b.at.y, 0.25lf) + ldexp(b.mass, int(i) - 32);
}
