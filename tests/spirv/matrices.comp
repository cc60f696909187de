#version 450
// Matrices in both orders and both layouts, read and written whole, by column and by element; expected values are exact.
layout(local_size_x = 1) in;
layout(std140, binding = 0) uniform Block {
    layout(column_major) mat2 c2;
    layout(row_major) mat2 r2;
    layout(column_major) mat3x2 c32;
    layout(row_major) mat3x2 r32;
    layout(row_major) mat2x4 r24;
    layout(column_major) mat4 c4;
    layout(row_major) mat3 r3[2];
    float last;
} u;
layout(std430, binding = 1) buffer Out {
    float o[64];
    layout(row_major) mat2x3 w23;
    layout(column_major) mat2 w2;
    layout(row_major) mat4 w4;
    layout(row_major) mat3x2 w32[2];
} b;

void main() {
    int n = 0;
    for (int c = 0; c < 2; c++) for (int r = 0; r < 2; r++) b.o[n++] = u.c2[c][r];
    for (int c = 0; c < 2; c++) for (int r = 0; r < 2; r++) b.o[n++] = u.r2[c][r];
    vec2 v32 = u.c32 * vec3(1.0, 2.0, 3.0);
    b.o[n++] = v32.x; b.o[n++] = v32.y;
    vec2 q32 = u.r32 * vec3(1.0, 2.0, 3.0);
    b.o[n++] = q32.x; b.o[n++] = q32.y;
    vec4 v24 = u.r24[1];
    b.o[n++] = v24.x; b.o[n++] = v24.y; b.o[n++] = v24.z; b.o[n++] = v24.w;
    vec4 v4 = vec4(1.0, 0.0, 2.0, 0.0) * u.c4;
    b.o[n++] = v4.x; b.o[n++] = v4.w;
    int k = int(u.last) - 1;
    mat3 m = u.r3[k];
    b.o[n++] = m[0][1]; b.o[n++] = m[2][0]; b.o[n++] = u.r3[k][1].z; b.o[n++] = u.r3[k - 1][k][k + 1];
    mat3 t = transpose(u.r3[0]) * matrixCompMult(m, m);
    b.o[n++] = t[1][2];
    b.o[n++] = u.last;
    b.w23 = mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    b.w23[1] = vec3(7.0, 8.0, 9.0);
    b.w23[0][2] = 10.0;
    b.w23[k].y += 0.5;
    b.w2 = u.c2 * u.r2;
    b.w4 = u.c4;
    b.w4[2].xz = vec2(-1.0, -2.0);
    b.w32[k] = u.c32;
    b.w32[k - 1] = b.w32[k] * 2.0;
    b.w32[k - 1][k + 1][k] = 99.0;
}
